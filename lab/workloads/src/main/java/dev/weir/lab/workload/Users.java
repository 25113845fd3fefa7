package dev.weir.lab.workload;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Users at work: each gets a connection, works with it, gives the connection back, thinks, and begins again, whatever
 * it met. They remember each request. Thread-safe.
 */
public final class Users implements AutoCloseable {
    private static final Duration END_LIMIT = Duration.ofSeconds(20);

    private final DataSource pool;
    private final Work work;
    private final long thinkNanos;
    private final List<User> users = new ArrayList<>();
    private volatile boolean over;

    /** What a user does with a connection. */
    @FunctionalInterface
    public interface Work {
        void with(Connection connection) throws Exception;
    }

    /** What came of a request. */
    public enum Result {
        SERVED,
        NO_CONNECTION,
        FAILED_IN_USE
    }

    /**
     * A request.
     *
     * @param getNanos how long getConnection() took
     * @param endNanos when it ended
     * @param sqlState of what it failed with, or empty
     * @param message why it failed, or empty
     */
    public record Request(
            long beginNanos, long getNanos, long endNanos, Result outcome, String sqlState, String message) {
        public boolean served() {
            return outcome == Result.SERVED;
        }

        /** Returns when it had its connection, or was told that there is none. */
        public long gotNanos() {
            return beginNanos + getNanos;
        }
    }

    /**
     * Starts those who run a statement.
     *
     * @param name what their threads are called
     * @param sql the statement, in auto-commit
     * @param think how long one pauses after a request, on average
     */
    public Users(String name, DataSource pool, String sql, int count, Duration think) {
        this(name, pool, connection -> execute(connection, sql), count, false, think);
    }

    /**
     * Starts them.
     *
     * @param name what their threads are called, if these are not virtual
     * @param think how long one pauses after a request, on average
     */
    public Users(String name, DataSource pool, Work work, int count, boolean virtual, Duration think) {
        this.pool = pool;
        this.work = work;
        this.thinkNanos = think.toNanos();
        for (int i = 0; i < count; i++) {
            users.add(new User(name, i, virtual));
        }
        users.forEach(User::start);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Returns what has come of all requests so far, in no order. */
    public Stream<Request> requests() {
        return users.stream().flatMap(user -> user.soFar().stream());
    }

    /** Returns how many requests so far meet this. */
    public long count(Predicate<Request> which) {
        return requests().filter(which).count();
    }

    /** How often each failure was seen: the outcome, the SQLState and the message. */
    public static Map<String, Long> errors(Collection<Request> requests) {
        return requests.stream()
                .filter(request -> !request.served())
                .collect(Collectors.groupingBy(
                        request -> request.outcome() + " " + request.sqlState() + " " + request.message(),
                        TreeMap::new,
                        Collectors.counting()));
    }

    /** Tells users to stop after what they do; returns how many do not, within 20 s. */
    public int end() throws InterruptedException {
        over = true;
        long deadline = System.nanoTime() + END_LIMIT.toNanos();
        int stuck = 0;
        for (User user : users) {
            LockSupport.unpark(user.thread);
            user.thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
            stuck += user.thread.isAlive() ? 1 : 0;
        }
        return stuck;
    }

    @Override
    public void close() {
        over = true;
        users.forEach(user -> user.thread.interrupt());
    }

    private final class User implements Runnable {
        private final SplittableRandom random;
        private final Thread thread;

        /** Guarded by this. */
        private final List<Request> requests = new ArrayList<>();

        User(String name, int number, boolean virtual) {
            random = new SplittableRandom(number);
            thread = Crowd.thread(virtual, name + "-user-" + number, this);
        }

        void start() {
            thread.start();
        }

        synchronized List<Request> soFar() {
            return List.copyOf(requests);
        }

        private synchronized void add(Request request) {
            requests.add(request);
        }

        @Override
        public void run() {
            while (!over) {
                add(request());
                LockSupport.parkNanos(this, thinkNanos / 2 + random.nextLong(thinkNanos + 1));
            }
        }

        /** Errors and exceptions alike: whatever a pool throws at its user. */
        private Request request() {
            long begin = System.nanoTime();
            Connection connection;
            try {
                connection = pool.getConnection();
            } catch (Throwable e) {
                long now = System.nanoTime();
                return failed(begin, now, now, Result.NO_CONNECTION, e);
            }
            long got = System.nanoTime();
            try (connection) {
                work.with(connection);
            } catch (Throwable e) {
                return failed(begin, got, System.nanoTime(), Result.FAILED_IN_USE, e);
            }
            return new Request(begin, got - begin, System.nanoTime(), Result.SERVED, "", "");
        }

        private Request failed(long begin, long got, long end, Result outcome, Throwable e) {
            return new Request(begin, got - begin, end, outcome, sqlState(e), Outcome.describe(e));
        }

        /** The first SQLState that a failure or one of its causes has; empty if none has. */
        private static String sqlState(Throwable failure) {
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                    return sql.getSQLState();
                }
            }
            return "";
        }
    }
}
