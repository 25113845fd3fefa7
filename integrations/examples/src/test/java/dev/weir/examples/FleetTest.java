package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.fleet.FleetOptions;
import dev.weir.fleet.FleetStats;
import dev.weir.fleet.WeirFleet;
import dev.weir.testkit.servers.MariaDbServer;
import dev.weir.testkit.servers.PgBouncer;
import dev.weir.testkit.servers.PostgresServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import liquibase.command.CommandScope;
import liquibase.command.core.UpdateCommandStep;
import liquibase.command.core.helpers.DbUrlConnectionArgumentsCommandStep;
import liquibase.database.Database;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What fleet.md and fleet-database.md show, on real servers. */
class FleetTest {
    private static PostgresServer server;

    /** With the rights of the guide, and no others. */
    private static final String USER = "orders";

    @BeforeAll
    static void start() {
        server = PostgresServer.builder().start();
        server.execute("CREATE ROLE orders LOGIN PASSWORD 'secret'");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void fresh() {
        server.execute("DROP TABLE IF EXISTS weir_fleet, weir_fleet_member");
    }

    private static PoolConfig config(String url) {
        return PoolConfig.builder()
                .url(url)
                .username(USER)
                .password("secret")
                .maximumPoolSize(20)
                .minimumPoolSize(0)
                .build();
    }

    private static String text(String resource) throws IOException {
        try (InputStream in = FleetTest.class.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void run(Connection connection, String script) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : script.replaceAll("(?m)^--.*$", "").split(";", -1)) {
                if (!sql.isBlank()) {
                    statement.execute(sql);
                }
            }
        }
    }

    private static void grant() throws Exception {
        try (Connection connection = server.connect()) {
            run(connection, text("/snippets/fleet-grants-postgresql.sql"));
        }
    }

    private static void assertOneJoins(String url, FleetOptions options) throws SQLException {
        try (WeirDataSource pool = new WeirDataSource(config(url));
                WeirFleet fleet = WeirFleet.join(pool, options)) {
            assertThat(Pools.number(pool, "select 6 * 7")).isEqualTo(42);
            assertThat(fleet.stats().lastFailure()).isNull();
            assertThat(Pools.number(pool, "select count(*) from weir_fleet_member"))
                    .isEqualTo(1);
        }
    }

    @Test
    void aMemberIsOneObjectAroundThePool() throws Exception {
        try (Connection connection = server.connect()) {
            run(connection, text("/dev/weir/fleet/schema/postgresql.sql"));
        }
        grant();
        PoolConfig config = config(server.jdbcUrl("postgres"));
        // snippet:fleet
        WeirDataSource pool = new WeirDataSource(config);
        WeirFleet fleet = WeirFleet.join(pool, FleetOptions.of("shop", "orders").withShare(1, 10));
        FleetStats stats = fleet.stats(); // what it may have, should have and could use; budget, members
        // snippet:end
        try (fleet) {
            assertThat(fleet.pool()).isSameAs(pool);
            assertThat(Pools.number(pool, "select 6 * 7")).isEqualTo(42);
            assertThat(stats.budget()).isGreaterThan(50);
            assertThat(stats.members()).isEqualTo(1);
        }
        assertThat(pool.isClosed()).isTrue();
        assertThat(server.number("select count(*) from weir_fleet_member")).isZero();
    }

    @Test
    void liquibaseMakesTheTables() throws Exception {
        try (Connection connection = server.connect()) {
            Database database =
                    DatabaseFactory.getInstance().findCorrectDatabaseImplementation(new JdbcConnection(connection));
            new CommandScope(UpdateCommandStep.COMMAND_NAME)
                    .addArgumentValue(DbUrlConnectionArgumentsCommandStep.DATABASE_ARG, database)
                    .addArgumentValue(UpdateCommandStep.CHANGELOG_FILE_ARG, "snippets/fleet-liquibase.xml")
                    .execute();
        }
        grant();
        assertOneJoins(server.jdbcUrl("postgres"), FleetOptions.of("shop", "orders"));
    }

    @Test
    void flywayMakesTheTables(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("V12__weir_fleet.sql"), text("/dev/weir/fleet/schema/postgresql.sql"));
        server.execute("CREATE ROLE migrator LOGIN SUPERUSER PASSWORD 'secret'");
        Flyway.configure()
                .dataSource(server.jdbcUrl("postgres"), "migrator", "secret")
                .locations("filesystem:" + folder)
                .baselineOnMigrate(true)
                .load()
                .migrate();
        grant();
        assertOneJoins(server.jdbcUrl("postgres"), FleetOptions.of("shop", "orders"));
    }

    /** In transaction mode, over one session. */
    @Test
    void itWorksBehindAPooler() throws Exception {
        assumeTrue(PgBouncer.isInstalled(), "PgBouncer is not installed here");
        try (Connection connection = server.connect()) {
            run(connection, text("/dev/weir/fleet/schema/postgresql.sql"));
        }
        grant();
        try (PgBouncer pooler = new PgBouncer(server.port(), USER, "secret")) {
            assertOneJoins(
                    server.jdbcUrl("postgres", pooler.port()) + "?prepareThreshold=0",
                    FleetOptions.of("shop", "orders").withBudget(40));
        }
    }

    @Test
    void onMariaDbTheSameWithItsOwnScripts() throws Exception {
        assumeTrue(MariaDbServer.isInstalled(), "MariaDB is not installed here");
        try (MariaDbServer maria = MariaDbServer.builder().start()) {
            String url = "jdbc:mariadb://127.0.0.1:" + maria.port() + "/";
            try (Connection root = DriverManager.getConnection(url + "weir?user=root")) {
                run(root, "CREATE DATABASE shop; USE shop; CREATE USER orders@'%' IDENTIFIED BY 'secret'");
                run(root, text("/dev/weir/fleet/schema/mariadb.sql"));
                run(root, text("/snippets/fleet-grants-mariadb.sql"));
            }
            assertOneJoins(url + "shop", FleetOptions.of("shop", "orders"));
        }
    }
}
