package dev.weir.lab.report;

import dev.weir.lab.runs.Failure;
import dev.weir.lab.runs.Limit;
import dev.weir.lab.runs.RunInfo;
import dev.weir.lab.runs.Summary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The tables that every workload has. */
public final class Tables {
    private static final int TERMINAL_WIDTH = 120;

    private Tables() {}

    /** A row for each pool, a column for each metric: the median, and in brackets the ratio to HikariCP's. */
    static Table ofCase(Results results, String caseName, List<String> metrics) {
        List<String> header = new ArrayList<>(List.of("pool"));
        metrics.forEach(metric -> header.add(Quantity.named(metric, results.unit(metric))));
        Table table = new Table(header);
        List<String> pools = new ArrayList<>(metrics.isEmpty() ? List.of() : results.ranking(caseName, metrics.get(0)));
        results.pools(caseName).stream().filter(pool -> !pools.contains(pool)).forEach(pools::add);
        for (String pool : pools) {
            List<String> row = new ArrayList<>(List.of(pool));
            metrics.forEach(metric -> row.add(text(results, caseName, pool, metric)));
            table.row(row);
        }
        new TreeSet<>(results.info().terms().keySet())
                .stream()
                        .filter(pool -> !pools.contains(pool) && results.hasFailed(caseName, pool))
                        .forEach(pool -> {
                            List<String> row = new ArrayList<>(List.of(pool));
                            metrics.forEach(metric -> row.add("failed"));
                            table.row(row);
                        });
        return table;
    }

    private static String text(Results results, String caseName, String pool, String metric) {
        String median = Quantity.number(results.median(caseName, pool, metric));
        return pool.equals(Results.REFERENCE)
                ? median
                : results.ratio(caseName, pool, Results.REFERENCE, metric)
                        .map(ratio -> median + " (" + ratio(ratio) + ")")
                        .orElse(median);
    }

    /** {@code 0.97}, or with an interval {@code 0.97, 0.95 to 1.01, level}. */
    static String ratio(Summary ratio) {
        return Quantity.ratio(ratio.median())
                + (ratio.hasInterval()
                        ? ", " + Quantity.ratio(ratio.low()) + " to " + Quantity.ratio(ratio.high())
                                + (ratio.isLevel() ? ", level" : "")
                        : "");
    }

    /** What the numbers of the tables are. */
    public static String legend(Results results) {
        return "Medians of %d round%s; in brackets the ratio to hikari's, round by round%s"
                .formatted(
                        results.rounds(),
                        results.rounds() == 1 ? "" : "s",
                        results.rounds() >= Summary.FEWEST
                                ? ", with the 95 % interval of its median; level: 1 lies in it."
                                : ". So few have no interval: level is what is not %s times the other."
                                        .formatted(Summary.FAR));
    }

    /** Returns the first metrics of each case, as many as a terminal has room for, and what is to be known of them. */
    public static String forTerminal(Results results) throws IOException {
        StringBuilder text = new StringBuilder();
        for (String caseName : results.cases()) {
            List<String> metrics = results.shown(caseName);
            String table = ofCase(results, caseName, metrics).toString();
            while (metrics.size() > 1 && table.indexOf('\n') > TERMINAL_WIDTH) {
                metrics = metrics.subList(0, metrics.size() - 1);
                table = ofCase(results, caseName, metrics).toString();
            }
            text.append(caseName).append('\n').append(table).append('\n');
        }
        for (Failure failure : results.failures()) {
            text.append("Failed: ")
                    .append(failure.cell())
                    .append(": ")
                    .append(failure.message())
                    .append('\n');
        }
        for (Limit limit : results.folder().limits()) {
            text.append(limit.pool()).append(": ").append(limit.limit()).append('\n');
        }
        return text.toString();
    }

