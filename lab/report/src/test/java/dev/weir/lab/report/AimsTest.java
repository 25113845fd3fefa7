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

    private static void measure(RunFolder folder, String caseName, String metric, double weir, double hikari)
            throws IOException {
        String unit = metric.equals("time") ? "ns" : "ms";
        folder.append(TestRuns.cell(1, caseName, "weir"), List.of(TestRuns.one(metric, weir, unit)));
        folder.append(TestRuns.cell(1, caseName, "hikari"), List.of(TestRuns.one(metric, hikari, unit)));
    }
}
