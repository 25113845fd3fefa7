package dev.weir.internal.engine;

import java.util.ArrayList;
import java.util.List;

/**
 * Helpers without threads: work is kept until the test runs it, on the test's own thread and in the order it likes, or is
 * run on the spot. The Keeper is never started; the test calls its passes.
 */
final class SteppedHelpers extends HelperThreads {
    /** Guarded by itself. */
    private final List<Runnable> jobs = new ArrayList<>();

    private volatile boolean inline;
    private volatile boolean stackUsedUp;

    SteppedHelpers() {
        super("stepped");
    }

    /** Runs work on the spot, on the thread that asks for it, or keeps it. */
    void inline(boolean on) {
        inline = on;
    }

    /** Whoever wants a thread is told that the stack is used up. */
    void stackUsedUp(boolean yes) {
        stackUsedUp = yes;
    }

    @Override
    public void execute(Runnable job) {
        if (inline) {
            job.run();
            return;
        }
        synchronized (jobs) {
            jobs.add(job);
        }
    }

    @Override
    void executeFirst(Runnable job) {
        execute(job);
    }

    @Override
    Thread newThread(String kind, Runnable job) {
        if (stackUsedUp) {
            throw new StackOverflowError();
        }
        return new Thread(job, "weir-stepped-" + kind) {
            @Override
            @SuppressWarnings("UnsynchronizedOverridesSynchronized") // it starts nothing
            public void start() {
                if (!kind.equals("keeper")) {
                    execute(job);
                }
            }
        };
    }

    int pending() {
        synchronized (jobs) {
            return jobs.size();
        }
    }

    /** Runs the job at this place of the line, 0 being the oldest; does nothing if there is none. */
    void run(int at) {
        Runnable job;
        synchronized (jobs) {
            if (at >= jobs.size()) {
                return;
            }
            job = jobs.remove(at);
        }
        job.run();
    }

    /** Runs what there is and what comes of it; returns how many jobs that were. */
    int runAll() {
        int ran = 0;
        while (pending() > 0) {
            run(0);
            ran++;
            if (ran > 100_000) {
                throw new AssertionError("work makes ever more work");
            }
        }
        return ran;
    }

    @Override
    boolean shutDown(long waitNanos) throws InterruptedException {
        runAll();
        return super.shutDown(waitNanos);
    }
}
