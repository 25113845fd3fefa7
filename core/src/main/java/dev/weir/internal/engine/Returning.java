package dev.weir.internal.engine;

import dev.weir.RetireReason;
import dev.weir.internal.waiting.Lender;
import dev.weir.internal.waiting.PoolClock;
import dev.weir.internal.waiting.Slot;
import dev.weir.internal.waiting.WaitQueue;
import java.sql.SQLException;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * How a slot comes home: to whoever waits, to lie idle, to be tested first, or to be retired.
 *
 * <p>Nothing here loses a slot to an Error: whoever claimed it, here or in the handle, marks it as stranded by an assignment if a
 * call fails before it is passed on.
 */
final class Returning extends Lender {
    private final WaitQueue queue;
    private final PoolClock clock;
    private final PoolState state;
    private final Retirement retirement;
    private final LoanTimer timer;
    private final Listeners listeners;
    private final String poolName;
    private final LongConsumer wakeClock;
    private final ObjLongConsumer<Slot> startCheck;
    private final Runnable onFirstProof;

    /**
     * @param wakeClock makes the clock of the pool go, from this time on
     * @param startCheck tests a slot that is CHECKING, from this time on
     * @param onFirstProof told when a connection has come home in order from its first use
     */
    Returning(
            PoolState state,
            Retirement retirement,
            LoanTimer timer,
            Listeners listeners,
            LongConsumer wakeClock,
            ObjLongConsumer<Slot> startCheck,
            Runnable onFirstProof) {
        this.poolName = state.name();
        this.clock = state.clock;
        this.queue = state.queue;
        this.state = state;
        this.retirement = retirement;
        this.timer = timer;
        this.listeners = listeners;
        this.wakeClock = wakeClock;
        this.startCheck = startCheck;
        this.onFirstProof = onFirstProof;
    }

    @Override
    public void releaseUntouched(Slot slot, long held) {
        if (queue.sizeVolatile() == 0 && slot.acquiredNanos == 0 && slot.releaseUntouched(held)) {
            if (queue.sizeVolatile() > 0) {
                queue.signal(true);
            }
        } else {
            boolean claimed = false;
            try {
                claimed = slot.claim(held);
                if (claimed) {
                    release(slot, false);
                }
            } catch (Throwable e) {
                if (claimed) {
                    slot.stranded = held - Slot.IN_USE + Slot.RETURNING;
                }
                throw e;
            }
        }
    }

    @Override
    public void release(Slot slot, boolean used) {
        if (slot.acquiredNanos == 0) { // the usual way, and short: see LoanHandle, 'Few calls'
            comeHome(slot, used);
        } else {
            long usedNanos = timer.endLoan(slot);
            comeHome(slot, used);
            try {
                listeners.used(poolName, usedNanos);
            } catch (Throwable e) {
                // It is home, and may be another's by now, even if nobody could be told.
            }
        }
    }

    private void comeHome(Slot slot, boolean used) {
        boolean answered = used && !slot.distrusted;
        if (answered) {
            slot.setLastUsed(clock.coarse());
            slot.acquitted = false;
        } else if (slot.distrusted) {
            slot.setLastUsed(Slot.NEVER_PROVED);
            slot.distrusted = false;
        }
        if (slot.isCondemned()) {
            retirement.retireCondemned(slot);
        } else if (answered && !slot.proved) {
            slot.proved = true;
            moveOn(slot);
            onFirstProof.run();
        } else if (queue.sizeVolatile() == 0) {
            lieIdle(slot);
        } else {
            moveOn(slot);
        }
    }

    private void moveOn(Slot slot) {
        if (queue.sizeVolatile() > 0 && slot.lastUsed() < clock.freshAfter()) {
            testFirst(slot);
        } else {
            circulate(slot, false);
        }
    }

    private void testFirst(Slot slot) {
        if (state.isSuspended() || !slot.beginCheck()) {
            circulate(slot, false);
        } else {
            startCheck.accept(slot, clock.now());
        }
    }

    /** Passes an owned slot on: to whoever waits, as {@link WaitQueue#release} says, or to lie idle. */
    void circulate(Slot slot, boolean directly) {
        if (queue.sizeVolatile() == 0) {
            lieIdle(slot);
        } else if (queue.release(slot, directly)) {
            retirement.retireCondemned(slot);
        }
    }

    private void lieIdle(Slot slot) {
        if (slot.setIdleVolatile()) {
            retirement.retireCondemned(slot);
        } else if (queue.sizeVolatile() > 0) {
            queue.signal(true);
        }
    }

    @Override
    public void retire(Slot slot, RetireReason reason, @Nullable Throwable cause) {
        retirement.retire(slot, reason, cause);
    }

    @Override
    public void retireFailed(Slot slot, Throwable failure) {
        retirement.retireFailed(slot, failure);
    }

    @Override
    public void abort(Slot slot, Executor executor) throws SQLException {
        try {
            watchReturn();
        } finally {
            retirement.abort(slot, executor);
        }
    }

    @Override
    public void watchReturn() {
        if (!clock.isTicking()) {
            wakeClock.accept(clock.now());
        }
    }

    @Override
    public void callFailed(Slot slot, SQLException failure) {
        retirement.callFailed(slot, failure);
    }

    @Override
    public void foundDead(Slot slot) {
        retirement.foundDead(slot);
    }

    @Override
    public String poolName() {
        return poolName;
    }
}
