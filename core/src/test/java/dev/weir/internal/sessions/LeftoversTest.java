package dev.weir.internal.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PostgresShared;
import dev.weir.internal.sessions.Effect.Kind;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.PgConnection;

/**
 * The server knows what a text left: random texts are run, and the state of the session is asked for before and after. A state
 * that changed without a word of {@link PostgresText} is a failure; its message has the seed, and {@code -Dtexts.seed=} repeats it.
 */
class LeftoversTest {
    private static final int TEXTS = 500;

    /** Triggers and a default set these; nothing else does. */
    private static final Set<String> HIDDEN =
            Set.of("setting app.hidden", "lock 777", "listens hidden", "temporary hidden_temp", "lastval");

    private static final String STATE = """
            SELECT 'setting ' || lower(name), setting FROM pg_settings
              WHERE source = 'session' AND name NOT LIKE 'transaction\\_%' AND name <> 'is_superuser'
            UNION ALL SELECT 'setting app.' || n, current_setting('app.' || n, true)
              FROM unnest(ARRAY['a', 'b', 'c', 'trap', 'hidden']) n WHERE current_setting('app.' || n, true) <> ''
            UNION ALL SELECT 'setting role', current_setting('role')
            UNION ALL SELECT 'user', session_user
            UNION ALL SELECT 'prepared ' || name, statement FROM pg_prepared_statements WHERE from_sql
            UNION ALL SELECT 'cursor ' || name, statement FROM pg_cursors WHERE name <> ''
            UNION ALL SELECT 'listens ' || l, '' FROM pg_listening_channels() l
            UNION ALL SELECT 'lock ' || objid, mode FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()
            UNION ALL SELECT 'temporary ' || relname, '' FROM pg_class
              WHERE relnamespace = pg_my_temp_schema() AND relkind <> 'i'
            UNION ALL SELECT 'temporary ' || proname, '' FROM pg_proc WHERE pronamespace = pg_my_temp_schema()
            """;

    private static final String SETUP = """
            DROP SCHEMA IF EXISTS public, other CASCADE;
            CREATE SCHEMA public;
            CREATE SCHEMA other;
            GRANT ALL ON SCHEMA public, other TO others;
            CREATE SEQUENCE s;
            CREATE TABLE plain (a int PRIMARY KEY DEFAULT (random() * 1000000)::int, b text);
            INSERT INTO plain VALUES (1, 'x'), (2, 'y');
            CREATE FUNCTION hidden(what int) RETURNS int LANGUAGE plpgsql AS $body$ BEGIN
              CASE what
                WHEN 0 THEN PERFORM set_config('app.hidden', clock_timestamp()::text, false);
                WHEN 1 THEN PERFORM pg_advisory_lock(777);
                WHEN 2 THEN LISTEN hidden;
                WHEN 3 THEN CREATE TEMP TABLE IF NOT EXISTS hidden_temp (a int);
                WHEN 4 THEN PERFORM 1 / 0;
                ELSE NULL;
              END CASE;
              RETURN what;
            END $body$;
            CREATE FUNCTION on_traps() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN
              PERFORM hidden(NEW.b);
              RETURN NEW;
            END $body$;
            CREATE TABLE traps (a serial, b int, c int DEFAULT hidden(0));
            CREATE TRIGGER t AFTER INSERT OR UPDATE ON traps FOR EACH ROW EXECUTE FUNCTION on_traps();
            CREATE FUNCTION same(text, text) RETURNS boolean LANGUAGE plpgsql AS $body$ BEGIN
              PERFORM set_config('app.trap', clock_timestamp()::text, false);
              RETURN true;
            END $body$;
            CREATE FUNCTION records(text) RETURNS SETOF record LANGUAGE plpgsql AS $body$ BEGIN
              PERFORM set_config('app.trap', clock_timestamp()::text, false);
              RETURN QUERY SELECT 'a'::text;
            END $body$;
            CREATE OPERATOR === (FUNCTION = same, LEFTARG = text, RIGHTARG = text);
            CREATE PROCEDURE work() LANGUAGE plpgsql AS $body$ BEGIN
              PERFORM set_config('app.trap', clock_timestamp()::text, false);
            END $body$;
            """;

    private static final String TRAP = """
            (anycompatible) RETURNS text LANGUAGE plpgsql AS $body$ BEGIN
              PERFORM set_config('app.trap', clock_timestamp()::text, false);
              RETURN 'trap';
            END $body$;
            """;

    private final Map<Kind, Integer> changed = new EnumMap<>(Kind.class);
    private final Map<Kind, Integer> unchanged = new EnumMap<>(Kind.class);

    @BeforeAll
    static void createDatabase() {
        PostgresShared.server().execute("DROP DATABASE IF EXISTS texts");
        PostgresShared.server().execute("CREATE DATABASE texts");
        PostgresShared.server().execute("ALTER DATABASE texts SET statement_timeout = '5s'");
    }

    @AfterAll
    static void dropDatabase() {
        PostgresShared.server().execute("DROP DATABASE texts WITH (FORCE)");
    }

