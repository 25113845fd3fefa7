package dev.weir.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WeirMetricsTest {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @Test
    void eachMeterTellsWhatHappened() throws Exception {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = Traffic.weir(db, "shop")) {
            new WeirMetrics(pool).bindTo(registry); // before the start
            Traffic.start(pool);
            Traffic.run(pool, pool::setConnectionTimeout, () -> pool.stats().waiting());
            Scrape scrape = new Scrape(registry);
            String shop = "pool=shop";
            assertThat(scrape.value("weir_connections", shop)).isEqualTo(1);
            assertThat(scrape.value("weir_connections_idle", shop)).isEqualTo(1);
            assertThat(scrape.value("weir_connections_in_use", shop)).isZero();
            assertThat(scrape.value("weir_connections_opening", shop)).isZero();
            assertThat(scrape.value("weir_connections_closing", shop)).isZero();
            assertThat(scrape.value("weir_connections_waiting", shop)).isZero();
            assertThat(scrape.value("weir_connections_max", shop)).isEqualTo(1);
            assertThat(scrape.value("weir_connections_min", shop)).isEqualTo(1);
            assertThat(scrape.value("weir_connections_acquired_total", shop)).isEqualTo(3);
            assertThat(scrape.value("weir_connections_timeout_total", shop)).isEqualTo(1);
            assertThat(scrape.value("weir_connections_wait_seconds_count", shop))
                    .isEqualTo(1);
            assertThat(scrape.value("weir_connections_wait_seconds_sum", shop)).isPositive();
            assertThat(scrape.value("weir_connections_creation_seconds_count", shop))
                    .isEqualTo(1);
            assertThat(scrape.value("weir_connections_usage_seconds_max", shop))
                    .isBetween(0.3, 5.0); // held while another thread timed out
            assertThat(scrape.value("weir_connections_retired_total", shop, "reason=age"))
                    .isZero();
            assertThat(scrape.value("weir_connections_creation_failed_total", shop, "kind=disconnect"))
                    .isZero();
            assertThat(scrape.types).containsEntry("weir_connections_wait_seconds", "summary");
            Await.await(
                    registry::scrape,
                    Traffic.LIMIT,
                    () -> new Scrape(registry).value("weir_connections_acquire_seconds_count", shop) == 3);
        }
    }

    /** Far more than the loans that are timed: each counts, and so does each acquire. */
    @Test
    void everyLoanAndEveryAcquireCounts() throws Exception {
        int loans = 5_000;
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = Traffic.weir(db, "shop")) {
            new WeirMetrics(pool).bindTo(registry);
            Traffic.start(pool);
            long begun = System.nanoTime();
            for (int i = 0; i < loans; i++) {
                pool.getConnection().close();
            }
            long took = System.nanoTime() - begun;
            Timer acquire = registry.get("weir.connections.acquire").timer();
            assertThat(acquire.count()).isEqualTo(loans);
            assertThat(acquire.totalTime(TimeUnit.NANOSECONDS)).isLessThanOrEqualTo((double) took);
            assertThat(registry.get("weir.connections.usage").timer().count()).isEqualTo(loans);
        }
    }

    @Test
    void theTimeOfLoansIsToldByWhatTheirHoldersDid() throws Exception {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = Traffic.weir(db, "shop")) {
            pool.setMaximumPoolSize(2);
            new WeirMetrics(pool).bindTo(registry);
            try (Connection held = pool.getConnection()) {
                awaitTime(pool, "before_first_statement");
                held.setAutoCommit(false);
                held.createStatement().execute("select 1");
                awaitTime(pool, "idle_in_transaction");
                held.commit();
                awaitTime(pool, "between_transactions");
            }
            assertThat(new Scrape(registry).value("weir_loans_seconds_total", "pool=shop", "spent=in_driver"))
                    .isNotNegative();
        }
    }

    private void awaitTime(WeirDataSource pool, String spent) {
        Await.await(registry::scrape, Traffic.LIMIT, () -> {
            pool.getConnection().close(); // a pool that is quiet is looked at seldom
            return new Scrape(registry).value("weir_loans_seconds_total", "pool=shop", "spent=" + spent) > 0;
        });
    }

    @Test
    void leaksAreCounted() throws Exception {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = Traffic.weir(db, "shop")) {
            new WeirMetrics(pool).bindTo(registry);
            pool.setLeakDetectionThreshold(Duration.ofMillis(200));
            try (Connection held = pool.getConnection()) {
                Await.await(
                        registry::scrape,
                        Traffic.LIMIT,
                        () -> registry.get("weir.connections.leaked").counter().count() == 1);
                assertThat(held.isClosed()).isFalse();
            }
        }
    }

    @Test
    void gaugesShowWhoHoldsAndWhoWaits() throws Exception {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = Traffic.weir(db, "shop")) {
            new WeirMetrics(pool).bindTo(registry);
            try (Connection held = pool.getConnection()) {
                assertThat(held.isClosed()).isFalse();
                assertThat(registry.get("weir.connections.in.use").gauge().value())
                        .isEqualTo(1);
                assertThat(registry.get("weir.connections.idle").gauge().value())
                        .isZero();
            }
        }
    }

    @Test
    void whatFailsAndWhatIsGivenUpIsCountedByItsReason() throws Exception {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = Traffic.weir(db, "shop")) {
            new WeirMetrics(pool).bindTo(registry);
            pool.start();
            db.fail(StubDatabase.CONNECT, "53300");
            pool.evictAll();
            Await.await(
                    () -> registry.scrape(),
                    Traffic.LIMIT,
                    () -> registry.get("weir.connections.creation.failed")
                                    .tags("kind", "too_many_connections")
                                    .counter()
                                    .count()
                            > 0);
            assertThat(registry.get("weir.connections.retired")
                            .tags("reason", "evicted")
                            .functionCounter()
                            .count())
                    .isEqualTo(1);
            db.heal();
        }
    }

    @Test
    void twoPoolsOneOfThemWithoutANameAreToldApart() throws Exception {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource named = Traffic.weir(db, "shop");
                WeirDataSource other = new WeirDataSource()) {
            other.setDataSource(db.dataSource());
            new WeirMetrics(named, MetricNames.WEIR, Tags.of("region", "eu")).bindTo(registry);
            new WeirMetrics(other, MetricNames.WEIR, Tags.of("region", "us")).bindTo(registry);
            other.getConnection().close();
            Scrape scrape = new Scrape(registry);
            assertThat(scrape.value("weir_connections_acquired_total", "pool=shop", "region=eu"))
                    .isZero();
            assertThat(scrape.value("weir_connections_acquired_total", "pool=" + other.getPoolName(), "region=us"))
                    .isEqualTo(1);
        }
    }

    @Test
    void closedItTakesItsMetersOutAndThePoolGoesOn() throws Exception {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = Traffic.weir(db, "shop")) {
            WeirMetrics metrics = new WeirMetrics(pool, MetricNames.HIKARICP);
            metrics.bindTo(registry);
            pool.getConnection().close();
            assertThat(registry.getMeters()).isNotEmpty();
            assertThat(pool.getListeners()).hasSize(2);
            metrics.close();
            assertThat(registry.getMeters()).isEmpty();
            assertThat(pool.getListeners()).isEmpty();
            pool.getConnection().close();
        }
    }

    private double value(String meter) {
        return registry.get(meter).gauge().value();
    }

    private double acquired() {
        return registry.get("weir.connections.acquired").functionCounter().count();
    }

    private WeirDataSource shop(StubDatabase db, int size) {
        return new WeirDataSource(PoolConfig.builder()
                .dataSource(db.dataSource())
                .poolName("shop")
                .maximumPoolSize(size)
                .minimumPoolSize(0)
                .build());
    }

    @Test
    void aPoolMadeAgainUnderItsNameHasItsOwnNumbers() throws Exception {
        try (StubDatabase db = new StubDatabase()) {
            WeirDataSource first = shop(db, 5);
            new WeirMetrics(first).bindTo(registry);
            first.getConnection().close();
            first.close();
            assertThat(registry.getMeters()).isEmpty();
            try (WeirDataSource second = shop(db, 10)) {
                new WeirMetrics(second).bindTo(registry);
                try (Connection held = second.getConnection()) {
                    assertThat(held.isClosed()).isFalse();
                    assertThat(value("weir.connections.max")).isEqualTo(10);
                    assertThat(value("weir.connections.in.use")).isEqualTo(1);
                }
            }
            assertThat(registry.getMeters()).isEmpty();
            new WeirMetrics(first).bindTo(registry); // closed long ago
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    /** As where a pool is replaced, and its successor is there before it has gone. */
    @Test
    void poolsOfOneNameAtOnceAddUpWhicheverIsClosedFirst() throws Exception {
        try (StubDatabase db = new StubDatabase()) {
            for (boolean oldFirst : new boolean[] {true, false}) {
                WeirDataSource old = shop(db, 5);
                WeirDataSource fresh = shop(db, 10);
                new WeirMetrics(old).bindTo(registry);
                new WeirMetrics(fresh).bindTo(registry);
                new WeirMetrics(fresh).bindTo(registry); // twice the same counts once
                old.getConnection().close();
                old.getConnection().close();
                fresh.getConnection().close();
                assertThat(value("weir.connections.max")).isEqualTo(15);
                assertThat(acquired()).isEqualTo(3);
                (oldFirst ? old : fresh).close();
                assertThat(value("weir.connections.max")).isEqualTo(oldFirst ? 10 : 5);
                assertThat(acquired()).as("a counter goes on").isEqualTo(3);
                (oldFirst ? fresh : old).close();
                assertThat(registry.getMeters()).isEmpty();
            }
        }
    }

    @Test
    void connectsBeforeThereIsARegistryAreCounted() throws Exception {
        for (MetricNames names : MetricNames.values()) {
            try (StubDatabase db = new StubDatabase();
                    WeirDataSource pool = shop(db, 2)) {
                WeirMetrics metrics = new WeirMetrics(pool, names);
                pool.getConnection().close();
                pool.evictAll();
                metrics.bindTo(registry);
                pool.getConnection().close();
                String creation =
                        names == MetricNames.WEIR ? "weir.connections.creation" : "hikaricp.connections.creation";
                Await.await( // listeners are told last
                        registry::scrape,
                        Traffic.LIMIT,
                        () -> registry.get(creation).timer().count()
                                == pool.stats().opened());
                assertThat(pool.stats().opened()).isEqualTo(2);
            }
        }
    }
}
