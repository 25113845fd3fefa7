package dev.weir.lab.stub;

import java.sql.ResultSet;
import java.sql.SQLWarning;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** Rows of one number. */
final class StubResultSet extends UnsupportedResultSet {
    private final StubPreparedStatement statement;
    private final Trace trace;
    private final int seed;
    private final int rows;
    private int row;
    private boolean closed;

    StubResultSet(StubPreparedStatement statement, Trace trace, int seed, int rows) {
        this.statement = statement;
        this.trace = trace;
        this.seed = seed;
        this.rows = rows;
    }

    @Override
    public boolean next() {
        trace.add(Call.NEXT);
        return ++row <= rows;
    }

    @Override
    public int getInt(int column) {
        return seed + row + trace.add(Call.GET);
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
        trace.add(Call.OTHER);
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            trace.add(Call.CLOSE_RESULT);
        }
    }
}
