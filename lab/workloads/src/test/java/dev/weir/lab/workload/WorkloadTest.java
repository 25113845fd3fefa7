package dev.weir.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.RunFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each workload in a tiny size: what it counts must add up. */
class WorkloadTest {
    private static final List<String> POOLS = List.of("weir", "hikari", "beecp");

    @TempDir
    private Path root;

    @Test
    void cycleMeasuresEveryBenchmark() throws Exception {
        RunFolder folder = Runs.run(
                root,
                "cycle",
                List.of("weir", "raw"),
                Map.of(
                        "benchmarks", "connection,contended,statement,full",
                        "threads", "2",
                        "statement-threads", "1",
                        "warmups", "0",
                        "iterations", "2",
                        "iteration", "10"));

        assertThat(folder.info().cells().stream().map(Cell::caseName).distinct())
                .containsExactly(
                        "connection, 2 threads", "contended, 2 threads", "statement, 1 thread", "full, 1 thread");
        assertThat(folder.info().cells()).doesNotContain(new Cell(1, "contended, 2 threads", "raw"));
        for (Cell cell : folder.info().cells()) {
            assertThat(RunFolder.raw(folder.path(), cell, "-jmh.json"))
                    .content()
                    .contains("\"jmhVersion\"", "\"rawData\"");
            Map<String, Double> measured = Runs.of(folder, cell);
            assertThat(measured.get("time")).as(cell.toString()).isPositive();
            assertThat(measured.get("bytes per op")).as(cell.toString()).isNotNegative();
            assertThat((measured.get("first half mean") + measured.get("second half mean")) / 2)
                    .isEqualTo(measured.get("time"), within(measured.get("time") * 0.01));
        }
    }

