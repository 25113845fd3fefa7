package dev.weir.internal.sessions;

import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.pid;
import static dev.weir.PostgresShared.server;
import static dev.weir.PostgresShared.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PoolConfig;
import dev.weir.PostgresShared;
import dev.weir.WeirDataSource;
import dev.weir.internal.engine.Loan;
import dev.weir.internal.slots.Slot;
import dev.weir.testkit.servers.ThreadsLeft;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PgConnection;

/** P2 on a real server: a loan never goes back to a value from inside of it, nor to what SQL text made of it. */
final class BaselineOnPostgresTest {
    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @BeforeEach
    void createSchemas() {
        server().execute("DROP SCHEMA IF EXISTS tenant_a CASCADE");
        server().execute("CREATE SCHEMA tenant_a");
        server().execute("GRANT ALL ON SCHEMA tenant_a TO weir");
    }

    @AfterEach
    void nothingIsLeft() {
        PostgresShared.assertNothingLeft(threads);
        server().execute("DROP SCHEMA tenant_a CASCADE");
    }

    private static void begin(Connection c) throws SQLException {
        execute(c, "BEGIN");
        execute(c, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
        execute(c, "SET LOCAL search_path TO tenant_a");
        execute(c, "SET LOCAL default_transaction_read_only TO on");
    }

    private static Map<String, PostgresShared.Work> works() {
        Map<String, PostgresShared.Work> works = new LinkedHashMap<>();
        works.put("unwrapped in a transaction of its own settings, committed", c -> {
            begin(c);
            c.unwrap(PGConnection.class);
            execute(c, "COMMIT");
        });
        works.put("the same, left open", c -> {
            begin(c);
            c.unwrap(PGConnection.class);
        });
        works.put("set in such a transaction, rolled back", c -> {
            begin(c);
            c.setSchema("pg_catalog");
            execute(c, "ROLLBACK");
        });
        works.put("set in such a transaction, committed", c -> {
            begin(c);
            c.setSchema("pg_catalog");
            execute(c, "COMMIT");
        });
        works.put("a setter refused in such a transaction", c -> {
            begin(c);
            assertThatThrownBy(() -> c.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED))
                    .isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> c.setReadOnly(true)).isInstanceOf(SQLException.class);
            execute(c, "COMMIT");
        });
        works.put("set after a plain SET that is rolled back", c -> {
            execute(c, "BEGIN");
            execute(c, "SET search_path TO tenant_a");
            c.setSchema("pg_catalog");
            execute(c, "ROLLBACK");
        });
        works.put("set after a plain SET", c -> {
            execute(c, "SET search_path TO tenant_a");
            c.setSchema("pg_catalog");
        });
        works.put("set, then as text", c -> {
            c.setSchema("pg_catalog");
            execute(c, "SET search_path TO tenant_a");
        });
        works.put("set, then RESET", c -> {
            c.setSchema("pg_catalog");
            execute(c, "RESET search_path");
        });
        works.put("the isolation set after SET SESSION CHARACTERISTICS", c -> {
            execute(c, "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY");
            execute(c, "COMMIT");
            c.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        });
        works.put("as text through the unwrapped connection", c -> {
            Connection raw = c.unwrap(PgConnection.class);
            execute(raw, "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY");
            execute(raw, "SET search_path TO tenant_a");
        });
        works.put("nothing but text, which the server reports", c -> {
            execute(c, "SET search_path TO tenant_a");
            execute(c, "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY");
            execute(c, "COMMIT");
        });
        works.put("nothing but text for the schema", c -> {
            execute(c, "SET search_path TO tenant_a");
            execute(c, "COMMIT");
        });
        works.put("nothing but text for read only", c -> {
            execute(c, "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY");
            execute(c, "COMMIT");
        });
        works.put("after functions of its own shadowed those asked", c -> {
            c.setSchema("tenant_a");
            execute(
                    c,
                    "CREATE FUNCTION tenant_a.set_config(text, text, boolean) RETURNS text LANGUAGE sql AS"
                            + " $$ SELECT 'mine' $$");
            execute(c, "SET search_path TO tenant_a, pg_catalog");
            execute(c, "COMMIT");
        });
        return works;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theNextUserFindsWhatTheFirstOneFound(boolean autoCommit) throws Exception {
        for (Map.Entry<String, PostgresShared.Work> work : works().entrySet()) {
            assertUnchanged(PostgresShared.pool().autoCommit(autoCommit), work.getKey(), work.getValue());
        }
    }

