package dev.weir.internal.keeping;

/**
 * The last second of a queue that does not go away: for how long at least so many waited, whether it falls or
 * rises, and whether anybody still comes. A queue that stood for a time will stand on, and the j-th connection more would have
 * spared the j-th waiter all of that time.
 *
 * <p>Part of {@link Sizer}: all fields are the Keeper's, times are readings of the pool's ticker. Between two
 * looks at the queue the lesser of the two lengths counts. The last second is forgotten evenly, by a factor of e.
 */
final class StandingQueue {
    /** So many waiters are tracked; of a longer queue no more count. */
    static final int LEVELS = 64;

    static final long MEMORY_NANOS = 1_000_000_000L;

    /** Over this time the length is averaged to see where it goes. */
    static final long TREND_NANOS = 50_000_000L;

    /** The average of a queue that grows steadily from nothing is less than this part of its length. */
    private static final double RISING = 0.6;

    /** A crowd that comes together has come in this time. */
    private static final long CROWD_NANOS = 10_000_000L;

    /** From arrivals in this time, and longer, one can tell how many come. */
    private static final long RATE_NANOS = 15_000_000L;

    /** A thread that joins looks too, so that a queue which stands is seen more often than this. */
    private static final long UNSEEN_NANOS = 3_000_000L;

    /** The Keeper looks every 100 ms at the latest: the events of a longer time are not known. */
    private static final long LONGEST_SPAN_NANOS = 100_000_000L;

    private final double[] stoodNanos = new double[LEVELS];
    private double meanLength;
    private int length;
    private long lentThen;
    private long seenAt;
    private long thereSince;

    /**
     * Two counts of all who ever came, so that the last of them rests on one to two times {@link #TREND_NANOS} / 2. A crowd
     * is in both: the threads of the queue are not among those that come to it.
     */
    private long olderTotal;

    private long olderAt;
    private long olderLent;
    private long youngerTotal;
    private long youngerLent;
    private long youngerAt;
    private long newest;

    /** So many wait now, and so many connections have been lent since the pool started. */
    void seen(int queued, long lent, long now) {
        long span = Math.max(0, now - seenAt);
        if (span >= UNSEEN_NANOS && lent - lentThen >= length) {
            length = 0; // all that waited then have been served, and their followers are unknown
        }
        lentThen = lent;
        int both = Math.min(queued, length);
        double keep = Math.exp(-span / (double) MEMORY_NANOS);
        double stood = Math.min(LONGEST_SPAN_NANOS, MEMORY_NANOS * (1 - keep));
        for (int i = 0; i < LEVELS; i++) {
            stoodNanos[i] = stoodNanos[i] * keep + (i < both ? stood : 0);
        }
        if (length == 0) {
            thereSince = now;
            meanLength = queued;
        }
        double keepMean = Math.exp(-span / (double) TREND_NANOS);
        meanLength = keepMean * meanLength + (1 - keepMean) * both;
        if (now - thereSince < CROWD_NANOS) {
            meanLength = Math.max(meanLength, queued); // it is where a queue begins
        }
        count(lent + queued, lent, now);
        length = queued;
        seenAt = now;
    }

    private void count(long total, long lent, long now) {
        long age = Math.max(0, now - youngerAt);
        if (length == 0 || now - thereSince < CROWD_NANOS || age >= 2 * TREND_NANOS) {
            olderTotal = youngerTotal = total;
            olderLent = youngerLent = lent;
            olderAt = youngerAt = now;
        } else if (age >= TREND_NANOS / 2) {
            olderTotal = youngerTotal;
            olderLent = youngerLent;
            olderAt = youngerAt;
            youngerTotal = total;
            youngerLent = lent;
            youngerAt = now;
        }
        newest = total;
    }

    /** One connection more: each waiter but one would have stood one place further ahead. */
    void joinedByConnection() {
        System.arraycopy(stoodNanos, 1, stoodNanos, 0, LEVELS - 1);
        stoodNanos[LEVELS - 1] = 0;
        meanLength = Math.max(0, meanLength - 1);
    }

    /** The number of threads that waited, at least, for so long of the last second. */
    int stood(double nanos) {
        int count = 0;
        while (count < LEVELS && stoodNanos[count] >= nanos) {
            count++;
        }
        return count;
    }

    /**
     * The number of threads that will still wait after this time if the queue goes on falling as it does. It is 0 as
     * long as it cannot be seen whether the queue falls.
     */
    double left(double nanos) {
        if (seenAt - thereSince < TREND_NANOS) {
            return 0;
        }
        return length - Math.max(0, meanLength - length) / TREND_NANOS * nanos;
    }

    boolean isRising() {
        return meanLength < RISING * length;
    }

    /**
     * The number of threads that come in a nanosecond, less a standard deviation, as seen lately and since the queue is
     * there. It is 0 as long as that is not long enough.
     */
    double comingPerNano() {
        double came = newest - olderTotal;
        double span = (double) seenAt - olderAt;
        return span < RATE_NANOS || came <= 0 ? 0 : (came - Math.sqrt(came)) / span;
    }

    /** Whether the queue does not fall although it is served, and threads kept coming for long enough to tell. */
    boolean isPressed() {
        return seenAt - olderAt >= RATE_NANOS && isFed() && lentThen > olderLent && length >= meanLength;
    }

    /** Whether anybody came since the queue is there, and lately. */
    boolean isFed() {
        return newest > olderTotal;
    }
}
