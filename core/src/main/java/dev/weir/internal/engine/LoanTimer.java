package dev.weir.internal.engine;

import dev.weir.internal.waiting.PoolClock;
import dev.weir.internal.waiting.Slot;
import java.util.concurrent.TimeUnit;

/**
 * For which loans a clock is read, and how long they took. The exact time is read at the first acquires of a slot in each
 * tick, so that one that died while the whole process stood still is not taken for fresh ({@link Acquiring}); at each while
 * anybody listens; and where the {@link Sizer} wants to know what a waiter waits for. All fields of a slot that this uses are
 * its owner's.
 */
final class LoanTimer {
    /**
     * No loan that speaks with a server is shorter. So an acquire reads no clock only of a slot whose loans of this tick
     * are so many that they cannot have spoken with one; and all reads together take a thousandth of the time.
     */
    private static final long SHORTEST_LOAN_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    private final PoolState pool;
    private final PoolClock clock;
    private final int readEachTick;

    LoanTimer(PoolState pool) {
        this.pool = pool;
        this.clock = pool.clock;
        this.readEachTick = (int) (clock.periodNanos() / SHORTEST_LOAN_NANOS);
    }

    /** One of the first acquires of this slot in a tick of the clock read the exact time. */
    void readClock(Slot slot) {
        long tick = clock.coarse();
        if (slot.readTick != tick) {
            slot.readTick = tick;
            slot.readsLeft = readEachTick;
        }
        if (--slot.readsLeft <= 0) {
            slot.clockedTick = tick;
        }
    }

    /** A loan begins that did not have to be waited for, and somebody listens. */
    void beginLoan(Slot slot) {
        slot.acquiredNanos = Math.max(1, clock.now()); // 0 is for a loan that is not timed
    }

    /** A loan begins that had to be waited for until now; {@code forSizer}: the sizer wants its time. */
    void beginWaitedLoan(Slot slot, boolean forSizer, long now) {
        slot.timedForSizer = forSizer;
        slot.acquiredNanos = Math.max(1, now);
    }

    /** Returns how long the timed loan took that now ends, and tells the sizer if it asked. */
    long endLoan(Slot slot) {
        long now = clock.now();
        long heldNanos = PoolClock.elapsed(now, slot.acquiredNanos);
        slot.acquiredNanos = 0;
        if (slot.timedForSizer) {
            slot.timedForSizer = false;
            pool.lastHeldNanos.set(Math.max(1, heldNanos));
        }
        return heldNanos;
    }
}
