package dev.weir.dropwizard;

import com.codahale.metrics.ExponentiallyDecayingReservoir;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.Histogram;
import com.codahale.metrics.Meter;
import com.codahale.metrics.Metric;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Timer;
import dev.weir.LoanTimes;
import dev.weir.PoolStats;
import dev.weir.RetireReason;
import dev.weir.WeirDataSource;
import dev.weir.spi.PoolListener;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The metrics of one pool under the names that dashboards know: {@code <name>.pool.*} as HikariCP has them, of the same
 * types and units, and the gauges of Dropwizard's Tomcat pool as far as they mean something here. They go when the pool is
 * closed, by whomever.
 */
final class PoolMetrics implements PoolListener {
    private static final String OF_TOMCAT = "io.dropwizard.db.ManagedPooledDataSource";

    private final MetricRegistry registry;
    private final WeirDataSource pool;
    private final Map<String, Metric> metrics = new LinkedHashMap<>();
    private final Timer wait = new Timer();
    private final Histogram usage = new Histogram(new ExponentiallyDecayingReservoir());
    private final Histogram creation = new Histogram(new ExponentiallyDecayingReservoir());
    private final Meter timeouts = new Meter();
    private final Meter leaks = new Meter();

    private PoolMetrics(MetricRegistry registry, WeirDataSource pool) {
        this.registry = registry;
        this.pool = pool;
    }

    /**
     * Registers them; those of a pool that is closed go, also where not all could be registered.
     *
     * @throws IllegalArgumentException if there is a pool of this name in the registry
     */
    static void register(MetricRegistry registry, String poolName, WeirDataSource pool) {
        PoolMetrics all = new PoolMetrics(registry, pool);
        all.likeHikari(MetricRegistry.name(poolName, "pool") + ".");
        all.likeTomcat(MetricRegistry.name(OF_TOMCAT, poolName) + ".");
        pool.addListener(all);
        registry.registerAll(() -> all.metrics);
    }

    private void likeHikari(String prefix) {
        gauge(prefix + "TotalConnections", PoolStats::total);
        gauge(prefix + "IdleConnections", PoolStats::idle);
        gauge(prefix + "ActiveConnections", PoolStats::inUse);
        gauge(prefix + "PendingConnections", PoolStats::waiting);
        metrics.put(prefix + "MaxConnections", (Gauge<Integer>) pool::getMaximumPoolSize);
        metrics.put(prefix + "MinConnections", (Gauge<Integer>) pool::getMinimumPoolSize);
        metrics.put(prefix + "Wait", wait);
        metrics.put(prefix + "Usage", usage);
        metrics.put(prefix + "ConnectionCreation", creation);
        metrics.put(prefix + "ConnectionTimeoutRate", timeouts);
        metrics.put(prefix + "ConnectionLeakRate", leaks);
        gauge(prefix + "PinnedConnections", stats -> sum(stats.pinned()));
        loanTime(prefix + "BeforeFirstStatementMillis", LoanTimes::beforeFirstStatement);
        loanTime(prefix + "InDriverMillis", LoanTimes::inDriver);
        loanTime(prefix + "BetweenTransactionsMillis", LoanTimes::betweenTransactions);
        loanTime(prefix + "IdleInTransactionMillis", LoanTimes::idleInTransaction);
    }

    /** HikariCP has none of these. */
    private void loanTime(String name, Function<LoanTimes, Duration> time) {
        gauge(name, stats -> time.apply(stats.loanTimes()).toMillis());
    }

    private void likeTomcat(String prefix) {
        gauge(prefix + "active", PoolStats::inUse);
        gauge(prefix + "idle", PoolStats::idle);
        gauge(prefix + "waiting", PoolStats::waiting);
        gauge(prefix + "size", PoolStats::total);
        gauge(prefix + "created", PoolStats::opened);
        gauge(prefix + "borrowed", PoolStats::acquired);
        gauge(prefix + "returned", stats -> Math.max(0, stats.acquired() - stats.inUse()));
        gauge(prefix + "released", PoolMetrics::closed);
        gauge(prefix + "releasedIdle", stats -> stats.retired().getOrDefault(RetireReason.SURPLUS, 0L));
    }

    private <N extends Number> void gauge(String name, Function<PoolStats, N> number) {
        metrics.put(name, (Gauge<N>) () -> number.apply(pool.stats()));
    }

    private static long closed(PoolStats stats) {
        return sum(stats.retired());
    }

    private static long sum(Map<?, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public void acquired(long waitedNanos) {
        wait.update(waitedNanos, TimeUnit.NANOSECONDS);
    }

    /** HikariCP's {@code Wait} has these too: what a dashboard shows while the database is away. */
    @Override
    public void acquireTimedOut(long waitedNanos) {
        wait.update(waitedNanos, TimeUnit.NANOSECONDS);
        timeouts.mark();
    }

    @Override
    public void used(long usedNanos) {
        usage.update(TimeUnit.NANOSECONDS.toMillis(usedNanos));
    }

    @Override
    public void leaked(long heldNanos) {
        leaks.mark();
    }

    @Override
    public void opened(long tookNanos) {
        creation.update(TimeUnit.NANOSECONDS.toMillis(tookNanos));
    }

    /** Takes them out of the registry, but not those that another pool has there under the same names. */
    @Override
    public void closed() {
        registry.removeMatching((name, metric) -> metrics.get(name) == metric);
    }
}