    /** The driver's getters would be a round trip each, for the catalog too. */
    @Test
    void aNewSessionIsAskedOnce() throws Exception {
        try (WeirDataSource pool = PostgresShared.filled(3, PostgresShared.pool());
                Connection connection = pool.getConnection()) {
            List<String> last = new ArrayList<>();
            try (Statement statement = connection.createStatement();
                    ResultSet sessions = statement.executeQuery("SELECT query FROM pg_stat_activity"
                            + " WHERE usename = 'weir' AND pid <> pg_backend_pid()")) {
                while (sessions.next()) {
                    last.add(sessions.getString(1));
                }
            }
            assertThat(last).anyMatch(query -> query.contains("current_setting('default_transaction_isolation')"));
            assertThat(last).noneMatch(query -> query.contains("current_catalog"));
            assertThat(connection.getCatalog()).isEqualTo(text(connection, "SELECT current_database()"));
        }
    }

    @Test
    void alsoWhatIsConfigured() throws Exception {
        for (Map.Entry<String, PostgresShared.Work> work : works().entrySet()) {
            assertUnchanged(
                    PostgresShared.pool()
                            .schema("public")
                            .readOnly(false)
                            .transactionIsolation(Connection.TRANSACTION_REPEATABLE_READ),
                    work.getKey(),
                    work.getValue());
        }
    }

    @Test
    void alsoWhatTheInitialSqlMadeOfItWhereAResetSweepsThatAway() throws Exception {
        assertUnchanged(
                PostgresShared.pool()
                        .connectionInitSql("SET search_path = \"$user\", tenant_a;"
                                + " SET default_transaction_isolation = 'repeatable read'")
                        .resetSql("DISCARD ALL"),
                "reset",
                c -> text(c, "SELECT 1"));
    }

    private static void assertUnchanged(PoolConfig.Builder settings, String what, PostgresShared.Work work)
            throws Exception {
        try (WeirDataSource pool = new WeirDataSource(
                settings.minimumPoolSize(1).maximumPoolSize(1).build())) {
            Map<String, @Nullable Object> first;
            int pid;
            try (Connection c = pool.getConnection()) {
                pid = pid(c);
                first = stateOf(c);
            }
            for (int again = 0; again < 2; again++) {
                try (Connection c = pool.getConnection()) {
                    work.with(c);
                }
                try (Connection c = pool.getConnection()) {
                    assertThat(stateOf(c)).as(what).isEqualTo(first);
                    assertThat(pid(c)).as("the session was kept: " + what).isEqualTo(pid);
                }
                server().execute("DROP FUNCTION IF EXISTS tenant_a.set_config");
            }
        }
    }

