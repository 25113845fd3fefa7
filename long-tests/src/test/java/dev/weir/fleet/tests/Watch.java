package dev.weir.fleet.tests;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Counts the members' sessions at the server, every 2 ms, on a connection of its own. */
final class Watch implements AutoCloseable {
    private static final long EVERY_NANOS = 2_000_000;

    private final Site site;
    private final Thread thread = new Thread(this::watch, "watch");
    private volatile boolean over;
    private volatile int most;
    private volatile int now;
    private final AtomicLong looks = new AtomicLong();

    Watch(Site site) {
        this.site = site;
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        while (!over) {
            try (Connection connection = site.connectAsWatch();
                    PreparedStatement query = connection.prepareStatement(site.sessions())) {
                while (!over) {
                    look(query);
                    LockSupport.parkNanos(this, EVERY_NANOS);
                }
            } catch (SQLException e) { // the server restarts
                LockSupport.parkNanos(this, EVERY_NANOS);
            }
        }
    }

    private void look(PreparedStatement query) throws SQLException {
        try (ResultSet row = query.executeQuery()) {
            row.next();
            now = row.getInt(1);
            most = Math.max(most, now);
            looks.incrementAndGet();
        }
    }

    /** The most that were seen. */
    int most() {
        return most;
    }

    int now() {
        return now;
    }

    long looks() {
        return looks.get();
    }

    @Override
    public void close() throws InterruptedException {
        over = true;
        LockSupport.unpark(thread);
        thread.join();
    }
}
