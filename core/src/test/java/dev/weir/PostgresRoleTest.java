package dev.weir;

import static dev.weir.PostgresShared.SOON;
import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.pid;
import static dev.weir.PostgresShared.server;
import static dev.weir.PostgresShared.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.Await;
import dev.weir.testkit.TcpProxy;
import dev.weir.testkit.servers.PostgresServer;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** After a failover the old server goes on with its sockets open, and only reads; its name leads to another server. */
final class PostgresRoleTest {
    private static final int SIZE = 8;

    private static PostgresServer old;

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();
    private TcpProxy name;

    @BeforeAll
    static void startTheOldServer() {
        old = PostgresServer.builder()
                .role(PostgresShared.USER, PostgresShared.PASSWORD)
                .start();
        for (PostgresServer each : new PostgresServer[] {old, server()}) {
            each.execute("CREATE TABLE moved (id INT)");
            each.execute("GRANT ALL ON moved TO " + PostgresShared.USER);
        }
    }

    @AfterAll
    static void stopTheOldServer() {
        old.close();
        server().execute("DROP TABLE moved");
    }

    @BeforeEach
    void leadToTheOldServer() {
        demote(false);
        Await.await("new sessions write", SOON, () -> {
            try (Connection c = old.connect()) {
                return "off".equals(text(c, "SHOW default_transaction_read_only"));
            }
        });
        name = new TcpProxy("127.0.0.1", old.port());
    }

    @AfterEach
    void nothingIsLeft() {
        name.close();
        PostgresShared.assertNothingLeft(threads);
    }

    private static void demote(boolean readOnly) {
        old.execute("ALTER SYSTEM SET default_transaction_read_only = " + (readOnly ? "on" : "off"));
        old.execute("SELECT pg_reload_conf()");
    }

    private WeirDataSource filled() throws SQLException {
        return PostgresShared.filled(SIZE, PostgresShared.pool(name.port()).validateAfterIdle(Duration.ofHours(1)));
    }

    private static void write(WeirDataSource pool) throws SQLException {
        try (Connection c = pool.getConnection()) {
            execute(c, "INSERT INTO moved VALUES (1)");
        }
    }

    @Test
    void ofManySessionsOfAServerThatBecameReadOnlyOneUserSeesTheError() throws Exception {
        try (WeirDataSource pool = filled()) {
            write(pool);
            assertThat(pool.stats().servers()).isEqualTo(Map.of("127.0.0.1:" + old.port(), SIZE));
            demote(true);
            name.retarget("127.0.0.1", server().port());
            // All in one loan. Between loans the pool can see the change before anyone's write is refused: the server
            // may read its settings within a write that succeeds, and tells of them at its end.
            try (Connection c = pool.getConnection()) {
                Await.await("a write is refused", SOON, () -> {
                    try {
                        execute(c, "INSERT INTO moved VALUES (1)");
                        return false;
                    } catch (SQLException e) {
                        assertThat(e.getSQLState()).isEqualTo("25006");
                        return true;
                    }
                });
            }
            for (int i = 0; i < 5 * SIZE; i++) {
                write(pool);
            }
            Await.await(
                    () -> "all have moved: " + pool.dump(),
                    SOON,
                    () -> pool.stats().servers().keySet().equals(Set.of("127.0.0.1:" + server().port())));
            assertThat(pool.dump()).contains(", servers {127.0.0.1:" + server().port() + "=");
        }
    }

    @Test
    void whoOnlyReadsFindsItOutToo() throws Exception {
        try (WeirDataSource pool = filled()) {
            demote(true);
            name.retarget("127.0.0.1", server().port());
            Await.await("a read shows that the server is read-only", SOON, () -> {
                try (Connection c = pool.getConnection()) {
                    text(c, "SELECT 1");
                }
                return pool.stats().retired().getOrDefault(RetireReason.UNCLEAN, 0L) > 0;
            });
            for (int i = 0; i < 5 * SIZE; i++) {
                write(pool);
            }
        }
    }

    @Test
    void aReplicaByDesignIsKept() throws Exception {
        demote(true);
        Await.await("new sessions only read", SOON, () -> {
            try (Connection c = old.connect()) {
                return "on".equals(text(c, "SHOW default_transaction_read_only"));
            }
        });
        try (WeirDataSource pool = PostgresShared.filled(1, PostgresShared.pool(name.port()))) {
            int pid;
            try (Connection c = pool.getConnection()) {
                pid = pid(c);
                assertThat(text(c, "SHOW default_transaction_read_only")).isEqualTo("on");
            }
            for (int i = 0; i < 50; i++) {
                assertThatThrownBy(() -> write(pool)).isInstanceOf(SQLException.class);
            }
            try (Connection c = pool.getConnection()) {
                assertThat(pid(c)).isEqualTo(pid);
            }
            assertThat(pool.stats().opened()).isEqualTo(1);
        }
    }
}
