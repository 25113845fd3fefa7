package dev.weir.internal.engine;

import dev.weir.internal.drivers.ConnectFailure;
import dev.weir.internal.waiting.Slot;
import org.jspecify.annotations.Nullable;

/** Help that a waiting thread sets in motion: the pool's clock and its beginning, tests of idle connections, connects. */
final class Demand implements Acquiring.Help {
    private final PoolState pool;
    private final Keeper keeper;
    private final IdleTester tester;
    private final Opener opener;
    private final Supply supply;
    private final Lifecycle lifecycle;

    Demand(PoolState pool, Keeper keeper, IdleTester tester, Opener opener, Supply supply, Lifecycle lifecycle) {
        this.pool = pool;
        this.keeper = keeper;
        this.tester = tester;
        this.opener = opener;
        this.supply = supply;
        this.lifecycle = lifecycle;
    }

    @Override
    public void wakeClock(long now) {
        keeper.wakeClock(now);
    }

    @Override
    public void beginPool(long sinceNanos) {
        lifecycle.begin(sinceNanos);
    }

    @Override
    public void test(Slot slot, long now) {
        tester.start(slot, now);
    }

    @Override
    public void demand(long now) {
        boolean ignored = demanded(now);
    }

    /** False if another thread just sees to the connects. */
    private boolean demanded(long now) {
        keeper.wakeClock(now); // again: it may have gone to rest before it could see the waiter
        if (pool.isSuspended()) {
            return true;
        }
        boolean seenTo = true;
        tester.checkStale(pool.queue.sizeVolatile(), now);
        if (pool.slots.live() < pool.settings.maximumPoolSize()) {
            opener.gate.shortenPause(pool.slots.live(), now);
            seenTo = supply.replenish(now);
            // Not at once: of a crowd that comes together each would wake the thread for a pass of its own.
            keeper.nudge(now + Sizer.lookAgainNanos(0));
        }
        return seenTo;
    }

    @Override
    public @Nullable ConnectFailure refusal(long now) {
        return opener.refusal(now);
    }

    @Override
    public long ownWorkNanos(long sinceNanos, long untilNanos, long now) {
        // The caller may not even have asked. Where another thread starts the first connect at this moment, it may not
        // be
        // counted yet, and is waited for as if it were.
        if (opener.firstConnectNanos() == Long.MAX_VALUE && !demanded(now)) {
            return Math.max(0, Math.min(now, untilNanos) - sinceNanos);
        }
        return lifecycle.workNanos(sinceNanos, untilNanos, now);
    }

    /** The time to start may be up as well: a refused caller may configure the pool anew. */
    @Override
    public void refusedAtTimeout(long now) {
        lifecycle.conclude(now);
    }

    /** A test or connect that might have served a waiter brought nothing. */
    void demandAnother(long now) {
        tester.checkStale(pool.queue.sizeVolatile(), now);
        supply.replenish(now);
    }

    /** Looks after those who wait, by the Keeper; returns when to look again. */
    long serveWaiting(long now) {
        int waiting = pool.queue.sizeVolatile();
        if (waiting == 0) {
            supply.nobodyWaits(now);
            return Long.MAX_VALUE;
        }
        if (!pool.isSuspended()) {
            tester.checkStale(waiting, now);
            if (pool.slots.anyAvailable(pool.clock.freshAfter())) {
                pool.queue.rouse();
            }
        }
        if (pool.slots.live() >= pool.settings.maximumPoolSize()) {
            return Long.MAX_VALUE; // the ticks suffice: only a return can help
        }
        opener.gate.shortenPause(pool.slots.live(), now);
        supply.replenish(now);
        long lookAgain = now + Sizer.lookAgainNanos(now - Math.min(now, pool.queue.headSinceNanos()));
        long probeAt = opener.gate.probeAtNanos();
        return probeAt > now ? Math.min(lookAgain, probeAt) : lookAgain;
    }
}
