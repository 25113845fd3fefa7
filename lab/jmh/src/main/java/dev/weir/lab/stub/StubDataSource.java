package dev.weir.lab.stub;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connects at once, to nothing. */
public final class StubDataSource implements DataSource {
    private final StubConnection @Nullable [] everlasting;

    /** Every connection is a new one. */
    public StubDataSource() {
        this(null);
    }

    private StubDataSource(StubConnection @Nullable [] everlasting) {
        this.everlasting = everlasting;
    }

    /**
     * No pool and no connect: the connections are there, close() does nothing, and a thread's id says which one it gets.
     *
     * @param size how many; a power of two
     */
    public static StubDataSource withoutPool(int size) {
        if (Integer.bitCount(size) != 1) {
            throw new IllegalArgumentException("size: " + size + " (expected: a power of two)");
        }
        StubConnection[] connections = new StubConnection[size];
        for (int i = 0; i < size; i++) {
            connections[i] = new EverlastingConnection();
        }
        return new StubDataSource(connections);
    }

    @Override
    public Connection getConnection() {
        StubConnection[] shared = everlasting;
        return shared == null
                ? new StubConnection()
                : shared[(int) Thread.currentThread().getId() & (shared.length - 1)];
    }

    @Override
    public Connection getConnection(String username, String password) {
        return getConnection();
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("getParentLogger");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("unwrap");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }

    private static final class EverlastingConnection extends StubConnection {
        @Override
        public void close() {
            trace.call();
        }
    }
}
