package dev.weir.lab.bench;

import dev.weir.lab.report.Machine;
import dev.weir.lab.report.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The measured rounds of every case and pool, and the median of each. */
final class BenchResults {
    private static final String REFERENCE = "hikari";

    /** One measurement: time and allocation of one operation. */
    record Sample(double nanos, double bytes) {}

    private final Map<BenchPlan.Case, Map<String, List<Sample>>> samples = new LinkedHashMap<>();
    private final List<String> pools;

    BenchResults(List<String> pools) {
        this.pools = pools;
    }

    void add(BenchPlan.Case what, String pool, Sample sample) {
        samples.computeIfAbsent(what, key -> new LinkedHashMap<>())
                .computeIfAbsent(pool, key -> new ArrayList<>())
                .add(sample);
    }

    List<Sample> of(BenchPlan.Case what, String pool) {
        return samples.getOrDefault(what, Map.of()).getOrDefault(pool, List.of());
    }

    /** Nanoseconds per operation, in brackets as a ratio to HikariCP, and bytes per operation. */
    String table() {
        List<String> header = new ArrayList<>(List.of("ns per operation"));
        header.addAll(pools);
        pools.forEach(pool -> header.add("bytes " + pool));
        Table table = new Table(header.toArray(String[]::new));
        for (BenchPlan.Case what : samples.keySet()) {
            List<String> row = new ArrayList<>(List.of(what.label()));
            pools.forEach(pool -> row.add(time(what, pool)));
            pools.forEach(pool -> row.add(number("%.0f", bytes(what, pool))));
            table.row(row);
        }
        return table.toString();
    }

    private String time(BenchPlan.Case what, String pool) {
        double nanos = nanos(what, pool);
        double reference = nanos(what, REFERENCE);
        String text = number(nanos < 10 ? "%.1f" : "%,.0f", nanos);
        return pool.equals(REFERENCE) || Double.isNaN(nanos) || Double.isNaN(reference)
                ? text
                : text + String.format(Locale.ROOT, " (%.2f)", nanos / reference);
    }

    Map<String, Object> asMap(String command) {
        List<Object> cases = new ArrayList<>();
        samples.forEach((what, byPool) -> byPool.forEach((pool, list) -> {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("benchmark", what.benchmark().getSimpleName());
            one.put("threads", what.threads());
            one.put("pool", pool);
            one.put("nsPerOp", nanos(what, pool));
            one.put("bytesPerOp", bytes(what, pool));
            one.put("ratioToHikari", nanos(what, pool) / nanos(what, REFERENCE));
            one.put("nsPerOpOfRounds", list.stream().map(Sample::nanos).toList());
            cases.add(one);
        }));
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("command", command);
        all.put("machine", Machine.facts());
        all.put("cases", cases);
        return all;
    }

    private double nanos(BenchPlan.Case what, String pool) {
        return median(of(what, pool).stream().mapToDouble(Sample::nanos).toArray());
    }

    private double bytes(BenchPlan.Case what, String pool) {
        return median(of(what, pool).stream().mapToDouble(Sample::bytes).toArray());
    }

    static double median(double[] values) {
        if (values.length == 0) {
            return Double.NaN;
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    private static String number(String format, double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, format, value);
    }
}
