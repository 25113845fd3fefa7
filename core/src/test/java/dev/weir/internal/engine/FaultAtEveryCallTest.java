package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PoolConfig;
import dev.weir.ThrowingWorld;
import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/**
 * P11: in a short life of a pool, in turn every call into the driver, the listener, the classifier, the provider of
 * credentials, the thread factory, the ticker and the log handler throws, each kind of throwable. After each
 * every place can be lent, nothing is left locked, and the pool's threads live.
 */
@Timeout(300)
final class FaultAtEveryCallTest {
    private static final int MAXIMUM = 3;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** Of one kind of call so many are tried: the first ones, between which the others lie. */
    private static final int MOST_OF_A_KIND = 12;

    /** Nearly all of a life is spent waiting for connections to be opened. */
    private static final int LIVES_AT_ONCE = 6;

    private static final AtomicInteger POOLS = new AtomicInteger();

    private static ThrowingWorld.OnlyLog onlyLog;

    private static final Map<String, Supplier<Throwable>> FAILURES = Map.of(
            "SQLException", () -> new SQLException("as asked", "58030"),
            "OutOfMemoryError", () -> new OutOfMemoryError("as asked"));

    /** Three more, for the thorough run. */
    private static final Map<String, Supplier<Throwable>> MORE_FAILURES = Map.of(
            "RuntimeException", () -> new IllegalStateException("as asked"),
            "StackOverflowError", () -> new StackOverflowError("as asked"),
            "NoClassDefFoundError", () -> new NoClassDefFoundError("as asked"));

    @BeforeAll
    static void takeTheLog() {
        onlyLog = new ThrowingWorld.OnlyLog();
    }

    @AfterAll
    static void giveTheLogBack() {
        onlyLog.close();
    }

    @TestFactory
    Stream<DynamicTest> p11OneThrowIsSurvived() {
        return throwOnceEach(FAILURES);
    }

    @TestFactory
    @Tag("thorough")
    Stream<DynamicTest> p11OneThrowOfAnotherKindIsSurvived() {
        return throwOnceEach(MORE_FAILURES);
    }

