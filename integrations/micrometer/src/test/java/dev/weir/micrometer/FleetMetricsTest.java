package dev.weir.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fleet.FleetStats;
import dev.weir.fleet.WeirFleet;
import dev.weir.testkit.Await;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import org.junit.jupiter.api.Test;

class FleetMetricsTest {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private double of(String pool, String name) {
        return new Scrape(registry).value("weir_fleet_" + name, "pool=" + pool, "fleet=shop", "application=orders");
    }

    @Test
    void eachMeterTellsWhatTheMemberKnows() throws Exception {
        try (WeirFleet one = Member.join("one");
                WeirFleet two = Member.join("two");
                FleetMetrics metrics = new FleetMetrics(one);
                Connection first = one.pool().getConnection();
                Connection second = one.pool().getConnection()) {
            metrics.bindTo(registry);
            assertThat(two.stats().members()).isEqualTo(2);
            assertThat(first.isValid(1) && second.isValid(1)).isTrue();
            Await.await(
                    registry::scrape,
                    Traffic.LIMIT,
                    () -> { // a renewal may come in between
                        FleetStats stats = one.stats();
                        return of("one", "members") == 2
                                && of("one", "wanted") == 3
                                && of("one", "renewals_total") > 1
                                && of("one", "granted") == stats.granted()
                                && of("one", "share") == stats.share()
                                && of("one", "free") == stats.free();
                    });
            assertThat(of("one", "granted")).isBetween(3.0, 7.0);
            assertThat(of("one", "share")).isBetween(3.0, 7.0);
            assertThat(of("one", "budget")).isEqualTo(12);
            assertThat(of("one", "free")).isBetween(1.0, 9.0);
            assertThat(of("one", "lease_holds")).isEqualTo(1);
            assertThat(of("one", "renewals_failed_total")).isZero();

            Member.server().execute("ALTER TABLE weir_fleet RENAME TO lost");
            Await.await(registry::scrape, Traffic.LIMIT, () -> of("one", "renewals_failed_total") > 0);
            Member.server().execute("ALTER TABLE lost RENAME TO weir_fleet");
            metrics.close();
            assertThat(registry.scrape()).doesNotContain("weir_fleet");
        }
    }

    @Test
    void theMetersGoWithThePool() throws Exception {
        WeirFleet fleet = Member.join("gone");
        new FleetMetrics(fleet).bindTo(registry);
        assertThat(of("gone", "budget")).isEqualTo(12);
        fleet.pool().close();
        assertThat(registry.getMeters()).isEmpty();
        fleet.close();
    }

    /** Spring Boot holds it weakly, and may bind it late. */
    @Test
    void thePoolKeepsItAlsoBeforeItIsBound() throws Exception {
        try (WeirFleet fleet = Member.join("kept")) {
            WeakReference<FleetMetrics> metrics = new WeakReference<>(new FleetMetrics(fleet));
            WeakReference<Object> garbage = new WeakReference<>(new Object());
            Await.await("a collection", Traffic.LIMIT, () -> {
                System.gc();
                return garbage.get() == null;
            });
            assertThat(metrics.get()).isNotNull();
        }
    }
}
