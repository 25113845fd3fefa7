package dev.weir;

import static dev.weir.PostgresShared.filled;
import static dev.weir.PostgresShared.server;
import static dev.weir.PostgresShared.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A connection in the mode transaction does what a connection of one's own does. Several users take random steps, each on a
 * connection of the pool and on one that he alone has; both end alike, and leave the same session. Their connections of the database
 * are far fewer than the users' turns, so each session meets every user. The message of a failure has the seed, and {@code
 * -Dmode.seed=} repeats it.
 */
final class PoolModeModelTest {
    private static final int USERS = 4;
    private static final int STEPS = 150;

    private static final String STATE = """
            SELECT concat_ws(' | ', current_setting('work_mem'), current_setting('statement_timeout'),
              current_setting('search_path'), current_setting('application_name'),
              'a=' || coalesce(current_setting('app.a', true), ''), 'b=' || coalesce(current_setting('app.b', true), ''),
              current_setting('transaction_isolation'), current_setting('transaction_read_only'),
              current_setting('default_transaction_isolation'),
              'temporary=' || coalesce(to_regclass('pg_temp.mine')::text, ''),
              'prepared=' || (SELECT count(*) FROM pg_prepared_statements WHERE from_sql),
              'listens=' || (SELECT count(*) FROM pg_listening_channels()),
              'locks=' || (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()))
            """;

    private static final List<String> TEXTS = List.of(
            "SELECT 1",
            "SELECT 1/0",
            "SET work_mem = '%dMB'",
            "SET LOCAL work_mem = '%dMB'",
            "SET app.a = '%d'",
            "SET LOCAL app.a TO '%d'",
            "SET search_path = s%d, public",
            "SET statement_timeout = '%dmin'",
            "SELECT set_config('app.b', 'x' || %d, false)",
            "SELECT set_config('app.b', 'x' || %d, true)",
            "RESET app.a",
            "RESET work_mem",
            "SET work_mem TO DEFAULT; SELECT %d",
            "SET app.a = '%d'; SET app.b = '%d'",
            "SET app.a = '%d'; SELECT 1/0",
            "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ",
            "INSERT INTO noted VALUES ('%s')",
            "CREATE TEMP TABLE mine AS SELECT %d AS a",
            "DROP TABLE IF EXISTS pg_temp.mine",
            "LISTEN news",
            "UNLISTEN *",
            "SELECT pg_advisory_lock_shared(%s)",
            "SELECT pg_advisory_unlock_shared(%s)",
            "PREPARE mine%d AS SELECT 1");

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    /** One who has a connection of the pool, and one of his own that must do the same. */
    private static final class User {
        final int number;
        Connection pooled;
        Connection own;

        User(int number, Connection pooled, Connection own) {
            this.number = number;
            this.pooled = pooled;
            this.own = own;
        }
    }

    private interface Step {
        @Nullable
        Object on(Connection connection) throws SQLException;
    }

    @BeforeEach
    void tables() {
        server().execute("CREATE TABLE noted (a text)");
        server().execute("GRANT ALL ON noted TO " + PostgresShared.USER);
        server().execute("CREATE FUNCTION notes() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$BEGIN PERFORM set_config('app.hidden', NEW.a, false); RETURN NEW; END$$");
        server().execute("CREATE TRIGGER notes BEFORE INSERT ON noted FOR EACH ROW EXECUTE FUNCTION notes()");
    }

    @AfterEach
    void nothingIsLeft() {
        server().execute("DROP TABLE noted; DROP FUNCTION notes()");
        PostgresShared.assertNothingLeft(threads);
    }

    @Test
    void aConnectionOfThePoolDoesWhatOnesOwnDoes() throws SQLException {
        for (long seed : new long[] {1, 2, Long.getLong("mode.seed", System.nanoTime())}) {
            run(seed);
        }
    }

    @Test
    @Tag("thorough")
    void aConnectionOfThePoolDoesWhatOnesOwnDoesForManySeeds() throws SQLException {
        for (long seed = 100; seed < 160; seed++) {
            run(seed);
        }
    }

