package dev.weir.lab;

import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Version;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.workload.RunRequest;
import dev.weir.lab.workload.Runner;
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
        List<Workload> todo = all();
        String goOn = command("all") + " --resume";
        int worst = 0;
        if (resume) {
            RunFolder unfinished = RunFolder.newestUnfinished(options.results, names(todo))
                    .orElseThrow(
                            () -> new IllegalArgumentException("--resume: no unfinished run in " + options.results));
            worst = session.goOn(unfinished, Map.of(), folder -> goOn);
            todo = todo.subList(names(todo).indexOf(unfinished.info().workload()) + 1, todo.size());
        }
        List<RunRequest> requests = new ArrayList<>();
        for (Workload workload : todo) {
            RunRequest request = options.request(workload, Map.of(), command(workload.name()));
            if (hasCells(request)) {
                requests.add(request);
            }
        }
        boolean any = resume || !requests.isEmpty();
        if (any && !session.wasCutShort() && !session.agrees(requests, options.yes)) {
            return 0;
        }
        for (RunRequest request : requests) {
            if (!session.wasCutShort()) {
                // Who asked to stop between two runs finds the next one planned, for --resume to go on with.
                worst = Math.max(worst, session.run(request, folder -> goOn));
            }
        }
        if (!any) {
            throw new IllegalArgumentException(
                    "--only: %s (expected: a case of one of %s, that one of the pools can run)"
                            .formatted(options.only, String.join(", ", names(todo))));
        }
        return worst;
    }

    private static List<String> names(List<Workload> workloads) {
        return workloads.stream().map(Workload::name).toList();
    }

    private static List<Workload> all() {
        return Workloads.all().stream().filter(Workload::isPartOfAll).toList();
    }

    /** Pools that are no pools, and cases that were not asked for, leave some workloads out. */
    private static boolean hasCells(RunRequest request) {
        return !Runner.cells(request).isEmpty();
    }

    private String command(String name) {
        List<String> words = new ArrayList<>(List.of("lab", name));
        words.addAll(options.words());
        return RunOptions.commandLine(words);
    }
}
