package dev.weir;

import static dev.weir.PostgresShared.PASSWORD;
import static dev.weir.PostgresShared.SOON;
import static dev.weir.PostgresShared.awaitIdle;
import static dev.weir.PostgresShared.concurrently;
import static dev.weir.PostgresShared.millisSince;
import static dev.weir.PostgresShared.number;
import static dev.weir.PostgresShared.server;
import static dev.weir.PostgresShared.together;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.spi.Credentials;
import dev.weir.testkit.Await;
import dev.weir.testkit.TcpProxy;
import dev.weir.testkit.servers.ThreadsLeft;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** P6 and P8 where the server refuses us, or is not there when the pool starts. */
final class PostgresLoginTest {
    private static final String WRONG = "not-the-password-of-weir";

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
                .connectionTimeout(Duration.ofSeconds(10))
                .maximumPoolSize(6)
                .minimumPoolSize(0);
    }

    private PoolConfig.Builder unreachable() {
        proxy.refuse();
        return settings().connectionTimeout(Duration.ofMillis(400)).initializationFailTimeout(Duration.ofMillis(300));
    }

    @Test
    void aWrongPasswordIsToldToWaitingUsersWithinOneConnectAndIsNotHammered() throws Exception {
        try (WeirDataSource pool = new WeirDataSource(settings()
                .password(WRONG)
                .initializationFailTimeout(Duration.ofMillis(-1))
                .build())) {
            pool.start();
            long begun = System.nanoTime();
            List<Exception> errors = concurrently(8, () -> {
                pool.getConnection().close();
                return null;
            });
            long told = millisSince(begun);
            assertThat(errors).hasSize(8).allSatisfy(PostgresLoginTest::assertRefused);
            AtomicInteger asked = new AtomicInteger();
            Await.await("two seconds have passed", SOON, () -> {
                asked.incrementAndGet();
                assertRefused(catchThrowableOfType(SQLException.class, pool::getConnection));
                return millisSince(begun) >= 2_000;
            });
            System.out.printf(
                    "wrong password: 8 waiting users told after %d ms of 10000, %d connects for %d users in %d ms%n",
                    told, proxy.accepted(), asked.get() + 8, millisSince(begun));
            assertThat(told).isLessThanOrEqualTo(4_000);
            // Those under way at the first refusal; then pauses of at least 375, 750, 1500 ms.
            assertThat(proxy.accepted()).isLessThanOrEqualTo(5 + 3);
        }
    }

    @Test
    void aStartWithAWrongPasswordFailsAtOnceAndDoesNotShowIt() {
        try (WeirDataSource pool = new WeirDataSource(settings()
                .password(WRONG)
                .initializationFailTimeout(Duration.ofMinutes(2))
                .build())) {
            long begun = System.nanoTime();
            SQLException e = catchThrowableOfType(SQLException.class, pool::start);
            System.out.printf("start with a wrong password: failed after %d ms of 120000: %s%n", millisSince(begun), e);
            assertRefused(e);
            assertThat(millisSince(begun)).isLessThan(SOON.toMillis());
        }
    }

    @Test
    void rotatedCredentialsHealThePoolWithoutARestart() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        String[] current = {WRONG};
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .url(server().jdbcUrl("postgres", proxy.port()))
                .credentialsProvider(() -> {
                    asked.incrementAndGet();
                    synchronized (current) {
                        return new Credentials(PostgresShared.USER, current[0]);
                    }
                })
                .minimumPoolSize(2)
                .maximumPoolSize(4)
                .registerMbeans(false)
                .initializationFailTimeout(Duration.ofMillis(-1))
                .build())) {
            pool.start();
            assertRefused(catchThrowableOfType(SQLException.class, pool::getConnection));
            synchronized (current) {
                current[0] = PASSWORD;
            }
            long rotated = System.nanoTime();
            Await.await("a connection", SOON, () -> {
                try (Connection connection = pool.getConnection()) {
                    return number(connection, "SELECT 1") == 1;
                } catch (SQLException e) {
                    return false;
                }
            });
            System.out.printf(
                    "credentials rotated: healed after %d ms, asked for %d times%n", millisSince(rotated), asked.get());
            awaitIdle(pool, 2);
            assertThat(together(4, pool, connection -> number(connection, "SELECT 1")))
                    .isEmpty();
        }
    }

    @Test
    void connectionsThatExistGoOnWhenThePasswordIsRotatedAtTheServer() throws Exception {
        server().createRole("rotating", "first");
        String[] current = {"first"};
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .url(server().jdbcUrl("postgres"))
                .credentialsProvider(() -> {
                    synchronized (current) {
                        return new Credentials("rotating", current[0]);
                    }
                })
                .minimumPoolSize(2)
                .maximumPoolSize(4)
                .registerMbeans(false)
                .build())) {
            pool.start();
            awaitIdle(pool, 2);
            server().execute("ALTER ROLE rotating PASSWORD 'second'");
            assertThat(together(2, pool, connection -> number(connection, "SELECT 1")))
                    .isEmpty();
            synchronized (current) {
                current[0] = "second";
            }
            assertThat(together(4, pool, connection -> number(connection, "SELECT 1")))
                    .isEmpty();
            assertThat(pool.stats().openFailed()).isZero();
        } finally {
            server().execute("DROP OWNED BY rotating");
            server().execute("DROP ROLE rotating");
        }
    }

    @Test
    void anUnreachableServerFailsTheStartAfterInitializationFailTimeoutWithItsCause() {
        try (WeirDataSource pool = new WeirDataSource(unreachable().build())) {
            long begun = System.nanoTime();
            SQLException e = catchThrowableOfType(SQLException.class, pool::start);
            long took = millisSince(begun);
            System.out.printf("closed port, initializationFailTimeout 300 ms: failed after %d ms: %s%n", took, e);
            assertThat((Throwable) e).isInstanceOf(SQLTransientConnectionException.class);
            assertThat(took).isGreaterThanOrEqualTo(300);
            assertThat(e.getSQLState()).startsWith("08");
            assertThat(e.getMessage()).contains("initializationFailTimeout: 300 ms", "refused");
            assertThat(e.getCause()).isInstanceOf(SQLException.class);
            assertNoSecretIn(e);
        }
    }

    @Test
    void initializationFailTimeoutZeroTriesOnceAndGoesOn() throws Exception {
        try (WeirDataSource pool = new WeirDataSource(
                unreachable().initializationFailTimeout(Duration.ZERO).build())) {
            long begun = System.nanoTime();
            pool.start();
            assertThat(pool.stats().openFailed()).isPositive();
            System.out.printf("closed port, initializationFailTimeout 0: went on after %d ms%n", millisSince(begun));
            assertTimesOutThenRecovers(pool);
        }
    }

    @Test
    void aNegativeInitializationFailTimeoutDoesNotTry() throws Exception {
        try (WeirDataSource pool = new WeirDataSource(
                unreachable().initializationFailTimeout(Duration.ofMillis(-1)).build())) {
            pool.start();
            assertThat(pool.stats().openFailed()).isZero();
            assertTimesOutThenRecovers(pool);
        }
    }

    @Test
    void aFailedStartMayBeTriedAgain() throws Exception {
        try (WeirDataSource pool = new WeirDataSource(unreachable().build())) {
            assertThat((Throwable) catchThrowableOfType(SQLException.class, pool::start))
                    .isNotNull();
            proxy.accept();
            Await.await("a start", SOON, () -> {
                try (Connection connection = pool.getConnection()) {
                    return number(connection, "SELECT 1") == 1;
                } catch (SQLException e) {
                    return false;
                }
            });
        }
    }

    private void assertTimesOutThenRecovers(WeirDataSource pool) {
        long begun = System.nanoTime();
        SQLException e = catchThrowableOfType(SQLException.class, pool::getConnection);
        long took = millisSince(begun);
        assertThat((Throwable) e).isInstanceOf(SQLTransientConnectionException.class);
        assertThat(e.getSQLState()).isEqualTo("08001");
        assertThat(took).isGreaterThanOrEqualTo(400);
        assertThat(e.getMessage()).contains("connectionTimeout: 400 ms", "total 0", "refused");
        assertThat(e.getCause()).isInstanceOf(SQLException.class);
        assertNoSecretIn(e);
        proxy.accept();
        long back = System.nanoTime();
        Await.await("a connection", SOON, () -> {
            try (Connection connection = pool.getConnection()) {
                return number(connection, "SELECT 1") == 1;
            } catch (SQLException stillDown) {
                return false;
            }
        });
        System.out.printf(
                "closed port: timed out after %d ms of 400, recovered after %d ms%n", took, millisSince(back));
    }

    private static void assertRefused(Exception e) {
        assertThat(e).isInstanceOf(SQLTransientConnectionException.class);
        assertThat(((SQLException) e).getSQLState()).isEqualTo("08001");
        assertThat(e.getCause())
                .isInstanceOfSatisfying(
                        SQLException.class,
                        cause -> assertThat(cause.getSQLState()).isEqualTo("28P01"));
        assertNoSecretIn(e);
    }

    private static void assertNoSecretIn(Exception e) {
        StringWriter all = new StringWriter();
        e.printStackTrace(new PrintWriter(all));
        assertThat(all.toString()).doesNotContain(PASSWORD, WRONG);
    }
}
