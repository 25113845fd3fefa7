package dev.weir.internal.keeping;

import dev.weir.internal.shared.PoolState;
import dev.weir.internal.shared.Refusals;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.text.Log;
import dev.weir.internal.working.Workers;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;

/**
 * Warns of threads that wait for long, before the first of them times out: who holds the connections then can still be seen. No
 * waiter looks at a clock for it. All fields are the Keeper's.
 *
 * <p>It says nothing while something else explains the wait, and is in the log: a start that is under way, an operator's
 * suspend(), or failures to connect. A wait counts from their end.
 */
public final class WaitWarning {
    private static final long ONCE_IN_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final PoolState pool;
    private final Refusals refusals;
    private final RetryGate gate;
    private final Workers workers;

    private long saidNanos = Long.MIN_VALUE / 2;
    private long explainedNanos = Long.MIN_VALUE / 2;

    public WaitWarning(PoolState pool, Refusals refusals, RetryGate gate, Workers workers) {
        this.pool = pool;
        this.refusals = refusals;
        this.gate = gate;
        this.workers = workers;
    }

    /** Warns if it is time to; returns when the thread that has waited the longest will have waited long enough. */
    long look(long now) {
        long threshold = pool.settings.waitWarningThresholdNanos();
        if (isExplained()) {
            explainedNanos = now;
            return Long.MAX_VALUE;
        }
        if (threshold == 0 || pool.queue.sizeVolatile() == 0 || now - saidNanos < ONCE_IN_NANOS) {
            return Long.MAX_VALUE; // while a thread waits there are ticks, at which it is looked at again
        }
        long since = pool.queue.headSinceNanos();
        if (since == Long.MAX_VALUE) {
            return Long.MAX_VALUE;
        }
        long counts = Math.max(since, explainedNanos);
        if (PoolClock.elapsed(now, counts) < threshold) {
            return counts + threshold;
        }
        long waited = PoolClock.elapsed(now, since);
        saidNanos = now;
        // There, since it takes the stacks of waiters.
        workers.say(() -> Log.log(Level.WARNING, "pool '" + pool.name() + "': " + refusals.waitsLong(waited)));
        return Long.MAX_VALUE;
    }

    private boolean isExplained() {
        return !pool.isLending() || pool.phase.get() != PoolState.Phase.STARTED || gate.failures() > 0;
    }
}
