package dev.weir.micrometer;

import dev.weir.fleet.FleetStats;
import dev.weir.fleet.WeirFleet;
import dev.weir.spi.PoolListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Publishes a member of a fleet as meters, each with the tags {@code pool}, {@code fleet} and {@code application}, beside
 * those of its pool, until the pool is closed. It needs {@code weir-fleet}. What each meter counts is in {@code
 * docs/reference/metrics.md}. Thread-safe.
 *
 * <pre>{@code
 * new FleetMetrics(fleet).bindTo(registry);
 * }</pre>
 */
public final class FleetMetrics implements MeterBinder, AutoCloseable {
    private final WeirFleet fleet;
    private final Tags extraTags;
    private final List<PoolMeters<WeirFleet>> bound = new ArrayList<>(); // guarded by itself

    private final PoolListener end = new PoolListener() {
        @Override
        public void closed() {
            close();
        }
    };

    /** Publishes this member. */
    public FleetMetrics(WeirFleet fleet) {
        this(fleet, List.of());
    }

    /** Publishes this member, with these tags besides those it has. */
    public FleetMetrics(WeirFleet fleet, Iterable<Tag> extraTags) {
        this.fleet = fleet;
        this.extraTags = Tags.of(extraTags);
        fleet.pool().addListener(end); // so the pool keeps it until then, also before it is bound
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        FleetStats now = fleet.stats();
        PoolMeters<WeirFleet> meters = PoolMeters.of(
                registry,
                FleetMetrics.class,
                Tags.of("pool", fleet.pool().getPoolName(), "fleet", now.fleet(), "application", now.application())
                        .and(extraTags),
                fleet);
        synchronized (bound) {
            bound.add(meters);
        }
        gauge(
                meters,
                "weir.fleet.granted",
                "Connections that the member may have now, its own one included",
                FleetStats::granted);
        gauge(meters, "weir.fleet.share", "Connections that it should have", FleetStats::share);
        gauge(meters, "weir.fleet.wanted", "Connections that it could use", FleetStats::wanted);
        common(meters, "weir.fleet.budget", "Connections of the whole fleet", FleetStats::budget);
        common(meters, "weir.fleet.free", "Connections of the fleet that nobody has", FleetStats::free);
        common(meters, "weir.fleet.members", "Members of the fleet", FleetStats::members);
        common(
                meters,
                "weir.fleet.lease.holds",
                "Whether the last grant still holds: 1, or 0",
                stats -> stats.leaseHolds() ? 1 : 0);
        counter(meters, "weir.fleet.renewals", "Renewals that succeeded", FleetStats::renewals);
        counter(meters, "weir.fleet.renewals.failed", "Renewals that failed", FleetStats::failures);
        fleet.pool().addListener(end); // again, after a close
        if (fleet.pool().isClosed()) { // it may have told so before this listened
            close();
        }
    }

    private static void gauge(
            PoolMeters<WeirFleet> meters, String name, String description, ToDoubleFunction<FleetStats> value) {
        meters.gauge(name, description, member -> value.applyAsDouble(member.stats()));
    }

    private static void common(
            PoolMeters<WeirFleet> meters, String name, String description, ToDoubleFunction<FleetStats> value) {
        meters.common(name, description, member -> value.applyAsDouble(member.stats()));
    }

    private static void counter(
            PoolMeters<WeirFleet> meters, String name, String description, ToDoubleFunction<FleetStats> count) {
        meters.counter(name, description, Tags.empty(), member -> count.applyAsDouble(member.stats()));
    }

    /** Takes the meters out of the registries again. The member goes on. */
    @Override
    public void close() {
        fleet.pool().removeListener(end);
        List<PoolMeters<WeirFleet>> all;
        synchronized (bound) {
            all = List.copyOf(bound);
            bound.clear();
        }
        all.forEach(meters -> meters.remove(fleet));
    }
}
