package dev.weir.lab;

import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.workload.RunRequest;
import dev.weir.lab.workload.Runner;
import dev.weir.lab.workload.Setting;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Stop;
import dev.weir.lab.workload.Workload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir lab WORKLOAD}: the options of every workload, and one for each of its own settings. */
@Command(mixinStandardHelpOptions = true, sortOptions = false)
final class WorkloadCommand implements Callable<Integer> {
    private final Workload workload;
    private final Supplier<Stop> stop;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final RunOptions options = new RunOptions();

    @Option(
            names = "--resume",
            paramLabel = "FOLDER",
            arity = "0..1",
            fallbackValue = "",
            description = "Go on with an unfinished run (default: the newest of this workload); its own options count.")
    private @Nullable String resume;

    private WorkloadCommand(Workload workload, Supplier<Stop> stop) {
        this.workload = workload;
        this.stop = stop;
    }

    static CommandSpec spec(Workload workload, Supplier<Stop> stop) {
        CommandSpec spec = CommandSpec.forAnnotatedObject(new WorkloadCommand(workload, stop));
        spec.usageMessage().description(workload.description(), "Pools: " + String.join(", ", workload.pools()) + ".");
        for (Setting setting : workload.settings()) {
            spec.addOption(OptionSpec.builder("--" + setting.name())
                    .paramLabel(setting.words().isEmpty() ? setting.list() ? "N,..." : "N" : "WORD,...")
                    .type(String.class)
                    .description(setting.help())
                    .build());
        }
        return spec;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Session session = new Session(spec.commandLine(), stop.get(), options.inProcess);
        try {
            RunFolder folder = resume == null ? plan() : unfinished(resume);
            return session.run(
                    folder,
                    RunOptions.commandLine(List.of(
                            "lab", workload.name(), "--resume", folder.path().toString())));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private RunFolder plan() throws IOException {
        return Runner.plan(new RunRequest(
                workload,
                Settings.of(workload.settings(), options.quick, given()),
                options.pools(workload.pools()),
                options.classPath(),
                options.profile(),
                options.rounds(workload.rounds(options.quick)),
                options.only(),
                command(),
                options.results));
    }

    private Map<String, String> given() {
        Map<String, String> given = new LinkedHashMap<>();
        for (Setting setting : workload.settings()) {
            String value = spec.commandLine().getParseResult().matchedOptionValue("--" + setting.name(), null);
            if (value != null) {
                given.put(setting.name(), value);
            }
        }
        return given;
    }

    private RunFolder unfinished(String folder) throws IOException {
        if (folder.isEmpty()) {
            return RunFolder.newestUnfinished(options.results, workload.name())
                    .orElseThrow(() -> new IllegalArgumentException(
                            "--resume: no unfinished run of %s in %s".formatted(workload.name(), options.results)));
        }
        try {
            Path path = Path.of(folder);
            String found = RunFolder.read(path).info().workload();
            if (!found.equals(workload.name())) {
                throw new IllegalArgumentException(
                        "--resume: %s is a run of %s (expected: %s)".formatted(folder, found, workload.name()));
            }
            return RunFolder.open(path);
        } catch (IOException e) {
            throw new IllegalArgumentException("--resume: " + e.getMessage(), e);
        }
    }

    /** The command line that repeats this run: the arguments as they were given. */
    private String command() {
        return RunOptions.commandLine(spec.root().commandLine().getParseResult().originalArgs());
    }
}
