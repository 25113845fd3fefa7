package dev.weir.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Members in one JVM, on a real PostgreSQL. */
class FleetTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static PostgresServer server;

    @BeforeAll
    static void launch() {
        server = PostgresServer.builder()
                .maxConnections(40)
                .role("weir", "secret")
                .start();
    }

    @AfterAll
    static void end() {
        server.close();
    }

    @BeforeEach
    void fresh() {
        server.execute("DROP TABLE IF EXISTS weir_fleet, weir_fleet_member");
    }

    static WeirDataSource pool(int maximum) {
        return new WeirDataSource(PoolConfig.builder()
                .url(server.jdbcUrl("postgres"))
                .username("weir")
                .password("secret")
                .maximumPoolSize(maximum)
                .minimumPoolSize(0)
                .connectionTimeout(SOON)
                .build());
    }

    private static FleetOptions options() {
        return FleetOptions.of("test", "app").withBudget(12).withCreateTables(true);
    }

    private static List<Connection> take(WeirDataSource pool, int count) throws Exception {
        List<Connection> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            taken.add(pool.getConnection());
        }
        return taken;
    }

    private static void giveBack(List<Connection> connections) throws Exception {
        for (Connection connection : connections) {
            connection.close();
        }
    }

    @Test
    void placesMoveToWhereTheyAreWantedAndNeverPassTheBudget() throws Exception {
        try (WeirDataSource first = pool(10);
                WeirDataSource second = pool(10);
                WeirFleet one = WeirFleet.join(first, options());
                WeirFleet two = WeirFleet.join(second, options())) {
            for (int round = 0; round < 3; round++) {
                List<Connection> ofFirst = take(first, 8);
                assertThat(server.backends()).isLessThanOrEqualTo(12);
                giveBack(ofFirst);
                List<Connection> ofSecond = take(second, 8);
                assertThat(server.backends()).isLessThanOrEqualTo(12);
                giveBack(ofSecond);
            }
            assertThat(first.stats().openFailed() + second.stats().openFailed()).isZero();
            assertThat(one.status().members()).isEqualTo(2);
            assertThat(two.status().budget()).isEqualTo(12);
        }
        assertThat(server.number("SELECT count(*) FROM weir_fleet_member")).isZero();
    }

    @Test
    void whenAllWantMoreThanThereIsEachHasItsPart() throws Exception {
        FleetOptions heavy =
                FleetOptions.of("test", "heavy").withBudget(12).withShare(3, 0).withCreateTables(true);
        try (WeirDataSource first = pool(11);
                WeirDataSource second = pool(11);
                WeirFleet one = WeirFleet.join(first, options());
                WeirFleet two = WeirFleet.join(second, heavy);
                Waiters crowd = new Waiters(first, 20);
                Waiters other = new Waiters(second, 20)) {
            Await.await(
                    () -> "one has a quarter, the other the rest: " + one.status() + two.status(),
                    SOON,
                    () -> one.status().granted() == 3 && two.status().granted() == 9);
            Await.await(
                    () -> first.stats() + " " + second.stats(),
                    SOON,
                    () -> first.stats().total() == 2 && second.stats().total() == 8);
            assertThat(crowd.failures() + other.failures()).isZero();
        }
    }

    @Test
    void aMemberThatDoesNotFitIsRefusedByName() throws Exception {
        try (WeirDataSource first = pool(5);
                WeirDataSource second = pool(5);
                WeirFleet one = WeirFleet.join(first, options())) {
            assertThat(one.status().granted()).isPositive();
            assertThatThrownBy(() -> WeirFleet.join(second, options().withBudget(13)))
                    .isInstanceOf(FleetRefusedException.class)
                    .hasMessageContaining("budget 13 (expected: 12");
        }
        try (WeirDataSource pool = pool(5);
                WeirDataSource greedy = pool(5);
                WeirFleet one = WeirFleet.join(pool, options().withShare(1, 8).withInstances(2))) {
            FleetOptions other = FleetOptions.of("test", "other")
                    .withBudget(12)
                    .withShare(1, 8)
                    .withInstances(2);
            assertThatThrownBy(() -> WeirFleet.join(greedy, other))
                    .isInstanceOf(FleetRefusedException.class)
                    .hasMessageContaining("16 connections are guaranteed")
                    .hasMessageContaining("at most the budget, 12");
            assertThat(one.status().failures()).isZero();
        }
        try (WeirDataSource large = pool(20)) {
            assertThatThrownBy(() -> WeirFleet.join(large, options())).hasMessageContaining("maximumPoolSize: 20");
        }
        try (WeirDataSource nobody = new WeirDataSource(
                PoolConfig.builder().url(server.jdbcUrl()).maximumPoolSize(3).build())) {
            assertThatThrownBy(() -> WeirFleet.join(nobody, options())).hasMessageContaining("username: not set");
        }
    }

    @Test
    void anAutomaticBudgetIsWhatTheServerHasLessWhatOthersUse() throws Exception {
        FleetOptions auto = FleetOptions.of("test", "app").withLeaveForOthers(5).withCreateTables(true);
        try (Connection other = server.connect();
                WeirDataSource pool = pool(10);
                WeirFleet fleet = WeirFleet.join(pool, auto)) {
            assertThat(other.isValid(1)).isTrue();
            assertThat(fleet.status().budget()).isEqualTo(40 - 3 - 5 - 1);
        }
        server.execute("ALTER ROLE weir CONNECTION LIMIT 9");
        server.execute("DROP TABLE weir_fleet, weir_fleet_member");
        try (WeirDataSource pool = pool(10);
                WeirFleet fleet = WeirFleet.join(pool, auto)) {
            assertThat(fleet.status().budget()).isEqualTo(4);
        } finally {
            server.execute("ALTER ROLE weir CONNECTION LIMIT -1");
        }
    }

    @Test
    void whenTheTableIsLostAMemberStaysAtItsLastGrantAndComesBack() throws Exception {
        FleetOptions brief = options().withLease(Duration.ofSeconds(5), Duration.ofSeconds(5));
        try (WeirDataSource pool = pool(10);
                WeirFleet fleet = WeirFleet.join(pool, brief)) {
            giveBack(take(pool, 4));
            server.execute("ALTER TABLE weir_fleet RENAME TO lost");
            Await.await("a renewal fails", SOON, () -> fleet.status().failures() > 0);
            int before = fleet.status().granted();
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.isValid(1)).isTrue();
            }
            assertThat(fleet.status().granted()).isLessThanOrEqualTo(before).isPositive();
            Await.await("the lease ends", SOON, () -> !fleet.status().leaseHolds());
            assertThat(fleet.status().granted()).isZero(); // nothing is guaranteed to it
            server.execute("ALTER TABLE lost RENAME TO weir_fleet");
            Await.await("it is back", SOON, () -> fleet.status().leaseHolds());
            giveBack(take(pool, 4));
        }
    }
}
