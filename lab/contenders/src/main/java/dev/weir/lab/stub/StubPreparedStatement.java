package dev.weir.lab.stub;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLWarning;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Allocates what a driver would at least: its parameters, and a result for each query. */
final class StubPreparedStatement extends UnsupportedPreparedStatement {
    private final StubConnection connection;
    private final Trace trace;
    private final int[] parameters = new int[4];
    private @Nullable StubResultSet result;
    private int batch;
    private boolean closed;

    StubPreparedStatement(StubConnection connection, Trace trace) {
        this.connection = connection;
        this.trace = trace;
    }

    @Override
    public void setInt(int index, int value) {
        trace.add(Call.SET);
        parameters[index - 1] = value;
    }

    @Override
    public ResultSet executeQuery() {
        trace.add(Call.QUERY);
        connection.source.execute();
        StubResultSet fresh = new StubResultSet(this, trace, parameters[0], connection.source.rows());
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
        connection.source.execute();
        return trace.add(Call.OTHER);
    }

    @Override
    public int executeUpdate(String sql) {
        return executeUpdate();
    }

    @Override
    public void addBatch() {
        trace.add(Call.ADD);
        batch++;
    }

    @Override
    public void clearBatch() {
        trace.add(Call.OTHER);
        batch = 0;
    }

    @Override
    public int[] executeBatch() {
        trace.add(Call.BATCH);
        connection.source.execute();
        int[] counts = new int[batch];
        Arrays.fill(counts, 1);
        batch = 0;
        return counts;
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
        trace.add(Call.OTHER);
    }

    @Override
    public int getQueryTimeout() {
        return 0;
    }

    @Override
    public void setQueryTimeout(int seconds) {
        trace.add(Call.OTHER);
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
        if (closed) {
            return;
        }
        trace.add(Call.CLOSE_STATEMENT);
        closed = true;
        if (result != null) {
            result.close();
        }
    }
}
