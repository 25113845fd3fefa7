package dev.weir.lab.workload.fair;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class FairTest {

    @Test
    void aWaitThatNeverEndsIsInThePercentiles() {
        Histogram completed = new Histogram(3);
        completed.recordValue(1_000);
        Histogram inFlight = new Histogram(3);
        inFlight.recordValue(3_000_000_000L);

        Histogram none = new Histogram(3);
        Sample sample = new Sample(3_000_000_000L, 1, completed, none, none, inFlight, List.of(1L, 0L), 1, 0, null);

        assertThat(sample.unserved()).isEqualTo(1);
        assertThat(sample.total()).isEqualTo(1);
        assertThat(sample.all().getMaxValue()).isGreaterThanOrEqualTo(3_000_000_000L);
    }

    @Test
    void busyWorkHasAboutTheAskedLength() {
        Work work = Work.busy(100_000);
        assertThat(work.steps()).isPositive();
        long fastest = Long.MAX_VALUE;
        long seed = 1;
        for (int i = 0; i < 50; i++) {
            long start = System.nanoTime();
            seed = work.perform(seed);
            fastest = Math.min(fastest, System.nanoTime() - start);
        }
        assertThat(seed).isNotZero();
        assertThat(fastest).isBetween(20_000L, 1_000_000L);
    }
}
