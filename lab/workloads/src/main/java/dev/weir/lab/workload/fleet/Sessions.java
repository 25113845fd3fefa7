package dev.weir.lab.workload.fleet;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Looks at who has how many sessions at the server, until it is closed. */
final class Sessions implements AutoCloseable {
    private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Who is about to connect has a place and no name yet. */
    private static final String QUERY = "SELECT coalesce(application_name, ''), count(*) FROM pg_stat_activity"
            + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() GROUP BY 1";

    private final Connection connection;
    private final Thread thread = new Thread(this::look, "fleet-sessions");

    /** Guarded by this. */
    private final List<Sample> samples = new ArrayList<>();

    private volatile boolean over;
    private volatile @Nullable SQLException failure;

    /** The sessions at a time, by the name that the server shows. */
    record Sample(long nanos, Map<String, Integer> byName) {
        int total() {
            return byName.values().stream().mapToInt(Integer::intValue).sum();
        }

        /** Of those whose name ends so. */
        int of(String end) {
            return byName.entrySet().stream()
                    .filter(entry -> entry.getKey().endsWith(end))
                    .mapToInt(Map.Entry::getValue)
                    .sum();
        }
    }

    Sessions(Site site) throws SQLException {
        connection = site.look();
        thread.setDaemon(true);
        thread.start();
    }

    private void look() {
        try (PreparedStatement query = connection.prepareStatement(QUERY)) {
            while (!over) {
                Map<String, Integer> byName = new HashMap<>();
                try (ResultSet rows = query.executeQuery()) {
                    while (rows.next()) {
                        byName.put(rows.getString(1), rows.getInt(2));
                    }
                }
                synchronized (this) {
                    samples.add(new Sample(System.nanoTime(), byName));
                }
                LockSupport.parkNanos(this, EVERY_NANOS);
            }
        } catch (SQLException e) {
            failure = e;
        }
    }

    /**
     * Stops looking.
     *
     * @return what was seen, in order
     * @throws SQLException if it could not look to the end
     */
    List<Sample> end() throws SQLException, InterruptedException {
        over = true;
        LockSupport.unpark(thread);
        thread.join();
        SQLException failed = failure;
        if (failed != null) {
            throw failed;
        }
        synchronized (this) {
            return List.copyOf(samples);
        }
    }

    /** The connection, for who asks when it looks no more. */
    Connection connection() {
        return connection;
    }

    @Override
    public void close() throws SQLException {
        over = true;
        LockSupport.unpark(thread);
        connection.close();
    }
}
