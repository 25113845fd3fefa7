package dev.weir.internal.engine;

import java.util.concurrent.TimeUnit;

/**
 * The ticks of a pool's coarse clock, by the Keeper: while the pool is busy; and what is noted at each. All fields are the
 * Keeper's.
 */
final class Ticks {
    private static final long QUIET_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** While the clock rests what is held is looked at this often: a holder is forgotten some time after the loan. */
    private static final long HELD_QUIETLY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final PoolState pool;
    private final Loans loans;
    private final Opener opener;
    private final Supply supply;
    private final Need need;

    private long lastAcquires = -1;
    private long lastBusyNanos;
    private long tickedNanos = Long.MIN_VALUE / 2;

    Ticks(PoolState pool, Loans loans, Opener opener, Supply supply, Need need) {
        this.pool = pool;
        this.loans = loans;
        this.opener = opener;
        this.supply = supply;
        this.need = need;
    }

    long tickIfDue(long now) {
        if (now - tickedNanos >= pool.clock.periodNanos() || pool.queue.sizeVolatile() > 0) {
            tick(now);
        }
        return Long.MAX_VALUE;
    }

    private void tick(long now) {
        long acquires = pool.slots.acquires();
        boolean busy = acquires != lastAcquires || pool.queue.sizeVolatile() > 0 || opener.opening() > 0;
        if (busy) {
            lastAcquires = acquires;
            lastBusyNanos = now;
        }
        if (now - lastBusyNanos < QUIET_AFTER_NANOS) {
            pool.clock.tick(now);
            supply.sampleArrivals(acquires, now);
        } else if (pool.clock.isTicking()) {
            pool.clock.rest();
        }
        if (now - tickedNanos >= pool.clock.periodNanos()) {
            tickedNanos = now;
            loans.observe(now);
            need.noteTick(now, pool.slots.inUse(), pool.queue.sizeVolatile() > 0);
        }
    }

    /** When the next tick is due; while the clock rests, when those who hold connections are looked at again. */
    long next(long now) {
        if (pool.clock.isTicking()) {
            return tickedNanos + pool.clock.periodNanos();
        }
        return pool.slots.inUse() > 0 ? now + HELD_QUIETLY_NANOS : Long.MAX_VALUE;
    }
}
