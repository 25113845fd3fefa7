package dev.weir;

import dev.weir.testkit.Await;
import dev.weir.testkit.servers.PostgresServer;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The one PostgreSQL of all test classes in this JVM: started when first asked for, ended by the testkit when the JVM exits.
 * Tests leave it running, empty of their sessions.
 */
public final class PostgresShared {
    static final String USER = "weir";
    static final String PASSWORD = "the-secret-of-weir";

    /** The number of sessions for users who are not superusers. */
    public static final int PLACES = 27;

    public static final Duration SOON = Duration.ofSeconds(20);

    /** A machine that is busy with other tests may take a second for a round trip; that is no dead connection. */
    static final Duration TEST_AT_MOST = Duration.ofSeconds(5);

    private PostgresShared() {}

    private static final class Holder {
        static final PostgresServer SERVER = PostgresServer.builder()
                .maxConnections(PLACES + 3)
                .setting("superuser_reserved_connections", "3")
                .setting("log_timezone", "UTC")
                .role(USER, PASSWORD)
                .role("others", "others")
                .start();
    }

    /** The work of one user with a connection. */
    @FunctionalInterface
    public interface Work {
        void with(Connection connection) throws Exception;
    }

    public static PostgresServer server() {
        return Holder.SERVER;
    }

    public static PoolConfig.Builder pool() {
        return pool(server().port());
    }

    public static PoolConfig.Builder pool(int viaPort) {
        return PoolConfig.builder()
                .url(server().jdbcUrl("postgres", viaPort))
                .username(USER)
                .password(PASSWORD)
                .validationTimeout(TEST_AT_MOST)
                .registerMbeans(false);
    }

    /** A pool that holds so many connections, all idle, however long a busy machine takes to open them. */
    public static WeirDataSource filled(int size, PoolConfig.Builder settings) throws SQLException {
        WeirDataSource pool = new WeirDataSource(settings.minimumPoolSize(size)
                .maximumPoolSize(size)
                .initializationFailTimeout(SOON)
                .build());
        pool.start();
        awaitIdle(pool, size);
        return pool;
    }

    public static void awaitIdle(WeirDataSource pool, int size) {
        Await.await(
                () -> size + " idle connections: " + pool.stats(),
                SOON,
                () -> pool.stats().idle() == size);
    }

    public static void awaitBackends(int count) {
        Await.await(
                () -> count + " sessions at the server, not " + server().backends(),
                SOON,
                () -> server().backends() == count);
    }

    /** Nothing of the tests is left: no session at the server, no thread. */
    public static void assertNothingLeft(ThreadsLeft threads) {
        awaitBackends(0);
        threads.none("weir-", SOON);
    }

    public static int pid(Connection connection) throws SQLException {
        return (int) number(connection, "SELECT pg_backend_pid()");
    }

    public static long number(Connection connection, String sql) throws SQLException {
        return Long.parseLong(Objects.requireNonNull(text(connection, sql)));
    }

    public static @Nullable String text(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            return result.next() ? result.getString(1) : null;
        }
    }

    public static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Takes so many connections at once, one a thread, works with each, and gives all back; returns what users saw fail. */
    public static List<Exception> together(int threads, WeirDataSource pool, Work work) throws Exception {
        CountDownLatch allServed = new CountDownLatch(threads);
        return concurrently(threads, () -> {
            try (Connection connection = pool.getConnection()) {
                work.with(connection);
                allServed.countDown();
                allServed.await(SOON.toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS);
                return null;
            } finally {
                allServed.countDown();
            }
        });
    }

    /** Runs this on so many threads; returns what failed. */
    static List<Exception> concurrently(int threads, Callable<@Nullable Void> task) throws InterruptedException {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Exception> failures = new ArrayList<>();
            for (Future<@Nullable Void> future : executor.invokeAll(java.util.Collections.nCopies(threads, task))) {
                try {
                    future.get();
                } catch (ExecutionException e) {
                    failures.add((Exception) e.getCause());
                }
            }
            return failures;
        } finally {
            executor.shutdownNow();
        }
    }

    public static long millisSince(long nanos) {
        return (System.nanoTime() - nanos) / 1_000_000;
    }

    /** Waits until so much time has passed: for promises that speak of an age. */
    public static void awaitAge(long sinceNanos, Duration age) {
        Await.await(age + " have passed", age.plus(SOON), () -> System.nanoTime() - sinceNanos > age.toNanos());
    }
}
