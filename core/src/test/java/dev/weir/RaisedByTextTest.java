package dev.weir;

import static dev.weir.PostgresShared.SOON;
import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.filled;
import static dev.weir.PostgresShared.number;
import static dev.weir.PostgresShared.pid;
import static dev.weir.PostgresShared.server;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.MariaDbShared.Driver;
import dev.weir.internal.handles.AbstractConnectionHandle;
import dev.weir.spi.FailureClass;
import dev.weir.testkit.Await;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A state that SQL text raised on a connection that works on costs neither it nor its siblings. */
final class RaisedByTextTest {
    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    private static void assertUnharmed(WeirDataSource pool, Connection connection, Connection sibling) {
        assertThat(((AbstractConnectionHandle) connection).slot.isCondemned()).isFalse();
        assertThat(((AbstractConnectionHandle) sibling).slot.isDistrusted()).isFalse();
        assertThat(pool.stats().retired().get(RetireReason.FAULT)).isZero();
    }

    private static String raise(String state) {
        return "DO $$ BEGIN RAISE 'as asked' USING ERRCODE = '" + state + "'; END $$";
    }

    private static Map<String, PostgresShared.Work> waysToRaise(String state) {
        Map<String, PostgresShared.Work> ways = new LinkedHashMap<>();
        ways.put("execute", c -> execute(c, raise(state)));
        ways.put("prepared", c -> {
            try (PreparedStatement statement = c.prepareStatement(raise(state))) {
                statement.execute();
            }
        });
        ways.put("batch", c -> {
            try (Statement statement = c.createStatement()) {
                statement.addBatch("SELECT 1");
                statement.addBatch(raise(state));
                statement.executeBatch();
            }
        });
        ways.put("commit", c -> {
            c.setAutoCommit(false);
            execute(c, "CREATE TEMP TABLE late (n int) ON COMMIT DROP");
            execute(
                    c,
                    "CREATE FUNCTION pg_temp.late() RETURNS trigger LANGUAGE plpgsql AS"
                            + " $$ BEGIN RAISE 'as asked' USING ERRCODE = '" + state + "'; END $$");
            execute(
                    c,
                    "CREATE CONSTRAINT TRIGGER late AFTER INSERT ON late DEFERRABLE INITIALLY DEFERRED"
                            + " FOR EACH ROW EXECUTE FUNCTION pg_temp.late()");
            execute(c, "INSERT INTO late VALUES (1)");
            c.commit();
        });
        return ways;
    }

    @ParameterizedTest
    @ValueSource(strings = {"08001", "08006", "08P01", "57P01", "57P03", "25P03", "25006", "28000", "53300", "01002"})
    void onPostgres(String state) throws Exception {
        try (WeirDataSource pool = filled(2, PostgresShared.pool());
                Connection sibling = pool.getConnection()) {
            for (Map.Entry<String, PostgresShared.Work> way : waysToRaise(state).entrySet()) {
                try (Connection c = pool.getConnection()) {
                    SQLException seen = catchThrowableOfType(
                            SQLException.class, () -> way.getValue().with(c));
                    assertThat(seen.getSQLState()).as(way.getKey()).isEqualTo(state);
                    assertUnharmed(pool, c, sibling);
                }
            }
            assertThat(pool.stats().opened()).as("%s", pool.stats()).isEqualTo(2);
        }
        PostgresShared.assertNothingLeft(threads);
    }

    @Test
    void onPostgresATransactionThatItsUserMadeReadOnlyRefusesToWriteAndNothingElseIsWrong() throws Exception {
        try (WeirDataSource pool = filled(2, PostgresShared.pool());
                Connection sibling = pool.getConnection();
                Connection c = pool.getConnection()) {
            execute(c, "BEGIN READ ONLY");
            SQLException seen =
                    catchThrowableOfType(SQLException.class, () -> execute(c, "CREATE TABLE never (n int)"));
            assertThat(seen.getSQLState()).isEqualTo("25006");
            assertUnharmed(pool, c, sibling);
        }
        PostgresShared.assertNothingLeft(threads);
    }

