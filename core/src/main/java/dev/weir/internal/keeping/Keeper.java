package dev.weir.internal.keeping;

import dev.weir.internal.observing.LoanEvents;
import dev.weir.internal.shared.Advice;
import dev.weir.internal.shared.LoanWatch;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.shared.Starting;
import dev.weir.internal.slots.Inbox;
import dev.weir.internal.slots.SeenLoan;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.text.Log;
import dev.weir.internal.working.Workers;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The one thread that decides what is opened, tested and closed, what is too old, and what is taken from an owner. It takes the
 * same steps at each turn; each does what is due, and says when it is due again.
 *
 * <p>Between turns the thread is parked. While the pool is busy a turn comes every tick; while a thread waits and more
 * connections could be opened, as often as the Sizer asks; when nothing was acquired for a second the clock rests, and the
 * thread sleeps until the next lifetime, keepalive or surplus, so that a sleeping application is not woken. News for
 * it comes by {@link dev.weir.internal.slots.Inbox}.
 *
 * <p>It calls no driver, and of the user's code the thread factory alone. All that it decides by are plain fields of its own parts.
 */
public final class Keeper implements Runnable {
    /** When a step that failed is taken again. */
    private static final long AFTER_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long STEP_FAILURES_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long QUIET_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** While the clock rests what is held is looked at this often: a holder is forgotten some time after the loan. */
    private static final long HELD_QUIETLY_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The steps of a turn, in their order. */
    private enum Step {
        CLOCK,
        QUEUE,
        CONNECTS,
        RETURNS, // after the clock: it may rest
        SERVER_NAME, // before the ages, which it brings forward
        SERVER_MAXIMUM,
        AGES,
        LEAKS,
        START,
        REFUSALS, // after the start, which may have failed by them
        TESTS,
        RETIRED,
        END, // after the last connection, which may have gone now
        WAITERS, // late, since all before may have freed a place
        MINIMUM,
        TICKS,
        THREADS, // after all that needs one
        LOANS, // a look that nothing waits for
        LONG_WAITS, // after it, for it says where the time of loans goes
        LOG
    }

    private static final Step[] STEPS = Step.values();

    private final PoolState pool;
    private final Opening opening;
    private final Testing testing;
    private final Retiring retiring;
    private final Ages ages;
    private final ReturnWatch returns;
    private final LeakScan leaks;
    private final ServerName serverName;
    private final ServerMaximum serverMaximum;
    private final Need need;
    private final LoanWatch loans;
    private final Advice advice;
    private final WaitWarning waitWarning;
    private final Starting starting;
    private final Ending ending;
    private final Workers workers;

    private boolean lendingBegan;
    private long stepFailedNanos = Long.MIN_VALUE / 2;
    private long lastAcquires = -1;
    private long lastBusyNanos;
    private long tickedNanos = Long.MIN_VALUE / 2;
    private long lookedNanos = tickedNanos;

    public Keeper(
            PoolState pool,
            Opening opening,
            Testing testing,
            Retiring retiring,
            Ages ages,
            ReturnWatch returns,
            LeakScan leaks,
            ServerName serverName,
            ServerMaximum serverMaximum,
            Need need,
            LoanWatch loans,
            Advice advice,
            WaitWarning waitWarning,
            Starting starting,
            Ending ending,
            Workers workers) {
        this.pool = pool;
        this.opening = opening;
        this.testing = testing;
        this.retiring = retiring;
        this.ages = ages;
        this.returns = returns;
        this.leaks = leaks;
        this.serverName = serverName;
        this.serverMaximum = serverMaximum;
        this.need = need;
        this.loans = loans;
        this.advice = advice;
        this.waitWarning = waitWarning;
        this.starting = starting;
        this.ending = ending;
        this.workers = workers;
    }

    @Override
    public void run() {
        pool.inbox.belongsTo(Thread.currentThread());
        while (!ending.isOver()) {
            try {
                long nanos = turnAndPlan();
                if (nanos > 0 && !pool.inbox.isTold() && !ending.isOver()) {
                    LockSupport.parkNanos(pool, nanos);
                }
                boolean ignored =
                        Thread.interrupted(); // code that interrupts all threads would keep this one from parking
            } catch (Throwable e) {
                // No memory to begin a step, say. Without this thread dead connections would be lent untested, for
                // ever. The next turn comes a little later, or the thread would spin.
                LockSupport.parkNanos(pool, AFTER_FAILURE_NANOS);
            }
        }
    }

    /** Takes a turn and plans the next; returns for how long the thread may park, unless something is told meanwhile. */
    public long turnAndPlan() {
        pool.inbox.open();
        long next = turn(pool.now());
        pool.inbox.plan(next);
        return next - pool.now();
    }

