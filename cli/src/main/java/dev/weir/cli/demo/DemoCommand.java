package dev.weir.cli.demo;

import dev.weir.cli.shared.Credentials;
import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Terminal;
import dev.weir.cli.shared.Time;
import dev.weir.cli.shared.Version;
import dev.weir.console.window.Times;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
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
            "  ./weir demo --compare hikari",
            "  ./weir demo --time 2m --threads 64 --pool-size 4",
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

    @Option(
            names = "--time",
            defaultValue = "10s",
            converter = Time.class,
            description = "Length of the load, such as 10s, 5m or 2h (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init")
    private Duration time;

    @Option(names = "--seconds", description = "The same as a number of seconds.")
    private @Nullable Integer seconds;

    @Option(names = "--threads", defaultValue = "16", description = "Threads of the load (default: ${DEFAULT-VALUE}).")
    private int threads;

    @Option(
            names = "--pool-size",
            defaultValue = "8",
            description = "Most connections of the load (default: ${DEFAULT-VALUE}).")
    private int poolSize;

    @Option(
            names = "--connect-delay",
            paramLabel = "TIME",
            defaultValue = "150ms",
            converter = Time.class,
            description = "In the spike every connect takes so much longer, to stand for a server that is far away"
                    + " (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init")
    private Duration connectDelay;

    @Option(names = "--compare", paramLabel = "POOL", description = "Show the same spike on this pool too: hikari.")
    private @Nullable String compare;

    public DemoCommand(Supplier<Stop> stop) {
        this.stop = stop;
    }

    @Override
    public Integer call() {
        if (seconds != null) {
            check("--seconds", seconds, 1, 86_400);
            time = Duration.ofSeconds(seconds);
        }
        check("--time", time, 1000, Duration.ofHours(24));
        check("--threads", threads, 1, 1_000);
        check("--pool-size", poolSize, 1, 1_000);
        check("--connect-delay", connectDelay, 0, Duration.ofSeconds(10));
        if (compare != null && !compare.equals("hikari")) {
            throw new ParameterException(spec.commandLine(), "--compare: " + compare + " (expected: hikari)");
        }
        if (url == null && credentials.isGiven()) {
            throw new ParameterException(spec.commandLine(), "--user and --password need --url");
        }
        DemoOptions options = new DemoOptions(
                url,
                credentials.user(),
                credentials.password(),
                time,
                threads,
                poolSize,
                connectDelay,
                compare != null,
                Terminal.isOutput());
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

    private void check(String name, Duration value, long least, Duration most) {
        if (value.toMillis() < least || value.compareTo(most) > 0) {
            throw new ParameterException(
                    spec.commandLine(),
                    String.format(
                            Locale.ROOT,
                            "%s: %d ms (expected: %d ms..%s)",
                            name,
                            value.toMillis(),
                            least,
                            Times.text(most.toMillis())));
        }
    }

    private void check(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new ParameterException(
                    spec.commandLine(),
                    String.format(Locale.ROOT, "%s: %d (expected: %d..%d)", name, value, least, most));
        }
    }
}
