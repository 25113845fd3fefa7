package dev.weir.lab.workload.fleet;

import dev.weir.lab.workload.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.HdrHistogram.Histogram;

/** Threads of one member that ask, hold and ask again, as many as are wanted; and what they saw. */
final class Load {
    private static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final DataSource pool;
    private final String statement;

    // guarded by this
    private final List<User> users = new ArrayList<>();
    private int wanted;
    private Histogram waits = new Histogram(HIGHEST_NANOS, 3);
    private final Map<String, Long> errors = new TreeMap<>();
    private long served;
    private long since = System.nanoTime();

    Load(DataSource pool, String statement) {
        this.pool = pool;
        this.statement = statement;
    }

    /**
     * What came of it since the count began.
     *
     * @param served requests
     * @param errors by message
     * @param waits in getConnection() in nanoseconds; of who still waits, or failed, so far
     */
    record Report(long served, Map<String, Long> errors, Histogram waits) {}

    /** Has so many threads ask; those that are too many end with the request that they have. */
    synchronized void want(int count) {
        wanted = count;
        for (int i = 0; i < count; i++) {
            if (i == users.size()) {
                users.add(new User(i));
            } else if (users.get(i).ended) {
                users.set(i, new User(i));
            }
        }
    }

    /** Waits until nobody holds or waits for a connection. */
    void drain() throws InterruptedException {
        want(0);
        for (User user : allUsers()) {
            user.thread.join();
        }
    }

    private synchronized List<User> allUsers() {
        return List.copyOf(users);
    }

    private synchronized boolean goesOn(User user) {
        user.ended = user.number >= wanted;
        return !user.ended;
    }

    /** Forgets what was seen until now. */
    synchronized void begin() {
        waits = new Histogram(HIGHEST_NANOS, 3);
        errors.clear();
        served = 0;
        since = System.nanoTime();
    }

    synchronized Report report() {
        Histogram all = waits.copy();
        long now = System.nanoTime();
        for (User user : users) {
            long began = user.began;
            if (began != 0) {
                all.recordValue(Math.min(HIGHEST_NANOS, now - Math.max(began, since)));
            }
        }
        return new Report(served, Map.copyOf(errors), all);
    }

    private synchronized void waited(long nanos) {
        waits.recordValue(Math.min(HIGHEST_NANOS, nanos));
    }

    private synchronized void served() {
        served++;
    }

    private synchronized void failed(SQLException e) {
        errors.merge(Outcome.describe(e), 1L, Long::sum);
    }

    private final class User {
        private final int number;
        private volatile long began; // 0: does not wait
        private boolean ended; // guarded by the load
        final Thread thread;

        User(int number) {
            this.number = number;
            this.thread = new Thread(this::ask, "fleet-user-" + number);
            thread.setDaemon(true);
            thread.start();
        }

        private void ask() {
            while (goesOn(this)) {
                try (Connection connection = get();
                        Statement one = connection.createStatement()) {
                    one.execute(statement);
                    served();
                } catch (SQLException e) {
                    failed(e);
                }
            }
        }

        private Connection get() throws SQLException {
            long begin = System.nanoTime();
            began = begin;
            try {
                return pool.getConnection();
            } finally {
                began = 0;
                waited(System.nanoTime() - begin);
            }
        }
    }
}
