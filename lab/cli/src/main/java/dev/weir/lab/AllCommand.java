package dev.weir.lab;

import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.workload.RunRequest;
import dev.weir.lab.workload.Runner;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Stop;
import dev.weir.lab.workload.Workload;
import dev.weir.lab.workload.Workloads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
        description = "Runs every workload with its defaults, one after the other.")
final class AllCommand implements Callable<Integer> {
    private final Supplier<Stop> stop;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final RunOptions options = new RunOptions();

    @Option(names = "--resume", description = "Go on with the newest unfinished run, and with the workloads after it.")
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
        List<Workload> todo = Workloads.all();
        int worst = 0;
        if (resume) {
            RunFolder unfinished = unfinished()
                    .orElseThrow(
                            () -> new IllegalArgumentException("--resume: no unfinished run in " + options.results));
            worst = session.run(unfinished);
            int place = todo.stream()
                    .map(Workload::name)
                    .toList()
                    .indexOf(unfinished.info().workload());
            todo = todo.subList(place + 1, todo.size());
        }
        for (Workload workload : todo) {
            if (session.isStopped()) {
                break;
            }
            RunRequest request = request(workload);
            if (hasCases(request)) {
                worst = Math.max(worst, session.run(Runner.plan(request)));
            }
        }
        return worst;
    }

    private Optional<RunFolder> unfinished() throws IOException {
        return RunFolder.find(options.results).stream()
                .filter(folder -> folder.info().ended() == null)
                .reduce((older, newer) -> newer);
    }

    private static boolean hasCases(RunRequest request) {
        return request.workload().cases(request.settings()).stream()
                .anyMatch(caseName -> request.only().matcher(caseName).find());
    }

    private String command(Workload workload) {
        List<String> words = new ArrayList<>(List.of("lab", workload.name()));
        words.addAll(options.words());
        return RunOptions.commandLine(words);
    }

    private RunRequest request(Workload workload) {
        return new RunRequest(
                workload,
                Settings.of(workload.settings(), options.quick, Map.of()),
                options.pools(workload.pools()),
                options.classPath(),
                options.profile(),
                options.rounds(workload.rounds(options.quick)),
                options.only(),
                command(workload),
                options.results);
    }
}
