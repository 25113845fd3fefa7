package dev.weir.lab.waits;

import dev.weir.lab.report.Machine;
import dev.weir.lab.report.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** The measured rounds of every case and pool. */
final class WaitsResults {
    private static final String REFERENCE = "hikari";

    /**
     * One measurement. The percentiles count every wait that ended in the measurement with its whole length, and every wait
     * still in flight at its end with the length it had by then: a thread that is never served must not vanish from them.
     *
     * @param nanos length of the measurement
     * @param completed waits that ended with a connection
     * @param closes how long each giving back took: some pools let those wait who return a connection
     * @param inFlight waits that had not ended
     * @param most completions of the thread that was served most
     * @param least completions of the thread that was served least
     * @param unserved threads with no completion at all
     * @param total completions of all threads
     * @param failures acquires that threw
     */
    record Sample(
            long nanos,
            Histogram completed,
            Histogram closes,
            Histogram inFlight,
            long most,
            long least,
            int unserved,
            long total,
            long failures) {

        static Sample of(
                long nanos, Histogram completed, Histogram closes, Histogram inFlight, long[] served, long failures) {
            return new Sample(
                    nanos,
                    completed,
                    closes,
                    inFlight,
                    Arrays.stream(served).max().orElse(0),
                    Arrays.stream(served).min().orElse(0),
                    (int) Arrays.stream(served).filter(count -> count == 0).count(),
                    Arrays.stream(served).sum(),
                    failures);
        }

        Histogram all() {
            Histogram all = new Histogram(completed);
            all.add(inFlight);
            return all;
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%,.0f ops/s, p99 %s ms, max %s ms, close p99 %s ms, served %d..%d, never %d, failed %d",
                    total * 1e9 / nanos,
                    millis(all().getValueAtPercentile(99)),
                    millis(all().getMaxValue()),
                    millis(closes.getValueAtPercentile(99)),
                    least,
                    most,
                    unserved,
                    failures);
        }
    }

    /** The rounds of one case and pool as one: sums, merged waits, and of fairness the worst round. */
    private record Merged(
            Histogram waits,
            Histogram closes,
            double opsPerSecond,
            long most,
            long least,
            int unserved,
            long failures) {
        static Merged of(List<Sample> samples) {
            Histogram waits = samples.get(0).all();
            samples.stream().skip(1).forEach(sample -> waits.add(sample.all()));
            Histogram closes = new Histogram(samples.get(0).closes());
            samples.stream().skip(1).forEach(sample -> closes.add(sample.closes()));
            double seconds = samples.stream().mapToLong(Sample::nanos).sum() / 1e9;
            return new Merged(
                    waits,
                    closes,
                    samples.stream().mapToLong(Sample::total).sum() / seconds,
                    samples.stream().mapToLong(Sample::most).max().orElse(0),
                    samples.stream().mapToLong(Sample::least).min().orElse(0),
                    samples.stream().mapToInt(Sample::unserved).max().orElse(0),
                    samples.stream().mapToLong(Sample::failures).sum());
        }

        long percentile(double percent) {
            return waits.getValueAtPercentile(percent);
        }
    }

    private final Map<WaitsPlan.Case, Map<String, List<Sample>>> samples = new LinkedHashMap<>();
    private final List<String> pools;

    WaitsResults(List<String> pools) {
        this.pools = pools;
    }

    void add(WaitsPlan.Case what, String pool, Sample sample) {
        samples.computeIfAbsent(what, key -> new LinkedHashMap<>())
                .computeIfAbsent(pool, key -> new ArrayList<>())
                .add(sample);
    }

    List<Sample> of(WaitsPlan.Case what, String pool) {
        return samples.getOrDefault(what, Map.of()).getOrDefault(pool, List.of());
    }

    String table() {
        Table table = new Table(
                "load",
                "pool",
                "ops/s",
                "p50 ms",
                "p99 ms",
                "p99.9 ms",
                "max ms",
                "close p99 ms",
                "max ms",
                "most",
                "least",
                "never",
                "failed");
        samples.forEach((what, byPool) -> {
            List<Sample> reference = byPool.getOrDefault(REFERENCE, List.of());
            for (String pool : pools) {
                Merged merged = Merged.of(of(what, pool));
                table.row(row(what, pool, merged, reference.isEmpty() ? merged : Merged.of(reference)));
            }
        });
        return table.toString();
    }

    private static List<String> row(WaitsPlan.Case what, String pool, Merged own, Merged reference) {
        boolean isReference = pool.equals(REFERENCE);
        String ops = String.format(Locale.ROOT, "%,.0f", own.opsPerSecond());
        String p99 = millis(own.percentile(99));
        return List.of(
                what.label(),
                pool,
                isReference ? ops : ops + ratio(own.opsPerSecond(), reference.opsPerSecond()),
                millis(own.percentile(50)),
                isReference ? p99 : p99 + ratio((double) own.percentile(99), (double) reference.percentile(99)),
                millis(own.percentile(99.9)),
                millis(own.waits().getMaxValue()),
                millis(own.closes().getValueAtPercentile(99)),
                millis(own.closes().getMaxValue()),
                Long.toString(own.most()),
                Long.toString(own.least()),
                Integer.toString(own.unserved()),
                Long.toString(own.failures()));
    }

    private static String ratio(double own, double reference) {
        return String.format(Locale.ROOT, " (%.2f)", own / reference);
    }

    static String millis(long nanos) {
        double millis = nanos / 1e6;
        return String.format(Locale.ROOT, millis < 10 ? "%.2f" : "%,.0f", millis);
    }

    Map<String, Object> asMap(String command) {
        List<Object> rounds = new ArrayList<>();
        samples.forEach((what, byPool) ->
                byPool.forEach((pool, list) -> list.forEach(sample -> rounds.add(asMap(what, pool, sample)))));
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("command", command);
        all.put("machine", Machine.facts());
        all.put("rounds", rounds);
        return all;
    }

    private static Map<String, Object> asMap(WaitsPlan.Case what, String pool, Sample sample) {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("load", what.label());
        one.put("pool", pool);
        one.put("opsPerSecond", sample.total() * 1e9 / sample.nanos());
        one.put("waitNanos", percentiles(sample.all()));
        one.put("waitNanosOfCompleted", percentiles(sample.completed()));
        one.put("closeNanos", percentiles(sample.closes()));
        one.put("inFlightAtEnd", sample.inFlight().getTotalCount());
        one.put("mostServed", sample.most());
        one.put("leastServed", sample.least());
        one.put("neverServed", sample.unserved());
        one.put("completions", sample.total());
        one.put("failures", sample.failures());
        return one;
    }

    private static Map<String, Object> percentiles(Histogram waits) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("p50", waits.getValueAtPercentile(50));
        map.put("p99", waits.getValueAtPercentile(99));
        map.put("p99.9", waits.getValueAtPercentile(99.9));
        map.put("max", waits.getMaxValue());
        return map;
    }
}
