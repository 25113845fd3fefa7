package dev.weir.internal.drivers;

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
    private static final String STATE = "org.postgresql.core.TransactionState";
    private static final MethodHandles.Lookup PUBLIC = MethodHandles.publicLookup();

    /** {@code (Connection) -> TransactionState} of the driver. */
    private final MethodHandle getter;

    /** {@code (Connection, String) -> String}; null if the driver does not tell. */
    private final @Nullable MethodHandle setting;

    // The constants of the driver's enum; null what it does not have. Found once, as each loan asks at its end.
    private final @Nullable Object idle;
    private final @Nullable Object open;
    private final @Nullable Object failed;

    private PostgresStatus(MethodHandle getter, @Nullable MethodHandle setting, Class<?> states) {
        this.getter = getter;
        this.setting = setting;
        this.idle = named("IDLE", states);
        this.open = named("OPEN", states);
        this.failed = named("FAILED", states);
    }

    /**
     * How to ask connections of this type; null if it is that of an older or altered driver, which does not tell.
     *
     * @param connection the driver's type that has the state
     */
    static @Nullable PostgresStatus of(Class<?> connection) {
        try {
            Class<?> states = Class.forName(STATE, false, connection.getClassLoader());
            MethodHandle getter = PUBLIC.findVirtual(connection, "getTransactionState", MethodType.methodType(states));
            return new PostgresStatus(
                    getter.asType(MethodType.methodType(Object.class, Connection.class)), setting(connection), states);
        } catch (ReflectiveOperationException | WrongMethodTypeException | LinkageError e) {
            return null; // what JDBC says must do
        }
    }

    private static @Nullable MethodHandle setting(Class<?> connection) {
        try {
            return PUBLIC.findVirtual(
                            connection, "getParameterStatus", MethodType.methodType(String.class, String.class))
                    .asType(MethodType.methodType(String.class, Connection.class, String.class));
        } catch (ReflectiveOperationException | WrongMethodTypeException e) {
            return null; // the state must do
        }
    }

    private static @Nullable Object named(String name, Class<?> type) {
        Object[] constants = type.getEnumConstants();
        for (int i = 0; constants != null && i < constants.length; i++) {
            if (((Enum<?>) constants[i]).name().equals(name)) {
                return constants[i];
            }
        }
        return null;
    }

    /** The transaction, as of the server's last ReadyForQuery message. */
    TransactionState transaction(Connection physical) {
        Object state;
        try {
            state = (Object) getter.invokeExact(physical);
        } catch (Throwable e) {
            throw Dialect.unchecked(e);
        }
        if (state == null) {
            return TransactionState.UNKNOWN;
        }
        if (state == idle) {
            return TransactionState.IDLE;
        }
        if (state == open) {
            return TransactionState.OPEN;
        }
        return state == failed ? TransactionState.FAILED : TransactionState.UNKNOWN;
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

    boolean isOff(Connection physical, String name) {
        return "off".equals(reported(physical, name));
    }

    boolean isOther(Connection physical, String name, @Nullable String before) {
        String now = reported(physical, name);
        return now != null && !now.equals(before);
    }
}
