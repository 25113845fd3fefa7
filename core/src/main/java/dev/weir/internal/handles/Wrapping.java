package dev.weir.internal.handles;

import java.io.InputStream;
import java.io.Reader;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Struct;
import java.sql.Wrapper;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Puts handles around what the driver returns, and takes them off what is passed to it. */
final class Wrapping extends WrappingByType {
    private Wrapping() {}

    /** Made by the connection for its user, and freed with the loan. */
    static <T extends AbstractValueHandle> T wrapCreated(T handle, Object physical, Temporary.End end)
            throws SQLException {
        handle.freeAtEnd(physical, end);
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

    static Object open(AbstractHandle handle) throws SQLException {
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

    /** Whether {@link #unwrap} has an answer. */
    static boolean isWrapperFor(
            AbstractConnectionHandle connection, Object handle, Object physical, @Nullable Class<?> type)
            throws SQLException {
        if (type == null) {
            return false;
        }
        try {
            return type.isInstance(handle)
                    || type.isInstance(physical)
                    || (physical instanceof Wrapper wrapper && wrapper.isWrapperFor(type));
        } catch (Throwable e) {
            throw connection.callFailed(e);
        }
    }
}
