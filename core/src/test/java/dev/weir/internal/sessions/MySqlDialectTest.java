package dev.weir.internal.sessions;

import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.number;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.MariaDbShared;
import dev.weir.MariaDbShared.Driver;
import dev.weir.PostgresShared;
import dev.weir.RetireReason;
import dev.weir.WeirDataSource;
import dev.weir.internal.engine.Loan;
import dev.weir.internal.handles.AbstractConnectionHandle;
import dev.weir.internal.slots.Slot;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** P2 with MariaDB's and MySQL's drivers on a real MariaDB: rolled back whenever something is open, and only then. */
class MySqlDialectTest {
    private static final String INSERT = "INSERT INTO stranger VALUES (1)";
    private static final String ROWS = "SELECT count(*) FROM stranger";

    private final Loan loan = new Loan();

    @BeforeEach
    void createTable() throws SQLException {
        MariaDbShared.execute(
                "CREATE OR REPLACE TABLE stranger (n int PRIMARY KEY) ENGINE=InnoDB",
                "CREATE OR REPLACE PROCEDURE insert_and_fail()"
                        + " BEGIN INSERT INTO stranger VALUES (77); SIGNAL SQLSTATE '45000'; END",
                "CREATE OR REPLACE PROCEDURE begin_and_fail()"
                        + " BEGIN START TRANSACTION; INSERT INTO stranger VALUES (78); SIGNAL SQLSTATE '45000'; END",
                "CREATE OR REPLACE PROCEDURE turn_off_and_fail()"
                        + " BEGIN SET autocommit=0; SIGNAL SQLSTATE '45000'; END");
    }

    private static void fails(Connection c, String sql) {
        assertThatThrownBy(() -> execute(c, sql)).isInstanceOf(SQLException.class);
    }

    private static Connection raw(Connection c) throws SQLException {
        return (Connection) c.unwrap(((AbstractConnectionHandle) c).physical.getClass());
    }

    /** Leaves rows of a change unread, and with them the server's word on the transaction. */
    private static void leaveUnread(Connection c) throws SQLException {
        Statement statement = c.createStatement();
        statement.setFetchSize(c.isWrapperFor(org.mariadb.jdbc.Connection.class) ? 1 : Integer.MIN_VALUE);
        assertThat(statement.execute("INSERT INTO stranger VALUES (1), (2), (3) RETURNING n"))
                .isTrue();
        assertThat(statement.getResultSet().next()).isTrue();
    }

    private static Map<String, PostgresShared.Work> openedWithAutoCommit() {
        Map<String, PostgresShared.Work> work = new LinkedHashMap<>();
        work.put("BEGIN", c -> {
            execute(c, "BEGIN");
            execute(c, INSERT);
        });
        work.put("START TRANSACTION, a query", c -> {
            execute(c, "START TRANSACTION");
            number(c, ROWS);
        });
        work.put("BEGIN, a failure", c -> {
            execute(c, "BEGIN");
            execute(c, INSERT);
            fails(c, INSERT);
        });
        work.put("BEGIN, a failure, a test", c -> {
            execute(c, "BEGIN");
            execute(c, INSERT);
            fails(c, INSERT);
            assertThat(c.isValid(1)).isTrue();
        });
        work.put("BEGIN and a failure in one call", c -> fails(c, "BEGIN; " + INSERT + "; " + INSERT));
        work.put("a procedure that begins and fails", c -> fails(c, "CALL begin_and_fail()"));
        // A failure does not say what became of auto-commit: the driver hears of it with the answer to the rollback.
        work.put("BEGIN, a procedure that turns autocommit off and fails", c -> {
            execute(c, "BEGIN");
            execute(c, INSERT);
            fails(c, "CALL turn_off_and_fail()");
        });
        work.put("BEGIN, prepared", c -> {
            execute(c, "BEGIN");
            try (PreparedStatement insert = c.prepareStatement("INSERT INTO stranger VALUES (?)")) {
                insert.setInt(1, 5);
                insert.executeLargeUpdate();
            }
        });
        work.put("autocommit off as text", c -> {
            execute(c, "SET autocommit=0");
            execute(c, INSERT);
        });
        work.put("autocommit off as text, a failure", c -> {
            execute(c, "SET autocommit=0");
            fails(c, "CALL insert_and_fail()");
        });
        work.put("unwrapped BEGIN", c -> {
            execute(raw(c), "BEGIN");
            execute(raw(c), INSERT);
        });
        work.put("unwrapped autoCommit off", c -> {
            raw(c).setAutoCommit(false);
            execute(raw(c), INSERT);
        });
        return work;
    }

