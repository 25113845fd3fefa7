package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.LogCapture;
import java.time.Duration;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Thousands of operations in random order, first one at a time against a model of what must be true, then by several threads
 * against the one thing that must be true among threads. A failure tells its seed; {@code -Dweir.seed=...} repeats it.
 */
class PoolModelTest {
    private static final int STEPS = 3_000;
    private static final Duration RACE = Duration.ofSeconds(1);

    static LongStream seeds() {
        Long wanted = Long.getLong("weir.seed");
        return wanted != null ? LongStream.of(wanted) : LongStream.of(1);
    }

    static LongStream randomSeeds() {
        return new Random().longs(6);
    }

    @ParameterizedTest
    @MethodSource("randomSeeds")
    @Tag("thorough")
    void doesWhatTheModelSaysWithAnySeed(long seed) {
        doesWhatTheModelSays(seed);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void doesWhatTheModelSays(long seed) {
        try (LogCapture log = new LogCapture();
                PoolModel model = new PoolModel(seed)) {
            for (int i = 0; i < STEPS; i++) {
                model.step();
            }
            model.quiesce();
            // A run in which hardly anything could be acquired would prove nothing.
            assertThat(model.acquired()).isGreaterThan(STEPS / 20);
            model.end();
        } catch (Throwable e) {
            throw new AssertionError("repeat with -Dweir.seed=" + seed + "\n" + e, e);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void p1OneOwnerAmongThreads(long seed) {
        try (LogCapture log = new LogCapture()) {
            new PoolRace(seed, RACE).run();
        } catch (Throwable e) {
            throw new AssertionError("seed " + seed + ": " + e, e);
        }
    }
}
