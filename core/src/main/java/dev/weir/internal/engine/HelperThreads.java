package dev.weir.internal.engine;

import dev.weir.internal.text.Log;
import java.lang.System.Logger.Level;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The threads of one pool. Every call of the pool that may block on the network runs on one of these, so that a user's
 * thread waits for the pool and for nothing else. All are daemons named {@code weir-<pool>-...}, carry no class loader,
 * group, rights or inherited thread locals of the application, and end when they have had nothing to do for ten seconds. A
 * factory of the user's makes them instead, if there is one; it is called under no lock, and what it does not give the
 * pool makes itself.
 *
 * <p><b>How many.</b> A connect has a thread of its own. Tests and closes share {@link #AT_ONCE} threads, in the order
 * of the cores, since most of their time they wait for an answer that comes in much less than a millisecond. One that
 * takes longer than {@link #SLOW_NANOS} is not counted any more, so that it takes no thread from the others; but never
 * are there more than {@link #AT_MOST}, those left out whose job was given up.
 *
 * <p><b>An Error cannot break it.</b> Work is handed in by users' threads, whose stack may be used up. The lock is a
 * monitor, the lists are linked by assignments alone, and whatever an Error cut off (a thread that was not started or
 * not unparked) {@link #look} makes good: work that was taken is done.
 */
public class HelperThreads implements Executor {
    static final int AT_ONCE = Math.max(8, 2 * Runtime.getRuntime().availableProcessors());
    static final int AT_MOST = 4 * AT_ONCE;
    static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String prefix;
    private final @Nullable ThreadFactory factory;
    private final AtomicInteger count = new AtomicInteger();

    /** Guards the lists below; a leaf. */
    private final Object lock = new Object();

    /** Called when work has to wait for a thread, so that somebody looks. */
    private volatile @Nullable Runnable onBacklog;

    // Guarded by lock.
    private @Nullable Work firstWork;
    private @Nullable Work lastWork;
    private @Nullable Worker workers;
    private @Nullable Worker idle;
    private int live;
    private int slow;
    private int givenUp;
    private boolean shut;

    public HelperThreads(String poolName) {
        this(poolName, null);
    }

    public HelperThreads(String poolName, @Nullable ThreadFactory factory) {
        prefix = "weir-" + poolName + "-";
        this.factory = factory;
    }

    /** A job that somebody else may end in its place while it still blocks its thread. */
    interface Job extends Runnable {
        boolean isGivenUp();
    }

    void onBacklog(Runnable callback) {
        onBacklog = callback;
    }

    /** Runs short work (a test, a close) on a thread that is used again, in the order in which it was handed in. */
    @Override
    public void execute(Runnable job) {
        execute(job, false);
    }

    /** As {@link #execute}, before all that waits for a thread: for what frees a place. */
    void executeFirst(Runnable job) {
        execute(job, true);
    }

    private void execute(Runnable job, boolean first) {
        Work work = new Work(job);
        Worker more = new Worker();
        Worker resting;
        boolean start;
        synchronized (lock) {
            enqueue(work, first);
            resting = idle;
            if (resting != null) {
                idle = resting.nextIdle;
                resting.resting = false;
            }
            start = resting == null && hasRoom();
            if (start) {
                link(more);
            }
        }
        if (resting != null) {
            LockSupport.unpark(resting.thread);
        } else if (start) {
            more.start();
        } else {
            Runnable callback = onBacklog;
            if (callback != null) {
                callback.run();
            }
        }
    }

    private void enqueue(Work work, boolean first) {
        Work last = lastWork;
        if (last == null) {
            firstWork = work;
            lastWork = work;
        } else if (first) {
            work.next = firstWork;
            firstWork = work;
        } else {
            last.next = work;
            lastWork = work;
        }
    }

    private boolean hasRoom() {
        return live - slow < AT_ONCE && live - givenUp < AT_MOST;
    }

    private void link(Worker worker) {
        worker.next = workers;
        workers = worker;
        live++;
    }

    private void unlink(Worker worker) {
        Worker before = null;
        for (Worker at = workers; at != null; before = at, at = at.next) {
            if (at == worker) {
                if (before == null) {
                    workers = at.next;
                } else {
                    before.next = at.next;
                }
                live--;
                return;
            }
        }
    }

    /**
     * Sees who is slow, mends what an Error cut off, and starts threads for work that waits without need. Called by the
     * Keeper; returns when it is to be called next.
     */
    long look(long now) {
        List<Worker> starting = new ArrayList<>(0);
        boolean backlog;
        synchronized (lock) {
            count(now);
            backlog = firstWork != null;
            for (Work work = firstWork; work != null && hasRoom(); work = work.next) {
                Worker more = new Worker();
                starting.add(more);
                link(more);
            }
            for (Worker worker = workers; backlog && worker != null; worker = worker.next) {
                if (worker.job == null && worker.thread != null) {
                    LockSupport.unpark(worker.thread);
                }
            }
        }
        for (Worker more : starting) {
            more.start();
        }
        return backlog ? now + SLOW_NANOS / 2 : Long.MAX_VALUE;
    }

    private void count(long now) {
        int slowNow = 0;
        int givenUpNow = 0;
        for (Worker worker = workers; worker != null; worker = worker.next) {
            Runnable job = worker.job;
            if (worker.isLost(now)) {
                unlink(worker);
            } else if (job != null) {
                boolean same = worker.seen == job;
                worker.seenNanos = same ? worker.seenNanos : now;
                worker.seen = job;
                slowNow += same && now - worker.seenNanos >= SLOW_NANOS ? 1 : 0;
                givenUpNow += job instanceof Job own && own.isGivenUp() ? 1 : 0;
            }
        }
        slow = slowNow;
        givenUp = givenUpNow;
    }

    /** How many threads run tests and closes, or rest. */
    int live() {
        synchronized (lock) {
            return live;
        }
    }

    /** A thread of its own for this work, not yet started; of the user's factory where that gives one. */
    Thread newThread(String kind, Runnable job) {
        String name = nameOf(kind);
        Thread thread = fromFactory(job, name);
        return thread != null ? thread : ownThread(job, name);
    }

    /** As {@link #newThread}, made by the pool itself. */
    Thread newPoolThread(String kind, Runnable job) {
        return ownThread(job, nameOf(kind));
    }

    private String nameOf(String kind) {
        return prefix + kind + "-" + count.incrementAndGet();
    }

    /**
     * Of the uppermost group, and without the rights of the thread that makes it, which up to JDK 23 are kept with the new
     * thread: of both an application may be the owner, and the pool may outlive it.
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
            Log.log(Level.WARNING, "the thread factory gave no new thread for {0}; the pool makes one", name);
        } catch (Throwable e) { // an Error of the user's code must not cost a place
            Log.log(Level.WARNING, "the thread factory threw for " + name + "; the pool makes a thread itself", e);
        }
        return null;
    }

    private static Thread claimed(Thread thread, String name) {
        thread.setDaemon(true);
        thread.setName(name);
        thread.setContextClassLoader(null);
        return thread;
    }

    /** Threads end once there is no work for them; false if what is under way has not ended in this time. */
    boolean shutDown(long waitNanos) throws InterruptedException {
        long deadline = System.nanoTime() + waitNanos;
        List<Thread> threads = new ArrayList<>();
        synchronized (lock) {
            shut = true;
            for (Worker worker = workers; worker != null; worker = worker.next) {
                if (worker.thread != null) {
                    threads.add(worker.thread);
                }
            }
        }
        boolean ended = true;
        for (Thread thread : threads) {
            LockSupport.unpark(thread);
            if (thread != Thread.currentThread()) {
                TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, deadline - System.nanoTime()));
                ended &= !thread.isAlive();
            }
        }
        return ended;
    }

    /** Work that waits for a thread. */
    private static final class Work {
        final Runnable job;

        @Nullable
        Work next; // guarded by lock

        Work(Runnable job) {
            this.job = job;
        }
    }

    /** One thread, and the job that it runs. */
    private final class Worker implements Runnable {
        volatile @Nullable Thread thread;

        // Guarded by lock.
        @Nullable
        Worker next;

        @Nullable
        Worker nextIdle;

        boolean resting;

        @Nullable
        Runnable job;

        // Seen by the last look.
        @Nullable
        Runnable seen;

        long seenNanos = Long.MAX_VALUE;

        void start() {
            try {
                Thread own = newThread("helper", this);
                thread = own;
                own.start();
            } catch (Throwable noThread) { // the work waits for one that ends, or for the next look
                boolean last;
                synchronized (lock) {
                    unlink(this);
                    last = shut;
                }
                if (last) {
                    runAll();
                }
            }
        }

        @Override
        public void run() {
            try {
                runAll();
            } finally {
                synchronized (lock) {
                    unlink(this);
                }
            }
        }

        private void runAll() {
            for (Runnable next = next(); next != null; next = next()) {
                try {
                    next.run();
                } catch (Throwable e) {
                    Log.log(
                            Level.WARNING,
                            "work of thread " + Thread.currentThread().getName() + " failed",
                            e);
                }
            }
        }

        /** The next job, waited for; null if none came for long, or the pool is over. */
        private @Nullable Runnable next() {
            long restedSince = System.nanoTime();
            for (; ; ) {
                boolean ignored =
                        Thread.interrupted(); // left behind by a driver, it would keep this thread from resting
                synchronized (lock) {
                    job = null;
                    Work work = firstWork;
                    boolean over = work == null && (shut || System.nanoTime() - restedSince >= REST_NANOS);
                    if (work != null || over) {
                        stopResting();
                    }
                    if (work != null) {
                        firstWork = work.next;
                        lastWork = firstWork == null ? null : lastWork;
                        job = work.job;
                        return job;
                    }
                    if (over) {
                        unlink(this); // now, so that nobody counts on it
                        return null;
                    }
                    if (!resting) {
                        resting = true;
                        nextIdle = idle;
                        idle = this;
                    }
                }
                LockSupport.parkNanos(this, REST_NANOS);
            }
        }

        private void stopResting() {
            if (!resting) {
                return;
            }
            resting = false;
            Worker before = null;
            for (Worker at = idle; at != this && at != null; at = at.nextIdle) {
                before = at;
            }
            if (before == null) {
                idle = nextIdle;
            } else {
                before.nextIdle = nextIdle;
            }
        }

        /** Never started, since an Error came between, or its thread ended without a word. */
        private boolean isLost(long now) {
            Thread own = thread;
            if (own != null) {
                return own.getState() == Thread.State.TERMINATED;
            }
            boolean seenBefore = seenNanos <= now - SLOW_NANOS;
            seenNanos = seenNanos == Long.MAX_VALUE ? now : seenNanos;
            return seenBefore;
        }
    }
}
