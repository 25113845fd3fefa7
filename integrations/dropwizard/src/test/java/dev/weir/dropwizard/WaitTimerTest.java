package dev.weir.dropwizard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.codahale.metrics.Clock;
import com.codahale.metrics.Snapshot;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a dashboard shows of the waits is the truth, however seldom it asks. */
class WaitTimerTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private long now = 42 * SECOND;
    private long acquires;
    private final Clock clock = new Clock() {
        @Override
        public long getTick() {
            return now;
        }

        @Override
        public long getTime() {
            return TimeUnit.NANOSECONDS.toMillis(now);
        }
    };
    private final WaitTimer timer = new WaitTimer(() -> acquires, clock);

    /** So many acquires a second, of which so many wait this long. */
    private void pass(int seconds, int perSecond, int waiting, long waitNanos) {
        for (int i = 0; i < seconds; i++) {
            now += SECOND;
            acquires += perSecond;
            for (int j = 0; j < waiting; j++) {
                timer.waited(waitNanos);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 7, 15, 60, 600})
    void aSteadyRateIsShownHoweverOftenItIsRead(int everySeconds) {
        for (int i = 0; i < 30; i++) {
            pass(everySeconds, 100, 0, 0);
            timer.getOneMinuteRate();
        }
        assertThat(timer.getOneMinuteRate()).isCloseTo(100, within(1.0));
        assertThat(timer.getFiveMinuteRate()).isCloseTo(100, within(1.0));
        assertThat(timer.getFifteenMinuteRate()).isCloseTo(100, within(1.0));
        assertThat(timer.getMeanRate()).isCloseTo(100, within(1e-6));
        assertThat(timer.getCount()).isEqualTo(3_000L * everySeconds);
    }

    @Test
    void anOlderRateCountsLess() {
        pass(60, 100, 0, 0);
        timer.getOneMinuteRate();
        pass(60, 0, 0, 0);
        assertThat(timer.getOneMinuteRate()).isCloseTo(100 * Math.exp(-1), within(0.1));
        assertThat(timer.getFiveMinuteRate()).isCloseTo(100 * Math.exp(-0.2), within(0.1));
    }

    @Test
    void nothingIsShownOfAPoolThatNobodyAsked() {
        pass(60, 0, 0, 0);
        assertThat(timer.getCount()).isZero();
        assertThat(timer.getMeanRate()).isZero();
        assertThat(timer.getOneMinuteRate()).isZero();
        assertThat(timer.getSnapshot().size()).isZero();
    }

    /** Where the rates of all and of those that wait are made anew at different moments, every tenth seems to be all. */
    @Test
    void aRiseOfTheLoadIsNotShownAsWaiting() {
        for (int minute = 0; minute < 60; minute++) {
            pass(60, 1, 0, 0);
            timer.getSnapshot();
        }
        pass(60, 1_000, 10, 200);
        Snapshot snapshot = timer.getSnapshot();
        assertThat(snapshot.getMedian()).isZero();
        assertThat(snapshot.get95thPercentile()).isZero();
        assertThat(snapshot.getValue(0.995)).isEqualTo(200);
        assertThat(snapshot.getMean()).isCloseTo(2, within(0.2));
    }

    @Test
    void waitsOfThisMorningAreForgotten() {
        pass(10, 100, 50, 3_000);
        timer.getSnapshot();
        for (int minute = 0; minute < 60; minute++) {
            pass(58, 1, 0, 0);
            pass(2, 1, 1, 5);
            timer.getSnapshot();
        }
        Snapshot snapshot = timer.getSnapshot();
        assertThat(snapshot.getValue(0.9)).isZero();
        assertThat(snapshot.get99thPercentile()).isEqualTo(5);
        assertThat(snapshot.get999thPercentile()).isEqualTo(5);
    }

    @Test
    void whereAllWaitThereIsNoWaitOfZero() {
        pass(10, 4, 4, 70);
        Snapshot snapshot = timer.getSnapshot();
        assertThat(snapshot.getMin()).isEqualTo(70);
        assertThat(snapshot.getMax()).isEqualTo(70);
    }
}
