package dev.weir.dropwizard;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.Metric;
import com.codahale.metrics.MetricRegistry;
import dev.weir.WeirDataSource;
import dev.weir.fleet.FleetOptions;
import dev.weir.fleet.FleetStats;
import dev.weir.fleet.WeirFleet;
import dev.weir.spi.PoolListener;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A pool as a member of a fleet, from its first use until it stops. Who comes first joins, without a lock; who comes
 * meanwhile waits for that. The one class that sees the fleet's module, which is optional. Thread-safe.
 */
final class FleetMember {
    private static final Pattern FAULT = Pattern.compile("fleet (\\w+): (.*)", Pattern.DOTALL);
    private static final String AUTO = "auto";

    private final WeirDataSource pool;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final FutureTask<WeirFleet> joining;
    private final Map<String, Metric> metrics = new LinkedHashMap<>();
    private volatile @Nullable WeirFleet fleet;

    FleetMember(WeirDataSource pool, String poolName, FleetConfiguration configuration, MetricRegistry registry) {
        FleetOptions options = options(configuration);
        this.pool = pool;
        this.joining = new FutureTask<>(() -> WeirFleet.join(pool, options));
        String prefix = MetricRegistry.name(poolName, "fleet") + ".";
        gauge(prefix + "Granted", 0, FleetStats::granted);
        gauge(prefix + "Share", 0, FleetStats::share);
        gauge(prefix + "Wanted", 0, FleetStats::wanted);
        gauge(prefix + "Budget", 0, FleetStats::budget);
        gauge(prefix + "Free", 0, FleetStats::free);
        gauge(prefix + "Members", 0, FleetStats::members);
        gauge(prefix + "LeaseHolds", false, FleetStats::leaseHolds);
        gauge(prefix + "Renewals", 0L, FleetStats::renewals);
        gauge(prefix + "FailedRenewals", 0L, FleetStats::failures);
        pool.addListener(new PoolListener() {
            @Override
            public void closed() {
                registry.removeMatching((name, metric) -> metrics.get(name) == metric);
            }
        });
        registry.registerAll(() -> metrics);
    }

    private <T> void gauge(String name, T before, Function<FleetStats, T> value) {
        metrics.put(name, (Gauge<T>) () -> {
            WeirFleet member = fleet;
            return member == null ? before : value.apply(member.stats());
        });
    }

    static List<String> faults(FleetConfiguration configuration) {
        try {
            FleetOptions unused = options(configuration);
            return List.of();
        } catch (IllegalArgumentException e) {
            Matcher fault = FAULT.matcher(String.valueOf(e.getMessage()));
            return List.of(
                    fault.matches()
                            ? (fault.group(1).equals("fleet") ? "name" : fault.group(1)) + ": " + fault.group(2)
                            : String.valueOf(e.getMessage()));
        }
    }

    private static FleetOptions options(FleetConfiguration given) {
        FleetOptions options = FleetOptions.of(String.valueOf(given.name), String.valueOf(given.application));
        return options.withBudget(budget(given.budget))
                .withLeaveForOthers(given.leaveForOthers)
                .withShare(given.weight, given.guaranteed)
                .withInstances(given.instances)
                .withLease(
                        given.lease == null ? options.lease() : given.lease.toJavaDuration(),
                        given.forgetAfter == null ? options.forgetAfter() : given.forgetAfter.toJavaDuration())
                .withCreateTables(given.createTables);
    }

    /** A number that is written is none that stands for auto. */
    private static int budget(@Nullable String text) {
        if (text == null || text.equalsIgnoreCase(AUTO)) {
            return FleetOptions.AUTO;
        }
        if (!text.matches("[1-9]\\d{0,8}")) {
            throw new IllegalArgumentException("fleet budget: " + text + " (expected: auto, or 3 and more)");
        }
        return Integer.parseInt(text);
    }

    /**
     * Joins if nobody did.
     *
     * @throws SQLException if the fleet refuses the pool
     */
    void join() throws SQLException {
        if (fleet != null) {
            return;
        }
        if (begun.compareAndSet(false, true)) {
            joining.run();
        }
        try {
            fleet = joining.get();
        } catch (CancellationException e) {
            return; // it is closed, as the pool will say
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (cause instanceof SQLException refused) {
                throw refused;
            }
            throw new IllegalStateException(pool.getPoolName() + ": " + cause.getMessage(), cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException(
                    pool.getPoolName() + ": interrupted while the pool joined its fleet", "08001", e);
        }
    }

    /** Closes the pool and gives its places to the others. */
    void close() {
        if (begun.compareAndSet(false, true)) {
            joining.cancel(false);
        }
        try {
            joining.get().close();
        } catch (CancellationException | ExecutionException e) {
            pool.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            pool.close();
        }
    }
}
