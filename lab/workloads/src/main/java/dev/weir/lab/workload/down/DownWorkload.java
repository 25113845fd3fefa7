package dev.weir.lab.workload.down;

import dev.weir.lab.contender.Contenders;
import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Settings.Setting;
import dev.weir.lab.workload.Users;
import dev.weir.lab.workload.Users.Request;
import dev.weir.lab.workload.Users.Result;
import dev.weir.lab.workload.Workload;
import dev.weir.lab.workload.Workloads;
import dev.weir.testkit.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** The database goes away for some seconds and comes back; what users see of that. */
public final class DownWorkload extends Workload {
    /** Longer than any pool takes a connection for alive without a test in the profile {@code equal}. */
    private static final Duration REST = Duration.ofMillis(1500);

    private static final String STATEMENT = "SELECT pg_sleep(0.002)";
    private static final Duration LEAST_AFTER = Duration.ofSeconds(1);
    private static final long BUCKET_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    public DownWorkload() {
        super(
                "down",
                "The database goes away for some seconds and comes back: errors, longest wait, time until users are served.",
                Contenders.allBut("raw"),
                List.of(
                        "first success",
                        "full rate",
                        "longest get",
                        "user errors",
                        "errors getting",
                        "errors in use",
                        "connects while away"));
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.words(
                        "faults",
                        "how it goes away",
                        String.join(",", Fault.words()),
                        "idle,killed,stopped,hole",
                        Fault.words()),
                Setting.number("users", "threads", 16, 16, 1, 1000),
                Setting.number("connections", "connections of the pool", 10, 10, 1, 200),
                Setting.number("timeout", "connectionTimeout in ms", 1000, 1000, 250, 60_000),
                Setting.number("away", "how long it is away, in ms", 3000, 2000, 0, 600_000),
                Setting.number("think", "pause of a user after each request, on average, in ms", 20, 20, 0, 10_000),
                Workloads.DRIVER_WARM_UP,
                Setting.number("before", "how long the usual rate is measured, in ms", 3000, 1500, 100, 600_000),
                Setting.number(
                        "watch",
                        "how long to wait for the usual rate afterwards, in ms",
                        15_000,
                        15_000,
                        100,
                        600_000));
    }

    @Override
    public List<String> cases(Settings settings) {
        return settings.words("faults").stream()
                .map(word -> caseName(Fault.of(word), settings))
                .toList();
    }

    private static String caseName(Fault fault, Settings settings) {
        return fault.away() ? fault.label() + " for " + settings.number("away") + " ms" : fault.label();
    }

    private static Fault fault(CellRun cell) {
        return Fault.of(cell.word("faults", word -> caseName(Fault.of(word), cell.settings())));
    }

    @Override
    public Duration about(String caseName, Settings settings) {
        return Duration.ofSeconds(9)
                .plus(Duration.ofMillis(12L * settings.number("warm-connects")))
                .plus(settings.millis("before"))
                .plus(settings.millis("away"));
    }

    @Override
    public Duration limit(Settings settings) {
        return Duration.ofMinutes(2)
                .plus(Duration.ofMillis(60L * settings.number("warm-connects")))
                .plus(settings.millis("before"))
                .plus(settings.millis("away"))
                .plus(settings.millis("watch"));
    }

    @Override
    public List<String> jvmOptions() {
        return List.of("-Xms256m", "-Xmx256m");
    }

    @Override
    public void run(CellRun cell) throws Exception {
        Settings settings = cell.settings();
        int connections = settings.number("connections");
        try (Site site = new Site(connections)) {
            cell.warmUpDriver(site.spec());
            cell.count("connects before", site.attempted());
            try (PoolUnderTest pool = cell.open(site.spec()
                    .size(connections, connections)
                    .connectionTimeout(settings.millis("timeout"))
                    .validationTimeout(settings.millis("timeout").dividedBy(2)))) {
                CellRun.fill(pool, connections);
                run(cell, site, pool);
            }
        }
    }

    private static void run(CellRun cell, Site site, PoolUnderTest pool) throws Exception {
        Settings settings = cell.settings();
        Fault fault = fault(cell);
        Users users = users(pool, settings);
        try {
            double usualRate = usualRate(cell, users);
            if (!fault.underLoad()) {
                endAll(users);
                TimeUnit.MILLISECONDS.sleep(REST.toMillis());
            }
            int before = site.attempted();
            long struck = System.nanoTime();
            fault.strike(site);
            if (fault.away()) {
                TimeUnit.MILLISECONDS.sleep(settings.number("away"));
                fault.prepareReturn(site);
            }
            int whileAway = site.attempted() - before;
            long back = System.nanoTime();
            if (!fault.underLoad()) {
                users = users(pool, settings); // the first may wait while the last is not there yet
            }
            fault.comeBack(site);
            watch(users, settings, struck, back, usualRate);
            int stuck = users.end();
            Recovery recovery = recovery(users, struck, back, usualRate);
            measure(cell, recovery);
            cell.measure("connects while away", whileAway, "");
            cell.measure("connects in all", site.attempted() - before, "");
            cell.measure("users stuck", stuck, "");
            cell.measure("usual rate", usualRate * 1e9, "1/s");
            writeRaw(cell, recovery);
        } finally {
            users.close();
        }
    }

    private static Users users(PoolUnderTest pool, Settings settings) {
        return new Users("down", pool.dataSource(), STATEMENT, settings.number("users"), settings.millis("think"));
    }

    private static void endAll(Users users) throws InterruptedException {
        int stuck = users.end();
        if (stuck > 0) {
            throw new IllegalStateException(stuck + " users were not served, though the database was well");
        }
    }

    /** Requests served in a nanosecond, in the second half of the time; tells both halves. */
    private static double usualRate(CellRun cell, Users users) throws InterruptedException {
        long half = cell.settings().millis("before").toNanos() / 2;
        double first = rate(users, half);
        double second = rate(users, half);
        if (second == 0) {
            throw new IllegalStateException("nobody was served, though the database was well: "
                    + users.requests().map(Request::message).distinct().limit(3).toList());
        }
        cell.measure("first half mean", first * 1e9, "1/s");
        cell.measure("second half mean", second * 1e9, "1/s");
        return second;
    }

    /** Requests served in a nanosecond, from now on for so long. */
    private static double rate(Users users, long nanos) throws InterruptedException {
        long from = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(nanos);
        long to = System.nanoTime();
        long served = users.count(request -> request.served() && request.endNanos() >= from && request.endNanos() < to);
        return (double) served / (to - from);
    }

    /** Until the usual rate is back, and at least a second; not for ever. */
    private static void watch(Users users, Settings settings, long struck, long back, double usualRate) {
        boolean ignored = Await.becomesTrue(settings.millis("watch"), () -> {
            return System.nanoTime() - back >= LEAST_AFTER.toNanos()
                    && !Double.isNaN(recovery(users, struck, back, usualRate).fullRateMillis());
        });
    }

    private static Recovery recovery(Users users, long struck, long back, double usualRate) {
        return new Recovery(
                users.requests().filter(request -> request.endNanos() >= struck).toList(), struck, back, usualRate);
    }

    private static void measure(CellRun cell, Recovery recovery) {
        int getting = recovery.count(Result.NO_CONNECTION);
        int inUse = recovery.count(Result.FAILED_IN_USE);
        cell.measure("first success", recovery.firstSuccessMillis(), "ms");
        cell.measure("full rate", recovery.fullRateMillis(), "ms");
        cell.measure("longest get", recovery.longestGetMillis(), "ms");
        cell.measure("user errors", getting + inUse, "");
        cell.measure("errors getting", getting, "");
        cell.measure("errors in use", inUse, "");
        cell.measure("served", recovery.count(Result.SERVED), "");
    }

    /** The requests by the time at which they ended, and what the failed ones said. */
    private static void writeRaw(CellRun cell, Recovery recovery) throws IOException {
        Map<Long, List<Request>> buckets = recovery.requests().stream()
                .collect(Collectors.groupingBy(
                        request -> (request.endNanos() - recovery.struckNanos()) / BUCKET_NANOS, Collectors.toList()));
        long last = buckets.isEmpty() ? -1 : Collections.max(buckets.keySet());
        double back = (recovery.backNanos() - recovery.struckNanos()) / 1e6;
        cell.writeRaw(
                "",
                List.of("time_ms", "since_back_ms", "served", "errors_getting", "errors_in_use", "longest_get_ms"),
                LongStream.rangeClosed(0, last)
                        .mapToObj(bucket ->
                                line(bucket * BUCKET_NANOS / 1e6, back, buckets.getOrDefault(bucket, List.of()))));
        cell.writeErrors(Users.errors(recovery.requests()));
    }

    private static String line(double millis, double back, List<Request> requests) {
        return "%s\t%s\t%d\t%d\t%d\t%s"
                .formatted(
                        millis,
                        Math.round((millis - back) * 1000) / 1000.0,
                        requests.stream().filter(Request::served).count(),
                        requests.stream()
                                .filter(request -> request.outcome() == Result.NO_CONNECTION)
                                .count(),
                        requests.stream()
                                .filter(request -> request.outcome() == Result.FAILED_IN_USE)
                                .count(),
                        requests.stream().mapToLong(Request::getNanos).max().orElse(0) / 1e6);
    }
}