    private static Map<String, @Nullable Object> stateOf(Connection c) throws SQLException {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("autoCommit", c.getAutoCommit());
        all.put("readOnly", c.isReadOnly());
        all.put("isolation", c.getTransactionIsolation());
        all.put("schema", c.getSchema());
        for (String name : new String[] {
            "search_path", "default_transaction_isolation", "transaction_isolation", "transaction_read_only"
        }) {
            all.put(name, text(c, "SHOW " + name));
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCallThatFailsWhileAConnectionIsPreparedLeavesNoUserWithTheStateOfAnother(boolean unchecked) throws Exception {
        for (String resetSql : new String[] {"", "DISCARD ALL"}) {
            FailingOnce driver = new FailingOnce(unchecked);
            do {
                driver.failNext();
                PoolConfig.Builder settings = PoolConfig.builder()
                        .dataSource(driver.dataSource())
                        .minimumPoolSize(0)
                        .maximumPoolSize(1)
                        .initializationFailTimeout(Duration.ofMillis(-1))
                        .connectionTimeout(PostgresShared.SOON)
                        .registerMbeans(false);
                try (WeirDataSource pool =
                        new WeirDataSource((resetSql.isEmpty() ? settings : settings.resetSql(resetSql)).build())) {
                    for (int user = 0; user < 3; user++) {
                        try (Connection c = pool.getConnection()) {
                            driver.isPreparing = false;
                            String what = driver.failed + " failed, reset '" + resetSql + "', user " + user;
                            assertThat(text(c, "SHOW search_path")).as(what).isEqualTo("\"$user\", public");
                            assertThat(text(c, "SHOW application_name"))
                                    .as(what)
                                    .isEqualTo("the shop");
                            execute(c, "SET search_path TO tenant_a");
                        }
                    }
                }
            } while (driver.failed != null);
            assertThat(driver.callToFail).as("calls that failed").isGreaterThan(10);
        }
    }

    /** A driver of which one call fails, each time a later one, before a connection is lent for the first time. */
    private static final class FailingOnce {
        private final boolean unchecked;
        private int callToFail;
        private int calls;
        private volatile boolean isPreparing;
        private volatile @Nullable String failed;

        FailingOnce(boolean unchecked) {
            this.unchecked = unchecked;
        }

        void failNext() {
            callToFail++;
            calls = 0;
            failed = null;
            isPreparing = true;
        }

        DataSource dataSource() {
            PGSimpleDataSource driver = new PGSimpleDataSource();
            driver.setUrl(server().jdbcUrl("postgres", server().port()));
            driver.setUser("weir");
            driver.setPassword("the-secret-of-weir");
            driver.setApplicationName("the shop");
            return proxy(DataSource.class, driver);
        }

        private <T> T proxy(Class<T> type, Object target) {
            return type.cast(Proxy.newProxyInstance(
                    BaselineOnPostgresTest.class.getClassLoader(),
                    new Class<?>[] {type},
                    (proxy, method, arguments) -> call(target, method, arguments)));
        }

        private @Nullable Object call(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
            boolean ends = method.getName().equals("close") || method.getName().equals("abort");
            if (isPreparing && !ends && method.getDeclaringClass() != Object.class && next() == callToFail) {
                failed = method.getName();
                if (unchecked || method.getExceptionTypes().length == 0) {
                    throw new IllegalStateException("by chance");
                }
                throw new SQLException("by chance", "57014");
            }
            try {
                Object result = method.invoke(target, arguments);
                if (result instanceof Connection) {
                    return proxy(BaseConnection.class, result);
                }
                return result instanceof Statement && !(result instanceof PreparedStatement)
                        ? proxy(Statement.class, result)
                        : result;
            } catch (InvocationTargetException e) {
                throw e.getTargetException();
            }
        }

        private synchronized int next() {
            return ++calls;
        }
    }

    @Test
    void openingAsksOnceForAllThatTheDriverDoesNotKnow() throws Exception {
        List<String> calls = new ArrayList<>();
        try (Connection real = server().connect()) {
            Connection counted = (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {BaseConnection.class}, (proxy, method, arguments) -> {
                        calls.add(method.getName());
                        try {
                            return method.invoke(real, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getTargetException();
                        }
                    });
            Slot slot = new Loan().slot(counted);
            assertThat(calls).filteredOn("createStatement"::equals).hasSize(1);
            assertThat(calls).doesNotContain("isValid", "getTransactionIsolation", "getSchema", "prepareStatement");
            calls.clear();
            try (Connection c = Loan.lend(slot)) {
                c.unwrap(BaseConnection.class);
            }
            assertThat(calls).filteredOn("prepareStatement"::equals).hasSize(1);
            assertThat(calls).doesNotContain("createStatement", "getTransactionIsolation", "getSchema");
        }
    }
}
