package dev.weir.internal.engine;

import static dev.weir.PostgresShared.SOON;
import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.server;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PoolConfig;
import dev.weir.PostgresShared;
import dev.weir.RetireReason;
import dev.weir.WeirDataSource;
import dev.weir.internal.handles.AbstractConnectionHandle;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.jdbc.PgConnection;

/** P7: wherever a connection turns out to be dead, its siblings are under suspicion from then on; and only there. */
final class FoundDeadTest {
    private final ThreadsLeft threads = ThreadsLeft.sinceNow();
    private final StubDatabase database = new StubDatabase();

    @AfterEach
    void nothingIsLeft() {
        database.close();
        threads.none("weir-", SOON);
    }

    private PoolConfig.Builder settings() {
        return PoolConfig.builder()
                .dataSource(database.dataSource())
                .validateAfterIdle(Duration.ofMinutes(10))
                .keepaliveTime(Duration.ZERO)
                .registerMbeans(false);
    }

    private static boolean isSuspected(Connection sibling) {
        return ((AbstractConnectionHandle) sibling).slot.isDistrusted();
    }

    private static long retired(WeirDataSource pool, RetireReason reason) {
        return pool.stats().retired().get(reason);
    }

    private Map<String, PostgresShared.Work> waysToFindOut() {
        Map<String, PostgresShared.Work> ways = new LinkedHashMap<>();
        ways.put("the rollback of close()", c -> {
            c.setAutoCommit(false);
            execute(c, "INSERT x");
            database.kill(c);
            c.close();
        });
        ways.put("a property that close() sets back", c -> {
            c.setReadOnly(true);
            database.kill(c);
            c.close();
        });
        ways.put("a rollback that fails after a statement failed to be closed for another reason", c -> {
            c.setAutoCommit(false);
            c.createStatement().execute("INSERT x");
            database.failNext("Statement.close", 1, () -> new SQLException("as asked", "HY000"));
            database.kill(c);
            c.close();
        });
        ways.put("isValid() that says no", c -> {
            database.kill(c);
            assertThat(c.isValid(1)).isFalse();
            c.close();
        });
        ways.put("isValid() that fails", c -> {
            database.failNext("Connection.isValid", 1, () -> new SQLException("gone", "08006"));
            assertThatThrownBy(() -> c.isValid(1)).isInstanceOf(SQLException.class);
            c.close();
        });
        ways.put("abort() that fails", c -> {
            database.failNext("Connection.abort", 1, () -> new SQLException("gone", "08006"));
            assertThatThrownBy(() -> c.abort(Runnable::run)).isInstanceOf(SQLException.class);
        });
        return ways;
    }

    @Test
    void itsSiblingsAreSuspectedAndTheIdleOnesTestedAtOnce() throws Exception {
        for (Map.Entry<String, PostgresShared.Work> way : waysToFindOut().entrySet()) {
            try (WeirDataSource pool = PostgresShared.filled(4, settings());
                    Connection sibling = pool.getConnection()) {
                Connection found = pool.getConnection();
                database.openSessions().stream()
                        .filter(session ->
                                session != database.sessionOf(sibling) && session != database.sessionOf(found))
                        .forEach(session -> session.kill());
                way.getValue().with(found);
                assertThat(isSuspected(sibling)).as(way.getKey()).isTrue();
                Await.await(way.getKey(), SOON, () -> retired(pool, RetireReason.INVALID) == 2);
                assertThat(retired(pool, RetireReason.FAULT)).as(way.getKey()).isEqualTo(1);
                assertThat(retired(pool, RetireReason.UNCLEAN)).as(way.getKey()).isZero();
            }
        }
    }

    @Test
    void oneThatWasFoundDeadInUseIsNotToldAgainWhenItIsClosed() throws Exception {
        try (WeirDataSource pool = PostgresShared.filled(2, settings());
                Connection sibling = pool.getConnection()) {
            Connection found = pool.getConnection();
            found.setAutoCommit(false);
            execute(found, "INSERT x");
            database.kill(found);
            assertThatThrownBy(() -> execute(found, "INSERT x")).isInstanceOf(SQLException.class);
            assertThat(isSuspected(sibling)).isTrue();
            ((AbstractConnectionHandle) sibling).slot.trustAgain();
            found.close();
            assertThat(isSuspected(sibling)).isFalse();
            assertThat(retired(pool, RetireReason.FAULT)).isEqualTo(1);
        }
    }

    @Test
    void whatFailsForAnotherReasonSuspectsNobody() throws Exception {
        Map<String, PostgresShared.Work> works = new LinkedHashMap<>();
        works.put("a rollback that fails", c -> {
            c.setAutoCommit(false);
            execute(c, "INSERT x");
            database.failNext("Connection.rollback", 1, () -> new SQLException("as asked", "XX000"));
            c.close();
        });
        works.put("abort() of one that lives", c -> c.abort(Runnable::run));
        works.put("a wrong call of isValid()", c -> {
            assertThatThrownBy(() -> c.isValid(-1)).isInstanceOf(SQLException.class);
            c.close();
        });
        for (Map.Entry<String, PostgresShared.Work> work : works.entrySet()) {
            try (WeirDataSource pool = PostgresShared.filled(2, settings());
                    Connection sibling = pool.getConnection()) {
                work.getValue().with(pool.getConnection());
                assertThat(isSuspected(sibling)).as(work.getKey()).isFalse();
            }
        }
    }

    /** The pool is not told of what fails on the driver's own object; the driver knows it all the same. */
    @Test
    void onPostgresAlsoOneThatTheDriverKnewToBeDeadBeforeItWasAborted() throws Exception {
        try (WeirDataSource pool = PostgresShared.filled(2, PostgresShared.pool());
                Connection sibling = pool.getConnection()) {
            Connection found = pool.getConnection();
            PgConnection raw = found.unwrap(PgConnection.class);
            server().killBackends("pid = " + PostgresShared.pid(found));
            assertThatThrownBy(() -> execute(raw, "SELECT 1")).isInstanceOf(SQLException.class);
            assertThat(isSuspected(sibling)).isFalse();
            found.abort(Runnable::run);
            assertThat(isSuspected(sibling)).isTrue();
        }
        PostgresShared.assertNothingLeft(threads);
    }
}
