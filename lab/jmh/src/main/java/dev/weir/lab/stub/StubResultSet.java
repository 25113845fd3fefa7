package dev.weir.lab.stub;

import java.sql.ResultSet;
import java.sql.SQLWarning;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** Ten rows of one number. */
final class StubResultSet extends UnsupportedResultSet {
    static final int ROWS = 10;

    private final StubPreparedStatement statement;
    private final Trace trace;
    private final int seed;
    private int row;
    private boolean closed;

    StubResultSet(StubPreparedStatement statement, Trace trace, int seed) {
        this.statement = statement;
        this.trace = trace;
        this.seed = seed;
    }

    @Override
    public boolean next() {
        trace.call();
        return ++row <= ROWS;
    }

    @Override
    public int getInt(int column) {
        return seed + row + trace.call();
    }

    @Override
    public boolean wasNull() {
        return false;
    }

    @Override
    public Statement getStatement() {
        return statement;
    }

    @Override
    public int getType() {
        return ResultSet.TYPE_FORWARD_ONLY;
    }

    @Override
    public int getConcurrency() {
        return ResultSet.CONCUR_READ_ONLY;
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
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
    }
}
