package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.WeirDataSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.event.ApplicationPreparedEvent;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
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
    private static final Map<String, Object> QUIET = Map.of(
            "spring.main.banner-mode", "off", "logging.level.root", "off", "spring.datasource.url", "jdbc:h2:mem:left");

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
        assertThat(refused(properties, Map.of())).contains("spring.datasource.hikari.jdbc-url: not read");
    }

    /** Reads them into a pool of its own. */
    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    @EnableConfigurationProperties
    static class WithItsOwn {
        @Bean
        @ConfigurationProperties("spring.datasource.hikari")
        WeirDataSource reports() {
            return new WeirDataSource();
        }
    }

    @Test
    void nothingIsSaidWhereTheApplicationReadsThem() {
        Map<String, Object> properties = Fleet.with(
                QUIET,
                "spring.datasource.hikari.jdbc-url",
                "jdbc:h2:mem:own",
                "spring.datasource.hikari.auto-commit",
                "false",
                "spring.datasource.hikari.transaction-isolation",
                "TRANSACTION_SERIALIZABLE",
                "spring.datasource.hikari.connection-init-sql",
                "select 1",
                "spring.datasource.hikari.data-source-properties.MODE",
                "MySQL");
        assertThat(said(WithItsOwn.class, properties, Map.of())).isEmpty();
        try (ConfigurableApplicationContext context = Fleet.start(WithItsOwn.class, properties)) {
            assertThat(context.getBean(WeirDataSource.class).config().values())
                    .containsEntry("url", "jdbc:h2:mem:own")
                    .containsEntry("autoCommit", "false")
                    .containsEntry("transactionIsolation", "TRANSACTION_SERIALIZABLE")
                    .containsEntry("connectionInitSql", "select ?")
                    .containsEntry("dataSource.MODE", "MySQL");
        }
    }

    /** Why the application does not start. */
    private static String refused(Map<String, Object> properties, Map<String, Object> variables) {
        Throwable failure = catchThrowable(
                () -> Fleet.start(PlainApplication.class, properties, variables).close());
        while (failure != null && !(failure instanceof PoolConfigurationException)) {
            failure = failure.getCause();
        }
        assertThat(failure).as("the application must not start").isNotNull();
        return String.valueOf(failure.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "auto-commit, false",
        "autoCommit, false",
        "auto_commit, FALSE",
        "AUTO-COMMIT, false",
        "read-only, true",
        "transaction-isolation, TRANSACTION_SERIALIZABLE",
        "schema, shop",
        "catalog, shop",
        "connection-init-sql, set schema shop",
        "jdbc-url, jdbc:h2:mem:s3cr3t",
        "username, s3cr3t",
        "password, s3cr3t",
        "maximum-pool-size, 5",
        "data-source-properties.MODE, MySQL",
    })
    void whatWouldChangeTheMeaningStopsTheStartByName(String name, String value) {
        Map<String, Object> properties = Fleet.with(QUIET, "spring.datasource.hikari." + name, value);
        assertThat(refused(properties, Map.of()))
                .startsWith("spring.datasource.hikari." + name + ": not read")
                .contains("write spring.datasource.weir.", "or set spring.datasource.weir.ignore-hikari=true")
                .doesNotContain("s3cr3t");
        Map<String, Object> known = Fleet.with(
                properties, "spring.datasource.weir.ignore-hikari", "true", "logging.level.dev.weir", "warn");
        assertThat(said(PlainApplication.class, known, Map.of())).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "SPRING_DATASOURCE_HIKARI_AUTO_COMMIT, false",
        "SPRING_DATASOURCE_HIKARI_AUTOCOMMIT, false",
        "SPRING_DATASOURCE_HIKARI_CONNECTIONINITSQL, select 1",
    })
    void anEnvironmentVariableStopsItToo(String name, String value) {
        assertThat(refused(QUIET, Map.of(name, value))).contains(name, "not read");
    }

    @Test
    void allOfThemAreInOneReport() {
        Map<String, Object> properties = Fleet.with(
                QUIET,
                "spring.datasource.hikari.auto-commit",
                "${nobody:false}",
                "spring.datasource.hikari.schema",
                "shop",
                "spring.datasource.hikari.idle-timeout",
                "60000");
        assertThat(refused(properties, Map.of()).lines()).hasSize(2);
    }

    /** A literal is all that they differ in; config() would show both alike. */
    @Test
    void initSqlIsComparedAsItIs() {
        Map<String, Object> properties = Fleet.with(
                QUIET,
                "spring.datasource.hikari.connection-init-sql",
                "select 1",
                "spring.datasource.weir.connection-init-sql",
                "select 2");
        assertThat(refused(properties, Map.of())).contains("connection-init-sql: not read");
    }

    /** What says the same as the pool does, or changes times alone, is no reason. */
    @Test
    void whatSaysTheSameIsAWarning() {
        Map<String, Object> properties = Fleet.with(
                QUIET,
                "spring.datasource.hikari.auto-commit",
                "true",
                "spring.datasource.hikari.read-only",
                "false",
                "spring.datasource.hikari.jdbc-url",
                "jdbc:h2:mem:left",
                "spring.datasource.hikari.transaction-isolation",
                "TRANSACTION_SERIALIZABLE",
                "spring.datasource.weir.transaction-isolation",
                "serializable",
                "spring.datasource.hikari.maximum-pool-size",
                "20",
                "spring.datasource.weir.maximum-pool-size",
                "20",
                "spring.datasource.hikari.connection-timeout",
                "1000",
                "logging.level.dev.weir",
                "warn");
        assertThat(said(PlainApplication.class, properties, Map.of()))
                .singleElement()
                .asString()
                .contains("auto-commit", "connection-timeout");
    }

    @Test
    void unreadPropertiesAreToldOnceWithTheirNamesHere() {
        Map<String, Object> properties = Map.of("spring.main.banner-mode", "off", "logging.level.root", "warn");
        properties = Fleet.with(
                properties,
                "spring.datasource.url",
                "jdbc:h2:mem:notes",
                "spring.datasource.weir.ignore-hikari",
                "true",
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
