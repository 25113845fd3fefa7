package dev.weir;

import static dev.weir.PostgresShared.PLACES;
import static dev.weir.PostgresShared.awaitAge;
import static dev.weir.PostgresShared.awaitIdle;
import static dev.weir.PostgresShared.millisSince;
import static dev.weir.PostgresShared.number;
import static dev.weir.PostgresShared.server;
import static dev.weir.PostgresShared.together;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** P6 and P8 where others have taken all but two of the server's places (SQLState 53300). */
final class PostgresFullTest {
    private final ThreadsLeft threads = ThreadsLeft.sinceNow();
    private final List<Connection> others = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() throws SQLException {
        leave();
        PostgresShared.assertNothingLeft(threads);
    }

    @Test
    void thePoolWorksWithThePlacesThereAreAndGrowsWhenOthersLeave() throws Exception {
        take(PLACES - 2);
        try (WeirDataSource pool = new WeirDataSource(PostgresShared.pool()
                .minimumPoolSize(6)
                .maximumPoolSize(6)
                .connectionTimeout(Duration.ofMillis(600))
                .initializationFailTimeout(PostgresShared.SOON)
                .build())) {
            pool.start();
            awaitIdle(pool, 2);
            worksWithTwo(pool);
            saysWhyThereIsNoThird(pool);
            long left = System.nanoTime();
            leave();
            awaitIdle(pool, 6);
            System.out.printf("places free again: 6 connections after %d ms%n", millisSince(left));
            assertThat(together(6, pool, connection -> number(connection, "SELECT 1")))
                    .isEmpty();
        }
    }

    private static void worksWithTwo(WeirDataSource pool) {
        long before = pool.stats().openFailed();
        long begun = System.nanoTime();
        try (PostgresLoad load = new PostgresLoad(pool, 4, "SELECT pg_sleep(0.005)")) {
            load.awaitMore(100);
            awaitAge(begun, Duration.ofSeconds(1));
            long attempts = pool.stats().openFailed() - before;
            System.out.printf(
                    "max_connections exhausted: 4 threads on 2 connections, %d served and %d errors in %d ms, %d refused"
                            + " connects, longest acquire %d ms%n",
                    load.done(), load.failed().size(), millisSince(begun), attempts, load.longestAcquireMillis());
            assertThat(load.failed()).isEmpty();
            // Five at once before the first was known, four while the pause doubles from 75 ms to 750, then one each
            // 375 ms
            // at the most.
            assertThat(attempts).isLessThanOrEqualTo(millisSince(begun) / 375 + 10);
        }
    }

    private static void saysWhyThereIsNoThird(WeirDataSource pool) throws SQLException {
        Connection first = pool.getConnection();
        Connection second = pool.getConnection();
        SQLException e = catchThrowableOfType(SQLException.class, pool::getConnection);
        System.out.println("max_connections exhausted, the message: " + e.getMessage());
        assertThat(e.getSQLState()).isEqualTo("08001");
        assertThat(e.getMessage())
                .contains("maximum 6", "total 2", "in use 2")
                .containsAnyOf("remaining connection slots", "too many clients")
                .doesNotContain(PostgresShared.PASSWORD);
        assertThat(e.getCause())
                .isInstanceOfSatisfying(
                        SQLException.class,
                        cause -> assertThat(cause.getSQLState()).isEqualTo("53300"));
        second.close();
        first.close();
    }

    private void take(int places) throws SQLException {
        while (others.size() < places) {
            others.add(DriverManager.getConnection(server().jdbcUrl("postgres"), "others", "others"));
        }
    }

    private void leave() throws SQLException {
        for (Connection connection : others) {
            connection.close();
        }
        others.clear();
    }
}
