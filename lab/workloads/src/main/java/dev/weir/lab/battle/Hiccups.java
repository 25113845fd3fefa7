package dev.weir.lab.battle;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How late this JVM's threads run, whatever the pool does: a thread that means to sleep a millisecond at a time and notes how
 * much longer it took. Garbage collection, compilation and other programs show here, and are not the pool's.
 */
final class Hiccups implements AutoCloseable {
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Samples samples = new Samples();
    private final Thread thread = new Thread(this::run, "battle-hiccups");
    private volatile boolean over;

    Hiccups() {
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        while (!over) {
            long begun = System.nanoTime();
            LockSupport.parkNanos(this, PERIOD_NANOS);
            samples.add(begun, Math.max(0, System.nanoTime() - begun - PERIOD_NANOS));
        }
    }

    /** Ends the thread and returns what it saw. */
    Samples end() throws InterruptedException {
        over = true;
        thread.join();
        return samples;
    }

    @Override
    public void close() {
        over = true;
    }
}
