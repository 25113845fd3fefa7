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
                .isEqualTo("Best by time (less is better): weir, 20 ns, 0.30 times hikari's (0.10 to 0.40);"
                        + " next is hikari, 100 ns.");
        assertThat(Verdict.losses(run, List.of("time"))).isEmpty();
        assertThat(Verdict.score(run, List.of("time"))).startsWith("Weir is best or level in 1 of 1 comparisons");
    }

    @Test
    void aDefeatOfWeirIsSaidWithItsFactor() throws IOException {
        Run run = run("ns", row("weir", 150, 150, 150), row("hikari", 100, 100, 100), row("beecp", 50, 50, 50));

        assertThat(Verdict.sentence(run, "case", "time"))
                .isEqualTo("Best by time (less is better): beecp, 50 ns, 0.50 times hikari's (0.50 to 0.50)."
                        + " Weir loses: 150 ns, 3.00 times as much as beecp, 1.50 times hikari's (1.50 to 1.50).");
        assertThat(Verdict.losses(run, List.of("time"))).singleElement().satisfies(loss -> {
            assertThat(loss.best()).isEqualTo("beecp");
            assertThat(loss.factor()).isEqualTo(3.0);
            assertThat(loss.interval()).isEqualTo("3.00 to 3.00");
        });
        assertThat(Verdict.score(run, List.of("time"))).startsWith("Weir is best or level in 0 of 1");
        assertThat(Verdict.doubtful(run, "time")).as("a defeat leaves no doubt").isEmpty();
    }

    @Test
    void moreIsBetterWhereItIs() throws IOException {
        Run run = run("1/s", row("weir", 90, 104, 100), row("hikari", 95, 125, 120));

        assertThat(Verdict.sentence(run, "case", "time"))
                .startsWith(
                        "Best by time (more is better): hikari, 120 per second. Weir loses: 100 per second, 0.83 times hikari's");
    }

    @Test
    void whatTheRoundsCannotTellApartIsLevel() throws IOException {
        Run run = run("ns", row("weir", 90, 104, 104, 103, 90), row("hikari", 100, 100, 100, 100, 100));

        assertThat(Verdict.sentence(run, "case", "time"))
                .isEqualTo("Best by time (less is better): weir, 103 ns, 1.03 times hikari's (0.90 to 1.04, level);"
                        + " level with it: hikari.");
        assertThat(Verdict.losses(run, List.of("time"))).isEmpty();
        assertThat(Verdict.doubtful(run, "time")).isEmpty();
    }

    @Test
    void whatIsLevelByAWideIntervalAloneIsDoubtful() throws IOException {
        Run run = run("ns", row("weir", 90, 300, 150), row("hikari", 100, 100, 100));

        assertThat(Verdict.losses(run, List.of("time"))).isEmpty();
        assertThat(Verdict.doubtful(run, "time")).singleElement().satisfies(loss -> {
            assertThat(loss.best()).isEqualTo("hikari");
            assertThat(loss.factor()).isEqualTo(1.5);
            assertThat(loss.interval()).isEqualTo("0.90 to 3.00");
        });
    }

    @Test
    void thoseThatAreAsGoodAreNamed() throws IOException {
        Run run = run("", "errors", row("hikari", 0, 0, 0), row("weir", 0, 0, 0), row("druid", 3, 3, 3));

        assertThat(Verdict.sentence(run, "case", "errors"))
                .isEqualTo("Best by errors (less is better): weir, 0; level with it: hikari; next is druid, 3.");
        assertThat(Verdict.losses(run, List.of("errors"))).isEmpty();
    }

    @Test
    void noRatioIsMadeUpWhereTheBestHasNone() throws IOException {
        Run run = run("", "errors", row("hikari", 0, 0, 0), row("weir", 2, 2, 2));

        assertThat(Verdict.sentence(run, "case", "errors"))
                .isEqualTo("Best by errors (less is better): hikari, 0. Weir loses: 2, where the best has none.");
    }

    @Test
    void whatWeirFailsAndOthersDoNotIsADefeatToo() throws IOException {
        RunFolder folder = new TestRuns(root).create("down", List.of());
        for (int round = 1; round <= 2; round++) {
            folder.append(TestRuns.cell(round, "case", "hikari"), List.of(TestRuns.one("full rate", 40, "ms")));
            folder.append(TestRuns.cell(round, "case", "none"), List.of(TestRuns.one("full rate", 40, "ms")));
            folder.fail(TestRuns.cell(round, "all fail", "weir"), "no luck");
            folder.fail(TestRuns.cell(round, "all fail", "hikari"), "no luck");
        }
        folder.append(TestRuns.cell(1, "case", "weir"), List.of(TestRuns.one("full rate", 20, "ms")));
        folder.fail(TestRuns.cell(2, "case", "weir"), "no luck");
        Run run = Run.read(folder);

        assertThat(Verdict.losses(run, List.of("full rate"))).singleElement().satisfies(loss -> {
            assertThat(loss.metric()).isEqualTo("failed");
            assertThat(loss.best()).isEqualTo("hikari");
            assertThat(loss.ourValue()).isEqualTo("1 time");
        });
        assertThat(Verdict.score(run, List.of("full rate"))).startsWith("Weir is best or level in 1 of 2");
    }

    @Test
    void whatNeverCameWithWeirIsADefeatToo() throws IOException {
        Run run = run("ms", "full rate", row("weir", Double.NaN), row("hikari", 300));
        assertThat(Verdict.losses(run, List.of("full rate")))
                .as("Weir was not in it: it measured nothing at all")
                .isEmpty();

        RunFolder folder = new TestRuns(root).create("down", List.of());
        folder.append(
                TestRuns.cell(1, "case", "weir"),
                List.of(TestRuns.one("full rate", Double.NaN, "ms"), TestRuns.one("user errors", 0, "")));
        folder.append(TestRuns.cell(1, "case", "hikari"), List.of(TestRuns.one("full rate", 300, "ms")));

        assertThat(Verdict.losses(Run.read(folder), List.of("full rate", "user errors")))
                .singleElement()
                .satisfies(loss -> {
                    assertThat(loss.metric()).isEqualTo("full rate");
                    assertThat(loss.bestValue()).isEqualTo("300 ms");
                    assertThat(loss.ourValue()).isEqualTo("nothing");
                });
    }

    @Test
    void aPromiseThatOthersKeepIsADefeatWhereWeirBreaksIt() throws IOException {
        RunFolder folder = new TestRuns(root).create("contract", List.of());
        folder.append(TestRuns.cell(1, "P1 one", "hikari"), List.of(TestRuns.one("kept", 1, "")));
        folder.fail(TestRuns.cell(1, "P1 one", "weir"), "BrokenPromise");

        assertThat(Verdict.losses(Run.read(folder), List.of("kept")))
                .singleElement()
                .satisfies(loss -> {
                    assertThat(loss.metric()).isEqualTo("kept");
                    assertThat(loss.ourValue()).isEqualTo("broken");
                });
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
