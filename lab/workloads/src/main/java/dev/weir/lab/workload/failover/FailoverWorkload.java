package dev.weir.lab.workload.failover;

import dev.weir.lab.contender.Contenders;
import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Sampler;
import dev.weir.lab.workload.Sampler.Sample;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Settings.Setting;
import dev.weir.lab.workload.Users;
import dev.weir.lab.workload.Users.Request;
import dev.weir.lab.workload.Users.Result;
import dev.weir.lab.workload.Workload;
import dev.weir.lab.workload.Workloads;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A standby takes over from a primary, under writes; what users see of that. */
public final class FailoverWorkload extends Workload {
    private static final long BUCKET_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int FAILURES_KEPT = 1000;
    private static final long SHOWN_BEFORE_NANOS = TimeUnit.SECONDS.toNanos(1);

    public FailoverWorkload() {
        super(
                "failover",
                "A standby takes over from its primary: failed writes, gaps, connections that stay.",
                Contenders.allBut("raw"),
                List.of(
                        "failed writes",
                        "last failure",
                        "longest gap",
                        "raw gap",
                        "read-only lent again",
                        "all moved",
                        "writes to the old server"));
    }

    @Override
    public List<Setting> settings() {
        List<String> kinds = Kind.words();
        return List.of(
                Setting.words("kinds", "what happens", String.join(",", kinds), String.join(",", kinds), kinds),
                Setting.number("users", "threads that write", 16, 16, 1, 1000),
                Setting.number("connections", "connections of a pool", 10, 10, 1, 200),
                Setting.number("timeout", "connectionTimeout in ms", 5000, 5000, 250, 60_000),
                Setting.number("down", "how long no server is there, in ms (stop)", 2000, 2000, 0, 600_000),
                Setting.number("think", "pause of a user after each write, on average, in ms", 20, 20, 0, 10_000),
                Workloads.DRIVER_WARM_UP,
                Setting.number("before", "how long all is well before, in ms", 2000, 1000, 100, 600_000),
                Setting.number("watch", "how long to look afterwards, in ms", 12_000, 12_000, 100, 600_000));
    }

    @Override
    public List<String> cases(Settings settings) {
        return settings.words("kinds").stream()
                .map(word -> caseName(word, settings))
                .toList();
    }

    private static String caseName(String word, Settings settings) {
        Kind kind = Kind.of(word);
        return kind == Kind.STOP ? kind.label() + ", none for " + settings.number("down") + " ms" : kind.label();
    }

    @Override
    public Duration about(String caseName, Settings settings) {
        return Duration.ofSeconds(9)
                .plus(Duration.ofMillis(12L * settings.number("warm-connects")))
                .plus(settings.millis("before"))
                .plus(settings.millis("watch"));
    }

    @Override
    public Duration limit(Settings settings) {
        return Duration.ofMinutes(3)
                .plus(Duration.ofMillis(60L * settings.number("warm-connects")))
                .plus(settings.millis("before"))
                .plus(settings.millis("down"))
                .plus(settings.millis("watch"));
    }

    @Override
    public List<String> jvmOptions() {
        List<String> options = new ArrayList<>(List.of("-Xms256m", "-Xmx256m"));
        options.addAll(HostName.jvmOptions());
        return options;
    }

    @Override
    public void run(CellRun cell) throws Exception {
        Settings settings = cell.settings();
        String word = cell.word("kinds", one -> caseName(one, settings));
        Kind kind = Kind.of(word);
        int connections = settings.number("connections");
        try (Site site = new Site(connections, kind == Kind.SWITCH)) {
            cell.warmUpDriver(site.spec());
            cell.count("connects before", site.proxy().accepted());
            try (PoolUnderTest pool = cell.open(site.spec()
                    .size(connections, connections)
                    .connectionTimeout(settings.millis("timeout"))
                    .validationTimeout(settings.millis("timeout").dividedBy(2)))) {
                CellRun.fill(pool, connections);
                run(cell, kind, site, pool);
            }
        }
    }

    private static void run(CellRun cell, Kind kind, Site site, PoolUnderTest pool) throws Exception {
        Settings settings = cell.settings();
        try (Users users = new Users(
                        "failover",
                        pool.dataSource(),
                        Site.INSERT,
                        settings.number("users"),
                        settings.millis("think"));
                Sampler<Integer> onOld = new Sampler<>("on-old", Duration.ofMillis(5), site::onOld)) {
            TimeUnit.MILLISECONDS.sleep(settings.number("before"));
            long usual = users.count(Request::served);
            if (usual == 0) {
                throw new IllegalStateException("nobody could write, though the primary was well: "
                        + users.requests()
                                .map(Request::message)
                                .distinct()
                                .limit(3)
                                .toList());
            }
            Kind.Moments moments = kind.takeOver(site, settings.number("down"));
            long rowsBefore = kind == Kind.SWITCH ? site.rowsOfOld() : 0;
            TimeUnit.NANOSECONDS.sleep(settings.millis("watch").toNanos() - (System.nanoTime() - moments.readyNanos()));
            long end = System.nanoTime();
            int stuck = users.end();
            Seen seen = new Seen(
                    users.requests()
                            .filter(request -> request.endNanos() >= moments.struckNanos() && request.endNanos() <= end)
                            .toList(),
                    moments.struckNanos(),
                    moments.readyNanos(),
                    end);
            measure(cell, seen);
            cell.measure("users stuck", stuck, "");
            cell.measure("usual rate", usual * 1e3 / settings.number("before"), "1/s");
            if (kind.leavesOldAlive()) {
                cell.measure("all moved", movedMillis(onOld.soFar(), moments.struckNanos(), end), "ms");
                cell.count("left at the old server", site.onOld());
            }
            if (kind == Kind.SWITCH) {
                cell.count("writes to the old server", site.rowsOfOld() - rowsBefore);
            }
            writeRaw(cell, users, onOld.soFar(), moments, end);
        }
    }

