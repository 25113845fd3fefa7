package dev.weir.internal.engine;

import dev.weir.internal.slots.Inbox;
import dev.weir.internal.working.Workers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Workers without threads: jobs are kept until the test runs them, on the test's own thread and in the order it likes, or are
 * run on the spot, as the Keeper's turns are then. The Keeper is never started; else the test takes its turns.
 */
public final class SteppedHelpers extends Workers {
    /** Guarded by itself. */
    private final List<Runnable> jobs = new ArrayList<>();

    private volatile boolean inline;
    private volatile boolean noThreads;

    public SteppedHelpers() {
        super("stepped", null);
    }

    /** Runs work on the spot, on the thread that asks for it, or keeps it. */
    void inline(boolean on) {
        inline = on;
    }

    /** The machine gives no thread any more, or does again. */
    void refuse(boolean on) {
        noThreads = on;
    }

    @Override
    public void execute(Runnable job) {
        if (noThreads) {
            throw new OutOfMemoryError("unable to create native thread");
        }
        if (inline) {
            job.run();
            return;
        }
        synchronized (jobs) {
            jobs.add(job);
        }
    }

    @Override
    public void say(Runnable line) {
        line.run();
    }

    @Override
    public Thread newKeeper(Runnable keeper) {
        return new Thread(keeper, "weir-stepped-keeper") {
            @Override
            @SuppressWarnings("UnsynchronizedOverridesSynchronized") // it starts nothing
            public void start() {
                // The test takes the turns.
            }
        };
    }

    /** The inbox of the Keeper: what is told causes a turn on the spot, while jobs run on the spot. */
    static final class Bell extends Inbox {
        private final SteppedHelpers helpers;
        private @Nullable Runnable turn;
        private boolean ringing;
        private boolean again;

        Bell(SteppedHelpers helpers) {
            this.helpers = helpers;
        }

        void rings(Runnable keeperTurn) {
            turn = keeperTurn;
        }

        @Override
        public void nudge(long atNanos) {
            super.nudge(atNanos);
            Runnable keeperTurn = turn;
            if (!helpers.inline || keeperTurn == null) {
                return;
            }
            again = true;
            if (ringing) {
                return;
            }
            ringing = true;
            try {
                for (int i = 0; again && i < 1_000; i++) {
                    again = false;
                    keeperTurn.run();
                }
            } finally {
                ringing = false;
            }
        }
    }

    public int pending() {
        synchronized (jobs) {
            return jobs.size();
        }
    }

    /** Runs the job at this place of the line, 0 being the oldest; does nothing if there is none. */
    public void run(int at) {
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
    public int runAll() {
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
}
