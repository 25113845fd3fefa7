package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.StubDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A log handler that writes into the database, with a connection of the pool that logs. */
@Timeout(60)
class HandlerBorrowsTest {
    @Test
    void p11ALogHandlerThatBorrowsDoesNotStopTheKeeper() throws Exception {
        StubDatabase db = new StubDatabase();
        Logger logger = Logger.getLogger("dev.weir");
        AtomicInteger borrowed = new AtomicInteger();
        try (LivePool live = LivePool.of(
                db,
                b -> b.initializationFailTimeout(Duration.ofMillis(-1))
                        .minimumPoolSize(1)
                        .maximumPoolSize(2)
                        .connectionTimeout(Duration.ofSeconds(20)))) {
            Handler handler = new Handler() {
                @Override
                public void publish(LogRecord written) {
                    if (Thread.currentThread().getName().endsWith("keeper")) {
                        borrowed.incrementAndGet();
                        try (Connection connection = live.pool.acquire()) {
                            assertThat(connection).isNotNull();
                        } catch (SQLException e) {
                            // nothing is written
                        }
                    }
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };
            logger.addHandler(handler);
            try {
                db.failNext(StubDatabase.CONNECT, 1, () -> new SQLException("not yet", "08001"));
                live.pool.start();
                CompletableFuture<Connection> user = live.acquireOn("user");
                user.get(30, TimeUnit.SECONDS).close();
                assertThat(borrowed).hasPositiveValue();
            } finally {
                logger.removeHandler(handler);
            }
        }
    }
}
