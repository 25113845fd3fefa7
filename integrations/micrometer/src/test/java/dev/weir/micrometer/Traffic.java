package dev.weir.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** A pool of one connection, and what makes each of its meters move. */
final class Traffic {
    static final Duration LIMIT = Duration.ofSeconds(15);
    static final Duration TIMEOUT = Duration.ofMillis(300);

    private Traffic() {}

    static WeirDataSource weir(StubDatabase db, String name) {
        return new WeirDataSource(PoolConfig.builder()
                .dataSource(db.dataSource())
                .poolName(name)
                .maximumPoolSize(1)
                .minimumPoolSize(1)
                .connectionTimeout(TIMEOUT)
                .initializationFailTimeout(LIMIT)
                .build());
    }

    /** Starts the pool and waits until its connection lies idle: the first use then waits for nothing. */
    static void start(WeirDataSource pool) throws SQLException {
        pool.start();
        Await.await(() -> pool.stats().toString(), LIMIT, () -> pool.stats().idle() == 1);
    }

    /** One use that takes no wait, one that times out, one that waits. */
    static void run(DataSource pool, Consumer<Duration> timeout, Waiting waiting) throws Exception {
        pool.getConnection().close();
        CompletableFuture<Void> waiter;
        try (Connection held = pool.getConnection()) {
            assertThatThrownBy(pool::getConnection).isInstanceOf(SQLException.class);
            timeout.accept(LIMIT); // or a busy machine might time the waiter out too
            waiter = CompletableFuture.runAsync(() -> {
                try (Connection connection = pool.getConnection()) {
                    assertThat(connection.isClosed()).isFalse();
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            Await.await(() -> "no thread waits", LIMIT, () -> waiting.threads() == 1);
            assertThat(held.isClosed()).isFalse();
        }
        waiter.join();
    }

    /** How many threads wait. */
    @FunctionalInterface
    interface Waiting {
        int threads();
    }
}
