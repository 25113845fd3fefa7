package dev.weir.lab.contender;

import dev.weir.lab.stub.BareDataSource;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** A URL of the DriverManager as a data source. */
final class UrlDataSource extends BareDataSource {
    private final String url;
    private final Driver driver;
    private final Properties properties = new Properties();

    UrlDataSource(String url, @Nullable String user, @Nullable String password) {
        this.url = url;
        try {
            this.driver = DriverManager.getDriver(url);
        } catch (SQLException e) {
            throw new IllegalArgumentException("no registered driver accepts the URL (" + e.getMessage() + ")", e);
        }
        if (user != null) {
            properties.setProperty("user", user);
        }
        if (password != null) {
            properties.setProperty("password", password);
        }
    }

    String driverClass() {
        return driver.getClass().getName();
    }

    @Override
    public Connection getConnection() throws SQLException {
        return driver.connect(url, (Properties) properties.clone());
    }
}
