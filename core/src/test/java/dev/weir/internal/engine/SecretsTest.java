package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.LogCapture;
import dev.weir.PoolConfig;
import dev.weir.RefusingDriver;
import dev.weir.WeirDataSource;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.text.Redactor;
import dev.weir.internal.text.SqlText;
import dev.weir.spi.Credentials;
import dev.weir.spi.CredentialsProvider;
import dev.weir.spi.PoolListener;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** P8: the words of the pool on one user, or on the driver, have no secret in them. Its notes on a loan end with it. */
class SecretsTest {
    private static final String PASSWORD = "geheim22";
    private static final Duration SHORT = Duration.ofMillis(50);

    private final Logger logger = Logger.getLogger("dev.weir");

    @BeforeEach
    void logAll() {
        logger.setLevel(Level.ALL);
    }

    @AfterEach
    void logAsUsual() {
        logger.setLevel(null);
    }

    private static LivePool pool(PoolConfig.Builder builder) throws SQLException {
        return LivePool.started(b -> builder.minimumPoolSize(0)
                .maximumPoolSize(2)
                .connectionTimeout(SHORT)
                .initializationFailTimeout(LivePool.LIMIT)
                .username("u")
                .password(PASSWORD));
    }

    /** The refusal of a user while no connection can be opened, and a connect has failed. */
    private static Throwable refusal(LivePool live) {
        // The first acquire may have come before the first connection was idle, and made the pool open another.
        Await.await(
                "no connect is under way",
                LivePool.LIMIT,
                () -> live.pool.stats().opening() == 0);
        Throwable[] refusal = new Throwable[1];
        Await.await("a refusal with a cause", LivePool.LIMIT, () -> {
            live.pool.evictIdle();
            refusal[0] = catchThrowable(() -> live.pool.acquire().close()); // one that was just opened, say
            return refusal[0] != null && refusal[0].getCause() != null;
        });
        return refusal[0];
    }

    private static SQLException secretly(String sqlState) {
        SQLException failure = new SQLInvalidAuthorizationSpecException("no, password=" + PASSWORD, sqlState, 7);
        failure.initCause(new IOException("for " + PASSWORD));
        failure.setNextException(new SQLException("next " + PASSWORD));
        failure.addSuppressed(new SQLException("suppressed " + PASSWORD));
        return failure;
    }

