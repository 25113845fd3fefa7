package dev.weir.lab.contender;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Gives a data source a URL, so that every pool can be opened in the one way that all of them know. A data source keeps its
 * URL as long as the JVM lives. Thread-safe.
 */
public final class BridgeDriver implements Driver {
    private static final String PREFIX = "jdbc:weir-lab:";
    private static final Map<String, DataSource> SOURCES = new ConcurrentHashMap<>();
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    static {
        try {
            DriverManager.registerDriver(new BridgeDriver());
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** For the DriverManager, and pools that make drivers by the name of their class. */
    public BridgeDriver() {}

    static String urlOf(DataSource source) {
        String url = PREFIX + NUMBERS.incrementAndGet();
        SOURCES.put(url, source);
        return url;
    }

    @Override
    public @Nullable Connection connect(String url, @Nullable Properties properties) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        DataSource source = SOURCES.get(url);
        if (source == null) {
            throw new SQLException("nothing is known by " + url, "08001");
        }
        return source.getConnection();
    }

    @Override
    public boolean acceptsURL(String url) {
        return url.startsWith(PREFIX);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties) {
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
        throw new SQLFeatureNotSupportedException("getParentLogger");
    }
}
