package dev.weir.spring.boot;

import dev.weir.PoolStats;
import dev.weir.WeirDataSource;
import dev.weir.spi.PoolListener;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Whether the pools can serve. One that has an idle connection is not asked for anything. Where none is idle and that is in
 * doubt, since all are in use, callers wait, or a connect has failed, this waits for a connection as any caller does, so that
 * the answer is that of {@code db}, and a pool that needs no connection does not stay down for want of a caller. If a caller
 * has just waited in vain, as {@code db} has in the same request, this does not wait again.
 */
class WeirHealthIndicator extends AbstractHealthIndicator implements Pools.Observer {
    private final Pools pools;
    private final Map<WeirDataSource, InVain> inVain = Collections.synchronizedMap(new WeakHashMap<>());

    WeirHealthIndicator(Pools pools) {
        super("the health of the pools could not be read");
        this.pools = pools;
    }

    /** The last acquire that timed out since this was looked at, if any. */
    private static final class InVain implements PoolListener {
        private static final long NONE = -1;

        private final WeakReference<WeirDataSource> pool;
        private final AtomicLong acquiredBefore = new AtomicLong(NONE);

        InVain(WeirDataSource pool) {
            this.pool = new WeakReference<>(pool);
        }

        @Override
        public void acquireTimedOut(long waitedNanos) {
            WeirDataSource known = pool.get();
            if (known != null) {
                acquiredBefore.set(known.stats().acquired());
            }
        }

        /** Whether a caller has timed out since the last look, and none has got a connection after it. */
        boolean take(PoolStats stats) {
            return acquiredBefore.getAndSet(NONE) == stats.acquired();
        }
    }

    @Override
    public void appeared(WeirDataSource pool) {
        InVain listener = new InVain(pool);
        inVain.put(pool, listener);
        pool.addListener(listener);
    }

    /** None, which leaves the component out, where there is no pool of ours. */
    @Override
    public @Nullable Health health(boolean includeDetails) {
        return pools.all().isEmpty() ? null : super.health(includeDetails);
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        health.up();
        boolean down = false;
        for (Map.Entry<String, WeirDataSource> entry : pools.all().entrySet()) {
            WeirDataSource pool = entry.getValue();
            String failure = failureOf(pool);
            if (failure != null) {
                health.down();
                down = true;
            } else if (pool.isSuspended() && !down) {
                health.outOfService();
            }
            health.withDetail(entry.getKey(), details(pool, failure));
        }
    }

    /** Why no connection is to be had, or null. */
    private @Nullable String failureOf(WeirDataSource pool) {
        PoolStats stats = pool.stats();
        boolean isInDoubt = stats.waiting() > 0
                || (stats.idle() == 0
                        && (stats.inUse() >= pool.getMaximumPoolSize() || stats.lastOpenFailure() != null));
        if (!isInDoubt || !pool.isRunning() || pool.isSuspended()) {
            return null;
        }
        InVain last = inVain.get(pool);
        if (last != null && last.take(stats)) {
            return "the last acquire timed out"
                    + (stats.lastOpenFailure() == null ? "" : "; last failure to open: " + stats.lastOpenFailure());
        }
        try (Connection connection = pool.getConnection();
                Statement bound = connection.createStatement()) { // which has one of the database in every mode
            return bound.isClosed() ? "the connection is closed" : null;
        } catch (SQLException e) {
            if (last != null) {
                last.take(stats); // this one's own is no other caller's
            }
            return String.valueOf(e.getMessage());
        }
    }

    private static Map<String, Object> details(WeirDataSource pool, @Nullable String failure) {
        PoolStats stats = pool.stats();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("state", PoolReport.stateOf(pool));
        details.put("maximum", pool.getMaximumPoolSize());
        if (stats.serverMaximum() > 0) {
            details.put("serverMaximum", stats.serverMaximum());
        }
        details.put("total", stats.total());
        details.put("inUse", stats.inUse());
        details.put("idle", stats.idle());
        details.put("waiting", stats.waiting());
        if (failure != null) {
            details.put("failure", failure);
        }
        return details;
    }
}
