package dev.weir.cli.top;

import static dev.weir.cli.shared.Terminal.clean;

import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Terminal;
import dev.weir.cli.shared.Time;
import dev.weir.cli.shared.Version;
import dev.weir.cli.shared.WatchedJvm;
import dev.weir.console.window.JvmView;
import dev.weir.console.window.PoolReader;
import dev.weir.console.window.PoolView;
import dev.weir.console.window.Watch;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.AttributedString;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weir top}. */
@Command(
        name = "top",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        description = {
            "Shows the pools of a running JVM: how many connections, who holds them and for how long, who waits, what failed.",
            "Live on a terminal, with keys that dump, evict, suspend and change settings; elsewhere a line a look."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:All is well.",
            "1:Something is wrong at the last look: acquires timed out since the one before, a thread has waited for"
                    + " waitWarningThreshold, getConnection() is nested, connections look leaked, connects fail or are slow,"
                    + " the JVM has ended, or there is no pool.",
            "2:Wrong use, or it could not attach."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./weir top",
            "  ./weir top 4711 --pool orders",
            "  ./weir top 4711 --once --json",
            "  ./weir top db-client.example:9010 --user monitor --password"
        })
public final class TopCommand implements Callable<Integer> {
    private static final int TROUBLE = 1;
    private static final int PLAIN_WIDTH = 160;
    private static final int PLAIN_HEIGHT = 60;

    private final Supplier<Stop> stop;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final WatchedJvm jvm = new WatchedJvm();

    @Option(names = "--pool", paramLabel = "NAME", description = "This pool alone.")
    private @Nullable String pool;

    @Option(names = "--once", description = "Look twice, an interval apart, and show that, on a terminal too.")
    private boolean once;

    @Option(names = "--json", description = "As JSON, an object a line for each look.")
    private boolean json;

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            defaultValue = "1s",
            converter = Time.class,
            description = "How often it looks (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init")
    private Duration interval;

    public TopCommand(Supplier<Stop> stop) {
        this.stop = stop;
    }

    @Override
    public Integer call() {
        Time.checkInterval(spec, interval);
        return jvm.look(this::show);
    }

    private int show(WatchedJvm.Found found) {
        PoolReader reader = found.reader();
        Stop stopping = stop.get();
        try {
            if (!once && !json && Terminal.isOutput() && Terminal.isThere()) {
                try (org.jline.terminal.Terminal terminal = terminal()) {
                    if (!terminal.getType().startsWith("dumb")) {
                        JvmView last = new Live(terminal, reader, found.watch(), pool, interval, stopping).run();
                        return stopping.isRequested() ? stopping.exitCode() : last == null ? 0 : exit(last);
                    }
                }
            }
            return lines(reader, found.watch(), stopping);
        } catch (IOException e) {
            String why = reader.isGone() ? "the JVM has ended" : String.valueOf(e.getMessage());
            return jvm.failed(TROUBLE, found.name() + ": " + why);
        }
    }

    /** By the programs of the system where there are any: a library of its own would be loaded with a warning. */
    private static org.jline.terminal.Terminal terminal() throws IOException {
        boolean windows = System.getProperty("os.name").startsWith("Windows");
        return TerminalBuilder.builder()
                .name("weir top")
                .system(true)
                .dumb(true)
                .exec(!windows)
                .jni(windows)
                .ffm(windows)
                .jna(false)
                .jansi(false)
                .build();
    }

    /** Goes on when the JVM does not answer: that is when one looks. */
    private int lines(PoolReader reader, Watch watch, Stop stopping) throws IOException {
        JvmView view = watch.look(reader, pool);
        while (!stopping.await(interval)) {
            try {
                view = watch.look(reader, pool);
                print(view);
            } catch (IOException e) {
                if (once || reader.isGone()) {
                    throw e;
                }
                spec.commandLine().getErr().println(clean("weir top: no answer: " + e.getMessage()));
            }
            if (once) {
                return exit(view);
            }
        }
        return stopping.isRequested() ? stopping.exitCode() : exit(view);
    }

    /** With {@code --once} the worst pool comes first: there may be one for each tenant. */
    private void print(JvmView view) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(view.json());
        } else if (once) {
            List<PoolView> worstFirst = view.pools().stream()
                    .sorted(Comparator.comparing(one -> -one.troubles().size()))
                    .toList();
            for (PoolView one : worstFirst) {
                JvmView alone = new JvmView(view.jvm(), view.well(), List.of(one));
                Screen.of(alone, one, Sort.AGE, PLAIN_WIDTH, PLAIN_HEIGHT, false)
                        .forEach(line -> print(line, out));
            }
            if (view.pools().isEmpty()) {
                Screen.of(view, null, Sort.AGE, PLAIN_WIDTH, PLAIN_HEIGHT, false)
                        .forEach(line -> print(line, out));
            }
        } else {
            view.pools().forEach(one -> out.println(Screen.line(one)));
        }
        out.flush();
    }

    private static void print(AttributedString line, PrintWriter out) {
        out.println(line.toString().stripTrailing());
    }

    private int exit(JvmView view) {
        return view.well() && !view.pools().isEmpty() ? 0 : TROUBLE;
    }
}
