package dev.weir.internal.engine;

import dev.weir.LogCapture;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Real threads on a real pool, against the one thing that must be true among threads. */
class PoolRaceTest {
    private static final Duration RACE = Duration.ofSeconds(1);

    @Test
    void p1OneOwnerAmongThreads() {
        long seed = Long.getLong("weir.seed", 1);
        try (LogCapture log = new LogCapture()) {
            new PoolRace(seed, RACE).run();
        } catch (Throwable e) {
            throw new AssertionError("repeat with -Dweir.seed=" + seed + ": " + e, e);
        }
    }
}
