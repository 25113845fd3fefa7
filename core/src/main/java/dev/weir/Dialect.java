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
        @Nullable Dialect postgres = PostgresDialect.find(physical.getClass());
        return postgres == null ? GENERIC : postgres;
    }

    /** The server's transaction as the driver last heard of it; costs no round trip. */
    abstract TransactionState transactionState(Connection physical);

    /** What {@link #restoreSchema} takes to bring the session's schema, or list of schemas, back to what it is now. */
    @Nullable
    String schema(Connection physical) throws SQLException {
        return physical.getSchema();
    }

    void restoreSchema(Connection physical, @Nullable String schema) throws SQLException {
        physical.setSchema(schema);
    }
}
