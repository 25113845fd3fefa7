package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.runs.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AimsTest {
    @TempDir
    private Path root;

    @Test
    void aimsAreCheckedAgainstHikariWithinTheRounds() throws IOException {
        RunFolder folder = new TestRuns(root).create("cycle", List.of());
        measure(folder, "connection, 1 thread", "time", 20, 100);
        measure(folder, "connection, 8 threads", "time", 40, 100);
        measure(folder, "contended, 8 threads", "time", 400, 100);

        assertThat(Aims.of(Run.read(folder)).rows())
                .extracting(Section.Row::cells)
                .containsExactly(
                        List.of("connection, 1 thread", "time at most 0.25 of hikari's", "0.2 of hikari's", "yes"),
                        List.of("connection, 8 threads", "time at most 0.35 of hikari's", "0.4 of hikari's", "no"),
                        List.of(
                                "contended, 8 threads",
                                "time at most 1.00 of hikari's, or level",
                                "4 of hikari's",
                                "no"));
    }

    @Test
    void whatIsReachedByTheIntervalAloneIsNotCalledReached() throws IOException {
        RunFolder folder = new TestRuns(root).create("start", List.of());
        double[] ours = {90, 300, 150};
        for (int round = 1; round <= ours.length; round++) {
            measure(folder, round, "at rest", "heap", ours[round - 1], 100);
        }

        assertThat(Aims.of(Run.read(folder)).rows())
                .extracting(Section.Row::cells)
                .containsExactly(List.of("at rest", "lowest heap of all, or level", "1.5 of hikari's", "level"));
        assertThat(Aims.ofAll(List.of(Run.read(folder))).rows())
                .extracting(Section.Row::cells)
                .contains(List.of(
                        "at rest",
                        "lowest heap of all, or level",
                        "level: in 1 of 1 cases",
                        "at rest: 1.5 of hikari's"));
    }

    @Test
    void aLargePoolIsComparedWithASmallOneOfTheSameRun() throws IOException {
        RunFolder folder = new TestRuns(root).create("cycle", List.of());
        measure(folder, "many, 32 threads, 32 connections", "time", 100, 100);
        measure(folder, "many, 32 threads, 1000 connections", "time", 120, 130);

        assertThat(Aims.of(Run.read(folder)).rows())
                .extracting(Section.Row::cells)
                .contains(List.of(
                        "many, 32 threads, 1000 connections",
                        "time at most 1.10 of that of 32 connections",
                        "1.2 of that of many, 32 threads, 32 connections",
                        "no"));
    }

    @Test
    void whatNeverCameIsNotReached() throws IOException {
        RunFolder folder = new TestRuns(root).create("down", List.of());
        measure(folder, "reset", "first success", Double.NaN, 50);
        measure(folder, "reset", "usual rate", 50, 50);

        assertThat(Aims.of(Run.read(folder)).rows())
                .extracting(Section.Row::cells)
                .containsExactly(List.of("reset", "first success at most 100", "nothing", "no"));
    }

    @Test
    void aRatioToNothingIsNotReached() throws IOException {
        RunFolder folder = new TestRuns(root).create("start", List.of());
        measure(folder, "at rest", "heap", 2, 0);

        assertThat(Aims.of(Run.read(folder)).rows())
                .extracting(Section.Row::cells)
                .containsExactly(
                        List.of("at rest", "lowest heap of all, or level", "2 ms, where hikari has none", "no"));
        assertThat(Aims.ofAll(List.of(Run.read(folder))).rows())
                .extracting(Section.Row::cells)
                .contains(List.of(
                        "at rest",
                        "lowest heap of all, or level",
                        "no: in 0 of 1 cases",
                        "at rest: 2 ms, where hikari has none"));
    }

    @Test
    void eachKindOfFailoverHasItsAims() throws IOException {
        RunFolder folder = new TestRuns(root).create("failover", List.of());
        measure(folder, "stopped primary, none for 2000 ms", "failed writes", 11, 10);
        measure(folder, "stopped primary, none for 2000 ms", "longest gap", 300, 400);
        measure(folder, "demoted primary", "read-only lent again", 0, 99);
        measure(folder, "switched name", "all moved", 7_000, Double.NaN);
        measure(folder, "20 pools, away for 2000 ms", "all served", 200, 400);

        assertThat(Aims.of(Run.read(folder)).rows())
                .extracting(row -> row.cells().subList(1, 4))
                .containsExactly(
                        List.of("failed writes at most 10", "11 ms", "no"),
                        List.of("longest gap at most 1,600", "300 ms", "yes"),
                        List.of("read-only lent again at most 0", "0 ms", "yes"),
                        List.of("all moved at most 10,000", "7,000 ms", "yes"));
    }

    @Test
    void aFleetIsMeasuredAgainstRoomForAll() throws IOException {
        RunFolder folder = new TestRuns(root).create("fleet", List.of());
        String caseName = "bursts of 2 x 40 threads that move every 4000 ms";
        for (String metric : List.of("requests", "p90")) {
            folder.append(
                    TestRuns.cell(1, caseName, "ideal"),
                    List.of(TestRuns.one(metric, 100, metric.equals("p90") ? "ms" : "1/s")));
        }
        measure(folder, caseName, "requests", 89, 50);
        measure(folder, caseName, "p90", 150, 900);
        measure(folder, caseName, "refused connects", 0, 9);

        assertThat(Aims.of(Run.read(folder)).rows())
                .extracting(row -> row.cells().subList(1, 4))
                .containsExactly(
                        List.of("refused connects at most 0", "0 ms", "yes"),
                        List.of("requests at least 0.90 of ideal's", "0.89 of ideal's", "no"),
                        List.of("p90 at most 2.00 of ideal's", "1.5 of ideal's", "yes"));
    }

    @Test
    void ofAllRunsThePageSaysWhereAnAimWasMissedByMost() throws IOException {
        RunFolder fair = new TestRuns(root.resolve("fair")).create("fair", List.of());
        measure(fair, "50 platform threads, 4 connections, parked", "throughput", 99, 100);
        measure(fair, "200 platform threads, 4 connections, parked", "throughput", 90, 100);
        measure(fair, "1,000 platform threads, 4 connections, parked", "throughput", 95, 100);
        measure(fair, "50 platform threads, 4 connections, parked", "p99", 10, 100);
        RunFolder grid = new TestRuns(root.resolve("grid")).create("grid", List.of());
        measure(grid, "4 connections, 16 threads, 100 clients, closed", "requests", 50, 100);
        measure(grid, "4 connections, 17 threads, 100 clients, closed", "requests", 97, 100);

        List<List<String>> all = Aims.ofAll(List.of(Run.read(fair), Run.read(grid))).rows().stream()
                .map(Section.Row::cells)
                .toList();
        assertThat(all)
                .contains(
                        List.of(
                                "waits, throughput",
                                "throughput at least 0.98 of hikari's",
                                "no: in 1 of 3 cases",
                                "200 platform threads, 4 connections, parked: 0.9 of hikari's"),
                        List.of("waits, p99, parked", "p99 at most 0.20 of hikari's", "yes", ""),
                        List.of("waits, p99, busy", "p99 at most 1.00 of hikari's, or level", "not measured", ""),
                        List.of(
                                "grid, more than 4 threads for each connection",
                                "requests at least 0.98 of hikari's",
                                "no: in 0 of 1 cases",
                                "4 connections, 17 threads, 100 clients, closed: 0.97 of hikari's"));
    }

    /**
     * The page's table is written from the aims, and from the tables of aims of the pages that it names above, with
     * {@code -Dweir.docs.update=true}. The last column is written by hand.
     */
    @Test
    void thePageSaysHowFarTheAimsWereReached() throws IOException {
        Path page = Path.of(System.getProperty("basedir", ""))
                .resolve("../../docs/why/performance.md")
                .normalize();
        List<String> lines = Files.readAllLines(page);
        int begin = lines.indexOf("<!-- aims:begin");
        int first = lines.indexOf("written by AimsTest -->") + 1;
        int end = lines.indexOf("<!-- aims:end -->");
        Map<String, String> remarks = new HashMap<>();
        for (String line : lines.subList(first + 2, end)) {
            String[] cells = line.split(" \\| ", 4);
            remarks.put(cells[0] + " | " + cells[1], cells[3]);
        }
        List<Aims.Page> pages = new ArrayList<>();
        for (String link : lines.subList(begin + 1, first - 1)) {
            pages.add(published(link, page.resolveSibling(link)));
        }
        List<String> expected = new ArrayList<>(lines.subList(0, first + 2));
        for (Section.Row row : Aims.ofPages(pages).rows()) {
            List<String> cells = row.cells();
            String aim = "| " + cells.get(0) + " | " + cells.get(1);
            String furthest = cells.get(3).isEmpty() ? "" : "; furthest: " + cells.get(3);
            expected.add(aim + " | " + cells.get(2) + furthest + " | " + remarks.getOrDefault(aim, "|"));
        }
        expected.addAll(lines.subList(end, lines.size()));
        if (Boolean.getBoolean("weir.docs.update")) {
            Files.write(page, expected);
        }
        assertThat(Files.readAllLines(page))
                .as("run with -Dweir.docs.update=true to write the aims into it")
                .isEqualTo(expected);
    }

    private static Aims.Page published(String link, Path page) throws IOException {
        List<String> lines = Files.readAllLines(page);
        String command = lines.stream()
                .filter(line -> line.startsWith("    ./weir lab "))
                .findFirst()
                .orElseThrow();
        int head = 0;
        while (!lines.get(head).matches("\\| case +\\| +aim \\| +measured \\| +reached \\|")) {
            head++;
        }
        List<List<String>> aims = lines.subList(head + 2, lines.size()).stream()
                .takeWhile(line -> line.startsWith("| "))
                .map(line -> Arrays.stream(line.substring(1).replace("\\", "").split("\\|", -1))
                        .limit(4)
                        .map(String::strip)
                        .toList())
                .toList();
        assertThat(aims)
                .as(link)
                .isNotEmpty()
                .allSatisfy(cells -> assertThat(cells).hasSize(4));
        return new Aims.Page(link, command.split(" +", -1)[3], aims);
    }

    @Test
    void whatPagesSayIsAddedUp() {
        Aims.Page four = new Aims.Page(
                "four.md",
                "fair",
                List.of(
                        List.of(
                                "50 threads, parked",
                                "throughput at least 0.98 of hikari's",
                                "1.03 of hikari's",
                                "yes"),
                        List.of("80 threads, parked", "throughput at least 0.98 of hikari's", "0.97 of hikari's", "no"),
                        List.of("80 threads, parked", "p99 at most 0.20 of hikari's", "0.1 of hikari's", "yes"),
                        List.of(
                                "80 threads, busy",
                                "p99 at most 1.00 of hikari's, or level",
                                "1.2 of hikari's",
                                "level"),
                        List.of("80 threads, parked", "unserved at most 0", "1,003", "no")));
        Aims.Page ten = new Aims.Page(
                "ten.md",
                "fair",
                List.of(
                        List.of("90 threads, parked", "throughput at least 0.98 of hikari's", "0.9 of hikari's", "no"),
                        List.of("90 threads, parked", "unserved at most 0", "nothing", "no")));
        Aims.Page other = new Aims.Page(
                "other.md",
                "mixed",
                List.of(List.of("parked", "throughput at least 0.98 of hikari's", "0.1 of hikari's", "no")));

        assertThat(Aims.ofPages(List.of(four, ten, other)).rows())
                .extracting(Section.Row::cells)
                .contains(
                        List.of(
                                "waits, throughput",
                                "throughput at least 0.98 of hikari's",
                                "no: in 1 of 3 cases",
                                "[90 threads, parked: 0.9 of hikari's](ten.md)"),
                        List.of("waits, p99, parked", "p99 at most 0.20 of hikari's", "yes", ""),
                        List.of(
                                "waits, p99, busy",
                                "p99 at most 1.00 of hikari's, or level",
                                "level: in 1 of 1 cases",
                                "[80 threads, busy: 1.2 of hikari's](four.md)"),
                        List.of(
                                "waits, unserved threads",
                                "unserved at most 0",
                                "no: in 0 of 2 cases",
                                "[90 threads, parked: nothing](ten.md)"),
                        List.of("full cycle", "time at most 0.40 of hikari's", "not measured", ""));
    }

    private static void measure(RunFolder folder, String caseName, String metric, double weir, double hikari)
            throws IOException {
        measure(folder, 1, caseName, metric, weir, hikari);
    }

    private static void measure(RunFolder folder, int round, String caseName, String metric, double weir, double hikari)
            throws IOException {
        String unit = metric.equals("time") ? "ns" : "ms";
        folder.append(TestRuns.cell(round, caseName, "weir"), List.of(TestRuns.one(metric, weir, unit)));
        folder.append(TestRuns.cell(round, caseName, "hikari"), List.of(TestRuns.one(metric, hikari, unit)));
    }
}
