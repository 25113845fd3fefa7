package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** A whole application: JdbcTemplate, transactions, JPA, Flyway and Actuator, with HikariCP on the class path as well. */
class ApplicationTest {
    private static ConfigurableApplicationContext context;
    private static Harbour harbour;
    private static Http http;

    @BeforeAll
    static void start() {
        Fleet.server().execute("create schema fleet authorization " + Fleet.USER);
        context = Fleet.startWeb(FleetApplication.class, properties());
        harbour = context.getBean(Harbour.class);
        http = new Http(context);
    }

    private static Map<String, Object> properties() {
        return Fleet.with(
                Fleet.properties(),
                "spring.datasource.weir.data-source-properties.ApplicationName",
                "fleet",
                "spring.flyway.schemas",
                "fleet",
                "spring.datasource.weir.schema",
                "fleet",
                "management.endpoints.web.exposure.include",
                "*",
                "management.endpoint.health.show-details",
                "always",
                "management.endpoint.weir.show-values",
                "always",
                "management.endpoint.weir.show-sql",
                "always");
    }

    @AfterAll
    static void stop() {
        context.close();
        Fleet.server().execute("drop schema if exists fleet cascade");
    }

    @Test
    void thePoolIsWeirThoughHikariIsThereToo() {
        assertThat(context.getBean(DataSource.class)).isInstanceOf(WeirDataSource.class);
        assertThat(context.getBean(WeirDataSource.class).isRunning()).isTrue();
        assertThat(context.getBean(WeirDataSource.class).getMaximumPoolSize()).isEqualTo(8);
        assertThat(Fleet.server().number("select count(*) from pg_stat_activity where application_name = 'fleet'"))
                .isPositive();
    }

    @Test
    void migratesAtTheStartAndWorksByJdbcAndByJpa() {
        assertThat(harbour.nameOf(1)).isEqualTo("Argo");
        int before = harbour.count();
        harbour.build(10, "Beagle");
        assertThat(harbour.nameOf(10)).isEqualTo("Beagle");
        assertThat(harbour.count()).isEqualTo(before + 1);
    }

    @Test
    void rollsBackWhatAFailedTransactionDid() {
        assertThatIllegalStateException().isThrownBy(() -> harbour.sink(20)).withMessage("too much sail");
        assertThat(harbour.nameOf(20)).isEqualTo("none");
        assertThat(harbour.nameOf(21)).isEqualTo("none");
        assertThat(context.getBean(WeirDataSource.class).stats().inUse()).isZero();
    }

    @Test
    void springBootsOwnMetricsAreThoseOfThePool() throws Exception {
        assertThat(http.get("/actuator/metrics/jdbc.connections.max").body())
                .contains("\"value\":8.0")
                .contains("dataSource");
        assertThat(http.get("/actuator/metrics/jdbc.connections.min").body()).contains("\"value\":1.0");
        WeirDataSource pool = context.getBean(WeirDataSource.class);
        try (Connection held = pool.getConnection()) {
            pool.getConnection().close();
            assertThat(held.isClosed()).isFalse();
            assertThat(http.get("/actuator/metrics/jdbc.connections.active").body())
                    .contains("\"value\":1.0");
            Await.await("as many are idle as are shown", Duration.ofSeconds(20), () -> {
                int idle = pool.stats().idle();
                return idle > 0
                        && http.get("/actuator/metrics/jdbc.connections.idle")
                                .body()
                                .contains("\"value\":" + idle + ".0");
            });
        }
    }

    @Test
    void weirsOwnMetersAreThereToo() throws Exception {
        harbour.count();
        assertThat(http.get("/actuator/metrics/weir.connections.max").body())
                .contains("\"value\":8.0")
                .contains("\"tag\":\"pool\"");
        assertThat(http.get("/actuator/metrics/weir.connections.acquired").body())
                .doesNotContain("\"value\":0.0")
                .contains("COUNT");
        assertThat(http.get("/actuator/metrics/hikaricp.connections").statusCode())
                .isEqualTo(404);
    }

    @Test
    void healthIsThatOfTheDatabaseAndOfThePool() throws Exception {
        HttpResponse<String> health = http.get("/actuator/health");
        assertThat(health.statusCode()).isEqualTo(200);
        assertThat(health.body())
                .contains("\"db\":{")
                .contains("PostgreSQL")
                .contains("\"weir\":{")
                .contains("\"state\":\"running\"")
                .doesNotContain("DOWN");
    }

    @Test
    void endpointTellsCountsSettingsAndHoldersButNoSecrets() throws Exception {
        Gate gate = context.getBean(Gate.class);
        CompletableFuture<HttpResponse<String>> held = http.begin("/hold");
        assertThat(gate.arrived.await(20, TimeUnit.SECONDS)).isTrue();
        WeirDataSource pool = context.getBean(WeirDataSource.class);
        Await.await(
                "some time is held",
                Duration.ofSeconds(20),
                () -> pool.held().stream().anyMatch(one -> one.heldFor().toMillis() > 0));
        String body = http.get("/actuator/weir/dataSource").body();
        gate.open.countDown();
        assertThat(held.get(20, TimeUnit.SECONDS).body()).isEqualTo("held");
        assertThat(body)
                .contains("\"state\":\"running\"")
                .contains("\"inUse\":1")
                .contains("\"maximumPoolSize\":\"8\"")
                .contains("\"connectionTimeout\":\"5s\"")
                .contains("\"dataSource.ApplicationName\":\"fleet\"")
                .contains("\"lastSql\":\"select ?\"")
                .contains("dev.weir.spring.boot.Gate.hold")
                .containsPattern("\"since\":\"?\\d")
                .containsPattern("\"heldMillis\":\\d{1,5},")
                .contains("\"lastFailures\":[]")
                .doesNotContain(Fleet.PASSWORD, "select 4711");
        assertThat(http.get("/actuator/weir").body()).startsWith("{\"dataSource\":{");
        HttpResponse<String> nobody = http.get("/actuator/weir/nobody");
        assertThat(nobody.statusCode()).isEqualTo(404);
        assertThat(nobody.body()).contains("\"error\":\"no pool nobody\"", "\"pools\":[\"dataSource\"]");
    }

    @Test
    void endpointOnlyReadsUnlessItIsToldOtherwise() throws Exception {
        HttpResponse<String> refused = http.post("/actuator/weir/dataSource/suspend");
        assertThat(refused.statusCode()).isBetween(404, 405);
        assertThat(context.getBean(WeirDataSource.class).isSuspended()).isFalse();
    }
}
