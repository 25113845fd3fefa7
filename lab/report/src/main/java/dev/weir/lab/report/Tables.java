package dev.weir.lab.report;

import dev.weir.lab.report.Quantity.Scale;
import dev.weir.lab.report.Section.Row;
import dev.weir.lab.report.Section.Table;
import dev.weir.lab.runs.RunInfo;
import dev.weir.lab.runs.Summary;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The tables that every workload has. */
final class Tables {
    static final String FIRST_HALF = "first half";
    static final String SECOND_HALF = "second half";

    private Tables() {}

    /** Every metric of a case: medians of the rounds, with least and greatest; then the ratio to HikariCP of the first one. */
    static Table ofCase(Run run, String caseName, List<String> metrics) {
        List<String> shown =
                metrics.stream().filter(run.metrics(caseName)::contains).toList();
        if (shown.isEmpty()) {
            return new Table("", List.of("pool"), List.of());
        }
        Map<String, Scale> scales = new LinkedHashMap<>();
        List<String> header = new ArrayList<>(List.of("pool"));
        for (String metric : shown) {
            Scale scale = scale(run, caseName, metric);
            scales.put(metric, scale);
            header.add(Quantity.named(metric, scale));
        }
        header.add("of hikari's " + shown.get(0));
        List<Row> rows = new ArrayList<>();
        for (String pool : ordered(run, caseName, shown.get(0))) {
            List<String> cells = new ArrayList<>(List.of(pool));
            shown.forEach(metric -> cells.add(run.summary(caseName, pool, metric)
                    .map(summary -> text(summary, Objects.requireNonNull(scales.get(metric))))
                    .orElse("-")));
            cells.add(
                    run.ratios(caseName, pool, shown.get(0)).map(Tables::ratio).orElse("-"));
            rows.add(Row.ofPool(pool, cells));
        }
        return new Table(caseName + ": " + spreadNote(run), header, rows);
    }

    /**
     * One metric of all cases: a row for each case, a column for each pool, the median with the ratio to HikariCP's in brackets, and
     * from two rounds on its interval.
     */
    static Table matrix(Run run, String metric) {
        List<String> pools = run.pools().stream()
                .filter(pool -> run.cases().stream()
                        .anyMatch(
                                caseName -> run.summary(caseName, pool, metric).isPresent()))
                .toList();
        Scale scale = Quantity.scale(
                run.unit(metric),
                run.cases().stream()
                        .flatMap(caseName -> pools.stream().map(pool -> run.median(caseName, pool, metric)))
                        .filter(Double::isFinite)
                        .toList());
        List<String> header = new ArrayList<>(List.of(Quantity.named(metric, scale)));
        header.addAll(pools);
        List<Row> rows = new ArrayList<>();
        for (String caseName : run.cases()) {
            if (run.metrics(caseName).contains(metric)) {
                List<String> cells = new ArrayList<>(List.of(caseName));
                pools.forEach(pool -> cells.add(matrixCell(run, caseName, pool, metric, scale)));
                rows.add(new Row("", cells));
            }
        }
        String note = run.rounds() > 1
                ? "median of %d rounds, and the ratio to hikari's with its 95 %% interval".formatted(run.rounds())
                : "one round, and the ratio to hikari's";
        return new Table("All cases, %s: %s".formatted(metric, note), header, rows);
    }

    private static String matrixCell(Run run, String caseName, String pool, String metric, Scale scale) {
        Optional<Summary> own = run.summary(caseName, pool, metric);
        if (own.isEmpty()) {
            return run.failed(caseName, pool) > 0 ? "failed" : "-";
        }
        String median = Quantity.number(scale.apply(own.get().median()));
        return pool.equals(Run.REFERENCE)
                ? median
                : run.ratios(caseName, pool, metric)
                        .map(ratio -> median + " ("
                                + Quantity.ratio(ratio.median())
                                + (run.rounds() > 1 ? ", " + Verdict.between(ratio) : "")
                                + (run.rounds() > 1 && ratio.mayBe(1) ? ", level)" : ")"))
                        .orElse(median);
    }

