package dev.weir.internal.engine;

import dev.weir.internal.settings.Settings;
import dev.weir.internal.text.Log;
import dev.weir.internal.waiting.PoolClock;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The one scheduled thread of a pool. It takes the same steps in each pass, and knows none of them: what is due, it
 * learns from them.
 *
 * <p>A pass does what is due and says when the next is; between passes the thread is parked. While the pool is busy a
 * pass comes every tick; while a thread waits and more connections could be opened, as often as the Sizer asks; when
 * nothing was acquired for a second the clock rests, and the thread sleeps until the next lifetime, keepalive or
 * surplus, so that a sleeping application is not woken.
 *
 * <p>All fields but the few volatile ones belong to the Keeper's thread (or to the test that calls {@link #pass}
 * instead).
 */
final class Keeper implements Runnable {
    /** The steps of a pass, by number. */
    interface Steps {
        /** The names of the steps, in their order. */
        String[] names();

        /** Does a step if it is due, at this time; returns when it is due again. An exception of it is logged. */
        long take(int step, long now) throws Exception;
    }

    /** When a step that failed is taken again. */
    private static final long AFTER_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long STEP_FAILURES_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Settings settings;
    private final PoolClock clock;
    private final HelperThreads helpers;

    // Set once, before the thread starts.
    private @Nullable Steps steps;
    private String[] names = {};

    /** Replaced when it was found dead; guarded by the monitor of this, read without it. */
    private volatile Thread thread;

    private volatile boolean stopped;
    private volatile boolean nudged;

    /** Until when the thread means to park; Long.MAX_VALUE while a pass runs, so that a nudge always causes another. */
    private volatile long parkedUntil = Long.MAX_VALUE;

    private long stepFailedNanos = Long.MIN_VALUE / 2;

    Keeper(Settings settings, PoolClock clock, HelperThreads helpers) {
        this.settings = settings;
        this.clock = clock;
        this.helpers = helpers;
        this.thread = helpers.newThread("keeper", this);
    }

    /** The steps of each pass from now on; said once, before the thread is started. */
    void setSteps(Steps all) {
        steps = all;
        names = all.names();
    }

    void start() {
        thread.start();
    }

    /**
     * Starts another thread if the one there was is gone: without it dead connections would be lent untested, for ever.
     */
    private void revive() {
        if (stopped || thread.getState() != Thread.State.TERMINATED) {
            return;
        }
        synchronized (this) {
            if (thread.getState() != Thread.State.TERMINATED) {
                return;
            }
            replaceThread();
        }
    }

    private void replaceThread() {
        Thread another = helpers.newPoolThread("keeper", this);
        thread = another;
        another.start();
    }

    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    void join(long nanos) throws InterruptedException {
        if (thread != Thread.currentThread()) {
            TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, nanos));
        }
    }

    @Override
    public void run() {
        try {
            while (!stopped) {
                long nanos = passAndPlan();
                if (mayPark(nanos)) {
                    LockSupport.parkNanos(this, nanos);
                }
                boolean ignored =
                        Thread.interrupted(); // code that interrupts all threads would keep this one from parking
            }
        } finally {
            if (!stopped) {
                replaceThread();
            }
        }
    }

    /**
     * Makes a pass and plans the next, so that nudges know of it; returns for how long the thread may park.
     *
     * <p>No nudge is lost, even if the pass uses up the permit of an unpark (a lock of a log handler may use it up): a
     * nudge says so in {@link #nudged} before it unparks, and that is read after the plan was published, right before
     * the park.
     */
    long passAndPlan() {
        parkedUntil = Long.MAX_VALUE;
        nudged = false;
        long next;
        try {
            next = pass(clock.now());
        } catch (Throwable e) { // no memory to begin a step: the next pass may do better
            next = clock.now() + AFTER_FAILURE_NANOS;
        }
        parkedUntil = next;
        return next - clock.now();
    }

    /** Read right before the park: false if it was nudged since the last pass began. */
    boolean mayPark(long nanos) {
        return nanos > 0 && !stopped && !nudged;
    }

    /** Makes the next pass come at this time at the latest. */
    void nudge(long atNanos) {
        if (atNanos < parkedUntil) {
            nudged = true;
            revive();
            LockSupport.unpark(thread);
        }
    }

    /** Called by an acquire on the slow path: the clock goes from now on. */
    void wakeClock(long now) {
        revive();
        if (!clock.isTicking()) {
            clock.tick(now);
            nudge(now);
        }
    }

    /**
     * Does what is due now; returns when the next pass is. Tests with a manual ticker call it themselves. Each step has
     * its own guard, so that none can keep the others from being done.
     */
    long pass(long now) {
        long next = now + TimeUnit.DAYS.toNanos(1);
        for (int step = 0; step < names.length; step++) {
            next = Math.min(next, take(step, now));
        }
        return next;
    }

    /** Does one step of a pass and swallows what it throws; returns when it is due again. */
    private long take(int step, long now) {
        try {
            return Objects.requireNonNull(steps).take(step, now);
        } catch (Throwable e) {
            if (now - stepFailedNanos >= STEP_FAILURES_EVERY_NANOS) {
                stepFailedNanos = now;
                Log.log(
                        Level.ERROR,
                        "pool '" + settings.poolName() + "': a step of the keeper failed (" + names[step]
                                + "); it goes on",
                        settings.redacted(e));
            }
            return now + AFTER_FAILURE_NANOS;
        }
    }
}