    @Test
    void onPostgresAServerThatBecameReadOnlyStillCostsTheConnection() throws Exception {
        try (WeirDataSource pool = filled(1, PostgresShared.pool());
                Connection c = pool.getConnection()) {
            String database = Objects.requireNonNull(PostgresShared.text(c, "SELECT current_database()"));
            server().execute("ALTER SYSTEM SET default_transaction_read_only = on");
            try {
                server().execute("SELECT pg_reload_conf()");
                Await.await("the server refuses writes in " + database, SOON, () -> refusesToWrite(c));
                assertThat(((AbstractConnectionHandle) c).slot.isCondemned()).isTrue();
            } finally {
                server().execute("ALTER SYSTEM RESET default_transaction_read_only");
                server().execute("SELECT pg_reload_conf()");
            }
        }
        PostgresShared.assertNothingLeft(threads);
    }

    private static boolean refusesToWrite(Connection c) {
        try {
            execute(
                    c,
                    "CREATE TEMP TABLE IF NOT EXISTS tried (n int); CREATE OR REPLACE FUNCTION pg_temp.tried()"
                            + " RETURNS int LANGUAGE sql AS 'SELECT 1'");
            return false;
        } catch (SQLException e) {
            return "25006".equals(e.getSQLState());
        }
    }

    @Test
    void onPostgresARealEndIsSeenAtOnceAlsoAfterOneRaised() throws Exception {
        try (WeirDataSource pool = filled(3, PostgresShared.pool().validateAfterIdle(Duration.ofMinutes(10)));
                Connection sibling = pool.getConnection();
                Connection c = pool.getConnection()) {
            assertThatThrownBy(() -> execute(c, raise("57P01"))).isInstanceOf(SQLException.class);
            assertUnharmed(pool, c, sibling);
            assertThat(server().killBackends("pid = " + pid(c))).isEqualTo(1);
            SQLException seen = catchThrowableOfType(SQLException.class, () -> number(c, "SELECT 1"));
            assertThat(pool.stats().retired().get(RetireReason.FAULT)).isZero();
            assertThat(((AbstractConnectionHandle) c).slot.isCondemned())
                    .as(seen.toString())
                    .isTrue();
            assertThat(((AbstractConnectionHandle) sibling).slot.isDistrusted()).isTrue();
        }
        PostgresShared.assertNothingLeft(threads);
    }

    /** The word of the pool's own classifier stands. */
    @Test
    void whatTheClassifierSaysCounts() throws Exception {
        try (WeirDataSource pool = filled(
                        1,
                        PostgresShared.pool()
                                .failureClassifier(failure ->
                                        "08001".equals(failure.getSQLState()) ? FailureClass.DISCONNECT : null));
                Connection c = pool.getConnection()) {
            assertThatThrownBy(() -> execute(c, raise("08001"))).isInstanceOf(SQLException.class);
            assertThat(((AbstractConnectionHandle) c).slot.isCondemned()).isTrue();
        }
        PostgresShared.assertNothingLeft(threads);
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MARIADB_PREPARING_AT_THE_SERVER", "MYSQL", "MYSQL_PREPARING_AT_THE_SERVER"})
    void onMariaDb(Driver driver) throws Exception {
        MariaDbShared.execute("CREATE OR REPLACE PROCEDURE raises() SIGNAL SQLSTATE '08S01'");
        try (WeirDataSource pool = filled(2, driver.pool());
                Connection sibling = pool.getConnection();
                Connection c = pool.getConnection()) {
            for (String state : new String[] {"08001", "08S01", "25006", "28000", "57P01"}) {
                SQLException seen =
                        catchThrowableOfType(SQLException.class, () -> execute(c, "SIGNAL SQLSTATE '" + state + "'"));
                assertThat(seen.getSQLState()).isEqualTo(state);
                assertUnharmed(pool, c, sibling);
            }
            assertThatThrownBy(() -> execute(c, "CALL raises()")).isInstanceOf(SQLException.class);
            assertUnharmed(pool, c, sibling);
            assertThat(MariaDbShared.kill("id = " + number(c, "SELECT connection_id()")))
                    .isEqualTo(1);
            Await.await("the driver notices", SOON, () -> MariaDbShared.sessions() == 1);
            assertThatThrownBy(() -> number(c, "SELECT 1")).isInstanceOf(SQLException.class);
            assertThat(((AbstractConnectionHandle) c).slot.isCondemned()).isTrue();
            assertThat(((AbstractConnectionHandle) sibling).slot.isDistrusted()).isTrue();
        }
        MariaDbShared.assertNothingLeft(threads);
    }
}