    /** Ratios to HikariCP round by round. */
    static Table ratios(Run run, String metric) {
        List<Integer> rounds = IntStream.rangeClosed(1, run.rounds()).boxed().toList();
        List<String> header = new ArrayList<>(List.of("case", "pool"));
        rounds.forEach(round -> header.add("round " + round));
        header.addAll(List.of("median", "min", "max"));
        List<Row> rows = new ArrayList<>();
        for (String caseName : run.cases()) {
            for (String pool : run.ranking(caseName, metric)) {
                Optional<Summary> ratios = run.ratios(caseName, pool, metric);
                if (pool.equals(Run.REFERENCE) || ratios.isEmpty()) {
                    continue;
                }
                List<String> cells = new ArrayList<>(List.of(caseName, pool));
                rounds.forEach(round -> cells.add(ratioOfRound(run, caseName, pool, metric, round)));
                Stream.of(
                                ratios.get().median(),
                                ratios.get().min(),
                                ratios.get().max())
                        .map(Quantity::ratio)
                        .forEach(cells::add);
                rows.add(Row.ofPool(pool, cells));
            }
        }
        return new Table("Ratio to hikari, " + metric + ", within each round; 1 is as hikari", header, rows);
    }

    private static String ratioOfRound(Run run, String caseName, String pool, String metric, int round) {
        Double own = run.rounds(caseName, pool, metric).get(round);
        Double reference = run.rounds(caseName, Run.REFERENCE, metric).get(round);
        return own == null || reference == null || reference == 0 ? "-" : Quantity.ratio(own / reference);
    }

    /** The change from the first half of the measurement to the second, by what was measured. */
    static Map<String, Double> changes(Run run) {
        Map<String, Double> changes = new LinkedHashMap<>();
        halves(run, (label, first, second) -> changes.put(label, second / first - 1));
        return changes;
    }

    static Table warmUp(Run run) {
        List<Row> rows = new ArrayList<>();
        for (String caseName : run.cases()) {
            for (String pool : run.pools(caseName)) {
                half(
                        run,
                        caseName,
                        pool,
                        (first, second) -> rows.add(Row.ofPool(
                                pool,
                                List.of(
                                        caseName,
                                        pool,
                                        Quantity.withUnit(first, halfUnit(run, caseName)),
                                        Quantity.withUnit(second, halfUnit(run, caseName)),
                                        String.format(Locale.ROOT, "%+.1f %%", (second / first - 1) * 100)))));
            }
        }
        return new Table(
                "First half against second half of the measured time",
                List.of("case", "pool", "first half", "second half", "change"),
                rows);
    }

    @FunctionalInterface
    private interface Halves {
        void accept(String label, double first, double second);
    }

    private static void halves(Run run, Halves halves) {
        for (String caseName : run.cases()) {
            for (String pool : run.pools(caseName)) {
                half(run, caseName, pool, (first, second) -> halves.accept(pool + ", " + caseName, first, second));
            }
        }
    }

    private static void half(Run run, String caseName, String pool, BiConsumer<Double, Double> halves) {
        double first = beginning(run, caseName, pool, FIRST_HALF);
        double second = beginning(run, caseName, pool, SECOND_HALF);
        if (first > 0 && second > 0) {
            halves.accept(first, second);
        }
    }

    private static double beginning(Run run, String caseName, String pool, String prefix) {
        return run.metrics(caseName).stream()
                .filter(metric -> metric.startsWith(prefix))
                .mapToDouble(metric -> run.median(caseName, pool, metric))
                .findFirst()
                .orElse(Double.NaN);
    }

    private static String halfUnit(Run run, String caseName) {
        return run.metrics(caseName).stream()
                .filter(metric -> metric.startsWith(FIRST_HALF))
                .findFirst()
                .map(run::unit)
                .orElse("");
    }

    /** Whether a metric is there to show that the warm-up was long enough, and says nothing else. */
    static boolean isOfWarmUp(String metric) {
        return metric.startsWith(FIRST_HALF) || metric.startsWith(SECOND_HALF) || isRepeat(metric);
    }

    private static boolean isRepeat(String metric) {
        return metric.contains("of warm-up ") || metric.contains("of run ");
    }

