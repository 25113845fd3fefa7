package dev.weir;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Life of a result set: it ends with its connection's, with its owner's, with the owner's next execution, and with its own
 * close. The last three are one compare of two counts.
 */
abstract class AbstractResultSetHandle extends AbstractHandle implements ResultSet {
    private static final int CLOSED = -1;

    final ResultSet physical;
    private final Tracked owner;
    private int epoch;

    AbstractResultSetHandle(ConnectionHandle connection, Tracked owner, ResultSet physical) {
        super(connection);
        this.owner = owner;
        this.epoch = owner.epoch & Integer.MAX_VALUE;
        this.physical = physical;
    }

    @Override
    final ResultSet physical() {
        return physical;
    }

    private boolean isOver() {
        return (owner.epoch & Integer.MAX_VALUE) != epoch;
    }

    @Override
    final void checkOpen() throws SQLException {
        if (isOver() || !slot.isLive(held)) {
            throw dead();
        }
    }

    private SQLException dead() {
        return slot.isLive(held) ? new SQLException("result set is closed, " + connection, "24000") : connection.dead();
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
        if (over || !slot.isLive(held)) {
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
        if (isOver() || !slot.isLive(held)) {
            return true;
        }
        try {
            return physical.isClosed();
        } catch (SQLException e) {
            throw failed(e);
        }
    }
}