    private static Stream<DynamicTest> throwOnceEach(Map<String, Supplier<Throwable>> failures) {
        return failures.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> DynamicTest.dynamicTest(entry.getKey(), () -> throwEverywhere(entry.getValue())));
    }

    /** All but the database may throw for ever: the pool serves all the same. */
    @TestFactory
    Stream<DynamicTest> p11ThrowForEverIsSurvived() {
        return throwForEver(FAILURES);
    }

    @TestFactory
    @Tag("thorough")
    Stream<DynamicTest> p11ThrowForEverOfAnotherKindIsSurvived() {
        return throwForEver(MORE_FAILURES);
    }

    private static Stream<DynamicTest> throwForEver(Map<String, Supplier<Throwable>> failures) {
        return Stream.of(
                        "log",
                        "factory",
                        "classifier",
                        "PoolListener.opened",
                        "PoolListener.acquired",
                        "PoolListener.used",
                        "PoolListener.retired")
                .flatMap(kind -> failures.entrySet().stream()
                        .map(failure -> DynamicTest.dynamicTest(
                                kind + " " + failure.getKey(), () -> throwAlways(kind, failure.getValue()))));
    }

    private static void throwAlways(String kind, Supplier<Throwable> failure) throws Exception {
        try (ThrowingWorld world = new ThrowingWorld(kind, ThrowingWorld.ALWAYS, failure)) {
            survive(world, true);
            assertThat(world.hasThrown()).isTrue();
        }
    }

    private static void throwEverywhere(Supplier<Throwable> failure) throws Exception {
        Map<String, Integer> calls;
        try (ThrowingWorld world = new ThrowingWorld("", 0, failure)) {
            survive(world, false);
            calls = world.calls();
        }
        assertThat(calls)
                .as("kinds of calls that the life of the pool makes")
                .containsKeys(
                        "log",
                        "ticker",
                        "factory",
                        "credentials",
                        "classifier",
                        "PoolListener.opened",
                        "PoolListener.acquired",
                        "PoolListener.used",
                        "PoolListener.retired",
                        "DataSource.getConnection",
                        "Connection.isValid",
                        "Connection.rollback",
                        "Connection.close",
                        "Connection.abort",
                        "Connection.setTransactionIsolation",
                        "Statement.close");
        Queue<String> failures = new ConcurrentLinkedQueue<>();
        AtomicInteger thrown = new AtomicInteger();
        ExecutorService several = Executors.newFixedThreadPool(LIVES_AT_ONCE);
        try {
            List<CompletableFuture<Void>> lives = new ArrayList<>();
            calls.forEach((kind, count) -> {
                // A handler that throws does so to whichever pool logs, so these pools live one by one, after the
                // others.
                if (!kind.equals("log")) {
                    for (int at = 1; at <= Math.min(count, MOST_OF_A_KIND); at++) {
                        int call = at;
                        lives.add(CompletableFuture.runAsync(
                                () -> throwOnce(kind, call, failure, thrown, failures), several));
                    }
                }
            });
            lives.forEach(CompletableFuture::join);
        } finally {
            several.shutdown();
        }
        for (int at = 1; at <= Math.min(calls.getOrDefault("log", 0), MOST_OF_A_KIND); at++) {
            throwOnce("log", at, failure, thrown, failures);
        }
        assertThat(failures).isEmpty();
        assertThat(thrown.get()).as("calls that threw").isGreaterThan(100);
        ThreadsLeft.assertNone("weir-thrown", Duration.ofSeconds(10));
    }

    private static void throwOnce(
            String kind, int at, Supplier<Throwable> failure, AtomicInteger thrown, Queue<String> failures) {
        try (ThrowingWorld world = new ThrowingWorld(kind, at, failure)) {
            survive(world, false);
            thrown.addAndGet(world.hasThrown() ? 1 : 0);
        } catch (Throwable e) {
            failures.add(kind + " " + at + ": " + e);
        }
    }

    /** The life of a pool, and what must hold after it. */
    private static void survive(ThrowingWorld world, boolean stillThrowing) throws Exception {
        String name = "thrown-" + POOLS.incrementAndGet() + "-";
        WeirDataSource pool = new WeirDataSource(world.configure(PoolConfig.builder()
                        .poolName(name)
                        .maximumPoolSize(MAXIMUM)
                        .minimumPoolSize(1)
                        .connectionTimeout(TIMEOUT)
                        .acquireRetryDelay(Duration.ofMillis(10))
                        .validateAfterIdle(Duration.ZERO)
                        .leakDetectionThreshold(Duration.ofMillis(1))
                        .closeTimeout(Duration.ofSeconds(1))
                        .registerMbeans(false))
                .build());
        try {
            live(pool);
            if (!stillThrowing) {
                world.disarm();
            }
            assertWhole(pool);
            assertThat(pool.stats().waiting()).isZero();
            Await.await("the keeper lives", TIMEOUT, () -> keeperLives(name));
            assertThat(pool.dump()).contains(name);
        } finally {
            pool.close();
        }
        assertThat(world.db.openNow()).as("sessions after close").isZero();
    }

    private static void live(WeirDataSource pool) {
        quietly(() -> {
            try (Connection connection = pool.getConnection()) {
                connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
                connection.setAutoCommit(false);
                execute(connection, "INSERT 1");
            }
        });
        quietly(() -> {
            try (Connection connection = pool.getConnection()) {
                Connection physical = connection.unwrap(Connection.class);
                execute(physical, "SELECT 1");
                Statement left = connection.createStatement();
                left.executeQuery("SELECT 1");
            }
        });
        quietly(() -> whole(pool).forEach(FaultAtEveryCallTest::close));
        quietly(() -> handOver(pool));
        quietly(() -> {
            try (Connection connection = pool.getConnection()) {
                execute(connection, "FAIL 57P01");
            }
        });
        quietly(() -> pool.getConnection().abort(Runnable::run));
        quietly(pool::suspend);
        quietly(pool::resume);
        quietly(pool::evictAll);
        quietly(() -> pool.getConnection().close());
        quietly(pool::held);
    }

    /** While all are held a thread waits, and is handed the first that comes back. */
    private static void handOver(WeirDataSource pool) throws Exception {
        List<Connection> all = whole(pool);
        CompletableFuture<Connection> waits = LivePool.on("waits", pool::getConnection);
        boolean ignored =
                Await.becomesTrue(Duration.ofSeconds(1), () -> pool.stats().waiting() > 0 || waits.isDone());
        all.forEach(FaultAtEveryCallTest::close);
        waits.get(TIMEOUT.toMillis() * 2, TimeUnit.MILLISECONDS).close();
    }

    private static List<Connection> whole(WeirDataSource pool) throws SQLException {
        List<Connection> all = new ArrayList<>();
        try {
            while (all.size() < MAXIMUM) {
                all.add(pool.getConnection());
            }
            return all;
        } catch (Throwable e) {
            all.forEach(FaultAtEveryCallTest::close);
            throw e;
        }
    }

    /** Soon; a provider of credentials that failed is not asked again at once. */
    private static void assertWhole(WeirDataSource pool) {
        Await.await(() -> "every place can be lent: " + pool.dump() + ", " + pool.openFailures(), TIMEOUT, () -> {
            try {
                whole(pool).forEach(FaultAtEveryCallTest::close);
                return true;
            } catch (SQLException refused) {
                return false;
            }
        });
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void close(Connection connection) {
        quietly(connection::close);
    }

    private interface Step {
        void run() throws Exception;
    }

    private static boolean keeperLives(String pool) {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.isAlive() && thread.getName().startsWith("weir-" + pool + "-keeper"));
    }

    /** As a user whose framework catches everything. */
    private static void quietly(Step step) {
        try {
            step.run();
        } catch (Throwable e) {
            // Only the state of the pool afterwards counts.
        }
    }
}
