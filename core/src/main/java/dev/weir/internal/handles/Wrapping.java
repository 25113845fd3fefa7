package dev.weir.internal.handles;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
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
import java.sql.Struct;
import java.sql.Wrapper;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Puts handles around what the driver returns, and takes them off what is passed to it. */
final class Wrapping {
    private Wrapping() {}

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

    static @Nullable Struct wrap(ConnectionHandle connection, @Nullable Struct physical) {
        return physical == null ? null : new StructHandle(connection, physical);
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

    static @Nullable InputStream wrap(AbstractConnectionHandle connection, @Nullable InputStream physical) {
        return physical == null ? null : new InputStreamHandle(connection, physical);
    }

    static @Nullable OutputStream wrap(AbstractConnectionHandle connection, @Nullable OutputStream physical) {
        return physical == null ? null : new OutputStreamHandle(connection, physical);
    }

    static @Nullable Reader wrap(AbstractConnectionHandle connection, @Nullable Reader physical) {
        return physical == null ? null : new ReaderHandle(connection, physical);
    }

    static @Nullable Writer wrap(AbstractConnectionHandle connection, @Nullable Writer physical) {
        return physical == null ? null : new WriterHandle(connection, physical);
    }

    // Made by the connection for its user, and freed with the loan.

    static @Nullable Array made(ConnectionHandle connection, @Nullable Array physical) throws SQLException {
        return physical == null ? null : made(new ArrayHandle(connection, physical), physical, physical::free);
    }

    static @Nullable Blob made(ConnectionHandle connection, @Nullable Blob physical) throws SQLException {
        return physical == null ? null : made(new BlobHandle(connection, physical), physical, physical::free);
    }

    static @Nullable Clob made(ConnectionHandle connection, @Nullable Clob physical) throws SQLException {
        if (physical instanceof NClob national) {
            return made(connection, national);
        }
        return physical == null ? null : made(new ClobHandle(connection, physical), physical, physical::free);
    }

    static @Nullable NClob made(ConnectionHandle connection, @Nullable NClob physical) throws SQLException {
        return physical == null ? null : made(new NClobHandle(connection, physical), physical, physical::free);
    }

    static @Nullable SQLXML made(ConnectionHandle connection, @Nullable SQLXML physical) throws SQLException {
        return physical == null ? null : made(new SQLXMLHandle(connection, physical), physical, physical::free);
    }

    private static <T extends AbstractValueHandle> T made(T handle, Object physical, Temporary.End end)
            throws SQLException {
        handle.made(physical, end);
        return handle;
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
        if (type == Boolean.class || type == byte[].class || value instanceof java.util.Date || type == UUID.class) {
            return value;
        }
        if (value instanceof Object[] values) {
            return wrapElements(connection, values);
        }
        return wrapOther(connection, value);
    }

    private static @Nullable Object wrapOther(ConnectionHandle connection, Object value) throws SQLException {
        if (value instanceof Array array) {
            return wrap(connection, array);
        } else if (value instanceof Blob blob) {
            return wrap(connection, blob);
        } else if (value instanceof Clob clob) {
            return wrap(connection, clob);
        } else if (value instanceof SQLXML xml) {
            return wrap(connection, xml);
        } else if (value instanceof Struct struct) {
            return wrap(connection, struct);
        } else if (value instanceof Ref ref) {
            return wrap(connection, ref);
        } else if (value instanceof ResultSet resultSet) {
            return orphan(connection, resultSet);
        } else if (value instanceof InputStream stream) {
            return wrap(connection, stream);
        } else if (value instanceof Reader reader) {
            return wrap(connection, reader);
        }
        return value;
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

    /** The elements, and those of arrays among them, with handles for those that need one. */
    static @Nullable Object @Nullable [] wrapElements(ConnectionHandle connection, @Nullable Object @Nullable [] values)
            throws SQLException {
        @Nullable Object[] wrapped = null;
        for (int i = 0; values != null && i < values.length; i++) {
            Object element = wrapValue(connection, values[i]);
            if (element != values[i]) {
                wrapped = wrapped == null ? copyFor(element, values) : wrapped;
                wrapped[i] = element;
            }
        }
        return wrapped == null ? values : wrapped;
    }

    /**
     * A copy that takes another kind of element: of the same type if that is an interface of JDBC, else, where it is a
     * class of the driver, of Object.
     */
    private static @Nullable Object[] copyFor(@Nullable Object element, @Nullable Object[] values) {
        Class<?> type = values.getClass().getComponentType();
        boolean fits = type.isInstance(element) && type.getModule() == Array.class.getModule();
        @Nullable
        Object[] copy = (Object[]) java.lang.reflect.Array.newInstance(fits ? type : Object.class, values.length);
        System.arraycopy(values, 0, copy, 0, values.length);
        return copy;
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
        if (value instanceof AbstractHandle handle) {
            return open(handle);
        }
        return value instanceof Object[] values ? physical(values) : value;
    }

    static @Nullable Object @Nullable [] physical(@Nullable Object @Nullable [] values) throws SQLException {
        @Nullable Object[] unwrapped = null;
        for (int i = 0; values != null && i < values.length; i++) {
            Object element = physical(values[i]);
            if (element != values[i]) {
                unwrapped = unwrapped == null ? copyFor(element, values) : unwrapped;
                unwrapped[i] = element;
            }
        }
        return unwrapped == null ? values : unwrapped;
    }

    private static Object open(AbstractHandle handle) throws SQLException {
        handle.checkOpen();
        return handle.physical();
    }

    /**
     * The handle, the driver's object, or what that unwraps to, in this order; an answer that is the driver's marks the
     * connection.
     */
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
        } catch (Throwable e) {
            throw connection.callFailed(e);
        }
    }
}