    private static Map<String, PostgresShared.Work> openedWithoutAutoCommit() {
        Map<String, PostgresShared.Work> work = new LinkedHashMap<>();
        work.put("an insert", c -> execute(c, INSERT));
        work.put("a failure that left a row", c -> fails(c, "CALL insert_and_fail()"));
        work.put("an insert, a failure", c -> {
            execute(c, INSERT);
            fails(c, INSERT);
        });
        work.put("an insert, a failure, a test", c -> {
            execute(c, INSERT);
            fails(c, "nonsense");
            assertThat(c.isValid(1)).isTrue();
        });
        work.put("after a commit", c -> {
            c.commit();
            execute(c, INSERT);
        });
        work.put("unwrapped insert", c -> execute(raw(c), INSERT));
        work.put("unwrapped failure that left a row", c -> fails(raw(c), "CALL insert_and_fail()"));
        work.put("rows left unread", MySqlDialectTest::leaveUnread);
        return work;
    }

    @ParameterizedTest
    @EnumSource
    void whatIsOpenIsRolledBackThoughAutoCommitIsOn(Driver driver) throws Exception {
        for (Map.Entry<String, PostgresShared.Work> work :
                openedWithAutoCommit().entrySet()) {
            try (Connection physical = driver.connect()) {
                Slot slot = loan.slot(physical);
                leavesNothing(slot, work.getKey(), work.getValue(), true);
                assertThat(slot.state()).as(work.getKey()).isEqualTo(Slot.IDLE);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsOpenIsRolledBackWhereAutoCommitIsOff(Driver driver) throws Exception {
        Loan configured = new Loan(config -> config.autoCommit(false));
        for (Map.Entry<String, PostgresShared.Work> work :
                openedWithoutAutoCommit().entrySet()) {
            try (Connection physical = driver.connect()) {
                Slot slot = configured.slot(physical);
                leavesNothing(slot, work.getKey(), work.getValue(), false);
                assertThat(slot.state()).as(work.getKey()).isEqualTo(Slot.IDLE);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void rowsLeftUnreadThroughTheUnwrappedConnectionAreRolledBack(Driver driver) throws Exception {
        ThreadsLeft threads = ThreadsLeft.sinceNow();
        try (WeirDataSource pool = new WeirDataSource(
                driver.pool().autoCommit(false).maximumPoolSize(1).build())) {
            try (Connection connection = pool.getConnection()) {
                leaveUnread(raw(connection));
            }
            try (Connection next = pool.getConnection()) {
                assertThat(number(next, ROWS)).isZero();
                next.commit();
            }
            // Connector/J refuses to speak while rows are unread.
            assertThat(pool.stats().retired().get(RetireReason.UNCLEAN)).isEqualTo(driver.isMariaDb() ? 0 : 1);
            MariaDbShared.awaitSessions(1);
        }
        assertThat(MariaDbShared.number(ROWS)).isZero();
        MariaDbShared.assertNothingLeft(threads);
    }

    /** The server refuses to roll back while the branch is active; it does so when its session ends. */
    @ParameterizedTest
    @EnumSource
    void aBranchBegunAsTextCostsTheConnection(Driver driver) throws Exception {
        try (Connection physical = driver.connect()) {
            Slot slot = loan.slot(physical);
            try (Connection connection = Loan.lend(slot)) {
                execute(connection, "XA START 'a'");
                execute(connection, INSERT);
            }
            assertThat(slot.state()).isEqualTo(Slot.RETIRED);
        }
        assertThat(MariaDbShared.number(ROWS)).isZero();
    }

    /** There is no statement that deselects a database, and MariaDB's driver ignores the wish. */
    @ParameterizedTest
    @EnumSource
    void aSessionWithoutADatabaseThatWasGivenOneIsNotLentAgain(Driver driver) throws Exception {
        try (Connection physical = driver.connect("")) {
            Slot slot = loan.slot(physical);
            try (Connection connection = Loan.lend(slot)) {
                connection.setCatalog("mysql");
            }
            assertThat(slot.state()).isEqualTo(Slot.RETIRED);
        }
    }

    private static void leavesNothing(Slot slot, String what, PostgresShared.Work work, boolean autoCommit)
            throws Exception {
        Connection physical = slot.physical;
        long before = rollbacks(physical);
        try (Connection connection = Loan.lend(slot)) {
            work.with(connection);
            assertThat(MariaDbShared.number(ROWS)).as(what).isZero();
        }
        assertThat(number(physical, "SELECT @@in_transaction")).as(what).isZero();
        assertThat(number(physical, "SELECT @@autocommit")).as(what).isEqualTo(autoCommit ? 1 : 0);
        assertThat(rollbacks(physical)).as("rolled back once: " + what).isEqualTo(before + 1);
        assertThat(physical.getAutoCommit()).as(what).isEqualTo(autoCommit);
        try (Connection next = Loan.lend(slot)) {
            execute(next, "INSERT INTO stranger VALUES (4711)");
            if (!autoCommit) {
                next.commit();
            }
        }
        assertThat(MariaDbShared.number("SELECT sum(n) FROM stranger")).as(what).isEqualTo(4711);
        MariaDbShared.execute("DELETE FROM stranger");
    }

    private static Map<String, PostgresShared.Work> closedWithAutoCommit() {
        Map<String, PostgresShared.Work> work = new LinkedHashMap<>();
        work.put("nothing", c -> c.createStatement().close());
        work.put("a query without a table", c -> number(c, "SELECT 1"));
        work.put("a query", c -> number(c, ROWS));
        work.put("an insert", c -> execute(c, "REPLACE INTO stranger VALUES (1)"));
        work.put("a failure, a query", c -> {
            fails(c, "nonsense");
            number(c, ROWS);
        });
        work.put("BEGIN, COMMIT", c -> {
            execute(c, "BEGIN");
            execute(c, "REPLACE INTO stranger VALUES (1)");
            execute(c, "COMMIT");
        });
        work.put("BEGIN and what commits by itself", c -> {
            execute(c, "BEGIN");
            execute(c, "REPLACE INTO stranger VALUES (1)");
            execute(c, "CREATE OR REPLACE TABLE other (n int)");
        });
        work.put("unwrapped", c -> number(raw(c), ROWS));
        work.put("setAutoCommit(false), commit()", c -> {
            c.setAutoCommit(false);
            execute(c, "REPLACE INTO stranger VALUES (1)");
            c.commit();
        });
        return work;
    }

    private static Map<String, PostgresShared.Work> closedWithoutAutoCommit() {
        Map<String, PostgresShared.Work> work = new LinkedHashMap<>();
        work.put("a query without a table", c -> number(c, "SELECT 1"));
        work.put("COMMIT as text", c -> {
            execute(c, "REPLACE INTO stranger VALUES (1)");
            execute(c, "COMMIT");
        });
        work.put("commit()", c -> {
            execute(c, "REPLACE INTO stranger VALUES (1)");
            c.commit();
        });
        return work;
    }

    @ParameterizedTest
    @EnumSource
    void noRollbackIsSentWhereNothingIsOpen(Driver driver) throws Exception {
        try (Connection physical = driver.connect()) {
            Slot slot = loan.slot(physical);
            for (Map.Entry<String, PostgresShared.Work> work :
                    closedWithAutoCommit().entrySet()) {
                assertThat(rollbacksOf(slot, work.getValue())).as(work.getKey()).isZero();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void withoutAutoCommitToo(Driver driver) throws Exception {
        Loan configured = new Loan(config -> config.autoCommit(false));
        try (Connection physical = driver.connect()) {
            Slot slot = configured.slot(physical);
            for (Map.Entry<String, PostgresShared.Work> work :
                    closedWithoutAutoCommit().entrySet()) {
                boolean known = driver.isMariaDb() || work.getKey().equals("commit()");
                assertThat(rollbacksOf(slot, work.getValue())).as(work.getKey()).isEqualTo(known ? 0 : 1);
            }
        }
    }

    private static long rollbacksOf(Slot slot, PostgresShared.Work work) throws Exception {
        long before = rollbacks(slot.physical);
        try (Connection connection = Loan.lend(slot)) {
            work.with(connection);
        }
        assertThat(slot.state()).isEqualTo(Slot.IDLE);
        return rollbacks(slot.physical) - before;
    }

    private static long rollbacks(Connection physical) throws SQLException {
        try (Statement statement = physical.createStatement();
                ResultSet row = statement.executeQuery("SHOW SESSION STATUS LIKE 'Com_rollback'")) {
            row.next();
            return row.getLong(2);
        }
    }

    /** What holds a connection that is shared: only what the server has said since. */
    @Test
    void afterAFailureATransactionIsSupposedUntilTheServerIsAsked() throws SQLException {
        try (Connection c = Driver.MARIADB.connect()) {
            Dialect dialect = Objects.requireNonNull(MySqlDialect.find(c.getClass()));
            for (boolean auto : new boolean[] {true, false}) {
                c.setAutoCommit(auto);
                fails(c, "SELECT broken");
                assertThat(dialect.transactionState(c)).isEqualTo(TransactionState.OPEN);
                assertThat(dialect.isSupposed(c, false)).isEqualTo(auto);
                assertThat(dialect.isSupposed(c, true)).isTrue();
                execute(c, "DO 0");
                assertThat(dialect.isSupposed(c, true)).isFalse();
                assertThat(dialect.transactionState(c))
                        .isEqualTo(auto ? TransactionState.IDLE : TransactionState.UNKNOWN);
            }
        }
    }
}
