package dev.weir;

import static dev.weir.PostgresShared.SOON;
import static dev.weir.PostgresShared.awaitAge;
import static dev.weir.PostgresShared.awaitIdle;
import static dev.weir.PostgresShared.concurrently;
import static dev.weir.PostgresShared.filled;
import static dev.weir.PostgresShared.millisSince;
import static dev.weir.PostgresShared.number;
import static dev.weir.PostgresShared.server;
import static dev.weir.PostgresShared.together;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.Await;
import dev.weir.testkit.TcpProxy;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** P4 and P7 on a network that drops, resets and delays; the driver has no socketTimeout, as by default. */
final class PostgresNetworkTest {
    private static final Duration VALIDATE_AFTER = Duration.ofMillis(50);
    private static final long TIMEOUT_MILLIS = 500;

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();
    private TcpProxy proxy;

    @BeforeEach
    void openProxy() {
        proxy = new TcpProxy("127.0.0.1", server().port());
    }

    @AfterEach
    void nothingIsLeft() {
        proxy.close();
        PostgresShared.assertNothingLeft(threads);
    }

    private PoolConfig.Builder settings() {
        return PostgresShared.pool(proxy.port())
                .validateAfterIdle(VALIDATE_AFTER)
                .connectionTimeout(Duration.ofMillis(TIMEOUT_MILLIS));
    }

    @Test
    void aBlackHoleDoesNotHoldUsersBeyondTheTimeoutAndIsForgottenWhenItPasses() throws Exception {
        try (WeirDataSource pool = filled(4, settings())) {
            proxy.blackHole();
            awaitAge(System.nanoTime(), VALIDATE_AFTER);
            long longest = assertNobodyIsServedInTime(pool, 8);
            longest = Math.max(longest, assertNobodyIsServedInTime(pool, 8));
            int hanging = pool.stats().opening();
            long back = System.nanoTime();
            proxy.pass();
            int timeouts = untilServed(pool);
            long recovered = millisSince(back);
            awaitIdle(pool, 4);
            int errors = together(4, pool, connection -> number(connection, "SELECT 1"))
                    .size();
            System.out.printf(
                    "black hole: 16 users, longest getConnection %d ms of %d, %d connects hanging, recovered after %d ms"
                            + " (%d timed out meanwhile), full after %d ms, %d errors afterwards%n",
                    longest, TIMEOUT_MILLIS, hanging, recovered, timeouts, millisSince(back), errors);
            assertThat(errors).isZero();
        }
    }

    @Test
    void aBlackHoleDoesNotKeepThePoolFromClosing() throws Exception {
        WeirDataSource pool = filled(4, settings().closeTimeout(Duration.ofMillis(500)));
        Connection held = pool.getConnection();
        proxy.blackHole();
        awaitAge(System.nanoTime(), VALIDATE_AFTER);
        assertNobodyIsServedInTime(pool, 6);
        long begun = System.nanoTime();
        pool.close();
        long closed = millisSince(begun);
        System.out.printf("black hole: close() with 1 in use and closeTimeout 500 ms returned after %d ms%n", closed);
        assertThat(closed).isLessThan(SOON.toMillis());
        assertThat(held.isClosed()).isTrue();
    }

    @Test
    void connectsThatHangAreReplacedAfterConnectTimeoutAndBoundedInNumber() throws Exception {
        Duration connectTimeout = Duration.ofMillis(300);
        filled(1, settings()).close(); // the first pool of a JVM loads classes, which is on top of connectionTimeout
        proxy.blackHole();
        try (WeirDataSource pool = new WeirDataSource(settings()
                .connectTimeout(connectTimeout)
                .acquireIncrement(2)
                .minimumPoolSize(0)
                .maximumPoolSize(3)
                .initializationFailTimeout(Duration.ofMillis(-1))
                .build())) {
            long longest = assertNobodyIsServedInTime(pool, 4);
            Await.await("hung connects are given up", SOON, () -> pool.stats().openFailed() >= 2);
            assertNobodyIsServedInTime(pool, 4);
            int connects = proxy.accepted();
            // Those under way and those given up, which the driver has not ended yet; each at most the maximum.
            assertThat(proxy.open()).isLessThanOrEqualTo(3 + 3);
            long back = System.nanoTime();
            proxy.pass();
            int timeouts = untilServed(pool);
            System.out.printf(
                    "hanging connects: longest getConnection %d ms of %d, %d connects in %d ms, recovered after %d ms (%d"
                            + " timed out meanwhile)%n",
                    longest, TIMEOUT_MILLIS, connects, 2 * TIMEOUT_MILLIS, millisSince(back), timeouts);
        }
    }

