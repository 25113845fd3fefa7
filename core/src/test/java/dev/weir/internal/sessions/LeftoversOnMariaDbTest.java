package dev.weir.internal.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.MariaDbShared;
import dev.weir.internal.sessions.Effect.Kind;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The oracle of {@link LeftoversTest} on MariaDB: the server is asked for the session before and after each of many random texts.
 * After one that may have left something the session is swept, and must be as it was opened.
 */
class LeftoversOnMariaDbTest {
    private static final int TEXTS = 150;

    /** A trigger, and what it calls, set these; nothing else does. The last is the answer to an INSERT. */
    private static final Set<String> HIDDEN =
            Set.of("user hidden", "lock hidden", "setting max_sort_length", "last_insert_id");

    private static final List<String> MODES = List.of("''", "'ANSI_QUOTES,PIPES_AS_CONCAT'", "'NO_BACKSLASH_ESCAPES'");

    private static final String STATE = "SELECT CONCAT('setting ', LOWER(VARIABLE_NAME)), SESSION_VALUE"
            + " FROM information_schema.SYSTEM_VARIABLES WHERE SESSION_VALUE IS NOT NULL AND VARIABLE_NAME NOT IN ("
            + "'LAST_INSERT_ID', 'IDENTITY', 'TIMESTAMP', 'RAND_SEED1', 'RAND_SEED2', 'ERROR_COUNT', 'WARNING_COUNT',"
            + " 'CHARACTER_SET_DATABASE', 'COLLATION_DATABASE', 'IN_TRANSACTION', 'LAST_GTID')"
            + " UNION ALL SELECT 'setting timestamp', ABS(@@timestamp - UNIX_TIMESTAMP(SYSDATE())) > 60"
            + " UNION ALL SELECT CONCAT('user ', VARIABLE_NAME), VARIABLE_VALUE FROM information_schema.USER_VARIABLES"
            + " UNION ALL SELECT 'lock l', IS_USED_LOCK('l') <=> CONNECTION_ID()"
            + " UNION ALL SELECT 'lock hidden', IS_USED_LOCK('hidden') <=> CONNECTION_ID()"
            + " UNION ALL SELECT 'setting database', DATABASE()"
            + " UNION ALL SELECT 'role', CURRENT_ROLE()"
            + " UNION ALL SELECT 'lastval', LASTVAL(weir.counted)"
            + " UNION ALL SELECT 'last_insert_id', @@last_insert_id";

    /** What shows only in that it works. */
    private static final Map<String, String> PROBES = Map.of(
            "temporary table", "SELECT 1 FROM weir.t",
            "temporary table of a trigger", "SELECT 1 FROM weir.hidden_t",
            "prepared", "EXECUTE p",
            "handler", "HANDLER plain READ FIRST");

    private static final List<String> SETUP = List.of(
            "CREATE DATABASE IF NOT EXISTS weir",
            "CREATE DATABASE IF NOT EXISTS other",
            "CREATE ROLE IF NOT EXISTS r",
            "CREATE OR REPLACE TABLE weir.plain (a int AUTO_INCREMENT PRIMARY KEY, b varchar(200))",
            "INSERT INTO weir.plain VALUES (1, 'x'), (2, 'y')",
            "CREATE OR REPLACE TABLE other.plain LIKE weir.plain",
            "CREATE OR REPLACE TABLE weir.traps (a int AUTO_INCREMENT PRIMARY KEY, b int)",
            "CREATE OR REPLACE SEQUENCE weir.counted",
            "CREATE OR REPLACE FUNCTION weir.hidden(what int) RETURNS int BEGIN"
                    + " CASE what WHEN 0 THEN SET @hidden = UUID();"
                    + " WHEN 1 THEN DO GET_LOCK('hidden', 0);"
                    + " WHEN 2 THEN SET SESSION max_sort_length = 1000 + FLOOR(RAND() * 100);"
                    + " WHEN 3 THEN SIGNAL SQLSTATE '45000';"
                    + " WHEN 4 THEN INSERT INTO weir.plain (b) VALUES ('z');"
                    + " ELSE DO 1; END CASE; RETURN what; END",
            "CREATE OR REPLACE TRIGGER weir.on_insert AFTER INSERT ON weir.traps FOR EACH ROW DO weir.hidden(NEW.b)",
            "CREATE OR REPLACE TRIGGER weir.on_update AFTER UPDATE ON weir.traps FOR EACH ROW DO weir.hidden(NEW.b)",
            "CREATE OR REPLACE PROCEDURE weir.work() SET @a = UUID()");

