package dev.weir.lab.workload;

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;

/** Threads that begin in one moment and each do one piece of work, whose time is taken. */
public final class Crowd {
    /** Whether this JDK has virtual threads. */
    public static final boolean HAS_VIRTUAL = Runtime.version().feature() >= 21;

    private static final int STACK_BYTES = 256 * 1024;

    private Crowd() {}

    /** Makes a thread that keeps no JVM alive; a virtual one by reflection, as this is compiled for 17. */
    public static Thread thread(boolean virtual, String name, Runnable task) {
        if (virtual) {
            try {
                return (Thread) Class.forName("java.lang.Thread$Builder")
                        .getMethod("unstarted", Runnable.class)
                        .invoke(Thread.class.getMethod("ofVirtual").invoke(null), task);
            } catch (ReflectiveOperationException e) {
                throw new UnsupportedOperationException("virtual threads need JDK 21 or newer", e);
            }
        }
        Thread thread = new Thread(null, task, name, STACK_BYTES);
        thread.setDaemon(true);
        return thread;
    }

    /** The work of one thread. */
    @FunctionalInterface
    public interface Task {
        void run(int thread) throws Exception;
    }

    /**
     * Runs the work on so many threads at once.
     *
     * @return how long each thread took, in nanoseconds, from its own first step to its last
     * @throws IllegalStateException with the first failure as its cause, once all threads have ended
     */
    public static long[] run(int threads, Task task) throws InterruptedException {
        long[] nanos = new long[threads];
        CyclicBarrier together = new CyclicBarrier(threads);
        CountDownLatch done = new CountDownLatch(threads);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread[] crowd = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            int number = i;
            crowd[i] = thread(false, "crowd-" + i, () -> {
                try {
                    together.await();
                    long start = System.nanoTime();
                    task.run(number);
                    nanos[number] = System.nanoTime() - start;
                } catch (BrokenBarrierException e) {
                    // another thread tells why
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                } finally {
                    done.countDown();
                }
            });
        }
        for (Thread thread : crowd) {
            thread.start();
        }
        try {
            done.await();
        } catch (InterruptedException e) {
            for (Thread thread : crowd) {
                thread.interrupt();
            }
            throw e;
        }
        if (failure.get() != null) {
            throw new IllegalStateException("a thread failed", failure.get());
        }
        return nanos;
    }
}
