package dev.weir.internal.keeping;

import java.util.Arrays;

/**
 * When is one more connection worth opening: only if it comes soon enough to save the queue more waiting than it costs.
 *
 * <p>All fields are the Keeper's. No clock of its own; {@code now} is always a reading of the pool's ticker, and only differences of readings are used.
 *
 * <p>The rule, per connection, with N growing by each one granted:
 *
 * <pre>
 *   C      = smoothed time of a connect (50 ms until one was seen)
 *   price  = max(C, 50 ms): a connection is a process on the server, kept for idleTimeout, however quickly it opens
 *   s      = usual hold: smoothed holds of those who waited; unknown = what the head of the queue has waited
 *   mu     = sum over live connections of 1 / max(s, age of its hold)         holds ending per nanosecond
 *   q_C    = queued + lambda C - mu C                                         still queued when it would arrive
 *   open while  pending + opened &lt; min(queued, q_C)  and  q_C^2 S / (2 N (N+1)) &gt;= price,   S = live / mu
 * </pre>
 *
 * <p>A queue of q drained by N connections waits q^2 S / 2N in total; the left side is what the N+1st takes off that.
 * Summing rates instead of averaging ages keeps one long job, or a leak, from making every hold look long.
 *
 * <p>Knowledge of holds may be out of date, and always errs to the long side when short requests follow long ones.
 * Hence two guards: a smoothed hold not confirmed for {@value #FRESH_MILLIS} ms counts as unknown, and until the head
 * has waited 1/{@value #GRACE_DIVISOR} of the price the usual hold is taken as no longer than that wait. Short requests
 * end in that time and correct the figure; for long ones the delay is small beside the connect itself.
 *
 * <p><b>A standing queue.</b> The connect time is only measured by opening. If the first connects were slow (a cold
 * JVM, a throttled server) the rule forbids the very connect that would show it, and where waits are short it never
 * sees that they go on for ever. So there is a second rule, which asks not what a connect took but how long the queue
 * has been there, and waits for no more than a part of connectionTimeout:
 *
 * <pre>
 *   patience = min(price, connectionTimeout / 16)
 * the j-th is worth opening when for patience of the last second at least j waited, somebody still comes, and j would
 * still wait after a connect if the queue goes on falling as it falls now
 * </pre>
 *
 * <p>A connection that is opened once as much was waited as it costs is never worse than twice the best choice. The
 * second rule opens nothing while what the first rule opened is under way.
 *
 * <p><b>A queue that grows.</b> Lambda is the greater of two rates: that of the last one to two seconds, and that of the
 * last 15 to 50 ms since the queue is there, less the crowd that made it and a standard deviation. acquireIncrement is the
 * bound of connects under way, and doubles every {@value #SURGE_STEP_MILLIS} ms, to acquireSurge times, while it is
 * used up, the queue does not fall, loans end, no connect is later than twice the price, and the database is well.
 *
 * <p>Backstop, for what neither sees (a lone waiter behind a slow hold, a connect time that misleads): the head has
 * waited half of patience, or somebody waited {@value #PROBE_MILLIS} ms of the last second and would still wait, and
 * nothing is coming: then 1; when that has come and it is still so, 2; then 4 each time, and 4 at once if the queue
 * rises. Back to 1 when the queue was seen empty, or when the head joined after the last step had time to arrive. Its
 * connects measure the connect anew: a time under a quarter of the estimate replaces it, and so does any that comes
 * {@value #CONNECT_FRESH_MILLIS} ms after the last. Connects that have not ended in twice the patience count as hung
 * and no longer as coming.
 *
 * <p>Numbers and limits: docs/why/decisions/0002-opening-policy.md and 0015-growing-queues.md.
 */
final class Sizer {
    static final long FRESH_MILLIS = 1_000;
    static final int GRACE_DIVISOR = 8;
    static final long CONNECT_PRIOR_NANOS = 50_000_000L;
    static final long PRICE_FLOOR_NANOS = 50_000_000L;
    static final long PROBE_MILLIS = 50;
    static final long CONNECT_FRESH_MILLIS = 10_000;

    /** Nobody waits for longer than this part of connectionTimeout before a connection is opened. */
    static final int PATIENCE_DIVISOR = 16;

    private static final long PROBE_NANOS = PROBE_MILLIS * 1_000_000L;
    private static final long CONNECT_FRESH_NANOS = CONNECT_FRESH_MILLIS * 1_000_000L;
    private static final int CONNECT_CHANGE = 4;
    private static final long FRESH_NANOS = FRESH_MILLIS * 1_000_000L;
    private static final long SECOND_NANOS = 1_000_000_000L;
    static final long LOOK_MIN_NANOS = 1_000_000L;
    private static final long LOOK_MAX_NANOS = 100_000_000L;
    private static final int BACKSTOP_MAX = 4;

    static final long SURGE_STEP_MILLIS = 15;
    private static final long SURGE_STEP_NANOS = SURGE_STEP_MILLIS * 1_000_000L;

