package dev.weir;

import dev.weir.spi.Credentials;
import dev.weir.spi.CredentialsProvider;
import dev.weir.spi.FailureClassifier;
import dev.weir.spi.PoolListener;
import dev.weir.spi.Ticker;
import dev.weir.testkit.StubDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * All that a pool calls and did not write: a driver, a listener, a classifier, a provider of credentials, a thread factory, a
 * ticker, a log handler. It counts the calls of each kind, and lets one of them throw.
 */
public final class ThrowingWorld implements AutoCloseable {
    public static final int ALWAYS = 0;

    private static final Logger LOGGER = Logger.getLogger("dev.weir");

    /** While it lives all is logged, to the worlds alone; each hears the pools of the others too. */
    public static final class OnlyLog implements AutoCloseable {
        private final Level levelBefore = LOGGER.getLevel();
        private final boolean toParent = LOGGER.getUseParentHandlers();

        public OnlyLog() {
            LOGGER.setUseParentHandlers(false);
            LOGGER.setLevel(Level.FINE);
        }

        @Override
        public void close() {
            LOGGER.setLevel(levelBefore);
            LOGGER.setUseParentHandlers(toParent);
        }
    }

    public final StubDatabase db = new StubDatabase();

    private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();

    private final String kind;
    private final int at;
    private final Supplier<? extends Throwable> failure;
    private volatile boolean armed = true;
    private volatile boolean thrown;

    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            called("log");
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    /** The call of this kind that throws; the first is 1, {@link #ALWAYS} is each. Kind "" throws nowhere. */
    public ThrowingWorld(String kind, int at, Supplier<? extends Throwable> failure) {
        this.kind = kind;
        this.at = at;
        this.failure = failure;
        LOGGER.addHandler(handler);
    }

    /** The number of calls of each kind. */
    public Map<String, Integer> calls() {
        Map<String, Integer> counts = new TreeMap<>();
        calls.forEach((name, count) -> counts.put(name, count.get()));
        return counts;
    }

    public boolean hasThrown() {
        return thrown;
    }

    /** From now on nothing throws. */
    public void disarm() {
        armed = false;
    }

    public PoolConfig.Builder configure(PoolConfig.Builder builder) {
        CredentialsProvider provider = () -> {
            called("credentials");
            return new Credentials("user", "secret");
        };
        FailureClassifier classifier = failed -> {
            called("classifier");
            return null;
        };
        Ticker ticker = () -> {
            called("ticker");
            return System.nanoTime();
        };
        ThreadFactory factory = job -> {
            called("factory");
            return new Thread(job);
        };
        return builder.dataSource(wrapped(DataSource.class, db.dataSource()))
                .credentialsProvider(provider)
                .failureClassifier(classifier)
                .ticker(ticker)
                .threadFactory(factory)
                .addListener(wrapped(PoolListener.class, new PoolListener() {}));
    }

    private void called(String name) {
        int count = calls.computeIfAbsent(name, any -> new AtomicInteger()).incrementAndGet();
        if (armed && name.equals(kind) && (at == ALWAYS || count == at)) {
            thrown = true;
            throw sneaky(failure.get());
        }
    }

    /** Drivers written in other languages of the JVM throw what they like. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> RuntimeException sneaky(Throwable failure) throws T {
        throw (T) failure;
    }

    private <T> T wrapped(Class<T> type, Object target) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> call(type, target, method, arguments)));
    }

    private @Nullable Object call(Class<?> type, Object target, Method method, Object @Nullable [] arguments)
            throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return method.invoke(target, arguments);
        }
        called(type.getSimpleName() + "." + method.getName());
        Object result;
        try {
            result = method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
        Class<?> returns = method.getReturnType();
        boolean part =
                returns == Connection.class || returns == ResultSet.class || Statement.class.isAssignableFrom(returns);
        return part && result != null ? wrapped(returns, result) : result;
    }

    @Override
    public void close() {
        LOGGER.removeHandler(handler);
        db.close();
    }
}
