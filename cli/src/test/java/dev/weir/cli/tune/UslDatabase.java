package dev.weir.cli.tune;

import dev.weir.testkit.StubDatabase;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Logger;

/** A database of known capacity: an execution takes as long as the curve says for the number of them under way. */
final class UslDatabase implements AutoCloseable, Driver {
    private static final String PREFIX = "jdbc:usl:";
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final StubDatabase sessions = new StubDatabase();
    private final String url = PREFIX + NUMBERS.incrementAndGet();
    private final UslCurve curve;
    private final AtomicInteger underWay = new AtomicInteger();
    private final Set<Object> values = ConcurrentHashMap.newKeySet();
    private volatile int mostUnderWay = Integer.MAX_VALUE;

    UslDatabase(UslCurve curve) throws SQLException {
        this.curve = curve;
        DriverManager.registerDriver(this);
    }

    String url() {
        return url;
    }

    StubDatabase sessions() {
        return sessions;
    }

    /** From now on an execution fails while more than this many are under way. */
    void failAbove(int executions) {
        mostUnderWay = executions;
    }

    /** The values of the first parameter that executions had. */
    Set<Object> values() {
        return values;
    }

    @Override
    public Connection connect(String asked, Properties info) throws SQLException {
        if (!acceptsURL(asked)) {
            return null;
        }
        Connection connection = sessions.driver().connect(sessions.url(), info);
        return wrap(Connection.class, (proxy, method, arguments) -> {
            Object result = forward(connection, method, arguments);
            return method.getName().equals("prepareStatement") ? slow((PreparedStatement) result) : result;
        });
    }

    private PreparedStatement slow(PreparedStatement statement) {
        Object[] value = {""};
        return wrap(PreparedStatement.class, (proxy, method, arguments) -> {
            switch (method.getName()) {
                case "setObject" -> value[0] = arguments[1];
                case "execute" -> {
                    values.add(value[0]);
                    takeTime();
                }
                case "getParameterMetaData" -> throw new SQLFeatureNotSupportedException("as with some real drivers");
                default -> {}
            }
            return forward(statement, method, arguments);
        });
    }

    private void takeTime() throws SQLException {
        int users = underWay.incrementAndGet();
        try {
            if (users > mostUnderWay) {
                throw new SQLException("too much to do", "53000");
            }
            long end = System.nanoTime() + (long) (1e9 * users / curve.throughput(users));
            for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        } finally {
            underWay.decrementAndGet();
        }
    }

    private static <T> T wrap(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(UslDatabase.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static Object forward(Object object, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(object, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Override
    public boolean acceptsURL(String asked) {
        return url.equals(asked);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String asked, Properties info) {
        return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
        return 1;
    }

    @Override
    public int getMinorVersion() {
        return 0;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger("usl");
    }

    @Override
    public void close() throws SQLException {
        DriverManager.deregisterDriver(this);
        sessions.close();
    }
}
