package dev.weir;

import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.number;
import static dev.weir.PostgresShared.pid;
import static dev.weir.PostgresShared.server;
import static dev.weir.PostgresShared.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.Await;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.jdbc.PgConnection;

/** P2 on a real server: the next user of the very same session finds nothing of the user before. */
final class PostgresCleanReturnTest {
    private static final String ROWS = "SELECT count(*) FROM stranger";
    private static final String INSERT = "INSERT INTO stranger VALUES (1)";

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @BeforeEach
    void createTable() {
        server().execute("DROP SCHEMA IF EXISTS elsewhere CASCADE");
        server().execute("DROP TABLE IF EXISTS stranger");
        server().execute("CREATE TABLE stranger (n int PRIMARY KEY)");
        server().execute("CREATE SCHEMA elsewhere");
        server().execute("GRANT ALL ON stranger TO weir");
        server().execute("GRANT ALL ON SCHEMA elsewhere TO weir");
    }

    @AfterEach
    void nothingIsLeft() {
        PostgresShared.assertNothingLeft(threads);
        server().execute("DROP TABLE stranger");
        server().execute("DROP SCHEMA elsewhere CASCADE");
    }

    static Stream<Named<PostgresShared.Work>> waysToWork() {
        return Stream.of(
                Named.of("executeUpdate", c -> c.createStatement().executeUpdate(INSERT)),
                Named.of("executeLargeUpdate", c -> c.createStatement().executeLargeUpdate(INSERT)),
                Named.of("execute", c -> c.createStatement().execute(INSERT)),
                Named.of("executeQuery RETURNING", c -> c.createStatement().executeQuery(INSERT + " RETURNING n")),
                Named.of("executeBatch", PostgresCleanReturnTest::batch),
                Named.of("executeLargeBatch", PostgresCleanReturnTest::largeBatch),
                Named.of("prepared executeLargeUpdate", PostgresCleanReturnTest::preparedLargeUpdate),
                Named.of("callable", PostgresCleanReturnTest::call),
                Named.of("insertRow", PostgresCleanReturnTest::insertRow),
                Named.of("unwrapped connection", c -> execute(c.unwrap(PgConnection.class), INSERT)),
                Named.of("unwrapped statement", PostgresCleanReturnTest::unwrappedStatement),
                Named.of("copy through unwrap", PostgresCleanReturnTest::copy));
    }

    private static void batch(Connection c) throws SQLException {
        Statement statement = c.createStatement();
        statement.addBatch(INSERT);
        statement.addBatch("INSERT INTO stranger VALUES (2)");
        statement.executeBatch();
    }

    private static void largeBatch(Connection c) throws SQLException {
        PreparedStatement statement = c.prepareStatement("INSERT INTO stranger VALUES (?)");
        for (int i = 0; i < 5; i++) {
            statement.setInt(1, i);
            statement.addBatch();
        }
        statement.executeLargeBatch();
    }

    private static void preparedLargeUpdate(Connection c) throws SQLException {
        c.prepareStatement(INSERT).executeLargeUpdate();
    }

    private static void call(Connection c) throws SQLException {
        CallableStatement statement = c.prepareCall("INSERT INTO stranger VALUES (?)");
        statement.setInt(1, 3);
        statement.execute();
    }

    private static void insertRow(Connection c) throws SQLException {
        Statement statement = c.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
        ResultSet rows = statement.executeQuery("SELECT n FROM stranger");
        rows.moveToInsertRow();
        rows.updateInt(1, 7);
        rows.insertRow();
    }

    private static void unwrappedStatement(Connection c) throws SQLException {
        try (Statement statement = c.createStatement()) {
            statement.unwrap(org.postgresql.jdbc.PgStatement.class).executeUpdate(INSERT);
        }
    }

    private static void copy(Connection c) throws Exception {
        byte[] line = {'9', '\n'};
        c.unwrap(org.postgresql.PGConnection.class)
                .getCopyAPI()
                .copyIn("COPY stranger FROM STDIN", new java.io.ByteArrayInputStream(line));
    }

