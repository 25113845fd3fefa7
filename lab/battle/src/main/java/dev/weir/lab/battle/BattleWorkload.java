package dev.weir.lab.battle;

import dev.weir.lab.contender.Entrant;
import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Setting;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Workload;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * An application of many tiers, as companies have it, with users in a closed loop. The pool is far larger than what is in
 * use, and its connections expire and are renewed under load: response times must not show it.
 */
public final class BattleWorkload implements Workload {
    private static final List<String> POOLS = List.of(
            "weir",
            "hikari",
            "tomcat",
            "dbcp2",
            "c3p0",
            "c3p0[helperThreads=10]",
            "bonecp",
            "vibur",
            "agroal",
            "beecp",
            "druid",
            "proxool",
            "none");

    private static final double[] SHOWN_PERCENTILES = {50, 90, 99, 99.9, 99.99};

    /** The points of the curve lie evenly where the share of the slower ones is drawn on a logarithmic axis. */
    private static final int POINTS_PER_DECADE = 20;

    private static final double LAST_PERCENTILE = 99.99;
    private static final long PAUSE_BUCKET_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int PRODUCTS = 200;
    private static final int CUSTOMERS_PER_USER = 10;
    private static final long SEED = 20_260_101;

    @Override
    public String name() {
        return "battle";
    }

