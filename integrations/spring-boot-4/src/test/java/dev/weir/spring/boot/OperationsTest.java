package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextClosedEvent;

/** What an operator does to a running application, on virtual threads where there are any. */
class OperationsTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final String SCHEMA = "operations";

    private ConfigurableApplicationContext context;
    private WeirDataSource pool;
    private Http http;

    @BeforeEach
    void start() {
        Fleet.server().execute("create schema " + SCHEMA + " authorization " + Fleet.USER);
        context = Fleet.startWeb(
                FleetApplication.class,
                Fleet.with(
                        Fleet.properties(),
                        "spring.datasource.weir.data-source-properties.ApplicationName",
                        SCHEMA,
                        "spring.flyway.schemas",
                        SCHEMA,
                        "spring.datasource.weir.schema",
                        SCHEMA,
                        "spring.threads.virtual.enabled",
                        "true",
                        "server.shutdown",
                        "graceful",
                        "management.endpoints.web.exposure.include",
                        "weir,health,metrics",
                        "management.metrics.weir.names",
                        "hikaricp",
                        "management.endpoint.health.show-details",
                        "always",
                        "management.endpoint.weir.access",
                        "unrestricted",
                        "management.endpoint.weir.long-loan",
                        "100ms",
                        "management.endpoint.weir.slow-connect",
                        "0s"));
        pool = context.getBean(WeirDataSource.class);
        http = new Http(context);
    }

    @AfterAll
    static void dropSchema() {
        Fleet.server().execute("drop schema if exists " + SCHEMA + " cascade");
    }

    private static long backends() {
        return Fleet.server().number("select count(*) from pg_stat_activity where application_name = '" + SCHEMA + "'");
    }

    /** One application for all of it: to start one takes longer than all the rest. */
    @Test
    void evictsSuspendsResumesAndDrains() throws Exception {
        showsNeitherValuesNorSqlUnlessAsked();
        changesSettings();
        keepsWhatTookLong();
        actsOnThePool();
        publishesUnderHikarisNames();
        servesOnVirtualThreads();
        closesThePoolAfterTheLastRequest();
    }

    private void actsOnThePool() throws Exception {
        long opened = pool.stats().opened();
        long inUse;
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("select pg_backend_pid()")) {
            result.next();
            inUse = result.getLong(1);
            assertThat(http.post("/actuator/weir/dataSource/evict").statusCode())
                    .isEqualTo(200);
        }
        Await.await(
                "what was in use goes when it comes home",
                LIMIT,
                () -> Fleet.server().number("select count(*) from pg_stat_activity where pid = " + inUse) == 0);
        Await.await(
                "connections anew",
                LIMIT,
                () -> pool.stats().opened() > opened && pool.stats().total() > 0);

        HttpResponse<String> suspended = http.postNothing("/actuator/weir/dataSource/suspend");
        assertThat(suspended.statusCode()).isEqualTo(200);
        assertThat(suspended.body())
                .isEqualTo("{\"pool\":\"dataSource\",\"state\":\"suspended\",\"done\":\"suspend\"}");
        assertThat(pool.isSuspended()).isTrue();
        HttpResponse<String> health = http.get("/actuator/health/weir");
        assertThat(health.statusCode()).isEqualTo(503);
        assertThat(health.body()).contains("OUT_OF_SERVICE");

        assertThat(http.post("/actuator/weir/dataSource/resume").statusCode()).isEqualTo(200);
        assertThat(pool.isSuspended()).isFalse();
        assertThat(http.get("/actuator/health/weir").statusCode()).isEqualTo(200);

        assertThat(http.postNothing("/actuator/weir/dataSource/maximumPoolSize").body())
                .contains("maximumPoolSize: no value");
        assertThat(http.postNothing("/actuator/weir/dataSource/explode").statusCode())
                .isEqualTo(400);
        assertThat(http.post("/actuator/weir/dataSource/explode").statusCode()).isEqualTo(400);
        assertThat(http.post("/actuator/weir/nobody/evict").statusCode()).isEqualTo(404);
    }

    private void showsNeitherValuesNorSqlUnlessAsked() throws Exception {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("select 4711");
            assertThat(http.get("/actuator/weir/dataSource").body())
                    .contains("\"inUse\":1", "\"maximumPoolSize\":\"******\"", "\"lastSql\":\"\"")
                    .doesNotContain("select");
        }
    }

    private void changesSettings() throws Exception {
        assertThat(http.post("/actuator/weir/dataSource/maximumPoolSize", "{\"value\": 7}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(pool.getMaximumPoolSize()).isEqualTo(7);
        assertThat(http.post("/actuator/weir/dataSource/connection-timeout", "{\"value\": \"7s\"}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(pool.getConnectionTimeout()).isEqualTo(Duration.ofSeconds(7));

        refused("maximumPoolSize", "{\"value\": 0}", "maximumPoolSize: 0 (expected: 1..10000)");
        refused("maximumPoolSize", "{\"value\": \"many\"}", "many");
        refused("maximumPoolSize", "{}", "maximumPoolSize: no value");
        refused("url", "{\"value\": \"jdbc:h2:mem:x\"}", "url (expected: evict, suspend, resume, or one of [acquire");
        assertThat(pool.getMaximumPoolSize()).isEqualTo(7);
    }

    private void refused(String what, String body, String message) throws Exception {
        HttpResponse<String> response = http.post("/actuator/weir/dataSource/" + what, body);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains(message);
    }

    private void keepsWhatTookLong() throws Exception {
        pool.setMaximumPoolSize(1);
        pool.setConnectionTimeout(Duration.ofMillis(300));
        try (Connection held = pool.getConnection()) {
            Await.await("the pool has one", LIMIT, () -> pool.stats().total() == 1);
            for (int i = 0; i < RecentEvents.KEPT + 1; i++) {
                pool.setConnectionTimeout(Duration.ofMillis(i == 0 ? 1 : 10));
                assertThatThrownBy(pool::getConnection).isInstanceOf(SQLException.class);
            }
            assertThat(held.isClosed()).isFalse();
        }
        pool.setMaximumPoolSize(8);
        pool.setConnectionTimeout(Duration.ofSeconds(5));

        String body = http.get("/actuator/weir/dataSource").body();
        String thread = Thread.currentThread().getName();
        // The oldest, of 1 ms, has made place for the last.
        assertThat(body)
                .containsPattern(
                        "\"lastTimeouts\":\\[(\\{[^}]*\"millis\":\\d\\d+,[^}]*},?){" + RecentEvents.KEPT + "}]");
        assertThat(body).containsPattern("\"lastLongLoans\":\\[\\{[^]]*\"thread\":\"" + thread + "\"");
        assertThat(body).containsPattern("\"lastSlowConnects\":\\[\\{");
        assertThat(body).contains("\"advice\":[]");
        // The listener of the endpoint has it measured; the connection was held for some ticks.
        assertThat(body).containsPattern("\"loans\":\\{\"measured\":\\d+,\"beforeFirstStatementMillis\":[1-9]");
    }

    private void publishesUnderHikarisNames() throws Exception {
        assertThat(http.get("/actuator/metrics/hikaricp.connections.max").body())
                .contains("\"value\":8.0");
        assertThat(http.get("/actuator/metrics/weir.connections.max").statusCode())
                .isEqualTo(404);
    }

    private void servesOnVirtualThreads() throws Exception {
        boolean there = Runtime.version().feature() >= 21;
        assertThat(http.get("/count").body()).startsWith("1 on ").matches(body -> body.contains("Virtual") == there);
        assertThat(pool.getThreadFactory() != null).isEqualTo(there);
        if (there) {
            Thread helper = pool.getThreadFactory().newThread(() -> {});
            assertThat(helper.toString()).startsWith("VirtualThread");
        }
    }

    private void closesThePoolAfterTheLastRequest() throws Exception {
        Gate gate = context.getBean(Gate.class);
        CompletableFuture<HttpResponse<String>> request = http.begin("/wait");
        assertThat(gate.arrived.await(20, TimeUnit.SECONDS)).isTrue();
        CountDownLatch begun = new CountDownLatch(1);
        context.addApplicationListener((ContextClosedEvent event) -> begun.countDown());
        CompletableFuture<Void> closing = CompletableFuture.runAsync(context::close);
        assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(pool.isClosed()).isFalse();
        gate.open.countDown();
        HttpResponse<String> response = request.get(20, TimeUnit.SECONDS);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("ships: 1");
        closing.get(20, TimeUnit.SECONDS);
        assertThat(pool.isClosed()).isTrue();
        Await.await("no backend is left", LIMIT, () -> backends() == 0);
    }
}
