package dev.weir.internal.shared;

import dev.weir.internal.sessions.Failures;
import dev.weir.internal.shared.PoolState.Phase;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.sources.ConnectFailure;
import dev.weir.spi.FailureClass;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/**
 * The beginning of a pool: at the first acquire, or at {@link #start}, which waits for the outcome. The first acquire
 * waits in the queue by then, and so is handed the first connection there is. When time is up the Keeper decides it, or
 * the thread that is refused.
 *
 * <pre>
 *   NEW --begin--&gt; STARTING --+-- a connection was opened, or none is needed --&gt; STARTED
 *                             +-- trying again would not help, or time is up --&gt; FAILED
 *                             +-- close() ---------------------------------------&gt; CLOSED
 * </pre>
 *
 * <p>A pool that could not be started ends as one that is closed. The next start makes another, which may be configured anew,
 * and counts what is left of this one: see {@link PoolState#failedStarts}.
 */
public final class Starting {
    private final PoolState pool;
    private final Refusals refusals;

    /** The Keeper's, not yet started; set once when the pool is made. */
    @SuppressWarnings("NullAway.Init")
    private Thread keeper;

    private volatile long begunNanos;

    /** Whether the start fails when its time is up, although connects are under way: a caller waits for its outcome. */
    private volatile boolean strict;

    public Starting(PoolState pool, Refusals refusals) {
        this.pool = pool;
        this.refusals = refusals;
    }

    /** The thread to start when the pool begins. */
    public void keepBy(Thread thread) {
        keeper = thread;
    }

    /**
     * Starts the Keeper and the first connects, and waits for the first of them as initializationFailTimeout says.
     *
     * @throws SQLException if that time passed, or trying again would not help; the pool is closed then
     */
    public void start() throws SQLException {
        long now = pool.now();
        boolean mine = begin(now, true);
        long patience = patienceNanos();
        long due = now + (patience < 0 ? pool.settings.connectionTimeoutNanos() : patience);
        try {
            while (pool.phase.get() == Phase.STARTING) {
                long at = pool.now();
                long left = (mine ? decide(at) : due) - at;
                if (left <= 0) {
                    throw refusals.notStarted(PoolClock.elapsed(at, now));
                }
                boolean ignored = pool.startDecided.await(left, TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            SQLException interrupted = refusals.interrupted(PoolClock.elapsed(pool.now(), now));
            if (mine) {
                fail(pool.now());
            }
            throw interrupted;
        }
        if (pool.isClosed()) {
            throw refusals.closed();
        }
    }

    /**
     * Starts the Keeper, unless that was done: for a caller who waits in the queue since this time. Where the time to start
     * passes while connects are still under way, the start goes on until they end, so that those who come next wait for the
     * same ones.
     */
    public void begin(long sinceNanos) {
        if (pool.phase.get() == Phase.NEW) {
            begin(sinceNanos, false);
        }
    }

    private boolean begin(long sinceNanos, boolean strictly) {
        if (!pool.phase.compareAndSet(Phase.NEW, Phase.STARTING)) {
            return false;
        }
        begunNanos = sinceNanos;
        strict = strictly;
        try {
            pool.clock.tick(pool.now());
            keeper.start();
            pool.nudge();
            return true;
        } catch (Throwable e) { // no memory for a thread, say: the next caller begins anew
            try {
                fail(pool.now());
            } finally { // also where there is no stack for that
                boolean ignored = pool.phase.compareAndSet(Phase.STARTING, Phase.FAILED);
                pool.ended.countDown(); // there is nothing to end, and no Keeper
            }
            throw e;
        }
    }

    /** The time for which the first connection is waited for; at 0 for one try, which may hang. */
    private long patienceNanos() {
        long timeout = pool.settings.initializationFailTimeoutNanos();
        return timeout == 0 ? pool.settings.connectionTimeoutNanos() : timeout;
    }

    /** Decides what the start came to if that can be said by now; returns when to look again. */
    public long decide(long now) {
        if (pool.phase.get() != Phase.STARTING) {
            pool.startDecided.countDown(); // again: an Error may have cut off the thread that decided
            return Long.MAX_VALUE;
        }
        long timeout = pool.settings.initializationFailTimeoutNanos();
        long due = begunNanos + patienceNanos();
        if (due <= now) {
            due += workNanos(begunNanos, Math.min(now, pool.connects.firstStartedNanos) + patienceNanos(), now);
        }
        ConnectFailure failure = pool.connects.lastFailure;
        if (timeout < 0 || (timeout == 0 && (pool.connects.anyEnded || now >= due))) {
            boolean ignored = pool.decideStart(Phase.STARTED);
        } else if (timeout > 0 && failure != null && isForGood(failure)) {
            fail(now);
        } else if (now < due) {
            return due;
        } else if (strict || connectsEnded(due)) {
            fail(now);
        }
        return Long.MAX_VALUE; // decided, or the end of a connect decides
    }

    /**
     * The part of the time since then that was the pool's own work: until its first connect is handed to the driver.
     * Before that there is nothing to wait for. Classes are loaded and threads are made; a machine short of CPU can
     * make that long, and nobody is refused for it alone. It is waited for until {@code untilNanos}.
     */
    public long workNanos(long sinceNanos, long untilNanos, long now) {
        long begun = pool.connects.firstBegunNanos;
        boolean mayOpen = !pool.minimumSeen || pool.slots.opening() > 0;
        // One that has begun may have ended, with its connection on the way to a thread.
        long latest = mayOpen || begun < Long.MAX_VALUE ? Math.min(now, untilNanos) : sinceNanos;
        long first = Math.min(begun, latest);
        return Math.max(0, first - sinceNanos);
    }

    /** Whether the connects have ended that were started in time, or at first. */
    private boolean connectsEnded(long due) {
        long first = pool.connects.firstStartedNanos;
        return first < Long.MAX_VALUE && pool.connects.oldestConnectNanos >= Math.max(due, first + 1);
    }

    /** Trying again would not help: the credentials were refused, or the driver lacks what the settings ask of it. */
    private static boolean isForGood(ConnectFailure failure) {
        return failure.kind() == FailureClass.AUTHENTICATION
                || (failure.kind() == FailureClass.OTHER
                        && failure.cause() instanceof SQLException e
                        && Failures.isRefusal(e));
    }

    /** Refuses all waiters; the Keeper ends the pool, and refuses those whom an Error kept from being refused here. */
    private void fail(long now) {
        String counts = refusals.counts(); // before the end changes them
        pool.failedStart = new PoolState.FailedStart(PoolClock.elapsed(now, begunNanos), counts);
        if (pool.decideStart(Phase.FAILED)) {
            refuseAll();
        }
    }

    /** Ends the wait of all who wait now for a pool that is over. */
    public void refuseAll() {
        pool.queue.failAll(refusals::closed);
    }

    /** Waits for the end of the Keeper's thread. */
    public void awaitKeeper(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.timedJoin(keeper, nanos);
    }
}
