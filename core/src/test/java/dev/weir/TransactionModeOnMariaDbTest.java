package dev.weir;

import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.filled;
import static dev.weir.PostgresShared.number;
import static dev.weir.PostgresShared.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The mode transaction with MariaDB's driver: when a connection is given back, and that nothing of one user reaches another. */
final class TransactionModeOnMariaDbTest {
    private static final String RESETS = "&useResetConnection=true";

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @BeforeEach
    void createTables() throws SQLException {
        MariaDbShared.execute(
                "CREATE DATABASE IF NOT EXISTS second",
                "GRANT ALL ON second.* TO " + MariaDbShared.USER + "@127.0.0.1",
                "DROP VIEW IF EXISTS weir.seen",
                "CREATE OR REPLACE TABLE weir.kept (a int AUTO_INCREMENT PRIMARY KEY, b int) ENGINE=InnoDB",
                "CREATE OR REPLACE TABLE weir.plain (a int) ENGINE=MyISAM",
                "CREATE OR REPLACE TABLE weir.traps (a int) ENGINE=InnoDB",
                "CREATE OR REPLACE FUNCTION weir.noted(a int) RETURNS int"
                        + " BEGIN SET @left = a; SET SESSION max_statement_time = 77; RETURN a; END",
                "CREATE OR REPLACE TRIGGER weir.trap BEFORE INSERT ON weir.traps FOR EACH ROW SET @left = noted(NEW.a)");
    }

    @AfterEach
    void nothingIsLeft() throws SQLException {
        MariaDbShared.assertNothingLeft(threads);
        MariaDbShared.execute("DROP VIEW IF EXISTS weir.seen");
    }

    private static PoolConfig.Builder pool(String options) {
        return MariaDbShared.Driver.MARIADB
                .pool()
                .url(MariaDbShared.Driver.MARIADB.url() + options)
                .poolMode("transaction")
                .connectionTimeout(Duration.ofSeconds(5));
    }

    private static WeirDataSource filledPool(int size) throws SQLException {
        return filled(size, pool(RESETS));
    }

    private static int inUse(WeirDataSource pool) {
        return pool.stats().inUse();
    }

    private static void fails(Connection connection, String sql) {
        assertThatThrownBy(() -> execute(connection, sql)).isInstanceOf(SQLException.class);
    }

    @Test
    void aConnectionIsBoundLateAndGivenBackAfterEachStatementOrTransaction() throws SQLException {
        try (WeirDataSource pool = filledPool(1);
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            assertThat(inUse(pool)).isZero();
            assertThat(number(mine, "SELECT 1")).isEqualTo(1);
            assertThat(inUse(pool)).isZero();
            mine.setAutoCommit(false);
            execute(mine, "INSERT INTO kept (b) VALUES (1)");
            assertThat(inUse(pool)).isEqualTo(1);
            mine.commit();
            assertThat(inUse(pool)).isZero();
            execute(mine, "INSERT INTO kept (b) VALUES (2)");
            mine.rollback();
            assertThat(inUse(pool)).isZero();
            assertThat(number(other, "SELECT count(*) FROM kept")).isEqualTo(1);
            assertThat(mine.getAutoCommit()).isFalse();
            assertThat(other.getAutoCommit()).isTrue();
        }
    }

    /** After a failure the driver supposes a transaction; without one the server is asked. */
    @Test
    void aFailureInAutoCommitHoldsNothingUnlessATransactionIsOpen() throws SQLException {
        try (WeirDataSource pool = filledPool(1);
                Connection mine = pool.getConnection()) {
            fails(mine, "SELECT broken");
            assertThat(inUse(pool)).isZero();
            execute(mine, "BEGIN");
            assertThat(inUse(pool)).isEqualTo(1);
            fails(mine, "SELECT broken");
            assertThat(inUse(pool)).isEqualTo(1);
            execute(mine, "ROLLBACK");
            assertThat(inUse(pool)).isZero();
            mine.setAutoCommit(false);
            fails(mine, "SELECT broken");
            assertThat(inUse(pool)).isEqualTo(1);
            mine.rollback();
            assertThat(inUse(pool)).isZero();
        }
    }