    /** On what terms these pools were compared, in sentences. */
    static String terms(Results results) {
        return "Terms (%s): %s; %s; %s."
                .formatted(
                        results.info().profile(),
                        terms(results, RunInfo.TESTED),
                        terms(results, RunInfo.COUNTED),
                        results.info().profile().equals("equal")
                                ? "on return each is told to reset the session, roll back and close statements"
                                : "what is done on return is each pool's own default");
    }

    /** {@code tested before it is lent: after 500 ms idle (weir, hikari), each time (dbcp2)}. */
    private static String terms(Results results, String what) {
        Map<String, List<String>> poolsByTerm = new LinkedHashMap<>();
        results.info().terms().forEach((pool, terms) -> {
            if (!Results.isFloor(pool)) {
                poolsByTerm
                        .computeIfAbsent(terms.getOrDefault(what, "not known"), key -> new ArrayList<>())
                        .add(pool);
            }
        });
        return what + ": "
                + poolsByTerm.entrySet().stream()
                        .map(entry -> entry.getKey() + " (" + String.join(", ", entry.getValue()) + ")")
                        .collect(Collectors.joining(", "));
    }

    static Table failures(Results results) {
        Table table = new Table(List.of("failed", "message"));
        results.failures().forEach(failure -> table.row(List.of(failure.cell().toString(), failure.message())));
        return table;
    }

    static Table limits(Results results) throws IOException {
        Table table = new Table(List.of("pool", "what the profile cannot make it do"));
        results.folder().limits().forEach(limit -> table.row(List.of(limit.pool(), limit.limit())));
        return table;
    }

    /** How many checks of each promise a pool keeps: a row for each case, a column for each pool. */
    static Table kept(Results results) {
        List<String> pools = List.copyOf(results.info().versions().keySet());
        List<String> header = new ArrayList<>(List.of("promise", "checks"));
        header.addAll(pools);
        Table table = new Table(header);
        for (String caseName : results.cases()) {
            List<String> row = new ArrayList<>(List.of(
                    caseName, Integer.toString(checkNames(results, caseName).size())));
            pools.forEach(pool -> row.add(Quantity.number(results.median(caseName, pool, "kept"))));
            table.row(row);
        }
        return table;
    }

    /** Each check of a promise: kept, broken, or not tried since the pool lacks what it is about. */
    static Table checks(Results results, String caseName) {
        List<String> pools = List.copyOf(results.info().versions().keySet());
        List<String> header = new ArrayList<>(List.of("check"));
        header.addAll(pools);
        Table table = new Table(header);
        for (String check : checkNames(results, caseName)) {
            List<String> row = new ArrayList<>(List.of(check));
            for (String pool : pools) {
                double kept = results.median(caseName, pool, check);
                row.add(Double.isNaN(kept) ? "-" : kept > 0 ? "\u2713" : "\u2717");
            }
            table.row(row);
        }
        return table;
    }

    private static List<String> checkNames(Results results, String caseName) {
        List<String> shown = results.info().shown();
        return results.metrics(caseName).stream()
                .filter(metric -> !shown.contains(metric))
                .toList();
    }

    /** The second half of the measured time against the first: whether the warm-up was long enough. */
    static Table halves(Results results) {
        Table table = new Table(List.of("case", "pool", "first half", "second half", "change"));
        for (String caseName : results.cases()) {
            for (String pool : results.pools(caseName)) {
                double first = results.median(caseName, pool, "first half mean");
                double second = results.median(caseName, pool, "second half mean");
                if (first > 0) {
                    table.row(List.of(
                            caseName,
                            pool,
                            Quantity.number(first),
                            Quantity.number(second),
                            Quantity.number(Math.rint((second / first - 1) * 100)) + " %"));
                }
            }
        }
        return table;
    }

    static Table facts(Map<String, ?> facts) {
        Table table = new Table(List.of("what", "value"));
        facts.forEach((name, value) -> table.row(List.of(name, Objects.toString(value))));
        return table;
    }
}
