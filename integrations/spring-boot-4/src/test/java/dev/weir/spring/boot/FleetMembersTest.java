package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.WeirDataSource;
import dev.weir.fleet.WeirFleet;
import dev.weir.testkit.Await;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.jdbc.core.JdbcTemplate;

/** Pools that share the budget of a fleet, by properties alone. */
class FleetMembersTest {
    private static final String PREFIX = "spring.datasource.weir.fleet.";

    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    @ImportAutoConfiguration({WeirMetricsAutoConfiguration.class, WeirTelemetryAutoConfiguration.class})
    static class Observed {
        final InMemoryMetricReader reader = InMemoryMetricReader.create();

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }

        @Bean
        OpenTelemetry openTelemetry() {
            return OpenTelemetrySdk.builder()
                    .setMeterProvider(SdkMeterProvider.builder()
                            .registerMetricReader(reader)
                            .build())
                    .build();
        }

        @Bean(defaultCandidate = false)
        WeirDataSource reports(WeirDataSourceFactory pools) {
            return pools.create("app.reports", pool -> {
                pool.setUrl(Fleet.server().jdbcUrl("postgres"));
                pool.setUsername(Fleet.USER);
                pool.setPassword(Fleet.PASSWORD);
            });
        }
    }

    private static Map<String, Object> inFleet(String... more) {
        Map<String, Object> properties = Fleet.with(
                Fleet.properties(),
                "spring.application.name",
                "orders",
                PREFIX + "name",
                "shop",
                PREFIX + "budget",
                "20",
                PREFIX + "create-tables",
                "true");
        return Fleet.with(properties, more);
    }

    private static Map<String, Object> withReports() {
        return inFleet(
                "app.reports.maximum-pool-size",
                "4",
                "app.reports.minimum-pool-size",
                "1",
                "app.reports.fleet.name",
                "shop",
                "app.reports.fleet.application",
                "reports",
                "app.reports.fleet.weight",
                "2",
                "app.reports.fleet.budget",
                "20",
                "app.reports.fleet.create-tables",
                "true");
    }

    private static long members(String application) {
        return Fleet.server()
                .number("select count(*) from weir_fleet_member where application = '" + application + "'");
    }

    @AfterEach
    void dropTables() {
        Fleet.server().execute("drop table if exists weir_fleet, weir_fleet_member");
    }

    @Test
    void everyPoolJoinsIsSeenAndLeavesWhenItsBeanIsDestroyed() {
        WeirDataSource pool;
        InMemoryMetricReader reader;
        try (ConfigurableApplicationContext context = Fleet.start(Observed.class, withReports())) {
            pool = context.getBean("dataSource", WeirDataSource.class);
            reader = context.getBean(Observed.class).reader;
            assertThat(context.getBean(JdbcTemplate.class).queryForObject("select 6 * 7", Integer.class))
                    .isEqualTo(42);
            assertThat(members("orders")).isEqualTo(1);
            assertThat(members("reports")).isEqualTo(1);
            assertThat(Fleet.server().number("select weight from weir_fleet_member where application = 'reports'"))
                    .isEqualTo(2);
            WeirEndpointProperties shown = new WeirEndpointProperties();
            WeirEndpoint endpoint =
                    new WeirEndpoint(context.getBean(Pools.class), new PoolObserver(shown), shown, List.of());
            Await.await(
                    () -> String.valueOf(endpoint.pool("dataSource").fleet()),
                    Duration.ofSeconds(10),
                    () -> endpoint.pool("dataSource").fleet().members() == 2);
            assertThat(endpoint.pool("dataSource").fleet()).satisfies(fleet -> {
                assertThat(fleet.name()).isEqualTo("shop");
                assertThat(fleet.application()).isEqualTo("orders");
                assertThat(fleet.budget()).isEqualTo(20);
                assertThat(fleet.granted()).isBetween(2, 9);
                assertThat(fleet.leaseHolds()).isTrue();
            });
            assertThat(endpoint.pool("reports").fleet().application()).isEqualTo("reports");
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            context.getBeansOfType(MeterBinder.class).values().forEach(binder -> binder.bindTo(meters)); // as Boot does
            assertThat(meters.get("weir.fleet.budget").gauges())
                    .hasSize(2)
                    .allSatisfy(gauge -> assertThat(gauge.value()).isEqualTo(20));
            assertThat(reader.collectAllMetrics())
                    .filteredOn(metric -> metric.getName().equals("weir.fleet.budget"))
                    .singleElement()
                    .satisfies(metric ->
                            assertThat(metric.getLongGaugeData().getPoints()).hasSize(2));
        }
        assertThat(pool.isClosed()).isTrue();
        assertThat(members("orders") + members("reports")).isZero(); // at once, and not when the lease has ended
        assertThat(reader.collectAllMetrics())
                .noneMatch(metric -> metric.getName().startsWith("weir.fleet"));
    }

    /** As the DevTools do. */
    @Test
    void aRestartIsAnotherMemberAndAStoppedContextHoldsNoConnection() {
        String first;
        try (ConfigurableApplicationContext context = Fleet.start(PlainApplication.class, inFleet())) {
            first = instance(context);
            context.stop();
            Await.await(
                    "no session is left",
                    Duration.ofSeconds(10),
                    () -> Fleet.server()
                                    .number("select count(*) from pg_stat_activity where application_name ="
                                            + " (select tag from weir_fleet_member)")
                            == 0);
            context.start();
            assertThat(context.getBean(JdbcTemplate.class).queryForObject("select 1", Integer.class))
                    .isEqualTo(1);
        }
        try (ConfigurableApplicationContext context = Fleet.start(PlainApplication.class, inFleet())) {
            assertThat(instance(context)).isNotEqualTo(first);
            assertThat(members("orders")).isEqualTo(1);
        }
    }

    private static String instance(ConfigurableApplicationContext context) {
        return context.getBean(Pools.class)
                .fleetOf(context.getBean(WeirDataSource.class))
                .instance();
    }

    @Test
    void anEmptyNameIsNoFleet() {
        try (ConfigurableApplicationContext context =
                Fleet.start(PlainApplication.class, inFleet(PREFIX + "name", ""))) {
            assertThat(context.getBean(Pools.class).fleetOf(context.getBean(WeirDataSource.class)))
                    .isNull();
        }
    }

    private static FailureAnalysis analysisOf(Map<String, Object> properties) {
        Analyses.last = null;
        assertThat(catchThrowable(
                        () -> Fleet.start(PlainApplication.class, properties).close()))
                .isNotNull();
        assertThat(Analyses.last).isNotNull();
        return Analyses.last;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "fleet.budget | 0 | fleet.budget: 0 (expected: auto, or 3 and more)",
                "fleet.budget | much | fleet.budget: much (expected: auto, or 3 and more)",
                "fleet.weight | 0 | fleet.weight: 0 (expected: 1..1000)",
                "fleet.guaranteed | all | fleet.guaranteed: all (expected: a number)",
                "fleet.instances | 0 | fleet.instances: 0 (expected: 1 and more)",
                "fleet.lease | soon | fleet.lease: soon (expected: a time",
                "fleet.lease | 1s | fleet.lease: PT1S (expected: 5 s to 1 h)",
                "fleet.create-tables | perhaps | fleet.create-tables: perhaps (expected: true or false)",
                "fleet.application | a b | fleet.application: a b (expected: 1 to 64 of",
                "fleet.name | a b | fleet.name: a b (expected: 1 to 64 of",
                "fleet.wieght | 2 | fleet.wieght: not a setting of a fleet (expected: one of name, application, budget,",
                "maximum-pool-size | 30 | maximum-pool-size: 30 (expected: at most 1",
            })
    void whatIsWrongIsRefusedByItsProperty(String property, String value, String message) {
        assertThat(analysisOf(inFleet("logging.level.root", "off", "spring.datasource.weir." + property, value))
                        .getDescription())
                .contains("spring.datasource.weir." + message);
    }

    @Test
    void whatDoesNotFitIntoTheFleetIsRefused() {
        try (ConfigurableApplicationContext context = Fleet.start(PlainApplication.class, inFleet())) {
            assertThat(context.isActive()).isTrue();
            assertThat(analysisOf(inFleet("logging.level.root", "off", PREFIX + "budget", "21"))
                            .getDescription())
                    .contains("spring.datasource.weir.fleet.*: fleet shop: budget 21 (expected: 20");
        }
        assertThat(analysisOf(inFleet("logging.level.root", "off", "spring.application.name", ""))
                        .getDescription())
                .contains("spring.datasource.weir.fleet.application: not set (expected: a name, or spring.application");
    }

    @Test
    void missingTablesAreExplained() {
        FailureAnalysis analysis = analysisOf(inFleet(
                "logging.level.root",
                "off",
                PREFIX + "create-tables",
                "false",
                "spring.datasource.weir.connection-timeout",
                "1s"));
        assertThat(analysis.getDescription()).contains("fleet shop", "weir_fleet");
        assertThat(analysis.getAction())
                .contains("fleet-database.md", "spring.datasource.weir.fleet.create-tables=true");
    }

    @Test
    void withoutTheModuleAFleetIsRefused() {
        Analyses.last = null;
        assertThat(catchThrowable(() -> new SpringApplicationBuilder(PlainApplication.class)
                        .web(WebApplicationType.NONE)
                        .registerShutdownHook(false)
                        .resourceLoader(new DefaultResourceLoader(new FilteredClassLoader(WeirFleet.class)))
                        .properties(inFleet("logging.level.root", "off"))
                        .run()))
                .isNotNull();
        assertThat(Analyses.last.getDescription())
                .contains(PREFIX + "name: shop (expected: dev.weir:weir-fleet on the class path");
    }

    @Test
    void theGuidesLinesAreEnough() throws Exception {
        String guide = Files.readString(Path.of("..", "..", "docs", "how-to", "fleet.md"));
        Matcher block =
                Pattern.compile("```yaml\n(spring:.*?)```", Pattern.DOTALL).matcher(guide);
        assertThat(block.find()).isTrue();
        Map<String, Object> properties = Fleet.properties();
        properties.remove("spring.datasource.weir.maximum-pool-size");
        properties.put(PREFIX + "create-tables", "true");
        new YamlPropertySourceLoader()
                .load("guide", new ByteArrayResource(block.group(1).getBytes(StandardCharsets.UTF_8)))
                .forEach(source -> {
                    for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
                        properties.put(name, source.getProperty(name));
                    }
                });
        try (ConfigurableApplicationContext context = Fleet.start(PlainApplication.class, properties)) {
            assertThat(context.getBean(JdbcTemplate.class).queryForObject("select 1", Integer.class))
                    .isEqualTo(1);
            assertThat(Fleet.server()
                            .number("select guaranteed from weir_fleet_member where application = 'orders'"
                                    + " and fleet = 'shop' and maximum = 21"))
                    .isEqualTo(10);
        }
    }

    /** What an editor offers is what is read. */
    @Test
    void everyOptionIsInTheMetadata() throws Exception {
        try (InputStream in =
                WeirDataSourceFactory.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            assertThat(Pattern.compile("\"name\": \"spring\\.datasource\\.weir\\.fleet\\.([a-z-]+)\"")
                            .matcher(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                            .results()
                            .map((MatchResult found) -> found.group(1)))
                    .containsExactlyElementsOf(Arrays.stream(FleetSettings.class.getRecordComponents())
                            .map(option -> PropertyNames.dashed(option.getName()))
                            .toList());
        }
    }
}
