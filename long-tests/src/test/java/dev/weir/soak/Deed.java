package dev.weir.soak;

import java.io.OutputStream;
import java.sql.Blob;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import org.postgresql.PGConnection;
import org.postgresql.largeobject.LargeObject;
import org.postgresql.largeobject.LargeObjectManager;

/** What users do with a connection besides what they should; all of it must be over when the next one has it. */
@SuppressWarnings("ImmutableEnumChecker") // the lambdas keep nothing
enum Deed {
    LEAVES_TRANSACTION((user, connection) -> {
        connection.setAutoCommit(false);
        Bank.add(connection, user.random(16), 1_000_000);
    }),
    LEAVES_TRANSACTION_BY_TEXT((user, connection) -> {
        execute(connection, "BEGIN");
        Bank.add(connection, user.random(16), 1_000_000);
    }),
    LEAVES_FAILED_TRANSACTION((user, connection) -> {
        connection.setAutoCommit(false);
        Bank.add(connection, user.random(16), 1_000_000);
        connection.setSavepoint();
        execute(connection, "SELECT nothing FROM nowhere");
    }),
    SETS_LOCALLY_AND_UNWRAPS((user, connection) -> {
        connection.setAutoCommit(false);
        execute(connection, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
        execute(connection, "SET LOCAL search_path TO elsewhere");
        connection.unwrap(PGConnection.class);
        connection.commit();
    }),
    SETS_LOCALLY_AND_SETS_SCHEMA((user, connection) -> {
        connection.setAutoCommit(false);
        execute(connection, "SET LOCAL search_path TO elsewhere");
        connection.setSchema("bank");
        connection.rollback();
    }),
    SETS_AND_ROLLS_BACK((user, connection) -> {
        connection.setAutoCommit(false);
        execute(connection, "SET search_path TO elsewhere");
        connection.unwrap(PGConnection.class);
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        connection.rollback();
    }),
    SETS_EVERYTHING((user, connection) -> {
        connection.setReadOnly(true);
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        connection.setSchema("elsewhere");
        connection.setHoldability(ResultSet.CLOSE_CURSORS_AT_COMMIT);
        connection.setNetworkTimeout(Runnable::run, 1500);
        connection.setClientInfo("ApplicationName", "somebody else");
        connection.setAutoCommit(false);
    }),
    LEAVES_STATEMENTS_OPEN((user, connection) -> {
        connection.setAutoCommit(false);
        for (int i = 0; i < 5; i++) {
            Statement statement = connection.createStatement();
            statement.setFetchSize(2);
            ResultSet rows = statement.executeQuery("SELECT * FROM generate_series(1, 100)");
            rows.next();
        }
    }),
    LEAVES_LARGE_OBJECT_OPEN((user, connection) -> {
        connection.setAutoCommit(false);
        LargeObjectManager all = connection.unwrap(PGConnection.class).getLargeObjectAPI();
        LargeObject object = all.open(all.createLO(), LargeObjectManager.READWRITE);
        object.write(new byte[10_000]);
    }),
    WRITES_A_STREAM_LATER((user, connection) -> {
        connection.setAutoCommit(false);
        Blob blob = connection.createBlob();
        OutputStream stream = blob.setBinaryStream(1);
        stream.write(new byte[100]);
        user.doLater(() -> {
            stream.write(new byte[100]);
            stream.close();
        });
    }),
    RUNS_LONG_SQL(
            (user, connection) -> execute(connection, "SELECT '" + "f".repeat(200_000) + "', 0x" + "f".repeat(9))),
    RAISES_08((user, connection) ->
            execute(connection, "DO $$ BEGIN RAISE EXCEPTION 'not the network' USING ERRCODE = '08006'; END $$")),
    KILLS_ITSELF((user, connection) -> execute(connection, "SELECT pg_terminate_backend(pg_backend_pid())")),
    ASKS_IS_VALID((user, connection) -> connection.isValid(1)),
    ABORTS((user, connection) -> {
        user.disown();
        connection.abort(Runnable::run);
    }),
    CLOSES_TWICE((user, connection) -> {
        user.disown();
        connection.close();
        connection.close();
    }),
    CLOSES_BY_TWO_THREADS((user, connection) -> {
        connection.setAutoCommit(false);
        Bank.add(connection, user.random(16), 1_000_000);
        user.disown();
        Future<?> other = user.elsewhere(() -> {
            connection.close();
            return null;
        });
        connection.close();
        other.get();
    }),
    IS_ABORTED_WHILE_IT_WORKS((user, connection) -> {
        user.disown();
        Future<?> other = user.elsewhere(() -> {
            connection.abort(Runnable::run);
            return null;
        });
        try {
            execute(connection, "SELECT pg_sleep(0.02)");
        } finally {
            other.get();
        }
    }),
    USES_AFTER_CLOSE((user, connection) -> {
        Statement statement = connection.createStatement();
        user.disown();
        connection.close();
        user.mustThrow("execute after close", () -> statement.execute("UPDATE bank.account SET balance = 0"));
        user.mustThrow("createStatement after close", connection::createStatement);
        user.mustThrow("commit after close", () -> {
            connection.commit();
            return null;
        });
    }),
    LEAKS((user, connection) -> {
        connection.setAutoCommit(false);
        Bank.add(connection, user.random(16), 1_000_000);
        user.leak(connection);
    }),
    LEAKS_IDLE((user, connection) -> user.leak(connection));

    /** What is done; it may throw whatever it likes. */
    @FunctionalInterface
    interface Act {
        void by(User user, Connection connection) throws Exception;
    }

    /** As a {@link Callable} without a result. */
    @FunctionalInterface
    interface Step {
        void run() throws Exception;
    }

    private final Act act;

    Deed(Act act) {
        this.act = act;
    }

    void by(User user, Connection connection) throws Exception {
        act.by(user, connection);
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
