package dev.weir.micrometer;

import dev.weir.PoolStats;
import dev.weir.WeirDataSource;
import dev.weir.spi.PoolListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;

/**
 * The meters under the names of HikariCP 7, of the same kinds, units and descriptions, so that what reads one pool reads the
 * other.
 */
final class HikariMeters implements PoolListener {
    private final Timer acquire;
    private final Timer usage;
    private final Timer creation;
    private final Counter timeout;

    HikariMeters(PoolMeters<WeirDataSource> meters) {
        acquire = meters.timer("hikaricp.connections.acquire", "Connection acquire time");
        creation = meters.timer("hikaricp.connections.creation", "Connection creation time");
        usage = meters.timer("hikaricp.connections.usage", "Connection usage time");
        timeout = meters.counter("hikaricp.connections.timeout", "Connection timeout total count", Tags.empty());
        meters.gauge("hikaricp.connections", "Total connections", WeirMeters.stats(PoolStats::total));
        meters.gauge("hikaricp.connections.idle", "Idle connections", WeirMeters.stats(PoolStats::idle));
        meters.gauge("hikaricp.connections.active", "Active connections", WeirMeters.stats(PoolStats::inUse));
        meters.gauge("hikaricp.connections.pending", "Pending threads", WeirMeters.stats(PoolStats::waiting));
        meters.gauge("hikaricp.connections.max", "Max connections", WeirDataSource::getMaximumPoolSize);
        meters.gauge("hikaricp.connections.min", "Min connections", WeirDataSource::getMinimumPoolSize);
    }

    @Override
    public void acquired(long waitedNanos) {
        acquire.record(waitedNanos, TimeUnit.NANOSECONDS);
    }

    /** HikariCP's {@code acquire} has these too. */
    @Override
    public void acquireTimedOut(long waitedNanos) {
        acquire.record(waitedNanos, TimeUnit.NANOSECONDS);
        timeout.increment();
    }

    @Override
    public void used(long usedNanos) {
        usage.record(usedNanos, TimeUnit.NANOSECONDS);
    }

    /** Is told of connects alone, also of those before there was a registry. */
    PoolListener connects() {
        return new PoolListener() {
            @Override
            public void opened(long tookNanos) {
                creation.record(tookNanos, TimeUnit.NANOSECONDS);
            }
        };
    }
}
