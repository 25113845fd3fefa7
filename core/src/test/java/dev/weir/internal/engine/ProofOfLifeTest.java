package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PoolConfig;
import dev.weir.RetireReason;
import dev.weir.WeirDataSource;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.slots.Waiter;
import dev.weir.testkit.Fault;
import dev.weir.testkit.StubDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** P7: the proofs that a connection lives, and events that are none. */
class ProofOfLifeTest {
    private static final String TESTS = "Connection.isValid";

    private static SteppedPool poolOf(int size) throws SQLException {
        SteppedPool stepped = SteppedPool.of(b -> b.maximumPoolSize(size).validateAfterIdle(Duration.ofMillis(500)));
        useAll(stepped, size);
        stepped.pass();
        return stepped;
    }

    private static void useAll(SteppedPool stepped, int size) throws SQLException {
        List<Connection> held = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            held.add(stepped.acquireHelped());
        }
        for (Connection connection : held) {
            use(connection);
            connection.close();
        }
    }

    private static void use(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
        }
    }

    private static void useInVain(SteppedPool stepped, Connection connection) {
        stepped.db.failNext("Statement.execute", 1, () -> new SQLException("there is no such table", "42S02", 1146));
        assertThatThrownBy(() -> use(connection)).hasMessage("there is no such table");
    }

    private static long testsOfOneLoan(SteppedPool stepped) throws SQLException {
        long before = stepped.db.calls(TESTS);
        stepped.acquireHelped().close();
        return stepped.db.calls(TESTS) - before;
    }

    // -------------------------------------------------- a call that threw

    @Test
    void aLoanInWhichACallThrewIsTestedOnceBeforeTheConnectionIsLent() throws SQLException {
        try (SteppedPool stepped = poolOf(1)) {
            try (Connection connection = stepped.acquireHelped()) {
                useInVain(stepped, connection);
            }
            assertThat(stepped.db.calls(TESTS)).as("the one of the opening").isEqualTo(1);
            assertThat(testsOfOneLoan(stepped)).isEqualTo(1);
            assertThat(testsOfOneLoan(stepped)).isZero();
        }
    }

    @Test
    void anotherThatIsFreshIsLentMeanwhile() throws SQLException {
        try (SteppedPool stepped = poolOf(2)) {
            try (Connection connection = stepped.acquireHelped()) {
                useInVain(stepped, connection);
            }
            assertThat(testsOfOneLoan(stepped)).isZero();
        }
    }

    @Test
    void anExecutionAfterItProvesLife() throws SQLException {
        try (SteppedPool stepped = poolOf(1)) {
            try (Connection connection = stepped.acquireHelped()) {
                useInVain(stepped, connection);
                use(connection);
            }
            assertThat(testsOfOneLoan(stepped)).isZero();
        }
    }

    /** As frameworks call after a failure; many drivers answer these by themselves. */
    @Test
    void whatADriverMayAnswerByItselfDoesNot() throws SQLException {
        try (SteppedPool stepped = poolOf(1)) {
            try (Connection connection = stepped.acquireHelped()) {
                connection.setAutoCommit(false);
                useInVain(stepped, connection);
                connection.rollback();
                connection.setAutoCommit(true);
                connection.getWarnings();
            }
            assertThat(testsOfOneLoan(stepped)).isEqualTo(1);
        }
    }

    @Test
    void aCallThatFailsBeforeAnyUseCountsToo() throws SQLException {
        try (SteppedPool stepped = poolOf(1)) {
            try (Connection connection = stepped.acquireHelped()) {
                stepped.db.failNext("Connection.getWarnings", 1, () -> new SQLException("gone somehow"));
                assertThatThrownBy(connection::getWarnings).hasMessage("gone somehow");
            }
            assertThat(testsOfOneLoan(stepped)).isEqualTo(1);
        }
    }

    @Test
    void aNewConnectionWhoseFirstLoanThrewHasNotProvedItself() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.maximumPoolSize(1))) {
            try (Connection connection = stepped.acquireHelped()) {
                useInVain(stepped, connection);
                assertThat(((ConnectionHandle) connection).slot.wasUseful()).isFalse();
            }
            assertThat(testsOfOneLoan(stepped)).isEqualTo(1);
        }
    }

    // -------------------------------------------------- sessions that were logged off

    /** Each session that exists is logged off, as at Oracle's CONNECT_TIME: plain failures with states that say nothing. */
    @ParameterizedTest
    @CsvSource({"2399, 61000, ORA-02399, 1", "1012, 72000, ORA-01012, 1", "4711, 61000, XYZ-04711, 5"})
    void sessionsThatWereLoggedOffCostFewErrors(int code, String state, String words, int atMost) throws Exception {
        StubDatabase db = new StubDatabase();
        AtomicInteger loggedOff = new AtomicInteger();
        try (LivePool live = LivePool.of(
                db,
                b -> b.maximumPoolSize(5).connectionTimeout(LivePool.LIMIT),
                () -> loggedOffUpTo(
                        loggedOff,
                        db.opened() + 1,
                        db.dataSource().getConnection(),
                        () -> new SQLException(words + ": as asked", state, code)))) {
            live.pool.start();
            live.warm(5);
            useEach(live, 5);
            loggedOff.set(db.opened());
            int errors = 0;
            for (int i = 0; i < 100; i++) {
                try (Connection connection = live.pool.acquire()) {
                    use(connection);
                } catch (SQLException e) {
                    assertThat(e.getMessage()).contains(words);
                    errors++;
                }
            }
            assertThat(errors).isBetween(1, atMost);
        }
    }

    private static void useEach(LivePool live, int size) throws SQLException {
        List<Connection> held = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            Connection connection = live.pool.acquire();
            use(connection);
            held.add(connection);
        }
        for (Connection connection : held) {
            connection.close();
        }
    }

    /** A connection that fails so, and does not pass its test, once the sessions up to this number are logged off. */
    private static Connection loggedOffUpTo(
            AtomicInteger loggedOff, int number, Connection real, Supplier<SQLException> failure) {
        UnaryOperator<Statement> ofStatement = statement -> proxy(Statement.class, statement, name -> {
            if (name.startsWith("execute") && number <= loggedOff.get()) {
                throw failure.get();
            }
            return null;
        });
        return (Connection) Proxy.newProxyInstance(
                ProofOfLifeTest.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, args) -> {
                    if (method.getName().equals("isValid") && number <= loggedOff.get()) {
                        return false;
                    }
                    try {
                        Object result = method.invoke(real, args);
                        return result instanceof Statement statement ? ofStatement.apply(statement) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private interface Before {
        Object call(String method) throws SQLException;
    }

    private static <T> T proxy(Class<T> type, T real, Before before) {
        return type.cast(Proxy.newProxyInstance(
                ProofOfLifeTest.class.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
                    Object ignored = before.call(method.getName());
                    try {
                        return method.invoke(real, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    // -------------------------------------------------- another that died

    @Test
    void whatComesHomeWhileAnotherDiesIsTestedBeforeItIsLent() throws Exception {
        try (SteppedPool stepped = poolOf(2)) {
            Connection dying = stepped.acquireHelped();
            Connection returning = stepped.acquireHelped();
            returning.setAutoCommit(false);
            use(returning);
            Fault hang = stepped.db.hangNext("Connection.setAutoCommit", 1);
            FutureTask<Boolean> comesHome = new FutureTask<>(() -> {
                returning.close();
                return true;
            });
            new Thread(comesHome, "comes home").start();
            hang.awaitWaiting(1, Duration.ofSeconds(20));
            stepped.db.failNext("Statement.execute", 1, () -> new SQLException("gone", "08006"));
            assertThatThrownBy(() -> use(dying)).hasMessage("gone");
            hang.release();
            assertThat(comesHome.get(20, TimeUnit.SECONDS)).isTrue();
            assertThat(testsOfOneLoan(stepped)).isEqualTo(1);
            dying.close();
        }
    }

    // -------------------------------------------------- a test that says yes to the dead

    @Test
    void aTestIsNotTrustedWhereAnotherThatPassedItWasDead() throws SQLException {
        try (SteppedPool stepped = poolOf(10)) {
            stepped.db.fail("Statement.execute", () -> new SQLException("the database is shut down", "08003"));
            for (int i = 0; i < 2; i++) {
                Connection connection = stepped.acquireHelped();
                assertThatThrownBy(() -> use(connection)).hasMessage("the database is shut down");
                connection.close();
                stepped.run(Duration.ofMillis(100)); // the suspects are tested, and pass
            }
            assertThat(stepped.retired(RetireReason.FAULT)).isEqualTo(2);
            assertThat(stepped.retired(RetireReason.INVALID)).as("all others").isEqualTo(8);
            stepped.db.heal();
            use(stepped.acquireHelped());
        }
    }

    @Test
    void oneThatWasUsedSinceItsTestSaysNothingOfTests() throws SQLException {
        try (SteppedPool stepped = poolOf(3)) {
            for (int i = 0; i < 2; i++) {
                Connection dying = stepped.acquireHelped();
                use(dying);
                stepped.db.failNext("Statement.execute", 1, () -> new SQLException("gone", "08006"));
                assertThatThrownBy(() -> use(dying)).hasMessage("gone");
                dying.close();
                stepped.run(Duration.ofMillis(100));
                Connection next = stepped.acquireHelped();
                use(next);
                next.close();
            }
            assertThat(stepped.retired(RetireReason.INVALID)).isZero();
        }
    }

    /** Suspected for its sibling, tested, and lent: as a query that runs into the driver's socketTimeout, again and again. */
    @Test
    void oneThatDiesLongAfterItsTestSaysNothingOfTests() throws SQLException {
        try (SteppedPool stepped = poolOf(5)) {
            for (int i = 0; i < 4; i++) {
                Connection slow = stepped.acquireHelped();
                stepped.run(Duration.ofSeconds(5));
                dies(stepped, slow);
            }
            assertThat(stepped.retired(RetireReason.INVALID)).isZero();
        }
    }

    @Test
    void oneThatWasTestedForItsOwnFailureSaysNothingOfTests() throws SQLException {
        try (SteppedPool stepped = poolOf(5)) {
            dies(stepped, stepped.acquireHelped());
            useAll(stepped, 5);
            stepped.run(Duration.ofMinutes(2));
            Connection failing = stepped.acquireHelped();
            Slot slot = ((ConnectionHandle) failing).slot;
            useInVain(stepped, failing);
            failing.close();
            stepped.pool.testing.testUsedBefore(0, stepped.pool.clock.now());
            stepped.pass();
            assertThat(slot.isIdle()).isTrue();
            Connection killed = stepped.acquireHelped();
            assertThat(((ConnectionHandle) killed).slot).isSameAs(slot);
            dies(stepped, killed);
            assertThat(stepped.retired(RetireReason.INVALID)).isZero();
        }
    }

    /** A driver without a dialect, whose users' own SQL raises what looks like a lost connection. */
    @Test
    void noPoolIsClosedAsAWholeAgainAndAgain() throws SQLException {
        try (SteppedPool stepped = poolOf(5)) {
            for (int i = 0; i < 10; i++) {
                dies(stepped, stepped.acquireHelped());
                dies(stepped, stepped.acquireHelped());
                useAll(stepped, 5);
            }
            assertThat(stepped.retired(RetireReason.INVALID)).isLessThan(5);
        }
    }

    private static void dies(SteppedPool stepped, Connection connection) throws SQLException {
        stepped.db.failNext("Statement.execute", 1, () -> new SQLException("gone", "08006"));
        assertThatThrownBy(() -> use(connection)).hasMessage("gone");
        connection.close();
        stepped.run(Duration.ofMillis(100));
    }

    /** HSQLDB's isValid() says yes after SHUTDOWN. */
    @Test
    void theShutdownOfHsqldbCostsFewErrors() throws SQLException {
        PoolConfig config = PoolConfig.builder()
                .url("jdbc:hsqldb:mem:proof")
                .username("SA")
                .maximumPoolSize(8)
                .minimumPoolSize(8)
                .connectionTimeout(Duration.ofMinutes(1))
                .registerMbeans(false)
                .build();
        try (WeirDataSource pool = new WeirDataSource(config)) {
            List<Connection> held = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                held.add(pool.getConnection());
            }
            for (Connection connection : held) {
                connection.close();
            }
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("SHUTDOWN");
            }
            int errors = 0;
            for (int i = 0; i < 50; i++) {
                try (Connection connection = pool.getConnection();
                        Statement statement = connection.createStatement()) {
                    statement.execute("VALUES 1");
                } catch (SQLException e) {
                    errors++;
                }
            }
            assertThat(errors).as("errors with 8 connections").isLessThanOrEqualTo(3);
        }
    }

    // -------------------------------------------------- a driver without isValid()

    @Test
    void whateverIsValidThrowsOnANewConnectionTheMessageNamesTheTestQuery() {
        List<Supplier<Throwable>> failures = List.of(
                () -> new SQLException("not implemented"),
                () -> new UnsupportedOperationException("no"),
                NullPointerException::new,
                AbstractMethodError::new);
        for (Supplier<Throwable> failure : failures) {
            try (StubDatabase db = new StubDatabase();
                    WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                            .dataSource(db.dataSource())
                            .registerMbeans(false)
                            .build())) {
                db.fail(TESTS, failure);
                assertThatThrownBy(pool::start).hasStackTraceContaining("set connectionTestQuery");
            }
        }
    }

    // -------------------------------------------------- the process stood still

    /** The Keeper has had no pass since, so that the coarse clock still says what it said before the pause. */
    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void afterThePauseOfTheWholeProcessTheFirstAcquireReadsTheTime(int size) throws SQLException {
        try (SteppedPool stepped = poolOf(size)) {
            assertThat(testsOfOneLoan(stepped)).isZero();
            stepped.ticker.advance(Duration.ofMinutes(5));
            assertThat(testsOfOneLoan(stepped)).isPositive();
        }
    }

    /** Nor is one handed to a thread that waits, if its user held it through the pause and did not use it. */
    @Test
    void alsoOfOneThatWasHeldUnusedThroughIt() throws SQLException {
        try (SteppedPool stepped = poolOf(1)) {
            Connection held = stepped.pool.acquire();
            Waiter waiter = new Waiter(Thread.currentThread(), stepped.pool.clock.now(), Long.MAX_VALUE);
            assertThat(stepped.pool.queue.join(waiter, 0)).isTrue();
            stepped.ticker.advance(Duration.ofMinutes(5));
            held.close();
            assertThat(waiter.granted()).isNull();
            assertThat(stepped.pool.slots.all()[0].state()).isEqualTo(Slot.UNTESTED);
        }
    }

    /** Nor does it matter how often it was lent in the tick before. */
    @Test
    void alsoOfOneThatWasLentOftenBefore() throws SQLException {
        try (SteppedPool stepped = poolOf(1)) {
            stepped.run(Duration.ofMillis(100));
            for (int i = 0; i < 4_000; i++) {
                stepped.pool.acquire().close();
            }
            stepped.ticker.advance(Duration.ofSeconds(1));
            assertThat(testsOfOneLoan(stepped)).isPositive();
        }
    }

    /** No server answers so often: only then an acquire relies on the coarse clock alone, until the next tick. */
    @Test
    void theTimeIsReadForAllButTheLoansThatCannotHaveSpokenWithAServer() throws SQLException {
        try (SteppedPool stepped = poolOf(1)) {
            stepped.run(Duration.ofMillis(100));
            Slot slot = stepped.pool.slots.all()[0];
            long loans = 0;
            while (!slot.outpacesServers() && loans < 10_000) {
                stepped.pool.acquire().close();
                loans++;
            }
            assertThat(loans).isBetween(4_999L, 6_000L);
        }
    }
}
