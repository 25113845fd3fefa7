package dev.weir.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.metrics.micrometer.MicrometerMetricsTrackerFactory;
import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a real HikariCP publishes through its own Micrometer tracker, Weir publishes under the same names. */
class HikariMetersTest {
    private static final String ACQUIRE_COUNT = "hikaricp_connections_acquire_seconds_count";
    private static final String USAGE_COUNT = "hikaricp_connections_usage_seconds_count";
    private static final String ACQUIRE_MAX = "hikaricp_connections_acquire_seconds_max";

    private final PrometheusMeterRegistry ofHikari = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final PrometheusMeterRegistry ofWeir = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final StubDatabase db = new StubDatabase();

    @AfterEach
    void close() {
        db.close();
    }

    private HikariDataSource hikari(PrometheusMeterRegistry registry) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(db.dataSource());
        config.setPoolName("pool");
        config.setMaximumPoolSize(1);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(Traffic.TIMEOUT.toMillis());
        config.setMetricsTrackerFactory(new MicrometerMetricsTrackerFactory(registry));
        return new HikariDataSource(config);
    }

    @Test
    void namesLabelsTypesDescriptionsAndUnitsAreThoseOfHikari() throws Exception {
        try (HikariDataSource hikari = hikari(ofHikari);
                WeirDataSource weir = Traffic.weir(db, "pool")) {
            new WeirMetrics(weir, MetricNames.HIKARICP).bindTo(ofWeir);
            Traffic.run(
                    hikari,
                    timeout -> hikari.setConnectionTimeout(timeout.toMillis()),
                    () -> hikari.getHikariPoolMXBean().getThreadsAwaitingConnection());
            Traffic.start(weir);
            long begun = System.nanoTime();
            Traffic.run(weir, weir::setConnectionTimeout, () -> weir.stats().waiting());
            double mostSeconds = 2 * (System.nanoTime() - begun) / 1e9; // two threads at most acquire at a time
            // Those that did not wait, and the loans that one stands for, are told a tick later.
            Await.await(
                    ofWeir::scrape,
                    Traffic.LIMIT,
                    () -> new Scrape(ofWeir).value(ACQUIRE_COUNT) == new Scrape(ofHikari).value(ACQUIRE_COUNT)
                            && new Scrape(ofWeir).value(USAGE_COUNT) == new Scrape(ofHikari).value(USAGE_COUNT));
            Scrape expected = new Scrape(ofHikari);
            Scrape actual = new Scrape(ofWeir);
            assertThat(actual.shapeOf("pool")).isEqualTo(expected.shapeOf("pool"));
            assertThat(actual.types).isEqualTo(expected.types);
            assertThat(actual.helps).isEqualTo(expected.helps);
            for (String counted : Set.of(
                    "hikaricp_connections",
                    "hikaricp_connections_active",
                    "hikaricp_connections_idle",
                    "hikaricp_connections_pending",
                    "hikaricp_connections_max",
                    "hikaricp_connections_min",
                    "hikaricp_connections_timeout_total",
                    ACQUIRE_COUNT,
                    USAGE_COUNT)) {
                assertThat(actual.value(counted)).as(counted).isEqualTo(expected.value(counted));
            }
            assertThat(actual.value("hikaricp_connections_acquire_seconds_sum")).isBetween(0.3, mostSeconds);
            assertThat(actual.value(ACQUIRE_MAX)).isBetween(0.3, mostSeconds);
        }
    }

    @Test
    void bothStandInOneRegistryWhoeverComesFirst() throws Exception {
        for (boolean weirFirst : new boolean[] {true, false}) {
            PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            try (WeirDataSource weir = Traffic.weir(db, "weir")) {
                WeirMetrics metrics = new WeirMetrics(weir, MetricNames.HIKARICP);
                if (weirFirst) {
                    metrics.bindTo(registry);
                }
                try (HikariDataSource hikari = hikari(registry)) {
                    if (!weirFirst) {
                        metrics.bindTo(registry);
                    }
                    hikari.getConnection().close();
                    weir.getConnection().close();
                    Await.await(
                            registry::scrape,
                            Traffic.LIMIT,
                            () -> new Scrape(registry).value(ACQUIRE_COUNT, "pool=weir") == 1);
                    Scrape scrape = new Scrape(registry);
                    assertThat(scrape.shapeOf("weir")).isEqualTo(scrape.shapeOf("pool"));
                }
            }
        }
    }
}
