package dev.weir.internal.engine;

import dev.weir.RetireReason;
import dev.weir.internal.drivers.ConnectFailure;
import dev.weir.internal.drivers.Failures;
import dev.weir.internal.drivers.TransactionState;
import dev.weir.internal.engine.PoolState.Phase;
import dev.weir.internal.handles.LoanHandle;
import dev.weir.internal.text.Log;
import dev.weir.internal.text.Redactor;
import dev.weir.internal.waiting.PoolClock;
import dev.weir.internal.waiting.Slot;
import dev.weir.spi.FailureClass;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * How a pool begins, and how it ends.
 *
 * <p>A pool begins at the first acquire, which waits in the queue by then and so is handed the first connection there
 * is, or at {@link #start}, which waits for the outcome.
 *
 * <pre>
 *   NEW --begin--&gt; STARTING --+-- a connection was opened, or none is needed --&gt; STARTED
 *                             +-- trying again would not help, or time is up --&gt; FAILED
 *                             +-- close() ---------------------------------------&gt; CLOSED
 * </pre>
 *
 * <p>At its end idle connections go now, and those in use get closeTimeout to come home. Then what still runs on them is
 * cancelled, since most servers would not notice that the connection is gone before it ends, and they are aborted. The
 * Keeper goes on until no connection is left, however long a driver holds one.
 */
public final class Life {
    /** How long the end waits for what it cancels: a driver may have to connect for it. */
    private static final long CANCEL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long it waits for what was aborted, once everything is. */
    private static final long LAST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

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

    private enum End {
        NOT_BEGUN,
        RETURNING,
        CANCELLING,
        EXPELLED,
        ABORTED,
        OVER
    }

    private final PoolState pool;
    private final Retiring retiring;
    private final Workers workers;
    private final Refusals refusals;
    /** The Keeper's, set once when the pool is made. */
    @SuppressWarnings("NullAway.Init")
    private Thread keeper;

    /** Counted down when the end is over. */
    private final CountDownLatch ended = new CountDownLatch(1);

    private volatile long begunNanos;

    /** Whether the start fails when its time is up, although connects are under way: a caller waits for its outcome. */
    private volatile boolean strict;

    /** The thread that ends the pool was interrupted. */
    private volatile boolean hurried;

    private volatile End end = End.NOT_BEGUN;

    // The Keeper's.
    private long dueNanos;
    private final List<Cancel> cancels = new ArrayList<>();
    private boolean observerRan;
    private volatile List<String> expelled = List.of();

    Life(PoolState pool, Retiring retiring, Workers workers, Refusals refusals) {
        this.pool = pool;
        this.retiring = retiring;
        this.workers = workers;
        this.refusals = refusals;
    }

    /** The thread to start when the pool begins. */
    void keepBy(Thread thread) {
        keeper = thread;
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
            while (pool.concluded.getCount() > 0) {
                long at = pool.now();
                long left = (mine ? conclude(at) : due) - at;
                if (left <= 0) {
                    throw refusals.notStarted(PoolClock.elapsed(at, now));
                }
                boolean ignored = pool.concluded.await(left, TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            SQLException interrupted = refusals.interrupted(PoolClock.elapsed(pool.now(), now));
            if (mine) {
                fail(pool.now());
            }
            throw interrupted;
        }
        if (pool.phase.get() != Phase.STARTED || pool.isClosed()) {
            throw refusals.closed();
        }
    }

    /**
     * Starts the Keeper, unless that was done: for a caller who waits in the queue since this time. Where the time to start
     * passes while connects are still under way, the start goes on until they end, so that those who come next wait for the
     * same ones.
     */
    void begin(long sinceNanos) {
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
            fail(pool.now());
            end = End.OVER; // there is nothing to end, and no Keeper
            ended.countDown();
            throw e;
        }
    }

    /** How long the first connection is waited for; at 0 for one try, which may hang. */
    private long patienceNanos() {
        long timeout = pool.settings.initializationFailTimeoutNanos();
        return timeout == 0 ? pool.settings.connectionTimeoutNanos() : timeout;
    }

    /** The next step of the start, by the Keeper; returns when to look again. */
    long look(long now) {
        long next = conclude(now);
        Runnable observer = pool.observer;
        if (observer != null && !observerRan && pool.phase.get() == Phase.STARTED) {
            observerRan = true;
            workers.executeSurely(observer);
        }
        return next;
    }

    /** Decides what the start came to if that can be said by now; returns when to look again. */
    long conclude(long now) {
        if (pool.phase.get() != Phase.STARTING) {
            return Long.MAX_VALUE;
        }
        long timeout = pool.settings.initializationFailTimeoutNanos();
        long due = begunNanos + patienceNanos();
        if (due <= now) {
            due += workNanos(begunNanos, Math.min(now, pool.firstBegunNanos) + patienceNanos(), now);
        }
        ConnectFailure failure = pool.lastFailure;
        if (timeout < 0 || (timeout == 0 && (pool.anyEnded || now >= due))) {
            boolean ignored = pool.conclude(Phase.STARTED);
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
     * nobody is refused for it alone. It is waited for until {@code untilNanos}.
     */
    long workNanos(long sinceNanos, long untilNanos, long now) {
        boolean mayOpen = !pool.filled || pool.slots.opening() > 0;
        long latest = mayOpen ? Math.min(now, untilNanos) : sinceNanos;
        long first = Math.min(pool.firstConnectNanos, latest);
        return Math.max(0, first - sinceNanos);
    }

    /** Whether the connects have ended that were started in time, or at first. */
    private boolean isOver(long due) {
        long first = pool.firstBegunNanos;
        return first < Long.MAX_VALUE && pool.oldestConnectNanos >= Math.max(due, first + 1);
    }

    /** Trying again would not help: who we are was refused, or the driver lacks what the settings ask of it. */
    private static boolean isForGood(ConnectFailure failure) {
        return failure.kind() == FailureClass.AUTHENTICATION
                || (failure.kind() == FailureClass.OTHER
                        && failure.cause() instanceof SQLException e
                        && Failures.isRefusal(e));
    }

    /** Refuses all waiters; the Keeper ends the pool. */
    private void fail(long now) {
        String counts = refusals.counts(); // before the end changes them
        pool.failedStart = new PoolState.FailedStart(PoolClock.elapsed(now, begunNanos), counts);
        if (!pool.conclude(Phase.FAILED)) {
            return;
        }
        pool.queue.failAll(refusals::closed);
        pool.nudge();
    }

    // -------------------------------------------------------------------- end

    /**
     * Ends the pool: waiters fail now, idle connections go now, those in use get closeTimeout to come home and are
     * aborted then. Returns when no thread and no connection of the pool is left, or a second after the last abort if a
     * driver does not let go. The second call does nothing.
     */
    void close() {
        long begun = pool.now();
        if (!beginEnd()) {
            return;
        }
        if (Thread.currentThread() != keeper) { // a log handler, say
            awaitThreads();
        }
        if (pool.phase.get() == Phase.STARTED) {
            long millis = TimeUnit.NANOSECONDS.toMillis(PoolClock.elapsed(pool.now(), begun));
            String holders = expelled.isEmpty() ? "" : ", of " + String.join(", ", expelled);
            Log.log(
                    Level.INFO,
                    "pool '" + pool.name() + "': closed in " + millis + " ms; aborted connections that were in use: "
                            + expelled.size() + holders);
        }
    }

    /** Nothing is lent any more, and the Keeper ends the pool; false if that was done, or it never began. */
    boolean beginEnd() {
        boolean neverBegan = pool.phase.compareAndSet(Phase.NEW, Phase.CLOSED);
        boolean mine = pool.conclude(Phase.CLOSED);
        if (!pool.close() && !mine) {
            return false;
        }
        pool.concluded.countDown();
        pool.queue.failAll(refusals::closed);
        if (neverBegan) {
            end = End.OVER;
            workers.shutDown();
            ended.countDown();
            return false;
        }
        pool.nudge();
        return true;
    }

    private void awaitThreads() {
        boolean interrupted = Thread.interrupted();
        if (interrupted) {
            hurry();
        }
        long most = pool.settings.closeTimeoutNanos() + CANCEL_NANOS + 2 * LAST_WAIT_NANOS;
        try {
            boolean ignored = ended.await(most, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            interrupted = true;
            hurry();
        }
        try {
            boolean over = ended.await(LAST_WAIT_NANOS + LAST_WAIT_NANOS / 2, TimeUnit.NANOSECONDS);
            boolean all = over && left() == 0;
            if (all) {
                keeper.join(TimeUnit.NANOSECONDS.toMillis(LAST_WAIT_NANOS));
            }
            if (!workers.awaitEnd(all ? LAST_WAIT_NANOS / 2 : 0)) {
                Log.log(Level.WARNING, "pool ''{0}'': closed, but a driver still blocks a worker thread", pool.name());
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Connections in use are not waited for any more. */
    void hurry() {
        hurried = true;
        pool.nudge();
    }

    /** Waits, within bounds, until the end is over. */
    void awaitEnd() {
        try {
            boolean ignored = ended.await(
                    pool.settings.closeTimeoutNanos() + CANCEL_NANOS + 2 * LAST_WAIT_NANOS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The next step of the end, by the Keeper, once the pool is closed; returns when to look again. */
    long end(long now) {
        if (!pool.isClosed()) {
            return Long.MAX_VALUE;
        }
        for (Slot slot : pool.slots.all()) {
            pool.condemn(slot, RetireReason.CLOSED);
        }
        End before;
        do {
            before = end;
            step(now);
        } while (end != before);
        return end == End.OVER ? Long.MAX_VALUE : dueNanos;
    }

    private void step(long now) {
        boolean due = now >= dueNanos || hurried;
        switch (end) {
            case NOT_BEGUN -> go(End.RETURNING, now + pool.settings.closeTimeoutNanos());
            case RETURNING -> {
                if (due || pool.slots.live() == 0) {
                    cancelRunning(now);
                    go(End.CANCELLING, now + CANCEL_NANOS);
                }
            }
            case CANCELLING -> {
                if (now >= dueNanos
                        || cancels.stream().allMatch(Job::isOver)) { // also in a hurry: what runs would run on
                    expelAll();
                    go(End.EXPELLED, now + LAST_WAIT_NANOS / 2);
                }
            }
            case EXPELLED -> {
                if (due || left() == 0) {
                    retiring.abortAll(now); // a driver whose close() waits for what it does, a test say, hears no more
                    go(End.ABORTED, now + LAST_WAIT_NANOS / 2);
                }
            }
            case ABORTED -> {
                if (now >= dueNanos || left() == 0) {
                    if (left() > 0) {
                        Log.log(
                                Level.WARNING,
                                "pool ''{0}'': closed, but {1} connections did not end",
                                pool.name(),
                                left());
                    }
                    go(End.OVER, Long.MAX_VALUE);
                    ended.countDown();
                }
            }
            case OVER -> {}
        }
    }

    private void go(End next, long due) {
        end = next;
        dueNanos = due;
    }

    private int left() {
        return pool.slots.unfinished();
    }

    /** Whether there is nothing left to do, ever; then the workers are told too. */
    boolean isOver() {
        boolean over = end == End.OVER && left() == 0;
        if (over) {
            workers.shutDown();
        }
        return over;
    }

    private void cancelRunning(long now) {
        for (Slot slot : pool.slots.all()) {
            Statement statement = slot.statement; // racy, of this loan or of one before: it may have ended by now
            if (statement != null && slot.state() == Slot.IN_USE) {
                Cancel cancel = new Cancel(pool, statement, now);
                cancels.add(cancel);
                workers.executeSurely(cancel);
            }
        }
    }

    /** One that hangs takes no time from the abort, which is all that ends it. */
    private static final class Cancel extends Job {
        private final Statement statement;

        Cancel(PoolState pool, Statement statement, long startedNanos) {
            super(pool, startedNanos);
            this.statement = statement;
        }

        @Override
        void work() {
            try {
                statement.cancel();
            } catch (Throwable e) {
                // It has ended, or the driver cannot: its connection is aborted next.
            }
        }
    }

    private void expelAll() {
        List<String> holders = new ArrayList<>();
        for (Slot slot : pool.slots.all()) {
            Thread holder = slot.holder;
            slot.breakOff();
            if (slot.tryRetire(Slot.IN_USE)) {
                String name = holder == null ? "an unknown thread" : "thread '" + holder.getName() + "'";
                Log.log(
                        Level.WARNING,
                        "pool ''{0}'': closing; {1} is still in use and is aborted; it is held by {2}",
                        pool.name(),
                        slot,
                        name);
                holders.add(name);
            } else {
                boolean ignored = slot.tryRetire(Slot.RETURNING); // in a close() that hangs
            }
        }
        expelled = List.copyOf(holders);
        pool.nudge();
    }
}
