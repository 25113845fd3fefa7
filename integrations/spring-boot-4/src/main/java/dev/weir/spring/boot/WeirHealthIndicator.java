package dev.weir.spring.boot;

import dev.weir.PoolStats;
import dev.weir.WeirDataSource;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Whether the pools can serve, without a round trip: out of service while one is suspended, down while one that should have
 * connections has none because they cannot be opened.
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
            PoolStats stats = pool.stats();
            boolean cannotOpen = stats.total() == 0 && pool.getMinimumPoolSize() > 0 && stats.lastOpenFailure() != null;
            if (pool.isSuspended() && !down) {
                health.outOfService();
            } else if (cannotOpen && pool.isRunning()) {
                health.down();
                down = true;
            }
            health.withDetail(entry.getKey(), details(pool, stats, cannotOpen));
        }
    }

    private static Map<String, Object> details(WeirDataSource pool, PoolStats stats, boolean cannotOpen) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("state", WeirEndpoint.stateOf(pool));
        details.put("maximum", pool.getMaximumPoolSize());
        if (stats.serverMaximum() > 0) {
            details.put("serverMaximum", stats.serverMaximum());
        }
        details.put("total", stats.total());
        details.put("inUse", stats.inUse());
        details.put("idle", stats.idle());
        details.put("waiting", stats.waiting());
        if (cannotOpen && stats.lastOpenFailure() != null) {
            details.put("lastOpenFailure", stats.lastOpenFailure());
        }
        return details;
    }
}