    /** The server begins no transaction for these, but what they leave lasts until the user's commit. */
    @Test
    void whileAutoCommitIsOffEachStatementHoldsUntilTheUserEndsTheTransaction() throws SQLException {
        try (WeirDataSource pool = filledPool(1);
                Connection mine = pool.getConnection()) {
            mine.setAutoCommit(false);
            Savepoint before = mine.setSavepoint();
            assertThat(inUse(pool)).isEqualTo(1);
            execute(mine, "INSERT INTO kept (b) VALUES (1)");
            mine.rollback(before);
            mine.commit();
            assertThat(inUse(pool)).isZero();
            assertThat(number(mine, "SELECT count(*) FROM plain")).isZero();
            assertThat(inUse(pool)).isEqualTo(1);
            mine.rollback();
            assertThat(inUse(pool)).isZero();
            assertThat(number(mine, "SELECT count(*) FROM kept")).isZero();
            mine.commit();
        }
    }

    @Test
    void unreadRowsHoldIt() throws SQLException {
        try (WeirDataSource pool = filledPool(1);
                Connection mine = pool.getConnection()) {
            try (Statement statement = mine.createStatement()) {
                statement.setFetchSize(1);
                ResultSet rows = statement.executeQuery("SELECT 1 UNION SELECT 2 UNION SELECT 3");
                assertThat(rows.next()).isTrue();
                assertThat(inUse(pool)).isEqualTo(1);
            }
            assertThat(inUse(pool)).isZero();
        }
    }

    @Test
    void aSetIsKeptAndNotSeenByTheNext() throws SQLException {
        try (WeirDataSource pool = filledPool(1);
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            execute(mine, "SET SESSION max_statement_time = 5 + 2, time_zone = '+05:00'");
            execute(mine, "SET @@session.foreign_key_checks = OFF");
            assertThat(inUse(pool)).isZero();
            for (int i = 0; i < 2; i++) {
                assertThat(text(
                                other,
                                "SELECT CONCAT_WS(' ', @@max_statement_time, @@time_zone, @@foreign_key_checks)"))
                        .isEqualTo("0.000000 SYSTEM ON");
                assertThat(text(mine, "SELECT CONCAT_WS(' ', @@max_statement_time, @@time_zone, @@foreign_key_checks)"))
                        .isEqualTo("7.000000 +05:00 OFF");
            }
            execute(mine, "SET max_statement_time = DEFAULT");
            assertThat(text(mine, "SELECT @@max_statement_time")).isEqualTo("0.000000");
            assertThat(pool.stats().pinned()).isEmpty();
        }
    }

    @Test
    void theDatabaseIsKeptHoweverItWasChosen() throws SQLException {
        try (WeirDataSource pool = filledPool(1);
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            execute(mine, "USE second");
            assertThat(text(other, "SELECT DATABASE()")).isEqualTo("weir");
            assertThat(mine.getCatalog()).isEqualTo("second");
            assertThat(text(mine, "SELECT DATABASE()")).isEqualTo("second");
            mine.setCatalog("weir");
            assertThat(text(mine, "SELECT DATABASE()")).isEqualTo("weir");
            mine.setCatalog("second");
            assertThat(text(other, "SELECT DATABASE()")).isEqualTo("weir");
            assertThat(text(mine, "SELECT DATABASE()")).isEqualTo("second");
            execute(mine, "USE `weir`");
            assertThat(text(mine, "SELECT DATABASE()")).isEqualTo("weir");
            assertThat(mine.getCatalog()).isEqualTo("weir");
        }
    }

