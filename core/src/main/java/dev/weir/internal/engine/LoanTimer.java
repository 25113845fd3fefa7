package dev.weir.internal.engine;

import dev.weir.internal.waiting.PoolClock;
import dev.weir.internal.waiting.Slot;
import java.util.concurrent.TimeUnit;

/**
 * For which loans a clock is read, and how long they took. The exact time is read at the first acquires of a slot in each
 * tick, so that one that died while the whole process stood still is not taken for fresh ({@link Acquiring}); at fewer, for
 * listeners that want a sample; and where the {@link Sizer} wants to know what a waiter waits for. All fields of a slot that
 * this uses are its owner's.
 *
 * <p>Any other acquire pays two reads of memory: {@link Slot#clockedTick} equals the coarse time. The stamps of the slot,
 * which only its owner compares, say how many loans a sample stands for, so no loan is counted twice or left out.
 */
final class LoanTimer {
    /**
     * No loan that speaks with a server is shorter. So an acquire reads no clock only of a slot whose loans of this tick
     * are so many that they cannot have spoken with one; and all reads together take a thousandth of the time.
     */
    private static final long SHORTEST_LOAN_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

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
    private final Listeners listeners;
    private final Holds holds;
    private final int readEachTick;

    LoanTimer(PoolClock clock, Listeners listeners, Holds holds) {
        this.clock = clock;
        this.listeners = listeners;
        this.holds = holds;
        this.readEachTick = (int) (clock.periodNanos() / SHORTEST_LOAN_NANOS) + TIMED_EACH_TICK;
    }

    /** One of the first loans of this slot in a tick of the clock: its time is taken, if anybody listens. */
    void beginLoan(Slot slot) {
        long tick = clock.coarse();
        if (slot.readTick != tick) {
            slot.readTick = tick;
            slot.readsLeft = readEachTick;
        }
        int left = --slot.readsLeft;
        if (left == 0) {
            slot.clockedTick = tick;
        }
        if (listeners.isEmpty()) {
            slot.timedStamp = -1;
        } else if (left >= readEachTick - TIMED_EACH_TICK) {
            if (slot.timedStamp < 0) {
                slot.timedStamp = slot.acquires() - 1; // no listener was there for earlier loans
            }
            slot.acquiredNanos = clock.now();
        }
    }

    /** A loan begins that had to be waited for until now; {@code forSizer}: the sizer wants its time. */
    void beginWaitedLoan(Slot slot, boolean forSizer, long now) {
        slot.timedForSizer = forSizer;
        if (forSizer || slot.timedStamp >= 0) {
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
