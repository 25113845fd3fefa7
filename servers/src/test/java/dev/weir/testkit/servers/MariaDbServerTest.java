package dev.weir.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class MariaDbServerTest {

    @BeforeEach
    void isInstalled() {
        assumeTrue(MariaDbServer.isInstalled(), "MariaDB is not installed here");
    }

    private static Connection connect(MariaDbServer server, String user, String password) throws SQLException {
        return DriverManager.getConnection("jdbc:mariadb://127.0.0.1:" + server.port() + "/weir", user, password);
    }

    @Test
    void comesBackOnItsPortWithItsDataHoweverItWasEnded() throws SQLException {
        try (MariaDbServer server =
                MariaDbServer.builder().user("weir", "the password").start()) {
            try (Connection connection = connect(server, "weir", "the password");
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE kept (n int) ENGINE=InnoDB");
                statement.execute("INSERT INTO kept VALUES (42)");
            }
            server.stop();
            assertThatThrownBy(() -> connect(server, "root", "")).isInstanceOf(SQLException.class);
            server.start();
            assertKept(server);
            server.kill();
            assertThatThrownBy(() -> connect(server, "root", "")).isInstanceOf(SQLException.class);
            server.start();
            assertKept(server);
            assertThatThrownBy(() -> connect(server, "weir", "another"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28000"));
        }
    }

    private static void assertKept(MariaDbServer server) throws SQLException {
        try (Connection connection = connect(server, "root", "");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT n FROM kept")) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getInt(1)).isEqualTo(42);
        }
    }

    @Test
    void leavesNothing() throws SQLException {
        Path data;
        MariaDbServer server = MariaDbServer.builder().start();
        try (server;
                Connection connection = connect(server, "root", "");
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT @@datadir")) {
            row.next();
            data = Path.of(row.getString(1));
            assertThat(data).isDirectory();
        }
        assertThat(Files.exists(data.getParent())).isFalse();
        assertThatThrownBy(() -> connect(server, "root", "")).isInstanceOf(SQLException.class);
        assertThatThrownBy(server::start).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void saysWhyItDoesNotStart() {
        assertThatThrownBy(() ->
                        MariaDbServer.builder().option("no-such-option", "1").start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("unknown variable 'no-such-option");
    }
}
