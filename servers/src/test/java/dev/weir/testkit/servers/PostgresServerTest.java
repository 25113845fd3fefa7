package dev.weir.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.Await;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class PostgresServerTest {

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = PostgresServer.builder()
                .maxConnections(10)
                .role("weir", "the password")
                .start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void comesBackOnItsPortWithItsDataAfterARestart() {
        server.execute("CREATE TABLE kept (n int)");
        server.execute("INSERT INTO kept VALUES (42)");
        int port = server.port();
        server.restart();
        assertThat(server.port()).isEqualTo(port);
        assertThat(server.number("SELECT n FROM kept")).isEqualTo(42);
    }

    @Test
    void refusesConnectionsWhileStopped() {
        server.stop();
        assertThat(server.isRunning()).isFalse();
        assertThatThrownBy(() -> server.connect().close())
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("08001"));
        server.start();
        assertThat(server.number("SELECT 1")).isEqualTo(1);
    }

    @Test
    void refusesAWrongPassword() throws SQLException {
        DriverManager.getConnection(server.jdbcUrl("postgres"), "weir", "the password")
                .close();
        assertThatThrownBy(() -> DriverManager.getConnection(server.jdbcUrl("postgres"), "weir", "another")
                        .close())
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"));
    }

    @Test
    void terminatesTheSessionsOfOthers() throws SQLException {
        try (Connection victim = DriverManager.getConnection(server.jdbcUrl())) {
            assertThat(server.backends()).isEqualTo(1);
            assertThat(server.killBackends("state = 'active'")).isZero();
            assertThat(server.killBackends()).isEqualTo(1);
            Await.await("the session ends", Duration.ofSeconds(10), () -> server.backends() == 0);
            assertThat(victim.isValid(5)).isFalse();
        }
    }

    @Test
    void hasNoMoreConnectionsThanItWasGiven() throws SQLException {
        List<Connection> taken = new ArrayList<>();
        try {
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 11; i++) {
                            taken.add(DriverManager.getConnection(server.jdbcUrl("postgres"), "weir", "the password"));
                        }
                    })
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("53300"));
            assertThat(taken).hasSize(7);
            assertThat(server.logged("remaining connection slots are reserved")).hasSize(1);
        } finally {
            for (Connection connection : taken) {
                connection.close();
            }
        }
    }

    @Test
    void anImmediateStopIsRecoveredFrom() {
        server.stop(PostgresServer.StopMode.IMMEDIATE);
        server.start();
        assertThat(server.number("SELECT 1")).isEqualTo(1);
    }

    @Test
    void leavesNoFolderBehind() throws Exception {
        PostgresServer other = PostgresServer.launch();
        String folder;
        try (Connection connection = other.connect();
                var statement = connection.createStatement();
                var result = statement.executeQuery("SHOW data_directory")) {
            result.next();
            folder = result.getString(1);
        }
        other.close();
        other.close();
        assertThat(java.nio.file.Path.of(folder).getParent()).doesNotExist();
    }
}