    private final Map<Kind, Integer> changed = new EnumMap<>(Kind.class);
    private final Map<Kind, Integer> unchanged = new EnumMap<>(Kind.class);

    @AfterAll
    static void dropTraps() throws SQLException {
        MariaDbShared.execute("DROP DATABASE IF EXISTS traps_of_names");
        for (String name : RandomMariaDbTexts.TRAPS) {
            MariaDbShared.execute("DROP FUNCTION IF EXISTS weir.`" + name + "`");
        }
        MariaDbShared.execute("DROP VIEW IF EXISTS weir.v");
    }

    @Test
    void whatTextsLeaveIsTold() throws SQLException {
        Long wanted = Long.getLong("texts.seed");
        if (wanted != null) {
            run(wanted, 4 * TEXTS);
            return;
        }
        long any = new Random().nextLong();
        System.out.println("texts: also with -Dtexts.seed=" + any);
        run(1, TEXTS);
        run(any, TEXTS);
        // Little would be proved by texts that all fail, or all pin.
        assertThat(changed).containsOnlyKeys(Kind.LEAVES, Kind.SETS, Kind.PINS);
        assertThat(changed.values()).allMatch(times -> times > 1);
        assertThat(unchanged.get(Kind.CLEAR)).isGreaterThan(20);
    }

    @Test
    @Tag("thorough")
    void whatTextsLeaveIsToldUnderManySeeds() throws SQLException {
        long base = Long.getLong("texts.base", 1_000);
        long seeds = Long.getLong("texts.seeds", 20);
        for (long seed = base; seed < base + seeds; seed++) {
            run(seed, 4 * TEXTS);
        }
        System.out.println(
                "texts: " + seeds + " seeds from " + base + ", changed " + changed + ", unchanged " + unchanged);
    }

    /** Else a text that calls a user's function would be taken for one that calls the server's. */
    @Test
    void namesThatAreBuiltInAreNeverThoseOfAUser() throws SQLException {
        MariaDbShared.execute("CREATE OR REPLACE DATABASE traps_of_names");
        Set<String> names = new TreeSet<>(MariaDbNames.FUNCTIONS);
        names.addAll(MariaDbNames.KEYWORDS);
        try (Connection connection = connect(0);
                Statement statement = connection.createStatement()) {
            statement.execute("USE traps_of_names");
            statement.execute("SET @trap = 'none'");
            for (String name : names) {
                statement.execute("CREATE FUNCTION `" + name + "`(a int) RETURNS int BEGIN SET @trap = CONCAT(@trap, ' "
                        + name + "'); RETURN 1; END");
                attempt(connection, "SELECT " + name + "(1)");
                attempt(connection, "SELECT 2 = " + name + (MariaDbNames.NOT_SPACED.contains(name) ? "(1)" : " (1)"));
            }
            try (ResultSet trap = statement.executeQuery("SELECT @trap")) {
                assertThat(trap.next()).isTrue();
                assertThat(trap.getString(1)).isEqualTo("none");
            }
        }
    }

