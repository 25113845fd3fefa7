package dev.weir.internal.engine;

import dev.weir.RetireReason;
import dev.weir.internal.drivers.ConnectFailure;
import dev.weir.internal.drivers.Failures;
import dev.weir.internal.drivers.TransactionState;
import dev.weir.internal.handles.LoanHandle;
import dev.weir.internal.text.Log;
import dev.weir.internal.text.Redactor;
import dev.weir.internal.waiting.Slot;
import dev.weir.spi.FailureClass;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * How a pool begins, and how it ends.
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
            Failures.class,
            FailureClass.class,
            TransactionState.class,
            RetireReason.class,
            Redactor.class,
            Log.class);

    static {
        try {
            for (Class<?> type : INITIALIZED_AT_START) {
                Class.forName(type.getName(), true, type.getClassLoader());
            }
        } catch (ClassNotFoundException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** How long close() waits for what was aborted, once everything is. */
    private static final long LAST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Is called with the outcome of the start, before a caller is served or refused. Must return at once. */
    public interface Observer {
        /** The pool lends. Called under a lock of the pool. */
        void started();

        /** The pool lends, and this is a helper's thread, which may take its time. */
        void running();

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
    private final Retirement retirement;
    private final IdleTester tester;
    private final Refusals refusals;
    private final HelperThreads helpers;
    private final @Nullable Observer observer;

    /** Counted down when the phase is neither NEW nor STARTING any more. */
    private final CountDownLatch concluded = new CountDownLatch(1);

    /** Counted down when the end is over. */
    private final CountDownLatch ended = new CountDownLatch(1);

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

    /** The threads in {@link #close}, to be unparked when something ends. */
    private volatile @Nullable Thread closer;

    /** The holders whose connections the end of the pool aborted; of the thread that ends it. */
    private final List<String> expelled = new ArrayList<>(0);

    Lifecycle(
            PoolState pool,
            Keeper keeper,
            Opener opener,
            Retirement retirement,
            IdleTester tester,
            Refusals refusals,
            HelperThreads helpers,
            @Nullable Observer observer) {
        this.pool = pool;
        this.keeper = keeper;
        this.opener = opener;
        this.retirement = retirement;
        this.tester = tester;
        this.refusals = refusals;
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
                    throw refusals.notStarted(at - now);
                }
                boolean ignored = concluded.await(left, TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            SQLException interrupted = refusals.interrupted(pool.now() - now);
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
                || (failure.cause() instanceof SQLException e && "0A000".equals(e.getSQLState()));
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
            helpers.execute(observer::running);
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
            pool.noteStartFailed(new PoolState.FailedStart(now - begunNanos, counts));
            phase = Phase.FAILED;
        }
        boolean mine = pool.close();
        concluded.countDown();
        if (!mine) {
            return;
        }
        pool.queue.failAll(refusals::closed);
        try {
            helpers.newThread("end", this::endPool).start();
        } catch (OutOfMemoryError noThread) {
            endPool();
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

    /** Something that close() may wait for came to its end. */
    void wakeCloser() {
        LockSupport.unpark(closer);
    }

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
        endPool();
        if (phase == Phase.STARTED) {
            long millis = TimeUnit.NANOSECONDS.toMillis(pool.now() - begun);
            String holders = expelled.isEmpty() ? "" : ", of " + String.join(", ", expelled);
            Log.log(
                    Level.INFO,
                    "pool '" + pool.name() + "': closed in " + millis + " ms; aborted connections that were in use: "
                            + expelled.size() + holders);
        }
    }

    /** Waits, within bounds, for the end of a pool whose start failed. */
    void awaitEnd() {
        try {
            if (closer != Thread.currentThread()) { // a listener that hears of the end
                ended.await(pool.settings.closeTimeoutNanos() + 2 * LAST_WAIT_NANOS, TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void endPool() {
        closer = Thread.currentThread();
        long now = pool.now();
        opener.shutDown(now);
        keeper.nudge(now); // it goes on until the end: what hangs or was cut off is its business
        for (Slot slot : pool.slots.all()) {
            retirement.condemn(slot, RetireReason.CLOSED);
        }
        tester.abandonAll();
        boolean interrupted = awaitEnd(now + pool.settings.closeTimeoutNanos(), false);
        for (Slot slot : pool.slots.all()) {
            expel(slot);
        }
        long deadline = pool.now() + (interrupted ? 0 : LAST_WAIT_NANOS);
        interrupted |= awaitEnd(deadline, true);
        keeper.stop();
        closer = null;
        interrupted |= endThreads(deadline);
        int left = pool.slots.live() + opener.unfinished();
        if (left > 0) {
            Log.log(Level.WARNING, "pool ''{0}'': closed, but {1} connections did not end", pool.name(), left);
        }
        ended.countDown();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Waits until no slot is left, nor anything that is being opened or closed; true if the thread was interrupted,
     * which ends the patience.
     */
    private boolean awaitEnd(long deadline, boolean unfinishedToo) {
        while (pool.slots.live() > 0 || (unfinishedToo && opener.unfinished() > 0)) {
            long left = deadline - pool.now();
            if (left <= 0) {
                return false;
            }
            LockSupport.parkNanos(this, left);
            if (Thread.interrupted()) {
                return true;
            }
        }
        return false;
    }

    private void expel(Slot slot) {
        Thread holder = slot.holder;
        if (retirement.expelHolder(slot)) {
            String name = holder == null ? "an unknown thread" : "thread '" + holder.getName() + "'";
            Log.log(
                    Level.WARNING,
                    "pool ''{0}'': closing; {1} is still in use and is aborted; it is held by {2}",
                    pool.name(),
                    slot,
                    name);
            expelled.add(name);
        } else if (slot.state() == Slot.RETURNING || slot.state() == Slot.CHECKING) {
            helpers.execute(() -> Closer.closeQuietly(slot.physical, true, pool.settings));
        }
    }

    private boolean endThreads(long deadline) {
        try {
            keeper.join(Math.max(0, deadline - pool.now()));
            if (!helpers.shutDown(Math.max(0, deadline - pool.now()))) {
                Log.log(Level.WARNING, "pool ''{0}'': closed, but a driver still blocks a helper thread", pool.name());
            }
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }
}
