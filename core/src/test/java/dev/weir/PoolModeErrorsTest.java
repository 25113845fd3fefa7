package dev.weir;

import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.filled;
import static dev.weir.PostgresShared.number;
import static dev.weir.PostgresShared.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.weir.testkit.Await;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The modes lazy and transaction where an Error meets them, a connection dies, or two threads share one. */
final class PoolModeErrorsTest {
    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @AfterEach
    void nothingIsLeft() {
        PostgresShared.assertNothingLeft(threads);
    }

    private static PoolConfig.Builder transaction() {
        return PostgresShared.pool().poolMode("transaction").connectionTimeout(Duration.ofSeconds(5));
    }

    private static int inUse(WeirDataSource pool) {
        return pool.stats().inUse();
    }

    /** Closes where the stack is about to end, and again and again with more of it, until that works. */
    @ParameterizedTest
    @CsvSource({
        "session, SELECT 1",
        "session, CREATE TEMP TABLE IF NOT EXISTS mine (a int)",
        "lazy, SELECT 1",
        "transaction, SELECT 1",
        "transaction, CREATE TEMP TABLE IF NOT EXISTS mine (a int)"
    })
    void closeAtTheEndOfTheStackGivesTheConnectionBack(String mode, String sql) throws Exception {
        try (WeirDataSource pool = filled(1, transaction().poolMode(mode))) {
            ConcurrentLinkedQueue<Throwable> failed = new ConcurrentLinkedQueue<>();
            Connection[] lost = new Connection[30];
            for (int i = 0; i < 30 && failed.isEmpty(); i++) {
                Connection mine = pool.getConnection();
                lost[i] = mine; // so that no garbage collector helps
                Statement open = mine.createStatement();
                open.execute(sql);
                int skip = i;
                Thread deep = new Thread(
                        null,
                        () -> {
                            try {
                                boolean ignored = closed(mine, new int[] {skip});
                            } catch (Throwable e) {
                                failed.add(e);
                            }
                        },
                        "deep",
                        512 * 1024);
                deep.start();
                deep.join();
                mine.close();
                try {
                    Await.await("given back", Duration.ofSeconds(3), () -> inUse(pool) == 0);
                } catch (Throwable e) {
                    failed.add(new AssertionError("attempt " + i + ": " + pool.stats(), e));
                }
            }
            assertThat(failed).isEmpty();
            assertThat((Object) lost[0]).isNotNull();
        }
    }

    /** Runs texts where the stack is about to end: the connection works after that, or says soon that it does not. */
    @Test
    void aTextAtTheEndOfTheStackLeavesNobodyWaiting() throws Exception {
        try (WeirDataSource pool = filled(1, transaction())) {
            for (int i = 0; i < 25; i++) {
                Connection mine = pool.getConnection();
                int skip = i;
                Thread deep = new Thread(null, () -> ran(mine, new int[] {skip, 12}), "deep", 512 * 1024);
                deep.start();
                deep.join();
                long begun = System.nanoTime();
                try {
                    assertThat(number(mine, "SELECT 1")).isEqualTo(1);
                } catch (SQLException e) {
                    assertThat(PostgresShared.millisSince(begun))
                            .as("attempt " + i + ": " + e)
                            .isLessThan(4500);
                } finally {
                    mine.close();
                }
                Await.await("given back", Duration.ofSeconds(3), () -> inUse(pool) == 0);
            }
        }
    }

    @SuppressWarnings("InfiniteRecursion")
    private static void ran(Connection mine, int[] left) {
        try {
            ran(mine, left);
        } catch (StackOverflowError e) {
            // as asked
        }
        if (--left[0] < 0 && left[0] > -left[1]) {
            try {
                execute(mine, "SET app.tenant = 'seven'");
            } catch (SQLException | StackOverflowError e) {
                // as asked
            }
        }
    }

    @SuppressWarnings("InfiniteRecursion")
    private static boolean closed(Connection mine, int[] skip) {
        boolean done = false;
        try {
            done = closed(mine, skip);
        } catch (StackOverflowError e) {
            // as asked
        }
        if (!done && --skip[0] < 0) {
            try {
                mine.close();
                done = true;
            } catch (SQLException | StackOverflowError e) {
                // as asked
            }
        }
        return done;
    }

    @Test
    void aConnectionThatDiedInATransactionWithASettingWorksAfterRollback() throws SQLException {
        try (WeirDataSource pool = filled(2, transaction().validateAfterIdle(Duration.ZERO));
                Connection mine = pool.getConnection()) {
            mine.setAutoCommit(false);
            execute(mine, "SET app.tenant = 'seven'");
            PostgresShared.server().endBackends();
            assertThatCode(() -> number(mine, "SELECT 1")).isInstanceOf(SQLException.class);
            try {
                mine.rollback();
            } catch (SQLException e) {
                // of the dead one
            }
            assertThat(number(mine, "SELECT 1")).isEqualTo(1);
            mine.rollback();
        }
    }

    @Test
    void propertiesThatTheUserSetAndRolledBackAreAsInTheModeSession() throws SQLException {
        for (String mode : new String[] {"session", "transaction"}) {
            try (WeirDataSource pool = filled(1, PostgresShared.pool().poolMode(mode));
                    Connection mine = pool.getConnection()) {
                mine.setAutoCommit(false);
                number(mine, "SELECT 1");
                mine.setSchema("pg_catalog");
                mine.rollback();
                assertThat(mine.getSchema()).as(mode).isEqualTo("public");
                mine.rollback();
            }
        }
    }

    @Test
    void whatAFunctionInConnectionInitSqlSetIsThereAfterAnotherUserSetIt() throws SQLException {
        try (WeirDataSource pool =
                        filled(1, transaction().connectionInitSql("SELECT set_config('app.region', 'eu', false)"));
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            execute(mine, "SET app.region = 'us'");
            assertThat(text(other, "SELECT current_setting('app.region', true)"))
                    .isEqualTo("eu");
        }
    }
}
