package dev.weir;

import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.filled;
import static dev.weir.PostgresShared.number;
import static dev.weir.PostgresShared.pid;
import static dev.weir.PostgresShared.server;
import static dev.weir.PostgresShared.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.testkit.Await;
import dev.weir.testkit.servers.PgBouncer;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing of one user reaches another in the modes lazy and transaction, whatever lies between them: each was a fault once. */
final class PoolModeIsolationTest {
    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @AfterEach
    void nothingIsLeft() {
        PostgresShared.assertNothingLeft(threads);
    }

    private static PoolConfig.Builder transaction() {
        return PostgresShared.pool().poolMode("transaction").connectionTimeout(Duration.ofSeconds(5));
    }

    private static void attempt(Connection connection, String sql) {
        try {
            execute(connection, sql);
        } catch (SQLException e) {
            // as may be
        }
    }

    @ParameterizedTest
    @CsvSource({"session,true", "lazy,true", "transaction,false"})
    void aMistakeInTheNameOfASettingFailsNobodyElse(String mode, boolean hook) throws SQLException {
        PoolConfig.Builder settings = transaction().poolMode(mode);
        if (hook) {
            settings.sessionState(() -> Map.of("app.tenant", "seven"));
        }
        try (WeirDataSource pool = filled(1, settings)) {
            try (Connection mine = pool.getConnection()) {
                mine.setAutoCommit(false);
                attempt(mine, "SET statement_timout = 1000");
            }
            for (int i = 0; i < 3; i++) {
                try (Connection other = pool.getConnection()) {
                    assertThatCode(() -> number(other, "SELECT 1")).doesNotThrowAnyException();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT set_config('app.other', a, false) FROM hiding",
                "SET app.other = 'x'; SELECT a FROM hiding",
                "SELECT pg_advisory_unlock(1), a FROM hiding"
            })
    void aTextThatSetsAndHidesAFunctionLeavesNothing(String text) throws SQLException {
        server().execute("CREATE FUNCTION noted(text) RETURNS text LANGUAGE plpgsql AS"
                + " $$BEGIN RETURN set_config('app.tenant', 'hidden', false); END$$;"
                + " CREATE VIEW hiding AS SELECT noted('x') AS a; GRANT SELECT ON hiding TO PUBLIC");
        try (WeirDataSource pool = filled(1, transaction());
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            try (Statement statement = mine.createStatement()) {
                statement.execute(text);
                while (statement.getMoreResults() || statement.getUpdateCount() >= 0) {
                    // all of them
                }
            }
            assertThat(text(other, "SELECT current_setting('app.tenant', true)"))
                    .isNullOrEmpty();
        } finally {
            server().execute("DROP FUNCTION noted(text) CASCADE");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE FUNCTION step(text, text) RETURNS text LANGUAGE plpgsql AS $$BEGIN RETURN noted($2); END$$;"
                        + " CREATE AGGREGATE string_agg(text) (sfunc = step, stype = text)"
                        + " | SELECT string_agg('x'::text)",
                "CREATE TABLE hiding AS SELECT 'x'::text AS a; GRANT SELECT ON hiding TO PUBLIC;"
                        + " CREATE FUNCTION b(anyelement) RETURNS text LANGUAGE sql AS $$SELECT noted('x')$$"
                        + " | SELECT hiding.b FROM hiding",
                "CREATE TABLE hiding AS SELECT 'x'::text AS a; GRANT SELECT ON hiding TO PUBLIC;"
                        + " CREATE FUNCTION b(hiding, int DEFAULT 1) RETURNS text LANGUAGE sql AS $$SELECT noted('x')$$"
                        + " | SELECT hiding.b FROM hiding"
            })
    void moreFunctionsThatATextDoesNotName(String schemaAndText) throws SQLException {
        String[] parts = schemaAndText.split(" \\| ", 2);
        server().execute("CREATE FUNCTION noted(text) RETURNS text LANGUAGE plpgsql AS"
                + " $$BEGIN RETURN set_config('app.tenant', 'hidden', false); END$$; " + parts[0]);
        try (WeirDataSource pool = filled(1, transaction());
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            execute(mine, parts[1]);
            assertThat(text(other, "SELECT current_setting('app.tenant', true)"))
                    .isNullOrEmpty();
        } finally {
            server().execute("DROP FUNCTION noted(text) CASCADE; DROP AGGREGATE IF EXISTS public.string_agg(text);"
                    + " DROP FUNCTION IF EXISTS step(text, text); DROP FUNCTION IF EXISTS b;"
                    + " DROP TABLE IF EXISTS hiding CASCADE");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CREATE TEMP TABLE of_init AS SELECT 1 AS a | SELECT a FROM of_init",
                "PREPARE of_init AS SELECT 1 | SELECT 1",
                "DO $$BEGIN PERFORM set_config('app.region', '1', false); END$$ | SELECT current_setting('app.region')"
            })
    void whatConnectionInitSqlMadeIsThereAfterASweep(String initSql, String text) throws SQLException {
        try (WeirDataSource pool = filled(1, transaction().connectionInitSql(initSql));
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            assertThat(number(mine, "SELECT 1")).isEqualTo(1);
            attempt(mine, "INSERT INTO pg_catalog.pg_largeobject SELECT * FROM pg_catalog.pg_largeobject WHERE false");
            assertThat(number(other, text)).isEqualTo(1);
        }
    }

    /** The text is not noted while the sweep of close() is under way, since the owner was taken off the loan. */
    @Test
    void aTextThatRunsWhileAnotherThreadClosesLeavesNothing() throws Exception {
        try (Connection outside = server().connect();
                WeirDataSource pool = filled(1, transaction());
                Connection other = pool.getConnection()) {
            Connection mine = pool.getConnection();
            execute(mine, "CREATE TEMP TABLE mine (a int)");
            String schema = text(mine, "SELECT pg_my_temp_schema()::regnamespace::text");
            int pid = pid(mine);
            Statement late = mine.createStatement();
            outside.setAutoCommit(false);
            execute(outside, "LOCK TABLE " + schema + ".mine IN ACCESS SHARE MODE");
            Thread closer = new Thread(() -> quietly(mine::close), "closer");
            closer.start();
            awaitBlocked(pid);
            Thread user = new Thread(() -> quietly(() -> late.execute("SET app.tenant = 'seven'")), "user");
            user.start();
            Await.await("queued", Duration.ofSeconds(10), () -> user.getState() == Thread.State.WAITING);
            outside.commit();
            closer.join();
            user.join();
            assertThat(text(other, "SELECT current_setting('app.tenant', true)"))
                    .isNullOrEmpty();
        }
    }

    private interface Call {
        void call() throws SQLException;
    }

    private static void quietly(Call call) {
        try {
            call.call();
        } catch (SQLException e) {
            // as may be
        }
    }

    private static void awaitBlocked(int pid) {
        Await.await("blocked", Duration.ofSeconds(10), () -> {
            try (Connection look = server().connect()) {
                return number(look, "SELECT count(*) FROM pg_locks WHERE NOT granted AND pid = " + pid) > 0;
            }
        });
    }

    @Test
    void aHooksSettingIsThereWhateverTheCaseOfItsName() throws SQLException {
        try (WeirDataSource pool = filled(1, transaction().sessionState(() -> Map.of("app.tenantId", "seven")))) {
            try (Connection mine = pool.getConnection()) {
                execute(mine, "SET app.tenantId = 'nine'");
            }
            for (int i = 0; i < 2; i++) {
                try (Connection other = pool.getConnection()) {
                    assertThat(text(other, "SELECT current_setting('app.tenantId', true)"))
                            .isEqualTo("seven");
                }
            }
        }
    }

    @Test
    void metaDataTellsNobodyOfAnothersSettings() throws SQLException {
        try (WeirDataSource pool = filled(1, transaction())) {
            try (Connection mine = pool.getConnection()) {
                execute(mine, "SET default_transaction_isolation = 'serializable'");
                assertThat(mine.getMetaData().getDefaultTransactionIsolation())
                        .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
            }
            try (Connection other = pool.getConnection()) {
                assertThat(other.getMetaData().getDefaultTransactionIsolation())
                        .isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"session", "lazy", "transaction"})
    void aHookThatThrowsCostsNoConnection(String mode) throws SQLException {
        AtomicReference<String> tenant = new AtomicReference<>("seven");
        PoolConfig.Builder settings = transaction().poolMode(mode).sessionState(() -> {
            String known = tenant.get();
            if (known.isEmpty()) {
                throw new IllegalStateException("no tenant");
            }
            return Map.of("app.tenant", known);
        });
        try (WeirDataSource pool = filled(1, settings)) {
            int pid;
            try (Connection mine = pool.getConnection()) {
                pid = pid(mine);
            }
            tenant.set("");
            try (Connection mine = pool.getConnection()) {
                assertThatCode(() -> pid(mine)).hasMessage("no tenant");
                tenant.set("seven");
                PostgresShared.awaitAge(System.nanoTime(), Duration.ofSeconds(2)); // the Keeper has looked
                assertThatCode(() -> pid(mine)).doesNotThrowAnyException();
            }
            try (Connection mine = pool.getConnection()) {
                assertThat(pid(mine)).isEqualTo(pid);
            }
        }
    }

    @Test
    void abortEndsABindingThatHangs() throws Exception {
        try (Connection outside = server().connect();
                WeirDataSource pool = filled(1, transaction());
                Connection mine = pool.getConnection()) {
            outside.setAutoCommit(false);
            execute(outside, "LOCK TABLE pg_catalog.pg_depend IN ACCESS EXCLUSIVE MODE");
            try {
                Thread user = new Thread(() -> quietly(() -> number(mine, "SELECT 1")), "user");
                user.start();
                Await.await("blocked", Duration.ofSeconds(10), () -> {
                    try (Connection look = server().connect()) {
                        return number(look, "SELECT count(*) FROM pg_locks WHERE NOT granted") > 0;
                    }
                });
                mine.abort(Runnable::run);
                user.join(3_000);
                assertThat(user.isAlive()).isFalse();
            } finally {
                outside.rollback();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"session", "lazy"})
    void aLoanThatThePoolEndedIsToldAsInTheModeSession(String mode) throws SQLException {
        WeirDataSource pool = filled(1, transaction().poolMode(mode).closeTimeout(Duration.ZERO));
        try (Connection mine = pool.getConnection()) {
            assertThat(number(mine, "SELECT 1")).isEqualTo(1);
            pool.close();
            assertThatCode(mine::createStatement)
                    .hasMessageNotContaining("poolMode")
                    .extracting(e -> ((SQLException) e).getSQLState())
                    .isEqualTo("08003");
        } finally {
            pool.close();
        }
    }

    @Test
    void setAutoCommitEndsTheTransactionAndItsValues() throws SQLException {
        try (WeirDataSource pool = filled(1, transaction());
                Connection mine = pool.getConnection()) {
            mine.setAutoCommit(false);
            try (PreparedStatement statement = mine.prepareStatement("SELECT ?::int[]")) {
                Array array = mine.createArrayOf("int4", new Object[] {1});
                statement.setArray(1, array);
                try (ResultSet row = statement.executeQuery()) {
                    assertThat(row.next()).isTrue();
                }
            }
            mine.setAutoCommit(true); // commits
            assertThat(pool.stats().inUse()).isZero();
        }
    }

    /** A server session behind PgBouncer is not the pool's: refused, or no request sees another's tenant. */
    @ParameterizedTest
    @ValueSource(strings = {"session", "lazy", "transaction"})
    void behindAPoolerNoRequestHasTheSettingsOfAnother(String mode) throws SQLException {
        assumeTrue(PgBouncer.isInstalled(), "PgBouncer is not installed here");
        AtomicReference<String> tenant = new AtomicReference<>("seven");
        try (PgBouncer bouncer = new PgBouncer(server().port(), PostgresShared.USER, PostgresShared.PASSWORD);
                WeirDataSource pool = filled(
                        2,
                        PostgresShared.pool(bouncer.port())
                                .poolMode(mode)
                                .sessionState(() -> Map.of("app.tenant", tenant.get())));
                Connection mine = pool.getConnection();
                Statement open = mine.createStatement()) {
            tenant.set("eight");
            try (Connection other = pool.getConnection()) {
                assertThat(text(other, "SELECT current_setting('app.tenant')")).isEqualTo("eight");
            }
            try (ResultSet row = open.executeQuery("SELECT current_setting('app.tenant')")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getString(1)).isEqualTo("seven");
            }
        } catch (SQLException e) {
            assertThat(e.getMessage()).contains("a pooler stands between");
        }
    }

    @Test
    void theHooksSettingIsThereAtEachBindingWhateverATriggerSet() throws SQLException {
        server().execute("CREATE TABLE orders (id int); GRANT ALL ON orders TO PUBLIC;"
                + " CREATE FUNCTION sets() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$BEGIN PERFORM set_config('app.tenant', 'of the trigger', false); RETURN NEW; END$$;"
                + " CREATE TRIGGER sets BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION sets()");
        try (WeirDataSource pool = filled(1, transaction().sessionState(() -> Map.of("app.tenant", "seven")));
                Connection mine = pool.getConnection()) {
            execute(mine, "INSERT INTO orders VALUES (1)");
            assertThat(pool.stats().inUse()).isZero();
            assertThat(text(mine, "SELECT current_setting('app.tenant', true)")).isEqualTo("seven");
        } finally {
            server().execute("DROP TABLE orders; DROP FUNCTION sets()");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClosedStatementDoesNotSayThatTheConnectionIsClosed(boolean testQuery) throws SQLException {
        PoolConfig.Builder settings = transaction();
        if (testQuery) {
            settings.connectionTestQuery("SELECT 1");
        }
        try (WeirDataSource pool = filled(1, settings);
                Connection mine = pool.getConnection()) {
            Statement statement = mine.createStatement();
            statement.close();
            assertThatCode(() -> statement.execute("SELECT 1")).hasMessageContaining("statement is closed");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"session", "lazy", "transaction"})
    void aHeldConnectionIsToldByThePlaceOfItsUser(String mode) throws SQLException {
        try (WeirDataSource pool =
                        filled(1, transaction().poolMode(mode).leakDetectionThreshold(Duration.ofMinutes(1)));
                Connection mine = pool.getConnection();
                Statement open = mine.createStatement()) {
            assertThat(open.isClosed()).isFalse();
            assertThat(pool.held().get(0).acquiredAt().get(0).getClassName())
                    .isEqualTo(PoolModeIsolationTest.class.getName());
        }
    }
}
