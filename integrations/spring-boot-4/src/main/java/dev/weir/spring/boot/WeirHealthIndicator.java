package dev.weir.spring.boot;

import dev.weir.PoolStats;
import dev.weir.WeirDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Whether the pools can serve. One that serves is not asked for anything. Where that is in doubt, since the last connect
 * failed and there is no connection, or since callers wait, this waits for a connection as any caller does, so that the
 * answer is that of {@code db}, and a pool that needs no connection does not stay down for want of a caller.
 */
final class WeirHealthIndicator extends AbstractHealthIndicator {
    private final Pools pools;

    WeirHealthIndicator(Pools pools) {
        super("the health of the pools could not be read");
        this.pools = pools;
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
    private static @Nullable String failureOf(WeirDataSource pool) {
        PoolStats stats = pool.stats();
        boolean isInDoubt = stats.waiting() > 0 || (stats.total() == 0 && stats.lastOpenFailure() != null);
        if (!isInDoubt || !pool.isRunning() || pool.isSuspended()) {
            return null;
        }
        try (Connection connection = pool.getConnection()) {
            return connection.isClosed() ? "the connection is closed" : null;
        } catch (SQLException e) {
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
