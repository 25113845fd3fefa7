package dev.weir.lab.report;

import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Failure;
import dev.weir.lab.runs.Limit;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.runs.RunInfo;
import dev.weir.lab.runs.Summary;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** What one run measured, looked up by case, pool and metric. */
final class Run {
    /** The pool that ratios refer to. */
    static final String REFERENCE = "hikari";

    /** The pool whose defeats are told. */
    static final String OURS = "weir";

    /** Where nobody needs to share: a server with room for all. */
    static final String IDEAL = "ideal";

    /** Not pools, but what a pool is measured against: no pooling at all, one connection for ever, room for all. */
    private static final Set<String> FLOORS = Set.of("none", "raw", IDEAL);

    /** Of two numbers of one round each, the difference below which they are called level. */
    private static final double SAME = 1.005;

    private final RunFolder folder;
    private final List<Failure> failures;
    private final List<Limit> limits;
    private final Map<Key, TreeMap<Integer, Double>> values = new LinkedHashMap<>();
    private final Map<String, String> units = new LinkedHashMap<>();

    private record Key(String caseName, String pool, String metric) {}

    private Run(RunFolder folder, List<Measurement> measurements, List<Failure> failures, List<Limit> limits) {
        this.folder = folder;
        this.failures = failures;
        this.limits = limits;
        for (Measurement one : measurements) {
            if (Double.isFinite(one.value())) {
                Cell cell = one.cell();
                values.computeIfAbsent(new Key(cell.caseName(), cell.pool(), one.metric()), key -> new TreeMap<>())
                        .put(cell.round(), one.value());
                units.putIfAbsent(one.metric(), one.unit());
            }
        }
    }

    static Run read(RunFolder folder) throws IOException {
        return new Run(folder, folder.measurements(), folder.failures(), folder.limits());
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

    /** In how many rounds a pool failed under a case. */
    long failed(String caseName, String pool) {
        return failures.stream()
                .map(Failure::cell)
                .filter(cell -> cell.caseName().equals(caseName) && cell.pool().equals(pool))
                .count();
    }

    List<Limit> limits() {
        return limits;
    }

    static boolean isFloor(String pool) {
        return FLOORS.contains(pool);
    }

    /** Cases in the order in which they were first measured. */
    Set<String> cases() {
        return collect(Key::caseName, key -> true);
    }

    Set<String> pools() {
        return collect(Key::pool, key -> true);
    }

    Set<String> pools(String caseName) {
        return collect(Key::pool, key -> key.caseName.equals(caseName));
    }

    Set<String> metrics(String caseName) {
        return collect(Key::metric, key -> key.caseName.equals(caseName));
    }

    int rounds() {
        return values.values().stream().mapToInt(TreeMap::lastKey).max().orElse(0);
    }

    String unit(String metric) {
        return units.getOrDefault(metric, "");
    }

    Better better(String metric) {
        return Better.of(metric, unit(metric));
    }

    /** By round. */
    Map<Integer, Double> rounds(String caseName, String pool, String metric) {
        return values.getOrDefault(new Key(caseName, pool, metric), new TreeMap<>());
    }

    Optional<Summary> summary(String caseName, String pool, String metric) {
        Collection<Double> found = rounds(caseName, pool, metric).values();
        return found.isEmpty() ? Optional.empty() : Optional.of(Summary.of(found));
    }

    /** The ratio to HikariCP's. */
    Optional<Summary> ratios(String caseName, String pool, String metric) {
        return ratios(caseName, pool, REFERENCE, metric);
    }

    /** Of each round in which both were measured, so that a machine that drifts between rounds changes nothing. */
    Optional<Summary> ratios(String caseName, String pool, String other, String metric) {
        Map<Integer, Double> others = rounds(caseName, other, metric);
        List<Double> ratios = rounds(caseName, pool, metric).entrySet().stream()
                .map(entry -> entry.getValue() / others.getOrDefault(entry.getKey(), 0.0))
                .filter(Double::isFinite)
                .toList();
        return ratios.isEmpty() ? Optional.empty() : Optional.of(Summary.of(ratios));
    }

    /**
     * Whether a pool is as good as another as far as these rounds can tell: 1 lies in the interval of the ratio of both, round
     * by round. One round can tell only what is all but equal.
     */
    boolean isLevel(String caseName, String pool, String other, String metric) {
        Optional<Summary> ratio = ratios(caseName, pool, other, metric);
        if (ratio.isPresent() && rounds() > 1) {
            return ratio.get().mayBe(1);
        }
        double own = median(caseName, pool, metric);
        double best = median(caseName, other, metric);
        return Math.max(own, best) <= Math.min(own, best) * SAME;
    }

    /** Pools that measured it, the best first; of metrics without a good end, the least first. */
    List<String> ranking(String caseName, String metric) {
        Better better = better(metric);
        return pools(caseName).stream()
                .filter(pool -> summary(caseName, pool, metric).isPresent())
                .sorted((a, b) -> {
                    int order = Double.compare(median(caseName, a, metric), median(caseName, b, metric));
                    return better == Better.HIGHER ? -order : order;
                })
                .toList();
    }

    /** NaN if it was not measured. */
    double median(String caseName, String pool, String metric) {
        return summary(caseName, pool, metric).map(Summary::median).orElse(Double.NaN);
    }

    private Set<String> collect(Function<Key, String> what, Predicate<Key> which) {
        Set<String> found = new LinkedHashSet<>();
        values.keySet().stream().filter(which).map(what).forEach(found::add);
        return found;
    }
}
