package dev.weir;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Life of a result set: it ends with its connection's, with its owner's, with the owner's next execution, and with its own
 * close. All are one compare of two counts, see {@link Tracked#epoch}.
 */
abstract class AbstractResultSetHandle extends AbstractHandle implements ResultSet {
    private static final int CLOSED = 1;

    final ResultSet physical;
    private final Tracked owner;
    private int epoch;

    AbstractResultSetHandle(ConnectionHandle connection, Tracked owner, ResultSet physical) {
        super(connection);
        this.owner = owner;
        this.epoch = owner.epoch;
        this.physical = physical;
    }

    @Override
    final ResultSet physical() {
        return physical;
    }

    private boolean isOver() {
        return owner.epoch != epoch;
    }

    @Override
    final void checkOpen() throws SQLException {
        if (isOver()) {
            throw dead();
        }
    }

    private SQLException dead() {
        return connection.isLive()
                ? new SQLException("result set is closed, " + connection, "24000")
                : connection.dead();
    }

    @Override
    public final @Nullable Statement getStatement() throws SQLException {
        checkOpen();
        try {
            return owner.statement();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** Closes once; later calls, and calls after its statement or connection was closed, do nothing. */
    @Override
    public final void close() throws SQLException {
        boolean over = isOver();
        epoch = CLOSED;
        if (over || !connection.isLive()) {
            return;
        }
        try {
            physical.close();
            owner.resultClosed();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final boolean isClosed() throws SQLException {
        if (isOver() || !connection.isLive()) {
            return true;
        }
        try {
            return physical.isClosed();
        } catch (SQLException e) {
            throw failed(e);
        }
    }
}
