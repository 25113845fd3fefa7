package dev.weir.testkit.servers;

import dev.weir.testkit.Await;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A MariaDB of one's own on a free port of 127.0.0.1, with its data in a temporary folder, where MariaDB is installed
 * (see {@link #isInstalled()}): unlike PostgreSQL's, its programs are not to be had as a dependency. It can be stopped,
 * killed and started again on the same port with the same data. {@link #close()}, or the exit of the JVM, ends the process
 * and removes the folder. It works as root. Thread-safe.
 *
 * <p>There is an empty database {@code weir}. The user {@code root} needs no password and may do anything; another one
 * that is asked for has a password, and may do anything in that database. This class needs no driver.
 *
 * <pre>{@code
 * try (MariaDbServer server = MariaDbServer.builder().user("weir", "secret").start()) {
 *     String url = "jdbc:mariadb://127.0.0.1:" + server.port() + "/weir";
 *     server.stop();
 *     server.start();
 * }
 * }</pre>
 */
public final class MariaDbServer implements AutoCloseable {

    /** The options of a server; each method returns this builder. Not thread-safe. */
    public static final class Builder {

        private final Map<String, String> options = new LinkedHashMap<>();
        private final Map<String, String> users = new LinkedHashMap<>();

        private Builder() {
            options.put("bind-address", "127.0.0.1");
            options.put("socket", "server.sock");
            options.put("pid-file", "server.pid");
            options.put("skip-name-resolve", "1");
            options.put("max-connect-errors", "1000000");
            options.put("innodb-flush-log-at-trx-commit", "0");
            options.put("innodb-buffer-pool-size", "16M");
            options.put("innodb-log-file-size", "8M");
        }

        /** Sets one option, named without the two dashes. */
        public Builder option(String name, String value) {
            options.put(name, value);
            return this;
        }

        /** Sets {@code max-connections} (10 at least); the server has one more for {@code root}. */
        public Builder maxConnections(int connections) {
            return option("max-connections", Integer.toString(connections));
        }

        /** Creates a user with this password, who may do anything in the database {@code weir}. */
        public Builder user(String name, String password) {
            users.put(name, password);
            return this;
        }

        /**
         * Starts the server and returns when it answers.
         *
         * @throws IllegalStateException if it is not installed or does not start, with the end of its log
         */
        public MariaDbServer start() {
            MariaDbServer server = new MariaDbServer(options);
            try {
                server.initialize(users);
                server.start();
                return server;
            } catch (RuntimeException e) {
                server.close();
                throw e;
            }
        }
    }

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Set<MariaDbServer> OPEN = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> OPEN.forEach(MariaDbServer::close), "weir-mariadb-exit"));
    }

    private final Map<String, String> options;
    private final Path folder;
    private final Path temporary;
    private final Path data;
    private final Path log;
    private final int port;

    // guarded by this
    private @Nullable Process process;
    private boolean closed;

    private MariaDbServer(Map<String, String> options) {
        this.options = new LinkedHashMap<>(options);
        try {
            folder = Files.createTempDirectory("weir-mariadb-");
            temporary = Files.createDirectory(folder.resolve("tmp"));
        } catch (IOException e) {
            throw new UncheckedIOException("no folder for the data", e);
        }
        OPEN.add(this);
        data = folder.resolve("data");
        log = folder.resolve("server.log");
        port = Servers.freePort();
    }

    /**
     * Returns whether the programs of a MariaDB server are found, on the PATH or where servers usually are.
     *
     * @throws IllegalStateException if they are not, and the system property {@code weir.require} names {@code mariadb}
     */
    public static boolean isInstalled() {
        return Programs.areInstalled("mariadb", "mariadbd", "mariadb-install-db");
    }

    /** Returns a builder with default options: no durability. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the port on 127.0.0.1; the same after a restart. */
    public int port() {
        return port;
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
        if (process != null) {
            return;
        }
        List<String> command = command("mariadbd");
        command.add("--port=" + port);
        command.add("--init-file=" + users());
        options.forEach((name, value) -> command.add("--" + name + "=" + value));
        Process started = launch(command);
        process = started;
        if (!Await.becomesTrue(LIMIT, () -> !started.isAlive() || answers()) || !started.isAlive()) {
            kill();
            throw new IllegalStateException(command + " does not answer:\n" + log());
        }
    }

    /** Stops the server, which ends its sessions, and returns when its process has ended; does nothing while stopped. */
    public synchronized void stop() {
        Process stopped = process;
        if (stopped != null) {
            stopped.destroy();
            if (!Await.becomesTrue(LIMIT, () -> !stopped.isAlive())) {
                throw new IllegalStateException("the server does not stop:\n" + log());
            }
            process = null;
        }
    }

    /** Kills the server, which recovers at the next start; does nothing while it is stopped. */
    public synchronized void kill() {
        Process killed = process;
        if (killed != null) {
            killed.destroyForcibly();
            Await.becomesTrue(LIMIT, () -> !killed.isAlive());
            process = null;
        }
    }

    /** Returns the last lines of the server's log. */
    public String log() {
        return Servers.tail(log);
    }

    /** Ends the server and removes its data. A second call does nothing. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            kill();
            Servers.delete(folder);
            OPEN.remove(this);
        }
    }

    private void initialize(Map<String, String> users) {
        List<String> command = command("mariadb-install-db");
        command.addAll(List.of(
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--skip-name-resolve",
                "--innodb-log-file-size=8M"));
        Process made = launch(command);
        try {
            if (!made.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS) || made.exitValue() != 0) {
                made.destroyForcibly();
                throw new IllegalStateException(command + " failed:\n" + log());
            }
            Files.write(users(), statements(users));
        } catch (IOException e) {
            throw new UncheckedIOException("the server cannot be configured", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while running " + command, e);
        }
    }

    /** Run at each start, before the server takes connections. */
    private Path users() {
        return folder.resolve("users.sql");
    }

    private static List<String> statements(Map<String, String> users) {
        List<String> statements = new ArrayList<>(List.of(
                "CREATE DATABASE IF NOT EXISTS weir;",
                "CREATE USER IF NOT EXISTS root@127.0.0.1;",
                "GRANT ALL ON *.* TO root@127.0.0.1 WITH GRANT OPTION;"));
        users.forEach((name, password) -> {
            String user = "'" + name + "'@127.0.0.1";
            statements.add(
                    "CREATE USER IF NOT EXISTS " + user + " IDENTIFIED BY '" + password.replace("'", "''") + "';");
            statements.add("GRANT ALL ON weir.* TO " + user + ";");
        });
        return statements;
    }

    private Process launch(List<String> command) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.environment().put("LC_ALL", "C");
            return builder.redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + command, e);
        }
    }

    /** The server greets whoever connects. */
    private boolean answers() {
        try (Socket socket = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
                InputStream in = socket.getInputStream()) {
            socket.setSoTimeout(1_000);
            return in.read() >= 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** What both programs are told. A server that starts empties its folder for temporary files, whose soever they are. */
    private List<String> command(String program) {
        List<String> command = new ArrayList<>(
                List.of(program(program), "--no-defaults", "--datadir=" + data, "--tmpdir=" + temporary));
        if ("root".equals(System.getProperty("user.name"))) {
            command.add("--user=root"); // a server started by root must be told that this is meant
        }
        return command;
    }

    private static String program(String name) {
        String found = Programs.find(name);
        if (found == null) {
            throw new IllegalStateException(name + " is not installed");
        }
        return found;
    }
}
