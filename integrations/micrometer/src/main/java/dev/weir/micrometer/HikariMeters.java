package dev.weir.micrometer;

import dev.weir.WeirDataSource;
import dev.weir.spi.PoolListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.TimeWindowMax;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * The meters under the names of HikariCP 7, of the same kinds, units and descriptions, so that what reads one pool reads the
 * other.
 *
 * <p>HikariCP records every acquire; Weir does not report an acquire that did not wait. So the acquire timer is one of
 * functions: the count is that of the pool, the time that of those who waited, and the maximum is a gauge of its own, with
 * the name that Prometheus gives to the maximum of a timer. Where another pool's real timer of this name comes into the
 * same registry that gauge goes: older Prometheus clients (1.3, of Micrometer 1.15) fail every
 * scrape that has one name in two families.
 */
final class HikariMeters implements PoolListener {
    private static final String ACQUIRE = "hikaricp.connections.acquire";
    private static final String ACQUIRE_MAX = ACQUIRE + ".seconds.max";
    private static final String ACQUIRE_DESCRIPTION = "Connection acquire time";
    private static final long MAX_ROTATES_MILLIS = TimeUnit.MINUTES.toMillis(2) / 3; // as Micrometer's timers do
    private static final int MAX_BUFFERS = 3;

    private final PoolMeters meters;
    private final Timer usage;
    private final Timer creation;
    private final Counter timeout;
    private final LongAdder waited = new LongAdder();
    private final TimeWindowMax longest;

    HikariMeters(PoolMeters meters) {
        this.meters = meters;
        MeterRegistry registry = meters.registry;
        longest = new TimeWindowMax(registry.config().clock(), MAX_ROTATES_MILLIS, MAX_BUFFERS);
        meters.keep(FunctionTimer.builder(
                        ACQUIRE, this, HikariMeters::acquires, self -> self.waited.sum(), TimeUnit.NANOSECONDS)
                .description(ACQUIRE_DESCRIPTION)
                .tags(meters.tags)
                .register(registry));
        creation = meters.timer("hikaricp.connections.creation", "Connection creation time");
        usage = meters.timer("hikaricp.connections.usage", "Connection usage time");
        timeout = meters.counter("hikaricp.connections.timeout", "Connection timeout total count", Tags.empty());
        meters.gauge(
                "hikaricp.connections",
                "Total connections",
                pool -> pool.stats().total());
        meters.gauge(
                "hikaricp.connections.idle",
                "Idle connections",
                pool -> pool.stats().idle());
        meters.gauge(
                "hikaricp.connections.active",
                "Active connections",
                pool -> pool.stats().inUse());
        meters.gauge(
                "hikaricp.connections.pending",
                "Pending threads",
                pool -> pool.stats().waiting());
        meters.gauge("hikaricp.connections.max", "Max connections", WeirDataSource::getMaximumPoolSize);
        meters.gauge("hikaricp.connections.min", "Min connections", WeirDataSource::getMinimumPoolSize);
        registerMaximum(registry);
    }

    private void registerMaximum(MeterRegistry registry) {
        Gauge maximum = meters.keep(Gauge.builder(ACQUIRE_MAX, longest, max -> max.poll(TimeUnit.SECONDS))
                .description(ACQUIRE_DESCRIPTION)
                .tags(meters.tags)
                .register(registry));
        registry.config().onMeterAdded(meter -> {
            if (isOthersTimer(meter)) {
                meters.remove(maximum);
            }
        });
        if (registry.getMeters().stream().anyMatch(HikariMeters::isOthersTimer)) {
            meters.remove(maximum);
        }
    }

    private static boolean isOthersTimer(Meter meter) {
        return meter instanceof Timer && meter.getId().getName().equals(ACQUIRE);
    }

    /** Those that timed out are among HikariCP's too. */
    private long acquires() {
        return meters.pool.stats().acquired() + meters.pool.stats().timedOut();
    }

    private void waited(long nanos) {
        waited.add(nanos);
        longest.record((double) nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void acquireWaited(long waitedNanos) {
        waited(waitedNanos);
    }

    @Override
    public void acquireTimedOut(long waitedNanos) {
        waited(waitedNanos);
        timeout.increment();
    }

    @Override
    public void used(long usedNanos, long loans) {
        usage.record(usedNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void opened(long tookNanos) {
        creation.record(tookNanos, TimeUnit.NANOSECONDS);
    }
}
