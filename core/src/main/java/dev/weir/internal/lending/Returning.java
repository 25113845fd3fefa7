package dev.weir.internal.lending;

import dev.weir.RetireReason;
import dev.weir.internal.observing.Listeners;
import dev.weir.internal.observing.LoanEvents;
import dev.weir.internal.sessions.Baseline;
import dev.weir.internal.shared.Faults;
import dev.weir.internal.shared.Holding;
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
            endSample(slot);
            LoanRecord record = slot.record();
            long usedNanos = endTimed(slot);
            finishReturn(slot, used);
            try {
                tell(slot, record);
                tellUsed(usedNanos);
            } catch (Throwable e) {
                // It is released, and may be another's by now, even if nobody could be told.
            }
        }
    }

    private void tellUsed(long usedNanos) {
        if (usedNanos >= 0) {
            listeners.used(pool.name(), usedNanos);
        }
    }

    /** Before the slot is anybody's else; what a sample costs no connection is lost for. */
    private void endSample(Slot slot) {
        try {
            pool.places.returned(slot);
        } catch (Throwable e) {
            // Its place is not told of this loan.
        }
    }

    /**
     * Returns how long the timed loan took that now ends; -1 if it was sampled alone. The sizer is told where another connection
     * could have helped.
     */
    private long endTimed(Slot slot) {
        LoanRecord record = slot.record();
        if (record != null) {
            record.ends(slot);
            slot.setRecord(null);
        }
        if (slot.acquiredNanos == Slot.SAMPLED) {
            slot.acquiredNanos = 0;
            return -1;
        }
        long heldNanos = PoolClock.elapsed(clock.now(), slot.acquiredNanos);
        slot.acquiredNanos = 0;
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
                endSample(slot);
                LoanRecord record = slot.record();
                long usedNanos = endTimed(slot);
                tell(slot, record);
                tellUsed(usedNanos);
            }
        } catch (Throwable e) {
            // This loan is not timed, or not told.
        }
    }

    /** The slot may be another's by now. */
    private void tell(Slot slot, @Nullable LoanRecord record) {
        if (record != null && LoanEvents.isWanted(record.event)) {
            LoanEvents.loan(
                    record.event,
                    pool.name(),
                    slot.id,
                    slot.sessionId,
                    record.waitedNanos,
                    record.nanos(SeenLoan.NOTHING_YET),
                    record.nanos(SeenLoan.IN_DRIVER),
                    record.nanos(SeenLoan.BETWEEN),
                    record.nanos(SeenLoan.IN_TRANSACTION),
                    pool.settings.shownSql(record.lastSql()),
                    Holding.stack(record.acquiredAt.toArray(StackTraceElement[]::new)));
        }
    }

    /** The connection is closed as well, on a worker, though the driver may not know how to abort. */
    @Override
    public void abort(Slot slot, Executor executor) throws SQLException {
        boolean knownDead = false;
        Throwable failure = null;
        try {
            watchReturn(slot);
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
    public void watchReturn(Slot slot) {
        LoanRecord record = slot.record();
        if (record != null) {
            record.note(SeenLoan.IN_DRIVER);
        }
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
    public String poolName() {
        return pool.name();
    }
}
