package dev.weir.cli.demo;

import dev.weir.cli.shared.Credentials;
import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Version;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir demo}. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        description = {
            "Runs the pool on a real PostgreSQL that it starts and removes, or on your own database:",
            "some seconds of load, a spike, and what happened."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./weir demo",
            "  ./weir demo --seconds 60 --threads 64 --pool-size 4",
            "  ./weir demo --url jdbc:postgresql://localhost/shop --user shop --password",
            "  WEIR_CLASSPATH=mariadb-java-client.jar ./weir demo --url jdbc:mariadb://localhost/shop --user shop"
        })
public final class DemoCommand implements Callable<Integer> {
    private final Supplier<Stop> stop;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--url",
            paramLabel = "JDBC-URL",
            description = "Your own database; its driver is found on WEIR_CLASSPATH (PostgreSQL's is there). The demo"
                    + " makes one table there, of a name of its own, and drops it.")
    private @Nullable String url;

    @Mixin
    private final Credentials credentials = new Credentials();

    @Option(names = "--seconds", defaultValue = "10", description = "Length of the load (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(names = "--threads", defaultValue = "16", description = "Threads of the load (default: ${DEFAULT-VALUE}).")
    private int threads;

    @Option(
            names = "--pool-size",
            defaultValue = "8",
            description = "Most connections of the load (default: ${DEFAULT-VALUE}).")
    private int poolSize;

    @Option(
            names = "--connect-delay",
            paramLabel = "MILLIS",
            defaultValue = "150",
            description = "In the spike every connect takes so much longer, to stand for a server that is far away"
                    + " (default: ${DEFAULT-VALUE}).")
    private int connectDelay;

    public DemoCommand(Supplier<Stop> stop) {
        this.stop = stop;
    }

    @Override
    public Integer call() {
        check("--seconds", seconds, 1, 86_400);
        check("--threads", threads, 1, 1_000);
        check("--pool-size", poolSize, 1, 1_000);
        check("--connect-delay", connectDelay, 0, 10_000);
        if (url == null && credentials.isGiven()) {
            throw new ParameterException(spec.commandLine(), "--user and --password need --url");
        }
        DemoOptions options = new DemoOptions(
                url,
                credentials.user(),
                credentials.password(),
                Duration.ofSeconds(seconds),
                threads,
                poolSize,
                Duration.ofMillis(connectDelay),
                Boolean.getBoolean("weir.terminal"));
        PrintWriter out = spec.commandLine().getOut();
        Stop stopping = stop.get();
        stopping.answerWith(() -> {
            out.println();
            out.println("Stopping ...");
            out.flush();
        });
        try {
            int exit = new Demo(options, stopping, out).run();
            if (!stopping.isRequested()) {
                return exit;
            }
        } catch (DemoFailure e) {
            if (!stopping.isRequested()) {
                spec.commandLine().getErr().println(e.getMessage());
                return 1;
            }
        }
        out.println("Stopped on request; everything was closed and removed.");
        out.flush();
        return stopping.exitCode();
    }

    private void check(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new ParameterException(
                    spec.commandLine(), "%s: %d (expected: %d..%d)".formatted(name, value, least, most));
        }
    }
}
