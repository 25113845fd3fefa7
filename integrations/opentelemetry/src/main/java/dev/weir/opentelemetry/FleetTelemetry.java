package dev.weir.opentelemetry;

import dev.weir.fleet.FleetStats;
import dev.weir.fleet.WeirFleet;
import dev.weir.spi.PoolListener;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;

/**
 * Publishes a member of a fleet through OpenTelemetry, from {@link #install} until {@link #close} or the close of its pool. It needs
 * {@code weir-fleet}. The semantic conventions have no names for this; what each instrument counts is in {@code
 * docs/reference/metrics.md}. Thread-safe.
 *
 * <pre>{@code
 * FleetTelemetry telemetry = FleetTelemetry.install(openTelemetry, fleet);
 * }</pre>
 */
public final class FleetTelemetry implements AutoCloseable {
    private static final String CONNECTIONS = "{connection}";

    private final WeirFleet fleet;
    private final Attributes attributes;
    private final ObservableLongMeasurement granted;
    private final ObservableLongMeasurement share;
    private final ObservableLongMeasurement wanted;
    private final ObservableLongMeasurement budget;
    private final ObservableLongMeasurement free;
    private final ObservableLongMeasurement count;
    private final ObservableLongMeasurement leaseHolds;
    private final ObservableLongMeasurement renewals;
    private final ObservableLongMeasurement failures;
    private final Together<WeirFleet> members;

    private final PoolListener end = new PoolListener() {
        @Override
        public void closed() {
            close();
        }
    };

    private FleetTelemetry(OpenTelemetry openTelemetry, WeirFleet fleet) {
        this.fleet = fleet;
        Meter meter = WeirTelemetry.meter(openTelemetry);
        FleetStats now = fleet.stats();
        attributes = Attributes.of(
                Conventions.POOL_NAME,
                fleet.pool().getPoolName(),
                Conventions.FLEET,
                now.fleet(),
                Conventions.APPLICATION,
                now.application());
        granted = upDown(
                meter, "granted", CONNECTIONS, "Connections that the member may have now, its own one included.");
        share = upDown(meter, "share", CONNECTIONS, "Connections that the member should have.");
        wanted = upDown(meter, "wanted", CONNECTIONS, "Connections that the member could use.");
        budget = gauge(meter, "budget", CONNECTIONS, "Connections of the whole fleet.");
        free = gauge(meter, "free", CONNECTIONS, "Connections of the fleet that nobody has.");
        count = gauge(meter, "members", "{member}", "Members of the fleet.");
        leaseHolds = gauge(meter, "lease_holds", "1", "Whether the last grant still holds: 1, or 0.");
        renewals = counter(meter, "renewals", "{renewal}", "Renewals that succeeded.");
        failures = counter(meter, "failed_renewals", "{renewal}", "Renewals that failed.");
        members = Together.of(
                openTelemetry,
                attributes,
                fleet,
                together -> meter.batchCallback(
                        () -> observe(together),
                        granted,
                        share,
                        wanted,
                        budget,
                        free,
                        count,
                        leaseHolds,
                        renewals,
                        failures));
    }

    /** Publishes this member. */
    public static FleetTelemetry install(OpenTelemetry openTelemetry, WeirFleet fleet) {
        FleetTelemetry telemetry = new FleetTelemetry(openTelemetry, fleet);
        fleet.pool().addListener(telemetry.end);
        if (fleet.pool().isClosed()) { // it may have told so before this listened
            telemetry.close();
        }
        return telemetry;
    }

    /** What may be added up over the members. */
    private static ObservableLongMeasurement upDown(Meter meter, String name, String unit, String description) {
        return meter.upDownCounterBuilder(Conventions.OF_FLEET + name)
                .setUnit(unit)
                .setDescription(description)
                .buildObserver();
    }

    /** What each member sees of the same thing, and a sum would be wrong. */
    private static ObservableLongMeasurement gauge(Meter meter, String name, String unit, String description) {
        return meter.gaugeBuilder(Conventions.OF_FLEET + name)
                .ofLongs()
                .setUnit(unit)
                .setDescription(description)
                .buildObserver();
    }

    private static ObservableLongMeasurement counter(Meter meter, String name, String unit, String description) {
        return meter.counterBuilder(Conventions.OF_FLEET + name)
                .setUnit(unit)
                .setDescription(description)
                .buildObserver();
    }

    private void observe(Together<WeirFleet> all) {
        granted.record(all.sum(one -> one.stats().granted()), attributes);
        share.record(all.sum(one -> one.stats().share()), attributes);
        wanted.record(all.sum(one -> one.stats().wanted()), attributes);
        budget.record(all.newest(one -> one.stats().budget()), attributes);
        free.record(all.newest(one -> one.stats().free()), attributes);
        count.record(all.newest(one -> one.stats().members()), attributes);
        leaseHolds.record(all.newest(one -> one.stats().leaseHolds() ? 1 : 0), attributes);
        renewals.record(all.sum(one -> one.stats().renewals()), attributes);
        failures.record(all.sum(one -> one.stats().failures()), attributes);
    }

    /** Ends the observation. The member goes on. */
    @Override
    public void close() {
        fleet.pool().removeListener(end);
        members.remove(fleet);
    }
}
