package dev.weir;

import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.filled;
import static dev.weir.PostgresShared.pid;
import static dev.weir.PostgresShared.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.jdbc.PgConnection;

/** The modes lazy and transaction where users, settings and drivers go to the edges: each was a fault once. */
final class PoolModeEdgesTest {
    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @AfterEach
    void nothingIsLeft() {
        PostgresShared.assertNothingLeft(threads);
    }

    private static PoolConfig.Builder transaction() {
        return PostgresShared.pool().poolMode("transaction").connectionTimeout(Duration.ofSeconds(2));
    }

    private static int inUse(WeirDataSource pool) {
        return pool.stats().inUse();
    }

    // A user's state that reaches the next.

    @Test
    void whatTheDriversOwnObjectDidIsSweptBeforeTheNextUser() throws SQLException {
        try (WeirDataSource pool = filled(1, transaction())) {
            try (Connection mine = pool.getConnection()) {
                PgConnection own = mine.unwrap(PgConnection.class);
                execute(own, "SET app.tenant = 'seven'");
                execute(own, "CREATE TEMP TABLE mine (a int)");
            }
            try (Connection other = pool.getConnection()) {
                assertThat(text(other, "SELECT current_setting('app.tenant', true)"))
                        .isNullOrEmpty();
                assertThat(text(other, "SELECT to_regclass('pg_temp.mine')::text"))
                        .isNull();
            }
        }
    }

    @Test
    void aSettingThatResetSqlSweptAwayIsThereAgainForItsUser() throws SQLException {
        try (WeirDataSource pool = filled(1, transaction().resetSql("DISCARD ALL"));
                Connection mine = pool.getConnection()) {
            execute(mine, "SET app.tenant = 'seven'");
            assertThat(inUse(pool)).isZero();
            assertThat(text(mine, "SELECT current_setting('app.tenant', true)")).isEqualTo("seven");
        }
    }

    @ParameterizedTest
    @CsvSource({"session", "lazy", "transaction"})
    void theHooksSettingIsThereAfterResetSql(String mode) throws SQLException {
        PoolConfig.Builder settings =
                transaction().poolMode(mode).resetSql("DISCARD ALL").sessionState(() -> Map.of("app.tenant", "seven"));
        try (WeirDataSource pool = filled(1, settings)) {
            for (int i = 0; i < 3; i++) {
                try (Connection mine = pool.getConnection()) {
                    assertThat(text(mine, "SELECT current_setting('app.tenant', true)"))
                            .as("loan " + i)
                            .isEqualTo("seven");
                }
            }
        }
    }

