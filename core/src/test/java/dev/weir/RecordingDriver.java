package dev.weir;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** A driver that writes down every call, and answers each with something of the right type. */
public final class RecordingDriver {

    public record Call(Object target, Method method, List<@Nullable Object> arguments) {
        public boolean isOf(Method other) {
            return method.getName().equals(other.getName())
                    && List.of(method.getParameterTypes()).equals(List.of(other.getParameterTypes()));
        }
    }

    public final List<Call> calls = Collections.synchronizedList(new ArrayList<>());

    /** The answer of methods that may answer any object. */
    public volatile @Nullable Object value = "value";

    /** Thrown by every call while it is set. */
    public volatile @Nullable Throwable failure;

    /** Methods whose name ends so are not supported. */
    public volatile @Nullable String without;

    public volatile boolean autoCommit = true;

    public Connection connection() {
        return physical(Connection.class);
    }

    public <T> T physical(Class<T> type) {
        InvocationHandler handler = (proxy, method, arguments) -> answer(proxy, method, arguments);
        return type.cast(Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {type}, handler));
    }

    private @Nullable Object answer(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return identity(proxy, method, arguments);
        }
        List<@Nullable Object> given = arguments == null ? List.of() : Arrays.asList(arguments);
        calls.add(new Call(proxy, method, given));
        Throwable thrown = failure;
        if (thrown != null) {
            throw thrown;
        }
        String missing = without;
        if (missing != null && method.getName().endsWith(missing)) {
            throw new SQLFeatureNotSupportedException(method.getName());
        }
        return method.getName().equals("getAutoCommit") ? (Object) autoCommit : sample(method.getReturnType());
    }

    private static Object identity(Object proxy, Method method, Object @Nullable [] arguments) {
        return switch (method.getName()) {
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "recorded";
        };
    }

    private @Nullable Object sample(Class<?> type) {
        if (type == Object.class) {
            return value;
        } else if (type == Map.class) {
            return new HashMap<>();
        } else if (type == Properties.class) {
            return new Properties();
        } else if (type == SQLWarning.class) {
            return null;
        } else {
            return JdbcSamples.isJdbc(type) ? physical(type) : JdbcSamples.of(type);
        }
    }

    /** The calls of this method; of abort, which the pool calls too on its own account, only with these arguments. */
    public long callsTo(Object target, Method method, @Nullable Object[] arguments) {
        boolean ours = method.getName().equals("abort");
        synchronized (calls) {
            return calls.stream()
                    .filter(call -> call.target() == target && call.isOf(method))
                    .filter(call -> !ours || call.arguments().equals(Arrays.asList(arguments)))
                    .count();
        }
    }

    public Call lastCall() {
        return calls.get(calls.size() - 1);
    }

    /** A copy: the pool's helpers may still be calling. */
    public List<Call> calls() {
        synchronized (calls) {
            return List.copyOf(calls);
        }
    }

    public List<String> names() {
        synchronized (calls) {
            return calls.stream().map(call -> call.method().getName()).toList();
        }
    }
}
