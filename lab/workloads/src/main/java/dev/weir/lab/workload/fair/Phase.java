package dev.weir.lab.workload.fair;

import java.util.concurrent.CountDownLatch;

/** Where a load is: starting, warming up, measured, over. All its threads begin together. */
final class Phase {
    private final CountDownLatch ready;
    private final CountDownLatch go = new CountDownLatch(1);
    private volatile boolean measured;
    private volatile boolean over;

    Phase(int threads) {
        ready = new CountDownLatch(threads);
    }

    /** A thread is ready; returns when all are. */
    void arrive() {
        ready.countDown();
        try {
            go.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void begin() throws InterruptedException {
        ready.await();
        go.countDown();
    }

    void measure() {
        measured = true;
    }

    /** The measurement ends, yet the load goes on. */
    void freeze() {
        measured = false;
    }

    void end() {
        over = true;
        go.countDown();
    }

    boolean isMeasured() {
        return measured;
    }

    boolean isOver() {
        return over;
    }
}
