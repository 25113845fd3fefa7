package dev.weir.testkit.junit;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Passes the calls of a connection and of what was made by it on, so that a stack tells who waits for the database, and the
 * end of the loan is seen.
 */
final class WatchedHandle implements InvocationHandler {
    private final Object target;
    private final Holdings.Held held;
    private final @Nullable Object parent;

    private WatchedHandle(Object target, Holdings.Held held, @Nullable Object parent) {
        this.target = target;
        this.held = held;
        this.parent = parent;
    }

    static Connection of(Holdings.Held held) {
        return proxy(Connection.class, held.connection(), held, null);
    }

    private static <T> T proxy(Class<T> type, Object target, Holdings.Held held, @Nullable Object parent) {
        return type.cast(Proxy.newProxyInstance(
                WatchedHandle.class.getClassLoader(), new Class<?>[] {type}, new WatchedHandle(target, held, parent)));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (method.getName().equals("equals")) {
            return arguments != null && proxy == arguments[0];
        }
        if (method.getName().equals("hashCode")) {
            return System.identityHashCode(proxy);
        }
        boolean ends = target == held.connection()
                && (method.getName().equals("close") || method.getName().equals("abort"));
        try {
            Object result = method.invoke(target, arguments);
            return result == null ? null : handle(proxy, method, result);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        } finally {
            if (ends) {
                held.end();
            }
        }
    }

    private Object handle(Object proxy, Method method, Object result) {
        Class<?> type = method.getReturnType();
        if (result == target) {
            return proxy;
        }
        if (type == Connection.class || (type == Statement.class && target instanceof ResultSet)) {
            return parentOf(type, result);
        }
        return type.isInterface() && type.getPackageName().equals("java.sql")
                ? proxy(type, result, held, proxy)
                : result;
    }

    /** The object of this type that the application has in its hands already; else the result. */
    private Object parentOf(Class<?> type, Object result) {
        for (Object at = parent; at != null; ) {
            if (type.isInstance(at)) {
                return at;
            }
            at = Proxy.getInvocationHandler(at) instanceof WatchedHandle handle ? handle.parent : null;
        }
        return result;
    }
}
