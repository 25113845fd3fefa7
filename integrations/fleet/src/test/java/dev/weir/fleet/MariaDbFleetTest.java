package dev.weir.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import dev.weir.testkit.servers.MariaDbServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** On MariaDB. */
@EnabledIf("isInstalled")
class MariaDbFleetTest extends FleetCases {
    private static MariaDbServer server;

    static boolean isInstalled() {
        return MariaDbServer.isInstalled();
    }

    @BeforeAll
    static void launch() {
        server = MariaDbServer.builder()
                .maxConnections(40)
                .option("max-user-connections", "1000") // with 0 it could not be set at run time
                .user("weir", "secret")
                .user("other", "secret")
                .start();
    }

    @AfterAll
    static void end() {
        server.close();
    }

    @Override
    String url() {
        return "jdbc:mariadb://127.0.0.1:" + server.port() + "/weir";
    }

    private Connection connect(String user, String password) throws SQLException {
        return DriverManager.getConnection(url(), user, password);
    }

    @Override
    void execute(String sql) {
        try (Connection connection = connect("root", "");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    @Override
    long number(String sql) {
        try (Connection connection = connect("root", "");
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    @Override
    int backends() {
        return (int) number("SELECT count(*) FROM information_schema.processlist WHERE user IN ('weir', 'plain')");
    }

    @Override
    String slow() {
        return "SELECT SLEEP(0.01)";
    }

    @Override
    FleetOptions rights(FleetOptions options) {
        execute("CREATE OR REPLACE USER plain IDENTIFIED BY 'secret'");
        execute("GRANT SELECT, INSERT, UPDATE ON weir.weir_fleet TO plain");
        execute("GRANT SELECT, INSERT, UPDATE, DELETE ON weir.weir_fleet_member TO plain");
        return options;
    }

    @Test
    void anAutomaticBudgetIsWhatTheServerHasLessWhatOtherAccountsUse() throws Exception {
        FleetOptions auto = FleetOptions.of("test", "app").withLeaveForOthers(5).withCreateTables(true);
        try (Connection other = connect("other", "secret");
                WeirDataSource pool = pool(10);
                WeirFleet fleet = WeirFleet.join(pool, auto)) {
            assertThat(other.isValid(1)).isTrue();
            assertThat(fleet.stats().budget()).isEqualTo(40 - 5 - 1);
        }
        execute("ALTER USER weir@'127.0.0.1' WITH MAX_USER_CONNECTIONS 9");
        fresh();
        try (WeirDataSource pool = pool(10);
                WeirFleet fleet = WeirFleet.join(pool, auto)) {
            assertThat(fleet.stats().budget()).isEqualTo(9 - 5);
        } finally {
            execute("ALTER USER weir@'127.0.0.1' WITH MAX_USER_CONNECTIONS 0");
        }
        execute("SET GLOBAL max_user_connections = 12");
        fresh();
        try (WeirDataSource pool = pool(10);
                WeirFleet fleet = WeirFleet.join(pool, auto)) {
            assertThat(fleet.stats().budget()).isEqualTo(12 - 5);
        } finally {
            execute("SET GLOBAL max_user_connections = 1000");
        }
    }
}
