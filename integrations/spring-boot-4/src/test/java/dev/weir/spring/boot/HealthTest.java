package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

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
                .contains("lastOpenFailure=");
    }

    @Test
    void poolThatNeedsNoneIsUp() throws IOException {
        assertThat(healthWithoutADatabase(0).getStatus()).isEqualTo(Status.UP);
    }
}
