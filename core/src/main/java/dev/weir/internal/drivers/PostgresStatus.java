package dev.weir.internal.drivers;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.WrongMethodTypeException;
import java.lang.reflect.UndeclaredThrowableException;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * What PostgreSQL's driver keeps of what the server said by itself; every loan asks for it at its end, and is answered from
 * memory.
 *
 * <p>There are two ways to ask. Where this library sees the driver's classes, as in most applications, {@link
 * LinkedPostgresStatus} calls them. Where the driver came with another class loader it is asked by method handles, which are no
 * constants: in a JVM that has just begun each of their calls is some ten, and the JVM makes classes for them.
 */
abstract class PostgresStatus {
    /** The transaction, as of the server's last ReadyForQuery message. */
    abstract TransactionState transaction(Connection physical);

    /** What the server reported last; null if it, or the driver, does not tell of this setting, as older ones do not. */
    abstract @Nullable String reported(Connection physical, String name);

    final boolean isOff(Connection physical, String name) {
        return "off".equals(reported(physical, name));
    }

    final boolean isOther(Connection physical, String name, @Nullable String before) {
        String now = reported(physical, name);
        return now != null && !now.equals(before);
    }

    /**
     * How to ask this connection; null if it is of an older or altered driver, which does not tell.
     *
     * @param type the driver's type that has the state
     */
    static @Nullable PostgresStatus of(Class<?> type, Connection physical) {
        PostgresStatus linked = linked(type, physical);
        return linked != null ? linked : Handles.of(type);
    }

    private static @Nullable PostgresStatus linked(Class<?> type, Connection physical) {
        Class<?> own = PostgresStatus.class;
        try {
            if (Class.forName(type.getName(), false, own.getClassLoader()) != type) {
                return null;
            }
            own.getModule().addReads(type.getModule());
            PostgresStatus linked = new LinkedPostgresStatus();
            TransactionState ignored =
                    linked.transaction(physical); // an older driver has not all that it is called for
            String unused = linked.reported(physical, "in_hot_standby");
            return linked;
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    /** Asks by the names of the methods. */
    private static final class Handles extends PostgresStatus {
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

        private Handles(MethodHandle getter, @Nullable MethodHandle setting, Class<?> states) {
            this.getter = getter;
            this.setting = setting;
            this.idle = named("IDLE", states);
            this.open = named("OPEN", states);
            this.failed = named("FAILED", states);
        }

        /** Returns the abstract type, so that the JVM need not load this class to verify who calls it. */
        static @Nullable PostgresStatus of(Class<?> connection) {
            try {
                Class<?> states = Class.forName(STATE, false, connection.getClassLoader());
                MethodHandle getter =
                        PUBLIC.findVirtual(connection, "getTransactionState", MethodType.methodType(states));
                return new Handles(
                        getter.asType(MethodType.methodType(Object.class, Connection.class)),
                        setting(connection),
                        states);
            } catch (ReflectiveOperationException | WrongMethodTypeException e) {
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

        @Override
        TransactionState transaction(Connection physical) {
            Object state;
            try {
                state = (Object) getter.invokeExact(physical);
            } catch (Throwable e) {
                throw unchecked(e);
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

        @Override
        @Nullable
        String reported(Connection physical, String name) {
            MethodHandle known = setting;
            if (known == null) {
                return null;
            }
            try {
                return (String) known.invokeExact(physical, name);
            } catch (Throwable e) {
                throw unchecked(e);
            }
        }

        /** What a getter of the driver threw that declares nothing. */
        private static RuntimeException unchecked(Throwable thrown) {
            if (thrown instanceof Error error) {
                throw error;
            }
            return thrown instanceof RuntimeException unchecked ? unchecked : new UndeclaredThrowableException(thrown);
        }
    }
}