    @Override
    public String description() {
        return "An application of many tiers under a closed loop of users, while connections expire and are renewed.";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.number("users", "users, each a thread", 30, 30, 1, 10_000),
                Setting.number("think", "pause of a user after each answer, on average, in ms", 100, 100, 0, 60_000),
                Setting.number("downstream", "what the other system takes on average, in ms", 20, 20, 0, 60_000),
                Setting.number("connect", "what opening a connection takes, in ms", 50, 50, 0, 60_000),
                Setting.number("connections", "connections of the pool", 200, 200, 1, 10_000),
                Setting.number(
                        "lifetime",
                        "maxLifetime in ms; below 30000 some pools ignore it",
                        30_000,
                        30_000,
                        1000,
                        86_400_000),
                Setting.number(
                        "warmup", "how long the load runs before it is measured, in ms", 20_000, 10_000, 0, 3_600_000),
                Setting.number("measured", "how long it is measured, in ms", 60_000, 25_000, 100, 86_400_000));
    }

    @Override
    public List<String> pools() {
        return POOLS;
    }

    @Override
    public List<String> cases(Settings settings) {
        return List.of("%d users, %d connections, renewed after %d ms"
                .formatted(settings.number("users"), settings.number("connections"), settings.number("lifetime")));
    }

    /** Many users cannot have transactions of their own on one connection. */
    @Override
    public boolean canRun(String caseName, Entrant entrant, Settings settings) {
        return !entrant.contender().name().equals("raw");
    }

    @Override
    public Duration about(String caseName, Settings settings) {
        return Duration.ofSeconds(4).plus(settings.millis("warmup")).plus(settings.millis("measured"));
    }

    @Override
    public List<String> shown() {
        return List.of(
                "p99.9",
                "p50",
                "p99",
                "p99.99",
                "max",
                "max over p99.9",
                "acquire max",
                "pause max",
                "in use",
                "renewed",
                "failed");
    }

    @Override
    public Duration limit(Settings settings) {
        return Duration.ofMinutes(3).plus(settings.millis("warmup")).plus(settings.millis("measured"));
    }

    @Override
    public void run(CellRun cell) throws Exception {
        Settings settings = cell.settings();
        int users = settings.number("users");
        int connections = settings.number("connections");
        BattlePlan plan = new BattlePlan(
                users,
                settings.millis("think"),
                settings.millis("downstream"),
                settings.millis("connect"),
                settings.millis("warmup"),
                settings.millis("measured"),
                users * CUSTOMERS_PER_USER,
                PRODUCTS,
                SEED);
        Battle.Result result = Battle.fight(
                plan,
                physical -> cell.open(PoolSpec.of(physical)
                        .size(connections, connections)
                        .maxLifetime(settings.millis("lifetime"))
                        .observed(true)));
        report(cell, plan, result);
    }

    private static void report(CellRun cell, BattlePlan plan, Battle.Result result) throws IOException {
        if (result.responses().size() == 0) {
            throw new IllegalStateException("no request was answered: " + result.failures());
        }
        Battle.Counted counted = result.counted();
        if (result.failures().isEmpty() && !counted.agree()) {
            throw new IllegalStateException("what users did and what is stored do not agree: " + counted);
        }
        measureResponses(cell, plan, result.responses(), result.begunNanos());
        cell.measure("acquire p99.9", result.acquires().getValueAtPercentile(99.9) / 1e6, "ms");
        cell.measure("acquire max", result.acquires().getMaxValue() / 1e6, "ms");
        Histogram hiccups = result.hiccups().times();
        cell.measure("pause p99.9", hiccups.getValueAtPercentile(99.9) / 1e6, "ms");
        cell.measure("pause max", result.hiccups().longest() / 1e6, "ms");
        cell.measure("in use", result.meanInUse() < 0 ? Double.NaN : result.meanInUse(), "");
        cell.measure("opened", (double) result.opened(), "");
        cell.measure("renewed", (double) result.openedMeasured(), "");
        cell.measure("connections at end", result.connectionsAtEnd(), "");
        cell.measure("answered", (double) counted.answered(), "");
        cell.measure("orders", (double) counted.ordersStored(), "");
        cell.measure(
                "failed",
                result.failures().values().stream().mapToInt(Integer::intValue).sum(),
                "");
        writeRaw(cell, result);
    }

    private static void measureResponses(CellRun cell, BattlePlan plan, Samples responses, long begun) {
        Histogram times = responses.times();
        cell.measure("mean", responses.mean() / 1e6, "ms");
        for (double percent : SHOWN_PERCENTILES) {
            cell.measure("p" + text(percent), times.getValueAtPercentile(percent) / 1e6, "ms");
        }
        double most = responses.longest();
        cell.measure("max", most / 1e6, "ms");
        cell.measure("max over p99.9", most / times.getValueAtPercentile(99.9), "");
        cell.measure("throughput", responses.size() / (plan.measured().toNanos() / 1e9), "1/s");
        long half = begun + plan.measured().toNanos() / 2;
        cell.measure("first half mean", responses.between(Long.MIN_VALUE, half).mean() / 1e6, "ms");
        cell.measure("second half mean", responses.between(half, Long.MAX_VALUE).mean() / 1e6, "ms");
    }

    private static void writeRaw(CellRun cell, Battle.Result result) throws IOException {
        Samples responses = result.responses();
        long begun = result.begunNanos();
        cell.writeRaw(
                "responses",
                List.of("time_ms", "response_ms"),
                IntStream.range(0, responses.size())
                        .boxed()
                        .sorted((a, b) -> Long.compare(responses.begun(a), responses.begun(b)))
                        .map(i -> millis(responses.begun(i) - begun) + "\t" + millis(responses.took(i))));
        cell.writeRaw("percentiles", List.of("percentile", "value_ms", "count"), curve(responses.times()).stream());
        cell.writeRaw("pauses", List.of("time_ms", "pause_ms"), pauses(result.hiccups(), begun).stream());
        cell.writeRaw(
                "errors",
                List.of("count", "message"),
                result.failures().entrySet().stream()
                        .map(failure ->
                                failure.getValue() + "\t" + failure.getKey().replaceAll("\\s+", " ")));
    }

    /** How many did not take longer than each point of the curve. */
    private static List<String> curve(Histogram times) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; ; i++) {
            double percent = Math.min(LAST_PERCENTILE, 100 - 100 * Math.pow(10, -(double) i / POINTS_PER_DECADE));
            long value = times.getValueAtPercentile(percent);
            long count = times.getCountBetweenValues(0, value);
            lines.add(String.format(Locale.ROOT, "%.4f\t%s\t%d", percent, millis(value), count));
            if (percent >= LAST_PERCENTILE) {
                return lines;
            }
        }
    }

    /** The longest of each tenth of a second. */
    private static List<String> pauses(Samples hiccups, long begun) {
        Map<Long, Long> longest = new TreeMap<>();
        for (int i = 0; i < hiccups.size(); i++) {
            longest.merge((hiccups.begun(i) - begun) / PAUSE_BUCKET_NANOS, hiccups.took(i), Math::max);
        }
        return longest.entrySet().stream()
                .map(bucket -> millis(bucket.getKey() * PAUSE_BUCKET_NANOS) + "\t" + millis(bucket.getValue()))
                .toList();
    }

    private static String text(double percent) {
        return percent == Math.rint(percent) ? Long.toString((long) percent) : Double.toString(percent);
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / 1e6);
    }
}