    /** The runs of a cell one after the other, warm-ups first; empty if there were none. */
    static Table repeats(Run run, String caseName) {
        List<String> metrics =
                run.metrics(caseName).stream().filter(Tables::isRepeat).toList();
        Table table = ofCase(run, caseName, metrics);
        int columns = metrics.size() + 1;
        return new Table(
                caseName + ": the runs in their order",
                table.header().subList(0, Math.min(columns, table.header().size())),
                table.rows().stream()
                        .map(row -> new Row(row.kind(), row.cells().subList(0, columns)))
                        .toList());
    }

    static Table failures(Run run) {
        return new Table(
                "Failed",
                List.of("pool", "case", "round", "message"),
                run.failures().stream()
                        .map(failure -> new Row(
                                "bad",
                                List.of(
                                        failure.cell().pool(),
                                        failure.cell().caseName(),
                                        Integer.toString(failure.cell().round()),
                                        failure.message())))
                        .toList());
    }

    static Table limits(Run run) {
        return new Table(
                "What the %s profile cannot make a pool do".formatted(run.info().profile()),
                List.of("pool", "limit"),
                run.limits().stream()
                        .map(limit -> Row.ofPool(limit.pool(), List.of(limit.pool(), limit.limit())))
                        .toList());
    }

    /** On what terms these pools were compared, in sentences, from the run's own record. */
    static String terms(Run run, Collection<String> pools) {
        List<String> known = pools.stream()
                .filter(run.info().terms()::containsKey)
                .filter(pool -> !Run.isFloor(pool))
                .toList();
        return known.isEmpty()
                ? ""
                : "Terms (%s): %s; %s; %s.%s"
                        .formatted(
                                run.info().profile(),
                                terms(run, known, RunInfo.TESTED),
                                terms(run, known, RunInfo.COUNTED),
                                run.info().profile().equals("equal")
                                        ? "on return each is told to reset the session, roll back and close statements"
                                        : "what is done on return is each pool's own default",
                                run.limits().isEmpty() ? "" : " What a pool cannot be told is listed below.");
    }

    /** {@code tested before it is lent: after 500 ms idle (weir, hikari), each time (dbcp2)}. */
    private static String terms(Run run, List<String> pools, String what) {
        Map<String, List<String>> poolsByTerm = new LinkedHashMap<>();
        for (String pool : pools) {
            String term = Objects.requireNonNull(run.info().terms().get(pool)).getOrDefault(what, "not known");
            poolsByTerm.computeIfAbsent(term, key -> new ArrayList<>()).add(pool);
        }
        return what + ": "
                + poolsByTerm.entrySet().stream()
                        .map(entry -> entry.getKey() + " (" + String.join(", ", entry.getValue()) + ")")
                        .collect(Collectors.joining(", "));
    }

    static Table facts(String caption, Map<String, ?> facts) {
        return new Table(
                caption,
                List.of("what", "value"),
                facts.entrySet().stream()
                        .map(fact -> new Row("", List.of(fact.getKey(), String.valueOf(fact.getValue()))))
                        .toList());
    }

    /** By the first metric; pools that did not measure it come last. */
    private static List<String> ordered(Run run, String caseName, String metric) {
        List<String> ranking = run.ranking(caseName, metric);
        return Stream.concat(ranking.stream(), run.pools(caseName).stream().filter(pool -> !ranking.contains(pool)))
                .toList();
    }

    static Scale scale(Run run, String caseName, String metric) {
        Collection<Double> medians = run.pools(caseName).stream()
                .map(pool -> run.median(caseName, pool, metric))
                .filter(Double::isFinite)
                .toList();
        return Quantity.scale(run.unit(metric), medians);
    }

    private static String text(Summary summary, Scale scale) {
        String median = Quantity.number(scale.apply(summary.median()));
        if (summary.min() == summary.max()) {
            return median;
        }
        return "%s (%s\u2013%s)"
                .formatted(
                        median,
                        Quantity.number(scale.apply(summary.min())),
                        Quantity.number(scale.apply(summary.max())));
    }

    private static String ratio(Summary ratio) {
        return ratio.min() == ratio.max()
                ? Quantity.ratio(ratio.median())
                : "%s (%s%s)"
                        .formatted(
                                Quantity.ratio(ratio.median()),
                                Verdict.between(ratio),
                                ratio.mayBe(1) ? ", level" : "");
    }

    private static String spreadNote(Run run) {
        return run.rounds() > 1 ? "median of %d rounds (least\u2013greatest)".formatted(run.rounds()) : "one round";
    }
}
