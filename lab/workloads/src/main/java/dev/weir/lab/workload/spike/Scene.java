package dev.weir.lab.workload.spike;

import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.stub.StubDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A pool with its users on one side and the driver on the other. What is counted is seen from these two sides and not asked
 * from the pool, so that it means the same for all pools and disturbs none. Thread-safe.
 */
final class Scene {
    private static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(20);

    private final StubDataSource driver;
    private final DataSource pool;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger active = new AtomicInteger();
    private final AtomicInteger served = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicHistogram waits = new AtomicHistogram(HIGHEST_NANOS, 3);
    private volatile @Nullable String lastFailure;

    Scene(StubDataSource driver, PoolUnderTest pool) {
        this.driver = driver;
        this.pool = pool.dataSource();
    }

    /** A request with one query; its wait is counted from {@code since}, when it came. */
    void request(long since) {
        Connection connection;
        waiting.incrementAndGet();
        try {
            connection = pool.getConnection();
        } catch (SQLException e) {
            failed.incrementAndGet();
            lastFailure = e.toString();
            return;
        } finally {
            waiting.decrementAndGet();
        }
        waits.recordValue(Math.min(HIGHEST_NANOS, Math.max(0, System.nanoTime() - since)));
        active.incrementAndGet();
        try {
            query(connection);
            served.incrementAndGet();
        } catch (SQLException e) {
            failed.incrementAndGet();
            lastFailure = e.toString();
        }
    }

    private void query(Connection connection) throws SQLException {
        try (connection) {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT 1")) {
                rows.next();
            } finally {
                active.decrementAndGet();
            }
        }
    }

    /** Connections, those in use, and threads that wait. */
    int[] look() {
        return new int[] {driver.open(), active.get(), waiting.get()};
    }

    int total() {
        return driver.open();
    }

    int opened() {
        return driver.opened();
    }

    int served() {
        return served.get();
    }

    int failed() {
        return failed.get();
    }

    @Nullable
    String lastFailure() {
        return lastFailure;
    }

    Histogram waits() {
        return waits;
    }
}
