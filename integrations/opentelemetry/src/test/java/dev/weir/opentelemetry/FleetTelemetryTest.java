package dev.weir.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.fleet.FleetOptions;
import dev.weir.fleet.FleetStats;
import dev.weir.fleet.WeirFleet;
import dev.weir.testkit.Await;
import dev.weir.testkit.servers.PostgresServer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Against the real SDK, a member of a fleet on a real PostgreSQL. */
class FleetTelemetryTest {
    private static final Duration LIMIT = Duration.ofSeconds(15);
    private static final Attributes EXPECTED = Attributes.of(
            AttributeKey.stringKey("db.client.connection.pool.name"), "till",
            AttributeKey.stringKey("weir.fleet.name"), "shop",
            AttributeKey.stringKey("weir.fleet.application"), "orders");

    private final InMemoryMetricReader reader = InMemoryMetricReader.create();

    private Map<String, Long> values() {
        Map<String, Long> values = new TreeMap<>();
        for (MetricData metric : reader.collectAllMetrics()) {
            Collection<LongPointData> points = metric.getType() == MetricDataType.LONG_GAUGE
                    ? metric.getLongGaugeData().getPoints()
                    : metric.getLongSumData().getPoints();
            assertThat(points).as(metric.getName()).hasSize(1);
            LongPointData point = points.iterator().next();
            assertThat(point.getAttributes()).isEqualTo(EXPECTED);
            values.put(metric.getName() + " " + metric.getUnit(), point.getValue());
        }
        return values;
    }

    @Test
    void eachInstrumentTellsWhatTheMemberKnows() throws Exception {
        try (PostgresServer server =
                        PostgresServer.builder().role("shop", "secret").start();
                OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
                        .setMeterProvider(SdkMeterProvider.builder()
                                .registerMetricReader(reader)
                                .build())
                        .build();
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .url(server.jdbcUrl("postgres"))
                        .username("shop")
                        .password("secret")
                        .poolName("till")
                        .maximumPoolSize(6)
                        .minimumPoolSize(0)
                        .build());
                WeirFleet fleet = WeirFleet.join(
                        pool, FleetOptions.of("shop", "orders").withBudget(12).withCreateTables(true));
                FleetTelemetry telemetry = FleetTelemetry.install(sdk, fleet);
                Connection first = pool.getConnection();
                Connection second = pool.getConnection()) {
            assertThat(first.isValid(1) && second.isValid(1)).isTrue();
            Await.await(
                    () -> values() + " " + fleet.stats(),
                    LIMIT,
                    () -> { // a renewal may come in between
                        Map<String, Long> values = values();
                        FleetStats stats = fleet.stats();
                        return values.get("weir.fleet.wanted {connection}") == 3
                                && values.get("weir.fleet.renewals {renewal}") > 1
                                && values.get("weir.fleet.granted {connection}") == stats.granted()
                                && values.get("weir.fleet.share {connection}") == stats.share()
                                && values.get("weir.fleet.free {connection}") == stats.free();
                    });
            Map<String, Long> values = values();
            assertThat(values)
                    .containsEntry("weir.fleet.budget {connection}", 12L)
                    .containsEntry("weir.fleet.members {member}", 1L)
                    .containsEntry("weir.fleet.lease_holds 1", 1L)
                    .containsEntry("weir.fleet.failed_renewals {renewal}", 0L)
                    .hasSize(9);
            assertThat(values.get("weir.fleet.granted {connection}")).isBetween(3L, 7L);
            assertThat(values.get("weir.fleet.free {connection}")).isBetween(5L, 9L);
            telemetry.close();
            assertThat(values()).isEmpty();

            FleetTelemetry untilTheEnd = FleetTelemetry.install(sdk, fleet);
            assertThat(values()).hasSize(9);
            pool.close();
            assertThat(values()).isEmpty();
            untilTheEnd.close();
        }
    }
}
