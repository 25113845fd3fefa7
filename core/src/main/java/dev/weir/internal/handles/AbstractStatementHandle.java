package dev.weir.internal.handles;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * The common part of the three kinds of statement: life, tracking, and the mark that an execution leaves on the connection.
 *
 * <p>The thread that ends a statement (by its own close, that of its connection, an abort) takes the driver's object
 * out of the handle, so that a live one is told from a dead one by the very read that every call needs anyway:
 * parameters are set a million times for every statement that is closed. An execution looks at the connection's word
 * besides: it may be gone with the pool.
 */
abstract class AbstractStatementHandle extends Tracked implements Statement {
    private boolean closesOnCompletion;

    AbstractStatementHandle(ConnectionHandle connection) {
        super(connection);
    }

    /**
     * The driver's object; null once this has ended. Plain: a call at the same time as the end has no order to keep.
     */
    @Nullable
    abstract Statement physicalOrNull();

    @Override
    final Statement physical() throws SQLException {
        Statement open = physicalOrNull();
        if (open == null) {
            throw closedException();
        }
        return open;
    }

    @Override
    final void checkOpen() throws SQLException {
        if (physicalOrNull() == null || !connection.isLive()) {
            throw closedException();
        }
    }

    final SQLException closedException() {
        return connection.isShownOpen()
                ? new SQLException("statement is closed, " + connection.name(), "HY010")
                : connection.closedException();
    }

    /** Before an execution of one that is open: it ends the life of earlier result sets, and may open a transaction. */
    final void checkExecutes(Statement physical) throws SQLException {
        connection.checkWorks();
        connection.runs(physical);
        if (results != null) {
            endResults();
        }
    }

    final void checkExecutes(String sql, Statement physical) throws SQLException {
        connection.checkWorks(sql);
        connection.runs(physical);
        if (results != null) {
            endResults();
        }
    }

    final @Nullable ResultSet result(@Nullable ResultSet physical) {
        if (physical == null) {
            return null;
        }
        ResultSetHandle result = new ResultSetHandle(connection, this, physical);
        results = result;
        return result;
    }

    @Override
    public final Connection getConnection() throws SQLException {
        checkOpen();
        return connection.shown();
    }

    /**
     * Closes once; later calls, and calls after the connection was closed, do nothing. Two threads that close one
     * statement at the same moment may both reach the driver, for which the second is the no-op that JDBC asks for.
     */
    @Override
    public final void close() throws SQLException {
        Statement open = physicalOrNull();
        markClosed();
        if (open == null || !connection.isLive()) {
            return;
        }
        endsRunning(open);
        try {
            open.close();
        } catch (Throwable e) {
            SQLException failure = callFailed(e);
            connection.cannotRestore();
            throw failure;
        }
        connection.closedOne();
    }

    /** About to be closed: the end of the pool has nothing to cancel any more. */
    private void endsRunning(Statement open) {
        if (connection.slot.statement == open) {
            connection.slot.statement = null;
        }
    }

    @Override
    public final boolean isClosed() throws SQLException {
        Statement open = physicalOrNull();
        if (open == null || !connection.isLive()) {
            return true;
        }
        try {
            return open.isClosed();
        } catch (Throwable e) {
            throw callFailed(e);
        }
    }

    @Override
    public final void closeOnCompletion() throws SQLException {
        checkOpen();
        try {
            physical().closeOnCompletion();
        } catch (Throwable e) {
            throw callFailed(e);
        }
        closesOnCompletion = true;
    }

    @Override
    final void closePhysical() throws SQLException {
        Statement open = physicalOrNull();
        markClosed();
        if (open != null) {
            endsRunning(open);
            open.close();
        }
    }

    /** After closeOnCompletion() the driver closes the statement with its last result set; the handle follows. */
    @Override
    final void resultClosed() throws SQLException {
        if (closesOnCompletion) {
            Statement open = physicalOrNull();
            if (open != null && open.isClosed()) {
                markClosed();
            }
        }
    }

    @Override
    final Statement statement() {
        return this;
    }
}
