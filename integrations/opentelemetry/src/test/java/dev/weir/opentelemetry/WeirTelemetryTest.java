package dev.weir.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.DoublePointData;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Against the real SDK. */
class WeirTelemetryTest {
    private static final Duration LIMIT = Duration.ofSeconds(15);
    private static final Duration TIMEOUT = Duration.ofMillis(300);
    private static final AttributeKey<String> POOL_NAME = AttributeKey.stringKey("db.client.connection.pool.name");
    private static final AttributeKey<String> STATE = AttributeKey.stringKey("db.client.connection.state");
    private static final Attributes SHOP = Attributes.of(POOL_NAME, "shop");

    private final InMemoryMetricReader metrics = InMemoryMetricReader.create();
    private final InMemorySpanExporter spans = InMemorySpanExporter.create();
    private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
            .setMeterProvider(
                    SdkMeterProvider.builder().registerMetricReader(metrics).build())
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .build();
    private final StubDatabase db = new StubDatabase();
    private final WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
            .dataSource(db.dataSource())
            .poolName("shop")
            .maximumPoolSize(1)
            .connectionTimeout(TIMEOUT)
            .build());

    @AfterEach
    void close() {
        pool.close();
        db.close();
        sdk.close();
    }

    private Map<String, MetricData> collected() {
        return metrics.collectAllMetrics().stream().collect(Collectors.toMap(MetricData::getName, Function.identity()));
    }

    private static Map<Attributes, Long> values(MetricData metric) {
        return metric.getLongSumData().getPoints().stream()
                .collect(Collectors.toMap(LongPointData::getAttributes, LongPointData::getValue));
    }

    private static HistogramPointData histogram(MetricData metric) {
        assertThat(metric.getType()).isEqualTo(MetricDataType.HISTOGRAM);
        assertThat(metric.getUnit()).isEqualTo("s");
        assertThat(metric.getHistogramData().getPoints()).hasSize(1);
        HistogramPointData point =
                metric.getHistogramData().getPoints().iterator().next();
        assertThat(point.getAttributes()).isEqualTo(SHOP);
        assertThat(point.getBoundaries()).containsExactly(0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0);
        return point;
    }

    private static void assertUpDownCounter(MetricData metric, String unit) {
        assertThat(metric.getType()).isEqualTo(MetricDataType.LONG_SUM);
        assertThat(metric.getLongSumData().isMonotonic()).isFalse();
        assertThat(metric.getUnit()).isEqualTo(unit);
    }

    /** Holds the only connection until a thread that waits for it is there; what the other does is run on that thread. */
    private void makeWait(Runnable waiter) throws SQLException {
        pool.start();
        Await.await(() -> pool.stats().toString(), LIMIT, () -> pool.stats().idle() == 1);
        CompletableFuture<Void> done;
        try (Connection held = pool.getConnection()) {
            done = CompletableFuture.runAsync(waiter);
            Await.await(() -> pool.stats().toString(), LIMIT, () -> pool.stats().waiting() == 1);
            assertThat(held.isClosed()).isFalse();
        }
        done.join();
    }

    private void use() {
        try (Connection connection = pool.getConnection()) {
            assertThat(connection.isClosed()).isFalse();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theInstrumentsAreThoseOfTheConventions() throws SQLException {
        try (WeirTelemetry telemetry = WeirTelemetry.builder(sdk).install(pool)) {
            makeWait(this::use);
            try (Connection held = pool.getConnection()) {
                assertThatThrownBy(pool::getConnection).isInstanceOf(SQLException.class);
                Map<String, MetricData> found = collected();
                assertThat(found.keySet())
                        .containsExactlyInAnyOrder(
                                "db.client.connection.count",
                                "db.client.connection.idle.max",
                                "db.client.connection.idle.min",
                                "db.client.connection.max",
                                "db.client.connection.pending_requests",
                                "db.client.connection.timeouts",
                                "db.client.connection.create_time",
                                "db.client.connection.wait_time",
                                "db.client.connection.use_time",
                                "weir.connection.pinned",
                                "weir.connection.loan_time");
                MetricData loanTime = found.get("weir.connection.loan_time");
                assertThat(loanTime.getUnit()).isEqualTo("s");
                assertThat(loanTime.getDoubleSumData().isMonotonic()).isTrue();
                assertThat(loanTime.getDoubleSumData().getPoints())
                        .extracting(point -> point.getAttributes().get(AttributeKey.stringKey("weir.connection.spent")))
                        .containsExactlyInAnyOrder(
                                "before_first_statement", "in_driver", "between_transactions", "idle_in_transaction");
                assertThat(loanTime.getDoubleSumData().getPoints())
                        .filteredOn(point -> point.getAttributes().toString().contains("before_first_statement"))
                        .singleElement()
                        .satisfies(point -> assertThat(point.getValue()).isPositive()); // it was held until a timeout
                assertUpDownCounter(found.get("db.client.connection.count"), "{connection}");
                assertThat(values(found.get("db.client.connection.count")))
                        .isEqualTo(Map.of(
                                SHOP.toBuilder().put(STATE, "idle").build(), 0L,
                                SHOP.toBuilder().put(STATE, "used").build(), 1L));
                assertUpDownCounter(found.get("db.client.connection.idle.max"), "{connection}");
                assertThat(values(found.get("db.client.connection.idle.max"))).isEqualTo(Map.of(SHOP, 1L));
                assertUpDownCounter(found.get("db.client.connection.idle.min"), "{connection}");
                assertThat(values(found.get("db.client.connection.idle.min"))).isEqualTo(Map.of(SHOP, 0L));
                assertUpDownCounter(found.get("db.client.connection.max"), "{connection}");
                assertThat(values(found.get("db.client.connection.max"))).isEqualTo(Map.of(SHOP, 1L));
                assertUpDownCounter(found.get("db.client.connection.pending_requests"), "{request}");
                assertThat(values(found.get("db.client.connection.pending_requests")))
                        .isEqualTo(Map.of(SHOP, 0L));
                MetricData timeouts = found.get("db.client.connection.timeouts");
                assertThat(timeouts.getLongSumData().isMonotonic()).isTrue();
                assertThat(timeouts.getUnit()).isEqualTo("{timeout}");
                assertThat(values(timeouts)).isEqualTo(Map.of(SHOP, 1L));
                assertThat(histogram(found.get("db.client.connection.create_time"))
                                .getCount())
                        .isEqualTo(1);
                // One waited, and the others, told a tick later, did not.
                Await.await(
                        () -> collected().toString(),
                        LIMIT,
                        () -> histogram(collected().get("db.client.connection.wait_time"))
                                        .getCount()
                                == pool.stats().acquired());
                assertThat(histogram(found.get("db.client.connection.use_time")).getCount())
                        .isEqualTo(2);
                assertThat(held.isClosed()).isFalse();
            }
            assertThat(collected()
                            .get("db.client.connection.use_time")
                            .getHistogramData()
                            .getPoints())
                    .singleElement()
                    .satisfies(point -> assertThat(point.getSum()).isBetween(0.3, 5.0));
            assertThat(telemetry).isNotNull();
        }
    }

    @Test
    void anAcquireThatWaitedIsASpanBelowTheCurrentOne() throws SQLException {
        WeirTelemetry.builder(sdk).spansForWaits(true).install(pool);
        makeWait(() -> {
            Span request = sdk.getTracer("test").spanBuilder("request").startSpan();
            try (Scope scope = request.makeCurrent()) {
                assertThat(scope).isNotNull();
                use();
            } finally {
                request.end();
            }
        });
        List<SpanData> finished = spans.getFinishedSpanItems();
        assertThat(finished).extracting(SpanData::getName).containsExactly("acquire connection", "request");
        SpanData wait = finished.get(0);
        SpanData request = finished.get(1);
        assertThat(wait.getParentSpanId()).isEqualTo(request.getSpanId());
        assertThat(wait.getTraceId()).isEqualTo(request.getTraceId());
        assertThat(wait.getAttributes().asMap()).isEqualTo(SHOP.asMap());
        assertThat(wait.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(wait.getEndEpochNanos()).isGreaterThan(wait.getStartEpochNanos());
    }

    @Test
    void anAcquireThatTimedOutIsASpanWithAnError() throws SQLException {
        WeirTelemetry.builder(sdk).spansForWaits(true).install(pool);
        Span request = sdk.getTracer("test").spanBuilder("request").startSpan();
        try (Connection held = pool.getConnection();
                Scope scope = request.makeCurrent()) {
            assertThatThrownBy(pool::getConnection).isInstanceOf(SQLException.class);
            assertThat(held.isClosed()).isFalse();
            assertThat(scope).isNotNull();
        }
        SpanData wait = spans.getFinishedSpanItems().get(0);
        assertThat(wait.getParentSpanId()).isEqualTo(request.getSpanContext().getSpanId());
        assertThat(wait.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(wait.getAttributes().get(AttributeKey.stringKey("error.type")))
                .isEqualTo("timeout");
        assertThat(wait.getEndEpochNanos() - wait.getStartEpochNanos()).isGreaterThanOrEqualTo(TIMEOUT.toNanos());
        request.end();
    }

    @Test
    void thereIsNoSpanByDefaultNorWhereNoneIsCurrent() throws SQLException {
        WeirTelemetry quiet = WeirTelemetry.builder(sdk).install(pool);
        Span request = sdk.getTracer("test").spanBuilder("request").startSpan();
        try (Scope scope = request.makeCurrent()) {
            assertThat(scope).isNotNull();
            use();
            makeWait(() -> {
                try (Scope inWaiter = request.makeCurrent()) {
                    assertThat(inWaiter).isNotNull();
                    use();
                }
            });
        }
        assertThat(spans.getFinishedSpanItems()).isEmpty();
        quiet.close();
        WeirTelemetry.builder(sdk).spansForWaits(true).install(pool);
        makeWait(this::use);
        assertThat(spans.getFinishedSpanItems()).isEmpty();
        request.end();
    }

    @Test
    void closedItObservesNoMore() throws SQLException {
        WeirTelemetry telemetry = WeirTelemetry.builder(sdk).install(pool);
        use();
        telemetry.close();
        assertThat(pool.getListeners()).isEmpty();
        double before = uses();
        makeWait(this::use);
        assertThat(uses()).isEqualTo(before);
        assertThat(collected()).doesNotContainKey("db.client.connection.count");
    }

    private double uses() {
        return histogram(collected().get("db.client.connection.use_time")).getCount();
    }

    private WeirDataSource shop(int size) {
        WeirDataSource made = new WeirDataSource(PoolConfig.builder()
                .dataSource(db.dataSource())
                .poolName("shop")
                .maximumPoolSize(size)
                .build());
        WeirTelemetry.builder(sdk).install(made);
        return made;
    }

    private Long max() {
        return values(collected().get("db.client.connection.max")).get(SHOP);
    }

    private double loanTime() {
        return collected().get("weir.connection.loan_time").getDoubleSumData().getPoints().stream()
                .mapToDouble(DoublePointData::getValue)
                .sum();
    }

    @Test
    void aCounterKeepsWhatAPoolCountedThatIsClosed() throws SQLException {
        WeirDataSource old = shop(2);
        WeirDataSource fresh = shop(2);
        try (Connection held = old.getConnection()) {
            Await.await(() -> old.stats().toString(), LIMIT, () -> {
                old.getConnection().close(); // a pool that is quiet is looked at seldom
                return loanTime() > 0;
            });
            assertThat(held.isClosed()).isFalse();
        }
        double before = loanTime();
        old.close();
        assertThat(loanTime()).isGreaterThanOrEqualTo(before);
        fresh.close();
    }

    @Test
    void itEndsWithThePoolAndPoolsOfOneNameAddUp() {
        WeirDataSource old = shop(5);
        assertThat(max()).isEqualTo(5);
        WeirDataSource fresh = shop(10);
        assertThat(max()).isEqualTo(15);
        old.close();
        assertThat(max()).isEqualTo(10);
        fresh.close();
        assertThat(collected()).doesNotContainKey("db.client.connection.max");
        WeirTelemetry.builder(sdk).install(old);
        assertThat(collected()).doesNotContainKey("db.client.connection.max");
    }
}
