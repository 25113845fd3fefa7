package dev.weir.lab.service;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.testkit.servers.PostgresServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * An embedded PostgreSQL, tuned as a small web database, with the questions in it. {@link #close} ends it and removes its
 * folder. Thread-safe.
 */
public final class QuestionsDatabase implements AutoCloseable {
    private static final long MEGABYTE = 1 << 20;
    private static final long MOST_SHARED_BUFFERS = 1024;
    private static final int MOST_CONNECTIONS = 200;

    private final PostgresServer server;
    private final long rows;

    private QuestionsDatabase(PostgresServer server, long rows) {
        this.server = server;
        this.rows = rows;
    }

    /**
     * Starts a server and loads this file into it.
     *
     * @throws IOException if anything is wrong with the file
     */
    public static QuestionsDatabase of(Path data) throws IOException, SQLException {
        return started(connection -> QuestionsLoader.load(connection, data));
    }

    /** Starts a server and loads so many generated rows into it. */
    public static QuestionsDatabase generated(long rows) throws IOException, SQLException {
        return started(connection -> QuestionsLoader.generate(connection, rows));
    }

    /** Puts the questions where a connection leads, and returns how many there are. */
    public interface Load {
        long into(Connection connection) throws IOException, SQLException;
    }

    /** Starts a server and loads it; without its questions it is closed again. */
    public static QuestionsDatabase started(Load load) throws IOException, SQLException {
        PostgresServer server = tuned(memoryMegabytes()).start();
        try (Connection connection = server.connect()) {
            return new QuestionsDatabase(server, load.into(connection));
        } catch (IOException | SQLException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** Whether there is a table of questions where this connection leads and the service looks for it: on its search path. */
    public static boolean isLoaded(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT to_regclass('questions') IS NOT NULL")) {
            return found.next() && found.getBoolean(1);
        }
    }

    /** The settings of a web database that has this much memory. */
    private static PostgresServer.Builder tuned(long memoryMegabytes) {
        return PostgresServer.builder()
                .maxConnections(MOST_CONNECTIONS)
                .setting("shared_buffers", Math.min(MOST_SHARED_BUFFERS, memoryMegabytes / 4) + "MB")
                .setting("effective_cache_size", Math.max(64, memoryMegabytes / 2) + "MB")
                .setting("maintenance_work_mem", Math.max(16, Math.min(256, memoryMegabytes / 16)) + "MB")
                .setting("work_mem", "4MB")
                .setting("wal_buffers", "16MB")
                .setting("min_wal_size", "256MB")
                .setting("max_wal_size", "1GB")
                .setting("checkpoint_completion_target", "0.9")
                .setting("default_statistics_target", "100")
                .setting("random_page_cost", "1.1")
                .setting("effective_io_concurrency", "200")
                // The index is built without the shared memory of the system, of which containers have little.
                .setting("max_parallel_maintenance_workers", "0");
    }

    private static long memoryMegabytes() {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return Math.max(256, system.getTotalMemorySize() / MEGABYTE);
    }

    /** Returns the URL, with the user in it, who needs no password. */
    public String url() {
        return server.jdbcUrl();
    }

    /** Returns the rows of the table of questions. */
    public long rows() {
        return rows;
    }

    /** Returns the server, to be stopped, started and asked. */
    public PostgresServer server() {
        return server;
    }

    @Override
    public void close() {
        server.close();
    }
}
