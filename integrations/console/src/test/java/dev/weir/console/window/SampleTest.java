package dev.weir.console.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class SampleTest {

    private static Sample sample(long upMillis, long acquired, long timedOut, int bucket, long waits) {
        List<Long> counts = new ArrayList<>(Collections.nCopies(64, 0L));
        counts.set(bucket, waits);
        return new Sample(upMillis, 0, 0, acquired, timedOut, 5, 0, 0, counts, counts);
    }

    @Test
    void ratesAreOfTheTimeBetween() {
        PoolView.Rates rates = sample(3_000, 500, 3, 0, 0).since(sample(1_000, 100, 1, 0, 0));
        assertThat(rates.seconds()).isEqualTo(2);
        assertThat(rates.acquired()).isEqualTo(200);
        assertThat(rates.timedOut()).isEqualTo(2);
    }

    /** Bucket 26 is of waits from 2^23 ns on, 8.4 ms, to one and a half times that. */
    @Test
    void percentilesAreOfAllAcquiresAndNotOnlyOfThoseThatWaited() {
        Sample before = sample(1_000, 100, 0, 26, 10);
        PoolView.Waits times =
                Objects.requireNonNull(sample(2_000, 300, 0, 26, 20).waitsSince(before));
        assertThat(times.waitedPercent()).isEqualTo(5);
        assertThat(times.p50()).isZero();
        assertThat(times.p99()).isBetween(8.388608, 12.582912);

        times = Objects.requireNonNull(sample(2_000, 100, 10, 26, 20).waitsSince(before)); // all timed out
        assertThat(times.waitedPercent()).isEqualTo(100);
        assertThat(times.p50()).isCloseTo(10.5, within(0.1));

        assertThat(sample(2_000, 100, 0, 26, 10).waitsSince(before)).isNull();
    }

    /** Of a thousand waits in the first bucket the 50 % lie at the begin of it. */
    @Test
    void shortestWaitsAreOfAMicrosecondAndNotOfParts() {
        PoolView.Waits times =
                Objects.requireNonNull(sample(2_000, 2_000, 0, 0, 1_001).waitsSince(sample(1_000, 0, 0, 0, 0)));
        assertThat(times.p50()).isBetween(0.001, 0.0011);
        assertThat(times.p99()).isBetween(0.0014, 0.0016);
    }

    @Test
    void percentilesOfUseAreOfTheLoansThatWereSampled() {
        Sample before = sample(1_000, 100, 0, 26, 10);
        PoolView.Uses times =
                Objects.requireNonNull(sample(2_000, 300, 0, 26, 20).usesSince(before));
        assertThat(times.p50()).isCloseTo(10.5, within(0.1));
        assertThat(times.p99()).isCloseTo(12.5, within(0.1));
        assertThat(sample(2_000, 300, 0, 26, 10).usesSince(before)).isNull();
    }

    @Test
    void anotherPoolOfTheNameIsNotCountedOn() {
        Sample before = sample(1_000, 100, 0, 0, 0);
        assertThat(sample(2_000, 100, 0, 0, 0).follows(before)).isTrue();
        assertThat(sample(2_000, 99, 0, 0, 0).follows(before)).isFalse();
        assertThat(sample(500, 100, 0, 0, 0).follows(before)).isFalse();
        assertThat(sample(2_000, 0, 0, 0, 0).follows(sample(1_000, 0, 5, 0, 0))).isFalse(); // it lent nothing before
        Sample failed = new Sample(1_000, 0, 0, 0, 0, 0, 7, 0, before.waits(), before.uses());
        assertThat(new Sample(2_000, 0, 0, 0, 0, 0, 1, 0, before.waits(), before.uses()).follows(failed))
                .isFalse();
        Sample retired = new Sample(1_000, 0, 0, 0, 0, 3, 0, 3, before.waits(), before.uses());
        assertThat(new Sample(2_000, 0, 0, 0, 0, 3, 0, 0, before.waits(), before.uses()).follows(retired))
                .isFalse();
        Sample used = sample(1_000, 100, 0, 26, 10);
        assertThat(sample(2_000, 300, 0, 26, 10).follows(used)).isTrue();
        assertThat(sample(2_000, 300, 0, 30, 20).follows(used)).isFalse();
    }

    /** Of two applications in one JVM, whose pools are in JMX under one name, one after the other. */
    @Test
    void poolOfANewerWeirIsNotCountedOnOneThatDidNotTellTimesOfUse() {
        Sample older = new Sample(1_000, 0, 0, 100, 0, 5, 0, 0, Collections.nCopies(64, 0L), List.of());
        Sample newer = sample(2_000, 300, 0, 0, 0);
        assertThat(newer.follows(older)).isFalse();
        assertThat(older.usesSince(older)).isNull();
    }

    @Test
    void aJvmHasAPoolIfItHasLoadedItsClass() {
        String answers = """
                4711:
                java.lang.Object/null
                |--dev.weir.DataSourceBean/0x00007fbee80a8ba0
                |  |  |--dev.weir.WeirDataSource/0x00007fbee80a8ba0
                |  |  |--dev.weir.WeirDataSource/0x00007fbee80a8bff
                815:
                Command executed successfully
                77:
                com.sun.tools.attach.AttachNotSupportedException: Unable to open socket file
                """;
        assertThat(Jvms.idsIn(answers)).containsExactly(4711L);
    }
}
