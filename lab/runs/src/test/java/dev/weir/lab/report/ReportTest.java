package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Limit;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.runs.RunFolderTest;
import dev.weir.lab.runs.Summary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReportTest {
    private static final String SPIKE = "spike, 50 threads";

    @TempDir
    private Path root;

    /** Of each pool a value for each round. */
    private RunFolder run(String workload, String caseName, String metric, Map<String, double[]> values)
            throws Exception {
        List<Cell> cells = new ArrayList<>();
        values.forEach((pool, rounds) -> {
            for (int round = 1; round <= rounds.length; round++) {
                cells.add(new Cell(round, caseName, pool));
            }
        });
        RunFolder folder = RunFolder.create(
                root, RunFolderTest.info(workload, List.of(metric), cells), List.of(new Limit("hikari", "a limit")));
        for (Cell cell : cells) {
            double value = values.get(cell.pool())[cell.round() - 1];
            folder.append(cell, List.of(new Measurement(cell, metric, value, "ms")));
        }
        return folder;
    }

    @Test
    void ratiosAreTakenWithinARoundAndTheWordLevelIsInTheTable() throws Exception {
        RunFolder folder = run(
                "spike",
                SPIKE,
                "done",
                Map.of(
                        "weir", new double[] {10, 21, 29},
                        "hikari", new double[] {10, 20, 30},
                        "tomcat", new double[] {100, 200, 300}));
        Results results = Results.read(folder);

        assertThat(Tables.ofCase(results, SPIKE, List.of("done")).toString())
                .containsPattern("\\| weir +\\| +21 \\(1\\.00, 0\\.97 to 1\\.05, level\\) \\|")
                .containsPattern("\\| hikari +\\| +20 \\|")
                .contains("200 (10.00, 10.00 to 10.00)");
        assertThat(Verdict.of(results))
                .isEqualTo("Best by done (less is better): hikari, 20 ms; level: weir, 21 ms; next: tomcat, 200 ms.");
    }

    @Test
    void aDefeatIsSaid() throws Exception {
        RunFolder folder = run(
                "down", "killed", "first success", Map.of("weir", new double[] {40, 42, 44}, "hikari", new double[] {
                    20, 21, 22
                }));

        assertThat(Verdict.of(Results.read(folder)))
                .contains("Best by first success (less is better): hikari", "Weir loses: 42 ms, of hikari's 2.00");
    }

    @Test
    void weirDoesNotLoseToItselfWithOtherSettings() throws Exception {
        RunFolder folder =
                run("held", "no pause", "p50", Map.of("weir", new double[] {40, 42, 44}, "weir[a=b]", new double[] {
                    20, 21, 22
                }));

        assertThat(Verdict.of(Results.read(folder)))
                .isEqualTo("Best by p50 (less is better): weir[a=b], 21 ms; next: weir, 42 ms.");
    }

    @Test
    void theBestOfWeirsSettingsStandsForWeir() throws Exception {
        double[] best = {20, 21, 22};
        double[] far = {40, 42, 44};
        RunFolder level = run(
                "held", "level", "p50", Map.of("hikari", best, "weir", far, "weir[a=b]", new double[] {20, 22, 22}));
        RunFolder lost =
                run("held", "lost", "p50", Map.of("hikari", best, "weir", new double[] {80, 84, 88}, "weir[a=b]", far));

        assertThat(Verdict.of(Results.read(level))).contains("level: ").doesNotContain("loses");
        assertThat(Verdict.of(Results.read(lost))).contains("Weir loses: weir[a=b], 42 ms, of hikari's 2.00");
    }

    @Test
    void withoutAnIntervalOnlyALargeRatioIsADefeat() throws Exception {
        RunFolder near =
                run("down", "killed", "first success", Map.of("weir", new double[] {1.03}, "hikari", new double[] {1}));
        RunFolder far = run(
                "down", "killed", "first success", Map.of("weir", new double[] {16, 16}, "hikari", new double[] {10, 10
                }));

        assertThat(Verdict.of(Results.read(near)))
                .isEqualTo("Best by first success (less is better): hikari, 1 ms; level: weir, 1.03 ms.");
        assertThat(Tables.legend(Results.read(near))).contains("Medians of 1 round;", "have no interval");
        assertThat(Verdict.of(Results.read(far))).contains("Weir loses: 16 ms, of hikari's 1.60.");
        assertThat(Tables.ofCase(Results.read(far), "killed", List.of("first success"))
                        .toString())
                .contains("16 (1.60)");
    }

    @Test
    void thePageOfARunHasItsTablesPicturesMachineAndTerms() throws Exception {
        RunFolder folder =
                run("spike", SPIKE, "done", Map.of("weir", new double[] {10, 11}, "hikari", new double[] {12, 13}));
        for (String pool : List.of("weir", "hikari")) {
            Files.write(
                    RunFolder.raw(folder.path(), new Cell(1, SPIKE, pool), ".tsv"),
                    List.of(
                            "time_us\ttotal\tactive\tidle\twaiting",
                            "0\t5\t0\t5\t0",
                            "250\t5\t5\t0\t45",
                            "5000\t6\t6\t0\t3",
                            "9000\t6\t0\t6\t0"));
        }
        folder.finish();

        Path page = Report.write(folder);

        assertThat(folder.path().resolve("report.md"))
                .content()
                .contains("./weir lab spike", "Machine: JDK ", "Terms (equal): tested before it is lent: ", "a limit")
                .contains("pictures/spike-50-threads-weir.png", "pictures/spike-50-threads-done.png");
        assertThat(page).content().contains("<th>done, ms</th>", "pictures/spike-50-threads-waiting.svg");
        try (var pictures = Files.list(folder.path().resolve("pictures"))) {
            assertThat(pictures)
                    .hasSize(2 * 4)
                    .allSatisfy(file -> assertThat(file).isNotEmptyFile());
        }
    }

    /** Pools that differ by the name of a parameter alone, rounds far apart, one at 0, and the samples of a JVM that was killed. */
    @Test
    void thePageIsWrittenWhateverWasMeasured() throws Exception {
        RunFolder folder = run(
                "down",
                "killed",
                "first success",
                Map.of(
                        "weir[a=1]", new double[] {10, 10, 0},
                        "weir[b=1]", new double[] {9_000, 9_000, 9_000},
                        "hikari", new double[] {0, 0, 0},
                        "weir", new double[] {7}));
        for (Cell cell : folder.info().cells()) {
            List<String> lines = cell.pool().equals("hikari")
                    ? List.of()
                    : List.of("since_back_ms\tserved\tconnects", "0\t0\t0", "50\t3");
            Files.write(RunFolder.raw(folder.path(), cell, ".tsv"), lines);
        }

        assertThat(Report.write(folder)).content().contains("killed-served.svg").doesNotContain("NaN", "Infinity");
    }

    /** It would have no place there. */
    @Test
    void noPointIsAtZeroOnALogarithmicScale() {
        Map<String, Double> medians = Map.of("weir", 5.0, "hikari", 5_000.0);
        for (double least : new double[] {0, 1}) {
            Map<String, Collection<Double>> rounds =
                    Map.of("weir", List.of(least, 5.0, 6.0), "hikari", List.of(5_000.0, 5_000.0, 5_000.0));
            assertThat(Charts.bars("errors", "errors", medians, rounds, pool -> pool)
                            .getStyler()
                            .isYAxisLogarithmic())
                    .isEqualTo(least > 0);
        }
    }

    @Test
    void theIntervalOfTheMedianIsThatOfTheBootstrap() {
        Summary summary = Summary.of(1, 2, 3, 4, Double.NaN, 100);
        assertThat(summary.median()).isEqualTo(3);
        assertThat(summary.low()).isBetween(1.0, 2.0);
        assertThat(summary.high()).isBetween(4.0, 100.0);
        assertThat(Summary.of(1, 1, 1).isLevel()).isTrue();
        assertThat(Summary.of(1.01, 1.01, 1.01).isLevel()).isFalse();
    }

    @Test
    void numbersHaveThreeDigitsThatCount() {
        assertThat(List.of(12_345.6, 123.4, 12.34, 1.234, 0.1234, 0.00001234, 7.0).stream()
                        .map(Quantity::number))
                .containsExactly("12,346", "123", "12.3", "1.23", "0.123", "1.2e-05", "7");
    }
}
