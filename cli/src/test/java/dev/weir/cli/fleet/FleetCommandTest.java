package dev.weir.cli.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.cli.Main;
import dev.weir.cli.shared.Stop;
import dev.weir.fleet.FleetOptions;
import dev.weir.fleet.WeirFleet;
import dev.weir.testkit.Await;
import dev.weir.testkit.servers.MariaDbServer;
import dev.weir.testkit.servers.PostgresServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Against real members on real servers. */
class FleetCommandTest {
    private static final String PASSWORD = "hush-hush-4711";
    private static final Duration LIMIT = Duration.ofSeconds(15);

    private static PostgresServer server;

    private final StringWriter out = new StringWriter();
    private final Stop stop = new Stop();

    @BeforeAll
    static void start() {
        server = PostgresServer.builder().role("shop", PASSWORD).start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @AfterEach
    void dropTables() {
        server.execute("DROP TABLE IF EXISTS weir_fleet, weir_fleet_member");
    }

    private static WeirFleet join(String url, String fleet, FleetOptions options) throws SQLException {
        WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .url(url)
                .username("shop")
                .password(PASSWORD)
                .maximumPoolSize(5)
                .minimumPoolSize(0)
                .poolName(fleet)
                .build());
        return WeirFleet.join(pool, options.withCreateTables(true));
    }

    private int fleet(String url, String... more) {
        String[] arguments = new String[5 + more.length];
        System.arraycopy(
                new String[] {"fleet", "--url", url, "--user=shop", "--password=" + PASSWORD}, 0, arguments, 0, 5);
        System.arraycopy(more, 0, arguments, 5, more.length);
        PrintWriter writer = new PrintWriter(out, true);
        int exit = Main.commandLine(() -> stop).setOut(writer).setErr(writer).execute(arguments);
        assertThat(out.toString()).doesNotContain(PASSWORD);
        return exit;
    }

    @Test
    void whoHasWhatIsReadFromTheTables() throws Exception {
        String url = server.jdbcUrl("postgres");
        try (WeirFleet orders = join(
                        url,
                        "orders",
                        FleetOptions.of("shop", "orders").withBudget(12).withShare(3, 4));
                WeirFleet reports =
                        join(url, "reports", FleetOptions.of("shop", "reports").withBudget(12));
                WeirFleet alone = join(url, "alone", FleetOptions.of("other", "alone"));
                Connection used = orders.pool().getConnection()) {
            assertThat(used.isValid(1)).isTrue();
            server.execute(
                    "INSERT INTO weir_fleet_member SELECT fleet, E'gone\\x1b[2J', application, weight, guaranteed, maximum,"
                            + " at_once, sequence, 2, 9, 9, 0, expires - 60000, null FROM weir_fleet_member"
                            + " WHERE application = 'reports'");

            assertThat(fleet(url)).as(out.toString()).isZero();

            String text = out.toString();
            assertThat(text)
                    .containsPattern(
                            "fleet other: budget \\d+ \\(auto\\), \\d+ taken, \\d+ free, \\d+ for members that join, \\d+ wanted by 1 members")
                    .containsPattern(
                            "fleet shop: budget 12, \\d+ taken, \\d+ free, 1 for members that join, \\d+ wanted by 2 members")
                    .containsPattern("(?m)^application +weight +guaranteed +has +share +wants  lease$")
                    .containsPattern("(?m)^orders +3 +4 +\\d+ +\\d+ +\\d+$")
                    .containsPattern("(?m)^  " + orders.instance() + " +\\d+ +\\d+ +\\d+  [23]\\d s$")
                    .containsPattern("(?m)^  gone\\?\\?2J +2 +9 +9  ended [23]\\d s ago$");
            long has = server.number("SELECT sum(has) FROM weir_fleet_member WHERE fleet = 'shop'");
            assertThat(text).contains("budget 12, " + has + " taken, " + (12 - 1 - has) + " free");
            assertThat(alone.stats().members()).isEqualTo(1);
            assertThat(reports.stats().members()).isPositive();

            assertThat(fleet(url, "--fleet", "nobody")).isEqualTo(1);
            assertThat(out.toString()).endsWith(" has no fleet nobody." + System.lineSeparator());
        }
    }

    /** As on a terminal, which looks again and again: it sees what changes, and outlives an outage. */
    @Test
    void itGoesOnUntilItIsStopped() throws Exception {
        String url = server.jdbcUrl("postgres");
        CompletableFuture<Integer> watching;
        try (WeirFleet orders =
                join(url, "orders", FleetOptions.of("shop", "orders").withBudget(12))) {
            watching = CompletableFuture.supplyAsync(() -> fleet(url, "--interval", "100ms"));
            Await.await(out::toString, LIMIT, () -> out.toString().contains(orders.instance()));
            server.execute("ALTER TABLE weir_fleet RENAME TO lost");
            Await.await(out::toString, LIMIT, () -> out.toString().contains("no fleet has its tables here"));
            server.execute("ALTER TABLE lost RENAME TO weir_fleet");
        }
        Await.await(out::toString, LIMIT, () -> out.toString().contains("wanted by 0 members"));
        stop.request(2);
        assertThat(watching.get(15, TimeUnit.SECONDS)).isEqualTo(130);
    }

    @Test
    void whatCannotBeReadIsSaid() {
        assertThat(fleet(server.jdbcUrl("postgres"))).isEqualTo(1);
        assertThat(out.toString())
                .contains(" as shop: no fleet has its tables here, weir_fleet and ")
                .doesNotContain("ERROR", "does not exist");
        assertThat(fleet("jdbc:h2:mem:x")).isEqualTo(1);
        assertThat(out.toString()).contains("expected: PostgreSQL, MariaDB or MySQL");
        assertThat(fleet("jdbc:nobody:x")).isEqualTo(1);
        assertThat(out.toString()).contains("WEIR_CLASSPATH");
        assertThat(fleet("jdbc:h2:mem:x", "--interval", "1ms")).isEqualTo(2);
        assertThat(out.toString()).contains("--interval: 1 ms (expected: 100ms..1h)");
        assertThat(fleet("jdbc:h2:mem:x", "--interval", "1s", "--once")).isEqualTo(2);
    }

    @Test
    void onMariaDbToo() throws Exception {
        assumeTrue(MariaDbServer.isInstalled(), "MariaDB is not installed here");
        try (MariaDbServer maria =
                MariaDbServer.builder().user("shop", PASSWORD).start()) {
            String url = "jdbc:mariadb://127.0.0.1:" + maria.port() + "/weir";
            try (WeirFleet orders =
                    join(url, "orders", FleetOptions.of("shop", "orders").withBudget(12))) {
                assertThat(fleet(url, "--once")).as(out.toString()).isZero();
                assertThat(out.toString())
                        .contains("fleet shop: budget 12, ")
                        .containsPattern("(?m)^  " + orders.instance() + " +\\d+ +\\d+ +\\d+  [23]\\d s$");
            }
        }
    }
}
