package dev.weir.dropwizard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import dev.weir.testkit.servers.PostgresServer;
import dev.weir.testkit.servers.ThreadsLeft;
import io.dropwizard.configuration.ConfigurationValidationException;
import io.dropwizard.db.ManagedDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A pool of the YAML as a member of a fleet, on a real PostgreSQL. */
class FleetMemberTest {
    private static PostgresServer server;

    private final MetricRegistry registry = new MetricRegistry();

    @BeforeAll
    static void launch() {
        server = PostgresServer.builder().role("shop", "secret").start();
    }

    @AfterAll
    static void end() {
        server.close();
    }

    @AfterEach
    void fresh() {
        server.execute("DROP TABLE IF EXISTS weir_fleet, weir_fleet_member");
    }

    private static WeirDataSourceFactory factory(String... fleet) throws Exception {
        List<String> lines = new ArrayList<>(List.of(
                "url: " + server.jdbcUrl("postgres"),
                "username: shop",
                "password: secret",
                "maximumPoolSize: 5",
                "minimumPoolSize: 1",
                "registerMbeans: false",
                "fleet:",
                "  name: harbour",
                "  application: orders",
                "  budget: 12",
                "  createTables: true"));
        for (String line : fleet) {
            lines.removeIf(one -> one.strip().startsWith(line.replaceFirst(":.*", ":")));
            lines.add("  " + line);
        }
        return Yaml.read(lines.toArray(String[]::new));
    }

    private static long members() {
        return server.number("SELECT count(*) FROM weir_fleet_member WHERE fleet = 'harbour' AND weight = 3");
    }

    private Object gauge(String name) {
        return ((Gauge<?>) registry.getGauges().get("shop.fleet." + name)).getValue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"shop.fleet.Wanted", "shop.pool.Wait"})
    void aPoolThatIsNotBuiltLeavesNoMetricsBehind(String taken) throws Exception {
        registry.register(taken, (Gauge<Integer>) () -> 42);
        WeirDataSourceFactory factory = factory();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> factory.build(registry, "shop"))
                .withMessageContaining(taken);
        assertThat(registry.getNames()).containsOnly(taken);
    }

    @Test
    void itJoinsBeforeItOpensAnythingIsMeasuredAndLeavesAtTheStop() throws Exception {
        ThreadsLeft threads = ThreadsLeft.sinceNow();
        ManagedDataSource dataSource = factory("weight: 3", "guaranteed: 4").build(registry, "shop");
        assertThat(gauge("Budget")).isEqualTo(0);
        assertThat(server.backends()).isZero();
        try (Connection connection = dataSource.getConnection()) { // as Hibernate's bundle does, before the start
            assertThat(connection.isValid(1)).isTrue();
            assertThat(members()).isEqualTo(1);
        }
        dataSource.start();
        assertThat(gauge("Budget")).isEqualTo(12);
        assertThat(gauge("Members")).isEqualTo(1);
        assertThat(gauge("LeaseHolds")).isEqualTo(true);
        assertThat((int) gauge("Granted")).isBetween(2, 6);
        assertThat((int) gauge("Wanted")).isBetween(2, 3);
        assertThat(registry.getGauges().keySet())
                .filteredOn(name -> name.startsWith("shop.fleet."))
                .hasSize(9);
        dataSource.stop();
        assertThat(members()).isZero();
        assertThat(registry.getNames()).isEmpty();
        threads.none("weir-", Duration.ofSeconds(10));
        assertThatThrownBy(dataSource::getConnection)
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void oneThatNeverStartedAndAMigrationAreNoMembers() throws Exception {
        factory().build(registry, "never").stop();
        WeirDataSourceFactory migration = factory("weight: 3");
        migration.asSingleConnectionPool();
        ManagedDataSource dataSource = migration.build(registry, "migrations");
        try (Connection connection = dataSource.getConnection()) {
            assertThat(connection.isValid(1)).isTrue();
        }
        assertThat(server.number("SELECT count(*) FROM pg_class WHERE relname = 'weir_fleet'"))
                .isZero();
        dataSource.stop();
    }

    @Test
    void anEmptyNameIsNoFleet() throws Exception {
        ManagedDataSource dataSource = factory("name: ''").build(registry, "off");
        dataSource.start();
        try (Connection connection = dataSource.getConnection()) {
            assertThat(connection.isValid(1)).isTrue();
        }
        assertThat(server.number("SELECT count(*) FROM pg_class WHERE relname = 'weir_fleet'"))
                .isZero();
        dataSource.stop();
    }

    @Test
    void oneThatDoesNotFitFailsTheStart() throws Exception {
        ManagedDataSource first = factory().build(registry, "first");
        first.start();
        ManagedDataSource second = factory("forgetAfter: 20 minutes").build(registry, "second");
        assertThatThrownBy(second::start)
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("fleet harbour: forgetAfter");
        second.stop();
        first.stop();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "weight: 0 | shop.fleet.weight 0 (expected: 1..1000)",
                "budget: much | shop.fleet.budget much (expected: auto, or 3 and more)",
                "budget: 0 | shop.fleet.budget 0 (expected: auto, or 3 and more)",
                "guaranteed: 13 | shop.fleet.guaranteed 13 (expected: at most the budget of the fleet, 12)",
                "instances: 0 | shop.fleet.instances 0 (expected: 1 and more)",
                "lease: 1s | shop.fleet.lease PT1S (expected: 5 s to 1 h)",
                "name: a b | shop.fleet.name a b (expected: 1 to 64 of",
                "application: '' | shop.fleet.application not set (expected: a name, alike for all instances)",
            })
    void whatIsWrongIsAViolationOfItsField(String line, String message) {
        assertThatThrownBy(() -> factory(line))
                .isInstanceOf(ConfigurationValidationException.class)
                .hasMessageContaining(message);
    }

    @Test
    void withoutTheModuleAFleetIsRefused() {
        FleetConfiguration configuration = new FleetConfiguration();
        configuration.setName("harbour");
        configuration.setApplication("orders");
        assertThat(configuration.faults(FleetMemberTest.class.getClassLoader())).isEmpty();
        assertThat(configuration.faults(ClassLoader.getPlatformClassLoader()))
                .containsExactly("name: harbour (expected: dev.weir:weir-fleet on the class path, or no fleet)");
    }
}
