package dev.weir;

import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads of one pool. Whatever may block on the network for the pool's own sake runs on one of these, so that a user's
 * thread waits for the pool and for nothing else. All are daemons named {@code weir-<pool>-...}, carry no class loader and no
 * inherited thread locals of the application, and end when they have had nothing to do for ten seconds. A factory of the
 * user's makes them instead, if there is one; it is called under no lock, and what it does not give the pool makes itself.
 */
class Helpers implements Executor {
    private static final System.Logger LOG = System.getLogger("dev.weir");

    private final String prefix;
    private final @Nullable ThreadFactory factory;
    private final AtomicInteger count = new AtomicInteger();
    private final ThreadPoolExecutor threads;

    Helpers(String poolName) {
        this(poolName, null);
    }

    Helpers(String poolName, @Nullable ThreadFactory factory) {
        prefix = "weir-" + poolName + "-";
        this.factory = factory;
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
        String name = prefix + kind + "-" + count.incrementAndGet();
        Thread thread = fromFactory(job, name);
        return thread != null ? thread : claimed(new Thread(null, job, name, 0, false), name);
    }

    private @Nullable Thread fromFactory(Runnable job, String name) {
        if (factory == null) {
            return null;
        }
        try {
            Thread thread = factory.newThread(job);
            if (thread != null && thread.getState() == Thread.State.NEW) {
                return claimed(thread, name);
            }
            LOG.log(Level.WARNING, "the thread factory gave no new thread for {0}; the pool makes one", name);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "the thread factory threw for " + name + "; the pool makes a thread itself", e);
        }
        return null;
    }

    private static Thread claimed(Thread thread, String name) {
        thread.setDaemon(true);
        thread.setName(name);
        thread.setContextClassLoader(null);
        return thread;
    }

    /** Takes no more work; false if what is under way has not ended in this time. */
    boolean shutDown(long waitNanos) throws InterruptedException {
        threads.shutdown();
        return threads.awaitTermination(waitNanos, TimeUnit.NANOSECONDS);
    }
}
