package dev.weir.lab.workload.spike;

import dev.weir.lab.workload.Crowd;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** The ways in which requests come to a {@link Scene}. */
final class Requests {
    /** So many requests can be on their way at a time; those that come while all are wait for a thread, and are counted so. */
    private static final int WORKERS = 1_000;

    private static final int SEED = 20_261_122;

    private final Scene scene;

    Requests(Scene scene) {
        this.scene = scene;
    }

    /** One request after the other: a pool that gives back late must not grow by it. */
    void inTurn(int number) {
        for (int i = 0; i < number; i++) {
            scene.request(System.nanoTime());
        }
    }

    /** One request of each thread, all in one moment; returns how long it took until the last was done, in nanoseconds. */
    long atOnce(int threads) throws InterruptedException {
        AtomicLong start = new AtomicLong();
        AtomicLong end = new AtomicLong();
        CyclicBarrier together = new CyclicBarrier(threads, () -> start.set(System.nanoTime()));
        Crowd.run(threads, thread -> {
            together.await();
            scene.request(System.nanoTime());
            end.accumulateAndGet(System.nanoTime(), Math::max);
        });
        return end.get() - start.get();
    }

    /**
     * Requests that come by themselves, at random but each time the same, whether those before them are served or not.
     *
     * @param lengthNanos how long they keep coming
     * @param gapNanos the mean time from one to the next
     * @return how long it took until the last was done, in nanoseconds
     */
    long arriving(long lengthNanos, long gapNanos) throws InterruptedException {
        long[] arrivals = arrivals(lengthNanos, gapNanos);
        AtomicInteger next = new AtomicInteger();
        AtomicLong start = new AtomicLong();
        AtomicLong end = new AtomicLong();
        int workers = Math.min(WORKERS, arrivals.length);
        CyclicBarrier together = new CyclicBarrier(workers, () -> start.set(System.nanoTime()));
        Crowd.run(workers, thread -> {
            together.await();
            for (int i = next.getAndIncrement(); i < arrivals.length; i = next.getAndIncrement()) {
                long due = start.get() + arrivals[i];
                await(due);
                scene.request(due);
                end.accumulateAndGet(System.nanoTime(), Math::max);
            }
        });
        return end.get() - start.get();
    }

    private static long[] arrivals(long lengthNanos, long gapNanos) {
        SplittableRandom random = new SplittableRandom(SEED);
        long[] arrivals = new long[(int) Math.min(10_000_000, 2 * lengthNanos / gapNanos + 100)];
        int count = 0;
        double at = 0;
        while (at < lengthNanos && count < arrivals.length) {
            arrivals[count++] = (long) at;
            at -= gapNanos * Math.log(1 - random.nextDouble());
        }
        return Arrays.copyOf(arrivals, count);
    }

    private static void await(long due) {
        long left = due - System.nanoTime();
        while (left > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(left);
            left = due - System.nanoTime();
        }
    }
}
