package dev.weir.lab.workload.spike;

import dev.weir.lab.contender.Contenders;
import dev.weir.lab.contender.Counts;
import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.stub.StubDataSource;
import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Sampler;
import dev.weir.lab.workload.Sampler.Sample;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Settings.Setting;
import dev.weir.lab.workload.Workload;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Everything is quiet, with a few idle connections, and then everybody comes at once: how long it takes until the last is
 * served, and how many connections that was worth.
 */
public final class SpikeWorkload extends Workload {
    private static final List<String> KINDS = List.of("spike", "ramp");

    /** A ramp takes so much longer than a spike that it is looked at less often. */
    private static final int COARSER = 10;

    public SpikeWorkload() {
        super(
                "spike",
                "Everything is quiet, and then everybody comes at once; once, and for seconds.",
                Contenders.allBut("raw"),
                List.of(
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
                        "failed"));
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.words("kinds", "which kinds", "spike,ramp", "spike,ramp", KINDS),
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
                Setting.number("ramp", "how long requests keep coming, in ms", 10_000, 3_000, 10, 600_000),
                Setting.number("ramp-connections", "connections that these requests need", 30, 30, 1, 10_000),
                Setting.number("ramp-query", "how long a query takes then, in ms", 20, 20, 1, 60_000));
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
                    default -> "needs " + settings.text("ramp-connections") + " connections, ";
                }
                + pool;
    }

    @Override
    public Duration limit(Settings settings) {
        return Duration.ofMinutes(3).plus(settings.millis("later")).plus(settings.millis("ramp"));
    }

    @Override
    public Duration about(String caseName, Settings settings) {
        Duration before = Duration.ofSeconds(2).plus(settings.millis("quiet")).plus(settings.millis("later"));
        return caseName.equals(label("ramp", settings)) ? before.plus(settings.millis("ramp")) : before;
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
            long done = run(kind, cell, scene, settings);
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

    /** Returns how long it took until the last request was done, in nanoseconds. */
    private static long run(String kind, CellRun cell, Scene scene, Settings settings)
            throws InterruptedException, IOException {
        int threads = settings.number("threads");
        long period = settings.number("sample") * (kind.equals("spike") ? 1L : COARSER);
        Requests requests = new Requests(scene);
        long start = System.nanoTime();
        Sampler<int[]> sampler = new Sampler<>("sampler", Duration.ofNanos(1_000 * period), scene::look);
        long done = kind.equals("spike")
                ? requests.atOnce(threads)
                : requests.arriving(
                        settings.millis("ramp").toNanos(),
                        settings.millis("ramp-query").toNanos() / settings.number("ramp-connections"));
        cell.count("connections at end", scene.total());
        // What is still being opened comes too late for the last request, and belongs into the picture.
        TimeUnit.MILLISECONDS.sleep(2L * settings.number("connect"));
        List<Sample<int[]>> samples = sampler.end();
        cell.count(
                "peak connections",
                samples.stream().mapToInt(one -> one.value()[0]).max().orElse(0));
        cell.writeRaw(
                "",
                List.of("time_us", "total", "active", "idle", "waiting"),
                samples.stream().map(one -> line((one.nanos() - start) / 1_000, one.value())));
        return done;
    }

    private static String line(long micros, int[] counts) {
        return micros + "\t" + counts[0] + "\t" + counts[1] + "\t" + Math.max(0, counts[0] - counts[1]) + "\t"
                + counts[2];
    }

    private static void tell(CellRun cell, Scene scene, long done) {
        if (scene.served() == 0) {
            throw new IllegalStateException("nobody was served: " + scene.lastFailure());
        }
        cell.millis("done", done);
        Histogram waits = scene.waits();
        cell.millis("mean", waits.getMean());
        cell.millis("p50", waits.getValueAtPercentile(50));
        cell.millis("p99", waits.getValueAtPercentile(99));
        cell.millis("max", waits.getMaxValue());
        cell.count("served", scene.served());
        cell.count("failed", scene.failed());
    }
}
