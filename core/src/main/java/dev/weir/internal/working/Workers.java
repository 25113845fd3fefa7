package dev.weir.internal.working;

import dev.weir.internal.observing.SerialExecutor;
import dev.weir.internal.text.Log;
import java.lang.System.Logger.Level;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads of one pool: the Keeper's, and those of its jobs, on which every call runs that may block on the network, and
 * every listener and log handler that the Keeper would call. All are daemons named {@code weir-<pool>-...} without a context
 * class loader. Those that the pool makes have no group, rights or inherited thread locals of the application either; a
 * factory of the user's makes those of jobs instead, if there is one, and the pool those that it does not give. Those of jobs
 * end when they have had nothing to do for ten seconds.
 *
 * <p>Jobs are given by the Keeper, which bounds how many there are, and by other jobs: never by a user's thread, whose stack may be used up
 * in the middle of the executor. No job is lost: the executor throws if it has no thread for one, and a thread that ends
 * without having begun is replaced.
 */
public class Workers implements Executor {
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The pause between two looks at a thread that has not run its job yet. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final String prefix;
    private final @Nullable ThreadFactory factory;
    private final AtomicInteger count = new AtomicInteger();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final ExecutorService executor;

    /** Those whose thread has not run them yet. */
    private final Map<Worker, Thread> notBegun = new ConcurrentHashMap<>();

    private final SerialExecutor lines = new SerialExecutor();

    /** Jobs that no thread could be made for. The Keeper's. */
    private final Queue<Runnable> late = new ArrayDeque<>();

    public Workers(String poolName, @Nullable ThreadFactory factory) {
        prefix = "weir-" + poolName + "-";
        this.factory = factory;
        executor = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, REST_NANOS, TimeUnit.NANOSECONDS, new SynchronousQueue<>(), this::newWorker);
    }

    /** Runs a job on a thread that is used again. */
    @Override
    public void execute(Runnable job) {
        executor.execute(job);
    }

    /**
     * Has a line logged, after those before it: a log handler may hang, or borrow from the pool. Where there is no thread for
     * it, it is logged here.
     */
    public void say(Runnable line) {
        try {
            lines.execute(line, this);
        } catch (Throwable noThread) {
            lines.run();
        }
    }

    /** Logs here what is not logged yet, but for a line that a worker is at. */
    public void sayAll() {
        lines.run();
    }

    /** As {@link #execute}; where no thread can be made, {@link #startPending} tries again. By the Keeper. */
    public void executeSurely(Runnable job) {
        try {
            execute(job);
        } catch (Throwable noThread) {
            late.add(job);
        }
    }

    /** Gives threads to jobs that have none, or whose thread ended without a word; returns when to look again. By the Keeper. */
    public long startPending(long now) {
        notBegun.entrySet().removeIf(entry -> isBegunInstead(entry.getKey(), entry.getValue()));
        for (Runnable job = late.peek(); job != null; job = late.peek()) {
            execute(job);
            late.remove();
        }
        return notBegun.isEmpty() ? Long.MAX_VALUE : now + LOOK_NANOS;
    }

    private static boolean isBegunInstead(Worker worker, Thread given) {
        Thread.State state = given.getState();
        if (state == Thread.State.TERMINATED) {
            ownThread(worker, given.getName()).start();
        }
        return state == Thread.State.TERMINATED
                || state == Thread.State.NEW; // it could not be started, and that was told
    }

    /**
     * The thread of the Keeper, not yet started: the pool's own, so that nothing in a user's thread can end it. But a virtual
     * one if the factory makes such, since a thousand of them share a few carriers: not before JDK 24, where one that waits in
     * synchronized code keeps its carrier from all others, the Keeper among them.
     */
    public Thread newKeeper(Runnable keeper) {
        String name = prefix + "keeper";
        Thread tried = Runtime.version().feature() < 24 ? null : fromFactory(() -> {}, name);
        boolean virtual = tried != null && tried.getClass().getName().equals("java.lang.VirtualThread");
        Thread given = virtual ? fromFactory(keeper, name) : null;
        return given == null ? ownThread(keeper, name) : given;
    }

    private Thread newWorker(Runnable jobs) {
        Worker worker = new Worker(jobs);
        String name = prefix + "worker-" + count.incrementAndGet();
        Thread given = fromFactory(worker, name);
        Thread thread = given == null ? ownThread(worker, name) : given;
        notBegun.put(worker, thread);
        return thread;
    }

    /** The work of one thread, once: a factory may have started its thread, and another is made then. */
    private final class Worker implements Runnable {
        private final Runnable jobs;
        private final AtomicBoolean begun = new AtomicBoolean();

        Worker(Runnable jobs) {
            this.jobs = jobs;
        }

        @Override
        public void run() {
            if (!begun.compareAndSet(false, true)) {
                return;
            }
            threads.add(Thread.currentThread()); // first: the end waits for all that are in one of both
            notBegun.remove(this);
            try {
                jobs.run();
            } finally {
                threads.remove(Thread.currentThread());
            }
        }
    }

    /**
     * Of the uppermost group, and without the rights of the thread that makes it, which up to JDK 23 are kept with the new
     * thread: both may belong to an application, and the pool may outlive it.
     */
    @SuppressWarnings("removal") // there is no other way to leave the rights behind
    private static Thread ownThread(Runnable job, String name) {
        PrivilegedAction<Thread> made = () -> new Thread(uppermost(), job, name, 0, false);
        return claimed(AccessController.doPrivileged(made), name);
    }

    private static ThreadGroup uppermost() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        return group;
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
            say(() ->
                    Log.log(Level.WARNING, "the thread factory gave no new thread for {0}; the pool makes one", name));
        } catch (Throwable e) { // an Error of the user's code must not cost a place
            say(() -> Log.log(
                    Level.WARNING, "the thread factory threw for " + name + "; the pool makes a thread itself", e));
        }
        return null;
    }

    private static Thread claimed(Thread thread, String name) {
        thread.setDaemon(true);
        thread.setName(name);
        thread.setContextClassLoader(null);
        return thread;
    }

    /** No job is given any more. */
    public void shutDown() {
        executor.shutdown();
    }

    /** Waits for the threads to end; false if what is under way has not ended in this time. */
    public boolean awaitEnd(long nanos) throws InterruptedException {
        long deadline = System.nanoTime() + nanos;
        boolean ended = true;
        List<Thread> all = new ArrayList<>(notBegun.values());
        all.addAll(threads);
        for (Thread thread : all) {
            if (thread != Thread.currentThread()) {
                TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, deadline - System.nanoTime()));
                ended &= !thread.isAlive();
            }
        }
        return ended;
    }
}
