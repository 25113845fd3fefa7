package dev.weir;

import static dev.weir.PostgresShared.SOON;
import static dev.weir.PostgresShared.filled;
import static dev.weir.PostgresShared.millisSince;
import static dev.weir.PostgresShared.server;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.sessions.Failures;
import dev.weir.spi.FailureClass;
import dev.weir.testkit.Await;
import dev.weir.testkit.TcpProxy;
import dev.weir.testkit.servers.PostgresServer.StopMode;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** P4, P6 and P7 on a real server that goes away under load and comes back on the same port. */
final class PostgresRestartTest {
    private static final int THREADS = 8;

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @AfterEach
    void nothingIsLeft() {
        server().start();
        PostgresShared.assertNothingLeft(threads);
    }

    @ParameterizedTest
    @EnumSource(StopMode.class)
    void aStopAndStartUnderLoadCostsTransientErrorsOnlyAndIsOverWhenTheServerIsBack(StopMode mode) throws Exception {
        long timeoutMillis = 400;
        try (TcpProxy proxy = new TcpProxy("127.0.0.1", server().port());
                WeirDataSource pool = filled(
                        THREADS,
                        PostgresShared.pool(proxy.port()).connectionTimeout(Duration.ofMillis(timeoutMillis)));
                PostgresLoad load = new PostgresLoad(pool, THREADS, "SELECT pg_sleep(0.005)")) {
            load.awaitMore(300);
            int acceptedBefore = proxy.accepted();
            long fault = System.nanoTime();
            server().stop(mode);
            Await.await("timed out users", SOON, () -> load.failedAcquiring() >= 2 * THREADS);
            int attempts = proxy.accepted() - acceptedBefore;
            long down = System.nanoTime() - fault; // read last: the bound of the attempts grows with it
            server().start();
            long back = System.nanoTime();
            load.awaitMore(600);
            System.out.printf(
                    "%s stop under load of %d threads: down %d ms, %d errors in use, %d timed out, %d connects while down,"
                            + " longest acquire %d ms of %d, first success %d ms after the start returned, full rate after"
                            + " %d ms%n",
                    mode,
                    THREADS,
                    down / 1_000_000,
                    load.failedUsing(),
                    load.failedAcquiring(),
                    attempts,
                    load.longestAcquireMillis(),
                    timeoutMillis,
                    load.millisToFirstSuccess(back),
                    load.millisToFullRate(back, fault));
            assertTransient(load);
            assertThat(load.failedUsing()).as("no more than were in use").isLessThanOrEqualTo(THREADS);
            assertThat(load.longestAcquireMillis()).isLessThan(SOON.toMillis());
            assertThat(attempts).as("connects while down").isLessThanOrEqualTo(mostProbes(down) + THREADS);
        }
    }

    @Test
    void aServerThatIsBackBeforeTheTimeoutCostsOnlyTheErrorsOfThoseInUse() throws Exception {
        try (TcpProxy proxy = new TcpProxy("127.0.0.1", server().port());
                WeirDataSource pool =
                        filled(THREADS, PostgresShared.pool(proxy.port()).connectionTimeout(Duration.ofSeconds(15)));
                PostgresLoad load = new PostgresLoad(pool, THREADS, "SELECT pg_sleep(0.005)")) {
            load.awaitMore(300);
            long fault = System.nanoTime();
            proxy.refuse();
            proxy.resetAll();
            Await.await(
                    "all wait and connects fail",
                    SOON,
                    () -> pool.stats().waiting() == THREADS && pool.stats().openFailed() >= 8);
            long attempts = pool.stats().openFailed();
            long down = System.nanoTime() - fault; // read last: the bound of the attempts grows with it
            long back = System.nanoTime();
            int before = proxy.accepted();
            proxy.accept();
            Await.await("a connect", SOON, () -> proxy.accepted() > before);
            long probed = millisSince(back);
            load.awaitMore(600);
            System.out.printf(
                    "unreachable under load of %d threads: down %d ms, %d errors in use, %d timed out, %d connects while"
                            + " down, probed after %d ms, first success after %d ms (aim 200), full rate after %d ms%n",
                    THREADS,
                    down / 1_000_000,
                    load.failedUsing(),
                    load.failedAcquiring(),
                    attempts,
                    probed,
                    load.millisToFirstSuccess(back),
                    load.millisToFullRate(back, fault));
            assertThat(load.failedAcquiring()).isZero();
            assertThat(load.failedUsing()).isLessThanOrEqualTo(THREADS);
            assertThat(attempts).isLessThanOrEqualTo(mostProbes(down) + THREADS);
        }
    }

    /** One probe at a time, each after at least half of acquireRetryDelay / 10. */
    private static int mostProbes(long downNanos) {
        long pauseNanos =
                PoolConfig.builder().url("jdbc:x:").build().acquireRetryDelay().toNanos() / 20;
        return (int) (downNanos / pauseNanos) + 1;
    }

    private static void assertTransient(PostgresLoad load) {
        for (PostgresLoad.Failed failed : load.failed()) {
            if (failed.acquiring()) {
                assertThat((Throwable) failed.cause()).isInstanceOf(SQLTransientConnectionException.class);
                assertThat(failed.cause().getSQLState()).startsWith("08");
            } else {
                assertThat(Failures.classify(failed.cause(), null))
                        .as("what the holder saw: %s", failed.cause())
                        .isEqualTo(FailureClass.DISCONNECT);
            }
        }
    }
}
