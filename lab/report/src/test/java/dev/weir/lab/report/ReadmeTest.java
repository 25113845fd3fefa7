package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The first page is written from runs that nobody can take apart, or not at all. */
final class ReadmeTest {
    private static final int ROUNDS = 5;
    private static final String FAIR = "200 platform threads, 4 connections, parked";
    private static final String VIRTUAL = "10,000 virtual threads, 4 connections, parked";
    private static final String YIELD = ", yields between";

    @TempDir
    private Path root;

    /** Of the pools of a run, by case: the value of a pool and metric. */
    private RunFolder run(
            String workload,
            String options,
            Map<String, Object> machine,
            List<String> pools,
            Map<String, List<String>> metricsByCase,
            BiFunction<String, String, Double> value)
            throws IOException {
        List<Cell> cells = IntStream.rangeClosed(1, ROUNDS)
                .boxed()
                .flatMap(round -> metricsByCase.keySet().stream()
                        .flatMap(name -> pools.stream().map(pool -> new Cell(round, name, pool))))
                .toList();
        RunFolder folder = new TestRuns(root.resolve("runs")).create(workload, options, machine, cells, List.of());
        for (Cell cell : cells) {
            List<Measurement> all = new ArrayList<>();
            for (String metric : metricsByCase.getOrDefault(cell.caseName(), List.of())) {
                double noise = 1 + 0.01 * ((cell.round() * 3 + cell.pool().length()) % 5);
                if (workload.equals("mixed") && cell.pool().equals("weir")) {
                    noise *= (3 * cell.round() - 1) / 2.0;
                }
                all.add(TestRuns.one(
                        metric, value.apply(cell.pool(), cell.caseName() + "/" + metric) * noise, unit(metric)));
            }
            folder.append(cell, all);
        }
        if (workload.equals("spike")) {
            for (String pool : pools) {
                Files.write(
                        RunFolder.raw(folder.path(), new Cell(1, cells.get(0).caseName(), pool), ""),
                        List.of("time_us\ttotal\tactive\tidle\twaiting", "0\t5\t5\t0\t45", "9000\t5\t5\t0\t0"));
            }
        }
        folder.finish();
        return folder;
    }

    private static String unit(String metric) {
        return switch (metric) {
            case "served rate", "throughput" -> "1/s";
            case "unserved", "requests" -> "";
            case "time" -> "ns";
            default -> "ms";
        };
    }

    private static double value(String pool, String what) {
        boolean higher = what.endsWith("rate") || what.endsWith("throughput") || what.endsWith("requests");
        double better = Map.of("weir", 100.0, "hikari", 200.0).getOrDefault(pool, 300.0);
        if (what.startsWith("contended, 32")) {
            return Map.of("weir", 2_161.0, "hikari", 2_285.0).getOrDefault(pool, 1_389.0);
        }
        if (what.startsWith("black hole") || what.startsWith("spike") || what.contains("unserved")) {
            return Map.of("weir", 58.0, "hikari", 39.0).getOrDefault(pool, 70.0);
        }
        if (what.contains("web") || what.contains("clients")) {
            return 1_000;
        }
        return higher ? 1e6 / better : better;
    }

    private List<RunFolder> published() throws IOException {
        return published(TestRuns.MACHINE);
    }

