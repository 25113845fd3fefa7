package dev.weir.lab.report;

import dev.weir.lab.report.Section.Row;
import dev.weir.lab.report.Section.Table;
import dev.weir.lab.runs.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Promises against pools: each case is a promise, the metric {@code kept} is 1 or 0, a failure says how it was broken. */
final class ContractMatrix {
    private static final String KEPT = "kept";

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
        return "Of %d promises are kept by: %s.".formatted(promises.size(), counts);
    }

    Table table(String command) {
        List<String> header = new ArrayList<>(List.of("promise"));
        header.addAll(pools);
        List<Row> rows = new ArrayList<>();
        for (String promise : promises()) {
            List<String> cells = new ArrayList<>(List.of(promise));
            pools.forEach(pool -> cells.add(mark(promise, pool)));
            rows.add(new Row("", cells));
        }
        return new Table("\u2713 kept, \u2717 broken, - not tried. Repeat: " + command, header, rows);
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
                                        failure.message())))
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
