package dev.weir;

import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Wrapper;
import org.jspecify.annotations.Nullable;

/** Puts handles around what the driver returns, and takes them off what is passed to it. */
final class Handles {
    private Handles() {}

    // From the driver to the user.

    static @Nullable Array wrap(ConnectionHandle connection, @Nullable Array physical) {
        return physical == null ? null : new ArrayHandle(connection, physical);
    }

    static @Nullable Blob wrap(ConnectionHandle connection, @Nullable Blob physical) {
        return physical == null ? null : new BlobHandle(connection, physical);
    }

    static @Nullable Clob wrap(ConnectionHandle connection, @Nullable Clob physical) {
        if (physical instanceof NClob national) {
            return new NClobHandle(connection, national);
        }
        return physical == null ? null : new ClobHandle(connection, physical);
    }

    static @Nullable NClob wrap(ConnectionHandle connection, @Nullable NClob physical) {
        return physical == null ? null : new NClobHandle(connection, physical);
    }

    static @Nullable SQLXML wrap(ConnectionHandle connection, @Nullable SQLXML physical) {
        return physical == null ? null : new SQLXMLHandle(connection, physical);
    }

    static @Nullable Ref wrap(ConnectionHandle connection, @Nullable Ref physical) {
        return physical == null ? null : new RefHandle(connection, physical);
    }

    static @Nullable DatabaseMetaData wrap(ConnectionHandle connection, @Nullable DatabaseMetaData physical) {
        return physical == null ? null : new DatabaseMetaDataHandle(connection, physical);
    }

    static @Nullable ResultSetMetaData wrap(ConnectionHandle connection, @Nullable ResultSetMetaData physical) {
        return physical == null ? null : new ResultSetMetaDataHandle(connection, physical);
    }

    static @Nullable ParameterMetaData wrap(ConnectionHandle connection, @Nullable ParameterMetaData physical) {
        return physical == null ? null : new ParameterMetaDataHandle(connection, physical);
    }

    /** A result set that no statement of ours made; closed with the connection if not before. */
    static @Nullable ResultSet orphan(ConnectionHandle connection, @Nullable ResultSet physical) throws SQLException {
        if (physical == null) {
            return null;
        }
        OrphanResult owner = new OrphanResult(connection, physical);
        connection.track(owner);
        ResultSetHandle result = new ResultSetHandle(connection, owner, physical);
        owner.results = result;
        return result;
    }

    /** A value of any kind; the classes asked for first are the usual ones, which need no handle. */
    static @Nullable Object wrapValue(ConnectionHandle connection, @Nullable Object value) throws SQLException {
        if (value == null) {
            return null;
        }
        Class<?> type = value.getClass();
        if (type == String.class || type == Integer.class || type == Long.class || value instanceof Number) {
            return value;
        }
        if (value instanceof Array array) {
            return wrap(connection, array);
        } else if (value instanceof Blob blob) {
            return wrap(connection, blob);
        } else if (value instanceof Clob clob) {
            return wrap(connection, clob);
        } else if (value instanceof SQLXML xml) {
            return wrap(connection, xml);
        } else if (value instanceof Ref ref) {
            return wrap(connection, ref);
        } else if (value instanceof ResultSet resultSet) {
            return orphan(connection, resultSet);
        }
        return value instanceof Object[] values ? wrapElements(connection, values) : value;
    }

    /** A value of the type that the user asked for. To ask for a driver's own class is to unwrap. */
    @SuppressWarnings("unchecked") // the wrapped value is the value, or was seen to be of the type
    static <T> @Nullable T wrapAs(ConnectionHandle connection, Class<T> type, @Nullable T value) throws SQLException {
        boolean cursorAsOwnClass = value instanceof ResultSet && !type.isAssignableFrom(ResultSetHandle.class);
        Object wrapped = cursorAsOwnClass ? null : wrapValue(connection, value);
        if (wrapped == value || type.isInstance(wrapped)) {
            return (T) wrapped;
        }
        connection.unwraps();
        return value;
    }

    private static Object wrapElements(ConnectionHandle connection, Object[] values) throws SQLException {
        @Nullable Object[] wrapped = null;
        for (int i = 0; i < values.length; i++) {
            Object element = wrapValue(connection, values[i]);
            if (element != values[i]) {
                if (wrapped == null) {
                    wrapped = new Object[values.length];
                    System.arraycopy(values, 0, wrapped, 0, values.length);
                }
                wrapped[i] = element;
            }
        }
        return wrapped == null ? values : wrapped;
    }

    // From the user to the driver. A handle whose loan has ended is refused here as everywhere.

    static @Nullable Array physical(@Nullable Array value) throws SQLException {
        return value instanceof AbstractHandle handle ? (Array) open(handle) : value;
    }

    static @Nullable Blob physical(@Nullable Blob value) throws SQLException {
        return value instanceof AbstractHandle handle ? (Blob) open(handle) : value;
    }

    static @Nullable Clob physical(@Nullable Clob value) throws SQLException {
        return value instanceof AbstractHandle handle ? (Clob) open(handle) : value;
    }

    static @Nullable NClob physical(@Nullable NClob value) throws SQLException {
        return value instanceof AbstractHandle handle ? (NClob) open(handle) : value;
    }

    static @Nullable SQLXML physical(@Nullable SQLXML value) throws SQLException {
        return value instanceof AbstractHandle handle ? (SQLXML) open(handle) : value;
    }

    static @Nullable Ref physical(@Nullable Ref value) throws SQLException {
        return value instanceof AbstractHandle handle ? (Ref) open(handle) : value;
    }

    static @Nullable Object physical(@Nullable Object value) throws SQLException {
        return value instanceof AbstractHandle handle ? open(handle) : value;
    }

    static @Nullable Object @Nullable [] physical(@Nullable Object @Nullable [] values) throws SQLException {
        if (values == null) {
            return null;
        }
        @Nullable Object[] unwrapped = null;
        for (int i = 0; i < values.length; i++) {
            Object element = physical(values[i]);
            if (element != values[i]) {
                if (unwrapped == null) {
                    unwrapped = new Object[values.length];
                    System.arraycopy(values, 0, unwrapped, 0, values.length);
                }
                unwrapped[i] = element;
            }
        }
        return unwrapped == null ? values : unwrapped;
    }

    private static Object open(AbstractHandle handle) throws SQLException {
        handle.checkOpen();
        return handle.physical();
    }

    /** The handle, the driver's object, or what that unwraps to, in this order; whatever is physical marks the connection. */
    static <T> T unwrap(AbstractConnectionHandle connection, Object handle, Object physical, @Nullable Class<T> type)
            throws SQLException {
        if (type == null) {
            throw new SQLException("unwrap: no type given", "22023");
        }
        if (type.isInstance(handle)) {
            return type.cast(handle);
        }
        if (type.isInstance(physical)) {
            connection.unwraps();
            return type.cast(physical);
        }
        if (!(physical instanceof Wrapper wrapper)) {
            throw new SQLException(physical.getClass().getName() + " is no " + type.getName(), "22023");
        }
        connection.unwraps();
        try {
            return wrapper.unwrap(type);
        } catch (SQLException e) {
            throw connection.failed(e);
        }
    }
}
