package dev.weir;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's own driver keeps the status of the server's last ReadyForQuery message, so whether a transaction is open is
 * known exactly, however it was begun.
 */
final class PostgresDialect extends Dialect {
    private static final String CONNECTION = "org.postgresql.core.BaseConnection";
    private static final MethodType GETTER = MethodType.methodType(Object.class, Connection.class);

    /** {@code (Connection) -> TransactionState} of the driver. */
    private final MethodHandle getter;

    private PostgresDialect(MethodHandle getter) {
        this.getter = getter;
    }

    /** The dialect, if this is the driver's connection, or null. */
    static @Nullable PostgresDialect find(Class<?> connection) {
        Class<?> implemented = typeNamed(CONNECTION, connection);
        return implemented == null ? null : of(implemented);
    }

    private static @Nullable PostgresDialect of(Class<?> connection) {
        try {
            MethodHandle handle = MethodHandles.publicLookup().unreflect(connection.getMethod("getTransactionState"));
            return new PostgresDialect(handle.asType(GETTER));
        } catch (ReflectiveOperationException e) {
            return null; // an older or altered driver: what JDBC says must do
        }
    }

    /** The whole search_path: getSchema() tells its first schema only, and setSchema() would drop the others. */
    @Override
    @Nullable
    String schema(Connection physical) throws SQLException {
        try (Statement statement = physical.createStatement();
                ResultSet row = statement.executeQuery("SHOW search_path")) {
            return row.next() ? row.getString(1) : null;
        }
    }

    @Override
    void restoreSchema(Connection physical, @Nullable String schema) throws SQLException {
        try (PreparedStatement statement = physical.prepareStatement("SELECT set_config('search_path', ?, false)")) {
            statement.setString(1, schema);
            statement.execute();
        }
    }

    @Override
    TransactionState transactionState(Connection physical) {
        Object state;
        try {
            state = (Object) getter.invokeExact(physical);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("getTransactionState() of " + CONNECTION, e);
        }
        if (!(state instanceof Enum<?> named)) {
            return TransactionState.UNKNOWN;
        }
        return switch (named.name()) {
            case "IDLE" -> TransactionState.IDLE;
            case "OPEN" -> TransactionState.OPEN;
            case "FAILED" -> TransactionState.FAILED;
            default -> TransactionState.UNKNOWN;
        };
    }
}
