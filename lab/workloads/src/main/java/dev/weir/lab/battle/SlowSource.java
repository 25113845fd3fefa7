package dev.weir.lab.battle;

import dev.weir.lab.stub.BareDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** Under a pool: opens physical connections after a pause, as if the server were far away, and keeps account of them. */
final class SlowSource extends BareDataSource {
    private final DataSource target;
    private final long delayNanos;
    private final Queue<Connection> opened = new ConcurrentLinkedQueue<>();

    SlowSource(DataSource target, Duration delay) {
        this.target = target;
        delayNanos = delay.toNanos();
    }

    @Override
    public Connection getConnection() throws SQLException {
        pause();
        Connection connection = target.getConnection();
        opened.add(connection);
        return connection;
    }

    private void pause() throws SQLException {
        try {
            TimeUnit.NANOSECONDS.sleep(delayNanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted while connecting", "08001", e);
        }
    }

    /** How many were opened since the beginning. */
    int opened() {
        return opened.size();
    }

    /** How many of them are not closed. HSQLDB's own list of sessions fails now and then while one of them ends. */
    int open() throws SQLException {
        int open = 0;
        for (Connection connection : opened) {
            if (!connection.isClosed()) {
                open++;
            }
        }
        return open;
    }
}
