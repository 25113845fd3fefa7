package dev.weir;

import static dev.weir.PostgresShared.SOON;
import static dev.weir.PostgresShared.execute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.engine.LivePool;
import dev.weir.testkit.Await;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import shop.Checkout;
import shop.OrderView;

/** The shares of a loan on a server that takes its time. */
final class PostgresLoanTimesTest {
    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @AfterEach
    void nothingIsLeft() {
        PostgresShared.assertNothingLeft(threads);
    }

    /** Waits until the share grows; the pool is busy meanwhile, so that looks come every tick. */
    private static void awaitMore(WeirDataSource pool, String what, Function<LoanTimes, Duration> share) {
        Duration before = share.apply(pool.stats().loanTimes());
        Await.await(() -> what + ": " + pool.stats().loanTimes(), SOON, () -> {
            pool.getConnection().close();
            return share.apply(pool.stats().loanTimes()).compareTo(before) > 0;
        });
    }

    @Test
    void aTransactionIsSeenFromItsFirstStatementToItsEnd() throws Exception {
        try (WeirDataSource pool = new WeirDataSource(
                        PostgresShared.pool().measureLoans(true).build());
                Connection connection = pool.getConnection()) {
            awaitMore(pool, "nothing so far", LoanTimes::beforeFirstStatement);
            execute(connection, "SELECT 1");
            awaitMore(pool, "auto-commit", LoanTimes::betweenTransactions);
            connection.setAutoCommit(false);
            assertThat(pool.stats().loanTimes().idleInTransaction()).isZero();
            execute(connection, "SELECT 1");
            awaitMore(pool, "in a transaction", LoanTimes::idleInTransaction);
            connection.commit();
            awaitMore(pool, "after it", LoanTimes::betweenTransactions);
        }
    }

    /** The driver keeps its lock while a statement runs, and its getters wait for that. */
    @Test
    void noReaderOfRowsWaitsForAStatementOfAnotherThread() throws Exception {
        try (WeirDataSource pool = new WeirDataSource(
                        PostgresShared.pool().measureLoans(true).build());
                Connection connection = pool.getConnection();
                Statement reads = connection.createStatement();
                ResultSet rows = reads.executeQuery("SELECT 1 UNION SELECT 2");
                Statement statement = connection.createStatement()) {
            CompletableFuture<Boolean> sleeps = LivePool.on("sleeper", () -> statement.execute("SELECT pg_sleep(100)"));
            awaitMore(pool, "it sleeps", LoanTimes::inDriver);
            CompletableFuture<Boolean> read = LivePool.on("reader", rows::next);
            assertThat(read.get(SOON.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
            statement.cancel();
            assertThatThrownBy(sleeps::get).hasMessageContaining("canceling statement");
        }
    }

    @Test
    void aStatementThatRunsIsSeenInTheDriver() throws Exception {
        try (WeirDataSource pool =
                new WeirDataSource(PostgresShared.pool().measureLoans(true).build())) {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                CompletableFuture<Boolean> sleeps =
                        LivePool.on("sleeper", () -> statement.execute("SELECT pg_sleep(100)"));
                awaitMore(pool, "it sleeps", LoanTimes::inDriver);
                statement.cancel();
                assertThatThrownBy(sleeps::get).hasMessageContaining("canceling statement");
            }
        }
    }

    /** There getConnection() acquires nothing: the place is where the connection is needed. */
    @Test
    void inTheModeTransactionAPlaceIsWhereATransactionBegins() throws Exception {
        try (WeirDataSource pool = new WeirDataSource(
                        PostgresShared.pool().poolMode("transaction").build());
                Connection connection = pool.getConnection()) {
            Await.await(() -> "places " + pool.stats().places(), SOON, () -> {
                execute(connection, "SELECT 1");
                Checkout.pay(() -> {
                    execute(connection, "SELECT 1");
                    return null;
                });
                return pool.stats().places().stream()
                        .anyMatch(one -> one.place().startsWith("Checkout.Database.open from Checkout.pay"));
            });
        }
    }

    @Test
    void theHolderThatIdlesInATransactionIsNamed() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (WeirDataSource pool =
                new WeirDataSource(PostgresShared.pool().measureLoans(true).build())) {
            Thread page = new Thread(() -> {
                try (Connection connection = pool.getConnection()) {
                    OrderView.render(connection, mayEnd);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            page.start();
            Await.await(pool::dump, SOON, () -> {
                pool.getConnection().close();
                return pool.stats().loanTimes().idlePlaces().contains("OrderView.render");
            });
            mayEnd.countDown();
            page.join();
        }
    }
}
