package dev.weir.lab.workload.failover;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

/** Looks at a number every few milliseconds, until it is closed. */
final class Sampler implements AutoCloseable {
    private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final IntSupplier number;
    private final Thread thread = new Thread(this::look, "failover-sampler");

    /** Guarded by this. */
    private final List<Sample> samples = new ArrayList<>();

    private volatile boolean over;

    /** The number at a time. */
    record Sample(long nanos, int number) {}

    Sampler(IntSupplier number) {
        this.number = number;
        thread.setDaemon(true);
        thread.start();
    }

    private void look() {
        while (!over) {
            Sample sample = new Sample(System.nanoTime(), number.getAsInt());
            synchronized (this) {
                samples.add(sample);
            }
            LockSupport.parkNanos(this, EVERY_NANOS);
        }
    }

    /** What was seen so far, in order. */
    synchronized List<Sample> soFar() {
        return List.copyOf(samples);
    }

    @Override
    public void close() {
        over = true;
        LockSupport.unpark(thread);
    }
}