    private static String allOf(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getNextException() != null) {
                sql.getNextException().printStackTrace(new PrintWriter(text));
            }
        }
        return text.toString();
    }

    // ------------------------------------------------------------------ causes

    @Test
    void theCauseOfARefusalIsACopyWithoutSecrets() throws SQLException {
        try (LivePool live = pool(PoolConfig.builder())) {
            Connection held = live.pool.acquire();
            live.db.fail(StubDatabase.CONNECT, () -> secretly("08001"));
            Throwable e = refusal(live);
            held.close();
            assertThat(e.getCause()).isExactlyInstanceOf(SQLException.class);
            SQLException cause = (SQLException) e.getCause();
            assertThat(cause.getMessage()).isEqualTo("java.sql.SQLInvalidAuthorizationSpecException: no, password=***");
            assertThat(cause.getSQLState()).isEqualTo("08001");
            assertThat(cause.getErrorCode()).isEqualTo(7);
            assertThat(cause.getStackTrace()[0].getMethodName()).isEqualTo("secretly");
            assertThat(allOf(e))
                    .contains("for ***", "next ***", "suppressed ***")
                    .doesNotContain(PASSWORD);
            assertThat(live.log.text()).contains("no, password=***").doesNotContain(PASSWORD);
            assertThat(live.pool.stats().lastOpenFailure()).contains("no, password=***");
            assertThat(live.pool.recentFailures().toString())
                    .contains("no, password=***")
                    .doesNotContain(PASSWORD);
        }
    }

    @Test
    void aCauseWithoutSecretsIsTheDriversOwn() throws SQLException {
        try (LivePool live = pool(PoolConfig.builder())) {
            Connection held = live.pool.acquire();
            SQLException refused = new SQLException("no route", "08001");
            live.db.fail(StubDatabase.CONNECT, () -> refused);
            assertThat(refusal(live).getCause()).isSameAs(refused);
            held.close();
        }
    }

    @Test
    void aStartThatFailsShowsNoSecret() {
        try (StubDatabase db = new StubDatabase();
                LogCapture log = new LogCapture();
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(db.dataSource())
                        .username("u")
                        .password(PASSWORD)
                        .connectionTimeout(Duration.ofSeconds(10))
                        .build())) {
            db.fail(StubDatabase.CONNECT, () -> secretly("28000"));
            Throwable e = catchThrowable(pool::getConnection);
            assertThat(allOf(e)).contains("no, password=***").doesNotContain(PASSWORD);
            assertThat(log.text()).doesNotContain(PASSWORD);
        }
    }

    @Test
    void aDriverThatFailsBeforeTheFirstConnectShowsNoSecret() {
        for (Supplier<Throwable> failure : List.<Supplier<Throwable>>of(
                () -> secretly("08001"), () -> new IllegalStateException("url with " + PASSWORD))) {
            RefusingDriver.failure = failure;
            try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                    .url("jdbc:telltale:x?password=" + PASSWORD)
                    .driverClassName(RefusingDriver.class.getName())
                    .username("u")
                    .password(PASSWORD)
                    .build())) {
                SQLException e = catchThrowableOfType(SQLException.class, pool::getConnection);
                assertThat(allOf(e)).contains("***").doesNotContain(PASSWORD);
            }
        }
    }

    @Test
    void aFailureThatFailsItselfCostsNothing() throws SQLException {
        class Hostile extends SQLException {
            private static final long serialVersionUID = 1;

            @Override
            public String getMessage() {
                throw new IllegalStateException(PASSWORD);
            }

            @Override
            public String getSQLState() {
                throw new StackOverflowError();
            }

            @Override
            public synchronized Throwable getCause() {
                return this;
            }
        }
        try (LivePool live = pool(PoolConfig.builder().acquireRetryDelay(Duration.ofMillis(20)))) {
            Connection held = live.pool.acquire();
            live.db.fail(StubDatabase.CONNECT, Hostile::new);
            Throwable e = refusal(live);
            assertThat(e).isInstanceOf(SQLException.class);
            assertThat(allOf(e)).contains("Hostile").doesNotContain(PASSWORD);
            live.db.heal();
            live.settings.change(Setting.CONNECTION_TIMEOUT, LivePool.LIMIT);
            live.pool.acquire().close();
            held.close();
            assertThat(live.pool.stats().opening()).isZero();
        }
    }

    @Test
    void whatAListenerThrowsIsLoggedWithoutSecrets() throws SQLException {
        PoolListener listener = new PoolListener() {
            @Override
            public void opened(long tookNanos) {
                throw new IllegalStateException("listener with " + PASSWORD);
            }
        };
        try (LivePool live = pool(PoolConfig.builder().addListener(listener))) {
            live.pool.acquire().close();
            Await.await("it is logged", LivePool.LIMIT, () -> live.log.text().contains("listener with ***"));
            assertThat(live.log.text()).doesNotContain(PASSWORD);
        }
    }

    @Test
    void whatTheClassifierThrowsIsLoggedWithoutSecrets() throws SQLException {
        try (LivePool live = pool(PoolConfig.builder().failureClassifier(failure -> {
            throw new IllegalStateException("classifier with " + PASSWORD);
        }))) {
            live.db.failNext("Statement.execute", 1, () -> new SQLException("no", "42000"));
            try (Connection connection = live.pool.acquire();
                    Statement statement = connection.createStatement()) {
                assertThat(catchThrowable(() -> statement.execute("x"))).hasMessage("no");
            }
            assertThat(live.log.text()).contains("classifier with ***").doesNotContain(PASSWORD);
        }
    }

    @Test
    void whatTheProviderThrowsIsShownWithoutSecrets() throws SQLException {
        try (StubDatabase db = new StubDatabase();
                LogCapture log = new LogCapture();
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(db.dataSource())
                        .credentialsProvider(new CredentialsProvider() {
                            private int asked;

                            @Override
                            public Credentials credentials() {
                                if (asked++ == 0) {
                                    return new Credentials("u", PASSWORD);
                                }
                                throw new IllegalStateException("vault said " + PASSWORD);
                            }
                        })
                        .minimumPoolSize(0)
                        .connectionTimeout(Duration.ofSeconds(10))
                        .build())) {
            pool.getConnection().close();
            pool.evictAll();
            assertThat(allOf(catchThrowable(pool::getConnection)))
                    .contains("vault said ***")
                    .doesNotContain(PASSWORD);
            assertThat(log.text()).doesNotContain(PASSWORD);
        }
    }

    @Test
    void whatADriverThrowsAtTheEndOfAConnectionIsLoggedWithoutSecrets() throws SQLException {
        try (LivePool live = pool(PoolConfig.builder())) {
            live.db.failNext("Connection.close", 1, () -> secretly("08006"));
            live.db.failNext("Connection.rollback", 1, () -> new SQLException("near 'geheim33' at 4711", "42000"));
            Connection connection = live.pool.acquire();
            connection.setAutoCommit(false);
            connection.createStatement().execute("x");
            connection.close();
            Await.await("it is closed", LivePool.LIMIT, () -> live.log.text().contains("close failed"));
            Await.await("it is told", LivePool.LIMIT, () -> live.log.text().contains("retired (UNCLEAN)"));
            assertThat(live.log.text())
                    .contains("retired (UNCLEAN): java.sql.SQLException: near ...")
                    .doesNotContain(PASSWORD, "geheim33", "4711");
            live.db.killAll();
        }
    }

    // --------------------------------------------------------------------- SQL

    @Test
    void literalsOfOneUserAreInNothingThatOthersSee() throws Exception {
        try (LivePool live =
                pool(PoolConfig.builder().leakDetectionThreshold(SHORT).maximumPoolSize(1))) {
            live.settings.change(Setting.MAXIMUM_POOL_SIZE, 1);
            try (Connection held = live.pool.acquire();
                    Statement statement = held.createStatement()) {
                statement.execute("ALTER USER shop PASSWORD 'geheim33' -- geheim44");
                Await.await("a leak", LivePool.LIMIT, () -> live.log.text().contains("leak?"));
                String shown = "ALTER USER shop PASSWORD ...";
                Throwable e = catchThrowable(live.pool::acquire);
                assertThat(e.getMessage()).contains("last SQL: " + shown);
                assertThat(live.pool.dump()).contains("last SQL: " + shown);
                assertThat(live.pool.held().get(0).lastSql()).isEqualTo(shown);
                assertThat(allOf(e) + live.pool.dump() + live.pool.held() + live.log.text())
                        .contains(shown)
                        .doesNotContain("geheim33", "geheim44");
            }
        }
    }

    @Test
    void sqlOfTheSettingsIsShownWithoutLiterals() {
        PoolConfig config = PoolConfig.builder()
                .url("jdbc:h2:mem:x")
                .connectionInitSql("SELECT set_config('app.key', 'geheim33', false)")
                .resetSql("SET KEY 'geheim33'")
                .connectionTestQuery("SELECT 'geheim33'")
                .build();
        assertThat(config.values().toString())
                .contains("SELECT set_config(...", "SET KEY ...", "SELECT ...")
                .doesNotContain("geheim33");
        assertThat(config.toString()).doesNotContain("geheim33");
    }

    @Test
    void aLongMessageOfTheServerIsCut() throws SQLException {
        try (LivePool live = pool(PoolConfig.builder())) {
            Connection held = live.pool.acquire();
            String text = "password=" + PASSWORD + " " + "password ".repeat(100_000);
            live.db.fail(StubDatabase.CONNECT, () -> new SQLNonTransientConnectionException(text, "08001"));
            Throwable e = refusal(live);
            held.close();
            assertThat(e.getMessage()).hasSizeLessThan(2 * Redactor.LONGEST);
            assertThat(e.getCause())
                    .isExactlyInstanceOf(SQLException.class)
                    .message()
                    .startsWith(SQLNonTransientConnectionException.class.getName() + ": password=*** password")
                    .hasSizeLessThan(2 * Redactor.LONGEST);
        }
    }

    // -------------------------------------------------- what is kept of a loan

    private static void awaitCollected(String what, WeakReference<?> reference) {
        Await.await(what, LivePool.LIMIT, () -> {
            System.gc();
            return reference.get() == null;
        });
    }

    @Test
    void theTextOfALoanIsNotKeptAfterIt() throws Exception {
        for (int length : new int[] {100, 100_000}) {
            try (LivePool live = pool(PoolConfig.builder())) {
                WeakReference<String> text = runs(live, "x".repeat(length));
                awaitCollected("the text is forgotten", text);
                Await.await(
                        "one is idle", LivePool.LIMIT, () -> live.pool.stats().idle() >= 1);
            }
        }
    }

    private static WeakReference<String> runs(LivePool live, String filling) throws SQLException {
        String sql = new String(("SELECT '" + filling + "'").toCharArray());
        try (Connection connection = live.pool.acquire();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
            assertThat(live.pool.held().get(0).lastSql()).isIn("SELECT ...", "SELECT...");
            statement.close();
            assertThat(live.pool.slots.all()[0].statement)
                    .as("what ran, once it is closed")
                    .isNull();
            connection.createStatement().execute("SELECT 1");
        }
        assertThat(live.pool.slots.all()[0].statement)
                .as("what ran, after the loan")
                .isNull();
        try (Connection another = live.pool.acquire()) {
            assertThat(another.isClosed()).isFalse();
            assertThat(live.pool.held().get(0).lastSql())
                    .as("the text of the loan before")
                    .isNull();
        }
        return new WeakReference<>(sql);
    }

    @Test
    void aLongTextIsNotKeptDuringTheLoanEither() throws Exception {
        try (LivePool live = pool(PoolConfig.builder());
                Connection connection = live.pool.acquire();
                Statement statement = connection.createStatement()) {
            String sql = "x".repeat(100_000);
            statement.execute(sql);
            assertThat(live.pool.slots.all()[0].lastSql).hasSize(SqlText.KEPT);
        }
    }

    @Test
    void theThreadOfALoanIsNotKeptAfterIt() throws Exception {
        try (LivePool live = pool(PoolConfig.builder())) {
            WeakReference<Thread> holder = lendsTo(live, new Thread[1]);
            awaitCollected("the thread is forgotten", holder);
            assertThat(live.pool.slots.all())
                    .isNotEmpty()
                    .allSatisfy(slot -> assertThat(slot.holder).isNull());
        }
    }

    private static WeakReference<Thread> lendsTo(LivePool live, Thread[] holder) throws InterruptedException {
        Runnable loan = () ->
                assertThatNoException().isThrownBy(() -> live.pool.acquire().close());
        holder[0] = new Thread(loan, "short");
        holder[0].start();
        holder[0].join();
        WeakReference<Thread> reference = new WeakReference<>(holder[0]);
        holder[0] = Thread.currentThread();
        return reference;
    }

    @Test
    void theThreadOfALongLoanIsForgottenWhileThePoolRests() throws Exception {
        try (SteppedPool stepped = SteppedPool.of(b -> b)) {
            Connection held = stepped.acquireHelped();
            stepped.run(Duration.ofMinutes(1));
            assertThat(stepped.pool.clock.isTicking()).isFalse();
            held.close();
            Slot slot = stepped.pool.slots.all()[0];
            assertThat(slot.holder).isSameAs(Thread.currentThread());
            stepped.run(Duration.ofSeconds(11));
            assertThat(slot.holder).isNull();
        }
    }
}
