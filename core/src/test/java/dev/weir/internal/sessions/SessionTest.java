package dev.weir.internal.sessions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.MariaDbShared;
import dev.weir.RecordingDriver;
import dev.weir.internal.engine.Loan;
import dev.weir.internal.handles.AbstractConnectionHandle;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.slots.Slot;
import dev.weir.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The traces that one loan leaves behind, on real databases: none. */
class SessionTest {
    private static final AtomicInteger NAMES = new AtomicInteger();
    private static @Nullable PostgresServer postgres;

    enum Database {
        H2,
        HSQLDB,
        POSTGRES,
        MARIADB,
        MYSQL;

        Connection connect() throws SQLException {
            int name = NAMES.incrementAndGet();
            return switch (this) {
                case H2 -> DriverManager.getConnection("jdbc:h2:mem:session" + name);
                case HSQLDB -> DriverManager.getConnection("jdbc:hsqldb:mem:session" + name);
                case POSTGRES -> Objects.requireNonNull(postgres).connect();
                case MARIADB -> MariaDbShared.Driver.MARIADB.connect();
                case MYSQL -> MariaDbShared.Driver.MYSQL.connect();
            };
        }

        /** Where a database is a catalog, and has no schemas. */
        boolean hasCatalogsOnly() {
            return this == MARIADB || this == MYSQL;
        }
    }

    interface Work {
        void run(Connection connection) throws SQLException;
    }

    @BeforeAll
    static void startPostgres() {
        postgres = PostgresServer.launch();
    }

    @AfterAll
    static void stopPostgres() {
        if (postgres != null) {
            postgres.close();
        }
    }

    private final Loan loan = new Loan();

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int rows(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select count(*) from t")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private static Map<String, Work> uncommittedWork() {
        Map<String, Work> work = new LinkedHashMap<>();
        work.put("executeUpdate", c -> {
            try (PreparedStatement s = c.prepareStatement("insert into t values (1)")) {
                s.executeUpdate();
            }
        });
        work.put("executeLargeUpdate", c -> {
            try (PreparedStatement s = c.prepareStatement("insert into t values (1)")) {
                s.executeLargeUpdate();
            }
        });
        work.put("executeBatch", c -> {
            try (PreparedStatement s = c.prepareStatement("insert into t values (?)")) {
                s.setInt(1, 1);
                s.addBatch();
                s.executeBatch();
            }
        });
        work.put("executeLargeBatch", c -> {
            try (Statement s = c.createStatement()) {
                s.addBatch("insert into t values (1)");
                s.executeLargeBatch();
            }
        });
        work.put("unwrapped", c -> {
            Connection physical = ((AbstractConnectionHandle) c).physical;
            execute((Connection) c.unwrap(physical.getClass()), "insert into t values (1)");
        });
        work.put("statement left open", c -> c.createStatement().executeUpdate("insert into t values (1)"));
        work.put("after a commit", c -> {
            c.commit();
            execute(c, "insert into t values (1)");
        });
        work.put("failed", c -> {
            execute(c, "insert into t values (1)");
            assertThatThrownBy(() -> execute(c, "select nothing from nowhere")).isInstanceOf(SQLException.class);
        });
        return work;
    }

    @ParameterizedTest
    @EnumSource
    void workNotCommittedIsRolledBack(Database database) throws SQLException {
        try (Connection physical = database.connect()) {
            execute(
                    physical,
                    "create temporary table t (a int)"
                            + (database == Database.HSQLDB ? " on commit preserve rows" : ""));
            Slot slot = loan.slot(physical);
            for (Map.Entry<String, Work> work : uncommittedWork().entrySet()) {
                try (Connection connection = Loan.lend(slot)) {
                    connection.setAutoCommit(false);
                    work.getValue().run(connection);
                }
                assertThat(slot.state()).as(work.getKey()).isEqualTo(Slot.IDLE);
                assertThat(physical.getAutoCommit()).as(work.getKey()).isTrue();
                assertThat(rows(physical)).as(work.getKey()).isZero();
            }
        }
    }

    @Test
    void autoCommitSwitchedOffAsTextIsSwitchedOnAgain() throws SQLException {
        try (Connection physical = Database.H2.connect()) {
            execute(physical, "create table t (a int)");
            Slot slot = loan.slot(physical);
            try (Connection connection = Loan.lend(slot)) {
                execute(connection, "SET AUTOCOMMIT FALSE");
                execute(connection, "insert into t values (1)");
            }
            assertThat(physical.getAutoCommit()).isTrue();
            assertThat(rows(physical)).isZero();
        }
    }

