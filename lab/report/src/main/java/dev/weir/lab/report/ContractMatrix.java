package dev.weir.lab.report;

import dev.weir.lab.report.Section.Row;
import dev.weir.lab.report.Section.Table;
import dev.weir.lab.runs.Failure;
import dev.weir.lab.runs.RunInfo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Promises against pools: each case is a promise, the metric {@code kept} is 1 or 0, a failure says how it was broken. */
final class ContractMatrix {
    /** What the makers of the other pools are asked. */
    static final String INVITATION =
            "A check that is wrong about a pool, a setting that would let it pass, a newer version: whoever knows better is asked to"
                    + " say so, in an issue or by a change to the pool's class in lab/contenders or to the check in testkit. It is corrected"
                    + " here, and the run is repeated.";

    private static final String KEPT = "kept";

    /** How often a check is told to run at a time, in the settings of the run. */
    private static final String AT_ONCE = "at-once";

    private final Run run;
    private final List<String> pools;

    private ContractMatrix(Run run, List<String> pools) {
        this.run = run;
        this.pools = pools;
    }

    static ContractMatrix of(Run run, List<String> pools) {
        return new ContractMatrix(run, pools);
    }

    String sentence() {
        List<String> promises = promises();
        String counts = pools.stream()
                .sorted((a, b) -> Long.compare(kept(b), kept(a)))
                .map(pool -> pool + " " + kept(pool))
                .collect(Collectors.joining(", "));
        return "Of %d checks each pool passes: %s.".formatted(promises.size(), counts);
    }

    /** What the marks mean, and how to see them again. */
    static String legend(String command) {
        return "\u2713 kept, \u2717 broken, - not tried, or the pool has not what it is about. Repeat: " + command;
    }

    /** How many checks ran beside one another, and what came of those that failed there. */
    String howItWasRun() {
        String atOnce = run.info().settings().getOrDefault(AT_ONCE, "1");
        if (atOnce.equals("1")) {
            return "Each check ran alone, in a JVM of its own.";
        }
        long later = promises().stream()
                .flatMap(promise -> pools.stream()
                        .map(pool -> run.summary(promise, pool, RunInfo.FAILED_BESIDE_OTHERS))
                        .flatMap(Optional::stream))
                .count();
        return ("%s checks of a pool ran at a time in one JVM, as they mostly wait. Each one that failed there was run again in a new JVM,"
                        + " with no other beside it, and only that counts: %d of those that are kept had failed beside others. A call that"
                        + " is late has two more tries.")
                .formatted(atOnce, later);
    }

    /** A table for each promise, whose name is the first word of its checks, so that the pools are never far above. */
    List<Table> tables() {
        Map<String, List<String>> byPromise = promises().stream()
                .collect(Collectors.groupingBy(
                        check -> check.split(" ", 2)[0], LinkedHashMap::new, Collectors.toList()));
        List<Table> tables = new ArrayList<>();
        byPromise.forEach((promise, checks) -> {
            List<String> header = new ArrayList<>(List.of("check"));
            header.addAll(pools);
            List<Row> rows = new ArrayList<>();
            for (String check : checks) {
                List<String> cells = new ArrayList<>(List.of(check));
                pools.forEach(pool -> cells.add(mark(check, pool)));
                rows.add(new Row("", cells));
            }
            tables.add(new Table(
                    "%s, %d %s".formatted(promise, checks.size(), checks.size() == 1 ? "check" : "checks"),
                    header,
                    rows));
        });
        return tables;
    }

    /** How promises were broken, in the words of the tests. */
    Table broken() {
        return new Table(
                "How they were broken",
                List.of("promise", "pool", "message"),
                run.failures().stream()
                        .map(failure -> new Row(
                                failure.cell().pool().equals(Run.OURS) ? "ours" : "",
                                List.of(
                                        failure.cell().caseName(),
                                        failure.cell().pool(),
                                        failure.message().replaceFirst("^BrokenPromise: ", ""))))
                        .toList());
    }

    private List<String> promises() {
        List<String> promises = new ArrayList<>(run.cases());
        run.failures().stream()
                .map(failure -> failure.cell().caseName())
                .filter(promise -> !promises.contains(promise))
                .distinct()
                .forEach(promises::add);
        return promises;
    }

    private long kept(String pool) {
        return promises().stream()
                .filter(promise -> mark(promise, pool).equals("\u2713"))
                .count();
    }

    private String mark(String promise, String pool) {
        double kept = run.median(promise, pool, KEPT);
        if (run.failures().stream()
                .map(Failure::cell)
                .anyMatch(cell -> cell.caseName().equals(promise) && cell.pool().equals(pool))) {
            return "\u2717";
        }
        return Double.isNaN(kept) ? "-" : kept >= 1 ? "\u2713" : "\u2717";
    }
}