    /** The weight of the newest sample: quick enough to learn within the grace that holds have become short. */
    private static final double HOLD_WEIGHT = 0.2;

    private static final double CONNECT_WEIGHT = 0.25;

    private boolean connectKnown;
    private double connectNanos = CONNECT_PRIOR_NANOS;
    private long connectedAt;

    private boolean holdKnown;
    private double holdNanos;
    private long heldAt;

    /** Two counts of acquires, so that the rate always rests on one to two seconds. */
    private boolean arrivalsKnown;

    private long olderTotal;
    private long olderAt;
    private long youngerTotal;
    private long youngerAt;
    private long newestAt;
    private double arrivalsPerNano;

    private final StandingQueue standing = new StandingQueue();

    /** Connects under way when last asked, and since when it is as many. */
    private int lastPending;

    private long pendingSince;

    /** Whether the first rule opened what is under way. */
    private boolean foreseen;

    /** So many times acquireIncrement may be under way. */
    private int surge = 1;

    private int mostSurge = 1;

    private long surgedAt;
    private boolean answers;
    private long oldestNanos = Long.MAX_VALUE;

    private int backstopStep = 1;
    private boolean backstopUsed;
    private long backstopAt;

    private long[] ages = new long[64];
    private int agesSeen;

    /**
     * One connect succeeded and took this long. One that was given up teaches nothing: the time that it would have taken is
     * unknown.
     */
    void connected(long tookNanos, long now) {
        double took = Math.max(0, tookNanos);
        boolean expired = !connectKnown || elapsed(connectedAt, now) > CONNECT_FRESH_NANOS;
        boolean changed = took < connectNanos / CONNECT_CHANGE;
        connectNanos = expired || changed ? took : connectNanos + CONNECT_WEIGHT * (took - connectNanos);
        connectKnown = true;
        connectedAt = now;
        standing.joinedByConnection();
    }

    /**
     * So many wait, and the pool has lent so many connections since it started; said before each {@link #opensWanted},
     * and when no thread waits any more.
     */
    void waiting(int queued, long lent, long now) {
        standing.seen(queued, lent, now);
    }

    /**
     * The state of connects, said before each {@link #opensWanted}.
     *
     * @param well whether none has failed, and no connection died, lately
     * @param oldest since when the oldest of those under way is; Long.MAX_VALUE if none is
     * @param acquireSurge how many times acquireIncrement may be under way while the queue grows
     */
    void connects(boolean well, long oldest, int acquireSurge) {
        mostSurge = acquireSurge;
        surge = Math.min(surge, mostSurge);
        answers = well;
        oldestNanos = oldest;
    }

    /** The most connects that may be under way, as of the last {@link #opensWanted}. */
    int mostAtOnce(int acquireIncrement) {
        return acquireIncrement * surge;
    }

    /** One hold, of an acquire that had waited, ended after this long. */
    void loanEnded(long heldNanos, long now) {
        double held = Math.max(0, heldNanos);
        holdNanos = isHoldFresh(now) ? holdNanos + HOLD_WEIGHT * (held - holdNanos) : held;
        holdKnown = true;
        heldAt = now;
    }

    /**
     * The pool has lent this many connections since it started. Asked about every 100 ms while the pool is busy; a gap
     * of more than five seconds means that it slept, and counting starts afresh at a rate of zero, which the queue
     * itself corrects.
     */
    void arrivals(long totalAcquires, long now) {
        if (!arrivalsKnown || elapsed(newestAt, now) > 5 * SECOND_NANOS || totalAcquires < youngerTotal) {
            olderTotal = youngerTotal = totalAcquires;
            olderAt = youngerAt = now;
            arrivalsKnown = true;
        } else if (elapsed(youngerAt, now) >= SECOND_NANOS) {
            olderTotal = youngerTotal;
            olderAt = youngerAt;
            youngerTotal = totalAcquires;
            youngerAt = now;
        }
        newestAt = now;
        arrivalsPerNano = (totalAcquires - olderTotal) / (double) Math.max(SECOND_NANOS, elapsed(olderAt, now));
    }

    /**
     * One connection is in use, and has been for at least this long; said of each before {@link #opensWanted}, which
     * uses and forgets it. Never an age too long: that would look like a slow query.
     */
    void holding(long ageNanos) {
        if (agesSeen == ages.length) {
            ages = Arrays.copyOf(ages, 2 * ages.length);
        }
        ages[agesSeen++] = ageNanos;
    }

