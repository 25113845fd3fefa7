package dev.weir.lab.workload;

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;

/** Threads that begin in one moment and each do one piece of work, whose time is taken. */
public final class Crowd {
    private static final int STACK_BYTES = 256 * 1024;

    private Crowd() {}

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
            crowd[i] = new Thread(
                    null,
                    () -> {
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
                    },
                    "crowd-" + i,
                    STACK_BYTES);
            crowd[i].setDaemon(true);
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
