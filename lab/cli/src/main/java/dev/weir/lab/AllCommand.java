package dev.weir.lab;

import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Version;
import dev.weir.lab.workload.RunRequest;
import dev.weir.lab.workload.Workload;
import dev.weir.lab.workload.Workloads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir lab all}: every workload with its own defaults, one after the other. */
@Command(
        name = "all",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        description = "Runs every workload with its defaults, one after the other.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./weir lab all --quick --pools weir,hikari",
            "  ./weir lab all --rounds 1 --dry-run",
            "  ./weir lab all --rounds 2 --yes",
            "  ./weir lab all --resume"
        })
final class AllCommand implements Callable<Integer> {
    private final Supplier<Stop> stop;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final RunOptions options = new RunOptions();

    @Option(
            names = "--resume",
            description =
                    "Go on with the newest unfinished run, whose own options count, and with the workloads after it,"
                            + " with the options that are given now.")
    private boolean resume;

    @Option(names = "--dry-run", description = "Only say what would be run, and how long it takes.")
    private boolean dryRun;

    AllCommand(Supplier<Stop> stop) {
        this.stop = stop;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Session session = new Session(spec.commandLine(), stop.get(), options.inProcess);
        try {
            return run(session);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private int run(Session session) throws IOException, InterruptedException {
        List<Workload> all =
                Workloads.all().stream().filter(Workload::isPartOfAll).toList();
        List<RunRequest> requests = all.stream()
                .map(workload -> options.request(workload, Map.of(), command(workload.name())))
                .toList();
        if (dryRun) {
            session.list(requests);
            return 0;
        }
        return new Agenda(requests, run -> names(all).indexOf(run.workload()), command("all") + " --resume", false)
                .run(session, options, resume);
    }

    private static List<String> names(List<Workload> workloads) {
        return workloads.stream().map(Workload::name).toList();
    }

    private String command(String name) {
        List<String> words = new ArrayList<>(List.of("lab", name));
        words.addAll(options.words());
        return RunOptions.commandLine(words);
    }
}