    /**
     * Does what is due now; returns when the next turn is. Tests with a manual ticker call it themselves. Each step has
     * its own guard, so that none can keep the others from being done.
     */
    public long turn(long now) {
        long next = now + TimeUnit.DAYS.toNanos(1);
        for (Step step : STEPS) {
            next = Math.min(next, take(step, now));
        }
        return next;
    }

    private long take(Step step, long now) {
        try {
            return switch (step) {
                case CLOCK -> tickIfDue(now);
                case QUEUE -> serveIdle(now);
                case CONNECTS -> opening.endConnects(now);
                case RETURNS -> returns.cutOffOverdue(now);
                case SERVER_NAME -> serverName.resolveName(now);
                case SERVER_MAXIMUM -> serverMaximum.askOnce(now);
                case AGES -> ages.maintain(now);
                case LEAKS -> leaks.findLeaks(now);
                case START -> start(now);
                case REFUSALS -> opening.refuse();
                case TESTS -> testing.testDue(now);
                case RETIRED -> retiring.closeRetired(now);
                case END -> ending.end(now);
                case WAITERS -> opening.serve(now);
                case MINIMUM -> opening.fill(now);
                case TICKS -> nextTick(now);
                case THREADS -> workers.startPending(now);
                case LOANS -> lookAtLoans(now);
                case LONG_WAITS -> waitWarning.look(now);
                case LOG -> Log.prepare();
            };
        } catch (Throwable e) {
            if (now - stepFailedNanos >= STEP_FAILURES_EVERY_NANOS) {
                stepFailedNanos = now;
                workers.say(() -> Log.log(
                        Level.ERROR,
                        "pool '" + pool.name() + "': a step of the keeper failed (" + step + "); it goes on",
                        pool.settings.redacted(e)));
            }
            return now + AFTER_FAILURE_NANOS;
        }
    }

    private long start(long now) {
        long next = starting.decide(now);
        Runnable onceLending = pool.onceLending;
        if (onceLending != null && !lendingBegan && pool.phase.get() == PoolState.Phase.STARTED) {
            lendingBegan = true;
            workers.executeSurely(onceLending);
        }
        return next;
    }

    /** A slot that lies idle while a thread waits is tested, or looked at by one more of those who wait. */
    private long serveIdle(long now) {
        pool.queue.tidy();
        int waiting = pool.queue.sizeVolatile();
        if (waiting > 0 && !pool.isSuspended()) {
            int ready = pool.slots.fresh(pool.clock.freshAfter());
            testing.testStale(waiting - ready, now);
            if (ready > 0) {
                pool.queue.rouse();
            }
        }
        return Long.MAX_VALUE;
    }

    // ------------------------------------------------------------------ the clock

    private long tickIfDue(long now) {
        LoanEvents.prepare();
        if (pool.inbox.take(Inbox.SETTINGS_CHANGED)) {
            ages.planAnew();
        }
        if (now - tickedNanos >= pool.clock.periodNanos() || pool.queue.sizeVolatile() > 0) {
            tick(now);
        }
        return Long.MAX_VALUE;
    }

    private void tick(long now) {
        long acquires = pool.slots.acquires();
        boolean busy = acquires != lastAcquires || pool.queue.sizeVolatile() > 0 || opening.isOpening();
        if (busy) {
            lastAcquires = acquires;
            lastBusyNanos = now;
        }
        if (now - lastBusyNanos < QUIET_AFTER_NANOS) {
            pool.clock.tick(now);
            opening.sampleArrivals(acquires, now);
        } else if (pool.clock.isTicking()) {
            pool.clock.rest();
        }
        if (now - tickedNanos >= pool.clock.periodNanos()) {
            tickedNanos = now;
            pool.places.handOut(pool.clock.periodNanos());
            for (Slot slot : pool.slots.all()) {
                SeenLoan ignored = slot.see(slot.wordVolatile(), now);
                slot.ticked(pool.clock.periodNanos());
            }
            need.noteTick(now, pool.slots.held(), pool.queue.sizeVolatile() > 0);
        }
    }

    private long lookAtLoans(long now) {
        if (lookedNanos != tickedNanos) { // once a tick
            lookedNanos = tickedNanos;
            String summary = loans.look(now);
            if (summary != null) {
                workers.say(() -> Log.log(Level.INFO, "pool ''{0}'': {1}", pool.name(), summary));
            }
            advice.look(now);
        }
        return Long.MAX_VALUE;
    }

    /** When the next tick is due; while the clock rests, when those who hold connections are looked at again. */
    private long nextTick(long now) {
        if (pool.clock.isTicking()) {
            return tickedNanos + pool.clock.periodNanos();
        }
        return pool.slots.held() > 0 ? now + HELD_QUIETLY_NANOS : Long.MAX_VALUE;
    }
}
