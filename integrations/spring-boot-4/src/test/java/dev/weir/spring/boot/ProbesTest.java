package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.TcpProxy;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** What an orchestrator that asks an application is told while the database is away. */
class ProbesTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Web {}

    private static int status(Http http, String probe) throws Exception {
        return http.get("/actuator/health/" + probe).statusCode();
    }

    @Test
    void theApplicationLivesAndIsNotReadyWhileItsDatabaseIsAway() throws Exception {
        try (TcpProxy way = new TcpProxy("127.0.0.1", Fleet.server().port());
                ConfigurableApplicationContext context = Fleet.startWeb(
                        Web.class,
                        Fleet.with(
                                Fleet.properties(),
                                "spring.datasource.url",
                                "jdbc:postgresql://127.0.0.1:" + way.port() + "/postgres",
                                "spring.autoconfigure.exclude", // they take their time, and are not asked
                                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                                        + "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
                                "spring.data.jpa.repositories.enabled",
                                "false",
                                "management.endpoint.health.probes.enabled",
                                "true",
                                "management.endpoint.health.group.readiness.include",
                                "readinessState,weir,db",
                                "management.endpoint.health.group.readiness.show-components",
                                "always"))) {
            Http http = new Http(context);
            WeirDataSource pool = context.getBean(WeirDataSource.class);
            assertThat(status(http, "readiness")).isEqualTo(200);

            way.refuse();
            way.resetAll();
            pool.setConnectionTimeout(Duration.ofMillis(300));
            Await.await("it is not ready", LIMIT, () -> status(http, "readiness") == 503);
            long timedOut = pool.stats().timedOut();
            HttpResponse<String> away = http.get("/actuator/health/readiness");
            assertThat(away.body()).contains("\"db\":{\"status\":\"DOWN\"}", "\"weir\":{\"status\":\"DOWN\"}");
            assertThat(pool.stats().timedOut()).as("one wait for both").isEqualTo(timedOut + 1);
            assertThat(status(http, "liveness")).isEqualTo(200);

            way.accept();
            pool.setConnectionTimeout(LIMIT);
            assertThat(status(http, "readiness"))
                    .isEqualTo(200); // the first caller is served when the database is back
        }
    }
}
