package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/** What the health of a pool is when its database is not there. */
class HealthTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    @ImportAutoConfiguration(WeirHealthAutoConfiguration.class)
    static class WithHealth {}

    private static Health healthWithoutADatabase(int minimum) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Map<String, Object> properties = Fleet.with(
                Map.of("spring.main.banner-mode", "off", "logging.level.root", "off"),
                "spring.datasource.url",
                "jdbc:postgresql://127.0.0.1:" + port + "/postgres",
                "spring.datasource.weir.minimum-pool-size",
                String.valueOf(minimum),
                "spring.datasource.weir.connection-timeout",
                "100ms",
                "spring.datasource.weir.initialization-fail-timeout",
                "-1");
        try (ConfigurableApplicationContext context = Fleet.start(WithHealth.class, properties)) {
            WeirDataSource pool = context.getBean(WeirDataSource.class);
            Await.await("a connect has failed", LIMIT, () -> {
                try {
                    pool.getConnection().close();
                } catch (SQLException refused) {
                    return pool.stats().openFailed() > 0;
                }
                return false;
            });
            return context.getBean(WeirHealthIndicator.class).health();
        }
    }

    @Test
    void poolThatShouldHaveConnectionsAndCannotOpenAnyIsDown() throws IOException {
        Health health = healthWithoutADatabase(1);
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(health.getDetails().get("dataSource").toString())
                .contains("total=0")
                .contains("failure=");
    }

    /** As {@code db} says; and it comes back without a caller. */
    @Test
    void poolThatNeedsNoneIsDownWhileNoneIsToBeHad() throws Exception {
        Fleet.server().createRole("late", "not-yet");
        Map<String, Object> properties = Fleet.with(
                Map.of("spring.main.banner-mode", "off", "logging.level.root", "off"),
                "spring.datasource.url",
                Fleet.server().jdbcUrl("postgres"),
                "spring.datasource.username",
                "late",
                "spring.datasource.password",
                "ahoy",
                "spring.datasource.weir.minimum-pool-size",
                "0",
                "spring.datasource.weir.initialization-fail-timeout",
                "-1");
        try (ConfigurableApplicationContext context = Fleet.start(WithHealth.class, properties)) {
            WeirHealthIndicator indicator = context.getBean(WeirHealthIndicator.class);
            assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
            WeirDataSource pool = context.getBean(WeirDataSource.class);
            assertThatThrownBy(pool::getConnection).isInstanceOf(SQLException.class);
            Health down = indicator.health();
            assertThat(down.getStatus()).isEqualTo(Status.DOWN);
            assertThat(down.getDetails().get("dataSource").toString()).contains("failure=", "late");

            Fleet.server().execute("alter role late password 'ahoy'");
            // A refused login is not tried again at once.
            Await.await("it is up", LIMIT, () -> indicator.health().getStatus().equals(Status.UP));
        } finally {
            Fleet.server().execute("drop owned by late; drop role late");
        }
    }

    @Test
    void poolWhoseCallersWaitInVainIsDown() throws Exception {
        Map<String, Object> properties =
                Fleet.with(Fleet.properties(), "spring.datasource.weir.maximum-pool-size", "1");
        try (ConfigurableApplicationContext context = Fleet.start(WithHealth.class, properties)) {
            WeirDataSource pool = context.getBean(WeirDataSource.class);
            WeirHealthIndicator indicator = context.getBean(WeirHealthIndicator.class);
            try (Connection held = pool.getConnection()) {
                pool.setConnectionTimeout(Duration.ofSeconds(20));
                CompletableFuture<Void> waits = CompletableFuture.runAsync(() -> {
                    try {
                        pool.getConnection().close();
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
                Await.await("one waits", LIMIT, () -> pool.stats().waiting() == 1);
                pool.setConnectionTimeout(Duration.ofMillis(50));
                assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
                held.close();
                waits.get(20, TimeUnit.SECONDS);
            }
            assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
        }
    }

    /** In whatever order they are asked; and where db has waited in vain, the pool's own does not wait again. */
    @ParameterizedTest
    @ValueSource(strings = {"session", "lazy", "transaction"})
    void exhaustedPoolIsDownAsTheDatabaseIsAndWaitsOnce(String mode) throws Exception {
        Map<String, Object> properties = Fleet.with(
                Fleet.properties(),
                "spring.datasource.weir.maximum-pool-size",
                "1",
                "spring.datasource.weir.pool-mode",
                mode);
        try (ConfigurableApplicationContext context = Fleet.start(WithHealth.class, properties)) {
            WeirDataSource pool = context.getBean(WeirDataSource.class);
            WeirHealthIndicator indicator = context.getBean(WeirHealthIndicator.class);
            try (Connection held = pool.getConnection();
                    Statement open = held.createStatement()) {
                assertThat(open.isClosed()).isFalse();
                pool.setConnectionTimeout(Duration.ofMillis(100));
                assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
                assertThat(pool.stats().timedOut()).isEqualTo(1);

                assertThatThrownBy(() -> asDbDoes(pool)).isInstanceOf(SQLException.class);
                assertThat(pool.stats().timedOut()).isEqualTo(2);
                Health second = indicator.health();
                assertThat(second.getStatus()).isEqualTo(Status.DOWN);
                assertThat(second.getDetails().get("dataSource").toString()).contains("the last acquire timed out");
                assertThat(pool.stats().timedOut()).isEqualTo(2);

                assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
                assertThat(pool.stats().timedOut()).as("asked anew").isEqualTo(3);
                assertThatThrownBy(() -> asDbDoes(pool)).isInstanceOf(SQLException.class);
            }
            pool.setConnectionTimeout(LIMIT);
            assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
        }
    }

    private static void asDbDoes(WeirDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            assertThat(connection.isValid(0)).isTrue();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(WithHealth.class)
    static class WithAnotherPool {
        @Bean
        DataSource dataSource() {
            return new SimpleDriverDataSource();
        }
    }

    @Test
    void applicationWithoutAPoolHasNoHealthOfPools() {
        try (ConfigurableApplicationContext context = Fleet.start(WithAnotherPool.class, Fleet.properties())) {
            WeirHealthIndicator indicator = context.getBean(WeirHealthIndicator.class);
            for (boolean includeDetails : new boolean[] {true, false}) {
                assertThat(indicator.health(includeDetails)).isNull();
            }
        }
    }
}