    private static Map<String, @Nullable Object> properties(Connection c) throws SQLException {
        Map<String, @Nullable Object> properties = new LinkedHashMap<>();
        properties.put("autoCommit", c.getAutoCommit());
        properties.put("readOnly", c.isReadOnly());
        properties.put("isolation", c.getTransactionIsolation());
        properties.put("catalog", c.getCatalog());
        properties.put("schema", c.getSchema());
        properties.put("holdability", c.getHoldability());
        try {
            properties.put("networkTimeout", c.getNetworkTimeout());
        } catch (SQLFeatureNotSupportedException e) {
            properties.put("networkTimeout", "not supported");
        }
        properties.put("typeMap", c.getTypeMap() == null ? null : new HashMap<>(c.getTypeMap()));
        properties.put("clientInfo", Baseline.copy(c.getClientInfo()));
        properties.put("warnings", c.getWarnings());
        return properties;
    }

    private static Map<String, Work> changes(Database database) {
        Map<String, Work> changes = new LinkedHashMap<>();
        changes.put("autoCommit", c -> c.setAutoCommit(false));
        changes.put("readOnly", c -> c.setReadOnly(true));
        changes.put("isolation", c -> c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE));
        changes.put("schema", c -> c.setSchema(database == Database.POSTGRES ? "pg_catalog" : "INFORMATION_SCHEMA"));
        changes.put("holdability", c -> c.setHoldability(ResultSet.CLOSE_CURSORS_AT_COMMIT));
        changes.put("typeMap", c -> c.setTypeMap(new HashMap<>()));
        if (database.hasCatalogsOnly()) {
            changes.put("catalog", c -> c.setCatalog("mysql"));
        }
        if (database == Database.POSTGRES || database.hasCatalogsOnly()) {
            changes.put("typeMap in place", c -> c.getTypeMap().put("a", String.class));
            changes.put("networkTimeout", c -> c.setNetworkTimeout(Runnable::run, 12_000));
            changes.put("clientInfo", c -> c.setClientInfo("ApplicationName", "someone"));
            changes.put("clientInfo all", c -> {
                Properties info = new Properties();
                info.setProperty("ApplicationName", "someone else");
                c.setClientInfo(info);
            });
        }
        changes.put("everything at once", c -> {
            c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            c.setSchema(database == Database.POSTGRES ? "pg_catalog" : "INFORMATION_SCHEMA");
            c.setReadOnly(true);
            c.setAutoCommit(false);
            if (database.hasCatalogsOnly()) {
                c.setCatalog("mysql");
            }
            execute(c, database == Database.HSQLDB ? "call now()" : "select 1");
        });
        return changes;
    }

    @ParameterizedTest
    @EnumSource
    void everyPropertyIsAsBefore(Database database) throws SQLException {
        for (Map.Entry<String, Work> change : changes(database).entrySet()) {
            checkRestored(database, change.getKey(), change.getValue());
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyPropertyIsAsBeforeWhenChangedThroughUnwrap(Database database) throws SQLException {
        for (Map.Entry<String, Work> change : changes(database).entrySet()) {
            checkRestored(database, change.getKey() + ", unwrapped", c -> {
                Connection physical = ((AbstractConnectionHandle) c).physical;
                change.getValue().run((Connection) c.unwrap(physical.getClass()));
            });
        }
    }

    private void checkRestored(Database database, String what, Work change) throws SQLException {
        try (Connection physical = database.connect()) {
            Slot slot = loan.slot(physical);
            Map<String, @Nullable Object> before = properties(physical);
            for (int again = 0; again < 2; again++) {
                try (Connection connection = Loan.lend(slot)) {
                    change.run(connection);
                } catch (SQLFeatureNotSupportedException e) {
                    // A property that this driver has not got.
                }
                assertThat(slot.state()).as(what).isEqualTo(Slot.IDLE);
                assertThat(properties(physical)).as(what).isEqualTo(before);
            }
        }
    }

    @Test
    void askingForAPropertyOpensNoTransaction() throws SQLException {
        Loan configured = new Loan(config -> config.autoCommit(false));
        try (Connection physical = Database.POSTGRES.connect();
                Connection connection = configured.lend(physical)) {
            connection.setSchema("pg_catalog");
            connection.rollback();
            connection.unwrap(physical.getClass());
            assertThat(Dialect.of(physical, configured.pool.settings).transactionState(physical))
                    .isEqualTo(TransactionState.IDLE);
            connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aTestLeavesNoTransactionOpen(Database database) throws SQLException {
        Loan byQuery = new Loan(config -> config.autoCommit(false)
                .connectionTestQuery(database == Database.HSQLDB ? "call now()" : "select 1")
                .jdbc4ConnectionTest(false));
        for (Loan each : List.of(byQuery, new Loan(config -> config.autoCommit(false)))) {
            Session session;
            try (Connection physical = database.connect()) {
                session = each.slot(physical).session;
                session.validate(each.pool.settings, 100_000_000L);
                assertThat(Dialect.of(physical, each.pool.settings).transactionState(physical))
                        .isIn(TransactionState.UNKNOWN, TransactionState.IDLE);
            }
            assertThatThrownBy(() -> session.validate(each.pool.settings, 100_000_000L))
                    .isInstanceOf(SQLException.class);
        }
    }

    @Test
    void aDriverWithoutIsValidIsRefusedWithAnExplanation() {
        RecordingDriver driver = new RecordingDriver();
        driver.without = "isValid";
        assertThatThrownBy(() -> loan.slot(driver.connection()))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("threw right after the connection was opened; set connectionTestQuery");
    }

    /** H2 keeps it for the whole connection. */
    @Test
    void timeoutOfTheTestQueryIsNotThatOfTheUsersStatements() throws SQLException {
        Loan tested = new Loan(config -> config.connectionTestQuery("select 1"));
        try (Connection physical = Database.H2.connect()) {
            tested.slot(physical);
            try (Statement statement = physical.createStatement()) {
                assertThat(statement.getQueryTimeout()).isZero();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"connectionInitSql", "connectionTestQuery"})
    void sqlOfTheSettingsThatFailsOnANewConnectionIsToldByTheSettingsName(String setting) throws SQLException {
        Loan wrong = new Loan(config -> config.property(setting, "selec 1"));
        try (Connection physical = Database.H2.connect()) {
            assertThatThrownBy(() -> wrong.slot(physical))
                    .isInstanceOf(SQLException.class)
                    .hasMessageStartingWith(setting + " failed on a new connection: Syntax error")
                    .satisfies(e -> assertThat(((SQLException) e).getSQLState()).isEqualTo("42001"));
        }
    }

    @Test
    void whatNobodyTouchedCostsNoCall() throws SQLException {
        RecordingDriver driver = new RecordingDriver();
        Slot slot = loan.slot(driver.connection());
        driver.calls.clear();
        Loan.lend(slot).close();
        assertThat(driver.names()).isEmpty();
        assertThat(slot.state()).isEqualTo(Slot.IDLE);
    }

    @Test
    void aFailedRollbackOrCloseRetiresTheConnectionAndThrowsNothing() throws SQLException {
        RecordingDriver driver = new RecordingDriver();
        driver.autoCommit = false;
        Slot slot = loan.slot(driver.connection());
        ConnectionHandle connection = Loan.lend(slot);
        connection.createStatement();
        driver.failure = new SQLException("no", "HY000");
        connection.close();
        assertThat(slot.state()).isEqualTo(Slot.RETIRED);
    }

    @Test
    void whatCannotBeRestoredRetiresTheConnection() throws SQLException {
        RecordingDriver driver = new RecordingDriver();
        Slot slot = loan.slot(driver.connection());
        ConnectionHandle sharded = Loan.lend(slot);
        sharded.setShardingKey(null);
        sharded.close();
        assertThat(slot.state()).isEqualTo(Slot.RETIRED);
    }

    @Test
    void aStatementThatCouldNotBeClosedRetiresTheConnection() throws SQLException {
        RecordingDriver driver = new RecordingDriver();
        Slot slot = loan.slot(driver.connection());
        ConnectionHandle connection = Loan.lend(slot);
        Statement statement = connection.createStatement();
        driver.failure = new SQLException("cannot close", "HY000");
        assertThatThrownBy(statement::close).hasMessage("cannot close");
        driver.failure = null;
        connection.close();
        assertThat(slot.state()).isEqualTo(Slot.RETIRED);
    }

    @Test
    void abortEndsTheLoanOnceAndNeedsAnExecutor() throws SQLException {
        RecordingDriver driver = new RecordingDriver();
        ConnectionHandle connection = loan.lend(driver.connection());
        assertThatThrownBy(() -> connection.abort(null)).isInstanceOf(SQLException.class);
        assertThat(connection.isClosed()).isFalse();
        Executor executor = Runnable::run;
        connection.abort(executor);
        connection.abort(executor);
        connection.close();
        assertThat(connection.isClosed()).isTrue();
        List<RecordingDriver.Call> byUs = List.copyOf(driver.calls).stream()
                .filter(call -> call.arguments().contains(executor))
                .toList();
        assertThat(byUs).hasSize(1);
        assertThat(byUs.get(0).method().getName()).isEqualTo("abort");
    }
}
