package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The whole engine under one seed: the Keeper, users, workers, an operator, and a database that fails, in virtual time, on one
 * thread. A failure tells how to repeat it, on a machine with as many processors.
 */
class SimulationTest {
    private static final long SEEDS = 30;
    private static final long STEPS = 20_000;
    private static final long MANY_STEPS = 1_000_000;

    private static final Logger LOG = Logger.getLogger("dev.weir");
    private final @Nullable Level level = LOG.getLevel();

    /** Plays many threads. The engine asks for its id where it begins to scan the slots: there it may be held up. */
    static final class SimulationThread extends Thread {
        private final SimulatedWorld world;

        SimulationThread(SimulatedWorld world, Runnable run) {
            super(run, "simulation");
            this.world = world;
        }

        @Override
        public StackTraceElement[] getStackTrace() { // the message of each timeout asks for it, and it is slow
            return new StackTraceElement[0];
        }

        @Override
        @SuppressWarnings("deprecation") // the engine asks for it
        public long getId() {
            world.heldUp(15);
            return world.random.nextInt(8);
        }
    }

    @BeforeEach
    void logNothing() {
        LOG.setLevel(Level.OFF);
    }

    @AfterEach
    void logAgain() {
        LOG.setLevel(level);
    }

    @Test
    void keepsItsPromisesUnderEachSeed() throws InterruptedException {
        Long wanted = Long.getLong("simulation.seed");
        long steps = Long.getLong("simulation.steps", STEPS);
        long lent = 0;
        for (long seed = 1; seed <= (wanted == null ? SEEDS : 1); seed++) {
            lent += run(wanted == null ? seed : wanted, steps).lent();
        }
        // A run in which hardly anything was lent would prove nothing.
        assertThat(lent).isGreaterThan(wanted == null ? SEEDS * steps / 40 : 0);
    }

    @Test
    void repeatsWhatItDidWithTheSameSeed() throws InterruptedException {
        assertThat(run(7, STEPS)).isEqualTo(run(7, STEPS));
        assertThat(run(8, STEPS)).isNotEqualTo(run(7, STEPS));
    }

    @Test
    @Tag("thorough")
    void keepsItsPromisesUnderThousandsOfSeeds() throws InterruptedException {
        long base = Long.getLong("simulation.base", SEEDS + 1); // the same for all, so that a failure is the change's
        long most = Long.getLong("simulation.seeds", 3_000);
        long seeds = 0;
        for (; seeds < most; seeds++) {
            Outcome ignored = run(base + seeds, STEPS / 10);
        }
        Outcome longest = run(base + seeds, MANY_STEPS);
        System.out.println("simulation: " + seeds + " seeds from " + base + ", and " + longest);
    }

    /** The outcome of one seed. */
    record Outcome(long hash, long steps, long lent) {}

    static Outcome run(long seed, long steps) throws InterruptedException {
        SimulatedWorld world = new SimulatedWorld(seed);
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        long[] lent = {0};
        Thread thread = new SimulationThread(world, () -> {
            Simulation life = null;
            try {
                while (world.steps() < steps) {
                    life = new Simulation(world);
                    lent[0] += life.live(Math.min(steps - world.steps(), 2_000 + world.random.nextInt(20_000)));
                }
            } catch (Throwable e) {
                String pool = life == null ? "" : life.describe();
                failure.set(new AssertionError(
                        e.getMessage() + "\n  after " + world.steps() + " steps; repeat with -Dsimulation.seed=" + seed
                                + " -Dsimulation.steps=" + steps + "\n  the last events:\n    " + world.lastEvents()
                                + "\n  " + pool,
                        e));
            }
        });
        thread.start();
        thread.join();
        Throwable failed = failure.get();
        if (failed instanceof AssertionError error) {
            throw error;
        }
        return new Outcome(world.hash(), world.steps(), lent[0]);
    }
}