    @Test
    void mixedLosesNothingAndDoesNothingTwice() throws Exception {
        RunFolder folder = Runs.run(
                root,
                "mixed",
                POOLS,
                Map.of(
                        "threads", "5",
                        "connections", "3",
                        "cycles", "2",
                        "statements", "4",
                        "rows", "6",
                        "warmups", "1",
                        "runs", "2"));

        for (Cell cell : folder.info().cells()) {
            Map<String, Double> measured = Runs.of(folder, cell);
            assertThat(measured)
                    .as(cell.toString())
                    .containsEntry("getConnection", 10.0)
                    .containsEntry("connection closes", 10.0)
                    .containsEntry("prepareStatement", 80.0)
                    .containsEntry("setInt", 720.0)
                    .containsEntry("addBatch", 240.0)
                    .containsEntry("executeBatch", 40.0)
                    .containsEntry("executeQuery", 40.0)
                    .containsEntry("statement closes", 80.0)
                    .containsEntry("next", 240.0)
                    .containsEntry("getInt", 240.0)
                    .containsEntry("result set closes", 40.0)
                    .containsKeys("median", "mean", "max", "median of warm-up 1")
                    .containsEntry(
                            "median", Math.min(measured.get("median of run 1"), measured.get("median of run 2")));
            assertThat(measured.get("max")).isGreaterThanOrEqualTo(measured.get("mean"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lost=PreparedStatement.setInt",
                "lost=PreparedStatement.addBatch",
                "lost=PreparedStatement.close",
                "lost=ResultSet.next",
                "doubled=PreparedStatement.addBatch",
                "doubled=PreparedStatement.executeBatch",
                "doubled=ResultSet.getInt"
            })
    void mixedRefusesAPoolThatLosesOrDoublesCalls(String fault) throws Exception {
        String lossy = "lossy=" + LossyDataSource.class.getName() + "?url={url}&" + fault;
        RunFolder folder = Runs.plan(
                        "mixed",
                        List.of(lossy),
                        1,
                        Map.of(
                                "threads", "2",
                                "connections", "2",
                                "cycles", "1",
                                "statements", "2",
                                "rows", "3",
                                "warmups", "0",
                                "runs", "1"))
                .begin(root);

        Runs.go(folder, new Stop(), true);

        assertThat(folder.measurements()).isEmpty();
        assertThat(folder.failures())
                .singleElement()
                .satisfies(failure -> assertThat(failure.message()).contains("the calls do not add up"));
    }

    @Test
    void mixedIsOfThePublishedSizeByDefault() {
        Workload mixed = Workloads.named("mixed");
        Settings settings = Settings.of(mixed.settings(), false, Map.of());

        long perThread = (long) settings.number("cycles") * settings.number("statements");
        assertThat(settings.number("threads") * settings.number("cycles")).isEqualTo(1_000);
        assertThat(settings.number("threads") * perThread).isEqualTo(100_000);
        assertThat(settings.number("threads") * perThread * settings.number("rows"))
                .isEqualTo(10_000_000);
        assertThat(mixed.cases(settings)).containsExactly("500 threads, 200 connections");
    }

    @Test
    void fairCountsEveryWaitOnce() throws Exception {
        RunFolder folder = Runs.run(
                root,
                "fair",
                POOLS,
                Map.of(
                        "threads", "20",
                        "connections", "3",
                        "holds", "parked,busy",
                        "warmup", "20",
                        "measure", "300"));

        assertThat(folder.info().cells())
                .hasSize(POOLS.size() * (Runtime.version().feature() >= 21 ? 4 : 2));
        double cpu = 0;
        for (Cell cell : folder.info().cells()) {
            Map<String, Double> measured = Runs.of(folder, cell);
            assertThat(measured).as(cell.toString()).containsEntry("failed", 0.0);
            assertThat(measured.get("completions")).isBetween(1.0, 20 * measured.get("most"));
            assertThat(measured.get("completions")).isGreaterThanOrEqualTo(20 * measured.get("least"));
            assertThat(measured.get("least") == 0).isEqualTo(measured.get("unserved") > 0);
            assertThat(measured.get("in flight at end")).isBetween(0.0, 20.0);
            cpu += measured.get("cpu per op"); // counted in hundredths of a second: a short cell may have none
            assertThat(measured.get("both p99")).isGreaterThanOrEqualTo(measured.get("close p99"));
            assertThat(measured.get("max")).isGreaterThanOrEqualTo(measured.get("p50"));
        }
        assertThat(cpu).isPositive();
    }

    @Test
    void fairHasALifeBetweenRequests() throws Exception {
        RunFolder folder = Runs.run(
                root,
                "fair",
                List.of("weir"),
                Map.of(
                        "threads", "20",
                        "kinds", "platform",
                        "connections", "3",
                        "between", "yield,think",
                        "think", "500",
                        "warmup", "20",
                        "measure", "200"));

        assertThat(folder.info().cells())
                .extracting(Cell::caseName)
                .containsExactlyInAnyOrder(
                        "20 platform threads, 3 connections, parked, yields between",
                        "20 platform threads, 3 connections, parked, thinks 500 us between");
        for (Cell cell : folder.info().cells()) {
            Map<String, Double> measured = Runs.of(folder, cell);
            assertThat(measured).as(cell.toString()).containsEntry("failed", 0.0);
            assertThat(measured.get("completions")).isPositive();
        }
    }

    @Test
    void spikeServesEverybodyAndCountsConnections() throws Exception {
        RunFolder folder = Runs.run(
                root,
                "spike",
                List.of("weir", "hikari", "none"),
                Map.ofEntries(
                        Map.entry("kinds", "spike,ramp"),
                        Map.entry("threads", "8"),
                        Map.entry("idle", "2"),
                        Map.entry("maximum", "6"),
                        Map.entry("connect", "20"),
                        Map.entry("warmup", "5"),
                        Map.entry("quiet", "20"),
                        Map.entry("later", "50"),
                        Map.entry("ramp", "200"),
                        Map.entry("ramp-connections", "4"),
                        Map.entry("ramp-query", "10")));

        for (Cell cell : folder.info().cells()) {
            Map<String, Double> measured = Runs.of(folder, cell);
            boolean pooled = !cell.pool().equals("none");
            assertThat(measured).as(cell.toString()).containsEntry("failed", 0.0);
            if (!cell.caseName().startsWith("ramp")) {
                assertThat(measured).containsEntry("served", 8.0);
            }
            assertThat(measured.get("peak connections"))
                    .isLessThanOrEqualTo(pooled ? 6.0 : 1_000.0)
                    .isLessThanOrEqualTo(measured.get("opened"));
            assertThat(measured)
                    .containsEntry("connections before", pooled ? 2.0 : 0.0)
                    .containsEntry("beyond idle", pooled ? 0.0 : -2.0);
            assertThat(measured.get("done")).isGreaterThanOrEqualTo(2.0);
            if (measured.containsKey("connections later by its own count")) {
                assertThat(measured)
                        .containsEntry("connections later by its own count", measured.get("connections later"));
            }
            assertRaw(folder, cell);
        }
        // As many requests arrive in each run of the ramp.
        assertThat(folder.info().cells().stream()
                        .filter(cell -> cell.caseName().startsWith("ramp"))
                        .map(cell -> served(folder, cell))
                        .distinct())
                .hasSize(1);
    }

    private static double served(RunFolder folder, Cell cell) {
        try {
            return Runs.of(folder, cell).get("served");
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static void assertRaw(RunFolder folder, Cell cell) throws Exception {
        List<String> lines = Files.readAllLines(RunFolder.raw(folder.path(), cell, ".tsv"));
        assertThat(lines.get(0)).isEqualTo("time_us\ttotal\tactive\tidle\twaiting");
        assertThat(lines).hasSizeGreaterThan(2);
        assertThat(lines.stream().skip(1).map(line -> line.split("\t", -1)))
                .allSatisfy(row -> assertThat(Integer.parseInt(row[3]))
                        .isEqualTo(Math.max(0, Integer.parseInt(row[1]) - Integer.parseInt(row[2]))));
    }
}
