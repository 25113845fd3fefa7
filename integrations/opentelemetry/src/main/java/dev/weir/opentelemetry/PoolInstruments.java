package dev.weir.opentelemetry;

import dev.weir.LoanTimes;
import dev.weir.WeirDataSource;
import dev.weir.spi.PoolListener;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleMeasurement;
import io.opentelemetry.api.metrics.ObservableLongMeasurement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** The instruments of one pool: the counts are read when they are collected, the times recorded as they happen. */
final class PoolInstruments implements PoolListener, AutoCloseable {
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    /** In nanoseconds; the time on loan by what the holder did. */
    private static final Map<String, ToLongFunction<WeirDataSource>> LOAN_TIMES = Map.of(
            "before_first_statement", of(LoanTimes::beforeFirstStatement),
            "in_driver", of(LoanTimes::inDriver),
            "between_transactions", of(LoanTimes::betweenTransactions),
            "idle_in_transaction", of(LoanTimes::idleInTransaction));

    /** One object, by which {@link Together#total} knows it. */
    private static final ToLongFunction<WeirDataSource> PINNED = PoolInstruments::pinned;

    private final WeirDataSource pool;
    private final Attributes ofPool;
    private final Attributes idle;
    private final Attributes used;

    private final ObservableLongMeasurement count;
    private final ObservableLongMeasurement idleMax;
    private final ObservableLongMeasurement idleMin;
    private final ObservableLongMeasurement max;
    private final ObservableLongMeasurement pendingRequests;
    private final ObservableLongMeasurement pinned;
    private final ObservableDoubleMeasurement loanTime;
    private final LongCounter timeouts;
    private final LongCounter leaks;
    private final DoubleHistogram createTime;
    private final DoubleHistogram waitTime;
    private final DoubleHistogram useTime;
    private final Together<WeirDataSource> pools;

    PoolInstruments(OpenTelemetry openTelemetry, WeirDataSource pool) {
        Meter meter = WeirTelemetry.meter(openTelemetry);
        this.pool = pool;
        ofPool = Attributes.of(Conventions.POOL_NAME, pool.getPoolName());
        idle = ofPool.toBuilder().put(Conventions.STATE, "idle").build();
        used = ofPool.toBuilder().put(Conventions.STATE, "used").build();
        count = upDownCounter(
                meter,
                Conventions.COUNT,
                "{connection}",
                "The number of connections that are currently in state described by the state attribute.");
        idleMax = upDownCounter(
                meter, Conventions.IDLE_MAX, "{connection}", "The maximum number of idle open connections allowed.");
        idleMin = upDownCounter(
                meter, Conventions.IDLE_MIN, "{connection}", "The minimum number of idle open connections allowed.");
        max = upDownCounter(meter, Conventions.MAX, "{connection}", "The maximum number of open connections allowed.");
        pendingRequests = upDownCounter(
                meter,
                Conventions.PENDING_REQUESTS,
                "{request}",
                "The number of current pending requests for an open connection.");
        pinned = meter.counterBuilder(Conventions.PINNED)
                .setUnit("{connection}")
                .setDescription("The number of connections that stayed with their users in the mode transaction.")
                .buildObserver();
        loanTime = meter.counterBuilder(Conventions.LOAN_TIME)
                .ofDoubles()
                .setUnit("s")
                .setDescription("The time on loan by what the holder did, from samples.")
                .buildObserver();
        timeouts = meter.counterBuilder(Conventions.TIMEOUTS)
                .setUnit("{timeout}")
                .setDescription(
                        "The number of connection timeouts that have occurred trying to obtain a connection from the pool.")
                .build();
        leaks = meter.counterBuilder(Conventions.LEAKS)
                .setUnit("{connection}")
                .setDescription("The number of loans that lasted longer than leakDetectionThreshold.")
                .build();
        createTime = histogram(meter, Conventions.CREATE_TIME, "The time it took to create a new connection.");
        waitTime =
                histogram(meter, Conventions.WAIT_TIME, "The time it took to obtain an open connection from the pool.");
        useTime = histogram(
                meter, Conventions.USE_TIME, "The time between borrowing a connection and returning it to the pool.");
        pools = Together.of(
                openTelemetry,
                ofPool,
                pool,
                together -> meter.batchCallback(
                        () -> observe(together), count, idleMax, idleMin, max, pendingRequests, pinned, loanTime));
    }

    private static ToLongFunction<WeirDataSource> of(Function<LoanTimes, Duration> time) {
        return pool -> time.apply(pool.stats().loanTimes()).toNanos();
    }

    private static long pinned(WeirDataSource pool) {
        return pool.stats().pinned().values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    private static ObservableLongMeasurement upDownCounter(Meter meter, String name, String unit, String description) {
        return meter.upDownCounterBuilder(name)
                .setUnit(unit)
                .setDescription(description)
                .buildObserver();
    }

    private static DoubleHistogram histogram(Meter meter, String name, String description) {
        return meter.histogramBuilder(name)
                .setUnit("s")
                .setDescription(description)
                .setExplicitBucketBoundariesAdvice(Conventions.BOUNDARIES)
                .build();
    }

    private void observe(Together<WeirDataSource> all) {
        count.record(all.sum(one -> one.stats().idle()), idle);
        count.record(all.sum(one -> one.stats().inUse()), used);
        idleMax.record(all.sum(WeirDataSource::getMaximumPoolSize), ofPool);
        idleMin.record(all.sum(WeirDataSource::getMinimumIdle), ofPool);
        max.record(all.sum(WeirDataSource::getMaximumPoolSize), ofPool);
        pendingRequests.record(all.sum(one -> one.stats().waiting()), ofPool);
        pinned.record(all.total(PINNED), ofPool);
        LOAN_TIMES.forEach((spent, nanos) -> loanTime.record(
                seconds(all.total(nanos)),
                ofPool.toBuilder().put(Conventions.SPENT, spent).build()));
    }

    private static double seconds(long nanos) {
        return nanos / NANOS_PER_SECOND;
    }

    @Override
    public void acquired(long waitedNanos) {
        waitTime.record(seconds(waitedNanos), ofPool);
    }

    @Override
    public void acquireTimedOut(long waitedNanos) {
        timeouts.add(1, ofPool);
    }

    @Override
    public void used(long usedNanos) {
        useTime.record(seconds(usedNanos), ofPool);
    }

    @Override
    public void leaked(long heldNanos) {
        leaks.add(1, ofPool);
    }

    @Override
    public void opened(long tookNanos) {
        createTime.record(seconds(tookNanos), ofPool);
    }

    @Override
    public void close() {
        pools.remove(pool);
    }
}
