package dev.weir.internal.handles;

import java.sql.SQLException;
import java.sql.Wrapper;
import org.jspecify.annotations.Nullable;

/**
 * The common part of all handles but the connection's own: the connection it came from, with whose loan it dies. Each is a {@link
 * Wrapper}, also where JDBC does not ask for it (an array, a large object): the driver's own object has methods that JDBC has not.
 */
abstract class AbstractHandle implements Wrapper {
    final ConnectionHandle connection;

    AbstractHandle(ConnectionHandle connection) {
        this.connection = connection;
    }

    /** The driver's object behind this handle; throws if it is there no longer. */
    abstract Object physical() throws SQLException;

    /** Throws unless the connection is still on loan and this object is open. */
    void checkOpen() throws SQLException {
        if (!connection.isLive()) {
            throw connection.closedException();
        }
    }

    /** As {@link #checkOpen()}, for a call that may leave the server in a transaction. */
    final void checkWorks() throws SQLException {
        checkOpen();
        connection.markWork();
    }

    /** As {@link LoanHandle#callFailed(Throwable)}. */
    final SQLException callFailed(Throwable failure) {
        return connection.callFailed(failure);
    }

    /** As {@link LoanHandle#connectionBroken}. */
    final RuntimeException connectionBroken(Throwable failure) {
        return connection.connectionBroken(failure);
    }

    @Override
    public final <T> T unwrap(@Nullable Class<T> type) throws SQLException {
        checkOpen();
        return Wrapping.unwrap(connection, this, physical(), type);
    }

    @Override
    public final boolean isWrapperFor(@Nullable Class<?> type) throws SQLException {
        checkOpen();
        return Wrapping.isWrapperFor(connection, this, physical(), type);
    }

    /**
     * The text of the driver's object while this is open, see {@link #shown}; later only the kind and the connection of
     * this. To show it is no work: tools that look at variables, and logs, ask for it at any time.
     */
    @Override
    public final String toString() {
        String own = getClass().getSimpleName() + " of " + connection.name();
        try {
            checkOpen();
            return shown(String.valueOf(physical()), own);
        } catch (SQLException closed) {
            return own;
        } catch (Throwable e) {
            connection.noteDriverError(e);
            return own;
        }
    }

    /** The text to show: the driver's, such as a statement's SQL, or the kind and the connection of this; here both. */
    String shown(String text, String own) {
        return text + " [" + own + "]";
    }
}