    @Test
    void whatTextsLeaveIsTold() throws SQLException {
        Long wanted = Long.getLong("texts.seed");
        if (wanted != null) {
            run(wanted);
            return;
        }
        long any = new Random().nextLong();
        System.out.println("texts: also with -Dtexts.seed=" + any);
        run(1);
        run(any);
        // Little would be proved by texts that all fail, or all pin.
        assertThat(changed).containsOnlyKeys(Kind.LEAVES, Kind.SETS, Kind.LOCKS, Kind.PINS);
        assertThat(changed.values()).allMatch(times -> times > 2);
        assertThat(unchanged.get(Kind.CLEAR)).isGreaterThan(50);
    }

    @Test
    @Tag("thorough")
    void whatTextsLeaveIsToldUnderManySeeds() throws SQLException {
        long base = Long.getLong("texts.base", 1_000);
        long seeds = Long.getLong("texts.seeds", 20);
        for (long seed = base; seed < base + seeds; seed++) {
            run(seed);
        }
        System.out.println(
                "texts: " + seeds + " seeds from " + base + ", changed " + changed + ", unchanged " + unchanged);
    }

    private void run(long seed) throws SQLException {
        Random random = new Random(seed);
        RandomTexts texts = new RandomTexts(random);
        Connection connection = connect("simple");
        try (Statement statement = connection.createStatement()) {
            statement.execute(SETUP);
            for (String name : RandomTexts.TRAPS) {
                statement.execute("CREATE FUNCTION public." + name + TRAP);
            }
            statement.execute("CREATE FUNCTION public.lower" + TRAP);
        } finally {
            connection.close();
        }
        String mode = seed % 2 == 0 ? "simple" : "extended"; // the driver cuts the text at each ;, or the server does
        connection = connect(mode);
        try {
            Map<String, String> before = state(connection);
            for (int i = 0; i < TEXTS; i++) {
                String text = texts.next();
                Effect effect = PostgresText.effectOf(text);
                String error = runAndEnd(connection, text, random.nextBoolean());
                Map<String, String> after = connection.isClosed() ? Map.of() : state(connection);
                Set<String> missed = missed(before, after, effect);
                if (!missed.isEmpty()) {
                    throw new AssertionError(String.join(", ", missed) + " was left by a text that is " + effect
                            + ", text " + i + " of seed " + seed + " (" + mode + "), error " + error + ":\n" + text);
                }
                (before.equals(after) ? unchanged : changed).merge(effect.kind(), 1, Integer::sum);
                if (connection.isClosed()) {
                    connection = connect(mode);
                    before = state(connection);
                } else if (effect.kind() != Kind.CLEAR) {
                    execute(connection, "DISCARD ALL");
                    before = state(connection);
                }
            }
        } finally {
            connection.close();
        }
    }

    private static Connection connect(String queryMode) throws SQLException {
        String url = PostgresShared.server().jdbcUrl("texts") + "?user=postgres&preferQueryMode=" + queryMode;
        return DriverManager.getConnection(url);
    }

    /** Returns what failed; the transaction that the text left open is ended. */
    private static String runAndEnd(Connection connection, String text, boolean commits) throws SQLException {
        String error = "";
        try (Statement statement = connection.createStatement()) {
            statement.execute(text);
        } catch (SQLException e) {
            error = String.valueOf(e.getMessage());
        }
        if (!connection.isClosed()
                && connection.unwrap(PgConnection.class).getTransactionState() != TransactionState.IDLE) {
            execute(connection, commits ? "COMMIT" : "ROLLBACK");
        }
        return error;
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static Map<String, String> state(Connection connection) throws SQLException {
        Map<String, String> state = new TreeMap<>();
        try (Statement statement = connection.createStatement()) {
            try (ResultSet rows = statement.executeQuery(STATE)) {
                while (rows.next()) {
                    state.put(rows.getString(1), rows.getString(2));
                }
            }
            try (ResultSet last = statement.executeQuery("SELECT lastval()")) {
                last.next();
                state.put("lastval", last.getString(1));
            } catch (SQLException none) {
                if (!"55000".equals(none.getSQLState())) {
                    state.put("lastval", "of a sequence that this role may not read");
                }
            }
        }
        return state;
    }

    /** What changed and is not covered by what was said; empty if all is. */
    private static Set<String> missed(Map<String, String> before, Map<String, String> after, Effect effect) {
        Set<String> missed = new TreeSet<>(before.keySet());
        missed.addAll(after.keySet());
        missed.removeIf(what -> before.getOrDefault(what, "").equals(after.getOrDefault(what, ""))
                || (effect.kind() == Kind.PINS)
                || (HIDDEN.contains(what) && effect.kind() == Kind.LEAVES)
                || (what.startsWith("lock ") && effect.kind() == Kind.LOCKS)
                || (what.startsWith("setting ")
                        && (effect.kind() == Kind.SETS || effect.kind() == Kind.LOCKS)
                        && effect.names().contains(what.substring("setting ".length()))));
        return missed;
    }
}
