package dev.weir.lab.report;

import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.GridCase;
import dev.weir.lab.runs.Limit;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.runs.RunInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Folders of runs with made-up numbers, small and always the same. */
final class TestRuns {
    static final List<String> POOLS = List.of(
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
            "proxool");

    static final Map<String, Object> MACHINE = Map.of(
            "jdk",
            "25.0.3",
            "cores",
            2,
            "processor",
            "made up",
            "os",
            "Linux 6",
            "steal %",
            0.0,
            "foreign CPU %",
            0.5,
            "lscpu",
            Map.of("Architecture", "x86_64"));

    private final Path root;
    private final Random random = new Random(7);

    TestRuns(Path root) {
        this.root = root;
    }

    RunFolder create(String workload, List<Limit> limits) throws IOException {
        return create(workload, "", MACHINE, List.of(), limits);
    }

    /**
     * Makes the folder of a run.
     *
     * @param options that its command ends with
     */
    RunFolder create(String workload, String options, Map<String, Object> machine, List<Cell> cells, List<Limit> limits)
            throws IOException {
        Map<String, String> versions = new TreeMap<>();
        POOLS.forEach(pool -> versions.put(pool, "1." + pool.length()));
        RunInfo info = new RunInfo(
                workload,
                "./weir lab " + workload + " --pools weir,hikari" + options,
                "2026-01-02T03:04:05Z",
                null,
                "equal",
                7L,
                machine,
                versions,
                Map.of(
                        "weir", Map.of(RunInfo.TESTED, "after 500 ms idle", RunInfo.COUNTED, "loans"),
                        "hikari", Map.of(RunInfo.TESTED, "after 500 ms idle", RunInfo.COUNTED, "nothing")),
                Map.of("threads", "50"),
                POOLS,
                List.of(),
                cells);
        return RunFolder.create(root, info, limits);
    }

    RunFolder cycle() throws IOException {
        RunFolder folder = create("cycle", List.of(new Limit("bonecp", "does not close <statements>")));
        for (String caseName : List.of("connection cycle, 1 thread", "connection cycle, 32 threads, 4 connections")) {
            for (int round = 1; round <= 3; round++) {
                double place = 1;
                for (String pool : POOLS) {
                    if (pool.equals("proxool")) {
                        folder.fail(cell(round, caseName, pool), "java.lang.NoSuchMethodError: 'void \"x\" & <y>'");
                        continue;
                    }
                    double mean = 16 * place * noise(0.05);
                    folder.append(
                            cell(round, caseName, pool),
                            List.of(
                                    one("time", mean, "ns"),
                                    one("bytes per op", 40 * place, "bytes"),
                                    one("first half mean", mean * noise(0.02), "ns"),
                                    one("second half mean", mean * noise(0.02), "ns")));
                    place *= caseName.contains("32") && place == 1 ? 0.7 : 1.8;
                }
            }
        }
        folder.finish();
        return folder;
    }

    RunFolder mixed() throws IOException {
        RunFolder folder = create("mixed", List.of());
        for (int round = 1; round <= 2; round++) {
            double median = 70;
            for (String pool : POOLS) {
                folder.append(
                        cell(round, "500 threads, 200 connections", pool),
                        List.of(
                                one("median", median, "us"),
                                one("mean", median * 0.9, "us"),
                                one("max", median * 1.9, "us")));
                median *= 1.7;
            }
        }
        folder.finish();
        return folder;
    }

