package dev.weir.testkit;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The surroundings of one check: a database, a pool on it, threads. Closing it releases and ends all of that, bounded.
 */
final class Scene implements AutoCloseable {

    /** For what the check itself brings about. */
    static final Duration SOON = Duration.ofSeconds(10);

    /** For what the pool does in the background once it has reason to. */
    static final Duration SETTLE = Duration.ofSeconds(3);

    static final String THREAD_PREFIX = "weir-contract-";

    private final Contract.Factory factory;
    private final StubDatabase db;
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final List<Contract.Pool> pools = new CopyOnWriteArrayList<>();

    Scene(Contract.Factory factory, StubDatabase.Likeness likeness) {
        this.factory = factory;
        this.db = new StubDatabase(likeness);
    }

    /** Work of a thread; it may throw anything, errors of the pool's driver included. */
    @FunctionalInterface
    interface Work {
        void run() throws Throwable;
    }

    StubDatabase db() {
        return db;
    }

    Contract.Pool open(Contract.Spec spec) throws Exception {
        Contract.Pool pool = factory.open(db, spec);
        pools.add(pool);
        return pool;
    }

    DataSource dataSource(Contract.Spec spec) throws Exception {
        return open(spec).dataSource();
    }

    /** Runs the work in a thread of its own and fails, with the stack of that thread, if it takes too long. */
    void runBounded(String name, Duration limit, Work work) throws Throwable {
        Forked<Boolean> forked = fork(name, () -> {
            work.run();
            return true;
        });
        boolean ignored = forked.get(limit);
    }

    /** Runs the work in a thread of its own. */
    <T> Forked<T> fork(Timed.Job<T> work) {
        return fork("fork", work);
    }

    /** Runs the work in a thread of its own; the result is true. */
    Forked<Boolean> spawn(Work work) {
        return fork(() -> {
            work.run();
            return true;
        });
    }

    /** As {@link #spawn}, with a stack of this size. */
    Forked<Boolean> spawn(int stackBytes, Work work) {
        return fork("fork", stackBytes, () -> {
            work.run();
            return true;
        });
    }

    /** As {@link #spawn}, in a virtual thread where the JVM has them. */
    Forked<Boolean> spawnVirtual(Work work) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        Runnable run = () -> complete(
                () -> {
                    work.run();
                    return true;
                },
                result);
        try {
            Thread thread = (Thread)
                    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, run);
            threads.add(thread);
            return new Forked<>(thread, result);
        } catch (ReflectiveOperationException e) {
            return spawn(work);
        }
    }

    /** A thread and what comes of it. */
    record Forked<T>(Thread thread, CompletableFuture<T> result) {

        T get() throws Throwable {
            return get(SOON);
        }

        T get(Duration limit) throws Throwable {
            try {
                return result.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            } catch (ExecutionException e) {
                throw e.getCause() == null ? e : e.getCause();
            } catch (TimeoutException e) {
                throw new AssertionError(
                        "not finished after " + limit.toMillis() + " ms, at "
                                + Arrays.stream(thread.getStackTrace())
                                        .limit(12)
                                        .collect(Collectors.toList()),
                        e);
            }
        }

        boolean isDone() {
            return result.isDone();
        }
    }

    private <T> Forked<T> fork(String name, Timed.Job<T> work) {
        return fork(name, 0, work);
    }

    private <T> Forked<T> fork(String name, int stackBytes, Timed.Job<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(null, () -> complete(work, result), THREAD_PREFIX + name, stackBytes);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
        return new Forked<>(thread, result);
    }

    private static <T> void complete(Timed.Job<T> work, CompletableFuture<T> result) {
        try {
            result.complete(work.run());
        } catch (Throwable e) {
            result.completeExceptionally(e);
        }
    }

    // ---- what users of a pool do

    StubSession sessionOf(Connection connection) {
        return db.sessionOf(connection);
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static void useOnce(DataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            query(connection);
        }
    }

    static void query(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT 1")) {
            check(result.next(), "a query has no row");
        }
    }

    /**
     * Lets time pass where nothing can be waited for: until a pool no longer trusts a connection that it tested a moment
     * ago, or between two faults.
     */
    static void letPass(Duration time) {
        boolean ignored = Await.becomesTrue(time, () -> false);
    }

    /** Closes as a user who does not care; a pool may report here what it could not clean. */
    static void closeQuietly(@Nullable AutoCloseable closeable) {
        try {
            if (closeable != null) {
                closeable.close();
            }
        } catch (Throwable ignored) {
            // Only what the next user finds matters.
        }
    }

    /** Does work that may fail, for which nobody cares. */
    static void quietly(Work work) {
        try {
            work.run();
        } catch (Throwable ignored) {
            // Only what the pool makes of it matters.
        }
    }

    /** Gets a connection that must not be there, and returns why it is refused. */
    static SQLException refused(DataSource dataSource) {
        try {
            Connection connection = dataSource.getConnection();
            closeQuietly(connection);
        } catch (SQLException e) {
            return e;
        } catch (Throwable e) {
            throw new AssertionError("getConnection() throws " + e + " instead of a SQLException", e);
        }
        throw new AssertionError("getConnection() returned a connection instead of failing");
    }

    /** As {@link #refused}, within the pool's timeout. */
    static SQLException refusedInTime(DataSource dataSource, Duration timeout) {
        Timed timed = Timed.start(timeout);
        SQLException refusal = refused(dataSource);
        timed.check("getConnection()");
        return refusal;
    }

    static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    static boolean hasState(Throwable failure, String sqlState) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sqlState.equals(sql.getSQLState())) {
                return true;
            }
        }
        return false;
    }

    static String describe(Throwable failure) {
        if (failure instanceof AssertionError && failure.getMessage() != null) {
            return failure.getMessage();
        }
        StackTraceElement[] stack = failure.getStackTrace();
        return failure + (stack.length > 0 ? " at " + stack[0] : "");
    }

    /** Ends everything: what hangs is released first, then the pools are closed, then the database. */
    @Override
    public void close() {
        db.heal();
        Thread closer = new Thread(() -> pools.forEach(Scene::closeQuietly), THREAD_PREFIX + "close");
        closer.setDaemon(true);
        closer.start();
        join(closer, Duration.ofSeconds(4));
        db.heal();
        db.close();
        threads.forEach(Thread::interrupt);
        threads.forEach(thread -> join(thread, Duration.ofMillis(500)));
    }

    private static void join(Thread thread, Duration limit) {
        try {
            thread.join(limit.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
