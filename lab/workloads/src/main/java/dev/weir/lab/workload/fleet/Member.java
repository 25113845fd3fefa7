package dev.weir.lab.workload.fleet;

import dev.weir.WeirDataSource;
import dev.weir.fleet.FleetOptions;
import dev.weir.fleet.WeirFleet;
import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Outcome;
import dev.weir.lab.workload.Settings;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** A pool of a fleet, and threads that ask, hold and ask again, as many as are wanted. Thread-safe. */
final class Member {
    private static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final PoolUnderTest pool;
    private final @Nullable WeirFleet fleet;
    private final String name;
    private final String statement;

    // guarded by this
    private final List<User> users = new ArrayList<>();
    private int wanted;
    private Histogram waits = new Histogram(HIGHEST_NANOS, 3);
    private final Map<String, Long> errors = new TreeMap<>();
    private long served;
    private long since = System.nanoTime();

    /**
     * Opens the pool.
     *
     * @param name by which the server shows its sessions, if it joins no fleet
     * @param budget of the fleet that it joins, or 0: it joins none
     */
    Member(CellRun cell, Site site, String name, int budget) throws Exception {
        Settings settings = cell.settings();
        statement = "SELECT pg_sleep(" + settings.number("hold") / 1e3 + ")";
        pool = cell.open(PoolSpec.of(budget > 0 ? site.url() : site.url(name), Site.USER, Site.PASSWORD)
                .size(0, settings.number("connections"))
                .connectionTimeout(settings.millis("timeout")));
        fleet = budget > 0 ? join(settings.millis("lease"), budget) : null;
        this.name = fleet == null ? name : fleet.instance();
    }

    private WeirFleet join(Duration lease, int budget) throws SQLException {
        return WeirFleet.join(
                (WeirDataSource) pool.dataSource(),
                FleetOptions.of("lab", "app")
                        .withBudget(budget)
                        .withLease(lease, lease)
                        .withCreateTables(true));
    }

    /** How many of these sessions are its own. */
    int sessions(Map<String, Integer> byName) {
        return byName.entrySet().stream()
                .filter(entry -> entry.getKey().endsWith(name))
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

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
        List<User> all;
        synchronized (this) {
            all = List.copyOf(users);
        }
        for (User user : all) {
            user.thread.join();
        }
    }

    void close() throws SQLException {
        if (fleet == null) {
            pool.close();
        } else {
            fleet.close();
        }
    }

    /** Forgets what was seen until now. */
    synchronized void begin() {
        waits = new Histogram(HIGHEST_NANOS, 3);
        errors.clear();
        served = 0;
        since = System.nanoTime();
    }

    /**
     * Adds what was seen; a wait that has not ended counts with its length so far.
     *
     * @return how many requests were served
     */
    synchronized long report(Histogram allWaits, Map<String, Long> allErrors) {
        long now = System.nanoTime();
        allWaits.add(waits);
        for (User user : users) {
            long began = user.began;
            if (began != 0) {
                allWaits.recordValue(Math.min(HIGHEST_NANOS, now - Math.max(began, since)));
            }
        }
        errors.forEach((message, count) -> allErrors.merge(message, count, Long::sum));
        return served;
    }

    private synchronized boolean goesOn(User user) {
        user.ended = user.number >= wanted;
        return !user.ended;
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
        private boolean ended; // guarded by the member
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
                return pool.dataSource().getConnection();
            } finally {
                began = 0;
                waited(System.nanoTime() - begin);
            }
        }
    }
}
