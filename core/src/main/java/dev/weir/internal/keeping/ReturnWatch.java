package dev.weir.internal.keeping;

import dev.weir.RetireReason;
import dev.weir.internal.shared.Faults;
import dev.weir.internal.shared.Holding;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.slots.SeenLoan;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.text.Log;
import dev.weir.internal.working.Workers;
import java.lang.System.Logger.Level;
import java.sql.SQLTimeoutException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that no user's close() waits for the network for ever: its rollback, reset and closing have returnTimeout.
 *
 * <p>A return costs no clock: the Keeper notes when it first saw one, so that the time is exact to its tick, and never too
 * short. No return is missed: its owner moves the word and then reads whether the clock goes, and wakes the Keeper if not; a
 * Keeper that lets the clock rest does so before it looks here.
 *
 * <p>Another thread may be inside the driver, on this connection, for as long as it likes: a query, or the wait for a
 * notification. The driver's lock keeps the return out then. Nobody has a use for a connection that is being closed, so a
 * return that waits for a lock after a second is cut off at once.
 */
public final class ReturnWatch {
    private static final long LOCKED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PoolState pool;
    private final Faults faults;
    private final Workers workers;

    public ReturnWatch(PoolState pool, Faults faults, Workers workers) {
        this.pool = pool;
        this.faults = faults;
        this.workers = workers;
    }

    /** Cuts off the returns that hang; returns when the next would be due. By the Keeper. */
    long cutOffOverdue(long now) {
        long next = Long.MAX_VALUE;
        for (Slot slot : pool.slots.all()) {
            long word = slot.wordVolatile();
            SeenLoan loan = Slot.stateOf(word) == Slot.RETURNING ? slot.see(word, now) : null;
            if (loan == null) {
                continue;
            }
            long since = loan.returningSince(now);
            long due = since + pool.settings.returnTimeoutNanos();
            long lockedDue = since + LOCKED_NANOS;
            boolean locked = lockedDue <= now && waitsForLock(slot.holder);
            if (locked || due <= now) {
                cutOff(slot, word, since, locked);
            } else {
                next = Math.min(next, Math.min(due, Math.max(lockedDue, now + LOCKED_NANOS)));
            }
        }
        return next;
    }

    /** The connection is taken from its return and aborted, which ends what it hangs in. */
    private void cutOff(Slot slot, long returning, long sinceNanos, boolean locked) {
        if (!slot.tryRetireFrom(returning)) {
            return;
        }
        String why = locked
                ? "another thread is inside its driver, and holds the lock"
                : "returnTimeout: " + TimeUnit.NANOSECONDS.toMillis(pool.settings.returnTimeoutNanos()) + " ms";
        String message = "was not cleaned within "
                + TimeUnit.NANOSECONDS.toMillis(PoolClock.elapsed(pool.now(), sinceNanos)) + " ms (" + why + ")";
        slot.noteTakenAway(RetireReason.UNCLEAN, new SQLTimeoutException(message, "08006"));
        if (!locked && !pool.isClosed()) { // the lock says nothing of the server
            faults.suspectUsedBefore(sinceNanos);
        }
        Thread holder = slot.holder;
        workers.say(() -> Log.log(
                Level.WARNING,
                "pool ''{0}'': {1} {2} and is aborted; it is in close() of thread ''{3}''",
                pool.name(),
                slot,
                message,
                holder == null ? "?" : Holding.nameOf(holder)));
    }

    /**
     * Whether it waits for a lock, and not for an answer. For an answer it is in a system call, or parked by something
     * that is no lock.
     */
    private static boolean waitsForLock(@Nullable Thread thread) {
        if (thread == null) {
            return false;
        }
        Object blocker = LockSupport.getBlocker(thread);
        return thread.getState() == Thread.State.BLOCKED
                || (blocker != null && blocker.getClass().getEnclosingClass() == ReentrantLock.class);
    }
}
