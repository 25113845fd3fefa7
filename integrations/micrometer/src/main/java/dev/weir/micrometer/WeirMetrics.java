package dev.weir.micrometer;

import dev.weir.WeirDataSource;
import dev.weir.spi.FailureClass;
import dev.weir.spi.PoolListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Publishes one pool as meters, each with the tag {@code pool}, until the pool is closed. It may be bound before the pool is
 * started, and to several registries. Connects are counted from the construction of this on, so that those of the start are
 * among them where the registry comes later. Pools with the same name and tags in one registry, at once or one after the
 * other, have the same meters: gauges show the sum of those that are there, counters go on. What each meter counts is in
 * {@code docs/reference/metrics.md}. Thread-safe.
 *
 * <pre>{@code
 * new WeirMetrics(pool).bindTo(registry);
 * }</pre>
 */
public final class WeirMetrics implements MeterBinder, AutoCloseable {
    /** How many connects are remembered until there is a registry. */
    private static final int KEPT = 1_000;

    private final WeirDataSource pool;
    private final MetricNames names;
    private final Tags extraTags;
    private final PoolListener connects = new Connects();

    // guarded by this
    private final List<Consumer<PoolListener>> early = new ArrayList<>();
    private final List<Bound> bound = new ArrayList<>();

    /** What is published in one registry. */
    private record Bound(PoolMeters<WeirDataSource> meters, PoolListener loans, PoolListener connects) {}

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
        pool.addListener(connects);
    }

    private final class Connects implements PoolListener {
        @Override
        public void opened(long tookNanos) {
            tell(meters -> meters.opened(tookNanos));
        }

        @Override
        public void openFailed(long tookNanos, FailureClass kind) {
            tell(meters -> meters.openFailed(tookNanos, kind));
        }

        @Override
        public void closed() {
            close();
        }
    }

    /** Each event is either kept for the first registry, or told to those that are there. */
    private void tell(Consumer<PoolListener> event) {
        List<Bound> told;
        synchronized (this) {
            if (bound.isEmpty() && early.size() < KEPT) {
                early.add(event);
            }
            told = List.copyOf(bound);
        }
        told.forEach(one -> event.accept(one.connects));
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        PoolMeters<WeirDataSource> meters = PoolMeters.of(
                registry, names, Tags.of("pool", pool.getPoolName()).and(extraTags), pool);
        Bound one;
        if (names == MetricNames.HIKARICP) {
            HikariMeters hikaris = new HikariMeters(meters);
            one = new Bound(meters, hikaris, hikaris.connects());
        } else {
            WeirMeters own = new WeirMeters(meters);
            one = new Bound(meters, own, own.connects());
        }
        List<Consumer<PoolListener>> before;
        synchronized (this) {
            before = List.copyOf(early);
            bound.add(one);
        }
        before.forEach(event -> event.accept(one.connects));
        pool.addListener(connects); // again, after a close
        pool.addListener(one.loans);
        if (pool.isClosed()) { // it may have told so before this listened
            close();
        }
    }

    /** Takes the meters out of the registries again. The pool goes on. */
    @Override
    public void close() {
        List<Bound> all;
        synchronized (this) {
            all = List.copyOf(bound);
            bound.clear();
            early.clear();
        }
        pool.removeListener(connects);
        for (Bound one : all) {
            pool.removeListener(one.loans);
            one.meters.remove(pool);
        }
    }
}