    @ParameterizedTest
    @MethodSource("waysToWork")
    void workThatWasNotCommittedIsRolledBack(PostgresShared.Work work) throws Exception {
        try (WeirDataSource pool = pool(PostgresShared.pool().autoCommit(false))) {
            int pid = workAndClose(pool, c -> {
                work.with(c);
                assertThat(number(c, ROWS)).isPositive();
            });
            assertThat(server().number(ROWS)).isZero();
            assertNextUserIsIn(pool, pid, false);
            assertThat(server().number(ROWS)).isZero();
        }
    }

    @Test
    void committedWorkStays() throws Exception {
        try (WeirDataSource pool = pool(PostgresShared.pool().autoCommit(false))) {
            workAndClose(pool, c -> {
                execute(c, INSERT);
                c.commit();
                execute(c, "INSERT INTO stranger VALUES (2)");
            });
            assertThat(server().number(ROWS)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {INSERT, "SELECT 1", "SAVEPOINT a"})
    void beginAsTextIsRolledBack(String then) throws Exception {
        try (WeirDataSource pool = pool(PostgresShared.pool())) {
            int pid = workAndClose(pool, c -> {
                execute(c, "BEGIN");
                execute(c, then);
            });
            assertThat(server().number(ROWS)).isZero();
            assertNextUserIsIn(pool, pid, true);
        }
    }

    @Test
    void beginAndAFailureThroughTheUnwrappedConnectionAreRolledBack() throws Exception {
        try (WeirDataSource pool = pool(PostgresShared.pool())) {
            int pid = workAndClose(pool, c -> {
                PgConnection raw = c.unwrap(PgConnection.class);
                raw.setAutoCommit(false);
                execute(raw, INSERT);
                assertThatThrownBy(() -> execute(raw, "SELECT no_such_column")).isInstanceOf(SQLException.class);
            });
            assertThat(server().number(ROWS)).isZero();
            assertNextUserIsIn(pool, pid, true);
        }
    }

    @Test
    void aFailedTransactionIsEndedAndItsSessionKept() throws Exception {
        try (WeirDataSource pool = pool(PostgresShared.pool().autoCommit(false))) {
            int pid = workAndClose(pool, c -> {
                execute(c, INSERT);
                assertThatThrownBy(() -> execute(c, "SELECT 1/0")).isInstanceOf(SQLException.class);
            });
            assertNextUserIsIn(pool, pid, false);
            assertThat(server().number(ROWS)).isZero();
        }
    }

    @Test
    void anIdleSessionIsNotInATransaction() throws Exception {
        try (WeirDataSource pool = pool(PostgresShared.pool().autoCommit(false))) {
            int pid = workAndClose(pool, c -> text(c, "SELECT 1"));
            // Not at once: the pool may be asking the server for something by this connection.
            Await.await(
                    "the session is idle",
                    PostgresShared.SOON,
                    () -> server().number("SELECT count(*) FROM pg_stat_activity WHERE state = 'idle' AND pid = " + pid)
                            == 1);
        }
    }

    @Test
    void everyPropertyIsAsItWasBefore() throws Exception {
        try (WeirDataSource pool = pool(PostgresShared.pool())) {
            assertRestored(pool, PostgresCleanReturnTest::changeAll);
        }
    }

    @Test
    void theWholeSearchPathIsAsItWasBeforeAndNotOnlyItsFirstSchema() throws Exception {
        try (WeirDataSource pool =
                pool(PostgresShared.pool().connectionInitSql("SET search_path = \"$user\", public, elsewhere"))) {
            workAndClose(pool, c -> c.setSchema("pg_catalog"));
            try (Connection c = pool.getConnection()) {
                assertThat(text(c, "SHOW search_path")).isEqualTo("\"$user\", public, elsewhere");
            }
        }
    }

    @Test
    void everyConfiguredPropertyIsAsItWasBefore() throws Exception {
        try (WeirDataSource pool = pool(configured())) {
            try (Connection c = pool.getConnection()) {
                assertThat(c.getSchema()).isEqualTo("elsewhere");
                assertThat(c.isReadOnly()).isTrue();
                assertThat(c.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
            }
            assertRestored(pool, PostgresCleanReturnTest::changeAll);
        }
    }

    @Test
    void propertiesChangedThroughTheUnwrappedConnectionAreAsTheyWereBefore() throws Exception {
        try (WeirDataSource pool = pool(PostgresShared.pool())) {
            assertRestored(pool, c -> changeAll(c.unwrap(PgConnection.class)));
        }
    }

    @Test
    void propertiesChangedInsideATransactionThatIsRolledBackAreAsTheyWereBefore() throws Exception {
        try (WeirDataSource pool = pool(PostgresShared.pool().schema("elsewhere"))) {
            assertRestored(pool, c -> {
                c.setAutoCommit(false);
                text(c, "SELECT 1");
                c.setSchema("public");
                c.setClientInfo("ApplicationName", "in a transaction");
                c.setNetworkTimeout(Runnable::run, 4_321);
            });
        }
    }

    @Test
    void resetSqlSweepsAwayWhatJdbcDoesNotKnowAndLeavesWhatIsConfigured() throws Exception {
        // With this the driver sends the application's name with the startup, so that it is what a reset goes back to.
        PoolConfig.Builder settings = configured().dataSourceProperty("assumeMinServerVersion", "14");
        try (WeirDataSource pool = pool(settings.resetSql("DISCARD ALL"))) {
            assertRestored(pool, c -> {
                changeAll(c);
                c.setAutoCommit(true);
                execute(c, "CREATE TEMP TABLE mine (n int)");
                execute(c, "SET work_mem = '1234kB'");
                execute(c, "PREPARE by_text AS SELECT 1");
                execute(c, "SELECT pg_advisory_lock(4711)");
                execute(c, "LISTEN something");
                execute(c, "DECLARE held CURSOR WITH HOLD FOR SELECT 1");
            });
            try (Connection c = pool.getConnection()) {
                assertThat(text(c, "SELECT to_regclass('mine')::text")).isNull();
                assertThat(text(c, "SHOW work_mem")).isNotEqualTo("1234kB");
                assertThat(number(c, "SELECT count(*) FROM pg_prepared_statements WHERE name = 'by_text'"))
                        .isZero();
                assertThat(number(c, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"))
                        .isZero();
                assertThat(number(c, "SELECT count(*) FROM pg_listening_channels()"))
                        .isZero();
                assertThat(number(c, "SELECT count(*) FROM pg_cursors WHERE name = 'held'"))
                        .isZero();
            }
        }
    }

    @Test
    void resetSqlDoesNotSweepAwayTheClientInfoThatTheDriverSetWhenItConnected() throws Exception {
        PoolConfig.Builder settings =
                PostgresShared.pool().resetSql("DISCARD ALL").dataSourceProperty("ApplicationName", "the shop");
        try (WeirDataSource pool = pool(settings)) {
            workAndClose(pool, c -> text(c, "SELECT 1"));
            try (Connection c = pool.getConnection()) {
                assertThat(c.getClientInfo("ApplicationName")).isEqualTo("the shop");
            }
        }
    }

    @Test
    void statementsAndCursorsLeftOpenAreClosedAtTheServerToo() throws Exception {
        PoolConfig.Builder settings = PostgresShared.pool()
                .autoCommit(false)
                .dataSourceProperty("preparedStatementCacheQueries", "0")
                .dataSourceProperty("prepareThreshold", "1");
        try (WeirDataSource pool = pool(settings)) {
            Statement[] left = new Statement[2];
            ResultSet[] rows = new ResultSet[1];
            int pid = workAndClose(pool, c -> {
                PreparedStatement prepared = c.prepareStatement("SELECT generate_series(1, ?)");
                prepared.setInt(1, 1_000);
                prepared.setFetchSize(10);
                rows[0] = prepared.executeQuery();
                assertThat(rows[0].next()).isTrue();
                left[0] = prepared;
                left[1] = c.createStatement();
                assertThat(number(c, "SELECT count(*) FROM pg_prepared_statements"))
                        .isPositive();
                assertThat(number(c, "SELECT count(*) FROM pg_cursors WHERE name LIKE 'C\\_%'"))
                        .isPositive();
            });
            assertThat(left).allMatch(statement -> isClosed(statement));
            assertThat(rows[0].isClosed()).isTrue();
            assertThatThrownBy(() -> left[1].execute("SELECT 1")).isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> rows[0].next()).isInstanceOf(SQLException.class);
            try (Connection c = pool.getConnection()) {
                assertThat(pid(c)).isEqualTo(pid);
                assertThat(number(c, "SELECT count(*) FROM pg_cursors WHERE name LIKE 'C\\_%'"))
                        .isZero();
                assertThat(number(
                                c,
                                "SELECT count(*) FROM pg_prepared_statements WHERE NOT from_sql AND statement"
                                        + " LIKE '%generate\\_series(1, $1)%'"))
                        .isZero();
            }
        }
    }

    private static boolean isClosed(Statement statement) {
        try {
            return statement.isClosed();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static PoolConfig.Builder configured() {
        return PostgresShared.pool()
                .autoCommit(false)
                .readOnly(true)
                .schema("elsewhere")
                .transactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    }

    /** Changes every property that JDBC has, the server's and the driver's. */
    private static void changeAll(Connection c) throws SQLException {
        c.setReadOnly(!c.isReadOnly());
        c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        c.setAutoCommit(!c.getAutoCommit());
        c.setSchema("pg_catalog");
        c.setCatalog("nonsense");
        c.setHoldability(ResultSet.CLOSE_CURSORS_AT_COMMIT);
        c.setHoldability(ResultSet.HOLD_CURSORS_OVER_COMMIT);
        c.setClientInfo("ApplicationName", "a stranger");
        c.setNetworkTimeout(Runnable::run, 12_345);
        c.setTypeMap(Map.of("stranger", java.sql.SQLData.class));
        text(c, "SELECT 1");
    }

    private static Map<String, Object> propertiesOf(Connection c) throws SQLException {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("autoCommit", c.getAutoCommit());
        all.put("readOnly", c.isReadOnly());
        all.put("isolation", c.getTransactionIsolation());
        all.put("catalog", c.getCatalog());
        all.put("schema", String.valueOf(c.getSchema()));
        all.put("holdability", c.getHoldability());
        all.put("networkTimeout", c.getNetworkTimeout());
        all.put("typeMap", String.valueOf(c.getTypeMap()));
        all.put("clientInfo", c.getClientInfo().toString());
        for (String name : new String[] {
            "transaction_isolation", "transaction_read_only", "application_name",
        }) {
            all.put(name, String.valueOf(text(c, "SHOW " + name)));
        }
        return all;
    }

    private static void assertRestored(WeirDataSource pool, PostgresShared.Work change) throws Exception {
        Map<String, Object> before;
        try (Connection c = pool.getConnection()) {
            before = propertiesOf(c);
        }
        int pid = workAndClose(pool, change);
        try (Connection c = pool.getConnection()) {
            assertThat(propertiesOf(c)).isEqualTo(before);
            assertThat(pid(c)).isEqualTo(pid);
        }
        assertThat(pool.stats().retired().get(RetireReason.UNCLEAN)).isZero();
    }

    private static WeirDataSource pool(PoolConfig.Builder settings) {
        return new WeirDataSource(settings.minimumPoolSize(1).maximumPoolSize(1).build());
    }

    /** The work of one user, who just closes; returns the session's process. */
    private static int workAndClose(WeirDataSource pool, PostgresShared.Work work) throws Exception {
        int pid;
        try (Connection connection = pool.getConnection()) {
            pid = pid(connection);
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            work.with(connection);
        }
        return pid;
    }

    private static void assertNextUserIsIn(WeirDataSource pool, int pid, boolean autoCommit) throws SQLException {
        try (Connection next = pool.getConnection()) {
            assertThat(next.getAutoCommit()).isEqualTo(autoCommit);
            assertThat((Throwable) next.getWarnings()).isNull();
            assertThat(text(next, "SELECT pg_current_xact_id_if_assigned()")).isNull();
            assertThat(pid(next)).as("the session was kept").isEqualTo(pid);
            if (!autoCommit) {
                next.commit();
            }
        }
    }
}
