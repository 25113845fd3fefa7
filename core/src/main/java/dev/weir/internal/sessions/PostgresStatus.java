package dev.weir.internal.sessions;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.WrongMethodTypeException;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a session that PostgreSQL's driver was told by the server unasked; every loan asks for it at its end, and is answered from
 * memory.
 *
 * <p>The driver is asked by the names of its methods, since it may have come with another class loader, be of any age, or not be
 * there at all.
 */
final class PostgresStatus {
    /** {@code (Connection) -> TransactionState} of the driver. */
    private final MethodHandle getter;

    /** {@code (Connection, String) -> String}; null if the driver does not tell. */
    private final @Nullable MethodHandle setting;

    /** {@code (Connection) -> Object}: the number of the server's process, as the driver was told it; null if it does not tell. */
    private final @Nullable MethodHandle backend;

    private PostgresStatus(MethodHandle getter, @Nullable MethodHandle setting, @Nullable MethodHandle backend) {
        this.getter = getter;
        this.setting = setting;
        this.backend = backend;
    }

    /**
     * The means of asking connections of this type; null if it is that of an older or altered driver, which does not
     * tell.
     *
     * @param connection the driver's type that has the state
     */
    static @Nullable PostgresStatus of(Class<?> connection) {
        try {
            return new PostgresStatus(
                    Dialect.getter(Object.class, connection, "getTransactionState"),
                    setting(connection),
                    backend(connection));
        } catch (ReflectiveOperationException | WrongMethodTypeException | LinkageError e) {
            return null; // the methods of JDBC must do
        }
    }

    private static @Nullable MethodHandle backend(Class<?> connection) {
        try {
            return Dialect.getter(Object.class, connection, "getBackendPID");
        } catch (ReflectiveOperationException | WrongMethodTypeException e) {
            return null; // its sessions are not shared
        }
    }

    private static @Nullable MethodHandle setting(Class<?> connection) {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(connection, "getParameterStatus", MethodType.methodType(String.class, String.class))
                    .asType(MethodType.methodType(String.class, Connection.class, String.class));
        } catch (ReflectiveOperationException | WrongMethodTypeException e) {
            return null; // the state must do
        }
    }

    /** The transaction, as of the server's last ReadyForQuery message. */
    TransactionState transaction(Connection physical) {
        Object state;
        try {
            state = (Object) getter.invokeExact(physical);
        } catch (Throwable e) {
            throw Dialect.unchecked(e);
        }
        return switch (String.valueOf(state)) {
            case "IDLE" -> TransactionState.IDLE;
            case "OPEN" -> TransactionState.OPEN;
            case "FAILED" -> TransactionState.FAILED;
            default -> TransactionState.UNKNOWN;
        };
    }

    /** The value that the server reported last; null if it, or the driver, does not tell of this setting, as older ones do not. */
    @Nullable
    String reported(Connection physical, String name) {
        MethodHandle known = setting;
        if (known == null) {
            return null;
        }
        try {
            return (String) known.invokeExact(physical, name);
        } catch (Throwable e) {
            throw Dialect.unchecked(e);
        }
    }

    /** The number of the server's process, as the driver was told it; null if it does not tell. */
    @Nullable
    String backend(Connection physical) {
        MethodHandle known = backend;
        if (known == null) {
            return null;
        }
        try {
            return String.valueOf((Object) known.invokeExact(physical));
        } catch (Throwable e) {
            throw Dialect.unchecked(e);
        }
    }

    boolean isOff(Connection physical, String name) {
        return "off".equals(reported(physical, name));
    }

    boolean isOther(Connection physical, String name, @Nullable String before) {
        String now = reported(physical, name);
        return now != null && !now.equals(before);
    }
}
