package dev.weir.lab.bench;

import dev.weir.lab.report.Machine;
import dev.weir.lab.report.Results;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir bench}. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = "Measures what one cycle costs, against other pools, on a driver without a database.")
public final class BenchCommand implements Callable<Integer> {
    @Option(names = "--quick", description = "One short round: for a look, not for publishing.")
    private boolean quick;

    @Option(names = "--rounds", description = "Rounds; the median of them counts (default: 3, with --quick 1).")
    private int rounds;

    @Option(
            names = "--pools",
            split = ",",
            defaultValue = "weir,hikari,beecp,raw",
            description = "Which pools (default: ${DEFAULT-VALUE}).")
    private List<String> pools = List.of();

    @Option(
            names = "--only",
            defaultValue = "",
            description = "Only the cases whose name has this regular expression, as 'ConnectionCycle, 1 '.")
    private String only = "";

    @Override
    public Integer call() throws IOException, RunnerException {
        Pattern pattern = Pattern.compile(only, Pattern.CASE_INSENSITIVE);
        List<BenchPlan.Case> cases = BenchPlan.allCases().stream()
                .filter(what -> pattern.matcher(what.label()).find())
                .toList();
        BenchPlan plan = quick ? BenchPlan.quick(cases, pools) : BenchPlan.full(cases, pools);
        if (rounds > 0) {
            plan = plan.withRounds(rounds);
        }
        PrintStream out = System.out;
        Path folder = Results.newFolder("bench");
        Bench bench = new Bench(plan, folder, out);
        BenchResults results = bench.run();
        bench.write(results, "./weir bench" + (quick ? " --quick" : ""));
        out.println();
        out.println(Machine.line());
        out.println("Median of " + plan.rounds() + " rounds; in brackets the ratio to hikari.");
        out.println();
        out.println(results.table());
        out.println("Files: " + folder);
        return 0;
    }
}
