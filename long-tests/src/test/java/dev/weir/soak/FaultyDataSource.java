package dev.weir.soak;

import java.io.PrintWriter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;

/**
 * Hands out connections of the driver: one in two bare, the others so that any call on them, or on a statement or result of
 * theirs, may throw, before the driver does its work or after. What ends something is always done, or it would be this class
 * that loses sockets.
 */
final class FaultyDataSource implements DataSource {
    private final DataSource driver;
    private final Faults faults;

    FaultyDataSource(DataSource driver, Faults faults) {
        this.driver = driver;
        this.faults = faults;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return getConnection(null, null);
    }

    @Override
    public Connection getConnection(@Nullable String user, @Nullable String password) throws SQLException {
        if (faults.strikes()) {
            faults.throwAny("connect");
        }
        Connection made = driver.getConnection(user, password);
        if (faults.strikes()) {
            made.close();
            faults.throwAny("connected");
        }
        return faults.coin() ? made : proxy(BaseConnection.class, made);
    }

    private <T> T proxy(Class<T> type, Object target) {
        InvocationHandler handler = (proxy, method, arguments) -> call(proxy, target, method, arguments);
        return type.cast(
                Proxy.newProxyInstance(FaultyDataSource.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private @Nullable Object call(Object proxy, Object target, Method method, Object @Nullable [] arguments)
            throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return method.getName().equals("equals")
                    ? arguments != null && proxy == arguments[0]
                    : invoke(target, method, arguments);
        }
        boolean ends = method.getName().equals("close") || method.getName().equals("abort");
        boolean strikes = faults.strikes();
        if (strikes && !ends && faults.coin()) {
            strike(method);
        }
        Object result = invoke(target, method, arguments);
        if (strikes) {
            strike(method);
        }
        return wrapped(result);
    }

    private void strike(Method method) throws SQLException {
        if (Arrays.stream(method.getExceptionTypes()).anyMatch(type -> type.isAssignableFrom(SQLException.class))) {
            faults.throwAny(method.getName());
        } else {
            faults.throwUnchecked(method.getName());
        }
    }

    private static @Nullable Object invoke(Object target, Method method, Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private @Nullable Object wrapped(@Nullable Object result) {
        if (result instanceof CallableStatement) {
            return proxy(CallableStatement.class, result);
        }
        if (result instanceof PreparedStatement) {
            return proxy(PreparedStatement.class, result);
        }
        if (result instanceof Statement) {
            return proxy(Statement.class, result);
        }
        return result instanceof ResultSet ? proxy(ResultSet.class, result) : result;
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return driver.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return driver.isWrapperFor(type);
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        driver.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return driver.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }
}
