package dev.weir.testkit.servers;

import dev.weir.testkit.Await;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A PgBouncer, of the installed program, in front of a PostgreSQL on this machine; for tests of what it does to a pool. It
 * listens on 127.0.0.1 alone, lends its sessions of the server for a transaction, and lets everybody in.
 * Thread-safe.
 */
public final class PgBouncer implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int PROTOCOL_3 = 3 << 16;
    private static final String PROGRAM = "pgbouncer";

    private final Path folder;
    private final Path log;
    private final int port = Servers.freePort();

    private @Nullable Process process; // guarded by this

    /**
     * Starts one with one session, so that a RECONNECT never meets another that is just logging in: PgBouncer takes that for a
     * failed login, and turns its clients away until the next one succeeds.
     *
     * @param serverPort of the PostgreSQL
     * @param user as whom it speaks with the server, to the database {@code postgres}
     * @param password of that user
     * @throws IllegalStateException if it is not installed or does not start, with the end of its log
     */
    public PgBouncer(int serverPort, String user, String password) {
        this(serverPort, user, password, 1, 100);
    }

    /**
     * Starts one with as many sessions of the server, and connections of clients, at the most.
     *
     * @throws IllegalStateException if it is not installed or does not start, with the end of its log
     */
    public PgBouncer(int serverPort, String user, String password, int sessions, int clients) {
        try {
            folder = Files.createTempDirectory("weir-pgbouncer-");
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            log = folder.resolve("log");
            Files.writeString(
                    folder.resolve("ini"),
                    String.join(
                            "\n",
                            "[databases]",
                            "postgres = host=127.0.0.1 port=" + serverPort + " user=" + user + " password=" + password,
                            "[pgbouncer]",
                            "listen_addr = 127.0.0.1",
                            "listen_port = " + port,
                            "unix_socket_dir =",
                            "auth_type = any",
                            "pool_mode = transaction",
                            "default_pool_size = " + sessions,
                            "max_client_conn = " + clients,
                            "admin_users = postgres",
                            "ignore_startup_parameters = extra_float_digits",
                            ""));
        } catch (IOException e) {
            throw new UncheckedIOException("no folder for PgBouncer", e);
        }
        start();
    }

    /**
     * Returns whether the program is found, on the PATH or where servers usually are.
     *
     * @throws IllegalStateException if it is not, and the system property {@code weir.require} names {@code pgbouncer}
     */
    public static boolean isInstalled() {
        return Programs.areInstalled(PROGRAM, PROGRAM);
    }

    /** What it wrote into its log until now. */
    public String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the port that it listens on, the same after each start. */
    public int port() {
        return port;
    }

    /** Starts it, and returns when it answers; does nothing while it runs. */
    public synchronized void start() {
        if (process != null) {
            return;
        }
        String program = Programs.find(PROGRAM);
        if (program == null) {
            throw new IllegalStateException("PgBouncer is not installed");
        }
        List<String> command = new ArrayList<>(List.of(program));
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("-u", "nobody")); // it refuses root
        }
        command.add(folder.resolve("ini").toString());
        try {
            Process started = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            process = started;
            if (!Await.becomesTrue(LIMIT, () -> !started.isAlive() || answers()) || !started.isAlive()) {
                stop();
                throw new IllegalStateException(command + " does not answer:\n" + Servers.tail(log));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(command + " cannot be started", e);
        }
    }

    /** Ends it at once, and with it the sessions of its clients; does nothing while it is stopped. */
    public synchronized void stop() {
        Process stopped = process;
        if (stopped != null) {
            stopped.destroy();
            if (!Await.becomesTrue(LIMIT, () -> !stopped.isAlive())) {
                stopped.destroyForcibly();
            }
            process = null;
        }
    }

    private boolean answers() {
        try {
            admin("SHOW VERSION");
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    /**
     * Gives a command to its console, such as {@code PAUSE}, in the protocol itself: the console refuses what the driver
     * sets at the beginning.
     *
     * @throws IllegalStateException if it refuses
     */
    public void admin(String command) {
        try (Socket console = new Socket(InetAddress.getLoopbackAddress(), port)) {
            console.setSoTimeout((int) LIMIT.toMillis());
            DataOutputStream out =
                    new DataOutputStream(new BufferedOutputStream(console.getOutputStream())); // one packet
            DataInputStream in = new DataInputStream(console.getInputStream());
            byte[] startup = "user\0postgres\0database\0pgbouncer\0\0".getBytes(StandardCharsets.UTF_8);
            out.writeInt(8 + startup.length);
            out.writeInt(PROTOCOL_3);
            out.write(startup);
            out.flush();
            awaitReady(in, command);
            byte[] query = (command + "\0").getBytes(StandardCharsets.UTF_8);
            out.writeByte('Q');
            out.writeInt(4 + query.length);
            out.write(query);
            out.flush();
            awaitReady(in, command);
        } catch (IOException e) {
            throw new IllegalStateException(command + ": " + e, e);
        }
    }

    /** Reads messages until the console is ready for the next command. */
    private static void awaitReady(DataInputStream in, String command) throws IOException {
        for (byte type = in.readByte(); ; type = in.readByte()) {
            byte[] body = in.readNBytes(in.readInt() - 4);
            if (type == 'E') {
                throw new IOException(command + " was refused: " + new String(body, StandardCharsets.UTF_8));
            }
            if (type == 'Z') {
                return;
            }
        }
    }

    /** Ends it and removes its files. A second call does nothing. */
    @Override
    public synchronized void close() {
        stop();
        Servers.delete(folder);
    }
}
