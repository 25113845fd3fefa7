package dev.weir.soak;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A thread that means to wake every few milliseconds, and so learns by how much this machine is late with threads. */
final class Pulse implements AutoCloseable {
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Thread thread = new Thread(this::beat, "soak-pulse");
    private volatile boolean stopped;
    private volatile long lateNanos;
    private volatile long dueNanos = System.nanoTime() + PERIOD_NANOS;

    Pulse() {
        thread.setDaemon(true);
        thread.start();
    }

    private void beat() {
        while (!stopped) {
            LockSupport.parkNanos(dueNanos - System.nanoTime());
            long now = System.nanoTime();
            if (now >= dueNanos) {
                note(now);
            }
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    private void note(long now) {
        lateNanos += now - dueNanos;
        dueNanos = now + PERIOD_NANOS;
    }

    /** All the time so far that the thread came too late, now included; the difference of two readings is what was lost between. */
    long lateNanos() {
        return lateNanos + Math.max(0, System.nanoTime() - dueNanos);
    }

    @Override
    public void close() {
        stopped = true;
        LockSupport.unpark(thread);
    }
}
