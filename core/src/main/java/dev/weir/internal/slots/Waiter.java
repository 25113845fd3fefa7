package dev.weir.internal.slots;

import java.sql.SQLException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One thread in the {@link WaitQueue}; used for one acquire. */
public class Waiter {
    final Thread thread;
    public final long sinceNanos;

    /** The deadline that it came with. */
    public final long firstDeadlineNanos;

    // Its own thread's.
    public long deadlineNanos; // may be put off: see Acquiring.putOff

    /** It told what it needs, and parks unless it finds a slot now. */
    public boolean asked;

    /** The slot that it got, by itself or from others. */
    public @Nullable Slot found;

    /** The outcome: a slot that was handed over, or a supplier of the failure to throw. Written once, under the queue's lock. */
    public volatile @Nullable Object outcome;

    /** The thread left by an Error, and may still stand in the queue: it is to be passed over. */
    public volatile boolean gone;

    // Guarded by the queue's lock.
    @Nullable
    Waiter previous;

    @Nullable
    Waiter next;

    public boolean queued;

    /** Woken to compete, and not yet back at the queue; also read by the waiter without the lock. */
    public volatile boolean woken;

    /** Found woken by {@link WaitQueue#tidy} once already: an Error may have kept it from being unparked. */
    boolean slow;

    /** The next of those in {@code WaitQueue.notUnparked}. */
    @Nullable
    Waiter nextNotUnparked;

    /** At this progress of the queue the waiter has been passed over as often as it has to bear. */
    long dueAt;

    public Waiter(Thread thread, long sinceNanos, long deadlineNanos) {
        this.thread = thread;
        this.sinceNanos = sinceNanos;
        this.firstDeadlineNanos = deadlineNanos;
        this.deadlineNanos = deadlineNanos;
    }

    /** The thread, which is not to be kept. */
    public Thread thread() {
        return thread;
    }

    /** Has its thread look again. */
    protected void unpark() {
        LockSupport.unpark(thread);
    }

    /** The slot that was handed over, already in use by this waiter's thread; null if there is none yet. */
    public @Nullable Slot granted() throws SQLException {
        Object o = outcome;
        if (o == null) {
            return null;
        }
        if (o instanceof Slot slot) {
            return slot;
        }
        throw (SQLException) ((Supplier<?>) o).get();
    }
}