    RunFolder spike(String... pools) throws IOException {
        RunFolder folder = create("spike", List.of());
        String caseName = "50 threads at once";
        int slow = 0;
        for (String pool : pools) {
            Cell cell = cell(1, caseName, pool);
            double done = slow == 0 ? 22_000 : 155_000 + slow * 40_000;
            int opened = slow == 0 ? 0 : Math.min(45, slow * 12);
            folder.append(
                    cell,
                    List.of(
                            one("done", done / 1000, "ms"),
                            one("connections at end", 5 + opened, ""),
                            one("connections later", 5 + opened, ""),
                            one("opened", opened, ""),
                            one("p50", done / 2, "us"),
                            one("p99", done * 0.98, "us"),
                            one("max", done, "us")));
            List<String> lines = new ArrayList<>(List.of("time_us\ttotal\tactive\tidle\twaiting"));
            for (double time = -5000; time < done + 20_000; time += 250) {
                boolean late = time > 150_000;
                int total = 5 + (late ? opened : 0);
                int waiting = time < 0 ? 0 : (int) Math.max(0, 45 - 45 * time / (done - 2000));
                int active = time < 0 || time > done ? 0 : Math.min(total, 5);
                lines.add("%.0f\t%d\t%d\t%d\t%d".formatted(time, total, active, total - active, waiting));
            }
            Files.write(RunFolder.raw(folder.path(), cell, ""), lines);
            slow++;
        }
        folder.finish();
        return folder;
    }

    RunFolder fair() throws IOException {
        RunFolder folder = create("fair", List.of());
        int place = 0;
        for (String pool : POOLS) {
            double p50 = 6e6 * (1 + place);
            folder.append(
                    cell(1, "4 connections, 200 platform threads, parked", pool),
                    List.of(
                            one("throughput", 20_000 + 500 * place, "1/s"),
                            one("p50", p50, "ns"),
                            one("p99", p50 * (2 + place), "ns"),
                            one("p99.9", p50 * (2.2 + place), "ns"),
                            one("max", p50 * (2.3 + place), "ns"),
                            one("most", 330 + 90 * place, ""),
                            one("least", Math.max(0, 250 - 40 * place), "")));
            place++;
        }
        folder.finish();
        return folder;
    }

    RunFolder battle() throws IOException {
        RunFolder folder = create("battle", List.of());
        int place = 1;
        for (String pool : List.of("weir", "hikari", "c3p0", "c3p0[helperThreads=10]")) {
            Cell cell = cell(1, "users 100", pool);
            folder.append(
                    cell, List.of(one("p50", 8, "ms"), one("p99", 20 * place, "ms"), one("p99.9", 30 * place, "ms")));
            List<String> times = new ArrayList<>(List.of("time_ms\tresponse_ms"));
            for (int i = 0; i < 6000; i++) {
                times.add("%d\t%.3f"
                        .formatted(i * 10, 8 + random.nextDouble() * 10 * place + (i % 997 == 0 ? 40 * place : 0)));
            }
            Files.write(RunFolder.raw(folder.path(), cell, "responses"), times);
            List<String> curve = new ArrayList<>(List.of("percentile\tvalue_ms\tcount"));
            for (double tail = 1; tail <= 10_000; tail *= 1.2) {
                curve.add("%.5f\t%.3f\t%d"
                        .formatted(100 - 100 / tail, 5 + 4 * place * Math.log(tail), (int) (10_000 / tail)));
            }
            Files.write(RunFolder.raw(folder.path(), cell, "percentiles"), curve);
            place++;
        }
        folder.finish();
        return folder;
    }

    RunFolder down() throws IOException {
        RunFolder folder = create("down", List.of());
        int place = 1;
        for (String pool : List.of("weir", "hikari", "druid")) {
            Cell cell = cell(1, "stopped server", pool);
            folder.append(
                    cell,
                    List.of(
                            one("user errors", 4 * (place - 1), ""),
                            one("longest get", 500 * place, "ms"),
                            one("first success", place == 3 ? Double.NaN : 90 * place, "ms"),
                            one("full rate", place == 3 ? Double.NaN : 300 * place, "ms")));
            List<String> lines = new ArrayList<>(List.of("time_ms\tsince_back_ms\tserved"));
            for (int time = 0; time < 6000; time += 100) {
                lines.add("%d\t%d\t%d".formatted(time, time - 3000, time > 3000 + 90 * place ? 50 : 0));
            }
            Files.write(RunFolder.raw(folder.path(), cell, ""), lines);
            place++;
        }
        folder.finish();
        return folder;
    }

