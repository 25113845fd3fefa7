package dev.weir;

import java.sql.SQLException;
import java.sql.Wrapper;
import org.jspecify.annotations.Nullable;

/** What every handle but the connection's own has: the connection it came from, with whose loan it dies. */
abstract class AbstractHandle {
    final ConnectionHandle connection;

    AbstractHandle(ConnectionHandle connection) {
        this.connection = connection;
    }

    /** The driver's object behind this handle; throws if it is there no longer. */
    abstract Object physical() throws SQLException;

    /** Throws unless the connection is still on loan and this object is open. */
    void checkOpen() throws SQLException {
        if (!connection.isLive()) {
            throw connection.dead();
        }
    }

    /** As {@link #checkOpen()}, for a call that may leave the server in a transaction. */
    final void checkWorks() throws SQLException {
        checkOpen();
        connection.works();
    }

    /** What to throw for this failure of the driver: the failure itself, once the pool has seen it. */
    final SQLException failed(SQLException failure) {
        return connection.failed(failure);
    }

    public final <T> T unwrap(@Nullable Class<T> type) throws SQLException {
        checkOpen();
        return Handles.unwrap(connection, this, physical(), type);
    }

    public final boolean isWrapperFor(@Nullable Class<?> type) throws SQLException {
        checkOpen();
        if (type == null) {
            return false;
        }
        Object physical = physical();
        try {
            return type.isInstance(this)
                    || type.isInstance(physical)
                    || (physical instanceof Wrapper wrapper && wrapper.isWrapperFor(type));
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + " of " + connection;
    }
}
