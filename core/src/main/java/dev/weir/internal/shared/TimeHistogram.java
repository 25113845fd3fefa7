package dev.weir.internal.shared;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

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

    public long[] counts() {
        long[] copy = new long[BUCKETS];
        Arrays.setAll(copy, counts::get);
        return copy;
    }
}