    private void run(long seed, int count) throws SQLException {
        Random random = new Random(seed);
        RandomMariaDbTexts texts = new RandomMariaDbTexts(random);
        setUp();
        int mode = (int) Math.floorMod(seed, (long) MODES.size());
        Connection connection = connect(mode);
        try {
            SessionSql sql = new MySqlDialectOf(connection).sql();
            Map<String, String> first = sql.first(connection);
            Map<String, String> fresh = state(connection);
            Map<String, String> before = fresh;
            for (int i = 0; i < count; i++) {
                String text = texts.next();
                Effect effect = MariaDbText.effectOf(text);
                String where = effect + ", text " + i + " of seed " + seed + ", error "
                        + runAndEnd(connection, text, random.nextBoolean()) + ":\n" + text;
                Map<String, String> after = connection.isClosed() ? Map.of() : state(connection);
                Set<String> missed = missed(before, after, effect);
                if (!missed.isEmpty()) {
                    throw new AssertionError(String.join(", ", missed) + " was left by a text that is " + where);
                }
                (before.equals(after) ? unchanged : changed).merge(effect.kind(), 1, Integer::sum);
                if (connection.isClosed()) {
                    connection = connect(mode);
                    sql = new MySqlDialectOf(connection).sql();
                    first = sql.first(connection);
                    fresh = state(connection);
                } else if (effect.kind() != Kind.CLEAR) {
                    sql.sweep(connection);
                    first.remove(SessionSql.HIDES);
                    sql.set(connection, new TreeMap<>(first));
                    assertThat(state(connection))
                            .as("swept after a text that is %s", where)
                            .isEqualTo(fresh);
                }
                before = fresh;
                if (i % 100 == 99) {
                    setUp(); // of which texts dropped some
                }
            }
        } finally {
            connection.close();
        }
    }

    private record MySqlDialectOf(Connection connection) {
        SessionSql sql() {
            return Objects.requireNonNull(Objects.requireNonNull(MySqlDialect.find(connection.getClass()))
                    .sessionSql(connection));
        }
    }

    private static void setUp() throws SQLException {
        MariaDbShared.execute(SETUP.toArray(String[]::new));
        for (String name : RandomMariaDbTexts.TRAPS) {
            MariaDbShared.execute("CREATE OR REPLACE FUNCTION weir.`" + name
                    + "`(a int) RETURNS int BEGIN SET @trap = UUID(); RETURN 1; END");
        }
    }

    private static Connection connect(int mode) throws SQLException {
        String url = MariaDbShared.Driver.MARIADB.url() + "&useResetConnection=true&sessionVariables=sql_mode="
                + MODES.get(mode);
        return DriverManager.getConnection(url, "root", "");
    }

    private static void attempt(Connection connection, String sql) {
        String ignored = failureOf(connection, sql);
    }

    private static String failureOf(Connection connection, String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return "";
        } catch (SQLException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Returns what failed; the transaction that the text left open is ended. */
    private static String runAndEnd(Connection connection, String text, boolean commits) throws SQLException {
        String error = failureOf(connection, text);
        if (!connection.isClosed()) {
            attempt(connection, commits ? "COMMIT" : "ROLLBACK");
        }
        return error;
    }

    private static Map<String, String> state(Connection connection) throws SQLException {
        Map<String, String> state = new TreeMap<>();
        try (Statement statement = connection.createStatement()) {
            try (ResultSet rows = statement.executeQuery(STATE)) {
                while (rows.next()) {
                    state.put(rows.getString(1), String.valueOf(rows.getString(2)));
                }
            } catch (SQLException locked) {
                return Map.of("tables", "locked");
            }
        }
        PROBES.forEach((what, probe) -> {
            if (failureOf(connection, probe).isEmpty()) {
                state.put(what, "there");
            }
        });
        state.put(
                "tables",
                failureOf(connection, "SELECT 1 FROM other.plain").contains("not locked") ? "locked" : "free");
        return state;
    }

    /** What changed and is not covered by what was said; empty if all is. */
    private static Set<String> missed(Map<String, String> before, Map<String, String> after, Effect effect) {
        Set<String> missed = new TreeSet<>(before.keySet());
        missed.addAll(after.keySet());
        missed.removeIf(what -> Objects.equals(before.get(what), after.get(what))
                || effect.kind() == Kind.PINS
                || (HIDDEN.contains(what) && effect.kind() == Kind.LEAVES)
                || (what.startsWith("setting ")
                        && effect.kind() == Kind.SETS
                        && effect.names().contains(what.substring("setting ".length()))));
        return missed;
    }
}
