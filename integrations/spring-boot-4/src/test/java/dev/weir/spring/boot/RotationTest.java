package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.WeirDataSource;
import dev.weir.spi.Credentials;
import dev.weir.spi.CredentialsProvider;
import dev.weir.testkit.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;

/** Passwords change while the application runs; no scope is refreshed, the pool asks for them at each connect. */
class RotationTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final String USER = "rotating";

    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    static class Rotating {
        final AtomicReference<String> password = new AtomicReference<>("first");

        @Bean
        CredentialsProvider vault() {
            return () -> new Credentials(USER, password.get());
        }
    }

    @Test
    void newConnectionsUseTheNewPassword() {
        Fleet.server().execute("create role " + USER + " login password 'first'");
        Map<String, Object> properties = Fleet.properties();
        properties.remove("spring.datasource.username");
        properties.remove("spring.datasource.password");
        Instant started = Instant.now();
        try (ConfigurableApplicationContext context = Fleet.start(Rotating.class, properties)) {
            WeirDataSource pool = context.getBean(WeirDataSource.class);
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            assertThat(jdbc.queryForObject("select current_user", String.class)).isEqualTo(USER);

            Fleet.server().execute("alter role " + USER + " password 'second'");
            pool.evictAll();
            Await.await("the old password is refused", LIMIT, () -> pool.stats().openFailed() > 0);
            assertThatThrownBy(() -> jdbc.queryForObject("select 1", Integer.class))
                    .rootCause()
                    .hasMessageContaining(USER);

            context.getBean(Rotating.class).password.set("second");
            Await.await("the new password is taken", LIMIT, () -> {
                try {
                    return jdbc.queryForObject("select 1", Integer.class) == 1;
                } catch (org.springframework.dao.DataAccessException refused) {
                    return false;
                }
            });
            assertThat(pool.openFailures().get(0).message()).doesNotContain("first");
            WeirEndpointProperties shown = new WeirEndpointProperties();
            assertThat(new WeirEndpoint(context.getBean(Pools.class), new PoolObserver(shown), shown, List.of())
                            .pool("dataSource")
                            .lastFailures())
                    .isNotEmpty()
                    .allSatisfy(failure -> {
                        assertThat(failure.kind()).isEqualTo("AUTHENTICATION");
                        assertThat(failure.message()).contains(USER).doesNotContain("first", "second");
                        assertThat(failure.at()).isBetween(started, Instant.now());
                    });
        } finally {
            Fleet.server().execute("drop role " + USER);
        }
    }
}
