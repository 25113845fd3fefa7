package dev.weir.testkit;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.sql.Wrapper;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The behaviour of one object of the stub driver, which itself is a {@link Proxy}. Properties that only need to be
 * remembered (fetch size, query timeout) are: {@code setX(v)} is what {@code getX()} and {@code isX()} return.
 */
abstract class StubHandler implements InvocationHandler, StubPhysical {

    private static final Object[] NO_ARGUMENTS = {};
    private static final Map<Class<?>, Object> ZEROS = zeros();

    private final StubSession session;
    private final Class<?> type;
    private final Object proxy;
    private final Map<String, Object> remembered = new ConcurrentHashMap<>();

    StubHandler(StubSession session, Class<?> type, Class<?>... more) {
        this.session = session;
        this.type = type;
        Class<?>[] interfaces = new Class<?>[more.length + 2];
        interfaces[0] = type;
        interfaces[1] = StubPhysical.class;
        System.arraycopy(more, 0, interfaces, 2, more.length);
        this.proxy = Proxy.newProxyInstance(StubHandler.class.getClassLoader(), interfaces, this);
    }

    /** The text that toString() of the object tells. */
    String description() {
        return "stub " + type.getSimpleName() + " of " + session;
    }

    final Object proxy() {
        return proxy;
    }

    @Override
    public final StubSession session() {
        return session;
    }

    @Override
    public final @Nullable Object invoke(Object self, Method method, Object @Nullable [] arguments) throws Throwable {
        Object[] given = arguments == null ? NO_ARGUMENTS : arguments;
        Class<?> declaring = method.getDeclaringClass();
        if (declaring == Object.class) {
            return switch (method.getName()) {
                case "equals" -> self == given[0];
                case "hashCode" -> System.identityHashCode(self);
                default -> description();
            };
        }
        if (declaring == StubPhysical.class) {
            return session;
        }
        Class<?> named = declaring == AutoCloseable.class ? type : declaring;
        session.enter(named.getSimpleName() + "." + method.getName(), given);
        return declaring == Wrapper.class ? wrapper(method, given) : answer(method, given);
    }

    /** Answers a call that was noted and met no fault. */
    abstract @Nullable Object answer(Method method, Object[] arguments) throws Throwable;

    /** The answer of a method that has no behaviour of its own. */
    final @Nullable Object usual(Method method, Object[] arguments) {
        String name = method.getName();
        if (name.startsWith("set")
                && method.getReturnType() == void.class
                && arguments.length == 1
                && arguments[0] != null) {
            remembered.put(name.substring(3), arguments[0]);
        } else if (name.startsWith("get") && arguments.length == 0 && remembered.containsKey(name.substring(3))) {
            return remembered.get(name.substring(3));
        } else if (name.startsWith("is") && arguments.length == 0 && remembered.containsKey(name.substring(2))) {
            return remembered.get(name.substring(2));
        }
        return usual(method.getReturnType());
    }

    /** An object of this type, or the value that a field of it has at first. */
    final @Nullable Object usual(Class<?> wanted) {
        if (wanted == String.class) {
            return "";
        }
        if (wanted == int[].class) {
            return new int[0];
        }
        if (wanted == long[].class) {
            return new long[0];
        }
        if (StubValue.isValue(wanted)) {
            return new StubValue(session, wanted).proxy();
        }
        Object stream = StubStreams.of(session, wanted);
        return stream == null ? ZEROS.get(wanted) : stream;
    }

    private @Nullable Object wrapper(Method method, Object[] arguments) throws SQLException {
        Class<?> wanted = (Class<?>) arguments[0];
        boolean is = wanted.isInstance(proxy);
        if (method.getName().equals("isWrapperFor")) {
            return is;
        }
        if (!is) {
            throw new SQLException("not a wrapper for " + wanted.getName(), "0A000");
        }
        return proxy;
    }

    private static Map<Class<?>, Object> zeros() {
        Map<Class<?>, Object> zeros = new HashMap<>();
        zeros.put(boolean.class, false);
        zeros.put(byte.class, (byte) 0);
        zeros.put(short.class, (short) 0);
        zeros.put(int.class, 0);
        zeros.put(long.class, 0L);
        zeros.put(float.class, 0f);
        zeros.put(double.class, 0d);
        return zeros;
    }
}
