package dev.weir;

import static dev.weir.PostgresShared.SOON;
import static dev.weir.PostgresShared.server;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.engine.LivePool;
import dev.weir.testkit.Await;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.PGConnection;

/**
 * P11 and P12: calls that run, or wait inside the driver, when a pool or a connection is closed end at the server too.
 */
final class CloseStopsWhatRunsTest {
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(200);

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @AfterEach
    void nothingIsLeft() {
        PostgresShared.assertNothingLeft(threads);
    }

    private static long runningOnPostgres() throws SQLException {
        return server().number(
                        "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(300)%'"
                                + " AND pid <> pg_backend_pid()");
    }

    @Test
    void aStatementThatStillRunsAtTheEndOfCloseTimeoutIsCancelledOnPostgres() throws Exception {
        WeirDataSource pool = new WeirDataSource(
                PostgresShared.pool().closeTimeout(CLOSE_TIMEOUT).build());
        try (pool;
                Connection plain = pool.getConnection();
                Statement statement = plain.createStatement();
                Connection prepared = pool.getConnection();
                PreparedStatement preparedStatement = prepared.prepareStatement("SELECT pg_sleep(300)")) {
            CompletableFuture<Boolean> one = LivePool.on("runs", () -> statement.execute("SELECT pg_sleep(300)"));
            CompletableFuture<Boolean> other = LivePool.on("runs prepared", preparedStatement::execute);
            Await.await("both run", SOON, () -> runningOnPostgres() == 2);
            pool.close();
            Await.await("none runs any more", SOON, () -> runningOnPostgres() == 0);
            Await.await("their users were told", SOON, () -> one.isDone() && other.isDone());
            assertThat(one).isCompletedExceptionally();
            assertThat(other).isCompletedExceptionally();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = MariaDbShared.Driver.class,
            names = {"MARIADB", "MYSQL"})
    void aStatementThatStillRunsAtTheEndOfCloseTimeoutIsCancelledOnMariaDb(MariaDbShared.Driver driver)
            throws Exception {
        // It sends nothing, so the server does not notice by itself that nobody is there any more.
        String running = "SELECT count(*) FROM information_schema.processlist WHERE user = 'weir'"
                + " AND info LIKE '%BENCHMARK%'";
        WeirDataSource pool =
                new WeirDataSource(driver.pool().closeTimeout(CLOSE_TIMEOUT).build());
        try (pool;
                Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            CompletableFuture<Boolean> runs =
                    LivePool.on("runs", () -> statement.execute("SELECT BENCHMARK(1000000000000, MD5(1))"));
            Await.await("it runs", SOON, () -> MariaDbShared.number(running) == 1);
            pool.close();
            Await.await("it runs no more", SOON, () -> MariaDbShared.number(running) == 0);
            Await.await("its user was told", SOON, runs::isDone);
        }
        MariaDbShared.assertNothingLeft(threads);
    }

    @Test
    void closeOfAConnectionOnWhichAnotherThreadWaitsForNotificationsEndsBothSoon() throws Exception {
        try (WeirDataSource pool = new WeirDataSource(PostgresShared.pool().build())) {
            Connection connection = pool.getConnection();
            PostgresShared.execute(connection, "LISTEN news");
            PGConnection listening = connection.unwrap(PGConnection.class);
            Thread[] listener = new Thread[1];
            CompletableFuture<Object> waits = LivePool.on("listens", () -> {
                listener[0] = Thread.currentThread();
                return listening.getNotifications(0);
            });
            Await.await("it waits in the driver", SOON, () -> listener[0] != null && isReading(listener[0]));
            long begun = System.nanoTime();
            connection.close();
            assertThat(PostgresShared.millisSince(begun)).isLessThan(TimeUnit.SECONDS.toMillis(10));
            Await.await("the listener ended", SOON, waits::isDone);
            assertThat(pool.stats().retired()).containsEntry(RetireReason.UNCLEAN, 1L);
            pool.getConnection().close();
        }
    }

    private static boolean isReading(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("read"));
    }
}
