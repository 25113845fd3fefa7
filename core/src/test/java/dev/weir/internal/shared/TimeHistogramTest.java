package dev.weir.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TimeHistogramTest {
    /** In nanoseconds, as {@code PoolMXBean.getWaits()} promises. */
    private static long bound(int i) {
        return (1L << (10 + i / 2)) + (i % 2 == 0 ? 0 : 1L << (9 + i / 2));
    }

    @Test
    void eachBucketBeginsWhereItIsSaidTo() {
        for (int i = 1; i < TimeHistogram.BUCKETS; i++) {
            assertThat(TimeHistogram.bucket(bound(i))).isEqualTo(i);
            assertThat(TimeHistogram.bucket(bound(i) - 1)).isEqualTo(i - 1);
        }
    }

    @Test
    void theP99IsSpreadOverItsBucket() {
        long[] counts = new long[TimeHistogram.BUCKETS];
        counts[20] = 980; // up to 1.57 ms
        counts[30] = 20;
        assertThat(TimeHistogram.p99(counts)).isEqualTo((bound(30) + bound(31)) / 2);
        counts[30] = 5;
        counts[20] = 495;
        assertThat(TimeHistogram.p99(counts)).isEqualTo(bound(21));
    }

    @Test
    void theFirstAndTheLastHaveNoOtherBound() {
        TimeHistogram times = new TimeHistogram();
        LongStream.of(-1, 0, 1, 1023, Long.MAX_VALUE, TimeUnit.DAYS.toNanos(1)).forEach(times::add);
        assertThat(times.counts()[0]).isEqualTo(4);
        assertThat(times.counts()[TimeHistogram.BUCKETS - 1]).isEqualTo(2);
        assertThat(LongStream.of(times.counts()).sum()).isEqualTo(6);
    }
}
