package dev.weir.lab;

import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Version;
import dev.weir.lab.workload.Settings.Setting;
import dev.weir.lab.workload.Workload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir lab WORKLOAD}: the options of every workload, and one for each of its own settings. */
@Command(mixinStandardHelpOptions = true, sortOptions = false, versionProvider = Version.class)
final class WorkloadCommand implements Callable<Integer> {
    private final Workload workload;
    private final Supplier<Stop> stop;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final RunOptions options = new RunOptions();

    private WorkloadCommand(Workload workload, Supplier<Stop> stop) {
        this.workload = workload;
        this.stop = stop;
    }

    static CommandSpec spec(Workload workload, Supplier<Stop> stop) {
        CommandSpec spec = CommandSpec.forAnnotatedObject(new WorkloadCommand(workload, stop));
        String pools = workload.pools().contains("hikari") ? " --pools weir,hikari" : "";
        spec.usageMessage()
                .description(workload.description(), "Pools: " + String.join(", ", workload.pools()) + ".")
                .footerHeading("%nExamples:%n")
                .footer(
                        "  ./weir lab " + workload.name() + " --quick" + pools,
                        "  ./weir lab " + workload.name() + " --rounds 2" + pools);
        for (Setting setting : workload.settings()) {
            spec.addOption(OptionSpec.builder("--" + setting.name())
                    .paramLabel(setting.isList() ? "VALUE,..." : "VALUE")
                    .type(String.class)
                    .arity("1")
                    .description(setting.help())
                    .build());
        }
        return spec;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Session session = new Session(spec.commandLine(), stop.get(), options);
        try {
            return session.run(List.of(
                    options.plan(workload, given(), workload.pools(), workload.rounds(options.quick), command())));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
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

    /** The command line that repeats this run: the arguments as they were given, and the order that was drawn. */
    private String command() {
        List<String> words =
                new ArrayList<>(spec.root().commandLine().getParseResult().originalArgs());
        if (!spec.commandLine().getParseResult().hasMatchedOption("--order")) {
            words.addAll(List.of("--order", Long.toString(options.order)));
        }
        return RunOptions.commandLine(words);
    }
}
