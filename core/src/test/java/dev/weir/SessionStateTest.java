package dev.weir;

import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.filled;
import static dev.weir.PostgresShared.number;
import static dev.weir.PostgresShared.server;
import static dev.weir.PostgresShared.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The hook sessionState on a real PostgreSQL: each request has its own settings, and no request has another's. */
final class SessionStateTest {
    private static final int TENANTS = 20;
    private static final int REQUESTS = 1_000;

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @AfterEach
    void nothingIsLeft() {
        server().execute("DROP TABLE IF EXISTS orders");
        PostgresShared.assertNothingLeft(threads);
    }

    @ParameterizedTest
    @ValueSource(strings = {"session", "lazy", "transaction"})
    void noRequestSeesTheRowsOfAnotherTenant(String mode) throws Exception {
        server().execute("CREATE TABLE orders (tenant text, id int)");
        server().execute("INSERT INTO orders SELECT 'tenant ' || t, i FROM generate_series(1, " + TENANTS
                + ") t, generate_series(1, 3) i");
        server().execute("GRANT SELECT ON orders TO " + PostgresShared.USER);
        server().execute("ALTER TABLE orders ENABLE ROW LEVEL SECURITY");
        server().execute("CREATE POLICY own ON orders USING (tenant = current_setting('app.tenant', true))");
        ThreadLocal<String> tenant = new ThreadLocal<>();
        AtomicInteger next = new AtomicInteger();
        ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
        ExecutorService executor = Executors.newFixedThreadPool(16);
        try (WeirDataSource pool = filled(
                5,
                PostgresShared.pool()
                        .poolMode(mode)
                        .connectionTimeout(PostgresShared.SOON)
                        .sessionState(() -> Map.of("app.tenant", tenant.get())))) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++) {
                all.add(executor.submit(() -> {
                    String mine = "tenant " + (1 + next.getAndIncrement() % TENANTS);
                    tenant.set(mine);
                    try (Connection connection = pool.getConnection()) {
                        for (int j = 0; j < 2; j++) {
                            List<String> seen = tenants(connection);
                            if (!seen.equals(List.of(mine, mine, mine))) {
                                wrong.add(mine + " saw " + seen);
                            }
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } finally {
            executor.shutdownNow();
        }
        assertThat(wrong).isEmpty();
    }

    private static List<String> tenants(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT tenant FROM orders");
                ResultSet rows = statement.executeQuery()) {
            List<String> seen = new ArrayList<>();
            while (rows.next()) {
                seen.add(rows.getString(1));
            }
            return seen;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"session", "lazy", "transaction"})
    void theSettingsAreAskedOnTheUsersThreadAndGoWithTheRequest(String mode) throws SQLException {
        AtomicReference<Map<String, String>> settings = new AtomicReference<>(Map.of("app.tenant", "one"));
        AtomicReference<Thread> asked = new AtomicReference<>();
        try (WeirDataSource pool =
                filled(1, PostgresShared.pool().poolMode(mode).sessionState(() -> {
                    asked.set(Thread.currentThread());
                    return settings.get();
                }))) {
            try (Connection connection = pool.getConnection()) {
                assertThat(asked.get()).as("nothing is sent yet").isNull();
                assertThat(pool.stats().inUse()).isEqualTo(mode.equals("session") ? 1 : 0);
                assertThat(text(connection, "SELECT current_setting('app.tenant')"))
                        .isEqualTo("one");
                assertThat(asked.get()).isSameAs(Thread.currentThread());
            }
            Map<String, String> two = new LinkedHashMap<>();
            two.put("app.user", "me");
            two.put("application_name", "requests");
            settings.set(two);
            try (Connection connection = pool.getConnection()) {
                assertThat(text(connection, "SELECT current_setting('app.tenant', true)"))
                        .isEmpty();
                assertThat(text(connection, "SELECT current_setting('app.user')"))
                        .isEqualTo("me");
                assertThat(text(connection, "SHOW application_name")).isEqualTo("requests");
            }
            settings.set(Map.of());
            pool.getConnection().close();
            assertThat(pool.stats().inUse()).isZero();
            try (Connection connection = pool.getConnection()) {
                assertThat(text(connection, "SELECT current_setting('app.user', true)"))
                        .isEmpty();
                assertThat(text(connection, "SHOW application_name")).isEqualTo("PostgreSQL JDBC Driver");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"session", "lazy", "transaction"})
    void aSettingThatTheServerRefusesIsTheUsersErrorAndNoSessionIsLeftHalfPrepared(String mode) throws SQLException {
        AtomicReference<Map<String, String>> settings = new AtomicReference<>(Map.of("work_mem", "much"));
        try (WeirDataSource pool =
                filled(1, PostgresShared.pool().poolMode(mode).sessionState(settings::get))) {
            assertThatThrownBy(() -> {
                        try (Connection connection = pool.getConnection();
                                Statement statement = connection.createStatement()) {
                            statement.execute("SELECT 1");
                        }
                    })
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("work_mem");
            settings.set(Map.of());
            try (Connection connection = pool.getConnection()) {
                assertThat(number(connection, "SELECT 1")).isEqualTo(1);
                assertThat(text(connection, "SHOW work_mem")).isEqualTo("4MB");
            }
        }
    }

    @Test
    void aTriggerThatSetsSomethingNeverReachesAnotherUser() throws SQLException {
        server().execute("CREATE TABLE orders (id serial)");
        server().execute("GRANT ALL ON orders, orders_id_seq TO " + PostgresShared.USER);
        server().execute("CREATE OR REPLACE FUNCTION sets() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$BEGIN PERFORM set_config('app.tenant', 'of the trigger', false); RETURN NEW; END$$");
        server().execute("CREATE TRIGGER sets BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION sets()");
        try (WeirDataSource pool = filled(1, PostgresShared.pool().poolMode("transaction"));
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            execute(mine, "INSERT INTO orders DEFAULT VALUES");
            assertThat(pool.stats().inUse()).isZero();
            assertThat(text(other, "SELECT current_setting('app.tenant', true)"))
                    .isEmpty();
        } finally {
            server().execute("DROP TABLE orders; DROP FUNCTION sets()");
        }
    }

    /** Each hides a function from the text; what a schema must have for it, and the text. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE VIEW hiding AS SELECT noted('x') AS a; GRANT SELECT ON hiding TO PUBLIC | SELECT a FROM hiding",
                "CREATE TABLE hiding AS SELECT 'x' AS a; ALTER TABLE hiding ENABLE ROW LEVEL SECURITY;"
                        + " CREATE POLICY own ON hiding USING (noted(a) IS NOT NULL); GRANT SELECT ON hiding TO PUBLIC"
                        + " | SELECT a FROM hiding",
                "CREATE DOMAIN hidden AS text CHECK (noted(VALUE) IS NOT NULL) | SELECT 'x'::hidden",
                "CREATE TABLE hiding AS SELECT 'x' AS a; CREATE FUNCTION b(hiding) RETURNS text LANGUAGE sql AS"
                        + " $$SELECT noted($1.a)$$; GRANT SELECT ON hiding TO PUBLIC | SELECT hiding.b FROM hiding",
                "CREATE FUNCTION lower(int) RETURNS text LANGUAGE sql AS $$SELECT noted('x')$$ | SELECT lower(1)"
            })
    void aFunctionThatTheTextDoesNotNameNeverReachesAnotherUser(String schemaAndText) throws SQLException {
        String[] parts = schemaAndText.split(" \\| ", 2);
        server().execute("CREATE FUNCTION noted(text) RETURNS text LANGUAGE plpgsql AS"
                + " $$BEGIN RETURN set_config('app.tenant', 'hidden', false); END$$; " + parts[0]);
        try (WeirDataSource pool = filled(1, PostgresShared.pool().poolMode("transaction"));
                Connection mine = pool.getConnection();
                Connection other = pool.getConnection()) {
            execute(mine, parts[1]);
            assertThat(pool.stats().inUse()).isZero();
            assertThat(text(other, "SELECT current_setting('app.tenant', true)"))
                    .isEmpty();
        } finally {
            server().execute(
                            "DROP FUNCTION noted(text) CASCADE; DROP FUNCTION IF EXISTS b;"
                                    + " DROP FUNCTION IF EXISTS public.lower(int); DROP TABLE IF EXISTS hiding; DROP DOMAIN IF EXISTS hidden");
        }
    }

    @Test
    void itIsRefusedWhereTheServerIsNotPostgres() {
        StubDatabase database = new StubDatabase();
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .dataSource(database.dataSource())
                .sessionState(Map::of)
                .registerMbeans(false)
                .build())) {
            assertThatThrownBy(pool::start)
                    .hasMessageContaining("sessionState: set (expected: none; it needs PostgreSQL's own driver")
                    .hasRootCauseInstanceOf(SQLFeatureNotSupportedException.class);
        }
    }
}
