package dev.weir.testkit;

import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Pools that keep no promise, each for another reason. */
final class UselessPools {

    private static final Map<Class<?>, Object> NOTHING = Map.of(
            boolean.class,
            false,
            int.class,
            0,
            long.class,
            0L,
            short.class,
            (short) 0,
            byte.class,
            (byte) 0,
            float.class,
            0f,
            double.class,
            0d,
            String.class,
            "");

    private static final Set<Class<?>> JDBC = Set.of(
            Connection.class,
            Statement.class,
            PreparedStatement.class,
            CallableStatement.class,
            ResultSet.class,
            DatabaseMetaData.class);

    private UselessPools() {}

    /** One that says of everything that it is not supported. */
    static Contract.Pool unsupported() {
        return of((DataSource) refusing(DataSource.class));
    }

    /** One whose connections say of everything that it is not supported. */
    static Contract.Pool unsupportedConnections() {
        Object connection = refusing(Connection.class);
        return of((DataSource) proxy(DataSource.class, (self, method, arguments) -> connection));
    }

    /** One that answers everything and does nothing. */
    static Contract.Pool idle() {
        return of((DataSource) idle(DataSource.class));
    }

    private static Object refusing(Class<?> type) {
        return proxy(type, (self, method, arguments) -> {
            if (method.getDeclaringClass() == Object.class) {
                return ofObject(self, method.getName(), arguments);
            }
            throw new UnsupportedOperationException(method.getName());
        });
    }

    private static @Nullable Object idle(Class<?> type) {
        if (NOTHING.containsKey(type)) {
            return NOTHING.get(type);
        }
        if (type != DataSource.class && !JDBC.contains(type)) {
            return null;
        }
        return proxy(
                type,
                (self, method, arguments) -> method.getDeclaringClass() == Object.class
                        ? ofObject(self, method.getName(), arguments)
                        : idle(method.getReturnType()));
    }

    private static @Nullable Object ofObject(Object self, String method, Object[] arguments) {
        return switch (method) {
            case "equals" -> self == arguments[0];
            case "hashCode" -> System.identityHashCode(self);
            default -> "useless";
        };
    }

    private static Object proxy(Class<?> type, java.lang.reflect.InvocationHandler handler) {
        return Proxy.newProxyInstance(UselessPools.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private static Contract.Pool of(DataSource dataSource) {
        return new Contract.Pool() {
            @Override
            public DataSource dataSource() {
                return dataSource;
            }

            @Override
            public void close() {
                // There is nothing to close.
            }
        };
    }
}
