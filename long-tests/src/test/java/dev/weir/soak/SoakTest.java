package dev.weir.soak;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * All promises at once, under everything that can go wrong, for as long as {@code -Dsoak.minutes} says. The seed is printed;
 * {@code -Dsoak.seed} draws the same settings, troubles and deeds again, though not the same interleaving.
 */
@Tag("thorough")
final class SoakTest {
    private static final Duration SPARE = Duration.ofMinutes(3);

    @Test
    void moneyPlacesThreadsSocketsAndHeapAreAsTheyShouldWhateverHappens() throws Exception {
        Duration time =
                Duration.ofMillis((long) (60_000 * Double.parseDouble(System.getProperty("weir.soak.minutes", "1"))));
        String given = System.getProperty("weir.soak.seed", "");
        long seed = given.isEmpty() ? System.nanoTime() : Long.parseLong(given);
        System.out.printf("soak for %d s, -Dsoak.seed=%d%n", time.toSeconds(), seed);
        try (Soak soak = new Soak(seed)) {
            Throwable[] failure = new Throwable[1];
            Thread thread = new Thread(
                    () -> {
                        try {
                            soak.run(time);
                        } catch (Throwable e) {
                            failure[0] = e;
                        }
                    },
                    "soak-operator");
            thread.setDaemon(true);
            thread.start();
            thread.join(time.plus(SPARE).toMillis());
            if (thread.isAlive()) {
                soak.history.fail("the soak hangs", null);
                soak.history.check();
            }
            System.out.println("soak: " + soak.summary());
            if (failure[0] != null) {
                throw new AssertionError("soak with -Dsoak.seed=" + seed + ": " + failure[0].getMessage(), failure[0]);
            }
        }
    }
}