    @Test
    void manyCallersStartAPoolThatNeedNotConnect() throws Exception {
        StubDatabase database = new StubDatabase();
        for (String mode : new String[] {"session", "lazy"}) {
            for (int i = 0; i < 30; i++) {
                try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(database.dataSource())
                        .poolMode(mode)
                        .initializationFailTimeout(Duration.ofMillis(-1))
                        .registerMbeans(false)
                        .build())) {
                    assertThat(PostgresShared.concurrently(6, () -> {
                                pool.start();
                                return null;
                            }))
                            .as(mode)
                            .isEmpty();
                }
            }
        }
    }

    @Test
    void aNullOfTheDriverNeedsNoConnection() throws SQLException {
        StubDatabase database = new StubDatabase();
        try (WeirDataSource pool = filled(
                        1,
                        PoolConfig.builder()
                                .dataSource(database.dataSource())
                                .poolMode("lazy")
                                .registerMbeans(false));
                Connection mine = pool.getConnection()) {
            Object schema = mine.getSchema();
            Object catalog = mine.getCatalog();
            Object types = mine.getTypeMap();
            assertThat(inUse(pool)).as(schema + " " + catalog + " " + types).isZero();
        }
    }

    @Test
    void whatConnectionInitSqlSetIsThereAfterASweep() throws SQLException {
        try (WeirDataSource pool = filled(1, transaction().connectionInitSql("SET app.region = 'eu'"));
                Connection mine = pool.getConnection()) {
            assertThat(text(mine, "SELECT current_setting('app.region', true)")).isEqualTo("eu");
            attempt(mine, "INSERT INTO pg_catalog.pg_largeobject SELECT * FROM pg_catalog.pg_largeobject WHERE false");
            assertThat(text(mine, "SELECT current_setting('app.region', true)")).isEqualTo("eu");
        }
    }

    private static void attempt(Connection connection, String sql) {
        try {
            execute(connection, sql);
        } catch (SQLException e) {
            // as may be
        }
    }

    @Test
    void whatConnectionInitSqlSetIsThereAfterAnotherUserSetIt() throws SQLException {
        try (WeirDataSource pool = filled(1, transaction().connectionInitSql("SET app.region = 'eu'"));
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            execute(mine, "SET app.region = 'us'");
            assertThat(text(other, "SELECT current_setting('app.region', true)"))
                    .isEqualTo("eu");
        }
    }

    @Test
    void theSearchPathOfTheLastUserDoesNotFailTheTestOfTheNext() throws SQLException {
        try (Connection setUp = PostgresShared.server().connect()) {
            execute(setUp, "DROP TABLE IF EXISTS public.probe");
            execute(setUp, "CREATE TABLE public.probe (a int)");
            execute(setUp, "GRANT SELECT ON public.probe TO PUBLIC");
        }
        try (WeirDataSource pool = filled(
                        1,
                        transaction()
                                .connectionTestQuery("SELECT count(*) FROM probe")
                                .validateAfterIdle(Duration.ZERO));
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            int pid = pid(other);
            execute(mine, "SET search_path = pg_catalog");
            assertThat(pid(other)).isEqualTo(pid);
        }
    }

    @Test
    void aPreparedStatementMeetsTheTablesOfItsOwnSchema() throws SQLException {
        try (Connection setUp = PostgresShared.server().connect()) {
            execute(setUp, "DROP SCHEMA IF EXISTS one CASCADE; DROP SCHEMA IF EXISTS two CASCADE");
            execute(setUp, "CREATE SCHEMA one; CREATE SCHEMA two");
            execute(
                    setUp,
                    "CREATE TABLE one.orders (id int, name text); CREATE TABLE two.orders (id int, vip bool, name text)");
            execute(setUp, "GRANT USAGE ON SCHEMA one, two TO PUBLIC");
            execute(setUp, "GRANT SELECT ON one.orders, two.orders TO PUBLIC");
        }
        AtomicReference<String> schema = new AtomicReference<>("one");
        try (WeirDataSource pool =
                filled(1, transaction().sessionState(() -> Map.of("search_path", schema.get(), "app.x", "y")))) {
            for (int i = 0; i < 20; i++) {
                schema.set(i < 10 ? "one" : "two");
                try (Connection mine = pool.getConnection()) {
                    mine.setAutoCommit(false);
                    try (PreparedStatement statement = mine.prepareStatement("SELECT * FROM orders WHERE id = 1");
                            ResultSet rows = statement.executeQuery()) {
                        assertThat(rows.next()).isFalse();
                    }
                    mine.commit();
                }
            }
        }
    }

    @Test
    void theHooksValueOfAnEarlierRequestDoesNotStay() throws SQLException {
        AtomicReference<String> tenant = new AtomicReference<>("seven");
        try (WeirDataSource pool = filled(1, transaction().sessionState(() -> Map.of("app.tenant", tenant.get())));
                Connection mine = pool.getConnection()) {
            mine.setAutoCommit(false);
            execute(mine, "SET app.tenant = 'none'");
            mine.rollback();
            tenant.set("eight");
            assertThat(text(mine, "SELECT current_setting('app.tenant')")).isEqualTo("eight");
            mine.rollback();
        }
    }

    @Test
    void aLockOfTheSessionEndsWithItsUser() throws SQLException {
        try (WeirDataSource pool = filled(1, transaction())) {
            try (Connection mine = pool.getConnection()) {
                execute(mine, "SELECT pg_advisory_lock(4711)");
            }
            assertThat(inUse(pool)).isZero();
            try (Connection outside = PostgresShared.server().connect()) {
                assertThat(text(outside, "SELECT pg_try_advisory_lock(4711)")).isEqualTo("t");
            }
        }
    }

    @Test
    void metaDataTellsOfItsOwnConnection() throws SQLException {
        try (WeirDataSource pool = filled(1, transaction());
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            mine.setReadOnly(true);
            assertThat(mine.getMetaData().isReadOnly()).isTrue();
            assertThat(other.getMetaData().isReadOnly()).isFalse();
        }
    }

    @Test
    void theSchemaThatTheHookSetIsTold() throws SQLException {
        try (WeirDataSource pool = filled(1, transaction().sessionState(() -> Map.of("search_path", "pg_catalog")));
                Connection mine = pool.getConnection()) {
            assertThat(mine.getSchema()).isEqualTo("pg_catalog");
        }
    }

    @Test
    void aValueThatTheServerRefusesCostsNoConnection() throws SQLException {
        AtomicReference<Map<String, String>> state = new AtomicReference<>(Map.of());
        try (WeirDataSource pool = filled(1, transaction().sessionState(state::get))) {
            int pid;
            try (Connection mine = pool.getConnection()) {
                pid = pid(mine);
            }
            state.set(Map.of("work_mem", "nonsense"));
            try (Connection mine = pool.getConnection()) {
                assertThatCode(() -> pid(mine)).isInstanceOf(SQLException.class);
            }
            state.set(Map.of());
            try (Connection mine = pool.getConnection()) {
                assertThat(pid(mine)).isEqualTo(pid);
            }
        }
    }

    // JDBC is bent.

    @Test
    void aLockAndAutoCommitOffLeaveNoTransaction() throws SQLException {
        try (WeirDataSource pool = filled(1, transaction());
                Connection mine = pool.getConnection()) {
            execute(mine, "SELECT pg_advisory_lock(1)");
            mine.setAutoCommit(false);
            assertThatCode(() -> mine.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE))
                    .doesNotThrowAnyException();
            assertThatCode(() -> mine.setReadOnly(true)).doesNotThrowAnyException();
            execute(mine, "SELECT pg_advisory_unlock(1)");
            mine.rollback();
        }
    }

    @Test
    void arraysThatNobodyFreesEndWithTheTransaction() throws SQLException {
        try (WeirDataSource pool = filled(1, transaction());
                Connection mine = pool.getConnection()) {
            mine.setAutoCommit(false);
            try (PreparedStatement statement = mine.prepareStatement("SELECT ?::int[]")) {
                statement.setArray(1, mine.createArrayOf("int4", new Object[] {1, 2}));
                try (ResultSet row = statement.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    Array read = row.getArray(1);
                    assertThat((Integer[]) read.getArray()).containsExactly(1, 2);
                }
            }
            mine.commit();
            assertThat(inUse(pool)).isZero();
        }
    }

    // Lazy with any driver; the start.

    @Test
    void aPoolThatMayStartWithoutTheDatabaseDoes() throws SQLException {
        StubDatabase database = new StubDatabase();
        database.stop();
        for (String mode : new String[] {"session", "lazy"}) {
            try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                    .dataSource(database.dataSource())
                    .poolMode(mode)
                    .connectionTimeout(Duration.ofMillis(300))
                    .initializationFailTimeout(Duration.ofMillis(-1))
                    .registerMbeans(false)
                    .build())) {
                assertThatCode(pool::start).as(mode).doesNotThrowAnyException();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"getHoldability", "getSchema", "getNetworkTimeout", "getTypeMap", "getClientInfo", "getCatalog"})
    void lazyWorksWithADriverThatFailsToTellAProperty(String getter) throws SQLException {
        StubDatabase database = new StubDatabase();
        database.fail("Connection." + getter, "HY000");
        for (String mode : new String[] {"session", "lazy"}) {
            try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                    .dataSource(database.dataSource())
                    .poolMode(mode)
                    .connectionTimeout(Duration.ofMillis(500))
                    .registerMbeans(false)
                    .build())) {
                assertThatCode(() -> pool.getConnection().close()).as(mode).doesNotThrowAnyException();
            }
        }
    }

    @Test
    void lazyTakesTheIsolationLevelsOfTheDriver() throws SQLException {
        for (String mode : new String[] {"session", "lazy"}) {
            try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                            .url("jdbc:h2:mem:attack")
                            .poolMode(mode)
                            .registerMbeans(false)
                            .build());
                    Connection mine = pool.getConnection()) {
                assertThatCode(() -> mine.setTransactionIsolation(6)) // SNAPSHOT of H2
                        .as(mode)
                        .doesNotThrowAnyException();
                assertThat(mine.getTransactionIsolation()).isEqualTo(6);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"true,true,", "true,false,", "false,false,", "false,false,DISCARD ALL"})
    void allIsUndoneWhateverTheDefaults(boolean autoCommit, boolean readOnly, String resetSql) throws SQLException {
        PoolConfig.Builder settings = transaction().autoCommit(autoCommit).readOnly(readOnly);
        if (resetSql != null) {
            settings.resetSql(resetSql);
        }
        try (WeirDataSource pool = filled(1, settings);
                Connection other = pool.getConnection()) {
            try (Connection mine = pool.getConnection()) {
                execute(mine, "SET app.tenant = 'seven'");
                execute(mine, "SET work_mem = '1MB'");
                execute(mine, "CREATE TEMP TABLE mine (a int)");
                attempt(mine, "LISTEN news");
                mine.setSchema("pg_catalog");
                if (!mine.getAutoCommit()) {
                    mine.commit();
                }
                attempt(mine, "PREPARE mine AS SELECT 1");
                if (!mine.getAutoCommit()) {
                    mine.commit();
                }
            }
            assertThat(text(other, "SELECT current_setting('app.tenant', true)"))
                    .isNullOrEmpty();
            assertThat(text(other, "SHOW work_mem")).isEqualTo("4MB");
            assertThat(text(other, "SELECT current_schema()")).isEqualTo("public");
            assertThat(other.isReadOnly()).isEqualTo(readOnly);
            assertThat(other.getAutoCommit()).isEqualTo(autoCommit);
            if (!autoCommit) {
                other.rollback();
            }
            assertThat(text(other, "SELECT to_regclass('pg_temp.mine')::text")).isNull();
            if (!autoCommit) {
                other.rollback();
            }
        }
    }

    // Errors.
}
