package dev.weir.internal.handles;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Life of a result set: it ends with its own close, with its owner's next execution or close, and with its
 * connection's. Each of them takes the driver's object out of the handle ({@link #forgetPhysical}), so that a live
 * handle differs from a dead one by the very read that every call needs anyway: rows are read a million times for every
 * statement that is closed.
 */
abstract class AbstractResultSetHandle extends AbstractHandle implements ResultSet {
    private final Tracked owner;

    /** The driver's object; null once this is over. Plain: a call at the same time as the end has no order to keep. */
    @Nullable
    ResultSet physical;

    /** Whether moves among the rows are noted; plain, and its own: a million reads of it cost nothing. */
    final boolean measured;

    /** The result set of the same owner that was made before this one; see {@link Tracked#results}. */
    final @Nullable AbstractResultSetHandle earlier;

    AbstractResultSetHandle(ConnectionHandle connection, Tracked owner, ResultSet physical) {
        super(connection);
        this.owner = owner;
        this.physical = physical;
        this.measured = connection.slot.lender.measures;
        this.earlier = owner.results;
    }

    @Override
    final ResultSet physical() throws SQLException {
        ResultSet open = physical;
        if (open == null) {
            throw closedException();
        }
        return open;
    }

    @Override
    final void checkOpen() throws SQLException {
        physical();
    }

    final SQLException closedException() {
        return connection.isShownOpen()
                ? new SQLException("result set is closed, " + connection.name(), "24000")
                : connection.closedException();
    }

    final boolean isEnded() {
        return physical == null;
    }

    final void forgetPhysical() {
        physical = null;
    }

    @Override
    public final @Nullable Statement getStatement() throws SQLException {
        checkOpen();
        try {
            return owner.statement();
        } catch (Throwable e) {
            throw callFailed(e);
        }
    }

    /** Closes once; later calls, and calls after its statement or connection was closed, do nothing. */
    @Override
    public final void close() throws SQLException {
        ResultSet open = physical;
        physical = null;
        if (open == null || !connection.isLive()) {
            return;
        }
        try {
            open.close();
            owner.resultClosed();
        } catch (Throwable e) {
            throw callFailed(e);
        }
        connection.closedOne();
    }

    @Override
    public final boolean isClosed() throws SQLException {
        ResultSet open = physical;
        if (open == null || !connection.isLive()) {
            return true;
        }
        try {
            return open.isClosed();
        } catch (Throwable e) {
            throw callFailed(e);
        }
    }
}
