package dev.weir;

import static dev.weir.PostgresShared.SOON;
import static dev.weir.PostgresShared.awaitAge;
import static dev.weir.PostgresShared.filled;
import static dev.weir.PostgresShared.millisSince;
import static dev.weir.PostgresShared.number;
import static dev.weir.PostgresShared.pid;
import static dev.weir.PostgresShared.server;
import static dev.weir.PostgresShared.together;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.sessions.Failures;
import dev.weir.spi.FailureClass;
import dev.weir.testkit.Await;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** P7 on a real server: sessions that the server ends are not lent, and cost at most the users who hold them an error. */
final class PostgresKillTest {
    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @AfterEach
    void nothingIsLeft() {
        PostgresShared.assertNothingLeft(threads);
    }

    @Test
    void sessionsKilledWhileIdleAreNeverLentOnceValidateAfterIdleHasPassed() throws Exception {
        Duration idle = Duration.ofMillis(100);
        try (WeirDataSource pool =
                filled(6, PostgresShared.pool().validateAfterIdle(idle).acquireIncrement(6))) {
            int killed = server().endBackends();
            awaitAge(System.nanoTime(), idle);
            long begun = System.nanoTime();
            List<Exception> errors = together(6, pool, connection -> number(connection, "SELECT 1"));
            System.out.printf(
                    "killed while idle: %d killed, %d errors, all %d users served after %d ms%n",
                    killed, errors.size(), 6, millisSince(begun));
            assertThat(killed).isEqualTo(6);
            assertThat(errors).isEmpty();
            // The users may have been served by fewer, before the last of the dead was tested.
            Await.await("all were found", SOON, () -> pool.stats().retired().get(RetireReason.INVALID) == 6);
        }
    }

    @Test
    void ofSessionsKilledWhileStillFreshOneErrorTellsAllTheOthers() throws Exception {
        try (WeirDataSource pool = filled(6, PostgresShared.pool().validateAfterIdle(Duration.ofMinutes(10)))) {
            together(6, pool, connection -> number(connection, "SELECT 1"));
            int killed = server().endBackends();
            int errors = 0;
            long begun = System.nanoTime();
            long recovered = 0;
            for (int i = 0; i < 12; i++) {
                try (Connection connection = pool.getConnection()) {
                    number(connection, "SELECT 1");
                    recovered = recovered == 0 ? millisSince(begun) : recovered;
                } catch (SQLException e) {
                    errors++;
                }
            }
            System.out.printf(
                    "killed while fresh: %d killed, %d errors in 12 uses (at most 1), recovered after %d ms%n",
                    killed, errors, recovered);
            assertThat(errors).isLessThanOrEqualTo(1);
        }
    }

    @Test
    void sessionsKilledWhileInUseCostTheirHoldersAnErrorAndNobodyElse() throws Exception {
        try (WeirDataSource pool = filled(6, PostgresShared.pool().validateAfterIdle(Duration.ofMinutes(10)))) {
            Set<Integer> dead = ConcurrentHashMap.newKeySet();
            together(6, pool, connection -> dead.add(pid(connection)));
            List<Connection> held = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                held.add(pool.getConnection());
            }
            server().endBackends();
            for (Connection connection : held) {
                assertThatThrownBy(() -> number(connection, "SELECT 1"))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(Failures.classify(e, null)).isEqualTo(FailureClass.DISCONNECT));
                connection.close();
            }
            long begun = System.nanoTime();
            Set<Integer> lent = ConcurrentHashMap.newKeySet();
            List<Exception> errors = together(6, pool, connection -> lent.add(pid(connection)));
            System.out.printf(
                    "killed while in use: 3 of 6 in use, 3 errors for their holders, %d for the next 6 users, served after"
                            + " %d ms%n",
                    errors.size(), millisSince(begun));
            assertThat(errors).isEmpty();
            assertThat(lent).hasSize(6).doesNotContainAnyElementsOf(dead);
            assertThat(pool.stats().retired().get(RetireReason.FAULT)).isEqualTo(3);
        }
    }

    @Test
    void theUntouchedSiblingsOfADeadConnectionAreTestedBeforeTheyAreLent() throws Exception {
        try (WeirDataSource pool = filled(4, PostgresShared.pool().validateAfterIdle(Duration.ofMinutes(10)))) {
            Connection victim = pool.getConnection();
            int pid = pid(victim);
            Set<Integer> siblings = ConcurrentHashMap.newKeySet();
            together(3, pool, connection -> siblings.add(pid(connection)));
            assertThat(server().killBackends("pid = " + pid)).isEqualTo(1);
            Await.await("the session ends", SOON, () -> server().backends() == 3);
            assertThatThrownBy(() -> number(victim, "SELECT 1")).isInstanceOf(SQLException.class);
            victim.close();
            Set<Integer> lent = ConcurrentHashMap.newKeySet();
            List<Exception> errors = together(4, pool, connection -> lent.add(pid(connection)));
            System.out.printf("one of 4 killed: %d errors, %d healthy siblings kept%n", errors.size(), siblings.size());
            assertThat(errors).isEmpty();
            assertThat(lent).containsAll(siblings).doesNotContain(pid);
        }
    }

    @Test
    void ofSessionsKilledUnderLoadNoMoreUsersSeeAnErrorThanConnectionsWereInUse() throws Exception {
        try (WeirDataSource pool = filled(8, PostgresShared.pool().acquireIncrement(8))) {
            try (PostgresLoad load = new PostgresLoad(pool, 8, "SELECT pg_sleep(0.005)")) {
                load.awaitMore(200);
                long fault = System.nanoTime();
                int killed = server().killBackends();
                long back = System.nanoTime();
                load.awaitMore(800);
                System.out.printf(
                        "killed under load: 8 threads, %d killed, %d errors, first success after %d ms, full rate after %d"
                                + " ms, longest acquire %d ms%n",
                        killed,
                        load.failed().size(),
                        load.millisToFirstSuccess(back),
                        load.millisToFullRate(back, fault),
                        load.longestAcquireMillis());
                assertThat(killed).isEqualTo(8);
                assertThat(load.failedAcquiring()).isZero();
                assertThat(load.failedUsing()).isLessThanOrEqualTo(8);
            }
        }
    }
}