    private List<RunFolder> published(Map<String, Object> machineOfLast) throws IOException {
        Map<String, Object> machine = TestRuns.MACHINE;
        List<String> two = List.of("weir", "hikari");
        List<String> fair = List.of("throughput", "p99", "unserved");
        return new ArrayList<>(List.of(
                run(
                        "grid",
                        " --rounds 5",
                        machine,
                        two,
                        Map.of(
                                "8 connections, 16 threads, 100 clients, closed",
                                List.of("served rate", "requests", "p99", "mean")),
                        ReadmeTest::value),
                run("battle", "", machine, two, Map.of("30 users", List.of("p99", "max")), ReadmeTest::value),
                run(
                        "down",
                        "",
                        machine,
                        List.of("weir", "hikari", "tomcat"),
                        Map.of("black hole", List.of("first success"), "reset", List.of("first success")),
                        ReadmeTest::value),
                run(
                        "spike",
                        "",
                        machine,
                        two,
                        new java.util.TreeMap<>(Map.of(
                                        "spike, 50 threads",
                                        List.of("done"),
                                        "ramp, needs 30 connections",
                                        List.of("mean")))
                                .descendingMap(),
                        ReadmeTest::value),
                run(
                        "fair",
                        "",
                        machine,
                        two,
                        Map.of(FAIR, fair, FAIR + YIELD, fair, VIRTUAL, fair, VIRTUAL + YIELD, fair),
                        ReadmeTest::value),
                run("mixed", "", machine, two, Map.of("500 threads", List.of("median")), ReadmeTest::value),
                run(
                        "cycle",
                        "",
                        machineOfLast,
                        List.of("weir", "hikari", "beecp"),
                        Map.of(
                                "connection, 1 thread",
                                List.of("time"),
                                "full, 1 thread",
                                List.of("time"),
                                "contended, 32 threads",
                                List.of("time")),
                        ReadmeTest::value)));
    }

    private static List<Run> read(List<RunFolder> folders) throws IOException {
        List<Run> runs = new ArrayList<>();
        for (RunFolder folder : folders) {
            runs.add(Run.read(folder));
        }
        return runs;
    }

    private Path readme() throws IOException {
        return Files.writeString(
                root.resolve("README.md"), "before\n<!-- compare:begin -->\nold\n<!-- compare:end -->\nafter\n");
    }

    @Test
    void theServiceComesFirstThenThePoolAndEachDefeatIsNamed() throws IOException {
        List<Run> runs = read(published());
        Path readme = readme();

        Readme.write(readme, runs);

        String text = Files.readString(readme);
        assertThat(text)
                .startsWith("before\n<!-- compare:begin -->\n")
                .endsWith("<!-- compare:end -->\nafter\n")
                .doesNotContain("old\n", "NaN", "%s")
                .containsSubsequence(
                        "web service on PostgreSQL, 8 connections, 16 threads",
                        "application of many tiers",
                        "PostgreSQL fails, ",
                        "](docs/images/spike-weir-hikari.svg)",
                        "acquire and return, connection, 1 thread",
                        VIRTUAL + YIELD + ": p99 of the wait",
                        "classic mix",
                        "Where Weir loses",
                        "Level by a wide interval alone",
                        "- mixed, median in 1 of 1 cases; furthest behind: 500 threads: median ",
                        "./weir lab published",
                        "- `./weir lab ");
        assertThat(text.lines().filter(line -> line.startsWith("| web service") && line.contains(": requests")))
                .singleElement()
                .asString()
                .contains("1,020 per second", "level)", "level with hikari", "not in this run");
        assertThat(text.lines().filter(line -> line.contains("contended, 32 threads") && line.startsWith("|")))
                .as("the rival that wins has its number")
                .singleElement()
                .asString()
                .contains("beecp 1.4", "**loses** to beecp, 1.5");
        assertThat(text)
                .contains("- down, black hole: first success ", "to hikari's ")
                .contains("- spike, spike, 50 threads: done ")
                .contains("- cycle, time in 1 of 3 cases; furthest behind: contended, 32 threads: time ")
                .doesNotContain("- down, reset")
                .contains("Terms (equal): tested before it is lent: after 500 ms idle (weir, hikari)")
                .contains("Medians of 5 rounds")
                .doesNotContain("| |", "|  |");
        assertThat(root.resolve("docs/images/spike-weir-hikari.svg")).isNotEmptyFile();
        assertThat(root.resolve("docs/images/spike-weir-hikari.png")).isNotEmptyFile();
    }

