package dev.weir.soak;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Lets users take their turns while it is open, and knows when none of them is at one. */
final class Gate {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by lock.
    private boolean open;
    private boolean over;
    private int inside;

    /** Waits until the gate is open; false if it never will be again. */
    boolean enter() {
        lock.lock();
        try {
            while (!open && !over) {
                changed.awaitUninterruptibly();
            }
            inside += over ? 0 : 1;
            return !over;
        } finally {
            lock.unlock();
        }
    }

    void leave() {
        lock.lock();
        try {
            inside--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void open() {
        lock.lock();
        try {
            open = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets nobody in any more; false if somebody is still inside after this time. */
    boolean shut(Duration limit) throws InterruptedException {
        lock.lock();
        try {
            open = false;
            long left = limit.toNanos();
            while (inside > 0 && left > 0) {
                left = changed.awaitNanos(left);
            }
            return inside == 0;
        } finally {
            lock.unlock();
        }
    }

    /** Sends everybody home. */
    void end() {
        lock.lock();
        try {
            over = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
