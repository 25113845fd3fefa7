package dev.weir.micrometer;

import dev.weir.WeirDataSource;
import dev.weir.spi.PoolListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;

/**
 * Publishes one pool as meters, each with the tag {@code pool}. It may be bound before the pool is started, and to several
 * registries. What each meter counts is in {@code docs/reference/metrics.md}. Thread-safe.
 *
 * <pre>{@code
 * new WeirMetrics(pool).bindTo(registry);
 * }</pre>
 */
public final class WeirMetrics implements MeterBinder, AutoCloseable {
    private final WeirDataSource pool;
    private final MetricNames names;
    private final Tags extraTags;

    // guarded by this
    private final List<PoolListener> listeners = new ArrayList<>();
    private final List<PoolMeters> bound = new ArrayList<>();

    /** Publishes this pool under Weir's own names. */
    public WeirMetrics(WeirDataSource pool) {
        this(pool, MetricNames.WEIR);
    }

    /** Publishes this pool under these names. */
    public WeirMetrics(WeirDataSource pool, MetricNames names) {
        this(pool, names, List.of());
    }

    /** Publishes this pool under these names, with these tags besides {@code pool}. */
    public WeirMetrics(WeirDataSource pool, MetricNames names, Iterable<Tag> extraTags) {
        this.pool = pool;
        this.names = names;
        this.extraTags = Tags.of(extraTags);
    }

    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        PoolMeters meters = new PoolMeters(
                registry, pool, Tags.of("pool", pool.getPoolName()).and(extraTags));
        PoolListener listener = names == MetricNames.HIKARICP ? new HikariMeters(meters) : new WeirMeters(meters);
        bound.add(meters);
        listeners.add(listener);
        pool.addListener(listener);
    }

    /** Takes the meters out of the registries again. The pool goes on. */
    @Override
    public synchronized void close() {
        listeners.forEach(pool::removeListener);
        listeners.clear();
        bound.forEach(PoolMeters::remove);
        bound.clear();
    }
}
