package dev.weir.lab.serve;

import dev.weir.cli.shared.Credentials;
import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Target;
import dev.weir.cli.shared.Version;
import dev.weir.lab.contender.Contenders;
import dev.weir.lab.service.QuestionsDatabase;
import dev.weir.lab.service.QuestionsLoader;
import dev.weir.lab.service.ServerProcess;
import dev.weir.lab.service.ServerSpec;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir serve}. */
@Command(
        name = "serve",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        description = {
            "Answers GET /?user=87 with a user's questions as JSON: Dropwizard, Jdbi and a pool, on a PostgreSQL that it"
                    + " starts, fills and removes, or on your own database. Ctrl-C stops it."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./weir serve --rows 100000",
            "  ./weir serve --pool hikari --pool-size 16 --port 9090",
            "  ./weir serve --url jdbc:postgresql://localhost/questions --user shop --password"
        })
public final class ServeCommand implements Callable<Integer> {
    private static final long ROWS = 1_000_000;
    private static final Duration GLANCE = Duration.ofMillis(200);

    private final Supplier<Stop> stop;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(names = "--pool", defaultValue = "weir", description = "The pool (default: ${DEFAULT-VALUE}).")
    private String pool = "weir";

    @Option(
            names = "--pool-size",
            defaultValue = "8",
            description = "Connections of the pool (default: ${DEFAULT-VALUE}).")
    private int poolSize;

    @Option(
            names = "--max-threads",
            defaultValue = "16",
            description = "Threads that answer; Jetty's own come on top (default: ${DEFAULT-VALUE}).")
    private int maxThreads;

    @Option(names = "--port", defaultValue = "8080", description = "0: any free one (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--admin-port",
            defaultValue = "8081",
            description = "For health and metrics; 0: any free one (default: ${DEFAULT-VALUE}).")
    private int adminPort;

    @Option(
            names = "--data",
            paramLabel = "CSV",
            description =
                    "The questions, such as the public StackLite file, plain or .gz; without it they are made up.")
    private @Nullable Path data;

    @Option(names = "--rows", description = "How many questions are made up (default: 1,000,000).")
    private @Nullable Long rows;

    @Option(
            names = "--url",
            paramLabel = "JDBC-URL",
            description = "Your own database, which has a table of questions already, or gets one by --data or --rows.")
    private @Nullable String url;

    @Mixin
    private final Credentials credentials = new Credentials();

    public ServeCommand(Supplier<Stop> stop) {
        this.stop = stop;
    }

    @Override
    public Integer call() {
        check();
        PrintWriter out = spec.commandLine().getOut();
        Stop stopping = stop.get();
        stopping.answerWith(() -> say(out, "\nStopping ..."));
        int exit;
        try {
            exit = serve(out, stopping);
        } catch (IOException | SQLException e) {
            if (!stopping.isRequested()) {
                spec.commandLine().getErr().println(e.getMessage());
                return 1;
            }
            exit = 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            exit = 1;
        }
        if (!stopping.isRequested()) {
            return exit;
        }
        say(out, "Stopped on request; everything was closed and removed.");
        return stopping.exitCode();
    }

    private int serve(PrintWriter out, Stop stopping) throws IOException, SQLException, InterruptedException {
        requireFree("--port", port);
        requireFree("--admin-port", adminPort);
        if (url != null) {
            prepareOwn(out, stopping, url);
            return stopping.isRequested() ? 0 : serve(out, stopping, url);
        }
        say(out, "Loading %s into a PostgreSQL of its own ...".formatted(what()));
        try (QuestionsDatabase database = QuestionsDatabase.started(connection -> load(connection, stopping))) {
            say(out, String.format(Locale.ROOT, "%,d questions loaded.", database.rows()));
            say(out, "Its database, as long as it runs: " + database.url());
            return stopping.isRequested() ? 0 : serve(out, stopping, database.url());
        }
    }

    private int serve(PrintWriter out, Stop stopping, String databaseUrl) throws IOException, InterruptedException {
        ServerSpec server = ServerSpec.of(pool, databaseUrl, poolSize, maxThreads)
                .withCredentials(credentials.user(), credentials.password())
                .withPorts(port, adminPort);
        try (ServerProcess running = ServerProcess.start(server)) {
            running.requireAnswer();
            say(
                    out,
                    "%s answers at %s?user=87  health: %shealthcheck  Ctrl-C stops it."
                            .formatted(running.pool(), running.uri(), running.adminUri()));
            CompletableFuture.anyOf(running.onExit(), stopping.requested()).join();
            // Ctrl-C in a terminal goes to the server too, which may be the faster one.
            if (stopping.await(GLANCE)) {
                return 0;
            }
        }
        spec.commandLine().getErr().println("The server ended by itself; above is what it said.");
        return 1;
    }

    /** A request to stop cancels the statement, with which all of it is undone. */
    private long load(Connection connection, Stop stopping) throws IOException, SQLException {
        CompletableFuture<?> cancelled = stopping.requested().thenRun(() -> QuestionsLoader.cancel(connection));
        try {
            return data == null ? QuestionsLoader.generate(connection, rows()) : QuestionsLoader.load(connection, data);
        } finally {
            cancelled.cancel(false);
        }
    }

    private void prepareOwn(PrintWriter out, Stop stopping, String ownUrl) throws IOException, SQLException {
        Target target = credentials.at(ownUrl);
        String missing = target.missingDriver();
        if (missing != null) {
            throw new SQLException(missing);
        }
        try (Connection connection = target.connect()) {
            boolean isToBeLoaded = data != null || rows != null;
            if (isToBeLoaded) {
                say(out, "Loading %s into your database ...".formatted(what()));
                say(out, String.format(Locale.ROOT, "%,d questions loaded.", load(connection, stopping)));
            } else if (!QuestionsDatabase.isLoaded(connection)) {
                throw new SQLException("There is no table questions in that database: --data or --rows makes one.");
            }
        }
    }

    private String what() {
        return data == null ? String.format(Locale.ROOT, "%,d generated questions", rows()) : data.toString();
    }

    private long rows() {
        return rows == null ? ROWS : rows;
    }

    private static void say(PrintWriter out, String line) {
        out.println(line);
        out.flush();
    }

    private void requireFree(String option, int wanted) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), wanted));
        } catch (IOException e) {
            throw new IOException(option + ": " + wanted + " is taken on 127.0.0.1 (" + e.getMessage() + ")", e);
        }
    }

    private void check() {
        range("--pool-size", poolSize, 1, 10_000);
        range("--max-threads", maxThreads, 1, 10_000);
        range("--port", port, 0, 65_535);
        range("--admin-port", adminPort, 0, 65_535);
        range("--rows", rows(), 1, 1_000_000_000);
        if (port == adminPort && port != 0) {
            throw wrong("--port and --admin-port: both " + port + " (expected: two ports)");
        }
        if (data != null && rows != null) {
            throw wrong("--data and --rows: one of them says what is loaded");
        }
        if (url == null && credentials.isGiven()) {
            throw wrong("--user and --password need --url");
        }
        requireFile("--data", data);
        try {
            Contenders.named(pool);
        } catch (IllegalArgumentException e) {
            throw wrong("--" + e.getMessage());
        }
    }

    private void requireFile(String option, @Nullable Path file) {
        if (file != null && (Files.isDirectory(file) || !Files.isReadable(file))) {
            throw wrong(option + ": " + file + " (expected: a file that can be read)");
        }
    }

    private void range(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw wrong("%s: %d (expected: %d..%d)".formatted(name, value, least, most));
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
