package dev.weir.testkit;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The driver of every {@link StubDatabase} of this JVM, for URLs {@code jdbc:weir-stub:<number>}. Thread-safe. */
public final class StubDriver implements Driver {

    /** The beginning of its URLs. */
    static final String PREFIX = "jdbc:weir-stub:";

    static {
        try {
            DriverManager.registerDriver(new StubDriver());
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A driver; all of them are alike. */
    public StubDriver() {}

    @Override
    public @Nullable Connection connect(String url, @Nullable Properties info) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        StubDatabase database = StubDatabase.find(number(url));
        if (database == null) {
            throw new SQLException("no such stub database: " + url, "08001");
        }
        return database.connect(info == null ? new Properties() : info);
    }

    private static long number(String url) throws SQLException {
        try {
            return Long.parseLong(url.substring(PREFIX.length()));
        } catch (NumberFormatException e) {
            throw new SQLException("not the URL of a stub database: " + url, "08001", e);
        }
    }

    @Override
    public boolean acceptsURL(String url) {
        return url.startsWith(PREFIX);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
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
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("the stub does not log");
    }
}
