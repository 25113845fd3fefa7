package dev.weir.dropwizard;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.Metric;
import com.codahale.metrics.MetricRegistry;
import dev.weir.PoolStats;
import dev.weir.RetireReason;
import dev.weir.WeirDataSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * The metrics of one pool under the names that dashboards know: {@code <name>.pool.*} as HikariCP has them, of the same
 * types and units, and the gauges of Dropwizard's Tomcat pool as far as they mean something here.
 */
final class PoolMetrics {
    private static final String OF_TOMCAT = "io.dropwizard.db.ManagedPooledDataSource";

    private final MetricRegistry registry;
    private final Map<String, Metric> metrics = new LinkedHashMap<>();

    private PoolMetrics(MetricRegistry registry) {
        this.registry = registry;
    }

    /**
     * Registers them all.
     *
     * @throws IllegalArgumentException if there is a pool of this name in the registry
     */
    static PoolMetrics register(MetricRegistry registry, String poolName, WeirDataSource pool) {
        PoolMetrics all = new PoolMetrics(registry);
        String ours = MetricRegistry.name(poolName, "pool");
        all.gauge(ours, "TotalConnections", pool, PoolStats::total);
        all.gauge(ours, "IdleConnections", pool, PoolStats::idle);
        all.gauge(ours, "ActiveConnections", pool, PoolStats::inUse);
        all.gauge(ours, "PendingConnections", pool, PoolStats::waiting);
        all.metrics.put(MetricRegistry.name(ours, "MaxConnections"), (Gauge<Integer>) pool::getMaximumPoolSize);
        all.metrics.put(MetricRegistry.name(ours, "MinConnections"), (Gauge<Integer>) pool::getMinimumPoolSize);
        String tomcats = MetricRegistry.name(OF_TOMCAT, poolName);
        all.gauge(tomcats, "active", pool, PoolStats::inUse);
        all.gauge(tomcats, "idle", pool, PoolStats::idle);
        all.gauge(tomcats, "waiting", pool, PoolStats::waiting);
        all.gauge(tomcats, "size", pool, PoolStats::total);
        all.gauge(tomcats, "created", pool, PoolStats::opened);
        all.gauge(tomcats, "borrowed", pool, PoolStats::acquired);
        all.gauge(tomcats, "returned", pool, stats -> Math.max(0, stats.acquired() - stats.inUse()));
        all.gauge(tomcats, "released", pool, PoolMetrics::closed);
        all.gauge(tomcats, "releasedIdle", pool, stats -> stats.retired().getOrDefault(RetireReason.SURPLUS, 0L));
        registry.registerAll(() -> all.metrics);
        return all;
    }

    private <N extends Number> void gauge(
            String prefix, String name, WeirDataSource pool, Function<PoolStats, N> number) {
        metrics.put(MetricRegistry.name(prefix, name), (Gauge<N>) () -> number.apply(pool.stats()));
    }

    private static long closed(PoolStats stats) {
        return stats.retired().values().stream().mapToLong(Long::longValue).sum();
    }

    /** Takes them out of the registry. */
    void unregister() {
        metrics.keySet().forEach(registry::remove);
    }
}
