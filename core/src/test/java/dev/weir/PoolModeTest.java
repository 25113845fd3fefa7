package dev.weir;

import static dev.weir.PostgresShared.SOON;
import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.filled;
import static dev.weir.PostgresShared.number;
import static dev.weir.PostgresShared.pid;
import static dev.weir.PostgresShared.server;
import static dev.weir.PostgresShared.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Array;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientConnectionException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/** The modes lazy and transaction on a real PostgreSQL: when a connection of the database is taken, kept and given back. */
final class PoolModeTest {
    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @AfterEach
    void nothingIsLeft() {
        PostgresShared.assertNothingLeft(threads);
    }

    private static WeirDataSource pool(String mode, int size) throws SQLException {
        return filled(size, PostgresShared.pool().poolMode(mode));
    }

    private static int inUse(WeirDataSource pool) {
        return pool.stats().inUse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"lazy", "transaction"})
    void aConnectionThatIsNotUsedTakesNone(String mode) throws SQLException {
        try (WeirDataSource pool = pool(mode, 1)) {
            pool.getConnection().close(); // the first asks what is the same for all
            long before = pool.stats().acquired();
            for (int i = 0; i < 10; i++) {
                try (Connection connection = pool.getConnection()) {
                    connection.setAutoCommit(false);
                    connection.setReadOnly(true);
                    connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
                    connection.commit();
                    connection.rollback();
                    assertThat(connection.getAutoCommit()).isFalse();
                    assertThat(connection.isReadOnly()).isTrue();
                    assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
                    assertThat((Object) connection.getWarnings()).isNull();
                    assertThat(connection.isClosed()).isFalse();
                    assertThat(inUse(pool)).isZero();
                }
            }
            assertThat(pool.stats().acquired()).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"lazy", "transaction"})
    void whatIsTheSameForAllConnectionsIsToldWithoutOne(String mode) throws SQLException {
        try (WeirDataSource pool = pool(mode, 1);
                Connection other = pool.getConnection();
                Statement holding = other.createStatement()) {
            assertThat(holding.getConnection()).isSameAs(other);
            assertThat(inUse(pool)).isEqualTo(1);
            try (Connection connection = pool.getConnection()) {
                DatabaseMetaData told = connection.getMetaData();
                assertThat(told.getConnection()).isSameAs(connection);
                assertThat(told.getURL()).startsWith("jdbc:postgresql:");
                assertThat(told.getDatabaseProductName()).isEqualTo("PostgreSQL");
                assertThat(told.getUserName()).isEqualTo(PostgresShared.USER);
                assertThat(told.getDriverMajorVersion()).isEqualTo(42);
                assertThat(told.storesLowerCaseIdentifiers()).isTrue();
                assertThat(connection.getAutoCommit()).isTrue();
                assertThat(connection.isReadOnly()).isFalse();
                assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
                assertThat(connection.getCatalog()).isEqualTo("postgres");
                assertThat(connection.getSchema()).isEqualTo("public");
                assertThat(connection.getNetworkTimeout()).isZero();
                assertThat(connection.getHoldability()).isPositive();
                assertThat(connection.getTypeMap()).isEmpty();
                assertThat(connection.getClientInfo("ApplicationName")).isEqualTo("PostgreSQL JDBC Driver");
            }
        }
    }

    @Test
    void lazyKeepsTheConnectionUntilItIsClosed() throws SQLException {
        try (WeirDataSource pool = pool("lazy", 2)) {
            Connection connection = pool.getConnection();
            int first = pid(connection);
            assertThat(inUse(pool)).isEqualTo(1);
            assertThat(pid(connection)).isEqualTo(first);
            connection.setAutoCommit(false);
            execute(connection, "SET LOCAL work_mem = '1MB'");
            connection.commit();
            assertThat(inUse(pool)).isEqualTo(1);
            connection.close();
            assertThat(inUse(pool)).isZero();
            assertThat(connection.isClosed()).isTrue();
            assertThatThrownBy(connection::createStatement)
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("is closed");
        }
    }

    @Test
    void transactionGivesTheConnectionBackWhenNothingHoldsIt() throws SQLException {
        try (WeirDataSource pool = pool("transaction", 1);
                Connection connection = pool.getConnection()) {
            try (Statement statement = connection.createStatement()) {
                assertThat(statement.getConnection()).isSameAs(connection);
                try (ResultSet row = statement.executeQuery("SELECT 1")) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getStatement()).isSameAs(statement);
                }
                assertThat(inUse(pool)).as("an open statement holds it").isEqualTo(1);
            }
            assertThat(inUse(pool)).as("auto-commit, and nothing open").isZero();

            connection.setAutoCommit(false);
            number(connection, "SELECT 1");
            assertThat(inUse(pool)).as("in a transaction").isEqualTo(1);
            connection.commit();
            assertThat(inUse(pool)).as("committed").isZero();
            number(connection, "SELECT 1");
            connection.rollback();
            assertThat(inUse(pool)).as("rolled back").isZero();

            assertThatThrownBy(() -> number(connection, "SELECT 1/0")).isInstanceOf(SQLException.class);
            assertThat(inUse(pool)).as("failed, not rolled back").isEqualTo(1);
            connection.rollback();
            assertThat(inUse(pool)).isZero();

            number(connection, "SELECT 1");
            connection.setAutoCommit(true);
            assertThat(inUse(pool)).as("setAutoCommit commits").isZero();
            assertThatThrownBy(() -> number(connection, "SELECT 1/0")).isInstanceOf(SQLException.class);
            assertThat(inUse(pool)).as("an error in auto-commit").isZero();
            execute(connection, "BEGIN");
            assertThat(inUse(pool)).as("BEGIN as text").isEqualTo(1);
            execute(connection, "COMMIT");
            assertThat(inUse(pool)).isZero();
        }
    }

    @Test
    void twoConnectionsOfOneThreadShareOneOfTheDatabase() throws SQLException {
        try (WeirDataSource pool = filled(
                        1, PostgresShared.pool().poolMode("transaction").connectionTimeout(Duration.ofMillis(300)));
                Connection one = pool.getConnection();
                Connection two = pool.getConnection()) {
            assertThat(pid(one)).isEqualTo(pid(two));
            one.setAutoCommit(false);
            number(one, "SELECT 1");
            assertThatThrownBy(() -> number(two, "SELECT 1"))
                    .isInstanceOf(SQLTransientConnectionException.class)
                    .hasMessageContaining("no connection within")
                    .hasMessageContaining("1 of 1 waiting threads hold a connection already");
            one.commit();
            assertThat(number(two, "SELECT 1")).isEqualTo(1);
        }
    }

    @Test
    void propertiesAreThereOnEachConnectionAndGoneForOthers() throws SQLException {
        try (WeirDataSource pool = pool("transaction", 1);
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            mine.setSchema("pg_catalog");
            mine.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            mine.setClientInfo("ApplicationName", "mine");
            mine.setReadOnly(true);
            mine.setAutoCommit(false);
            for (int i = 0; i < 3; i++) {
                assertThat(text(mine, "SHOW transaction_isolation")).isEqualTo("serializable");
                assertThat(text(mine, "SHOW transaction_read_only")).isEqualTo("on");
                assertThat(text(mine, "SELECT current_schema()")).isEqualTo("pg_catalog");
                assertThat(text(mine, "SHOW application_name")).isEqualTo("mine");
                mine.commit();
                assertThat(text(other, "SHOW transaction_isolation")).isEqualTo("read committed");
                assertThat(text(other, "SHOW transaction_read_only")).isEqualTo("off");
                assertThat(text(other, "SELECT current_schema()")).isEqualTo("public");
                assertThat(text(other, "SHOW application_name")).isEqualTo("PostgreSQL JDBC Driver");
            }
        }
    }

    @Test
    void settingsByTextGoWithTheirUserAndNobodyElse() throws SQLException {
        try (WeirDataSource pool = pool("transaction", 1);
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            execute(mine, "SET work_mem = '1MB'");
            execute(mine, "SET app.tenant = 'seven'");
            execute(mine, "SET search_path = pg_catalog");
            assertThat(inUse(pool)).isZero();
            for (int i = 0; i < 2; i++) {
                assertThat(text(other, "SHOW work_mem")).isEqualTo("4MB");
                assertThat(text(other, "SELECT current_setting('app.tenant', true)"))
                        .isNullOrEmpty();
                assertThat(text(other, "SELECT current_schema()")).isEqualTo("public");
                assertThat(text(mine, "SHOW work_mem")).isEqualTo("1MB");
                assertThat(text(mine, "SELECT current_setting('app.tenant')")).isEqualTo("seven");
                assertThat(text(mine, "SELECT current_schema()")).isEqualTo("pg_catalog");
                assertThat(mine.getSchema()).isEqualTo("pg_catalog");
            }
            mine.setAutoCommit(false);
            execute(mine, "SET work_mem = '2MB'");
            mine.rollback();
            assertThat(text(mine, "SHOW work_mem")).as("rolled back").isEqualTo("1MB");
            execute(mine, "SET LOCAL work_mem = '3MB'");
            mine.commit();
            assertThat(text(mine, "SHOW work_mem")).as("local").isEqualTo("1MB");
            mine.commit();
            assertThat(text(other, "SHOW work_mem")).isEqualTo("4MB");
        }
    }

    @Test
    void whatCannotBeHadAgainPinsAndIsSweptBeforeTheNextUser() throws SQLException {
        try (WeirDataSource pool = pool("transaction", 1)) {
            try (Connection mine = pool.getConnection()) {
                execute(mine, "CREATE TEMP TABLE mine (a int)");
                execute(mine, "LISTEN news");
                execute(mine, "PREPARE mine AS SELECT 1");
                execute(mine, "SELECT set_config('app.secret', 'x', false), pg_advisory_lock(7)");
                assertThat(inUse(pool)).isEqualTo(1);
                assertThat(number(mine, "SELECT count(*) FROM mine")).isZero();
            }
            assertThat(inUse(pool)).isZero();
            assertThat(pool.stats().pinned()).containsExactly(Map.entry("temporary table", 1L));
            assertThat(pool.dump()).contains("pinned by temporary table 1 times (first at ");
            try (Connection other = pool.getConnection()) {
                assertThat(text(other, "SELECT current_setting('app.secret', true)"))
                        .isNullOrEmpty();
                assertThat(number(other, "SELECT count(*) FROM pg_prepared_statements WHERE from_sql"))
                        .isZero();
                assertThat(number(other, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"))
                        .isZero();
                assertThat(text(other, "SELECT to_regclass('pg_temp.mine')::text"))
                        .isNull();
                assertThat(text(other, "SHOW application_name")).isEqualTo("PostgreSQL JDBC Driver");
            }
        }
    }

    @Test
    void theDriversOwnObjectAndValuesHoldTheConnection() throws SQLException {
        try (WeirDataSource pool = pool("transaction", 1)) {
            try (Connection mine = pool.getConnection()) {
                assertThat(mine.isWrapperFor(PGConnection.class)).isTrue();
                assertThat(inUse(pool)).isZero();
                Array array = mine.createArrayOf("int4", new Object[] {1, 2});
                assertThat(inUse(pool)).as("an array that is not freed").isEqualTo(1);
                array.free();
                assertThat(inUse(pool)).isZero();
                assertThat(mine.unwrap(PGConnection.class).getBackendPID()).isPositive();
                assertThat(inUse(pool)).as("unwrapped").isEqualTo(1);
            }
            assertThat(inUse(pool)).isZero();
        }
    }

    @Test
    void whatIsStillToBeReadHoldsTheConnection() throws SQLException {
        server().execute("CREATE TABLE kept (id serial PRIMARY KEY, a text); GRANT ALL ON kept, kept_id_seq TO "
                + PostgresShared.USER);
        try (WeirDataSource pool = pool("transaction", 1);
                Connection mine = pool.getConnection()) {
            try (PreparedStatement insert =
                    mine.prepareStatement("INSERT INTO kept (a) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
                for (String value : new String[] {"a", "b"}) {
                    insert.setString(1, value);
                    insert.addBatch();
                }
                assertThat(inUse(pool)).as("a batch that was not sent").isEqualTo(1);
                assertThat(insert.executeBatch()).hasSize(2);
                try (ResultSet keys = insert.getGeneratedKeys()) {
                    assertThat(keys.next()).isTrue();
                    assertThat(inUse(pool)).as("generated keys").isEqualTo(1);
                }
            }
            assertThat(inUse(pool)).isZero();

            try (ResultSet columns = mine.getMetaData().getColumns(null, "public", "kept", null)) {
                assertThat(columns.next()).isTrue();
                assertThat(inUse(pool)).as("rows of the metadata").isEqualTo(1);
                assertThat(columns.getStatement().getConnection()).isSameAs(mine);
            }
            assertThat(inUse(pool)).isZero();

            Statement closes = mine.createStatement();
            closes.closeOnCompletion();
            try (ResultSet row = closes.executeQuery("SELECT 1")) {
                assertThat(row.next()).isTrue();
                assertThat(inUse(pool)).as("closeOnCompletion").isEqualTo(1);
            }
            assertThat(inUse(pool)).isZero();

            mine.setAutoCommit(false);
            Savepoint savepoint = mine.setSavepoint();
            assertThat(inUse(pool)).as("a savepoint").isEqualTo(1);
            mine.rollback(savepoint);
            assertThat(inUse(pool)).isEqualTo(1);
            mine.commit();
            assertThat(inUse(pool)).isZero();

            try (Statement cursor = mine.createStatement(
                    ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY, ResultSet.HOLD_CURSORS_OVER_COMMIT)) {
                cursor.setFetchSize(1);
                try (ResultSet rows = cursor.executeQuery("SELECT a FROM kept ORDER BY a")) {
                    assertThat(rows.next()).isTrue();
                    mine.commit();
                    assertThat(inUse(pool)).as("a cursor over the commit").isEqualTo(1);
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getString(1)).isEqualTo("b");
                }
            }
            mine.commit();
            assertThat(inUse(pool)).isZero();
        } finally {
            server().execute("DROP TABLE kept");
        }
    }

    /** The driver cancels by the number of the server's process: one that comes late would meet the next user. */
    @Test
    void cancelMeetsItsOwnStatementAlone() throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(2);
        try (WeirDataSource pool = pool("transaction", 1)) {
            for (int i = 0; i < 50; i++) {
                Connection mine = pool.getConnection();
                Statement statement = mine.createStatement();
                Future<?> canceller = executor.submit(() -> {
                    for (int j = 0; j < 3; j++) {
                        statement.cancel();
                    }
                    return null;
                });
                Future<Object> next = executor.submit(() -> {
                    try (Connection other = pool.getConnection()) {
                        return number(other, "SELECT 7 FROM pg_sleep(0.002)");
                    }
                });
                try {
                    statement.execute("SELECT pg_sleep(0.001)");
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).isEqualTo("57014"); // as asked
                }
                statement.close();
                assertThat(next.get()).as("the next user").isEqualTo(7L);
                try {
                    canceller.get();
                } catch (ExecutionException e) {
                    assertThat(e).hasMessageContaining("statement is closed");
                }
                mine.close();
            }
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void aLoanIsAcquiredWhereItsUserFirstNeededIt() throws SQLException {
        try (WeirDataSource pool =
                        filled(1, PostgresShared.pool().poolMode("transaction").leakDetectionThreshold(SOON));
                Connection mine = pool.getConnection();
                Statement statement = mine.createStatement()) {
            assertThat(statement.isClosed()).isFalse();
            assertThat(pool.held().get(0).acquiredAt().get(0).getMethodName())
                    .isEqualTo("aLoanIsAcquiredWhereItsUserFirstNeededIt");
        }
    }

    @Test
    void aLockOfTheSessionHoldsItUntilTheLastIsLetGo() throws SQLException {
        try (WeirDataSource pool = pool("transaction", 1);
                Connection mine = pool.getConnection()) {
            execute(mine, "SELECT pg_advisory_lock(1)");
            execute(mine, "SELECT pg_advisory_lock(1)");
            assertThat(inUse(pool)).isEqualTo(1);
            execute(mine, "SELECT pg_advisory_unlock(1)");
            assertThat(inUse(pool)).isEqualTo(1);
            execute(mine, "SELECT pg_advisory_unlock(1)");
            assertThat(inUse(pool)).isZero();
        }
    }

    @Test
    void aConnectionThatDiesBetweenTransactionsCostsNobodyAnError() throws Exception {
        try (WeirDataSource pool =
                filled(2, PostgresShared.pool().poolMode("transaction").validateAfterIdle(Duration.ZERO))) {
            try (Connection mine = pool.getConnection()) {
                mine.setAutoCommit(false);
                execute(mine, "SET app.tenant = 'seven'");
                mine.commit();
                int killed = server().endBackends();
                assertThat(killed).isEqualTo(2);
                assertThat(text(mine, "SELECT current_setting('app.tenant')")).isEqualTo("seven");
                assertThat(server().endBackends()).isPositive();
                assertThatThrownBy(() -> number(mine, "SELECT 1")).isInstanceOf(SQLException.class);
                assertThatThrownBy(() -> number(mine, "SELECT 1"))
                        .as("the transaction is lost until its user says so")
                        .isInstanceOf(SQLException.class);
                try {
                    mine.rollback();
                } catch (SQLException e) {
                    // the driver's word on a connection that is gone
                }
                assertThat(text(mine, "SELECT current_setting('app.tenant')")).isEqualTo("seven");
                mine.commit();
            }
        }
    }

    @Test
    void aPreparedStatementIsKeptByTheDriver() throws SQLException {
        try (WeirDataSource pool = pool("transaction", 1);
                Connection mine = pool.getConnection()) {
            for (int i = 0; i < 10; i++) {
                try (PreparedStatement statement = mine.prepareStatement("SELECT ?::int")) {
                    statement.setInt(1, i);
                    try (ResultSet row = statement.executeQuery()) {
                        assertThat(row.next()).isTrue();
                        assertThat(row.getInt(1)).isEqualTo(i);
                    }
                }
                assertThat(inUse(pool)).isZero();
            }
            assertThat(number(mine, "SELECT count(*) FROM pg_prepared_statements WHERE NOT from_sql"))
                    .isPositive();
        }
    }

    @Test
    void closeWhileAnotherThreadWaitsToBeBoundLeavesNothingInUse() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (WeirDataSource pool = pool("transaction", 1)) {
            Connection holder = pool.getConnection();
            holder.setAutoCommit(false);
            number(holder, "SELECT 1");
            Connection mine = pool.getConnection();
            CountDownLatch begun = new CountDownLatch(1);
            Future<Long> waiting = executor.submit(() -> {
                begun.countDown();
                return number(mine, "SELECT 1");
            });
            begun.await();
            Await.await("it waits", SOON, () -> pool.stats().waiting() == 1);
            mine.close();
            holder.close();
            assertThatThrownBy(waiting::get)
                    .hasCauseInstanceOf(SQLException.class)
                    .hasMessageContaining("is closed");
            assertThat(inUse(pool)).isZero();
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void theModeIsToldAtTheStart() throws SQLException {
        try (LogCapture log = new LogCapture();
                WeirDataSource pool = pool("transaction", 1)) {
            Await.await(
                    "told",
                    SOON,
                    () -> log.infos().stream().anyMatch(line -> line.contains(", poolMode transaction,")));
            assertThat(pool.isRunning()).isTrue();
        }
    }

    @Test
    void transactionIsRefusedWhereTheDriverDoesNotTellExactly() throws SQLException {
        StubDatabase database = new StubDatabase();
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .dataSource(database.dataSource())
                .poolMode("transaction")
                .registerMbeans(false)
                .build())) {
            assertThatThrownBy(pool::start)
                    .hasMessageContaining(
                            "poolMode: transaction (expected: session or lazy; it needs PostgreSQL's own driver")
                    .hasRootCauseInstanceOf(SQLFeatureNotSupportedException.class);
        }
    }
}
