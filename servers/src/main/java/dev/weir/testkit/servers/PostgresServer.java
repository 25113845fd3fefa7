package dev.weir.testkit.servers;

import dev.weir.testkit.Await;
import dev.weir.testkit.TcpProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * A PostgreSQL of one's own on a free port of 127.0.0.1, with its data in a temporary folder. It can be stopped, killed
 * and started again on the same port with the same data. {@link #close()}, or the exit of the JVM, ends the process and
 * removes the folder. It works as root. Thread-safe.
 *
 * <p>The superuser {@code postgres} is trusted; every other role must give its password (SCRAM), so that a wrong one is
 * refused with SQLState 28P01.
 *
 * <pre>{@code
 * try (PostgresServer server = PostgresServer.builder().maxConnections(20).role("weir", "secret").start()) {
 *     String url = server.jdbcUrl();           // as superuser
 *     server.killBackends();
 *     server.stop();
 *     server.start();
 * }
 * }</pre>
 */
public final class PostgresServer implements AutoCloseable {

    /** How a running server is ended. */
    public enum StopMode {
        /** Sessions are rolled back and ended, then the server writes a checkpoint (57P01 for the clients). */
        FAST("fast"),
        /** Every process ends at once; the next start recovers from the log. */
        IMMEDIATE("immediate");

        private final String word;

        StopMode(String word) {
            this.word = word;
        }
    }

    /** The settings of a server; each method returns this builder. Not thread-safe. */
    public static final class Builder {

        private final Map<String, String> settings = new LinkedHashMap<>();
        private final Map<String, String> roles = new LinkedHashMap<>();

        private Builder() {
            settings.put("fsync", "off");
            settings.put("synchronous_commit", "off");
            settings.put("full_page_writes", "off");
            settings.put("shared_buffers", "32MB");
            settings.put("max_connections", "100");
            settings.put("listen_addresses", "127.0.0.1");
            settings.put("unix_socket_directories", "");
            settings.put("logging_collector", "off");
        }

        /** Sets one parameter of {@code postgresql.conf}. */
        public Builder setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        /** Sets {@code max_connections}; the server keeps 3 of them for superusers. */
        public Builder maxConnections(int connections) {
            return setting("max_connections", Integer.toString(connections));
        }

        /** Creates a role that may log in with this password only, and may create tables in the database postgres. */
        public Builder role(String name, String password) {
            roles.put(name, password);
            return this;
        }

        /**
         * Starts the server and returns when it answers.
         *
         * @throws IllegalStateException if it does not start, with the end of its log
         */
        public PostgresServer start() {
            PostgresServer server = new PostgresServer(settings);
            try {
                server.initialize();
                server.start();
                for (Map.Entry<String, String> role : roles.entrySet()) {
                    server.createRole(role.getKey(), role.getValue());
                }
                return server;
            } catch (RuntimeException e) {
                server.close();
                throw e;
            }
        }
    }

    private static final String SUPERUSER = PostgresFiles.SUPERUSER;
    private static final String OTHER_CLIENTS =
            "backend_type = 'client backend' AND pid <> pg_backend_pid() AND application_name <> 'weir-testkit'";
    private static final Duration EXIT_LIMIT = Duration.ofSeconds(10);

    private final PostgresFiles files = PostgresFiles.get();
    private final Map<String, String> settings;
    private final Path folder;
    private final Path data;
    private final Path log;
    private final int port;

    // guarded by this
    private boolean running;
    private boolean closed;

    private PostgresServer(Map<String, String> settings) {
        this.settings = Map.copyOf(settings);
        this.folder = files.newFolder();
        this.data = folder.resolve("cluster");
        this.log = folder.resolve("server.log");
        this.port = Servers.freePort();
    }

    /**
     * Makes a standby of a server that is stopped, from a copy of its data; started, it follows that server.
     *
     * @param primary whose port it will ask for what is written from now on
     */
    static PostgresServer standbyOf(PostgresServer primary) {
        PostgresServer standby = new PostgresServer(primary.settings);
        try {
            standby.files.copy(primary.data, standby.data);
            Files.writeString(
                    standby.data.resolve("postgresql.conf"),
                    "primary_conninfo = 'host=127.0.0.1 port=" + primary.port + " user=" + SUPERUSER + "'\n",
                    StandardOpenOption.APPEND);
            standby.files.handOver(Files.createFile(standby.data.resolve("standby.signal")));
            return standby;
        } catch (IOException e) {
            standby.close();
            throw new UncheckedIOException("the standby cannot be configured", e);
        } catch (RuntimeException e) {
            standby.close();
            throw e;
        }
    }

    /** Starts a server with default settings. */
    public static PostgresServer launch() {
        return builder().start();
    }

    /** Returns a builder with default settings: 100 connections, no durability. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the port on 127.0.0.1; the same after a restart. */
    public int port() {
        return port;
    }

    /** Returns the URL of the database {@code postgres} for the superuser, who needs no password. */
    public String jdbcUrl() {
        return jdbcUrl("postgres") + "?user=" + SUPERUSER;
    }

    /** Returns the URL of a database, without user and password. */
    public String jdbcUrl(String database) {
        return jdbcUrl(database, port);
    }

    /** Returns the URL of a database through another port of 127.0.0.1, such as that of a {@link TcpProxy}. */
    public String jdbcUrl(String database, int viaPort) {
        return "jdbc:postgresql://127.0.0.1:" + viaPort + "/" + database;
    }

    /**
     * Connects as superuser, bypassing any pool and proxy; the application name is {@code weir-testkit}.
     *
     * @throws SQLException if the server refuses
     */
    public Connection connect() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", SUPERUSER);
        properties.setProperty("ApplicationName", "weir-testkit");
        return DriverManager.getConnection(jdbcUrl("postgres"), properties);
    }

    /**
     * Runs a statement as superuser in a connection of its own.
     *
     * @throws IllegalStateException if the server refuses it
     */
    public void execute(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    /**
     * Runs a query that returns one number, as superuser in a connection of its own.
     *
     * @throws IllegalStateException if the server refuses it, or there is no row
     */
    public long number(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            if (!result.next()) {
                throw new IllegalStateException(sql + ": no row");
            }
            return result.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    /** Creates a role that logs in with this password only, and may create tables in the database postgres. */
    public void createRole(String name, String password) {
        execute("CREATE ROLE " + name + " LOGIN PASSWORD '" + password.replace("'", "''") + "'");
        execute("GRANT ALL ON SCHEMA public TO " + name);
    }

    /** Returns how many client sessions there are, those of this object not counted. */
    public int backends() {
        return (int) number("SELECT count(*) FROM pg_stat_activity WHERE " + OTHER_CLIENTS);
    }

    /** Terminates all client sessions, and returns how many. Their clients see 57P01 or an end of the stream. */
    public int killBackends() {
        return killBackends("true");
    }

    /**
     * Terminates the client sessions that meet a condition on {@code pg_stat_activity}.
     *
     * @param condition SQL, for example {@code "state = 'idle'"}
     * @return how many
     */
    public int killBackends(String condition) {
        return (int) number("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE " + OTHER_CLIENTS
                + " AND (" + condition + ")");
    }

    /**
     * As {@link #killBackends()}, and returns when those sessions have ended. Sessions that clients open meanwhile live on.
     */
    public int endBackends() {
        String those = "backend_start <= to_timestamp("
                + number("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint") + " / 1000000.0)";
        int killed = killBackends(those);
        Await.await(
                "the sessions have ended",
                EXIT_LIMIT,
                () -> number("SELECT count(*) FROM pg_stat_activity WHERE " + OTHER_CLIENTS + " AND " + those) == 0);
        return killed;
    }

    /** Returns whether the server was started and not stopped by this object. */
    public synchronized boolean isRunning() {
        return running;
    }

    /**
     * Starts the stopped server on its port and data, and returns when it answers; does nothing while it runs.
     *
     * @throws IllegalStateException if it does not start, with the end of its log
     */
    public synchronized void start() {
        if (closed) {
            throw new IllegalStateException("the server is closed");
        }
        if (running) {
            return;
        }
        files.started(this);
        running = true;
        files.run(
                "pg_ctl",
                folder.resolve("pg_ctl.log"),
                List.of(
                        "start",
                        "-w",
                        "-t",
                        "30",
                        "-s",
                        "-D",
                        data.toString(),
                        "-l",
                        log.toString(),
                        "-o",
                        "-p " + port));
    }

    /** Stops the server as {@link StopMode#FAST}. */
    public void stop() {
        stop(StopMode.FAST);
    }

    /** Stops the server and returns when its process has ended; does nothing while it is stopped. */
    public synchronized void stop(StopMode mode) {
        if (!running) {
            return;
        }
        files.run(
                "pg_ctl",
                folder.resolve("pg_ctl.log"),
                List.of("stop", "-w", "-t", "30", "-s", "-m", mode.word, "-D", data.toString()));
        running = false;
        files.stopped(this);
    }

    /** Stops and starts the server, on the same port and data. */
    public synchronized void restart() {
        stop();
        start();
    }

    /** Returns the last lines of the server's log. */
    public String log() {
        return Servers.tail(log);
    }

    /** Returns the lines of the server's log, since its first start, in which this text stands. */
    public List<String> logged(String text) {
        try (Stream<String> lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
            return lines.filter(line -> line.contains(text)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException("the log cannot be read", e);
        }
    }

    /** Ends the server and removes its data. A second call does nothing. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            stop(StopMode.IMMEDIATE);
        } catch (RuntimeException e) {
            killPostmaster();
        } finally {
            running = false;
            files.stopped(this);
            Servers.delete(folder);
        }
    }

    private void killPostmaster() {
        try {
            Path pidFile = data.resolve("postmaster.pid");
            if (Files.exists(pidFile)) {
                long pid = Long.parseLong(Files.readAllLines(pidFile).get(0).strip());
                ProcessHandle.of(pid).ifPresent(process -> {
                    process.destroyForcibly();
                    Await.becomesTrue(EXIT_LIMIT, () -> !process.isAlive());
                });
            }
        } catch (IOException | NumberFormatException ignored) {
            // Without a readable pid file there is no server to end.
        }
    }

    private void initialize() {
        files.newCluster(data);
        List<String> configuration = new ArrayList<>();
        settings.forEach((name, value) -> configuration.add(name + " = '" + value.replace("'", "''") + "'"));
        try {
            Files.write(data.resolve("postgresql.conf"), configuration, StandardOpenOption.APPEND);
            Files.write(
                    data.resolve("pg_hba.conf"),
                    List.of(
                            "host all " + SUPERUSER + " 127.0.0.1/32 trust",
                            "host replication " + SUPERUSER + " 127.0.0.1/32 trust",
                            "host all all 127.0.0.1/32 scram-sha-256"));
        } catch (IOException e) {
            throw new UncheckedIOException("the server cannot be configured", e);
        }
    }
}
