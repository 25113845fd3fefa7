package dev.weir.internal.keeping;

import dev.weir.RetireReason;
import dev.weir.internal.shared.Holding;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.shared.PoolState.Phase;
import dev.weir.internal.shared.Starting;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.text.Log;
import dev.weir.internal.working.Job;
import dev.weir.internal.working.Workers;
import java.lang.System.Logger.Level;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The end of a pool, by close() or after a start that failed. Idle connections go now, and those in use get
 * closeTimeout to be returned. Then their running statements are cancelled, and they are aborted. Without the cancel a
 * statement would run on to its end: most servers notice no sooner that the connection is gone. The Keeper goes on
 * until no connection is left, however long a driver holds one.
 */
public final class Ending {
    /** The time that the end waits for what it cancels: a driver may have to connect for it. */
    private static final long CANCEL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The time that it waits for what was aborted, once everything is. */
    private static final long LAST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private enum End {
        NOT_BEGUN,
        RETURNING,
        CANCELLING,
        EXPELLED,
        ABORTED,
        OVER
    }

    private final PoolState pool;
    private final Starting starting;
    private final Retiring retiring;
    private final Workers workers;

    /** The thread that ends the pool was interrupted. */
    private volatile boolean hurried;

    /** Of the Keeper, for the thread that ends the pool. */
    private volatile List<String> expelled = List.of();

    // The Keeper's.
    private End end = End.NOT_BEGUN;
    private long dueNanos;
    private final List<Cancel> cancels = new ArrayList<>();

    public Ending(PoolState pool, Starting starting, Retiring retiring, Workers workers) {
        this.pool = pool;
        this.starting = starting;
        this.retiring = retiring;
        this.workers = workers;
    }

    /**
     * Ends the pool: waiters fail now, idle connections go now, those in use get closeTimeout to be returned and are
     * aborted then. Returns when no thread and no connection of the pool is left, or a second after the last abort if a
     * driver does not let go; and so for the failed starts before it. The second call does nothing.
     */
    public void close() {
        long begun = pool.now();
        Phase was = beginEnd();
        if (was != Phase.CLOSED) {
            awaitThreads();
            workers.sayAll();
        }
        if (was == Phase.STARTED) {
            long millis = TimeUnit.NANOSECONDS.toMillis(PoolClock.elapsed(pool.now(), begun));
            String holders = expelled.isEmpty() ? "" : ", of " + String.join(", ", expelled);
            Log.log(
                    Level.INFO,
                    "pool '" + pool.name() + "': closed in " + millis + " ms; aborted connections that were in use: "
                            + expelled.size() + holders);
        }
    }

    /** Nothing is lent any more, and the Keeper, if it began, ends the pool; returns the phase before. */
    public Phase beginEnd() {
        Phase was = pool.close();
        starting.refuseAll();
        if (was == Phase.NEW) {
            workers.shutDown();
            pool.ended.countDown();
        }
        pool.nudge();
        return was;
    }

    private void awaitThreads() {
        boolean interrupted = Thread.interrupted();
        if (interrupted) {
            hurry();
        }
        long most = pool.settings.closeTimeoutNanos() + CANCEL_NANOS + 2 * LAST_WAIT_NANOS;
        try {
            boolean ignored = pool.ended.await(most, TimeUnit.NANOSECONDS);
            for (PoolState failed : pool.failedStarts) {
                ignored = failed.ended.await(most, TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            interrupted = true;
            hurry();
        }
        try {
            boolean over = pool.ended.await(LAST_WAIT_NANOS + LAST_WAIT_NANOS / 2, TimeUnit.NANOSECONDS);
            boolean all = over && left() == 0;
            if (all) {
                starting.awaitKeeper(LAST_WAIT_NANOS);
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
    public void hurry() {
        hurried = true;
        pool.nudge();
    }

    /** The next step of the end, by the Keeper, once the pool is closed; returns when to look again. */
    long end(long now) {
        if (!pool.isClosed()) {
            return Long.MAX_VALUE;
        }
        starting.refuseAll(); // again: an Error may have cut off the thread that closed it
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
                        || cancels.stream().allMatch(Job::isOver)) { // also in a hurry: calls under way would run on
                    expelAll();
                    go(End.EXPELLED, now + LAST_WAIT_NANOS / 2);
                }
            }
            case EXPELLED -> {
                if (due || left() == 0) {
                    retiring.abortAll(now); // a close() may wait for another call of the driver, as a test
                    go(End.ABORTED, now + LAST_WAIT_NANOS / 2);
                }
            }
            case ABORTED -> {
                if (now >= dueNanos || left() == 0) {
                    int left = left();
                    if (left > 0) {
                        workers.say(() -> Log.log(
                                Level.WARNING,
                                "pool ''{0}'': closed, but {1} connections did not end",
                                pool.name(),
                                left));
                    }
                    go(End.OVER, Long.MAX_VALUE);
                    pool.ended.countDown();
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
    public boolean isOver() {
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
        public void call() {
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
            slot.noteTakenAway(RetireReason.CLOSED, null);
            if (slot.tryRetire(Slot.IN_USE)) {
                String name = holder == null ? "an unknown thread" : "thread '" + Holding.nameOf(holder) + "'";
                workers.say(() -> Log.log(
                        Level.WARNING,
                        "pool ''{0}'': closing; {1} is still in use and is aborted; it is held by {2}",
                        pool.name(),
                        slot,
                        name));
                holders.add(name);
            } else {
                boolean ignored = slot.tryRetire(Slot.RETURNING); // in a close() that hangs
            }
        }
        expelled = List.copyOf(holders);
        pool.nudge();
    }
}
