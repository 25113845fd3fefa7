package dev.weir.internal.lending;

import dev.weir.RetireReason;
import dev.weir.internal.observing.Events;
import dev.weir.internal.observing.Listeners;
import dev.weir.internal.sessions.Baseline;
import dev.weir.internal.shared.Faults;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.slots.Inbox;
import dev.weir.internal.slots.Lender;
import dev.weir.internal.slots.LoanRecord;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.slots.SeenLoan;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.slots.WaitQueue;
import java.sql.SQLException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The return of a slot: it is handed to a waiter, made idle, tested first, or retired.
 *
 * <p>Nothing here loses a slot to an Error: the handle marks it as stranded by an assignment if a call fails before it is passed
 * on.
 */
public final class Returning extends Lender {
    private final PoolState pool;
    private final PoolClock clock;
    private final WaitQueue queue;
    private final Faults faults;
    private final Listeners listeners;

    public Returning(PoolState pool, Faults faults, Listeners listeners) {
        this.pool = pool;
        this.clock = pool.clock;
        this.queue = pool.queue;
        this.faults = faults;
        this.listeners = listeners;
    }

    @Override
    public void releaseUntouched(Slot slot, long loanWord) {
        if (queue.sizeVolatile() == 0 && slot.acquiredNanos == 0 && slot.releaseUntouched(loanWord)) {
            if (queue.sizeVolatile() > 0) {
                queue.signal(true);
            }
        } else if (slot.claim(loanWord)) {
            release(slot, false);
        }
    }

    @Override
    public void release(Slot slot, boolean used) {
        if (slot.acquiredNanos == 0) { // the usual way
            finishReturn(slot, used);
        } else {
            long usedNanos = endTimed(slot);
            finishReturn(slot, used);
            try {
                listeners.used(pool.name(), usedNanos);
            } catch (Throwable e) {
                // It is released, and may be another's by now, even if nobody could be told.
            }
        }
    }

    /** Returns how long the timed loan took that now ends. The sizer is told where another connection could have helped. */
    private long endTimed(Slot slot) {
        long heldNanos = PoolClock.elapsed(clock.now(), slot.acquiredNanos);
        slot.acquiredNanos = 0;
        slot.waitedNanos = 0;
        if (queue.sizeVolatile() > 0 && pool.slots.live() < pool.settings.maximumPoolSize()) {
            pool.lastHeldNanos.set(Math.max(1, heldNanos));
        }
        return heldNanos;
    }

    private void finishReturn(Slot slot, boolean used) {
        boolean answered = slot.noteReturn(used, clock.coarse());
        if (slot.isCondemned()) {
            pool.retireCondemned(slot);
        } else if (answered && slot.noteUseful()) {
            pool.inbox.say(Inbox.PROVED);
            passOn(slot, true);
        } else if (queue.sizeVolatile() == 0) {
            pool.makeIdle(slot);
        } else {
            passOn(slot, answered);
        }
    }

    /** One that has not answered may be stale by the exact time only, as after the whole process stood still. */
    private void passOn(Slot slot, boolean answered) {
        boolean stale = queue.sizeVolatile() > 0
                && (slot.aliveAt() < clock.freshAfter() || !(answered || clock.isFresh(slot.aliveAt(), clock.now())));
        if (stale && !pool.isSuspended() && slot.askTest()) {
            pool.nudge();
        } else {
            pool.passOn(slot, false);
        }
    }

    @Override
    public void retire(Slot slot, RetireReason reason, @Nullable Throwable cause) {
        if (pool.retire(slot, reason, cause)) {
            endLoan(slot);
        }
    }

    @Override
    public void retireFailed(Slot slot, Throwable failure) {
        if (faults.couldNotBeCleaned(slot, failure)) {
            endLoan(slot);
        }
    }

    private void endLoan(Slot slot) {
        try {
            if (slot.acquiredNanos != 0) {
                listeners.used(pool.name(), endTimed(slot));
            }
        } catch (Throwable e) {
            // This loan is not timed, or not told.
        }
    }

    /** The connection is closed as well, on a worker, though the driver may not know how to abort. */
    @Override
    public void abort(Slot slot, Executor executor) throws SQLException {
        boolean knownDead = false;
        Throwable failure = null;
        try {
            watchReturn();
            knownDead = slot.session.isKnownDead();
            slot.physical.abort(executor);
        } catch (SQLException | RuntimeException | AbstractMethodError e) {
            failure = e;
            if (!Baseline.isNotSupported(e)) { // it is closed all the same
                throw e;
            }
        } finally {
            boolean ignored = slot.noteUseful(); // its holder had a use for it
            retire(slot, RetireReason.FAULT, null);
            faults.aborted(slot, knownDead, failure);
        }
    }

    @Override
    public void watchReturn() {
        if (!clock.isTicking()) {
            pool.wakeClock(clock.now());
        }
    }

    @Override
    public void callFailed(Slot slot, SQLException failure) {
        faults.callFailed(slot, failure);
    }

    @Override
    public void foundDead(Slot slot) {
        faults.foundDead(slot);
    }

    @Override
    public void recorded(Slot slot, LoanRecord loan) {
        try {
            if (Events.isWanted(loan.event)) {
                loan.note(SeenLoan.IN_DRIVER);
                Events.loan(
                        loan.event,
                        pool.name(),
                        slot.id,
                        loan.waitedNanos,
                        loan.nanos(SeenLoan.NOTHING_YET),
                        loan.nanos(SeenLoan.IN_DRIVER),
                        loan.nanos(SeenLoan.BETWEEN),
                        loan.nanos(SeenLoan.IN_TRANSACTION),
                        pool.settings.shownSql(loan.lastSql()));
            }
        } catch (Throwable e) {
            // The connection is given back, even if the recording lacks the loan.
        }
    }

    @Override
    public String poolName() {
        return pool.name();
    }
}