    @Test
    void theCommandWritesNothingFromARunThatIsNotToBePublished() throws IOException {
        new TestRuns(root.resolve("runs")).spike("weir", "hikari");
        Path readme = readme();
        StringWriter err = new StringWriter();

        int code = new CommandLine(new ReportCommand())
                .setErr(new PrintWriter(err, true))
                .setOut(new PrintWriter(new StringWriter()))
                .execute(
                        "--out",
                        root.resolve("page").toString(),
                        "--readme",
                        readme.toString(),
                        root.resolve("runs").toString());

        assertThat(code).isNotZero();
        assertThat(err.toString()).contains("Fewer than 5 rounds");
        assertThat(Files.readString(readme)).contains("old\n");
    }

    @Test
    void runsOfTwoMachinesStandOnNoPageTogether() throws IOException {
        Map<String, Object> other = new HashMap<>(TestRuns.MACHINE);
        other.put("processor", "another");
        List<Run> runs = read(published(other));
        Path readme = readme();

        assertThatThrownBy(() -> Readme.write(readme, runs))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("are of two machines: processor made up and another");
        assertThatThrownBy(() -> new Report(runs).writeMarkdown(root.resolve("pages")))
                .hasMessageContaining("are of two machines");
        assertThat(Files.readString(readme)).contains("old\n");
    }

    @Test
    void whatIsNotToBePublishedIsNot() throws IOException {
        List<Run> good = read(published());
        Map<String, Object> loud = new HashMap<>(TestRuns.MACHINE);
        loud.put("steal %", 1.1);
        Map<String, Object> unknown = new HashMap<>(TestRuns.MACHINE);
        unknown.remove("foreign CPU %");
        List<Cell> five = List.of(new Cell(ROUNDS, "x", "weir"));
        TestRuns runs = new TestRuns(root.resolve("more"));
        RunFolder unfinished = runs.create("other", "", TestRuns.MACHINE, five, List.of());
        RunFolder again = run(
                "mixed",
                "",
                TestRuns.MACHINE,
                List.of("weir"),
                Map.of("500 threads", List.of("median")),
                (p, w) -> 1.0);
        Map<RunFolder, String> refused = Map.of(
                finished(runs.create("other", "", loud, five, List.of())),
                "steal % 1.1 (at most 1)",
                finished(runs.create("other", "", unknown, five, List.of())),
                "Nobody knows whether",
                finished(runs.create("other", " --quick", TestRuns.MACHINE, five, List.of())),
                "Its numbers mean nothing",
                finished(runs.create("other", " --in-process", TestRuns.MACHINE, five, List.of())),
                "All in one JVM",
                finished(runs.create("other", "", TestRuns.MACHINE, List.of(), List.of())),
                "Fewer than 5 rounds",
                unfinished,
                "is not finished",
                again,
                "another of these runs has the case '500 threads' too");
        for (Map.Entry<RunFolder, String> one : refused.entrySet()) {
            List<Run> all = new ArrayList<>(good);
            all.add(Run.read(one.getKey()));
            assertThatThrownBy(() -> Readme.write(readme(), all))
                    .as(one.getValue())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(one.getValue());
        }
    }

    private static RunFolder finished(RunFolder folder) throws IOException {
        folder.finish();
        return folder;
    }

    @Test
    void noRowIsLeftOut() throws IOException {
        List<Run> runs = read(published());
        for (String workload : List.of("grid", "down", "cycle", "fair")) {
            List<Run> some = runs.stream()
                    .filter(run -> !run.info().workload().equals(workload))
                    .toList();
            assertThatThrownBy(() -> Readme.write(readme(), some))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("no run of " + workload);
        }
    }

    @Test
    void aFileWithoutTheMarksIsLeftAsItIs() throws IOException {
        List<Run> runs = read(published());
        Path readme = Files.writeString(root.resolve("README.md"), "nothing here\n");

        assertThatThrownBy(() -> Readme.write(readme, runs))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("<!-- compare:end -->");
        assertThat(readme).hasContent("nothing here\n");
    }
}
