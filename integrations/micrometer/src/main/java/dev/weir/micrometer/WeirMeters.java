package dev.weir.micrometer;

import dev.weir.LoanTimes;
import dev.weir.PoolStats;
import dev.weir.RetireReason;
import dev.weir.WeirDataSource;
import dev.weir.spi.FailureClass;
import dev.weir.spi.PoolListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The meters under Weir's own names. */
final class WeirMeters implements PoolListener {
    private final Timer acquire;
    private final Timer wait;
    private final Timer usage;
    private final Counter leaked;
    private final Connects connects;

    WeirMeters(PoolMeters<WeirDataSource> meters) {
        meters.gauge("weir.connections", "Connections that exist", stats(PoolStats::total));
        meters.gauge("weir.connections.in.use", "Connections on loan", stats(PoolStats::inUse));
        meters.gauge("weir.connections.idle", "Connections that could be lent at once", stats(PoolStats::idle));
        meters.gauge("weir.connections.opening", "Connects under way", stats(PoolStats::opening));
        meters.gauge(
                "weir.connections.closing",
                "Connections being closed, and connects given up that have not ended",
                stats(PoolStats::closing));
        meters.gauge("weir.connections.waiting", "Threads that wait for a connection", stats(PoolStats::waiting));
        meters.gauge(
                "weir.connections.max",
                "The greatest number of connections allowed",
                WeirDataSource::getMaximumPoolSize);
        meters.gauge(
                "weir.connections.min", "The least number of connections kept", WeirDataSource::getMinimumPoolSize);
        meters.counter("weir.connections.acquired", "Connections lent", Tags.empty(), stats(PoolStats::acquired));
        meters.counter(
                "weir.connections.timeout",
                "Acquires that got no connection in time",
                Tags.empty(),
                stats(PoolStats::timedOut));
        for (RetireReason reason : RetireReason.values()) {
            meters.counter(
                    "weir.connections.retired",
                    "Connections given up",
                    Tags.of("reason", lower(reason)),
                    pool -> pool.stats().retired().getOrDefault(reason, 0L));
        }
        meters.counter(
                "weir.connections.pinned",
                "Connections that stayed with their users in the mode transaction",
                Tags.empty(),
                pool -> pool.stats().pinned().values().stream()
                        .mapToLong(Long::longValue)
                        .sum());
        loanTime(meters, "before_first_statement", LoanTimes::beforeFirstStatement);
        loanTime(meters, "in_driver", LoanTimes::inDriver);
        loanTime(meters, "between_transactions", LoanTimes::betweenTransactions);
        loanTime(meters, "idle_in_transaction", LoanTimes::idleInTransaction);
        leaked = meters.counter(
                "weir.connections.leaked", "Loans that lasted longer than leakDetectionThreshold", Tags.empty());
        acquire =
                meters.timer("weir.connections.acquire", "Time until an acquire got its connection; 0 without a wait");
        wait = meters.timer("weir.connections.wait", "Time waited, by the acquires that had to wait");
        usage = meters.timer("weir.connections.usage", "Time on loan");
        connects = new Connects(meters);
    }

    /** Is told of connects alone, also of those before there was a registry. */
    PoolListener connects() {
        return connects;
    }

    static ToDoubleFunction<WeirDataSource> stats(ToDoubleFunction<PoolStats> count) {
        return pool -> count.applyAsDouble(pool.stats());
    }

    private static void loanTime(PoolMeters<WeirDataSource> meters, String spent, Function<LoanTimes, Duration> time) {
        meters.counter(
                "weir.loans.seconds",
                "Time on loan by what the holder did, in seconds, from samples",
                Tags.of("spent", spent),
                pool -> time.apply(pool.stats().loanTimes()).toNanos() / 1e9);
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public void acquired(long waitedNanos) {
        acquire.record(waitedNanos, TimeUnit.NANOSECONDS);
        if (waitedNanos > 0) {
            wait.record(waitedNanos, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void used(long usedNanos) {
        usage.record(usedNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void leaked(long heldNanos) {
        leaked.increment();
    }

    private static final class Connects implements PoolListener {
        private final Timer creation;
        private final Map<FailureClass, Counter> failed = new EnumMap<>(FailureClass.class);

        Connects(PoolMeters<WeirDataSource> meters) {
            creation = meters.timer("weir.connections.creation", "Time that a connect took");
            for (FailureClass kind : FailureClass.values()) {
                Tags tags = Tags.of("kind", lower(kind));
                failed.put(kind, meters.counter("weir.connections.creation.failed", "Connects that failed", tags));
            }
        }

        @Override
        public void opened(long tookNanos) {
            creation.record(tookNanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public void openFailed(long tookNanos, FailureClass kind) {
            Counter counter = failed.get(kind);
            if (counter != null) {
                counter.increment();
            }
        }
    }
}
