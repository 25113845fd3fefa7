package dev.weir.internal.sessions;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.LogCapture;
import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The dialect is found through a wrapper, and a wrapper that errs hurts nobody. */
class WrappedDialectTest {
    private final StubDatabase db = new StubDatabase(StubDatabase.Likeness.POSTGRESQL);
    private final StubDatabase other = new StubDatabase(StubDatabase.Likeness.POSTGRESQL);
    private final LogCapture log = new LogCapture();

    @AfterEach
    void close() {
        log.close();
        db.close();
        other.close();
    }

    /** A connection that passes everything on, but for these two. */
    private static Connection wrapper(
            Connection driver, Callable<Boolean> isWrapperFor, Callable<@Nullable Object> unwrap) {
        return (Connection) Proxy.newProxyInstance(
                WrappedDialectTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "isWrapperFor" -> isWrapperFor.call();
                    case "unwrap" -> unwrap.call();
                    default -> call(driver, method, args);
                });
    }

    private static @Nullable Object call(Object driver, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(driver, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private WeirDataSource pool(Function<Connection, Connection> wrapping) {
        DataSource source = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, args) -> wrapping.apply(db.dataSource().getConnection()));
        return new WeirDataSource(PoolConfig.builder()
                .dataSource(source)
                .poolName("wrapped")
                .maximumPoolSize(1)
                .connectionTimeout(Duration.ofSeconds(20))
                .registerMbeans(false)
                .build());
    }

    private static void execute(WeirDataSource pool, String... statements) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @Test
    void aTransactionBegunByTextIsRolledBack() throws SQLException {
        try (WeirDataSource pool = pool(driver -> wrapper(driver, () -> true, () -> driver))) {
            execute(pool, "BEGIN", "INSERT INTO t VALUES (1)");
            execute(pool, "INSERT INTO t VALUES (2)");
            assertThat(pool.dump()).contains("PostgreSQL through ", "BEGIN as text is seen, liveness test");
            Await.await(
                    "the line of the start",
                    Duration.ofSeconds(20),
                    () -> log.infos().stream()
                            .anyMatch(line -> line.contains("started") && line.contains("PostgreSQL through ")));
        }
        assertThat(db.committed()).containsExactly("INSERT INTO t VALUES (2)");
        assertThat(db.opened()).isEqualTo(1);
    }

    /** As the AWS wrapper does after a failover. */
    @Test
    void theConnectionOfNowIsAsked() throws SQLException {
        AtomicReference<@Nullable Connection> current = new AtomicReference<>();
        try (WeirDataSource pool = pool(driver -> {
                    current.set(driver);
                    return (Connection) Proxy.newProxyInstance(
                            getClass().getClassLoader(),
                            new Class<?>[] {Connection.class},
                            (proxy, method, args) -> switch (method.getName()) {
                                case "isWrapperFor" -> true;
                                case "unwrap" -> current.get();
                                default -> call(requireNonNull(current.get()), method, args);
                            });
                });
                Connection elsewhere = other.dataSource().getConnection()) {
            execute(pool, "SELECT 1");
            current.set(elsewhere);
            execute(pool, "BEGIN", "INSERT INTO t VALUES (1)");
            execute(pool, "INSERT INTO t VALUES (2)");
        }
        assertThat(other.committed()).containsExactly("INSERT INTO t VALUES (2)");
    }

    @Test
    void noConnectionThatIsIdleSparesARollback() throws SQLException {
        AtomicReference<@Nullable Connection> shown = new AtomicReference<>();
        try (WeirDataSource pool = pool(driver -> {
                    shown.set(driver);
                    return wrapper(driver, () -> true, shown::get);
                });
                Connection idle = other.dataSource().getConnection()) {
            execute(pool, "SELECT 1");
            shown.set(idle);
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                statement.execute("INSERT INTO t VALUES (1)");
            }
            execute(pool, "INSERT INTO t VALUES (2)");
        }
        assertThat(db.committed()).containsExactly("INSERT INTO t VALUES (2)");
    }

    /** A PgBouncer with {@code pool_mode = statement} closes a connection that begins a transaction. */
    @Test
    void aServerThatEndsConnectionsForATransactionIsPooledAsAnyDriver() throws SQLException {
        try (WeirDataSource pool = pool(driver -> (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    Object result = method.getName().equals("unwrap") ? driver : call(driver, method, args);
                    return result instanceof Statement statement ? withoutBegin(driver, statement) : result;
                }))) {
            execute(pool, "SELECT 1");
            assertThat(pool.dump()).contains("plain JDBC of ");
        }
        assertThat(db.opened()).isEqualTo(2);
        assertThat(log.infos()).anyMatch(line -> line.contains("transaction blocks not allowed"));
    }

    private Statement withoutBegin(Connection driver, Statement statement) {
        return (Statement) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Statement.class}, (proxy, method, args) -> {
                    if (args != null && args[0].equals("BEGIN")) {
                        db.kill(driver);
                        throw new SQLException("transaction blocks not allowed", "08P01");
                    }
                    return call(statement, method, args);
                });
    }

    /** Such a wrapper would leave the transaction of the trial open, and all that is done later without a commit. */
    @Test
    void aWrapperThatRefusesTransactionsAsTextIsPooledAsAnyDriver() throws SQLException {
        try (WeirDataSource pool = pool(driver -> (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    Object result = method.getName().equals("unwrap") ? driver : call(driver, method, args);
                    return result instanceof Statement statement ? withoutRollback(statement) : result;
                }))) {
            execute(pool, "INSERT INTO t VALUES (1)");
            assertThat(db.committed()).containsExactly("INSERT INTO t VALUES (1)");
            assertThat(pool.dump()).contains("plain JDBC of ");
        }
        assertThat(db.opened()).isEqualTo(1);
    }

    private Statement withoutRollback(Statement statement) {
        return (Statement) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Statement.class}, (proxy, method, args) -> {
                    if (args != null && args[0].equals("ROLLBACK")) {
                        throw new SQLException("call rollback()", "42000");
                    }
                    return call(statement, method, args);
                });
    }

    enum Lie {
        DENIES,
        NULL,
        SOMETHING_ELSE,
        ANOTHER_IDLE,
        ANOTHER_IN_TRANSACTION,
        ITSELF,
        THROWS,
        THROWS_UNCHECKED,
        IS_TOO_OLD
    }

    private @Nullable Object unwrap(Lie lie, Connection another) throws SQLException {
        return switch (lie) {
            case NULL, DENIES, ITSELF -> null;
            case SOMETHING_ELSE -> "something else";
            case ANOTHER_IDLE -> another;
            case ANOTHER_IN_TRANSACTION -> {
                another.createStatement().execute("BEGIN");
                yield another;
            }
            case THROWS -> throw new SQLException("no");
            case THROWS_UNCHECKED -> throw new IllegalStateException("no");
            case IS_TOO_OLD -> throw new AbstractMethodError("no");
        };
    }

    @ParameterizedTest
    @EnumSource
    void aWrapperThatErrsIsPooledAsAnyDriver(Lie lie) throws SQLException {
        try (Connection another = other.dataSource().getConnection();
                WeirDataSource pool = pool(driver -> {
                    Connection[] self = new Connection[1];
                    self[0] = wrapper(
                            driver,
                            () -> lie != Lie.DENIES,
                            () -> lie == Lie.DENIES ? driver : lie == Lie.ITSELF ? self[0] : unwrap(lie, another));
                    return self[0];
                })) {
            for (int loan = 0; loan < 3; loan++) {
                try (Connection connection = pool.getConnection();
                        Statement statement = connection.createStatement()) {
                    connection.setAutoCommit(false);
                    statement.execute("INSERT INTO t VALUES (" + loan + ")");
                }
            }
            assertThat(pool.dump()).contains("plain JDBC of ");
        }
        assertThat(db.committed()).isEmpty();
        assertThat(db.opened()).isEqualTo(1);
        assertThat(log.warnings()).isEmpty();
    }
}
