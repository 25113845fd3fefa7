package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.testkit.servers.MariaDbServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Whatever is wrong, the application says which property it is and what to do, and shows no secret. */
class BadConfigurationTest {
    private static final Map<String, Object> H2 = Map.of(
            "spring.main.banner-mode", "off", "logging.level.root", "off", "spring.datasource.url", "jdbc:h2:mem:bad");

    /** To load a driver may take longer than these tests wait for a connect to fail. */
    @BeforeAll
    static void loadDriver() throws SQLException {
        DriverManager.getConnection("jdbc:h2:mem:first").close();
    }

    private static FailureAnalysis analysisOf(Class<?> application, Map<String, Object> properties) {
        Analyses.last = null;
        Throwable failure =
                catchThrowable(() -> Fleet.start(application, properties).close());
        assertThat(failure).as("the application must not start").isNotNull();
        assertThat(Analyses.last)
                .as("an analysis of " + failure)
                .isNotNull()
                .satisfies(analysis -> assertThat(analysis.getDescription() + analysis.getAction())
                        .doesNotContain("s3cr3t"));
        return Analyses.last;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "maximum-pool-size | 0 | maximum-pool-size: 0 (expected: 1..10000)",
                "maximum-pool-size | many | maximum-pool-size: many (expected: 1..10000)",
                "connection-timeout | soon | connection-timeout: soon (expected: 1ms..365d",
                "connection-timeout | 0 | connection-timeout: 0 (expected: 1ms..365d",
                "auto-commit | maybe | auto-commit: maybe (expected: true or false)",
                "transaction-isolation | strict | transaction-isolation: strict (expected: READ_UNCOMMITTED",
                "minimum-pool-size | 61 | minimum-pool-size: 61 (expected: at most maximumPoolSize 60)",
                "maximum-pol-siz | 5 | maximum-pol-siz: not a setting (did you mean maximumPoolSize?)",
                "allow-pool-suspension | true | allow-pool-suspension: not a setting (suspend()",
                "data-source.ssl | true | weir.data-source.ssl: not a setting (did you mean"
                        + " spring.datasource.weir.data-source-properties.ssl?)",
                "url | postgres://app:s3cr3t@db/x | weir.url: postgres://",
                "driver-class-name | com.example.Driver | weir.driver-class-name: com.example.Driver (expected:",
                "connection-timeout | '' | connection-timeout: \"\" (expected: 1ms..365d",
                "max-active | 7 | max-active: not a setting",
                "hikari.idle-timeout | 60000 | hikari.idle-timeout: not read, the pool is Weir; write"
                        + " spring.datasource.weir.idle-timeout (",
                "pasword | s3cr3t | pasword: not a setting (did you mean password?)",
                "schema | '' | weir.schema: \"\" (expected: text, not blank)"
            })
    void wrongPropertyIsNamedWithWhatIsExpected(String property, String value, String expected) {
        FailureAnalysis analysis =
                analysisOf(PlainApplication.class, Fleet.with(H2, "spring.datasource.weir." + property, value));
        assertThat(analysis.getDescription())
                .contains("spring.datasource.weir." + property)
                .contains(expected);
        assertThat(analysis.getAction()).contains("docs/reference/settings.md");
    }

    @ParameterizedTest
    @ValueSource(strings = {"maximumPoolSize", "maximum_pool_size", "MAXIMUM-POOL-SIZE"})
    void propertyIsNamedWhateverItsWayOfWriting(String property) {
        assertThat(analysisOf(PlainApplication.class, Fleet.with(H2, "spring.datasource.weir." + property, "0"))
                        .getDescription())
                .contains("spring.datasource.weir.maximum-pool-size: 0 (expected: 1..10000)");
    }

    @Test
    void environmentVariableIsNamed() {
        Analyses.last = null;
        Throwable failure = catchThrowable(() -> Fleet.start(
                        PlainApplication.class, H2, Map.of("SPRING_DATASOURCE_WEIR_CONNECTION_TIMEOUT", "soon"))
                .close());
        assertThat(failure).isNotNull();
        assertThat(Analyses.last.getDescription())
                .contains("spring.datasource.weir.connection-timeout: soon (expected: 1ms..365d")
                .contains("SPRING_DATASOURCE_WEIR_CONNECTION_TIMEOUT");
    }

    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    @ImportAutoConfiguration(WeirMetricsAutoConfiguration.class)
    static class WithMeters {
        @Bean
        MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }
    }

    @Test
    void namesOfMetersThatThereAreNotAreToldByTheProperty() {
        assertThat(analysisOf(WithMeters.class, Fleet.with(H2, "management.metrics.weir.names", "hikari"))
                        .getDescription())
                .contains("management.metrics.weir.names")
                .contains("hikari");
    }

    @Test
    void severalFaultsAreToldAtOnce() {
        FailureAnalysis analysis = analysisOf(
                PlainApplication.class,
                Fleet.with(
                        H2,
                        "spring.datasource.weir.minimum-pool-size",
                        "61",
                        "spring.datasource.weir.keepalive-time",
                        "1h"));
        assertThat(analysis.getDescription())
                .contains("spring.datasource.weir.minimum-pool-size: 61")
                .contains("spring.datasource.weir.keepalive-time: 1h");
    }

    /** Values that are none, unknown names, two names, contradictions and what is missing: as one report, as in plain Java. */
    @Test
    void faultsOfAllKindsAreToldAtOnce() {
        String description = analysisOf(
                        PlainApplication.class,
                        Fleet.with(
                                Map.of("spring.main.banner-mode", "off", "logging.level.root", "off"),
                                "spring.datasource.url",
                                "postgres://app:s3cr3t@db/x",
                                "spring.datasource.weir.maximum-pool-size",
                                "many",
                                "spring.datasource.weir.connection-timeout",
                                "0",
                                "spring.datasource.weir.auto-commit",
                                "maybe",
                                "spring.datasource.weir.transaction-isolation",
                                "strict",
                                "spring.datasource.weir.max-pool-siz",
                                "5",
                                "spring.datasource.weir.pasword",
                                "s3cr3t",
                                "spring.datasource.weir.keepalive-time",
                                "1h",
                                "spring.datasource.weir.max-active",
                                "7"))
                .getDescription();
        assertThat(description)
                .contains(
                        "maximum-pool-size: many",
                        "connection-timeout: 0",
                        "auto-commit: maybe",
                        "transaction-isolation: strict",
                        "max-pool-siz: not a setting",
                        "pasword: not a setting",
                        "keepalive-time: 1h",
                        "max-active: not a setting",
                        "spring.datasource.url: postgres://");
        assertThat(description.lines().filter(line -> line.contains("spring.datasource.") && line.startsWith("    ")))
                .as("each once")
                .hasSize(9);
    }

    @Test
    void faultsBesideAMissingUrlAreToldToo() {
        Map<String, Object> properties = Fleet.with(
                Map.of("spring.main.banner-mode", "off", "logging.level.root", "off"),
                "app.orders.maximum-pool-size",
                "0",
                "app.orders.sise",
                "1");
        assertThat(analysisOf(WithPrefix.class, Fleet.with(properties, "spring.datasource.url", "jdbc:h2:mem:bad"))
                        .getDescription())
                .contains(
                        "app.orders.maximum-pool-size: 0", "app.orders.sise: not a setting", "app.orders.url: not set");
    }

    @Test
    void twoValuesUnderTwoNamesOfOneSettingAreToldByBothNames() {
        Map<String, Object> two = Fleet.with(
                H2,
                "spring.datasource.weir.jdbc-url",
                "jdbc:h2:mem:bad",
                "spring.datasource.weir.url",
                "${other:jdbc:h2:mem:worse}");
        assertThat(analysisOf(PlainApplication.class, two).getDescription())
                .contains("spring.datasource.weir.jdbc-url [")
                .contains(" and spring.datasource.weir.url [")
                .contains(": two values for one setting (expected: one url)");
        Fleet.start(PlainApplication.class, Fleet.with(two, "other", "jdbc:h2:mem:bad"))
                .close();
    }

    @Test
    void springsOwnPropertiesAreNamedAsTheyAreWritten() {
        assertThat(analysisOf(
                                PlainApplication.class,
                                Fleet.with(H2, "spring.datasource.url", "postgres://app:s3cr3t@db/x"))
                        .getDescription())
                .contains("spring.datasource.url");
        assertThat(analysisOf(
                                PlainApplication.class,
                                Fleet.with(H2, "spring.datasource.driver-class-name", "com.example.Driver"))
                        .getDescription())
                .contains("spring.datasource.driver-class-name: com.example.Driver");
    }

    @Test
    void urlThatNoDriverTakesIsNamed() {
        FailureAnalysis analysis =
                analysisOf(PlainApplication.class, Fleet.with(H2, "spring.datasource.url", "jdbc:nosuch:x"));
        assertThat(analysis.getDescription()).contains("no driver accepts the url");
        assertThat(analysis.getAction())
                .contains("Add the database's driver to the dependencies, or correct spring.datasource.url")
                .doesNotContain("initialization-fail-timeout");
    }

    @ParameterizedTest
    @ValueSource(strings = {"connection-init-sql", "connection-test-query"})
    void sqlThatTheDatabaseRefusesIsNamed(String property) {
        FailureAnalysis analysis = analysisOf(
                PlainApplication.class,
                Fleet.with(
                        H2,
                        "spring.datasource.weir." + property,
                        "selec 1",
                        "spring.datasource.weir.initialization-fail-timeout",
                        "2s"));
        assertThat(analysis.getDescription()).contains("Syntax error");
        assertThat(analysis.getAction()).contains("The SQL of spring.datasource.weir." + property + " [");
    }

    @Test
    void dataSourceThatCannotConnectIsNamedByItsClass() {
        FailureAnalysis analysis = analysisOf(
                PlainApplication.class,
                Fleet.with(
                        H2,
                        "spring.datasource.weir.data-source-class-name",
                        "org.h2.jdbcx.JdbcDataSource",
                        "spring.datasource.weir.initialization-fail-timeout",
                        "2s"));
        assertThat(analysis.getAction())
                .contains("spring.datasource.weir.data-source-class-name [")
                .contains("spring.datasource.weir.data-source-properties.*");
    }

    @Test
    void refusedUserIsToldByTheNamesOfUserAndPassword() {
        FailureAnalysis analysis = analysisOf(
                PlainApplication.class, Fleet.with(Fleet.properties(), "spring.datasource.password", "s3cr3t"));
        assertThat(analysis.getDescription()).contains("spring.datasource.weir.*");
        assertThat(analysis.getAction())
                .contains("The database refuses the user")
                .contains("spring.datasource.username")
                .contains("spring.datasource.password");
    }

    /** At once: a start that waits for its database would fail the test by the time that it takes. */
    @Test
    @Timeout(60)
    void missingDatabaseIsToldByTheUrl() {
        FailureAnalysis analysis = analysisOf(
                PlainApplication.class,
                Fleet.with(
                        Fleet.properties(),
                        "spring.datasource.url",
                        Fleet.server().jdbcUrl("atlantis"),
                        "spring.datasource.weir.initialization-fail-timeout",
                        "10m"));
        assertThat(analysis.getDescription()).contains("atlantis");
        assertThat(analysis.getAction())
                .contains("no such database")
                .contains("spring.datasource.url")
                .doesNotContain("initialization-fail-timeout");
    }

    /** The first two at once, as above. */
    @Test
    @Timeout(60)
    void whatMariaDbHasNumbersForIsToldAsWell() throws Exception {
        assumeTrue(MariaDbServer.isInstalled(), "MariaDB is not installed");
        try (MariaDbServer server = MariaDbServer.builder()
                .maxConnections(10)
                .user("sailor", "ahoy")
                .start()) {
            String url = "jdbc:mariadb://127.0.0.1:" + server.port() + "/";
            assertThat(actionOf(url + "atlantis", "root", "", "10m"))
                    .contains("no such database")
                    .contains("spring.datasource.url");
            assertThat(actionOf(url + "mysql", "sailor", "ahoy", "10m"))
                    .contains("The user may not use this database")
                    .contains("spring.datasource.username")
                    .contains("spring.datasource.url");
            List<Connection> all = new ArrayList<>();
            try {
                fill(url + "weir", all);
                assertThat(actionOf(url + "weir", "sailor", "ahoy", "5s")) // it may have one later
                        .contains("no place for one more connection")
                        .contains("spring.datasource.weir.maximum-pool-size");
            } finally {
                for (Connection one : all) {
                    one.close();
                }
            }
        }
    }

    /** Until the server has no place; some of its sessions may be those of the pools that were refused. */
    private static void fill(String url, List<Connection> all) throws SQLException {
        try {
            while (all.size() < 20) {
                all.add(DriverManager.getConnection(url, "sailor", "ahoy"));
            }
        } catch (SQLException e) {
            if (e.getErrorCode() != 1040) {
                throw e;
            }
        }
    }

    private static String actionOf(String url, String user, String password, String limit) {
        return analysisOf(
                        PlainApplication.class,
                        Fleet.with(
                                H2,
                                "spring.datasource.url",
                                url,
                                "spring.datasource.username",
                                user,
                                "spring.datasource.password",
                                password,
                                "spring.datasource.weir.initialization-fail-timeout",
                                limit))
                .getAction();
    }

    @Test
    void deadPortIsToldByTheUrl() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        FailureAnalysis analysis = analysisOf(
                PlainApplication.class,
                Fleet.with(
                        Fleet.properties(),
                        "spring.datasource.url",
                        "jdbc:postgresql://127.0.0.1:" + port + "/postgres",
                        "spring.datasource.weir.initialization-fail-timeout",
                        "500ms"));
        assertThat(analysis.getAction())
                .contains("Nothing listens there")
                .contains("spring.datasource.url")
                .contains("spring.datasource.weir.initialization-fail-timeout=-1");
    }

    @Test
    void serverThatNeverAnswersIsToldByUrlAndTimeouts() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            FailureAnalysis analysis = analysisOf(
                    PlainApplication.class,
                    Fleet.with(
                            Fleet.properties(),
                            "spring.datasource.url",
                            "jdbc:postgresql://127.0.0.1:" + silent.getLocalPort() + "/postgres",
                            "spring.datasource.weir.connect-timeout",
                            "200ms",
                            "spring.datasource.weir.initialization-fail-timeout",
                            "500ms"));
            assertThat(analysis.getAction())
                    .contains("spring.datasource.url")
                    .contains("spring.datasource.weir.connect-timeout");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    static class WithPrefix {
        @Bean
        dev.weir.WeirDataSource orders(WeirDataSourceFactory pools) {
            return pools.create("app.orders");
        }
    }

    @Test
    void poolsOfTheApplicationsOwnAreNamedByTheirPrefix() {
        assertThat(analysisOf(
                                WithPrefix.class,
                                Fleet.with(H2, "app.orders.url", "jdbc:h2:mem:x", "app.orders.sise", "1"))
                        .getDescription())
                .contains("app.orders.sise: not a setting");
        assertThat(analysisOf(
                                WithPrefix.class,
                                Fleet.with(
                                        H2,
                                        "app.orders.url",
                                        "jdbc:h2:mem:x",
                                        "app.orders.hikari.maximumPoolSize",
                                        "5"))
                        .getDescription())
                .contains("app.orders.hikari.maximumpoolsize: not read, the pool is Weir; write"
                        + " app.orders.maximum-pool-size, app.orders.minimum-pool-size (");
        assertThat(analysisOf(WithPrefix.class, H2).getDescription()).contains("app.orders.url: not set");
    }
}
