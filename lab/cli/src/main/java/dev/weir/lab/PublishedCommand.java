package dev.weir.lab;

import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Version;
import dev.weir.lab.runs.RunInfo;
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

/** {@code weir lab published}: the cases whose numbers README and docs/why/performance.md show, with as many rounds as that needs. */
@Command(
        name = "published",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        description =
                "Runs the cases that README and docs/why/performance.md show, five rounds of each: some two and a half hours on two"
                        + " cores that do nothing else. A part that others disturb is run again at once.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./weir lab published --dry-run",
            "  ./weir lab published --yes",
            "  ./weir lab published --resume",
            "  ./weir lab report --markdown docs/results/2026-01-31 lab/results/2026-01-31"
        })
final class PublishedCommand implements Callable<Integer> {
    /**
     * The service first, since that is what a user gets; then what the pool costs. {@code LabTest} bounds the time of all of them: what
     * is added here takes its place from something else.
     */
    private static final List<Part> PARTS = List.of(
            new Part("grid", "weir,hikari", Map.of("sizes", "8", "threads", "16,64", "seconds", "15")),
            new Part("battle", "weir,hikari", Map.of("measured", "45000")),
            new Part("down", "weir,hikari,tomcat,beecp", Map.of("before", "2000")),
            new Part("failover", "weir,hikari", Map.of("kinds", "stop,demote,switch")),
            new Part("spike", "weir,hikari,tomcat,dbcp2", Map.of("kinds", "spike,ramp")),
            new Part("fair", "weir,hikari,tomcat", Map.of("threads", "50,200,10000", "between", "none,yield")),
            new Part(
                    "fair",
                    "weir,hikari",
                    Map.of("threads", "50,200", "connections", "10", "holds", "parked,busy", "kinds", "platform")),
            new Part("mixed", "weir,hikari,beecp", Map.of()),
            new Part(
                    "cycle",
                    "weir,hikari,beecp",
                    Map.of(
                            "benchmarks",
                            "connection,contended,statement,full",
                            "threads",
                            "1,8,32",
                            "statement-threads",
                            "1")));

    private final Supplier<Stop> stop;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final RunOptions options = new RunOptions();

    @Option(names = "--resume", description = "Go on with the newest unfinished run of these, and with those after it.")
    private boolean resume;

    @Option(names = "--dry-run", description = "Only say what would be run, and how long it takes.")
    private boolean dryRun;

    PublishedCommand(Supplier<Stop> stop) {
        this.stop = stop;
    }

    /**
     * One run.
     *
     * @param settings what is not the workload's default
     */
    private record Part(String workload, String pools, Map<String, String> settings) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        Session session = new Session(spec.commandLine(), stop.get(), options.inProcess);
        try {
            List<RunRequest> requests = requests();
            if (dryRun) {
                session.list(requests);
                return 0;
            }
            List<String> commands = requests.stream()
                    .map(request -> withoutOrder(request.command()))
                    .toList();
            List<String> words = new ArrayList<>(List.of("lab", "published", "--resume"));
            words.addAll(options.words());
            return new Agenda(
                            requests,
                            run -> commands.indexOf(withoutOrder(run.command())),
                            RunOptions.commandLine(words),
                            !options.quick && !options.inProcess)
                    .run(session, options, resume);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /** What is run, in this order. */
    List<RunRequest> requests() {
        return PARTS.stream().map(this::request).toList();
    }

    private RunRequest request(Part part) {
        Workload workload = Workloads.named(part.workload());
        int rounds = options.quick || !RunInfo.isRepeated(part.workload())
                ? workload.rounds(options.quick)
                : RunInfo.PUBLISHED_ROUNDS;
        return options.request(
                workload, part.settings(), List.of(part.pools().split(",", -1)), rounds, command(part, rounds));
    }

    /** The command that repeats this run alone. */
    private String command(Part part, int rounds) {
        List<String> words = new ArrayList<>(List.of("lab", part.workload()));
        part.settings().entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach(setting -> {
            words.add("--" + setting.getKey());
            words.add(setting.getValue());
        });
        if (options.pools == null) {
            words.addAll(List.of("--pools", part.pools()));
        }
        if (options.rounds == null) {
            words.addAll(List.of("--rounds", Integer.toString(rounds)));
        }
        words.addAll(options.words());
        return RunOptions.commandLine(words);
    }

    /** Each call draws its own. */
    private static String withoutOrder(String command) {
        return command.replaceAll(" --order -?\\d+", "");
    }
}
