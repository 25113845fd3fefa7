package dev.weir.lab.stub;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLWarning;
import org.jspecify.annotations.Nullable;

/** Answers every query with ten rows. Allocates what a driver would at least: its parameters, and a result for each query. */
final class StubPreparedStatement extends UnsupportedPreparedStatement {
    private final StubConnection connection;
    private final Trace trace;
    private final int[] parameters = new int[4];
    private @Nullable StubResultSet result;
    private boolean closed;

    StubPreparedStatement(StubConnection connection, Trace trace) {
        this.connection = connection;
        this.trace = trace;
    }

    @Override
    public void setInt(int index, int value) {
        trace.call();
        parameters[index - 1] = value;
    }

    @Override
    public ResultSet executeQuery() {
        trace.call();
        StubResultSet fresh = new StubResultSet(this, trace, parameters[0]);
        result = fresh;
        return fresh;
    }

    @Override
    public ResultSet executeQuery(String sql) {
        return executeQuery();
    }

    @Override
    public boolean execute() {
        executeQuery();
        return true;
    }

    @Override
    public boolean execute(String sql) {
        return execute();
    }

    @Override
    public int executeUpdate() {
        return trace.call();
    }

    @Override
    public int executeUpdate(String sql) {
        return trace.call();
    }

    @Override
    public @Nullable ResultSet getResultSet() {
        return result;
    }

    @Override
    public @Nullable SQLWarning getWarnings() {
        return null;
    }

    @Override
    public void clearWarnings() {
        trace.call();
    }

    @Override
    public int getQueryTimeout() {
        return 0;
    }

    @Override
    public void setQueryTimeout(int seconds) {
        trace.call();
    }

    @Override
    public Connection getConnection() {
        return connection;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        trace.call();
        closed = true;
        if (result != null) {
            result.close();
        }
    }
}
