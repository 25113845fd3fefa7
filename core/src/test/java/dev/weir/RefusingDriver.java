package dev.weir;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Properties;
import java.util.function.Supplier;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Fails when it is asked whether it takes a url. */
public final class RefusingDriver implements Driver {
    public static volatile Supplier<Throwable> failure = IllegalStateException::new;

    @Override
    public boolean acceptsURL(String url) throws SQLException {
        Throwable thrown = failure.get();
        if (thrown instanceof SQLException sql) {
            throw sql;
        }
        throw (RuntimeException) thrown;
    }

    @Override
    public @Nullable Connection connect(String url, Properties info) {
        return null;
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
    public @Nullable Logger getParentLogger() {
        return null;
    }
}
