package dev.weir.internal.shared;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.LongStream;

/**
 * How long something took: counts in {@value #BUCKETS} buckets, two for each power of two from 1 µs to about an hour, so that a
 * percentile is known within a third.
 *
 * <p>A thread adds after it was parked, and has taken the queue's lock at least twice by then, or after its loan was sampled: one
 * more atomic add on a word that others add to is the smaller part of either. A reading is no atomic snapshot; each count is exact,
 * and never falls.
 */
public final class TimeHistogram {
    static final int BUCKETS = 64;

    /** 2^10 ns, the first bound. */
    private static final int LEAST_POWER = 10;

    private final AtomicLongArray counts = new AtomicLongArray(BUCKETS);

    public void add(long nanos) {
        counts.getAndIncrement(bucket(nanos));
    }

    static int bucket(long nanos) {
        if (nanos < 1L << LEAST_POWER) { // a user's ticker that went back makes it negative
            return 0;
        }
        int power = 63 - Long.numberOfLeadingZeros(nanos);
        int upperHalf = (int) (nanos >>> (power - 1)) & 1;
        return Math.min(BUCKETS - 1, 2 * (power - LEAST_POWER) + upperHalf);
    }

    /** 99 of 100 took no longer: between the bounds of its bucket as if those in it were spread evenly. */
    static long p99(long[] counts) {
        double longer = LongStream.of(counts).sum() / 100.0;
        int i = BUCKETS - 1;
        while (i > 0 && counts[i] <= longer) {
            longer -= counts[i--];
        }
        return (long) (bound(i + 1) - (bound(i + 1) - bound(i)) * longer / counts[i]);
    }

    private static double bound(int i) {
        return Math.scalb(i % 2 == 0 ? 1.0 : 1.5, LEAST_POWER + i / 2);
    }

    public long[] counts() {
        long[] copy = new long[BUCKETS];
        Arrays.setAll(copy, counts::get);
        return copy;
    }
}
