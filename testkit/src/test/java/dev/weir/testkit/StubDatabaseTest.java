package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

final class StubDatabaseTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    private final StubDatabase db = new StubDatabase();

    @AfterEach
    void close() {
        db.close();
    }

    @Test
    void isFoundByItsUrlAndTellsTheUser() throws SQLException {
        try (Connection connection = DriverManager.getConnection(db.url(), "ann", "any")) {
            assertThat(db.sessionOf(connection).user()).isEqualTo("ann");
            assertThat(connection.getMetaData().getURL()).isEqualTo(db.url());
        }
        assertThat(db.opened()).isEqualTo(1);
        assertThat(db.openNow()).isZero();
        assertThat(db.closed()).isEqualTo(1);
        db.close();
        assertState("08001", () -> DriverManager.getConnection(db.url()).close());
    }

    @Test
    void keepsUncommittedRowsApartAndTellsWhoseTransactionIsOpen() throws SQLException {
        try (Connection connection = db.dataSource().getConnection()) {
            StubSession session = db.sessionOf(connection);
            insert(connection, "INSERT a");
            assertThat(db.committed()).containsExactly("INSERT a");
            connection.setAutoCommit(false);
            insert(connection, "INSERT b");
            assertThat(session.transaction()).isEqualTo(StubSession.Transaction.OPEN);
            assertThat(session.uncommitted()).containsExactly("INSERT b");
            connection.rollback();
            insert(connection, "INSERT c");
            connection.setAutoCommit(true);
            assertThat(db.committed()).containsExactly("INSERT a", "INSERT c");
            insert(connection, "BEGIN");
            insert(connection, "INSERT d");
            assertThat(session.uncommitted()).containsExactly("INSERT d");
            assertState("25P01", connection::rollback);
            assertState("57P01", () -> insert(connection, "FAIL 57P01"));
            assertThat(session.transaction()).isEqualTo(StubSession.Transaction.FAILED);
        }
        assertThat(db.committed()).hasSize(2);
    }

    @Test
    void remembersParametersAndCountsStatements() throws SQLException {
        try (Connection connection = db.dataSource().getConnection()) {
            PreparedStatement statement = connection.prepareStatement("INSERT x");
            statement.setString(1, "one");
            statement.setInt(2, 2);
            assertThat(statement.executeLargeUpdate()).isEqualTo(1);
            assertThat(db.committed()).containsExactly("INSERT x [one, 2]");
            statement.addBatch();
            assertThat(statement.executeBatch()).containsExactly(1);
            statement.setFetchSize(7);
            assertThat(statement.getFetchSize()).isEqualTo(7);
            assertThat(db.sessionOf(connection).openStatements()).isEqualTo(1);
            statement.close();
            assertThat(db.sessionOf(connection).openStatements()).isZero();
            assertThat(db.calls("Statement.executeBatch")).isEqualTo(1);
        }
    }

    @Test
    void everythingItGivesOutIsPhysical() throws SQLException {
        try (Connection connection = db.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT 1")) {
            assertThat(result.next()).isTrue();
            assertThat(result.getInt(1)).isEqualTo(1);
            assertThat(result.getString("any")).isEqualTo("1");
            assertThat(StubDatabase.isPhysical(result.getStatement().getConnection()))
                    .isTrue();
            assertThat(StubDatabase.isPhysical(connection.getMetaData().getTables(null, null, null, null)))
                    .isTrue();
            assertThat(StubDatabase.isPhysical(result.getArray(1).getResultSet().getStatement()))
                    .isTrue();
            assertThat(connection.unwrap(StubPhysical.class).session()).isSameAs(db.sessionOf(connection));
        }
    }

    @Test
    void hangsUntilReleasedAndWhateverInterrupts() throws Exception {
        Fault hang = db.hang(StubDatabase.CONNECT);
        CompletableFuture<Connection> connecting =
                inThread(() -> db.dataSource().getConnection());
        hang.awaitWaiting(1, SOON);
        assertThat(db.opened()).isZero();
        hang.release();
        assertThat(connecting.get(10, TimeUnit.SECONDS).isValid(0)).isTrue();
        assertThat(hang.hits()).isEqualTo(1);
    }

    @Test
    void failsAsOftenAsAsked() throws SQLException {
        db.failNext(StubDatabase.CONNECT, 1, () -> new StackOverflowError("as asked"));
        assertThatThrownBy(() -> db.dataSource().getConnection().close()).isInstanceOf(StackOverflowError.class);
        try (Connection connection = db.dataSource().getConnection()) {
            Fault fault = db.fail("Connection.commit", "40001");
            assertState("40001", connection::commit);
            assertState("40001", connection::commit);
            fault.release();
            connection.setAutoCommit(false);
            Fault none = db.fail("Connection.commit", () -> null);
            connection.commit();
            assertThat(none.hits()).isEqualTo(1);
        }
    }

    @Test
    void killedSessionsFailAndFrozenOnesWaitForTheirTimeout() throws Exception {
        Connection killed = db.dataSource().getConnection();
        Connection frozen = db.dataSource().getConnection();
        db.kill(killed);
        assertState("08006", killed::createStatement);
        assertThat(killed.isValid(1)).isFalse();
        assertThat(db.openNow()).isEqualTo(1);

        StubSession session = db.sessionOf(frozen);
        frozen.setNetworkTimeout(Runnable::run, 60_000);
        session.freeze();
        CompletableFuture<Boolean> valid = inThread(() -> {
            frozen.createStatement();
            return true;
        });
        Await.await("the call arrives", SOON, () -> db.calls("Connection.createStatement") == 2);
        frozen.abort(Runnable::run);
        assertThatThrownBy(() -> valid.get(10, TimeUnit.SECONDS)).hasCauseInstanceOf(SQLException.class);
    }

    @Test
    void refusesWhenFullStoppedOrNotAdmitted() throws SQLException {
        db.maxConnections(1);
        Connection only = db.dataSource().getConnection();
        assertState("53300", () -> db.dataSource().getConnection().close());
        assertThat(db.maxOpenAtOnce()).isEqualTo(1);
        only.close();
        db.stop();
        assertState("08001", () -> db.dataSource().getConnection().close());
        db.start();
        db.requirePassword("ann", "right");
        assertState("28P01", () -> db.dataSource().getConnection("ann", "wrong").close());
        db.dataSource().getConnection("ann", "right").close();
    }

    @Test
    void resemblesPostgresqlWhenAsked() throws SQLException {
        try (StubDatabase postgres = new StubDatabase(StubDatabase.Likeness.POSTGRESQL);
                Connection connection = postgres.dataSource().getConnection()) {
            BaseConnection base = connection.unwrap(BaseConnection.class);
            assertThat(base.getTransactionState()).isEqualTo(TransactionState.IDLE);
            insert(connection, "BEGIN");
            assertThat(base.getTransactionState()).isEqualTo(TransactionState.OPEN);
        }
    }

    @Test
    void remembersEveryProperty() throws SQLException {
        try (Connection connection = db.dataSource().getConnection()) {
            connection.setSchema("s");
            connection.setCatalog("c");
            connection.setClientInfo("ApplicationName", "x");
            connection.setHoldability(ResultSet.HOLD_CURSORS_OVER_COMMIT);
            connection.setNetworkTimeout(Runnable::run, 5);
            connection.setReadOnly(true);
            assertThat(connection.getSchema()).isEqualTo("s");
            assertThat(connection.getCatalog()).isEqualTo("c");
            assertThat(connection.getClientInfo("ApplicationName")).isEqualTo("x");
            assertThat(connection.getHoldability()).isEqualTo(ResultSet.HOLD_CURSORS_OVER_COMMIT);
            assertThat(connection.getNetworkTimeout()).isEqualTo(5);
            assertThat(connection.isReadOnly()).isTrue();
            assertState("25006", () -> insert(connection, "INSERT x"));
        }
    }

    @Test
    void whatATransactionSetsForItselfEndsWithItAndWhatItSetsForGoodIsRolledBack() throws SQLException {
        try (StubDatabase db = new StubDatabase(StubDatabase.Likeness.POSTGRESQL);
                Connection connection = db.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            insert(connection, "SELECT set_config('search_path', 'kept', false)");
            insert(connection, "SET LOCAL search_path TO mine");
            insert(connection, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
            assertThat(connection.getSchema()).isEqualTo("mine");
            assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
            connection.commit();
            assertThat(connection.getSchema()).isEqualTo("kept");
            assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
            insert(connection, "SET search_path TO undone");
            connection.setSchema("undone too");
            connection.rollback();
            assertThat(connection.getSchema()).isEqualTo("kept");
        }
    }

    @Test
    void countsLargeObjectsAndSavepoints() throws SQLException {
        try (Connection connection = db.dataSource().getConnection()) {
            StubSession session = db.sessionOf(connection);
            connection.createBlob();
            connection.createClob().free();
            assertThat(session.openLobs()).isEqualTo(1);
            connection.setAutoCommit(false);
            connection.setSavepoint();
            connection.releaseSavepoint(connection.setSavepoint());
            assertThat(session.savepoints()).isEqualTo(1);
            connection.rollback();
            assertThat(session.savepoints()).isZero();
        }
    }

    private static void insert(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private interface Work<T> {
        T run() throws Exception;
    }

    private static <T> CompletableFuture<T> inThread(Work<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                result.complete(work.run());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    private static void assertState(String state, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(state));
    }
}
