package dev.weir.lab.workload.spike;

import dev.weir.lab.contender.Contenders;
import dev.weir.lab.contender.Counts;
import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.runs.Summary;
import dev.weir.lab.stub.StubDataSource;
import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Settings.Setting;
import dev.weir.lab.workload.Workload;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Everything is quiet, with a few idle connections, and then everybody comes at once: how long it takes until the last is
 * served, and how many connections that was worth.
 */
public final class SpikeWorkload implements Workload {
    private static final List<String> KINDS = List.of("spike", "bursts", "ramp");

    /** Bursts and ramp take so much longer than a spike that they are looked at less often. */
    private static final int COARSER = 10;

    @Override
    public String name() {
        return "spike";
    }

    @Override
    public String description() {
        return "Everything is quiet, and then everybody comes at once; once, in repeated bursts, and for seconds.";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.words("kinds", "which kinds", "spike,bursts,ramp", "spike,ramp", KINDS),
                Setting.number("threads", "threads that come at once", 50, 50, 1, 10_000),
                Setting.number("idle", "idle connections before, and the minimum of the pool", 5, 5, 1, 10_000),
                Setting.number("maximum", "most connections of the pool", 50, 50, 1, 10_000),
                Setting.number("connect", "how long a connect takes, in ms", 150, 150, 0, 60_000),
                Setting.number("query", "how long a query takes, in ms", 2, 2, 0, 60_000),
                Setting.number("sample", "time between two samples, in us", 250, 250, 10, 1_000_000),
                Setting.number(
                        "warmup",
                        "requests, one after the other, to another pool of its kind before",
                        100,
                        100,
                        0,
                        100_000),
                Setting.number("quiet", "how long all is quiet before, in ms", 1_000, 1_000, 0, 600_000),
                Setting.number(
                        "later",
                        "when to count connections again after the last request, in ms",
                        5_000,
                        5_000,
                        0,
                        600_000),
                Setting.number("bursts", "bursts", 20, 5, 1, 1_000),
                Setting.number("apart", "time from one burst to the next, in ms", 1_000, 1_000, 1, 60_000),
                Setting.number("ramp", "how long requests keep coming, in ms", 10_000, 3_000, 10, 600_000),
                Setting.number("ramp-connections", "connections that these requests need", 30, 30, 1, 10_000),
                Setting.number("ramp-query", "how long a query takes then, in ms", 20, 20, 1, 60_000));
    }

    @Override
    public List<String> pools() {
        return Contenders.allBut("raw");
    }

    @Override
    public List<String> cases(Settings settings) {
        if (settings.number("idle") > settings.number("maximum")) {
            throw new IllegalArgumentException("--idle: %d (expected: at most --maximum, %d)"
                    .formatted(settings.number("idle"), settings.number("maximum")));
        }
        return settings.words("kinds").stream()
                .map(kind -> label(kind, settings))
                .toList();
    }

    private static String label(String kind, Settings settings) {
        String pool = String.format(
                Locale.ROOT,
                "%s of %s connections, connect %s ms, query %s ms",
                settings.text("idle"),
                settings.text("maximum"),
                settings.text("connect"),
                settings.text(kind.equals("ramp") ? "ramp-query" : "query"));
        return kind + ", "
                + switch (kind) {
                    case "spike" -> settings.text("threads") + " threads, ";
                    case "bursts" -> settings.text("bursts") + " times " + settings.text("threads") + " threads, ";
                    default -> "needs " + settings.text("ramp-connections") + " connections, ";
                }
                + pool;
    }

    @Override
    public Duration limit(Settings settings) {
        return Duration.ofMinutes(3)
                .plus(settings.millis("later"))
                .plus(settings.millis("ramp"))
                .plus(settings.millis("apart").multipliedBy(settings.number("bursts")));
    }

    @Override
    public Duration about(String caseName, Settings settings) {
        Duration before = Duration.ofSeconds(2).plus(settings.millis("quiet")).plus(settings.millis("later"));
        if (caseName.equals(label("bursts", settings))) {
            return before.plus(settings.millis("apart").multipliedBy(settings.number("bursts")));
        }
        return caseName.equals(label("ramp", settings)) ? before.plus(settings.millis("ramp")) : before;
    }

    @Override
    public List<String> shown() {
        return List.of(
                "done",
                "mean",
                "p50",
                "p99",
                "max",
                "connections before",
                "beyond idle",
                "peak connections",
                "connections at end",
                "connections later",
                "opened",
                "failed");
    }

    @Override
    public void run(CellRun cell) throws Exception {
        Settings settings = cell.settings();
        String kind = cell.caseName().substring(0, cell.caseName().indexOf(','));
        warmUp(cell, kind, settings);
        StubDataSource driver = driver(kind, settings);
        int idle = settings.number("idle");
        try (PoolUnderTest pool = cell.open(spec(driver, settings))) {
            openIdle(pool, driver, settings);
            Scene scene = new Scene(driver, pool);
            TimeUnit.MILLISECONDS.sleep(settings.number("quiet"));
            cell.count("connections before", scene.total());
            cell.count("beyond idle", scene.total() - idle);
            List<Double> done = run(kind, cell, scene, settings);
            tell(cell, scene, done);
            TimeUnit.MILLISECONDS.sleep(settings.number("later"));
            cell.count("connections later", scene.total());
            cell.count("opened", scene.opened());
            Counts own = pool.counts();
            if (own.total() >= 0) {
                cell.count("connections later by its own count", own.total());
            }
        }
    }

    private static StubDataSource driver(String kind, Settings settings) {
        return new StubDataSource(
                settings.millis("connect"), settings.millis(kind.equals("ramp") ? "ramp-query" : "query"));
    }

    private static PoolSpec spec(StubDataSource driver, Settings settings) {
        return PoolSpec.of(driver)
                .size(settings.number("idle"), settings.number("maximum"))
                .connectionTimeout(Duration.ofSeconds(30))
                .observed(true);
    }

    /** Warms the code on a pool that is closed again: one that has worked may have grown, and would not begin as asked. */
    private static void warmUp(CellRun cell, String kind, Settings settings) throws Exception {
        int requests = settings.number("warmup");
        if (requests > 0) {
            StubDataSource driver = driver(kind, settings);
            try (PoolUnderTest pool = cell.open(spec(driver, settings))) {
                Requests warm = new Requests(new Scene(driver, pool));
                warm.inTurn(requests);
                warm.atOnce(1); // so that no crowd waits for the code that makes it one
            }
        }
    }

    /**
     * Has the idle connections opened. A pool opens its minimum by itself, some from the first request on; only where it does
     * not are so many held at one time, since a pool whose connections are all in use may open more.
     */
    private static void openIdle(PoolUnderTest pool, StubDataSource driver, Settings settings)
            throws SQLException, InterruptedException {
        int idle = settings.number("idle");
        Duration enough = settings.millis("connect").multipliedBy(idle).plusSeconds(1);
        for (int held : new int[] {1, idle}) {
            long end = System.nanoTime() + enough.toNanos();
            while (driver.open() < idle && System.nanoTime() < end) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            if (driver.open() < idle) {
                pool.fill(held);
            }
        }
    }

    /** Returns how long it took until the last request was done, in nanoseconds, of each burst. */
    private static List<Double> run(String kind, CellRun cell, Scene scene, Settings settings)
            throws InterruptedException, IOException {
        int threads = settings.number("threads");
        long period = settings.number("sample") * (kind.equals("spike") ? 1L : COARSER);
        List<Double> done = new ArrayList<>();
        Requests requests = new Requests(scene);
        long start = System.nanoTime();
        Sampler sampler = Sampler.start(scene, start, period);
        switch (kind) {
            case "spike" -> done.add((double) requests.atOnce(threads));
            case "bursts" -> {
                for (int i = 0; i < settings.number("bursts"); i++) {
                    long next = start + i * settings.millis("apart").toNanos();
                    TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
                    done.add((double) requests.atOnce(threads));
                }
            }
            default -> {
                long gap = settings.millis("ramp-query").toNanos() / settings.number("ramp-connections");
                done.add((double) requests.arriving(settings.millis("ramp").toNanos(), gap));
            }
        }
        cell.count("connections at end", scene.total());
        // What is still being opened comes too late for the last request, and belongs into the picture.
        TimeUnit.MILLISECONDS.sleep(2L * settings.number("connect"));
        sampler.stop();
        cell.count("peak connections", sampler.peak());
        cell.writeRaw("", List.of("time_us", "total", "active", "idle", "waiting"), sampler.lines());
        return done;
    }

    private static void tell(CellRun cell, Scene scene, List<Double> done) {
        if (scene.served() == 0) {
            throw new IllegalStateException("nobody was served: " + scene.lastFailure());
        }
        Summary summary = Summary.of(done);
        cell.measure("done", summary.median() / 1e6, "ms");
        cell.measure("done at best", summary.min() / 1e6, "ms");
        cell.measure("done at worst", summary.max() / 1e6, "ms");
        if (done.size() > 1) {
            int half = done.size() / 2;
            cell.measure("first half mean", mean(done.subList(0, half)) / 1e6, "ms");
            cell.measure("second half mean", mean(done.subList(done.size() - half, done.size())) / 1e6, "ms");
        }
        Histogram waits = scene.waits();
        cell.measure("mean", waits.getMean() / 1e6, "ms");
        cell.measure("p50", (double) waits.getValueAtPercentile(50) / 1e6, "ms");
        cell.measure("p99", (double) waits.getValueAtPercentile(99) / 1e6, "ms");
        cell.measure("max", (double) waits.getMaxValue() / 1e6, "ms");
        cell.count("served", scene.served());
        cell.count("failed", scene.failed());
    }

    private static double mean(List<Double> values) {
        return values.stream().mapToDouble(value -> value).average().orElse(Double.NaN);
    }
}
