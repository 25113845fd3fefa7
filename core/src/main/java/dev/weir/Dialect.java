package dev.weir;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What one family of drivers can tell beyond JDBC; found by the class of the physical connection, never linked to. */
abstract class Dialect {

    /** Knows nothing beyond JDBC. */
    static final Dialect GENERIC = new Dialect() {
        @Override
        TransactionState transactionState(Connection physical) {
            return TransactionState.UNKNOWN;
        }
    };

    /** The dialect of this connection's driver. */
    static Dialect of(Connection physical) {
        Class<?> type = physical.getClass();
        @Nullable Dialect dialect = PostgresDialect.find(type);
        if (dialect == null) {
            dialect = MySqlDialect.find(type);
        }
        return dialect == null ? GENERIC : dialect;
    }

    /** The class or interface of this name that a class is, extends or implements, or null. */
    static @Nullable Class<?> typeNamed(String name, Class<?> connection) {
        for (Class<?> type = connection; type != null; type = type.getSuperclass()) {
            if (type.getName().equals(name)) {
                return type;
            }
            for (Class<?> implemented : type.getInterfaces()) {
                if (implemented.getName().equals(name)) {
                    return implemented;
                }
            }
        }
        return null;
    }

    /** The server's transaction as the driver last heard of it; costs no round trip. */
    abstract TransactionState transactionState(Connection physical);

    /**
     * Ends the open transaction, whatever auto-commit is: {@code BEGIN} as text opens one that rollback() refuses to end
     * while it is on.
     */
    void rollbackOpen(Connection physical) throws SQLException {
        boolean byText = physical.getAutoCommit();
        if (byText) {
            physical.setAutoCommit(false);
        }
        physical.rollback();
        if (byText) {
            physical.setAutoCommit(true);
        }
    }

    /**
     * After work: ends the transaction that may be open where the state is {@link TransactionState#UNKNOWN}.
     *
     * @param unwrapped whether the holder had the driver's own object
     */
    void rollbackUnknown(Connection physical, boolean unwrapped) throws SQLException {
        if (!physical.getAutoCommit()) {
            physical.rollback();
        }
    }

    /** What {@link #restoreSchema} takes to bring the session's schema, or list of schemas, back to what it is now. */
    @Nullable
    String schema(Connection physical) throws SQLException {
        return physical.getSchema();
    }

    void restoreSchema(Connection physical, @Nullable String schema) throws SQLException {
        physical.setSchema(schema);
    }

    /** Removes one entry of the client info. */
    void removeClientInfo(Connection physical, String name) throws SQLException {
        physical.setClientInfo(name, null);
    }
}
