package dev.weir.internal.engine;

import dev.weir.internal.settings.Settings;
import dev.weir.internal.waiting.Slot;
import dev.weir.internal.waiting.Slots;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that no user's close() waits for the network for ever: what it rolls back, resets and closes has returnTimeout.
 *
 * <p>A return costs no clock: the Keeper notes when it first saw one, so that the time is exact to its tick, and never too
 * short. No return is missed: its owner moves the word and then reads whether the clock goes, and wakes the Keeper if not; a
 * Keeper that lets the clock rest does so before it looks here.
 *
 * <p>Another thread may be inside the driver, on this connection, for as long as it likes: a query, or the wait for a
 * notification. The driver's lock keeps the return out then. Nobody has a use for a connection that is being closed, so a
 * return that waits for a lock after a second is cut off at once.
 */
final class ReturnWatch {
    private static final long LOCKED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Settings settings;
    private final Slots slots;
    private final Retirement retirement;

    ReturnWatch(Settings settings, Slots slots, Retirement retirement) {
        this.settings = settings;
        this.slots = slots;
        this.retirement = retirement;
    }

    /** Cuts off the returns that hang; returns when the next would be due. By the Keeper. */
    long look(long now) {
        long next = Long.MAX_VALUE;
        for (Slot slot : slots.all()) {
            long word = slot.wordVolatile();
            if (Slot.stateOf(word) != Slot.RETURNING || !Slot.isHeld(word)) {
                slot.returningStamp = -1;
                continue;
            }
            long stamp = word >>> Slot.STAMP_SHIFT;
            if (slot.returningStamp != stamp) {
                slot.returningStamp = stamp;
                slot.returningSinceNanos = now;
            }
            long due = slot.returningSinceNanos + settings.returnTimeoutNanos();
            long lockedDue = slot.returningSinceNanos + LOCKED_NANOS;
            boolean locked = lockedDue <= now && waitsForLock(slot.holder);
            if (locked || due <= now) {
                retirement.cutOffReturn(slot, word, slot.returningSinceNanos, locked);
            } else {
                next = Math.min(next, Math.min(due, Math.max(lockedDue, now + LOCKED_NANOS)));
            }
        }
        return next;
    }

    /** Not for an answer: who waits for that is in a system call, or parked by something that is no lock. */
    private static boolean waitsForLock(@Nullable Thread thread) {
        if (thread == null) {
            return false;
        }
        Object blocker = LockSupport.getBlocker(thread);
        return thread.getState() == Thread.State.BLOCKED
                || (blocker != null && blocker.getClass().getEnclosingClass() == ReentrantLock.class);
    }
}
