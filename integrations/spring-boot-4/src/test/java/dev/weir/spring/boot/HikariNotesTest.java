package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.zaxxer.hikari.HikariDataSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.event.ApplicationPreparedEvent;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** An application that comes from HikariCP learns which of its properties nobody reads any more. */
class HikariNotesTest {

    /** What an application with these properties and variables says of properties that nobody reads. */
    private static List<String> said(
            Class<?> application, Map<String, Object> properties, Map<String, Object> variables) {
        List<String> said = new CopyOnWriteArrayList<>();
        AppenderBase<ILoggingEvent> collector = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                said.add(event.getFormattedMessage());
            }
        };
        ApplicationListener<ApplicationPreparedEvent> listen = event -> {
            collector.start();
            ((Logger) LoggerFactory.getLogger("dev.weir")).addAppender(collector);
        };
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .listeners(listen)
                .initializers(starting -> starting.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment", variables)))
                .properties(properties)
                .run()) {
            context.getBean(WeirDataSourceFactory.class)
                    .create("again", pool -> pool.setUrl("jdbc:h2:mem:again"))
                    .close();
        } finally {
            ((Logger) LoggerFactory.getLogger("dev.weir")).detachAppender(collector);
        }
        return said.stream().filter(message -> message.contains("not read")).toList();
    }

    /** Reads what is HikariCP's itself. */
    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    static class WithHikari {
        @Bean
        HikariDataSource reports(Environment environment) {
            return Binder.get(environment)
                    .bind("spring.datasource.hikari", HikariDataSource.class)
                    .get();
        }
    }

    @Test
    void nothingIsSaidWhereHikariIsThereToReadThem() {
        Map<String, Object> properties = Fleet.with(
                Map.of("spring.main.banner-mode", "off", "logging.level.root", "warn"),
                "spring.datasource.hikari.jdbc-url",
                "jdbc:h2:mem:reports");
        assertThat(said(WithHikari.class, properties, Map.of())).isEmpty();
        assertThat(said(PlainApplication.class, properties, Map.of())).hasSize(1);
    }

    @Test
    void unreadPropertiesAreToldOnceWithTheirNamesHere() {
        Map<String, Object> properties = Map.of("spring.main.banner-mode", "off", "logging.level.root", "warn");
        properties = Fleet.with(
                properties,
                "spring.datasource.url",
                "jdbc:h2:mem:notes",
                "spring.datasource.hikari.maximum-pool-size",
                "5",
                "spring.datasource.hikari.minimumIdle",
                "2",
                "spring.datasource.hikari.jdbc-url",
                "jdbc:h2:mem:s3cr3t",
                "spring.datasource.hikari.data-source-properties.cachePrepStmts",
                "true",
                "spring.datasource.hikari.allow-pool-suspension",
                "true",
                "spring.datasource.hikari.idle_timeout",
                "60000");
        Map<String, Object> variables = Map.of(
                "SPRING_DATASOURCE_HIKARI_MAX_LIFETIME", "600000", "SPRING_DATASOURCE_HIKARI_KEEPALIVETIME", "60000");
        assertThat(said(PlainApplication.class, properties, variables))
                .singleElement()
                .satisfies(message -> {
                    assertThat(message)
                            .contains(
                                    "spring.datasource.hikari.maximum-pool-size -> spring.datasource.weir.maximum-pool-size (A limit")
                            .contains(
                                    "-> spring.datasource.weir.minimum-idle, spring.datasource.weir.minimum-pool-size (There only")
                            .contains("spring.datasource.hikari.jdbc-url -> spring.datasource.weir.url")
                            .contains("-> spring.datasource.weir.data-source-properties.cachePrepStmts")
                            .contains("spring.datasource.hikari.allow-pool-suspension -> none")
                            .contains("-> spring.datasource.weir.idle-timeout (")
                            .contains("-> spring.datasource.weir.max-lifetime (")
                            .contains("SPRING_DATASOURCE_HIKARI_MAX_LIFETIME")
                            .contains("-> spring.datasource.weir.keepalive-time (")
                            .doesNotContain("s3cr3t");
                });
    }
}
