package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of numbers is what the numbers say. */
final class VerdictTest {
    @TempDir
    private Path root;

    @Test
    void theBestIsNamedWithItsRatioWithinTheRounds() throws IOException {
        Run run = run("ns", row("weir", 10, 30, 20), row("hikari", 100, 100, 50), row("raw", 1, 1, 1));

        assertThat(Verdict.sentence(run, "case", "time"))
                .isEqualTo("Lowest time: weir, 20 ns, 0.30 of hikari's (0.10 to 0.40); next is hikari, 100 ns.");
        assertThat(Verdict.losses(run, List.of("time"))).isEmpty();
        assertThat(Verdict.score(run, List.of("time"))).startsWith("Weir is best or level in 1 of 1 comparisons");
    }

    @Test
    void aDefeatOfWeirIsSaidWithItsFactor() throws IOException {
        Run run = run("ns", row("weir", 150, 150, 150), row("hikari", 100, 100, 100), row("beecp", 50, 50, 50));

        assertThat(Verdict.sentence(run, "case", "time"))
                .isEqualTo("Lowest time: beecp, 50 ns, 0.50 of hikari's (0.50 to 0.50)."
                        + " Weir loses: 150 ns, 3.00 times as much, 1.50 of hikari's (1.50 to 1.50).");
        assertThat(Verdict.losses(run, List.of("time"))).singleElement().satisfies(loss -> {
            assertThat(loss.best()).isEqualTo("beecp");
            assertThat(loss.factor()).isEqualTo(3.0);
            assertThat(loss.rounds()).isEqualTo("do not overlap");
        });
        assertThat(Verdict.score(run, List.of("time"))).startsWith("Weir is best or level in 0 of 1");
    }

    @Test
    void moreIsBetterWhereItIs() throws IOException {
        Run run = run("1/s", row("weir", 90, 110, 100), row("hikari", 95, 125, 120));

        assertThat(Verdict.sentence(run, "case", "time"))
                .startsWith("Highest time: hikari, 120 per second. Weir loses: 100 per second, 1.20 times less")
                .endsWith("; the rounds of both overlap.");
    }

    @Test
    void thoseThatAreAsGoodAreNamed() throws IOException {
        Run run = run("", "errors", row("hikari", 0, 0, 0), row("weir", 0, 0, 0), row("druid", 3, 3, 3));

        assertThat(Verdict.sentence(run, "case", "errors"))
                .isEqualTo("Lowest errors: weir, 0; level with it: hikari; next is druid, 3.");
        assertThat(Verdict.losses(run, List.of("errors"))).isEmpty();
    }

    @Test
    void noRatioIsMadeUpWhereTheBestHasNone() throws IOException {
        Run run = run("", "errors", row("hikari", 0, 0, 0), row("weir", 2, 2, 2));

        assertThat(Verdict.sentence(run, "case", "errors"))
                .isEqualTo("Lowest errors: hikari, 0. Weir loses: 2, where the best has none.");
    }

    private record Values(String pool, List<Double> rounds) {}

    private static Values row(String pool, double... rounds) {
        return new Values(pool, Arrays.stream(rounds).boxed().toList());
    }

    private Run run(String unit, Values... rows) throws IOException {
        return run(unit, "time", rows);
    }

    private Run run(String unit, String metric, Values... rows) throws IOException {
        RunFolder folder = new TestRuns(root).create("cycle", List.of());
        for (Values row : rows) {
            for (int i = 0; i < row.rounds().size(); i++) {
                folder.append(
                        TestRuns.cell(i + 1, "case", row.pool()),
                        List.of(new Measurement(
                                TestRuns.cell(0, "", ""), metric, row.rounds().get(i), unit)));
            }
        }
        return Run.read(folder);
    }
}