    RunFolder failover() throws IOException {
        RunFolder folder = create("failover", List.of());
        for (String pool : List.of("weir", "hikari")) {
            boolean ours = pool.equals("weir");
            Cell cell = cell(1, "demoted primary", pool);
            folder.append(
                    cell,
                    List.of(
                            one("failed writes", ours ? 1 : 900, ""),
                            one("longest gap", ours ? 40 : 4000, "ms"),
                            one("raw gap", ours ? 40 : 4000, "ms"),
                            one("read-only lent again", ours ? 0 : 899, ""),
                            one("all moved", ours ? 45 : Double.NaN, "ms")));
            List<String> lines =
                    new ArrayList<>(List.of("since_ready_ms\tgood\tfailed_getting\tfailed_in_use\ton_old"));
            for (int time = -1000; time < 4000; time += 50) {
                boolean good = time < 0 || (ours && time > 40);
                lines.add("%d\t%d\t0\t%d\t%d".formatted(time, good ? 35 : 0, good ? 0 : 11, good && time > 0 ? 0 : 10));
            }
            Files.write(RunFolder.raw(folder.path(), cell, ""), lines);
            Cell herd = cell(1, "20 pools, away for 2000 ms", pool);
            folder.append(herd, List.of(one("all served", ours ? 170 : 2300, "ms")));
            Files.write(
                    RunFolder.raw(folder.path(), herd, ""),
                    List.of("since_back_ms\tconnects\tmost_of_one_pool", "0.0\t4\t1", "10.0\t9\t2"));
        }
        folder.finish();
        return folder;
    }

    RunFolder fleet() throws IOException {
        RunFolder folder = create("fleet", List.of());
        for (String pool : List.of("weir", "hikari", "ideal")) {
            boolean ours = pool.equals("weir");
            Cell cell = cell(1, "bursts", pool);
            folder.append(
                    cell,
                    List.of(
                            one("requests", ours ? 700 : 400, "1/s"),
                            one("p90", ours ? 60 : 900, "ms"),
                            one("errors", ours ? 0 : 12, ""),
                            one("refused connects", ours ? 0 : 700, ""),
                            one("most sessions", ours ? 57 : 80, "")));
            List<String> lines = new ArrayList<>(List.of("since_begin_ms\tsessions\tmember_1\tmember_2"));
            for (int time = -1000; time < 4000; time += 10) {
                int first = time % 2000 < 1000 ? 20 : 3;
                lines.add("%d\t%d\t%d\t%d".formatted(time, 23, first, 23 - first));
            }
            Files.write(RunFolder.raw(folder.path(), cell, ""), lines);
        }
        folder.finish();
        return folder;
    }

    RunFolder contract() throws IOException {
        RunFolder folder = create("contract", List.of());
        for (String promise : List.of("P1 one owner: close twice", "P2 clean return: autoCommit")) {
            for (String pool : POOLS) {
                if (promise.startsWith("P2") && pool.length() == 5) {
                    folder.fail(cell(1, promise, pool), "expected: true but was: false");
                } else {
                    folder.append(cell(1, promise, pool), List.of(one("kept", 1, "")));
                }
            }
        }
        folder.finish();
        return folder;
    }

    RunFolder grid() throws IOException {
        RunFolder folder = create("grid", List.of());
        for (String pool : List.of("weir", "hikari", "tomcat")) {
            for (int size = 1; size <= 32; size *= 2) {
                for (int threads = 1; threads <= 64; threads *= 2) {
                    double mean = (8000 + 20_000.0 / size / threads + threads * (pool.equals("weir") ? 20 : 120))
                            * noise(0.05);
                    folder.append(
                            cell(1, new GridCase(size, threads, 100, 0).toString(), pool),
                            List.of(
                                    one("requests", Math.floor(6e9 / mean), ""),
                                    one("mean", mean, "us"),
                                    one("p50", mean * 0.9, "us"),
                                    one("p90", mean * 1.3, "us"),
                                    one("p99", mean * 3, "us"),
                                    one("errors", 0, "")));
                }
            }
        }
        folder.finish();
        return folder;
    }

    private double noise(double share) {
        return 1 + (random.nextDouble() - 0.5) * 2 * share;
    }

    static Cell cell(int round, String caseName, String pool) {
        return new Cell(round, caseName, pool);
    }

    static Measurement one(String metric, double value, String unit) {
        return new Measurement(cell(0, "", ""), metric, value, unit);
    }
}
