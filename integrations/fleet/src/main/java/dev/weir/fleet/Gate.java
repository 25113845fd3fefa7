package dev.weir.fleet;

import dev.weir.WeirDataSource;
import dev.weir.spi.Credentials;
import dev.weir.spi.CredentialsProvider;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientConnectionException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Stands before each connect of a pool, and lets it pass if the pledge has a place for it now. The pool's maximum alone
 * would not do: a JVM that wakes from a pause connects before any thread has lowered it.
 */
final class Gate {
    /** Throws if the pool may not connect now. */
    interface Check {
        void pass() throws SQLException;
    }

    private Gate() {}

    /**
     * Puts the gate into the way of a pool that is not started: asked where the pool asks who to connect as, or around
     * its DataSource object.
     *
     * @return takes it away again
     * @throws IllegalArgumentException if the pool has neither
     * @throws IllegalStateException if it is started
     */
    static Runnable install(WeirDataSource pool, Check check) {
        DataSource source = pool.getDataSource();
        CredentialsProvider provider = pool.getCredentialsProvider();
        String user = pool.getUsername();
        if (source != null) {
            pool.setDataSource(new Guarded(source, check));
            return () -> pool.setDataSource(source);
        }
        if (provider != null) {
            pool.setCredentialsProvider(new Asking(provider, check));
            return () -> pool.setCredentialsProvider(provider);
        }
        if (user != null) {
            String password = pool.getPassword();
            pool.setUsername(null);
            pool.setPassword(null);
            pool.setCredentialsProvider(new Asking(new Fixed(new Credentials(user, password)), check));
            return () -> {
                pool.setCredentialsProvider(null);
                pool.setUsername(user);
                pool.setPassword(password);
            };
        }
        throw new IllegalArgumentException("fleet: pool " + pool.getPoolName()
                + ": username: not set (expected: username, a CredentialsProvider or a DataSource object; a user"
                + " in the url leaves the fleet no way to hold a connect back)");
    }

    static boolean isInstalled(WeirDataSource pool) {
        return pool.getDataSource() instanceof Guarded || pool.getCredentialsProvider() instanceof Asking;
    }

    static SQLException shut(String fleet, String why) {
        return new SQLTransientConnectionException("fleet " + fleet + ": " + why, "53300");
    }

    private record Asking(CredentialsProvider provider, Check check) implements CredentialsProvider {
        @Override
        public Credentials credentials() throws Exception {
            check.pass();
            return provider.credentials();
        }

        @Override
        public @Nullable String user() {
            return provider.user();
        }
    }

    private record Fixed(Credentials credentials) implements CredentialsProvider {
        @Override
        public String user() {
            return credentials.user();
        }
    }

    private record Guarded(DataSource source, Check check) implements DataSource {
        @Override
        public Connection getConnection() throws SQLException {
            check.pass();
            return source.getConnection();
        }

        @Override
        public Connection getConnection(@Nullable String user, @Nullable String password) throws SQLException {
            check.pass();
            return source.getConnection(user, password);
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            return type.isInstance(source) ? type.cast(source) : source.unwrap(type);
        }

        @Override
        public boolean isWrapperFor(Class<?> type) throws SQLException {
            return type.isInstance(source) || source.isWrapperFor(type);
        }

        @Override
        public @Nullable PrintWriter getLogWriter() throws SQLException {
            return source.getLogWriter();
        }

        @Override
        public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
            source.setLogWriter(out);
        }

        @Override
        public void setLoginTimeout(int seconds) throws SQLException {
            source.setLoginTimeout(seconds);
        }

        @Override
        public int getLoginTimeout() throws SQLException {
            return source.getLoginTimeout();
        }

        @Override
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            return source.getParentLogger();
        }
    }
}
