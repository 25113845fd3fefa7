package dev.weir.cli.console;

import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Version;
import dev.weir.cli.shared.WatchedJvm;
import dev.weir.console.Console;
import dev.weir.console.ConsoleServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir console}. */
@Command(
        name = "console",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        description = {
            "Shows what top shows as a page in the browser, with pictures of the last minutes.",
            "It listens on the loopback address alone, and prints the page's address with the token that lets a browser in."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "1:The JVM has ended, or the port is not free.",
            "2:Wrong use, or it could not attach.",
            "130:Stopped by Ctrl-C."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./weir console",
            "  ./weir console 4711 --allow-changes",
            "  ./weir console db-client.example:9010 --user monitor --password --port 8099"
        })
public final class ConsoleCommand implements Callable<Integer> {
    /** Held here, as the logging of the JDK forgets the level of a logger that nobody holds. */
    private static final Logger CHANGES = Logger.getLogger("dev.weir.console");

    private static final String REQUEST_SECONDS = "10";

    /** A JVM that stands still is waited for meanwhile. */
    private static final String ANSWER_SECONDS = "30";

    private static final int FAILED = 1;
    private static final int MOST_PORT = 65_535;

    private final Supplier<Stop> stop;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final WatchedJvm jvm = new WatchedJvm();

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "0",
            description = "The port of the page (default: one that is free).")
    private int port;

    @Option(
            names = "--allow-changes",
            description = "Let the page evict connections, suspend pools and change settings. Each is logged here.")
    private boolean allowChanges;

    public ConsoleCommand(Supplier<Stop> stop) {
        this.stop = stop;
    }

    @Override
    public Integer call() {
        if (port < 0 || port > MOST_PORT) {
            throw new ParameterException(spec.commandLine(), "--port: " + port + " (expected: 0.." + MOST_PORT + ")");
        }
        CHANGES.setLevel(Level.INFO);
        // Else a client that never ends its request, or never reads the answer, keeps a thread.
        System.setProperty("sun.net.httpserver.maxReqTime", REQUEST_SECONDS);
        System.setProperty("sun.net.httpserver.maxRspTime", ANSWER_SECONDS);
        return jvm.look(this::serve);
    }

    private int serve(WatchedJvm.Found found) {
        Stop stopping = stop.get();
        Console console = new Console(found.reader(), found.watch(), allowChanges);
        try (ConsoleServer server = ConsoleServer.start(console, port)) {
            PrintWriter out = spec.commandLine().getOut();
            out.println(server.address());
            out.flush();
            CompletableFuture.anyOf(stopping.requested(), found.reader().ended())
                    .join();
        } catch (NoClassDefFoundError e) {
            return jvm.failed(FAILED, "this runtime lacks the module jdk.httpserver (" + e.getMessage() + ")");
        } catch (IOException e) {
            return jvm.failed(FAILED, "port " + port + ": " + e.getMessage());
        }
        return stopping.isRequested() ? stopping.exitCode() : jvm.failed(FAILED, found.name() + ": the JVM has ended");
    }
}
