package dev.weir.fleet;

import dev.weir.WeirDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that use a pool without a pause, until they are closed. */
final class Waiters implements AutoCloseable {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger failures = new AtomicInteger();
    private volatile boolean over;

    Waiters(WeirDataSource pool, int count, String sql) {
        for (int i = 0; i < count; i++) {
            threads.execute(() -> {
                while (!over) {
                    use(pool, sql);
                }
            });
        }
    }

    private void use(WeirDataSource pool, String sql) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            failures.incrementAndGet();
        }
    }

    int failures() {
        return failures.get();
    }

    @Override
    public void close() throws InterruptedException {
        over = true;
        threads.shutdown();
        threads.awaitTermination(10, TimeUnit.SECONDS);
    }
}
