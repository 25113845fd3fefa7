package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.report.Charts.Line;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FrontierPictureTest {
    @TempDir
    private Path root;

    /** On a machine whose speed drifts the ratio of the medians is another: 0.96 and 1.25 here. */
    @Test
    void aPointIsTheMedianOfTheRatiosAsInTheTables() throws IOException {
        RunFolder folder = new TestRuns(root).create("fair", List.of());
        append(folder, "weir", new double[] {100, 240, 330}, new double[] {10, 30, 60});
        append(folder, "hikari", new double[] {100, 250, 300}, new double[] {20, 24, 100});
        Run run = Run.read(folder);

        Line line = FrontierPicture.line(run, "weir");

        assertThat(line.x()).containsExactly(1.0);
        assertThat(line.y()).containsExactly(0.6);
        assertThat(FrontierPicture.line(run, "hikari").x()).containsExactly(1.0);
        assertThat(FrontierPicture.line(run, "beecp").x()).isEmpty();
        assertThat(FrontierPicture.of(run, List.of("weir", "hikari"))).isPresent();
        assertThat(FrontierPicture.of(run, List.of("weir", "beecp"))).isEmpty();
    }

    private static void append(RunFolder folder, String pool, double[] served, double[] tail) throws IOException {
        for (int i = 0; i < served.length; i++) {
            folder.append(
                    TestRuns.cell(i + 1, "case", pool),
                    List.of(
                            new Measurement(TestRuns.cell(0, "", ""), "throughput", served[i], "1/s"),
                            new Measurement(TestRuns.cell(0, "", ""), "p99", tail[i], "ms")));
        }
    }
}
