package dev.weir.testkit.servers;

import dev.weir.testkit.Await;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * A PostgreSQL and its standby, each a process of its own on a free port of 127.0.0.1. The standby follows by streaming
 * replication, without waiting for it: what the primary had confirmed and not sent yet when it is stopped at once is lost,
 * as it is with any asynchronous standby. {@link #close()}, or the exit of the JVM, ends both. Thread-safe.
 *
 * <pre>{@code
 * try (PostgresPair pair = PostgresPair.start(PostgresServer.builder().role("weir", "secret"));
 *         TcpProxy name = new TcpProxy("127.0.0.1", pair.primary().port())) {
 *     pair.primary().stop(PostgresServer.StopMode.IMMEDIATE);   // the failure
 *     pair.promote();                                           // the failover
 *     name.retarget("127.0.0.1", pair.standby().port());        // the name follows
 * }
 * }</pre>
 */
public final class PostgresPair implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final PostgresServer primary;
    private final PostgresServer standby;

    private PostgresPair(PostgresServer primary, PostgresServer standby) {
        this.primary = primary;
        this.standby = standby;
    }

    /**
     * Starts both servers, with these settings, and returns when the standby follows. A commit is written before it is
     * confirmed ({@code synchronous_commit} is {@code local}), so that it is sent soon. The standby is a copy of the stopped
     * primary, since the programs of the test kit have no {@code pg_basebackup}.
     *
     * @throws IllegalStateException if one does not start, with the end of its log
     */
    public static PostgresPair start(PostgresServer.Builder settings) {
        PostgresServer primary = settings.setting("synchronous_commit", "local").start();
        PostgresServer standby = null;
        try {
            primary.stop();
            standby = PostgresServer.standbyOf(primary);
            primary.start();
            standby.start();
            PostgresPair pair = new PostgresPair(primary, standby);
            Await.await(() -> "the standby follows: " + pair.standby.log(), LIMIT, pair::isStreaming);
            return pair;
        } catch (RuntimeException | AssertionError e) {
            if (standby != null) {
                standby.close();
            }
            primary.close();
            throw e;
        }
    }

    /** Returns the server that was the primary at the start, whatever it is now. */
    public PostgresServer primary() {
        return primary;
    }

    /** Returns the server that was the standby at the start, whatever it is now. */
    public PostgresServer standby() {
        return standby;
    }

    /** Returns whether the primary sends to the standby what is written. */
    public boolean isStreaming() {
        return primary.number("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == 1;
    }

    /**
     * Waits until the standby has replayed what was written to the primary so far.
     *
     * @throws AssertionError if it has not within a minute
     */
    public void awaitCaughtUp() {
        String written = text(primary, "SELECT pg_current_wal_insert_lsn()");
        Await.await(
                () -> "the standby has replayed " + written,
                LIMIT,
                () -> standby.number("SELECT (pg_last_wal_replay_lsn() >= '" + written + "')::int") == 1);
    }

    /**
     * Makes the standby a primary, and returns when it takes writes. The other server goes on as it was; what it has written
     * and not sent, the new primary does not have.
     *
     * @throws IllegalStateException if it cannot
     */
    public void promote() {
        if (standby.number("SELECT pg_promote(true, " + LIMIT.toSeconds() + ")::int") != 1) {
            throw new IllegalStateException("the standby was not promoted: " + standby.log());
        }
    }

    /**
     * Makes the server that was the primary read-only while its sockets stay open, and returns when each of its sessions has
     * been told: it refuses the next write (25006). A server that restarts as a standby closes its sockets; other databases,
     * and managed ones, do not.
     */
    public void demote() {
        primary.execute("ALTER SYSTEM SET default_transaction_read_only = on");
        primary.execute("SELECT pg_reload_conf()");
        // The postmaster signals the sessions it has before it begins another one with the new setting.
        Await.await(
                "new sessions only read",
                LIMIT,
                () -> "on".equals(text(primary, "SHOW default_transaction_read_only")));
    }

    /** Ends both servers and removes their data. A second call does nothing. */
    @Override
    public void close() {
        standby.close();
        primary.close();
    }

    private static String text(PostgresServer server, String sql) {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }
}
