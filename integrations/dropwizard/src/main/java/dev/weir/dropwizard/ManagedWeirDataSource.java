package dev.weir.dropwizard;

import dev.weir.WeirDataSource;
import io.dropwizard.db.ManagedDataSource;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** A pool in the hands of Dropwizard's life cycle. */
final class ManagedWeirDataSource implements ManagedDataSource {
    private final WeirDataSource pool;
    private final @Nullable FleetMember member;

    /** @param member the pool's part in a fleet, or null if it is in none */
    ManagedWeirDataSource(WeirDataSource pool, @Nullable FleetMember member) {
        this.pool = pool;
        this.member = member;
    }

    WeirDataSource pool() {
        return pool;
    }

    @Override
    public void start() throws SQLException {
        join();
        pool.start();
    }

    /** Before the pool opens anything: some of Dropwizard's bundles ask for a connection before anything is started. */
    private void join() throws SQLException {
        if (member != null) {
            member.join();
        }
    }

    @Override
    public void stop() {
        if (member == null) {
            pool.close();
        } else {
            member.close();
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        join();
        return pool.getConnection();
    }

    @Override
    public Connection getConnection(@Nullable String username, @Nullable String password) throws SQLException {
        join();
        return pool.getConnection(username, password);
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return pool.getLogWriter();
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
        pool.setLogWriter(out);
    }

    @Override
    public int getLoginTimeout() {
        return pool.getLoginTimeout();
    }

    @Override
    public void setLoginTimeout(int seconds) {
        pool.setLoginTimeout(seconds);
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return pool.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return type.isInstance(this) ? type.cast(this) : pool.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(this) || pool.isWrapperFor(type);
    }

    @Override
    public String toString() {
        return pool.toString();
    }
}
