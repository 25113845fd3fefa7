package dev.weir.internal.engine;

import dev.weir.internal.settings.Settings;
import dev.weir.internal.waiting.PoolClock;
import dev.weir.internal.waiting.Slots;
import dev.weir.internal.waiting.WaitQueue;
import org.jspecify.annotations.Nullable;

/**
 * The ground of every part of a pool: its settings, clock, slots and queue; and whether it lends: it may be suspended for a
 * time, and closed for good. While it does not lend nothing is fresh for its clock, so that every acquire takes the slow
 * path and meets the reason there, and its queue serves no thread.
 */
final class PoolState {
    /**
     * A start that failed.
     *
     * @param afterNanos how long it took
     * @param counts the counts of the pool at its end
     */
    record FailedStart(long afterNanos, String counts) {}

    final Settings settings;
    final PoolClock clock;
    final Slots slots;
    final WaitQueue queue;

    /** Orders suspend, resume and close among themselves. */
    private final Object lock = new Object();

    // Written under the lock.
    private volatile boolean suspended;
    private volatile boolean closed;

    /** Written before it is closed for that. */
    private volatile @Nullable FailedStart failedStart;

    PoolState(Settings settings, PoolClock clock, Slots slots, WaitQueue queue) {
        this.settings = settings;
        this.clock = clock;
        this.slots = slots;
        this.queue = queue;
    }

    String name() {
        return settings.poolName();
    }

    long now() {
        return clock.now();
    }

    boolean isSuspended() {
        return suspended;
    }

    boolean isClosed() {
        return closed;
    }

    boolean isLending() {
        return !suspended && !closed;
    }

    /** From now on nothing is lent; false if the pool was closed already. */
    boolean close() {
        synchronized (lock) {
            if (closed) {
                return false;
            }
            closed = true;
            queue.pause(true);
            clock.bar(true);
            return true;
        }
    }

    /** The start that failed; null if it did not. */
    @Nullable
    FailedStart failedStart() {
        return failedStart;
    }

    /** The start failed: the pool is about to be closed. */
    void noteStartFailed(FailedStart failed) {
        failedStart = failed;
    }

    void suspend() {
        synchronized (lock) {
            suspended = true;
            queue.pause(true);
            clock.bar(true);
        }
    }

    /** Lends again; false if the pool is closed. */
    boolean resume() {
        synchronized (lock) {
            if (closed) {
                return false;
            }
            suspended = false;
            clock.bar(false);
            queue.pause(false);
            return true;
        }
    }
}
