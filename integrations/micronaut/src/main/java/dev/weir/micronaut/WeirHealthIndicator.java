package dev.weir.micronaut;

import dev.weir.PoolStats;
import dev.weir.WeirDataSource;
import io.micronaut.context.annotation.Requires;
import io.micronaut.core.async.publisher.Publishers;
import io.micronaut.core.util.StringUtils;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.endpoint.health.HealthEndpoint;
import io.micronaut.management.health.indicator.HealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import jakarta.inject.Singleton;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/**
 * Whether the pools can serve, without a connection and a round trip, which Micronaut's own indicator {@code jdbc} takes: down
 * while a pool is suspended, or should have connections and has none because they cannot be opened.
 */
@Singleton
@Requires(classes = HealthIndicator.class)
@Requires(beans = HealthEndpoint.class)
@Requires(property = HealthEndpoint.PREFIX + ".weir.enabled", notEquals = StringUtils.FALSE)
final class WeirHealthIndicator implements HealthIndicator {
    private final Pools pools;

    WeirHealthIndicator(Pools pools) {
        this.pools = pools;
    }

    @Override
    public Publisher<HealthResult> getResult() {
        boolean up = true;
        Map<String, Object> details = new LinkedHashMap<>();
        for (Map.Entry<String, WeirDataSource> entry : pools.all().entrySet()) {
            WeirDataSource pool = entry.getValue();
            PoolStats stats = pool.stats();
            String lastFailure = stats.lastOpenFailure();
            boolean cannotOpen = stats.total() == 0 && pool.getMinimumPoolSize() > 0 && lastFailure != null;
            up &= pool.isRunning() && !pool.isSuspended() && !cannotOpen;
            details.put(entry.getKey(), details(pool, stats, cannotOpen ? lastFailure : null));
        }
        return details.isEmpty() // of an application whose pools are others
                ? Publishers.empty()
                : Publishers.just(HealthResult.builder("weir", up ? HealthStatus.UP : HealthStatus.DOWN)
                        .details(details)
                        .build());
    }

    private static Map<String, Object> details(WeirDataSource pool, PoolStats stats, @Nullable String failure) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("state", pool.isSuspended() ? "suspended" : pool.isRunning() ? "running" : "closed");
        details.put("maximum", pool.getMaximumPoolSize());
        details.put("total", stats.total());
        details.put("inUse", stats.inUse());
        details.put("idle", stats.idle());
        details.put("waiting", stats.waiting());
        if (failure != null) {
            details.put("lastOpenFailure", failure);
        }
        return details;
    }
}
