package dev.weir.lab.report;

import dev.weir.lab.report.Section.Row;
import dev.weir.lab.report.Section.Table;
import dev.weir.lab.runs.Summary;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What Weir set out to reach in each workload, and whether this run shows it. */
final class Aims {
    private static final List<String> STRICTLY_FAIR = List.of("vibur", "tomcat");

    private final Run run;
    private final List<Row> rows = new ArrayList<>();

    private Aims(Run run) {
        this.run = run;
    }

    /** The aims of a run, each with what was measured; empty where there are none, or Weir was not in it. */
    static Table of(Run run) {
        Aims aims = new Aims(run);
        for (String caseName : run.cases()) {
            if (run.pools(caseName).contains(Run.OURS)) {
                aims.check(caseName);
            }
        }
        return new Table("Aims", List.of("case", "aim", "measured", "reached"), aims.rows);
    }

    private void check(String caseName) {
        switch (Chapter.of(run.info().workload())) {
            case CYCLE -> {
                if (caseName.startsWith("connection")) {
                    ofHikari(caseName, "time", caseName.contains(" 1 thread") ? 0.25 : 0.35);
                } else if (caseName.startsWith("statement")) {
                    ofHikari(caseName, "time", 0.6);
                }
            }
            case MIXED -> {
                ofBest(caseName, "median", 1);
                ofBest(caseName, "max", 1);
            }
            case SPIKE -> {
                if (caseName.startsWith("spike")) {
                    ofBest(caseName, "done", 1.1);
                    atMost(caseName, "connections at end", 6);
                    atMost(caseName, "connections later", 6);
                } else if (caseName.startsWith("ramp")) {
                    ofHikari(caseName, "mean", 0.1);
                }
            }
            case BATTLE -> atMost(caseName, "max over p99.9", 3);
            case DOWN -> {
                if (caseName.contains("idle")) {
                    atMost(caseName, "user errors", 0);
                }
                atMost(
                        caseName,
                        "longest get",
                        1.1 * Double.parseDouble(run.info().settings().getOrDefault("timeout", "1000")));
                atMost(caseName, "first success", 100);
            }
            case FAILOVER -> failover(caseName);
            case FAIR -> fair(caseName);
            default -> {}
        }
    }

    private void failover(String caseName) {
        if (caseName.startsWith("stopped")) {
            atMost(caseName, "failed writes", 10);
            atMost(caseName, "longest gap", 1600);
        } else if (caseName.startsWith("demoted")) {
            atMost(caseName, "failed writes", 1);
            atMost(caseName, "read-only lent again", 0);
        } else if (caseName.startsWith("switched")) {
            atMost(caseName, "failed writes", 0);
            atMost(caseName, "all moved", 10_000);
        }
    }

    private void fair(String caseName) {
        double strict = STRICTLY_FAIR.stream()
                .mapToDouble(pool -> run.median(caseName, pool, "p99"))
                .filter(Double::isFinite)
                .min()
                .orElse(Double.NaN);
        double times = run.median(caseName, Run.OURS, "p99") / strict;
        if (Double.isFinite(times)) {
            add(caseName, "p99 at most 1.3 times that of strictly fair pools", times, times <= 1.3, " times");
        }
        atMost(caseName, "unserved", 0);
        run.ratios(caseName, Run.OURS, "throughput")
                .map(Summary::median)
                .ifPresent(ratio ->
                        add(caseName, "throughput at least 0.98 of hikari's", ratio, ratio >= 0.98, " of hikari's"));
    }

    private void ofHikari(String caseName, String metric, double limit) {
        run.ratios(caseName, Run.OURS, metric)
                .map(Summary::median)
                .ifPresent(ratio -> add(
                        caseName,
                        metric + " at most " + Quantity.ratio(limit) + " of hikari's",
                        ratio,
                        ratio <= limit,
                        " of hikari's"));
    }

    private void ofBest(String caseName, String metric, double limit) {
        Optional<String> best = run.ranking(caseName, metric).stream()
                .filter(pool -> !Run.isFloor(pool))
                .findFirst();
        if (best.isPresent()) {
            double times = run.median(caseName, Run.OURS, metric) / run.median(caseName, best.get(), metric);
            String aim = limit == 1
                    ? "lowest " + metric + " of all"
                    : metric + " at most " + Quantity.ratio(limit) + " times the best";
            add(caseName, aim, times, times <= limit, " times " + best.get() + "'s");
        }
    }

    private void atMost(String caseName, String metric, double limit) {
        Optional<Summary> own = run.summary(caseName, Run.OURS, metric);
        if (own.isPresent() || run.summary(caseName, Run.REFERENCE, metric).isPresent()) {
            double worst = own.map(Summary::max).orElse(Double.NaN);
            String unit = new Quantity.Scale(run.unit(metric), 1).shown();
            add(
                    caseName,
                    metric + " at most " + Quantity.number(limit) + (unit.isEmpty() ? "" : " " + unit),
                    worst,
                    worst <= limit,
                    unit.isEmpty() ? "" : " " + unit);
        }
    }

    private void add(String caseName, String aim, double measured, boolean reached, String what) {
        rows.add(Row.of(
                reached ? "" : "bad",
                caseName,
                aim,
                Double.isNaN(measured) ? "nothing" : Quantity.number(measured) + what,
                reached ? "yes" : "no"));
    }
}
