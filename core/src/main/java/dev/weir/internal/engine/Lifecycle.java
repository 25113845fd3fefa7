package dev.weir.internal.engine;

import dev.weir.RetireReason;
import dev.weir.internal.drivers.ConnectFailure;
import dev.weir.internal.drivers.Failures;
import dev.weir.internal.drivers.TransactionState;
import dev.weir.internal.handles.LoanHandle;
import dev.weir.internal.text.Log;
import dev.weir.internal.text.Redactor;
import dev.weir.internal.waiting.PoolClock;
import dev.weir.spi.FailureClass;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How a pool begins, and when it ends; how it ends is the {@link Shutdown}'s business.
 *
 * <p>A pool begins at the first acquire, which waits in the queue by then and so is handed the first connection there
 * is, or at {@link #start}, which waits for the outcome. The outcome of the start is decided once, by the thread that
 * first sees that it can be said: who opened a connection, who failed to, who ran out of time, the Keeper.
 *
 * <pre>
 *   NEW --begin--&gt; STARTING --+-- a connection was opened, or none is needed --&gt; STARTED
 *                             +-- trying again would not help, or time is up --&gt; FAILED
 *                             +-- close() ---------------------------------------&gt; CLOSED
 * </pre>
 */
public final class Lifecycle {
    /**
     * Classes with an initializer, which a user's thread might be the first to need. One that fails for want of stack
     * or memory fails for as long as the JVM lives; so they are initialized when the first pool starts.
     */
    private static final List<Class<?>> INITIALIZED_AT_START = List.of(
            LoanHandle.class,
            Events.class,
            Failures.class,
            FailureClass.class,
            TransactionState.class,
            RetireReason.class,
            Redactor.class);

    static {
        try {
            for (Class<?> type : INITIALIZED_AT_START) {
                Class.forName(type.getName(), true, type.getClassLoader());
            }
        } catch (ClassNotFoundException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Is called with the outcome of the start, before a caller is served or refused. Must return at once. */
    public interface Observer extends Runnable {
        /** The pool lends. Called under a lock of the pool. */
        void started();

        /** The pool lends, and this is a helper's thread, which may take its time. */
        @Override
        void run();

        /** The pool has ended. Called under a lock of the pool. */
        void startFailed();
    }

    private enum Phase {
        NEW,
        STARTING,
        STARTED,
        FAILED,
        CLOSED
    }

    private final PoolState pool;
    private final Keeper keeper;
    private final Opener opener;
    private final Refusals refusals;
    private final Shutdown shutdown;
    private final HelperThreads helpers;
    private final @Nullable Observer observer;

    /** Counted down when the phase is neither NEW nor STARTING any more. */
    private final CountDownLatch concluded = new CountDownLatch(1);

    /** Guards the phase and what belongs to it; before the lock of the observer, and no other. */
    private final Object lock = new Object();

    // Written under the lock.
    private volatile Phase phase = Phase.NEW;
    private volatile long begunNanos;

    /** Whether the start fails when its time is up, although connects are under way: a caller waits for its outcome. */
    private volatile boolean strict;

    /** When the first connects were started; those are waited for even where time was up by then. */
    private volatile long connectsNanos = Long.MAX_VALUE;

    private volatile boolean connectEnded;
    private volatile boolean connectionOpened;

    Lifecycle(
            PoolState pool,
            Keeper keeper,
            Opener opener,
            Refusals refusals,
            Shutdown shutdown,
            HelperThreads helpers,
            @Nullable Observer observer) {
        this.pool = pool;
        this.keeper = keeper;
        this.opener = opener;
        this.refusals = refusals;
        this.shutdown = shutdown;
        this.helpers = helpers;
        this.observer = observer;
    }

    // ------------------------------------------------------------------ start

    /**
     * Starts the Keeper and the first connects, and waits for the first of them as initializationFailTimeout says.
     *
     * @throws SQLException if that time passed, or trying again would not help; the pool is closed then
     */
    void start() throws SQLException {
        long now = pool.now();
        boolean mine = begin(now, true);
        long due = now + patienceNanos();
        try {
            while (phase == Phase.STARTING) {
                long at = pool.now();
                long left = (mine ? conclude(at) : due) - at;
                if (left <= 0) {
                    throw refusals.notStarted(PoolClock.elapsed(at, now));
                }
                boolean ignored = concluded.await(left, TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            SQLException interrupted = refusals.interrupted(PoolClock.elapsed(pool.now(), now));
            if (mine) {
                fail(pool.now());
            }
            throw interrupted;
        }
        if (phase != Phase.STARTED || pool.isClosed()) {
            throw refusals.closed();
        }
    }

    /**
     * Starts the Keeper and the first connects, unless that was done: for a caller who waits in the queue since this
     * time. Where the time to start passes while connects are still under way, the start goes on until they end, so
     * that those who come next wait for the same ones.
     */
    void begin(long sinceNanos) {
        if (phase == Phase.NEW) {
            begin(sinceNanos, false);
        }
    }

    private boolean begin(long sinceNanos, boolean strictly) {
        synchronized (lock) {
            if (phase != Phase.NEW) {
                return false;
            }
            begunNanos = sinceNanos;
            strict = strictly;
            phase = Phase.STARTING;
        }
        try {
            keeper.start();
            if (pool.settings.initializationFailTimeoutNanos() >= 0) {
                long now = pool.now();
                pool.clock.tick(now);
                opener.fillTo(Math.max(1, pool.settings.minimumPoolSize()), now);
                connectsNanos = now;
            }
            keeper.nudge(conclude(pool.now()));
            return true;
        } catch (Throwable e) { // no memory for a thread, say: who asks next begins anew
            fail(pool.now());
            throw e;
        }
    }

    /** How long the first connection is waited for; at 0 for one try, which may hang. */
    private long patienceNanos() {
        long timeout = pool.settings.initializationFailTimeoutNanos();
        return timeout == 0 ? pool.settings.connectionTimeoutNanos() : timeout;
    }

    /** Decides what the start came to if that can be said by now; returns when to look again. */
    long conclude(long now) {
        if (phase != Phase.STARTING) {
            return Long.MAX_VALUE;
        }
        long timeout = pool.settings.initializationFailTimeoutNanos();
        long due = begunNanos + patienceNanos();
        if (due <= now) {
            due += workNanos(begunNanos, Math.min(now, connectsNanos) + patienceNanos(), now);
        }
        ConnectFailure failure = opener.lastFailure();
        if (connectionOpened || timeout < 0 || (timeout == 0 && (connectEnded || now >= due))) {
            succeed();
        } else if (timeout > 0 && failure != null && isForGood(failure)) {
            fail(now);
        } else if (now < due) {
            return due;
        } else if (strict || isOver(due)) {
            fail(now);
        }
        return Long.MAX_VALUE; // decided, or the end of a connect decides
    }

    /**
     * How much of the time since then was the pool's own work: until its first connect was handed to the driver there
     * is nothing to wait for. Classes are loaded and threads are made; a machine short of CPU can make that long, and
     * nobody is refused for it alone. Its thread is waited for until {@code untilNanos}.
     */
    long workNanos(long sinceNanos, long untilNanos, long now) {
        long first = opener.firstConnectNanos();
        if (first == Long.MAX_VALUE) {
            first = opener.opening() > 0 ? Math.min(now, untilNanos) : sinceNanos;
        }
        return Math.max(0, first - sinceNanos);
    }

    /** Whether the connects have ended that were started in time, or at first. */
    private boolean isOver(long due) {
        long first = connectsNanos;
        return first < Long.MAX_VALUE && opener.oldestSinceNanos() >= Math.max(due, first + 1);
    }

    /** Trying again would not help: who we are was refused, or the driver lacks what the settings ask of it. */
    private static boolean isForGood(ConnectFailure failure) {
        return failure.kind() == FailureClass.AUTHENTICATION
                || (failure.kind() == FailureClass.OTHER
                        && failure.cause() instanceof SQLException e
                        && Failures.isRefusal(e));
    }

    private void succeed() {
        synchronized (lock) {
            if (phase != Phase.STARTING) {
                return;
            }
            if (observer != null) {
                observer.started();
            }
            phase = Phase.STARTED;
        }
        concluded.countDown();
        if (observer != null) {
            helpers.execute(observer);
        }
    }

    /** Refuses all waiters, and ends the pool on a thread of its own: a driver may hold that up. */
    private void fail(long now) {
        String counts = refusals.counts(); // before the end changes them
        synchronized (lock) {
            if (phase != Phase.STARTING) {
                return;
            }
            if (observer != null) {
                observer.startFailed();
            }
            pool.noteStartFailed(new PoolState.FailedStart(PoolClock.elapsed(now, begunNanos), counts));
            phase = Phase.FAILED;
        }
        boolean mine = pool.close();
        concluded.countDown();
        if (!mine) {
            return;
        }
        pool.queue.failAll(refusals::closed);
        try {
            helpers.newThread("end", shutdown::endPool).start();
        } catch (OutOfMemoryError noThread) {
            List<String> ignored = shutdown.endPool();
        }
    }

    /** Whether the start waits for the first connection, perhaps with no thread in the queue. */
    boolean startWaits() {
        return phase == Phase.STARTING && pool.settings.initializationFailTimeoutNanos() > 0;
    }

    /** A connect ended, one way or the other. */
    void connectEnded() {
        connectEnded = true;
        conclude(pool.now());
    }

    void connectionOpened() {
        connectionOpened = true;
        conclude(pool.now());
    }

    // -------------------------------------------------------------------- end

    /**
     * Ends the pool: waiters fail now, idle connections go now, those in use get closeTimeout to come home and are
     * aborted then. Returns when no thread and no connection of the pool is left, or a second after the last abort if a
     * driver does not let go. The second call does nothing.
     */
    void close() {
        if (!pool.close()) {
            return;
        }
        synchronized (lock) {
            if (phase == Phase.NEW || phase == Phase.STARTING) {
                phase = Phase.CLOSED;
            }
        }
        long begun = pool.now();
        concluded.countDown();
        pool.queue.failAll(refusals::closed);
        List<String> aborted = shutdown.endPool();
        if (phase == Phase.STARTED) {
            long millis = TimeUnit.NANOSECONDS.toMillis(PoolClock.elapsed(pool.now(), begun));
            String holders = aborted.isEmpty() ? "" : ", of " + String.join(", ", aborted);
            Log.log(
                    Level.INFO,
                    "pool '" + pool.name() + "': closed in " + millis + " ms; aborted connections that were in use: "
                            + aborted.size() + holders);
        }
    }
}