    private static void run(long seed) throws SQLException {
        Random random = new Random(seed);
        List<User> users = new ArrayList<>();
        try (WeirDataSource pool = filled(USERS, PostgresShared.pool().poolMode("transaction"))) {
            try {
                for (int i = 0; i < USERS; i++) {
                    users.add(new User(i, pool.getConnection(), own()));
                }
                List<String> taken = new ArrayList<>();
                for (int i = 0; i < STEPS; i++) {
                    User user = users.get(random.nextInt(USERS));
                    take(user, pool, random, taken, "seed " + seed);
                }
            } finally {
                for (User user : users) {
                    user.pooled.close();
                    user.own.close();
                }
            }
            assertThat(pool.stats().inUse()).as("seed " + seed).isZero();
        }
    }

    private static Connection own() throws SQLException {
        return DriverManager.getConnection(server().jdbcUrl("postgres"), PostgresShared.USER, PostgresShared.PASSWORD);
    }

    private static void take(User user, WeirDataSource pool, Random random, List<String> taken, String seed)
            throws SQLException {
        if (random.nextInt(25) == 0) {
            taken.add(user.number + ": close");
            user.pooled.close();
            user.own.close();
            user.pooled = pool.getConnection();
            user.own = own();
            return;
        }
        String name;
        Step step;
        int kind = random.nextInt(12);
        int value = 1 + random.nextInt(3);
        switch (kind) {
            case 0, 1 -> {
                boolean on = random.nextBoolean();
                name = "setAutoCommit " + on;
                step = connection -> {
                    connection.setAutoCommit(on);
                    return connection.getAutoCommit();
                };
            }
            case 2, 3 -> {
                name = "commit";
                step = connection -> {
                    connection.commit();
                    return null;
                };
            }
            case 4 -> {
                name = "rollback";
                step = connection -> {
                    connection.rollback();
                    return null;
                };
            }
            case 5 -> {
                name = "setSchema s" + value;
                step = connection -> {
                    if (connection.getAutoCommit()) { // else it is the first of a transaction, or not
                        connection.setSchema("s" + value);
                    }
                    return null;
                };
            }
            case 6 -> {
                name = "setClientInfo " + value;
                step = connection -> {
                    if (connection.getAutoCommit()) {
                        connection.setClientInfo("ApplicationName", "of " + value);
                    }
                    return connection.getClientInfo("ApplicationName");
                };
            }
            case 7 -> {
                int level = value == 1 ? Connection.TRANSACTION_READ_COMMITTED : Connection.TRANSACTION_SERIALIZABLE;
                name = "setTransactionIsolation " + level;
                step = connection -> {
                    connection.setTransactionIsolation(level);
                    return connection.getTransactionIsolation();
                };
            }
            default -> {
                String sql = TEXTS.get(random.nextInt(TEXTS.size()))
                        .replace("%d", Integer.toString(value))
                        .replace("%s", Integer.toString(user.number));
                name = sql;
                step = connection -> {
                    try (Statement statement = connection.createStatement()) {
                        return statement.execute(sql);
                    }
                };
            }
        }
        taken.add(user.number + ": " + name);
        String of = seed + ", after " + taken;
        Object own = outcome(user.own, step);
        assertThat(outcome(user.pooled, step)).as(of).isEqualTo(own);
        assertThat(outcome(user.pooled, Connection::getAutoCommit))
                .as(of)
                .isEqualTo(outcome(user.own, Connection::getAutoCommit));
        assertThat(outcome(user.pooled, connection -> text(connection, STATE)))
                .as(of)
                .isEqualTo(outcome(user.own, connection -> text(connection, STATE)));
        Object hidden =
                outcome(user.pooled, connection -> text(connection, "SELECT current_setting('app.hidden', true)"));
        if (hidden instanceof String left && !left.startsWith("SQLState")) {
            assertThat(left).as(of).isIn("", Integer.toString(user.number));
        }
    }

    /** The answer, or the state of the failure. */
    private static @Nullable Object outcome(Connection connection, Step step) {
        try {
            return step.on(connection);
        } catch (SQLException e) {
            return "SQLState " + e.getSQLState();
        }
    }
}
