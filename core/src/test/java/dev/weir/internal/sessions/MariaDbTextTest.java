package dev.weir.internal.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.sessions.Effect.Kind;
import dev.weir.internal.sessions.Effect.Trace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each rule by an example; {@link LeftoversOnMariaDbTest} asks the server. */
class MariaDbTextTest {
    private static Effect effectOf(String sql) {
        return MariaDbText.effectOf(sql);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ";",
                "SELECT 1",
                "select a, `b`, \"c\" from t where d = ? and e in (?, ?) limit ?",
                "(SELECT 1) UNION (SELECT 2)",
                "SELECT COUNT(*), max(a) FROM t GROUP BY b HAVING count(*) > 1",
                "select u1_0.id, coalesce(u1_0.name, '') from users u1_0 left join orders o on (o.u = u1_0.id)",
                "SELECT row_number() OVER (PARTITION BY a ORDER BY b) FROM t",
                "SELECT CAST(a AS CHAR(10)), CONVERT(b, DECIMAL(10,2)), CAST(c AS DATETIME(6)) FROM t",
                "SELECT * FROM t WHERE a = ANY (SELECT 1) FOR UPDATE",
                "SELECT MATCH(a) AGAINST ('x' IN BOOLEAN MODE) FROM t",
                "WITH RECURSIVE q AS (SELECT 1 UNION SELECT 2) SELECT * FROM q",
                "SELECT @@session.time_zone, @@tx_isolation",
                "SELECT 'it''s', \"a'b\", 'a\\\\', x'41', _utf8mb4'a'",
                "SELECT 1 /* a ' */ -- b '\n , 2 # c '\n",
                "VALUES (1), (2)",
                "SHOW TABLES",
                "EXPLAIN SELECT 1",
                "DESCRIBE t",
                "DO SLEEP(0)",
                "BEGIN",
                "START TRANSACTION READ ONLY",
                "COMMIT AND CHAIN",
                "ROLLBACK TO SAVEPOINT a",
                "SAVEPOINT `a`",
                "RELEASE SAVEPOINT a"
            })
    void clear(String sql) {
        assertThat(effectOf(sql)).as(sql).isEqualTo(Effect.NOTHING);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (a, b) VALUES (?, ?)",
                "INSERT IGNORE INTO db.t (a) SELECT 1 ON DUPLICATE KEY UPDATE a = VALUES(a)",
                "REPLACE INTO t (a) VALUES (1)",
                "INSERT INTO t (a) VALUES (1) RETURNING a",
                "UPDATE t SET a = a + 1 WHERE b = ?",
                "DELETE FROM t WHERE a IN (SELECT 1)",
                "TRUNCATE TABLE t",
                "CREATE TABLE IF NOT EXISTS t (a varchar(10), PRIMARY KEY (a))",
                "CREATE OR REPLACE VIEW v AS SELECT f(1)",
                "CREATE UNIQUE INDEX i ON t (a)",
                "ALTER TABLE t ADD COLUMN b enum('x')",
                "DROP TABLE IF EXISTS t",
                "ANALYZE TABLE t",
                "SELECT * FROM `sys`.version",
                "SET GLOBAL sort_buffer_size = 1"
            })
    void leaves(String sql) {
        assertThat(effectOf(sql).kind()).as(sql).isEqualTo(Kind.LEAVES);
        assertThat(effectOf(sql).names()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SET time_zone = '+00:00' | time_zone",
                "SET SESSION max_statement_time = 5, @@local.net_read_timeout := 2 * 3 | max_statement_time,net_read_timeout",
                "set @@foreign_key_checks = off | foreign_key_checks",
                "SET LOCAL sql_notes = DEFAULT; SELECT 1 | sql_notes",
                "SET sort_buffer_size = GREATEST(1, 2), unique_checks = 0 | sort_buffer_size,unique_checks",
                "USE `db` | database"
            })
    void sets(String sql, String names) {
        assertThat(effectOf(sql).kind()).as(sql).isEqualTo(Kind.SETS);
        assertThat(effectOf(sql).names()).containsExactlyInAnyOrder(names.split(","));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "SET @a = 1 | SET of what is not understood",
                "SELECT @a | a user variable",
                "SELECT 1 INTO @a | SELECT INTO",
                "SELECT a FROM t INTO OUTFILE 'x' | SELECT INTO",
                "SELECT f(1) | function f",
                "SELECT db.lower(1) | a function that is not built in",
                "SELECT `lower`(1) | a function that is not built in",
                "SELECT \"lower\"(1) | a function that is not built in",
                "SELECT count (1) | function count behind a space",
                "SELECT rank(1) | function rank",
                "SELECT any(1) | function any",
                "SELECT 1_0(1) | a function that is not built in",
                "SELECT get_lock('a', 1) | function get_lock",
                "SELECT last_insert_id(5) | LAST_INSERT_ID of a value",
                "SELECT SQL_CALC_FOUND_ROWS 1 | SQL_CALC_FOUND_ROWS",
                "SELECT NEXT VALUE FOR s | a sequence",
                "INSERT INTO t VALUES (f()) | function f",
                "CREATE TABLE t AS SELECT f() | function f",
                "CREATE TEMPORARY TABLE t (a int) | temporary table",
                "CREATE OR REPLACE TEMPORARY TABLE t (a int) | temporary table",
                "CREATE TRIGGER a BEFORE INSERT ON t FOR EACH ROW SET @a = 1 | not understood: CREATE",
                "DROP DATABASE db | not understood: DROP",
                "LOCK TABLES t READ | not understood: LOCK",
                "CALL p() | not understood: CALL",
                "{call p()} | not understood: a statement",
                "SELECT {fn f()} | JDBC escape",
                "BEGIN NOT ATOMIC SET @a = 1 | not understood: BEGIN",
                "BEGIN; SET @a = 1; END | SET of what is not understood",
                "ROLLBACK RELEASE | RELEASE",
                "SHOW WARNINGS | SHOW WARNINGS",
                "SET NAMES utf8mb4 | SET NAMES",
                "SET autocommit = 0 | SET autocommit",
                "SET sql_mode = '' | SET sql_mode",
                "SET wait_timeout = 1 | SET wait_timeout",
                "USE sys | not understood: USE",
                "SET TRANSACTION READ ONLY | SET TRANSACTION",
                "SET SESSION TRANSACTION READ ONLY | SET SESSION",
                "SET STATEMENT a = 1 FOR SELECT 1 | SET STATEMENT",
                "SET time_zone = f() | function f",
                "SET time_zone = @a | a user variable",
                "SET time_zone = '+00:00'; INSERT INTO t VALUES (1) | SET time_zone with a change",
                "/*! SET @a = 1 */ | not understood: a comment that may be run",
                "SELECT 1 /*M!100000 , 2 */ | not understood: a comment that may be run",
                "/*/ SELECT 1 /*/ | not understood: a comment that may be run",
                "SELECT 1--1 | not understood: a comment",
                "SELECT 'a\\'' | not understood: a backslash before a quote",
                "SELECT \"a\\\"\" | not understood: a backslash before a quote",
                "SELECT 'a | not understood: a literal without end",
                "SELECT `a | not understood: a name without end",
                "SELECT 1 /* a | not understood: a comment without end",
                "SELECT (1 | not understood: parentheses",
                "SELECT a? | not understood: a parameter beside a name",
                "SELECT \\N | not understood: a character",
                "DELIMITER // | not understood: DELIMITER"
            })
    void pins(String sql, String reason) {
        assertThat(effectOf(sql).kind()).as(sql).isEqualTo(Kind.PINS);
        assertThat(effectOf(sql).reason()).as(sql).isEqualTo(reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT LAST_INSERT_ID() | READ",
                "SELECT @@session.identity | READ",
                "SELECT ROW_COUNT() | LAST",
                "SHOW WARNINGS | LAST",
                "SELECT @@warning_count | LAST",
                "SELECT ROW_COUNT(), LAST_INSERT_ID(), FOUND_ROWS() | READ",
                "UPDATE t SET a = 1; SELECT ROW_COUNT() | NONE",
                "INSERT INTO t SELECT LAST_INSERT_ID() | READ",
                "INSERT INTO t VALUES (1) | MADE",
                "INSERT INTO t VALUES (1); SELECT LAST_INSERT_ID() | MADE",
                "UPDATE t SET a = LAST_INSERT_ID(a + 1) | MADE",
                "UPDATE t SET a = 1 | NONE"
            })
    void tracesOfTheLastStatement(String sql, Trace trace) {
        assertThat(effectOf(sql).trace()).as(sql).isEqualTo(trace);
    }

    @Test
    void aLineEndsACommentAsItDoesAtTheServer() {
        assertThat(effectOf("SELECT 1 # a\rSET @a = 1").kind()).isEqualTo(Kind.PINS);
        assertThat(effectOf("SELECT 1 -- a\r\n, 2")).isEqualTo(Effect.NOTHING);
        assertThat(effectOf("SELECT '\0'").kind()).isEqualTo(Kind.PINS);
        assertThat(effectOf("SELECT l\u00f6wer(1)").kind()).isEqualTo(Kind.PINS);
    }

    @Test
    void longTextsTakeTimeInProportionToTheirLength() {
        assertThat(effectOf("SELECT " + "(".repeat(400_000) + "1" + ")".repeat(400_000)))
                .isEqualTo(Effect.NOTHING);
        assertThat(effectOf(" ".repeat(Findings.LONGEST_TEXT + 1)).kind()).isEqualTo(Kind.PINS);
    }
}