    private static void measure(CellRun cell, Seen seen) {
        cell.measure("failed writes", seen.failed(), "");
        cell.measure("failed getting", seen.failed(Result.NO_CONNECTION), "");
        cell.measure("failed in use", seen.failed(Result.FAILED_IN_USE), "");
        cell.measure("last failure", seen.lastFailureMillis(), "ms");
        cell.measure("longest gap", seen.longestGapMillis(), "ms");
        cell.measure("raw gap", seen.rawGapMillis(), "ms");
        cell.measure("read-only lent again", seen.readOnlyLentAgain(), "");
        cell.measure("good writes", seen.failed(Result.SERVED), "");
        cell.measure("new server ready", (seen.readyNanos() - seen.struckNanos()) / 1e6, "ms");
    }

    /** Milliseconds until the last connection to the old server was gone; NaN if some are left. */
    static double movedMillis(List<Sample<Integer>> onOld, long struckNanos, long endNanos) {
        long last = struckNanos;
        boolean left = false;
        for (Sample<Integer> sample : onOld) {
            if (sample.nanos() >= struckNanos && sample.nanos() <= endNanos) {
                left = sample.value() > 0;
                last = left ? sample.nanos() : last;
            }
        }
        return left ? Double.NaN : (last - struckNanos) / 1e6;
    }

    /** Good and failed writes by the time at which they ended, from nearly a second before; and what the failed ones said. */
    private static void writeRaw(
            CellRun cell, Users users, List<Sample<Integer>> onOld, Kind.Moments moments, long endNanos)
            throws IOException {
        long from = moments.struckNanos() - SHOWN_BEFORE_NANOS;
        List<Request> requests = users.requests()
                .filter(request -> request.endNanos() >= from && request.endNanos() <= endNanos)
                .toList();
        Map<Long, List<Request>> buckets = requests.stream()
                .collect(Collectors.groupingBy(
                        request -> Math.floorDiv(request.endNanos() - moments.readyNanos(), BUCKET_NANOS),
                        TreeMap::new,
                        Collectors.toList()));
        Map<Long, Integer> old = onOld.stream()
                .collect(Collectors.toMap(
                        sample -> Math.floorDiv(sample.nanos() - moments.readyNanos(), BUCKET_NANOS),
                        Sample::value,
                        Math::max));
        List<String> lines = new ArrayList<>();
        // Whole moments only: half a one looks like a gap.
        long first = Math.floorDiv(from - moments.readyNanos(), BUCKET_NANOS) + 1;
        long last = Math.floorDiv(endNanos - moments.readyNanos(), BUCKET_NANOS);
        for (long bucket = first; bucket < last; bucket++) {
            List<Request> own = buckets.getOrDefault(bucket, List.of());
            lines.add("%s\t%d\t%d\t%d\t%d"
                    .formatted(
                            bucket * BUCKET_NANOS / 1e6,
                            count(own, Result.SERVED),
                            count(own, Result.NO_CONNECTION),
                            count(own, Result.FAILED_IN_USE),
                            old.getOrDefault(bucket, 0)));
        }
        cell.writeRaw(
                "", List.of("since_ready_ms", "good", "failed_getting", "failed_in_use", "on_old"), lines.stream());
        cell.writeErrors(Users.errors(requests));
        cell.writeRaw(
                "-failures",
                List.of("began_ms", "got_ms", "ended_ms", "outcome", "sqlstate"),
                requests.stream()
                        .filter(request -> !request.served())
                        .sorted(Comparator.comparingLong(Request::endNanos))
                        .limit(FAILURES_KEPT)
                        .map(request -> "%s\t%s\t%s\t%s\t%s"
                                .formatted(
                                        (request.beginNanos() - moments.struckNanos()) / 1e6,
                                        (request.gotNanos() - moments.struckNanos()) / 1e6,
                                        (request.endNanos() - moments.struckNanos()) / 1e6,
                                        request.outcome(),
                                        request.sqlState())));
    }

    private static long count(List<Request> requests, Result outcome) {
        return requests.stream().filter(request -> request.outcome() == outcome).count();
    }
}
