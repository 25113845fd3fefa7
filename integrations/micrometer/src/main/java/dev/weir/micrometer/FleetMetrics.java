package dev.weir.micrometer;

import dev.weir.fleet.FleetStats;
import dev.weir.fleet.WeirFleet;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Publishes a member of a fleet as meters, each with the tags {@code pool}, {@code fleet} and {@code application}, beside
 * those of its pool. It needs {@code weir-fleet}. What each meter counts is in {@code docs/reference/metrics.md}. Thread-safe.
 *
 * <pre>{@code
 * new FleetMetrics(fleet).bindTo(registry);
 * }</pre>
 */
public final class FleetMetrics implements MeterBinder, AutoCloseable {
    private final WeirFleet fleet;
    private final Tags extraTags;
    private final List<PoolMeters> bound = new ArrayList<>(); // guarded by this

    /** Publishes this member. */
    public FleetMetrics(WeirFleet fleet) {
        this(fleet, List.of());
    }

    /** Publishes this member, with these tags besides those it has. */
    public FleetMetrics(WeirFleet fleet, Iterable<Tag> extraTags) {
        this.fleet = fleet;
        this.extraTags = Tags.of(extraTags);
    }

    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        FleetStats now = fleet.stats();
        PoolMeters meters = new PoolMeters(
                registry,
                fleet.pool(),
                Tags.of("pool", fleet.pool().getPoolName(), "fleet", now.fleet(), "application", now.application())
                        .and(extraTags));
        bound.add(meters);
        gauge(
                meters,
                "weir.fleet.granted",
                "Connections that the member may have now, its own one included",
                FleetStats::granted);
        gauge(meters, "weir.fleet.share", "Connections that it should have", FleetStats::share);
        gauge(meters, "weir.fleet.wanted", "Connections that it could use", FleetStats::wanted);
        gauge(meters, "weir.fleet.budget", "Connections of the whole fleet", FleetStats::budget);
        gauge(meters, "weir.fleet.free", "Connections of the fleet that nobody has", FleetStats::free);
        gauge(meters, "weir.fleet.members", "Members of the fleet", FleetStats::members);
        gauge(
                meters,
                "weir.fleet.lease.holds",
                "Whether the last grant still holds: 1, or 0",
                stats -> stats.leaseHolds() ? 1 : 0);
        counter(meters, "weir.fleet.renewals", "Renewals that succeeded", FleetStats::renewals);
        counter(meters, "weir.fleet.renewals.failed", "Renewals that failed", FleetStats::failures);
    }

    private void gauge(PoolMeters meters, String name, String description, ToDoubleFunction<FleetStats> value) {
        meters.keep(Gauge.builder(name, fleet, member -> value.applyAsDouble(member.stats()))
                .description(description)
                .tags(meters.tags)
                .register(meters.registry));
    }

    private void counter(PoolMeters meters, String name, String description, ToDoubleFunction<FleetStats> count) {
        meters.keep(FunctionCounter.builder(name, fleet, member -> count.applyAsDouble(member.stats()))
                .description(description)
                .tags(meters.tags)
                .register(meters.registry));
    }

    /** Takes the meters out of the registries again. The member goes on. */
    @Override
    public synchronized void close() {
        bound.forEach(PoolMeters::remove);
        bound.clear();
    }
}