    @Test
    void connectsThatHangDoNotKeepThePoolFromClosing() throws Exception {
        proxy.blackHole();
        WeirDataSource pool = new WeirDataSource(settings()
                .connectTimeout(Duration.ofMillis(200))
                .closeTimeout(Duration.ofMillis(500))
                .initializationFailTimeout(Duration.ofMillis(-1))
                .build());
        pool.start();
        assertNobodyIsServedInTime(pool, 2);
        long begun = System.nanoTime();
        pool.close();
        long closed = millisSince(begun);
        System.out.printf("hanging connects: close() with closeTimeout 500 ms returned after %d ms%n", closed);
        assertThat(closed).isLessThan(SOON.toMillis());
    }

    @Test
    void aResetOfAllIdleConnectionsIsNotSeenByUsers() throws Exception {
        try (WeirDataSource pool = filled(6, settings().connectionTimeout(Duration.ofSeconds(10)))) {
            proxy.resetAll();
            awaitAge(System.nanoTime(), VALIDATE_AFTER);
            long begun = System.nanoTime();
            int errors = together(6, pool, connection -> number(connection, "SELECT 1"))
                    .size();
            System.out.printf("reset of 6 idle: %d errors, all served after %d ms%n", errors, millisSince(begun));
            assertThat(errors).isZero();
        }
    }

    @Test
    void aResetUnderLoadCostsNoMoreErrorsThanConnectionsWereInUse() throws Exception {
        try (WeirDataSource pool = filled(
                        6, settings().connectionTimeout(Duration.ofSeconds(10)).acquireIncrement(6));
                PostgresLoad load = new PostgresLoad(pool, 6, "SELECT pg_sleep(0.005)")) {
            load.awaitMore(150);
            long fault = System.nanoTime();
            proxy.resetAll();
            long back = System.nanoTime();
            load.awaitMore(600);
            System.out.printf(
                    "reset under load: 6 threads, %d errors, first success after %d ms, full rate after %d ms%n",
                    load.failed().size(), load.millisToFirstSuccess(back), load.millisToFullRate(back, fault));
            assertThat(load.failedAcquiring()).isZero();
            assertThat(load.failedUsing()).isLessThanOrEqualTo(6);
        }
    }

    @Test
    void aSlowNetworkIsNotTakenForADeadOne() throws Exception {
        proxy.delay(Duration.ofMillis(40));
        try (WeirDataSource pool = new WeirDataSource(settings()
                .connectionTimeout(Duration.ofSeconds(10))
                .minimumPoolSize(4)
                .maximumPoolSize(4)
                .build())) {
            long begun = System.nanoTime();
            pool.start();
            awaitIdle(pool, 4);
            long filled = millisSince(begun);
            awaitAge(System.nanoTime(), VALIDATE_AFTER);
            try (PostgresLoad load = new PostgresLoad(pool, 8, "SELECT 1")) {
                load.awaitMore(40);
                System.out.printf(
                        "slow network, 80 ms a round trip: 4 connections after %d ms, %d errors in %d uses, longest acquire"
                                + " %d ms, %d opened%n",
                        filled,
                        load.failed().size(),
                        load.done(),
                        load.longestAcquireMillis(),
                        pool.stats().opened());
                assertThat(load.failed()).isEmpty();
                assertThat(pool.stats().opened()).isEqualTo(4);
            }
        }
    }

    /** So many users ask at once, and all are told in time that there is no connection; returns the longest wait. */
    private static long assertNobodyIsServedInTime(WeirDataSource pool, int users) throws Exception {
        AtomicLong longest = new AtomicLong();
        List<Exception> errors = concurrently(users, () -> {
            long begun = System.nanoTime();
            try (Connection connection = pool.getConnection()) {
                throw new AssertionError("served: " + connection);
            } finally {
                longest.accumulateAndGet(millisSince(begun), Math::max);
            }
        });
        assertThat(errors)
                .hasSize(users)
                .allSatisfy(e -> assertThat(e)
                        .isInstanceOfSatisfying(
                                SQLTransientConnectionException.class,
                                timeout -> assertThat(timeout.getSQLState()).isEqualTo("08001")));
        // A thread that waits for the network waits for ever. The contract suite tests how exactly the timeout is kept.
        assertThat(longest.get()).isLessThan(SOON.toMillis());
        return longest.get();
    }

    /** Asks until served; returns how often it was not. */
    private static int untilServed(WeirDataSource pool) {
        int[] timeouts = {0};
        Await.await("a connection", SOON, () -> {
            try (Connection connection = pool.getConnection()) {
                return number(connection, "SELECT 1") == 1;
            } catch (SQLException e) {
                timeouts[0]++;
                return false;
            }
        });
        return timeouts[0];
    }
}
