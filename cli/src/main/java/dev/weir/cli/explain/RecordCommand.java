package dev.weir.cli.explain;

import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Time;
import dev.weir.cli.shared.Version;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir record}. */
@Command(
        name = "record",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        description = {
            "Records what the pools of a running JVM do, and explains it.",
            "Nothing in the JVM is changed: its flight recorder runs for that time with Weir's settings, for less than",
            "1 %% of a core at 10,000 loans/s. It needs a JDK, and the JVM's own user."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  ./weir record 4711", "  ./weir record 4711 --for 5m -o friday.jfr"})
public final class RecordCommand implements Callable<Integer> {
    private final Supplier<Stop> stop;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(paramLabel = "PID", description = "The process id of the JVM, as jps lists them.")
    private long pid;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = Time.class,
            defaultValue = "60s",
            description = "How long, such as 60s or 5m (default: 60s). Ctrl-C ends it earlier.")
    @SuppressWarnings("NullAway.Init")
    private Duration time;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "The recording (default: weir-PID.jfr); the page is beside it.")
    private @Nullable Path file;

    public RecordCommand(Supplier<Stop> stop) {
        this.stop = stop;
    }

    @Override
    public Integer call() {
        if (time.toMillis() < 1_000 || time.toHours() >= 24) {
            throw new ParameterException(spec.commandLine(), "--for: " + time.toMillis() + " ms (expected: 1s..24h)");
        }
        PrintWriter err = spec.commandLine().getErr();
        Path target = file == null ? Path.of("weir-" + pid + ".jfr") : file;
        try {
            Recorder.record(pid, time, stop.get(), target, err);
        } catch (IOException e) {
            err.println(e.getMessage());
            return 1;
        } catch (LinkageError e) {
            err.println("recording needs a JDK, and this runtime is none (" + e.getMessage() + " is missing)");
            return 1;
        }
        return ExplainCommand.explain(target, null, spec.commandLine().getOut(), err);
    }
}
