package dev.weir.lab.report;

import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Failure;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.runs.RunInfo;
import dev.weir.lab.runs.Summary;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** What a run measured, by case, pool and metric. Ratios are taken within a round, so that a machine that drifts changes none. Immutable. */
public final class Results {
    /** The pool that ratios refer to. */
    static final String REFERENCE = "hikari";

    /** The pool whose defeats are told. */
    static final String OURS = "weir";

    /** No pools, but what a pool is measured against: no pooling, one connection for ever, a server with room for all. */
    private static final Set<String> FLOORS = Set.of("none", "raw", "ideal");

    /** Parts of names of metrics of which less is better, and of those of which more is; any other than a time is a fact. */
    private static final List<String> COSTS = List.of(
            "errors", "failed", "unserved", "lent again", "old server", "opened", "connect", "cpu", "bytes", "refused");

    private static final List<String> GAINS = List.of("requests", "least", "served", "kept");
    private static final List<String> FACTS = List.of("half", "warm-up", "of run", "offered", "stdev", "renewals");

    private record Key(String caseName, String pool, String metric) {}

    private final RunFolder folder;
    private final List<Failure> failures;
    private final Map<Key, TreeMap<Integer, Double>> values = new LinkedHashMap<>();
    private final Map<String, String> units = new LinkedHashMap<>();

    private Results(RunFolder folder) throws IOException {
        this.folder = folder;
        this.failures = folder.failures();
        for (Measurement one : folder.measurements()) {
            if (Double.isFinite(one.value())) {
                Cell cell = one.cell();
                values.computeIfAbsent(new Key(cell.caseName(), cell.pool(), one.metric()), key -> new TreeMap<>())
                        .put(cell.round(), one.value());
                units.putIfAbsent(one.metric(), one.unit());
            }
        }
    }

    /** Reads what was measured so far. */
    public static Results read(RunFolder folder) throws IOException {
        return new Results(folder);
    }

    RunFolder folder() {
        return folder;
    }

    RunInfo info() {
        return folder.info();
    }

    List<Failure> failures() {
        return failures;
    }

    boolean hasFailed(String caseName, String pool) {
        return failures.stream()
                .map(Failure::cell)
                .anyMatch(
                        cell -> cell.caseName().equals(caseName) && cell.pool().equals(pool));
    }

    /** Whether it is Weir, whatever its parameters. */
    static boolean isOurs(String pool) {
        return pool.replaceFirst("\\[.*", "").equals(OURS);
    }

    static boolean isFloor(String pool) {
        return FLOORS.contains(pool);
    }

    /** The cases that were measured, in the order of their names, numbers by their value. */
    List<String> cases() {
        return folder.info().cells().stream()
                .map(Cell::caseName)
                .distinct()
                .filter(name -> values.keySet().stream().anyMatch(key -> key.caseName.equals(name)))
                .toList();
    }

    Set<String> pools(String caseName) {
        return collect(Key::pool, key -> key.caseName.equals(caseName));
    }

    Set<String> metrics(String caseName) {
        return collect(Key::metric, key -> key.caseName.equals(caseName));
    }

    /** The metrics of the tables that were measured under a case, in order. */
    List<String> shown(String caseName) {
        Set<String> measured = metrics(caseName);
        return info().shown().stream().filter(measured::contains).toList();
    }

    int rounds() {
        return values.values().stream().mapToInt(TreeMap::lastKey).max().orElse(0);
    }

    String unit(String metric) {
        return units.getOrDefault(metric, "");
    }

    /** -1 if less is better, 1 if more is, 0 if neither. */
    int better(String metric) {
        String name = metric.toLowerCase(Locale.ROOT);
        if (COSTS.stream().anyMatch(name::contains)) {
            return -1;
        }
        if (FACTS.stream().anyMatch(name::contains)) {
            return 0;
        }
        if (unit(metric).equals("1/s") || GAINS.stream().anyMatch(name::contains)) {
            return 1;
        }
        return Quantity.isTime(unit(metric)) ? -1 : 0;
    }

    /** By round. */
    Map<Integer, Double> rounds(String caseName, String pool, String metric) {
        return values.getOrDefault(new Key(caseName, pool, metric), new TreeMap<>());
    }

    Optional<Summary> summary(String caseName, String pool, String metric) {
        Map<Integer, Double> found = rounds(caseName, pool, metric);
        return found.isEmpty() ? Optional.empty() : Optional.of(Summary.of(found.values()));
    }

    /** NaN if it was not measured. */
    double median(String caseName, String pool, String metric) {
        return summary(caseName, pool, metric).map(Summary::median).orElse(Double.NaN);
    }

    /** The ratio of one pool to another, of each round in which both were measured. */
    Optional<Summary> ratio(String caseName, String pool, String other, String metric) {
        Map<Integer, Double> others = rounds(caseName, other, metric);
        List<Double> ratios = rounds(caseName, pool, metric).entrySet().stream()
                .map(entry -> entry.getValue() / others.getOrDefault(entry.getKey(), 0.0))
                .filter(Double::isFinite)
                .toList();
        return ratios.isEmpty() ? Optional.empty() : Optional.of(Summary.of(ratios));
    }

    /** Of two pools without a ratio, one that has none of something is level only with another that has none. */
    boolean isLevel(String caseName, String pool, String other, String metric) {
        return ratio(caseName, pool, other, metric)
                .map(Summary::isLevel)
                .orElseGet(() -> median(caseName, pool, metric) == median(caseName, other, metric));
    }

    /** Pools that measured it, the best first; of facts, the least first. */
    List<String> ranking(String caseName, String metric) {
        int sign = better(metric) > 0 ? -1 : 1;
        return pools(caseName).stream()
                .filter(pool -> !Double.isNaN(median(caseName, pool, metric)))
                .sorted((a, b) -> sign * Double.compare(median(caseName, a, metric), median(caseName, b, metric)))
                .toList();
    }

    private Set<String> collect(Function<Key, String> what, Predicate<Key> which) {
        Set<String> found = new LinkedHashSet<>();
        values.keySet().stream().filter(which).map(what).forEach(found::add);
        return found;
    }
}
