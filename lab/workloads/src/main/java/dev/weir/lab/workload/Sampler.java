package dev.weir.lab.workload;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Looks at something again and again, at fixed moments, from a thread of its own, until it is closed. Thread-safe. */
public final class Sampler<T> implements AutoCloseable {
    private final Callable<T> look;
    private final long periodNanos;
    private final Thread thread;

    /** Guarded by this. */
    private final List<Sample<T>> samples = new ArrayList<>();

    private volatile boolean over;
    private volatile @Nullable Exception failure;

    /**
     * A value at a time.
     *
     * @param nanos of System.nanoTime()
     */
    public record Sample<T>(long nanos, T value) {}

    /** Begins. */
    public Sampler(String name, Duration period, Callable<T> look) {
        this.look = look;
        this.periodNanos = period.toNanos();
        this.thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        long next = System.nanoTime();
        try {
            while (!over) {
                Sample<T> sample = new Sample<>(System.nanoTime(), look.call());
                synchronized (this) {
                    samples.add(sample);
                }
                next += periodNanos;
                for (long left = next - System.nanoTime(); left > 0 && !over; left = next - System.nanoTime()) {
                    LockSupport.parkNanos(this, left);
                }
            }
        } catch (Exception e) {
            failure = e;
        }
    }

    /** Returns the samples so far, in order. */
    public synchronized List<Sample<T>> soFar() {
        return List.copyOf(samples);
    }

    /**
     * Stops looking, and returns the samples, in order.
     *
     * @throws IllegalStateException if it could not look to the end
     */
    public List<Sample<T>> end() throws InterruptedException {
        close();
        thread.join();
        if (failure != null) {
            throw new IllegalStateException(thread.getName(), failure);
        }
        return soFar();
    }

    @Override
    public void close() {
        over = true;
        LockSupport.unpark(thread);
    }
}
