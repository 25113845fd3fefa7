package dev.weir;

import static dev.weir.PostgresShared.SOON;
import static dev.weir.PostgresShared.awaitBackends;
import static dev.weir.PostgresShared.awaitIdle;
import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.filled;
import static dev.weir.PostgresShared.millisSince;
import static dev.weir.PostgresShared.number;
import static dev.weir.PostgresShared.pid;
import static dev.weir.PostgresShared.server;
import static dev.weir.PostgresShared.together;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.Await;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The life of sessions as the server sees it: age, keepalive, surplus, eviction, the end of the pool. */
final class PostgresLifeTest {
    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @AfterEach
    void nothingIsLeft() {
        PostgresShared.assertNothingLeft(threads);
    }

    @Test
    void connectionsAreReplacedAtMaxLifetimeButNeverWhileInUse() throws Exception {
        Duration life = Duration.ofSeconds(1);
        try (WeirDataSource pool = new WeirDataSource(PostgresShared.pool()
                .maxLifetime(life)
                .minimumPoolSize(4)
                .maximumPoolSize(6)
                .build())) {
            pool.start();
            awaitIdle(pool, 4);
            Connection held = pool.getConnection();
            int heldPid = pid(held);
            long begun = System.nanoTime();
            int[] sessions = {Integer.MAX_VALUE, 0};
            try (PostgresLoad load = new PostgresLoad(pool, 2, "SELECT pg_sleep(0.01)")) {
                Await.await("the others are replaced", SOON, () -> {
                    int now = pool.physicalConnections(); // at the server one that was closed takes its time to end
                    sessions[0] = Math.min(sessions[0], now);
                    sessions[1] = Math.max(sessions[1], now);
                    return pool.stats().retired().get(RetireReason.AGE) >= 3;
                });
                long replaced = millisSince(begun);
                Await.await("twice the lifetime", SOON, () -> System.nanoTime() - begun > life.toNanos() * 2);
                assertThat(pid(held)).isEqualTo(heldPid);
                held.close();
                Await.await(
                        "the one held goes when it comes home",
                        SOON,
                        () -> server().number("SELECT count(*) FROM pg_stat_activity WHERE pid = " + heldPid) == 0);
                System.out.printf(
                        "maxLifetime %d ms: 3 replaced after %d ms, connections %d to %d, %d errors in %d uses%n",
                        life.toMillis(),
                        replaced,
                        sessions[0],
                        sessions[1],
                        load.failed().size(),
                        load.done());
                assertThat(load.failed()).isEmpty();
                assertThat(sessions[1]).isLessThanOrEqualTo(6);
            }
        }
    }

    @Test
    void keepaliveFindsDeadConnectionsAndReplacesThemBeforeAnybodyAsks() throws Exception {
        try (WeirDataSource pool = filled(4, PostgresShared.pool().keepaliveTime(Duration.ofMillis(200)))) {
            Await.await(
                    "keepalive reaches the server",
                    SOON,
                    () -> server().number("SELECT count(*) FROM pg_stat_activity WHERE usename = 'weir'"
                                    + " AND state_change > backend_start + interval '400 ms'")
                            == 4);
            long begun = System.nanoTime();
            int killed = server().killBackends();
            Await.await("found dead", SOON, () -> pool.stats().retired().get(RetireReason.INVALID) >= 4);
            long found = millisSince(begun);
            awaitIdle(pool, 4);
            long replaced = millisSince(begun);
            int errors = together(4, pool, connection -> number(connection, "SELECT 1"))
                    .size();
            System.out.printf(
                    "keepalive 200 ms: %d killed, found after %d ms, replaced after %d ms, %d errors%n",
                    killed, found, replaced, errors);
            assertThat(errors).isZero();
        }
    }

    @Test
    void evictAllReplacesTheIdleNowAndTheOthersWhenTheyComeHome() throws Exception {
        try (WeirDataSource pool = filled(4, PostgresShared.pool())) {
            Set<Integer> old = ConcurrentHashMap.newKeySet();
            together(4, pool, connection -> old.add(pid(connection)));
            Connection held = pool.getConnection();
            int heldPid = pid(held);
            pool.evictAll();
            Await.await(
                    "the idle ones are replaced",
                    SOON,
                    () -> server().number("SELECT count(*) FROM pg_stat_activity WHERE pid IN " + in(old)) == 1);
            assertThat(pid(held)).isEqualTo(heldPid);
            held.close();
            awaitIdle(pool, 4);
            Set<Integer> fresh = ConcurrentHashMap.newKeySet();
            assertThat(together(4, pool, connection -> fresh.add(pid(connection))))
                    .isEmpty();
            assertThat(fresh).hasSize(4).doesNotContainAnyElementsOf(old);
            awaitBackends(4);
            assertThat(pool.stats().retired().get(RetireReason.EVICTED)).isEqualTo(4);
        }
    }

    @Test
    void surplusSessionsEndAtIdleTimeoutAndTheMinimumStays() throws Exception {
        try (WeirDataSource pool = new WeirDataSource(PostgresShared.pool()
                .idleTimeout(Duration.ofMillis(500))
                .minimumPoolSize(1)
                .maximumPoolSize(5)
                .build())) {
            assertThat(together(5, pool, connection -> number(connection, "SELECT 1")))
                    .isEmpty();
            long begun = System.nanoTime();
            awaitBackends(1);
            long shrunk = millisSince(begun);
            System.out.printf("idleTimeout 500 ms: from 5 sessions to 1 after %d ms%n", shrunk);
            assertThat(shrunk).isGreaterThanOrEqualTo(400);
            assertThat(pool.stats().total()).isEqualTo(1);
        }
    }

    @Test
    void closeLeavesNoSessionAtTheServerNotEvenOfThoseInUse() throws Exception {
        WeirDataSource pool = filled(4, PostgresShared.pool().autoCommit(false).closeTimeout(Duration.ofMillis(300)));
        Connection idleInTransaction = pool.getConnection();
        execute(idleInTransaction, "CREATE TABLE never_committed (n int)");
        assertThat(server().backends()).isEqualTo(4);
        long begun = System.nanoTime();
        pool.close();
        long closed = millisSince(begun);
        awaitBackends(0);
        System.out.printf(
                "close with 1 of 4 in use, closeTimeout 300 ms: returned after %d ms, no session after %d ms%n",
                closed, millisSince(begun));
        assertThat(closed).isBetween(250L, 2_500L);
        assertThatThrownBy(() -> execute(idleInTransaction, "SELECT 1")).isInstanceOf(SQLException.class);
        idleInTransaction.close();
        assertThat(server().number("SELECT count(*) FROM pg_class WHERE relname = 'never_committed'"))
                .isZero();
        assertThatThrownBy(pool::getConnection)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("08003"));
    }

    private static String in(Set<Integer> pids) {
        return pids.toString().replace('[', '(').replace(']', ')');
    }
}
