package dev.weir.internal.engine;

import dev.weir.internal.waiting.PoolClock;
import dev.weir.internal.waiting.Slot;

/**
 * Which loans are timed, and how long they took. A clock is read for a loan where listeners want a sample, or where the
 * {@link Sizer} wants to know what a waiter waits for. All fields of a slot that this uses are its owner's.
 *
 * <p>An acquire pays two reads: its loan is timed if {@link Slot#timedTick} differs from the clock's timing tick. Each
 * tick of the clock writes a new value there while there are listeners; without listeners it is a constant. If an
 * acquire sees a tick late or not at all, the sample moves to the slot's next loan. The stamps of the slot, which only
 * its owner compares, say how many loans a sample stands for, so no loan is counted twice or left out.
 */
final class LoanTimer {
    /**
     * So many loans of each connection are timed for listeners in each tick: enough to miss none where the time
     * matters.
     */
    static final int TIMED_EACH_TICK = 64;

    /** Gets the time of a loan that the sizer asked for. */
    interface Holds {
        void loanEnded(long heldNanos, long now);
    }

    private final PoolClock clock;
    private final Holds holds;

    LoanTimer(PoolClock clock, Holds holds) {
        this.clock = clock;
        this.holds = holds;
    }

    /** One of the first loans of this slot in a tick of the clock: its time is taken, if anybody listens. */
    void beginLoan(Slot slot) {
        long tick = clock.timingTick();
        if (tick == PoolClock.NOT_TIMING) {
            slot.timingTick = tick;
            slot.timedTick = tick;
            return;
        }
        if (slot.timingTick == PoolClock.NOT_TIMING) {
            slot.timedStamp = slot.acquires() - 1; // no listener was there for earlier loans
        }
        if (slot.timingTick != tick) {
            slot.timingTick = tick;
            slot.timingsLeft = TIMED_EACH_TICK;
        }
        slot.acquiredNanos = clock.now();
        if (--slot.timingsLeft == 0) {
            slot.timedTick = tick;
        }
    }

    /** A loan begins that had to be waited for until now; {@code forSizer}: the sizer wants its time. */
    void beginWaitedLoan(Slot slot, boolean forSizer, long now) {
        slot.timedForSizer = forSizer;
        if (forSizer || slot.timingTick != PoolClock.NOT_TIMING) {
            slot.acquiredNanos = now;
        }
    }

    /** Returns how long the timed loan took that now ends, and tells the sizer if it asked. */
    long endLoan(Slot slot) {
        long now = clock.now();
        long heldNanos = PoolClock.elapsed(now, slot.acquiredNanos);
        slot.acquiredNanos = 0;
        if (slot.timedForSizer) {
            slot.timedForSizer = false;
            holds.loanEnded(heldNanos, now);
        }
        return heldNanos;
    }
}
