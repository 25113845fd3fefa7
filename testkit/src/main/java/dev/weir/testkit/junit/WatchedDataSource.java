package dev.weir.testkit.junit;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A DataSource whose connections {@link ConnectionBudget} sees: it passes every call on to another one. {@code unwrap} and
 * {@code isWrapperFor} reach that one. Thread-safe if that one is.
 */
public final class WatchedDataSource implements DataSource {
    private final DataSource target;

    private WatchedDataSource(DataSource target) {
        this.target = target;
    }

    /** Returns a DataSource that does what this one does; the same if it is watched already. */
    public static DataSource of(DataSource target) {
        return target instanceof WatchedDataSource ? target : new WatchedDataSource(target);
    }

    private interface Source {
        Connection get() throws SQLException;
    }

    private static Connection watched(Source source) throws SQLException {
        Holdings.ALL.aboutToAcquire();
        return WatchedHandle.of(Holdings.ALL.acquired(source.get()));
    }

    @Override
    public Connection getConnection() throws SQLException {
        return watched(target::getConnection);
    }

    @Override
    public Connection getConnection(@Nullable String username, @Nullable String password) throws SQLException {
        return watched(() -> target.getConnection(username, password));
    }

    @Override
    public @Nullable PrintWriter getLogWriter() throws SQLException {
        return target.getLogWriter();
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
        target.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        target.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return target.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws java.sql.SQLFeatureNotSupportedException {
        return target.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return type.isInstance(target) ? type.cast(target) : target.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(target) || target.isWrapperFor(type);
    }
}
