package dev.weir.internal.engine;

import dev.weir.PoolConfig;
import dev.weir.RetireReason;
import dev.weir.spi.FailureClass;
import dev.weir.spi.PoolListener;
import java.time.Duration;
import java.util.SplittableRandom;

/** The configuration of a pool of a {@link Simulation}. */
final class SimulatedSettings {
    private SimulatedSettings() {}

    static PoolConfig draw(SimulatedWorld world) {
        SplittableRandom random = world.random;
        while (true) {
            try {
                int maximum = 1 + random.nextInt(8);
                PoolConfig.Builder drawn = PoolConfig.builder()
                        .url("jdbc:simulated:")
                        .maximumPoolSize(maximum)
                        .minimumPoolSize(random.nextInt(maximum + 1))
                        .acquireIncrement(1 + random.nextInt(3))
                        .acquireRetryDelay(millis(random, 10, 750))
                        .connectionTimeout(millis(random, 5, 200, 1_000, 5_000, 30_000))
                        .connectTimeout(millis(random, 200, 2_000, 30_000))
                        .validationTimeout(millis(random, 50, 1_000))
                        .validateAfterIdle(millis(random, 0, 20, 500, 500, 5_000))
                        .returnTimeout(millis(random, 500, 5_000))
                        .closeTimeout(millis(random, 0, 200, 5_000))
                        .idleTimeout(millis(random, 0, 1_000, 60_000))
                        .maxLifetime(millis(random, 0, 3_000, 60_000, 1_800_000))
                        .keepaliveTime(millis(random, 0, 1_000, 120_000))
                        .leakDetectionThreshold(millis(random, 0, 0, 0, 0, 0, 0, 0, 500))
                        .initializationFailTimeout(millis(random, -1, -1, -1, 0, 2_000))
                        .maximumWaiters(random.nextInt(6) == 0 ? 3 : 0)
                        .requestBoundaries(random.nextInt(4) == 0)
                        .autoCommit(random.nextBoolean());
                if (random.nextInt(4) == 0) {
                    drawn.addListener(new Listening(world));
                }
                return drawn.build();
            } catch (IllegalArgumentException e) {
                // They contradict one another: others.
            }
        }
    }

    private static Duration millis(SplittableRandom random, int... choices) {
        return Duration.ofMillis(choices[random.nextInt(choices.length)]);
    }

    /** Throws now and then. */
    private record Listening(SimulatedWorld world) implements PoolListener {
        private void hear() {
            world.heldUp(20);
            if (world.chance(50)) {
                throw new IllegalStateException("of a listener");
            }
        }

        @Override
        public void acquired(long waitedNanos) {
            hear();
        }

        @Override
        public void used(long usedNanos) {
            hear();
        }

        @Override
        public void opened(long tookNanos) {
            hear();
        }

        @Override
        public void openFailed(long tookNanos, FailureClass kind) {
            hear();
        }

        @Override
        public void retired(RetireReason reason, long ageNanos) {
            hear();
        }
    }
}