    /**
     * The number of connects to start now, never more than there are waiters. It is at most {@link #mostAtOnce} -
     * {@code pending}, and at most {@code limit - live - pending}. With no live connection the queue is served by
     * nothing, and as many as allowed start at once. Whether a failing server lets it open at all is the opener's
     * business.
     *
     * @param live connections that exist, in whatever state
     * @param pending connects under way
     * @param queued waiters
     * @param headSinceNanos when the first of them began to wait
     * @param timeoutNanos how long they wait at most
     */
    int opensWanted(
            long now,
            int live,
            int pending,
            int limit,
            int acquireIncrement,
            int queued,
            long headSinceNanos,
            long timeoutNanos) {
        int holds = Math.min(agesSeen, Math.max(0, live));
        agesSeen = 0;
        if (pending != lastPending) {
            lastPending = pending;
            pendingSince = now;
        }
        if (queued <= 0) {
            backstopStep = 1;
            return 0;
        }
        int room =
                (int) Math.min((long) atOnce(acquireIncrement, pending, now) - pending, (long) limit - live - pending);
        if (room <= 0) {
            return 0;
        }
        if (live <= 0) {
            return Math.min(room, Math.max(0, queued - pending));
        }
        long waited = elapsed(headSinceNanos, now);
        double bound = timeoutNanos / (double) PATIENCE_DIVISOR;
        double patience = Math.min(price(), bound);
        int coming = elapsed(pendingSince, now) < 2 * patience ? pending : 0;
        int worth = opensWorth(now, live, pending, room, queued, waited, holds);
        foreseen = worth > 0 || (foreseen && coming > 0);
        if (foreseen) {
            return worth;
        }
        double left = standing.left(Math.min(connectNanos, bound)); // a longer connect may be one of long ago
        worth = standing.isFed() ? Math.min(room, (int) Math.min(left, standing.stood(patience)) - coming) : 0;
        if (worth > 0 || coming > 0) {
            return Math.max(0, worth);
        }
        boolean stands = left >= 1 && (waited >= PROBE_NANOS || standing.stood(PROBE_NANOS) > 0);
        return stands || waited >= patience / 2 ? backstop(now, room, queued, headSinceNanos, stands) : 0;
    }

    /**
     * The most connects that may be under way: acquireIncrement, or up to acquireSurge times as many. It doubles each
     * {@value #SURGE_STEP_MILLIS} ms in which it was used up and threads came faster than they were served.
     */
    private int atOnce(int acquireIncrement, int pending, long now) {
        long late = 2 * (long) price();
        if (!answers || !standing.isPressed() || elapsed(oldestNanos, now) > late) {
            surge = 1;
        } else if (pending >= (long) acquireIncrement * surge
                && surge < mostSurge
                && elapsed(surgedAt, now) >= SURGE_STEP_NANOS) {
            surge = Math.min(mostSurge, 2 * surge);
            surgedAt = now;
        }
        return acquireIncrement * surge;
    }

    /** While anybody waits: when to ask again, given how long the head has waited. From 1 ms to 100 ms. */
    static long lookAgainNanos(long waitedNanos) {
        return Math.max(LOOK_MIN_NANOS, Math.min(LOOK_MAX_NANOS, waitedNanos / 8));
    }

    private int opensWorth(long now, int live, int pending, int room, int queued, long waited, int holds) {
        double perNano = releasesPerNano(usualHold(now, waited), live, holds);
        double coming = Math.max(arrivalRate(now), standing.comingPerNano());
        double left = queued + (coming - perNano) * connectNanos;
        double meanHold = live / perNano;
        double saved = left * left * meanHold / 2;
        double n = (double) live + pending;
        int opened = 0;
        double useful = Math.min(queued, left) - pending;
        while (opened < Math.min(room, useful) && saved >= price() * n * (n + 1)) {
            opened++;
            n++;
        }
        return opened;
    }

    private double releasesPerNano(double usualHold, int live, int holds) {
        double perNano = (live - holds) / usualHold;
        for (int i = 0; i < holds; i++) {
            perNano += 1 / Math.max(usualHold, (double) ages[i]);
        }
        return perNano;
    }

    /** The likely length of the holds of those now queued; at least 1 ns. */
    private double usualHold(long now, long waited) {
        boolean trusted = isHoldFresh(now) && (holdNanos <= waited || waited >= price() / GRACE_DIVISOR);
        return Math.max(1, trusted ? holdNanos : waited);
    }

    private int backstop(long now, int room, int queued, long headSinceNanos, boolean stands) {
        if (stands && standing.isRising()) {
            backstopStep = BACKSTOP_MAX;
        }
        if (backstopUsed && headSinceNanos - backstopAt > connectNanos) {
            backstopStep = 1;
        }
        int opens = Math.min(Math.min(room, queued), backstopStep);
        backstopStep = Math.min(BACKSTOP_MAX, 2 * backstopStep);
        backstopUsed = true;
        backstopAt = now;
        return opens;
    }

    private double price() {
        return Math.max(connectNanos, PRICE_FLOOR_NANOS);
    }

    private boolean isHoldFresh(long now) {
        return holdKnown && elapsed(heldAt, now) <= FRESH_NANOS;
    }

    private double arrivalRate(long now) {
        return arrivalsKnown && elapsed(newestAt, now) <= 2 * SECOND_NANOS ? arrivalsPerNano : 0;
    }

    /** Readings of the ticker may wrap, and those of two threads may come in the wrong order. */
    private static long elapsed(long from, long to) {
        return Math.max(0, to - from);
    }
}
