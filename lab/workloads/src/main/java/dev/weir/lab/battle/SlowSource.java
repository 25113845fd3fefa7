package dev.weir.lab.battle;

import dev.weir.lab.stub.BareDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;

/** Under a pool: opens physical connections after a pause, as if the server were far away, and counts them. */
final class SlowSource extends BareDataSource {
    private final DataSource target;
    private final long delayNanos;
    private final LongAdder opened = new LongAdder();

    SlowSource(DataSource target, Duration delay) {
        this.target = target;
        delayNanos = delay.toNanos();
    }

    @Override
    public Connection getConnection() throws SQLException {
        pause();
        Connection connection = target.getConnection();
        opened.increment();
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

    long opened() {
        return opened.sum();
    }
}
