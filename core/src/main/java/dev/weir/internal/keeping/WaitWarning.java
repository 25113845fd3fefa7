package dev.weir.internal.keeping;

import dev.weir.internal.shared.PoolState;
import dev.weir.internal.shared.Refusals;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.sources.ConnectFailure;
import dev.weir.internal.text.Log;
import dev.weir.internal.working.Workers;
import dev.weir.spi.FailureClass;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;

/**
 * Warns of threads that wait for long, before the first of them times out: who holds the connections then can still be seen. No
 * waiter looks at a clock for it. All fields are the Keeper's.
 *
 * <p>It says nothing while something else explains the wait, and is in the log: a start that is under way, an operator's
 * suspend(), or an outage. A wait counts from their end.
 *
 * <p>It takes for an outage that connects fail, the pool lacks some, and none is live, or no loan has begun for half the threshold. A
 * server that says that it is full is up: whoever holds the live connections is named, with the failure. Another failure while all
 * live connections are held for long is not told from an outage: only timeouts name the holders then.
 */
public final class WaitWarning {
    private static final long ONCE_IN_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final PoolState pool;
    private final Refusals refusals;
    private final RetryGate gate;
    private final Workers workers;

    private long saidNanos = Long.MIN_VALUE / 2;
    private long explainedNanos = Long.MIN_VALUE / 2;

    /** How many loans had begun at the last look while connects failed, and when that was first so. */
    private long lent = -1;

    private long lentNanos;

    public WaitWarning(PoolState pool, Refusals refusals, RetryGate gate, Workers workers) {
        this.pool = pool;
        this.refusals = refusals;
        this.gate = gate;
        this.workers = workers;
    }

    /** Warns if it is time to; returns when the thread that has waited the longest will have waited long enough. */
    long look(long now) {
        long threshold = pool.settings.waitWarningThresholdNanos();
        if (isExplained(now)) {
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
        boolean fails = fails();
        // There, since it takes the stacks of waiters.
        workers.say(() -> Log.log(Level.WARNING, "pool '" + pool.name() + "': " + refusals.waitsLong(waited, fails)));
        return Long.MAX_VALUE;
    }

    private boolean isExplained(long now) {
        return !pool.isLending() || pool.phase.get() != PoolState.Phase.STARTED || isOutage(now);
    }

    private boolean isOutage(long now) {
        if (!fails()) {
            return false;
        }
        long acquires = pool.slots.acquires();
        if (acquires != lent) {
            lent = acquires;
            lentNanos = now;
        }
        ConnectFailure failure = pool.connects.lastFailure;
        boolean full = failure != null && failure.kind() == FailureClass.TOO_MANY_CONNECTIONS;
        return pool.slots.live() == 0 || (!full && now - lentNanos >= pool.settings.waitWarningThresholdNanos() / 2);
    }

    private boolean fails() {
        return gate.failures() > 0 && pool.slots.live() < pool.settings.maximumPoolSize();
    }
}
