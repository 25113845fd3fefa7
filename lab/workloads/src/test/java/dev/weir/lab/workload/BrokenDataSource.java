package dev.weir.lab.workload;

import dev.weir.lab.stub.StubDataSource;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A pool that never lends anything. */
public final class BrokenDataSource implements DataSource {
    private final StubDataSource rest = new StubDataSource();

    @Override
    public Connection getConnection() throws SQLException {
        throw new SQLException("broken, as it is meant to be", "08001");
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return getConnection();
    }

    @Override
    public PrintWriter getLogWriter() {
        return rest.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger("broken");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("broken");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
