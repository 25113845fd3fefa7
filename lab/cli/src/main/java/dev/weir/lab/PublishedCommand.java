package dev.weir.lab;

import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Version;
import dev.weir.lab.runs.RunInfo;
import dev.weir.lab.workload.Plan;
import dev.weir.lab.workload.Workload;
import dev.weir.lab.workload.Workloads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir lab published}: the cases that docs/results shows, one workload after the other. */
@Command(
        name = "published",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        description =
                "Runs the cases of docs/results with Weir and HikariCP, five rounds of each: an hour on two cores that do"
                        + " nothing else.",
        footerHeading = "%nExamples:%n",
        footer = {"  ./weir lab published --dry-run", "  ./weir lab published --quick --rounds 1 --yes"})
final class PublishedCommand implements Callable<Integer> {
    /** A web service first, since that is what a user gets; then what the pool costs. {@code LabCommandTest} bounds the time of all. */
    private static final List<Part> PARTS = List.of(
            new Part("grid", Map.of("sizes", "8", "threads", "64", "seconds", "15", "warm-up", "60")),
            new Part("battle", Map.of("measured", "25000")),
            new Part("down", Map.of("faults", "killed,stopped,hole", "before", "2000")),
            new Part("failover", Map.of("kinds", "stop,demote")),
            new Part("spike", Map.of("kinds", "spike,ramp")),
            new Part("fair", Map.of("threads", "200", "between", "none,yield")),
            new Part("mixed", Map.of()),
            new Part("cycle", Map.of("threads", "1,8", "statement-threads", "1", "iterations", "3")));

    private final Supplier<Stop> stop;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final RunOptions options = new RunOptions();

    @Option(names = "--dry-run", description = "Only say what would be run, and how long it takes.")
    private boolean dryRun;

    /**
     * A run.
     *
     * @param settings those that are not the workload's default
     */
    private record Part(String workload, Map<String, String> settings) {}

    PublishedCommand(Supplier<Stop> stop) {
        this.stop = stop;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Session session = new Session(spec.commandLine(), stop.get(), options);
        try {
            List<Plan> plans = new ArrayList<>(PARTS.stream().map(this::plan).toList());
            plans.removeIf(plan -> plan.cells().isEmpty()); // pools that are none, and --only, leave some out
            if (plans.isEmpty()) {
                throw new IllegalArgumentException(
                        "--only: %s (expected: a case of one of %s that one of the pools can run)"
                                .formatted(
                                        options.only,
                                        PARTS.stream().map(Part::workload).toList()));
            }
            if (dryRun) {
                session.list(plans);
                return 0;
            }
            return session.run(plans);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private Plan plan(Part part) {
        Workload workload = Workloads.named(part.workload());
        List<String> pools = List.of("weir", "hikari");
        int rounds = options.quick ? workload.rounds(true) : RunInfo.PUBLISHED_ROUNDS;
        List<String> words = new ArrayList<>(List.of("lab", part.workload()));
        new TreeMap<>(part.settings()).forEach((name, value) -> words.addAll(List.of("--" + name, value)));
        words.addAll(options.words(pools, rounds));
        return options.plan(workload, part.settings(), pools, rounds, RunOptions.commandLine(words));
    }
}
