package dev.weir.testkit;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The vendor's data source of the stub driver: a bean, so that pools can make it by class name. Set it up before it is
 * shared; then it is thread-safe.
 */
public final class StubDataSource implements DataSource {

    private final StubDriver driver = new StubDriver();
    private volatile @Nullable String url;
    private volatile @Nullable String user;
    private volatile @Nullable String password;
    private volatile int loginTimeoutSeconds;

    /** A data source without URL. */
    public StubDataSource() {}

    /** Sets the URL, as {@link StubDatabase#url()} tells it. */
    public void setUrl(String url) {
        this.url = url;
    }

    /** Returns the URL. */
    public @Nullable String getUrl() {
        return url;
    }

    /** Sets the user of {@link #getConnection()}. */
    public void setUser(@Nullable String user) {
        this.user = user;
    }

    /** Returns the user of {@link #getConnection()}. */
    public @Nullable String getUser() {
        return user;
    }

    /** Sets the password of {@link #getConnection()}. */
    public void setPassword(@Nullable String password) {
        this.password = password;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return getConnection(user, password);
    }

    @Override
    public Connection getConnection(@Nullable String username, @Nullable String secret) throws SQLException {
        Properties properties = new Properties();
        if (username != null) {
            properties.setProperty("user", username);
        }
        if (secret != null) {
            properties.setProperty("password", secret);
        }
        String where = url;
        Connection connection = where == null ? null : driver.connect(where, properties);
        if (connection == null) {
            throw new SQLException("url: " + where + " (expected: the URL of a stub database)", "08001");
        }
        return connection;
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {
        loginTimeoutSeconds = seconds;
    }

    @Override
    public int getLoginTimeout() {
        return loginTimeoutSeconds;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("the stub does not log");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (!type.isInstance(this)) {
            throw new SQLException("not a wrapper for " + type.getName(), "0A000");
        }
        return type.cast(this);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }
}
