package dev.weir.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each test has a pair of its own, since a promotion cannot be undone. */
final class PostgresPairTest {

    private PostgresPair pair;

    @BeforeEach
    void start() {
        pair = PostgresPair.start(PostgresServer.builder().role("weir", "the password"));
        pair.primary().execute("CREATE TABLE kept (n int)");
    }

    @AfterEach
    void stop() {
        pair.close();
        pair.close();
    }

    private Connection asUser(PostgresServer server) throws SQLException {
        return DriverManager.getConnection(server.jdbcUrl("postgres"), "weir", "the password");
    }

    @Test
    void theStandbyFollowsAndOnlyReadsUntilItIsPromoted() throws SQLException {
        assertThat(pair.isStreaming()).isTrue();
        pair.primary().execute("INSERT INTO kept VALUES (42)");
        pair.awaitCaughtUp();
        assertThat(pair.standby().number("SELECT n FROM kept")).isEqualTo(42);
        assertThatThrownBy(() -> pair.standby().execute("INSERT INTO kept VALUES (43)"))
                .cause()
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25006"));

        pair.primary().stop(PostgresServer.StopMode.IMMEDIATE);
        pair.promote();
        pair.standby().execute("INSERT INTO kept VALUES (43)");
        assertThat(pair.standby().number("SELECT sum(n) FROM kept")).isEqualTo(85);
        asUser(pair.standby()).close();
    }

    @Test
    void aDemotedPrimaryKeepsItsSessionsAndRefusesTheirWrites() throws SQLException {
        pair.primary().execute("GRANT ALL ON kept TO weir");
        try (Connection open = asUser(pair.primary());
                Statement statement = open.createStatement()) {
            statement.execute("INSERT INTO kept VALUES (1)");
            pair.awaitCaughtUp();
            pair.promote();
            pair.demote();
            assertThatThrownBy(() -> statement.execute("INSERT INTO kept VALUES (2)"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25006"));
            assertThat(open.isValid(5)).isTrue();
        }
        pair.standby().execute("INSERT INTO kept VALUES (2)");
        assertThat(pair.primary().number("SELECT count(*) FROM kept")).isEqualTo(1);
    }

    @Test
    void leavesNoProcessAndNoFolderBehind() throws SQLException {
        List<Path> folders = new ArrayList<>();
        List<PostgresServer> servers = List.of(pair.primary(), pair.standby());
        for (PostgresServer server : servers) {
            try (Connection connection = server.connect();
                    var result = connection.createStatement().executeQuery("SHOW data_directory")) {
                result.next();
                folders.add(Path.of(result.getString(1)).getParent());
            }
        }
        pair.close();
        assertThat(folders)
                .doesNotHaveDuplicates()
                .allSatisfy(folder -> assertThat(folder).doesNotExist());
        for (PostgresServer server : servers) {
            assertThatThrownBy(() -> server.connect().close())
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("08001"));
        }
    }
}