    @Test
    void whatAViewLeavesThatThePoolItselfMadeIsNotSeenByTheNext() throws SQLException {
        try (WeirDataSource pool = filled(1, pool(RESETS));
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            String state = "SELECT @@max_statement_time";
            String first = text(other, state);
            execute(mine, "CREATE OR REPLACE VIEW seen AS SELECT noted(5) AS a");
            execute(mine, "SELECT * FROM seen");
            assertThat(inUse(pool)).isZero();
            assertThat(text(other, state)).isEqualTo(first);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatATriggerOrAViewLeavesIsNotSeenByTheNext(boolean view) throws SQLException {
        if (view) {
            MariaDbShared.execute("CREATE OR REPLACE VIEW weir.seen AS SELECT noted(5) AS a");
        }
        String options = RESETS + "&useServerPrepStmts=true&sessionVariables=sort_buffer_size=1000000";
        try (WeirDataSource pool = filled(1, pool(options).autoCommit(false));
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            String state = "SELECT CONCAT_WS(' ', @@max_statement_time, @@sort_buffer_size, @@sql_mode,"
                    + " @@character_set_client, @@collation_connection, @@tx_isolation, @@autocommit, DATABASE())";
            String first = text(other, state);
            other.commit();
            mine.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            execute(mine, view ? "SELECT * FROM seen" : "INSERT INTO traps VALUES (5)");
            mine.commit();
            assertThat(inUse(pool)).isZero();
            assertThat(text(other, state))
                    .isEqualTo(first)
                    .contains("IGNORE_SPACE")
                    .contains("utf8mb4");
            assertThat(other.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
            other.commit();
            try (PreparedStatement again = mine.prepareStatement("SELECT CONCAT(?, @@tx_isolation)")) {
                again.setInt(1, 1);
                ResultSet row = again.executeQuery();
                assertThat(row.next()).isTrue();
                assertThat(row.getString(1)).isEqualTo("1SERIALIZABLE");
            }
            execute(mine, view ? "SELECT * FROM seen" : "INSERT INTO traps VALUES (5)");
            mine.commit();
            assertThat(text(other, "SELECT @left")).isNull();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CREATE TEMPORARY TABLE mine (a int) | temporary table",
                "SET @mine = 1 | SET of what is not understood",
                "SELECT GET_LOCK('mine', 1) | function get_lock",
                "LOCK TABLES kept WRITE | not understood: LOCK",
                "PREPARE mine FROM 'SELECT 1' | not understood: PREPARE",
                "SET ROLE NONE | SET ROLE",
                "SET NAMES utf8mb4 | SET NAMES",
                "SET SESSION sql_mode = 'ANSI_QUOTES' | SET sql_mode",
                "SELECT noted(1) | function noted",
                "/*! SELECT 1 */ | not understood: a comment that may be run"
            })
    void whatCannotBeSharedPinsAndIsSweptAtTheEnd(String sql, String reason) throws SQLException {
        try (WeirDataSource pool = filledPool(1);
                Connection other = pool.getConnection()) {
            try (Connection mine = pool.getConnection()) {
                execute(mine, sql);
                assertThat(inUse(pool)).isEqualTo(1);
                assertThat(number(mine, "SELECT 1")).isEqualTo(1);
                assertThat(inUse(pool)).isEqualTo(1);
            }
            assertThat(pool.stats().pinned()).hasSize(1);
            assertThat(pool.stats().pinned().toString()).contains(reason);
            assertThat(MariaDbShared.number("SELECT IS_FREE_LOCK('mine')")).isEqualTo(1);
            fails(other, "SELECT * FROM mine");
            assertThat(number(other, "SELECT count (*) FROM kept")).isZero();
            fails(other, "EXECUTE mine");
            assertThat(text(other, "SELECT CONCAT_WS(' ', @mine, @left, @@max_statement_time)"))
                    .isEqualTo("0.000000");
        }
    }

    @Test
    void whatTheLastStatementLeftIsNeverThatOfAnother() throws SQLException {
        try (WeirDataSource pool = filledPool(2);
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            execute(mine, "INSERT INTO kept (b) VALUES (1)");
            assertThatThrownBy(() -> number(mine, "SELECT LAST_INSERT_ID()"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("use getGeneratedKeys(), getWarnings(), or one transaction for both");
            fails(mine, "SELECT @@identity");
            fails(mine, "SELECT ROW_COUNT()");
            fails(mine, "INSERT INTO kept (b) SELECT LAST_INSERT_ID()");
            assertThat(inUse(pool)).isZero();
            try (Statement statement = mine.createStatement()) {
                statement.execute("INSERT INTO kept (b) VALUES (2)", Statement.RETURN_GENERATED_KEYS);
                ResultSet keys = statement.getGeneratedKeys();
                assertThat(keys.next()).isTrue();
                assertThat(keys.getInt(1)).isEqualTo(2);
            }
            other.setAutoCommit(false);
            execute(other, "INSERT INTO kept (b) VALUES (3)");
            assertThat(number(other, "SELECT LAST_INSERT_ID()")).isEqualTo(3);
            other.commit();
            fails(other, "SELECT LAST_INSERT_ID()");
        }
    }

    @Test
    void theRowsOfTheStatementBeforeAreToldInOneTransaction() throws SQLException {
        try (WeirDataSource pool = filledPool(1);
                Connection mine = pool.getConnection()) {
            execute(mine, "INSERT INTO kept (b) VALUES (1), (2)");
            mine.setAutoCommit(false);
            fails(mine, "SELECT ROW_COUNT()");
            execute(mine, "UPDATE kept SET b = 3");
            assertThat(number(mine, "SELECT ROW_COUNT()")).isEqualTo(2);
            execute(mine, "SELECT 1 UNION SELECT 2 UNION SELECT 3");
            assertThat(number(mine, "SELECT FOUND_ROWS()")).isEqualTo(3);
            fails(mine, "SELECT LAST_INSERT_ID()");
            mine.commit();
            fails(mine, "SELECT ROW_COUNT()");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"SHOW WARNINGS", "SHOW COUNT(*) WARNINGS", "SELECT @@warning_count"})
    void theWarningsOfAnotherAreNotSeen(String sql) throws SQLException {
        try (WeirDataSource pool = filledPool(1);
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            execute(mine, "SELECT CAST('mine alone' AS INT)");
            assertThat(inUse(pool)).isZero();
            fails(other, sql);
            assertThat(inUse(pool)).isZero();
            other.setAutoCommit(false);
            execute(other, "SELECT CAST('also mine' AS INT)");
            execute(other, sql);
            other.commit();
        }
    }

    /** What the session was opened with is no more to be had: it is replaced, and nobody sees that. */
    @Test
    void aSettingThatTheServerGotSinceAndTheUserMayNotSetCostsNobodyAnError() throws SQLException {
        try (WeirDataSource pool = filledPool(1);
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            MariaDbShared.execute("SET GLOBAL binlog_row_image = MINIMAL");
            execute(mine, "INSERT INTO kept (b) VALUES (1)");
            assertThat(number(other, "SELECT count(*) FROM kept")).isEqualTo(1);
            assertThat(number(mine, "SELECT 1")).isEqualTo(1);
        } finally {
            MariaDbShared.execute("SET GLOBAL binlog_row_image = FULL");
        }
    }

    @Test
    void aDeathBetweenTransactionsCostsNothing() throws SQLException {
        try (WeirDataSource pool = filled(1, pool(RESETS).validateAfterIdle(Duration.ZERO));
                Connection mine = pool.getConnection()) {
            execute(mine, "SET SESSION max_statement_time = 9");
            assertThat(MariaDbShared.kill("command = 'Sleep'")).isEqualTo(1);
            assertThat(text(mine, "SELECT @@max_statement_time")).isEqualTo("9.000000");
        }
    }

    @Test
    void aDeathThatTheSweepMeetsCostsNothing() throws SQLException {
        try (WeirDataSource pool = filledPool(1);
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            execute(mine, "INSERT INTO traps VALUES (1)");
            assertThat(MariaDbShared.kill("command = 'Sleep'")).isEqualTo(1);
            assertThat(text(other, "SELECT @@max_statement_time")).isEqualTo("0.000000");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"session", "lazy", "transaction"})
    void theSettingsOfARequestAreThere(String mode) throws SQLException {
        AtomicReference<String> zone = new AtomicReference<>("+01:00");
        PoolConfig.Builder settings = pool(RESETS)
                .poolMode(mode)
                .sessionState(() -> Map.of("time_zone", zone.get(), "max_statement_time", "3"));
        try (WeirDataSource pool = filled(1, settings)) {
            for (String each : new String[] {"+01:00", "+02:00", "it's"}) {
                zone.set(each);
                try (Connection mine = pool.getConnection()) {
                    if (each.equals("it's")) {
                        fails(mine, "SELECT 1");
                    } else {
                        assertThat(text(mine, "SELECT CONCAT(@@time_zone, ' ', @@max_statement_time)"))
                                .isEqualTo(each + " 3.000000");
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | the driver's useResetConnection must be true, and is false",
                "&useResetConnection=true&transactionReplay=true | the driver's transactionReplay must be false",
                "&useResetConnection=true&useCatalogTerm=schema | the driver does not know the current database",
                "&useResetConnection=true&sessionVariables=sql_mode='ORACLE' | sql_mode has ORACLE"
            })
    void itIsRefusedWhereSessionsAreNotKnown(String options, String reason) {
        refused(pool(options), reason);
    }

    @Test
    void itIsRefusedBehindAProxyAModeOfSeveralServersAndWithMySqlsDriver() {
        String url = MariaDbShared.Driver.MARIADB.url();
        refused(
                pool(RESETS).url(url.replace("jdbc:mariadb:", "jdbc:mariadb:sequential:") + RESETS),
                "the driver's haMode must be NONE, and is SEQUENTIAL");
        refused(pool(RESETS).url(url.replace("/weir?", "/?") + RESETS), "the URL must name one");
        refused(
                MariaDbShared.Driver.MYSQL.pool().poolMode("transaction"),
                "MySQL's driver does not tell of a transaction after a failure, or while auto-commit is off");
    }

    private static void refused(PoolConfig.Builder settings, String reason) {
        try (WeirDataSource pool = new WeirDataSource(settings.build())) {
            assertThatThrownBy(pool::start)
                    .hasMessageContaining("poolMode: transaction (expected: session or lazy; ")
                    .hasMessageContaining(reason)
                    .hasRootCauseInstanceOf(SQLFeatureNotSupportedException.class);
        }
    }
}
