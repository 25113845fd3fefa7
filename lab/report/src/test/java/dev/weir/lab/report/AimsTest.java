package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.runs.RunFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
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
                        List.of("connection, 8 threads", "time at most 0.35 of hikari's", "0.4 of hikari's", "no"));
    }

    @Test
    void whatNeverCameIsNotReached() throws IOException {
        RunFolder folder = new TestRuns(root).create("down", List.of());
        measure(folder, "reset", "first success", Double.NaN, 50);
        measure(folder, "reset", "usual rate", 50, 50);

        assertThat(Aims.of(Run.read(folder)).rows())
                .extracting(Section.Row::cells)
                .containsExactly(List.of("reset", "first success at most 100 ms", "nothing", "no"));
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
                        List.of("failed writes at most 10 ms", "11 ms", "no"),
                        List.of("longest gap at most 1,600 ms", "300 ms", "yes"),
                        List.of("read-only lent again at most 0 ms", "0 ms", "yes"),
                        List.of("all moved at most 10,000 ms", "7,000 ms", "yes"));
    }

    private static void measure(RunFolder folder, String caseName, String metric, double weir, double hikari)
            throws IOException {
        String unit = metric.equals("time") ? "ns" : "ms";
        folder.append(TestRuns.cell(1, caseName, "weir"), List.of(TestRuns.one(metric, weir, unit)));
        folder.append(TestRuns.cell(1, caseName, "hikari"), List.of(TestRuns.one(metric, hikari, unit)));
    }
}
