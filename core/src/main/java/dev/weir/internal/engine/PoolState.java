package dev.weir.internal.engine;

import dev.weir.internal.waiting.PoolClock;
import dev.weir.internal.waiting.WaitQueue;

/**
 * Whether the pool lends: it may be suspended for a time, and closed for good. While it does not lend nothing is fresh
 * for its clock, so that every acquire takes the slow path and meets the reason there, and its queue serves no thread.
 */
final class PoolState {
    private final PoolClock clock;
    private final WaitQueue queue;

    /** Orders suspend, resume and close among themselves. */
    private final Object lock = new Object();

    // Written under the lock.
    private volatile boolean suspended;
    private volatile boolean closed;

    /** Written before it is closed for that. */
    private volatile long startFailedAfterNanos = -1;

    PoolState(PoolClock clock, WaitQueue queue) {
        this.clock = clock;
        this.queue = queue;
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

    /** How long the start took that failed; -1 if it did not. */
    long startFailedAfterNanos() {
        return startFailedAfterNanos;
    }

    /** The start failed after so long: the pool is about to be closed. */
    void noteStartFailed(long afterNanos) {
        startFailedAfterNanos = afterNanos;
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
