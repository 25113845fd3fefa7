package dev.weir;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of one pool. Whatever may block on the network for the pool's own sake runs on one of these, so that a user's
 * thread waits for the pool and for nothing else. All are daemons named {@code weir-<pool>-...}, carry no class loader and no
 * inherited thread locals of the application, and end when they have had nothing to do for ten seconds.
 */
class Helpers implements Executor {
    private final String prefix;
    private final AtomicInteger count = new AtomicInteger();
    private final ThreadPoolExecutor threads;

    Helpers(String poolName) {
        prefix = "weir-" + poolName + "-";
        threads = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), job -> newThread("helper", job));
    }

    /**
     * Runs short work (a test, a close) on a thread that is used again; on this one if the pool has shut its helpers down, or
     * no thread is to be had: late is better than never.
     */
    @Override
    public void execute(Runnable job) {
        try {
            threads.execute(job);
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            job.run();
        }
    }

    /** A thread of its own for this work, not yet started. */
    Thread newThread(String kind, Runnable job) {
        Thread thread = new Thread(null, job, prefix + kind + "-" + count.incrementAndGet(), 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
        return thread;
    }

    /** Takes no more work; false if what is under way has not ended in this time. */
    boolean shutDown(long waitNanos) throws InterruptedException {
        threads.shutdown();
        return threads.awaitTermination(waitNanos, TimeUnit.NANOSECONDS);
    }
}
