package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.report.Section.Table;
import dev.weir.lab.runs.GridCase;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.HeatMapChart;
import org.knowm.xchart.HeatMapSeries;
import org.knowm.xchart.internal.chartpart.Chart;

final class GridPicturesTest {
    /** As rows of the tests below have them after pool, size, threads, clients and load; those between are left out. */
    private static final List<String> METRICS = List.of("requests", "mean", "", "p50", "p90", "p99", "", "", "errors");

    @TempDir
    private Path root;

    @Test
    void theBestAndTheWorstStandBesideThePublishedFigures() throws IOException {
        Section section = section("""
                weir,4,4,100,closed,1000,8000,1,7000,9000,20000,1,1,0,,16,1,4
                weir,4,64,100,closed,900,9000,1,7000,9000,30000,1,1,2,,16,1,4
                hikari,4,4,100,closed,1100,7000,1,6000,9000,10000,1,1,0,,16,1,4
                hikari,4,64,100,closed,500,20000,1,9000,30000,90000,1,1,1,,16,1,4
                """);

        Table best = table(section, "Best 4 cells by mean");
        assertThat(best.rows().get(0).cells()).containsExactly("hikari", "4/4", "7 ms", "0");
        assertThat(best.rows().get(4).cells())
                .containsExactly("hikari (published, another machine)", "4/4", "8.04 ms", "-");
        Table worst = table(section, "Worst 4 cells by requests");
        assertThat(worst.rows().get(0).cells()).containsExactly("hikari", "4/64", "500", "1");
        assertThat(text(section))
                .contains(
                        "hikari 9.00, weir 1.50 (published for hikari, another machine: 4.43)",
                        "mean 1 of 2, p99 1 of 2, requests 1 of 2",
                        ": 3 in all");
    }

    @Test
    void aCellThatServedNothingIsCountedAndLeftOut() throws IOException {
        Section section = section("""
                weir,1,1,100,closed,10,8000,1,7000,9000,20000,1,1,0,,16,1,1
                weir,1,2,100,closed,0,,,,,,,,500,,0,1,1
                """);

        assertThat(text(section)).contains("1 of 2 cells served nothing and are left out.");
        assertThat(table(section, "Best 1 cells by mean").rows()).hasSize(3);
    }

    @Test
    void aCellThatRefusesIsNotTheBest() throws IOException {
        String rows = """
                weir,4,4,100,closed,1000,8000,1,7000,9000,20000,1,1,10,,16,1,4
                weir,4,8,100,closed,50,1000,1,900,1100,1200,1,1,90000,,16,1,4
                hikari,4,4,100,closed,90,500,1,400,600,700,1,1,50000,,16,1,4
                hikari,4,8,100,closed,900,9000,1,7000,9000,30000,1,1,0,,16,1,4
                """;
        Section section = section(rows);

        assertThat(text(section))
                .contains("2 of 4 cells have errors in more than 1 % of their answers")
                // Where the other refuses Weir is the best, and where Weir refuses it is not.
                .contains("mean 1 of 2, p99 1 of 2, requests 1 of 2");
        assertThat(table(section, "Best 2 cells by mean").rows().get(0).cells())
                .containsExactly("weir", "4/4", "8 ms", "10");
        assertThat(table(section, "Worst 4 cells by requests").rows().get(0).cells())
                .containsExactly("weir", "4/8", "50", "90,000");
        assertThat(section.blocks().stream().flatMap(block -> block.figures().stream()))
                .first()
                .satisfies(figure -> assertThat(figure.caption())
                        .startsWith("Best mean: weir at 4/4 (connections/server threads), 8 ms; worst: hikari at 4/8"));
        assertThat(GridPictures.losses(Run.read(RunFolder.find(root).get(0)))).isEmpty();
    }

    @Test
    void whoOnlyRefusesHasLost() throws IOException {
        Section section = section("""
                weir,4,4,100,closed,1000,1000,1,900,1100,1200,1,1,90000,,16,1,4
                hikari,4,4,100,closed,900,9000,1,7000,9000,30000,1,1,0,,16,1,4
                """);

        assertThat(text(section)).contains("mean 0 of 1");
        assertThat(GridPictures.losses(Run.read(RunFolder.find(root).get(0))))
                .hasSize(3)
                .allSatisfy(loss -> {
                    assertThat(loss.best()).isEqualTo("hikari at 4/4");
                    assertThat(loss.ourValue()).isEqualTo("errors, or nothing, in every cell");
                    assertThat(loss.factor()).isNaN();
                });
    }

    @Test
    void whereNobodyElseWasMeasuredNobodyIsBest() throws IOException {
        assertThat(text(section("""
                weir,4,4,100,closed,1000,8000,1,7000,9000,20000,1,1,0,,16,1,4
                weir,4,8,100,closed,1000,8000,1,7000,9000,20000,1,1,0,,16,1,4
                hikari,4,4,100,closed,1000,8000,1,7000,9000,20000,1,1,0,,16,1,4
                """))).contains("mean 1 of 1, p99 1 of 1, requests 1 of 1");
    }

    @Test
    void whereAllRefuseThereAreNoPictures() throws IOException {
        Section section = section("""
                weir,4,4,100,closed,1000,8000,1,7000,9000,20000,1,1,1000,,16,1,4
                """);

        assertThat(section.pictures()).isEmpty();
        assertThat(section.blocks().stream().flatMap(block -> block.tables().stream()))
                .extracting(Table::caption)
                .containsExactly("Worst 1 cells by mean", "Worst 1 cells by p99", "Worst 1 cells by requests");
    }

    @Test
    void whiskersGoFromTheMedianToP90AndAMapFromSizeToThreads() throws IOException {
        Section section = section("""
                weir,2,8,100,closed,1000,8000,1,7000,9000,20000,1,1,0,,16,1,4
                weir,2,16,100,closed,1000,8500,1,7500,9500,20000,1,1,0,,16,1,4
                weir,2,64,100,closed,1000,9000,1,8000,10000,20000,1,1,0,,16,1,4
                weir,32,64,100,closed,1000,10000,1,9000,11000,20000,1,1,0,,16,1,4
                """);

        CategoryChart bars = (CategoryChart) chart(section, "grid-100-clients-closed-weir-by-threads");
        assertThat(List.copyOf(bars.getSeries("value 0").getXData())).hasToString("[8, 16, 64]");
        assertThat(bars.getSeries("low").getYData()).containsExactly(7.0, 7.5, 8.0);
        assertThat(bars.getSeries("high").getYData()).containsExactly(9.0, 9.5, 10.0);

        HeatMapChart map = (HeatMapChart) chart(section, "grid-100-clients-closed-weir-map");
        assertThat(map.getXAxisTitle()).isEqualTo("connections");
        assertThat(map.getYAxisTitle()).isEqualTo("server threads");
        HeatMapSeries cells = map.getSeries("values");
        assertThat(List.copyOf(cells.getXData())).hasToString("[2, 32]");
        assertThat(List.copyOf(cells.getYData())).hasToString("[8, 16, 64]");
        assertThat(cells.getHeatData().stream().map(Arrays::toString))
                .containsExactly("[0, 0, 8.0]", "[0, 1, 8.5]", "[0, 2, 9.0]", "[1, 2, 10.0]");
    }

    private static Chart<?, ?> chart(Section section, String name) {
        return section.pictures().stream()
                .filter(picture -> picture.name().equals(name))
                .findFirst()
                .orElseThrow()
                .charts()
                .get(0);
    }

    @Test
    void theReportSaysWhereTheBestCellIsNotWeirs() throws IOException {
        section("""
                weir,4,4,100,closed,1000,8000,1,7000,9000,20000,1,1,0,,16,1,4
                hikari,8,4,100,closed,900,4000,1,6000,9000,30000,1,1,0,,16,1,4
                """);

        assertThat(GridPictures.losses(Run.read(RunFolder.find(root).get(0))))
                .singleElement()
                .satisfies(loss -> {
                    assertThat(loss.metric()).isEqualTo("mean");
                    assertThat(loss.best()).isEqualTo("hikari at 8/4");
                    assertThat(loss.factor()).isEqualTo(2.0);
                });
    }

    @Test
    void everyLoadHasPicturesOfItsOwn() throws IOException {
        Section section = section("""
                weir,2,2,100,closed,10,8000,1,7000,9000,20000,1,1,0,,16,1,1
                weir,2,2,300,open,10,8000,1,7000,9000,20000,1,1,0,500,16,1,1
                """);

        assertThat(section.pictures())
                .extracting(Picture::name)
                .doesNotHaveDuplicates()
                .hasSize(10);
    }

    /** The figures of the font are 9 pixels high, and each pixel is drawn as two. */
    @Test
    void theSizesBelowAPictureAreNotCutOff() throws IOException {
        Section section = section("""
                weir,1,4,100,closed,1000,8000,1,7000,9000,20000,1,1,0,,16,1,4
                weir,2,4,100,closed,1000,8000,1,7000,9000,20000,1,1,0,,16,1,4
                weir,32,4,100,closed,1000,8000,1,7000,9000,20000,1,1,0,,16,1,4
                """);
        Picture picture = section.pictures().get(0);
        picture.write(root);

        BufferedImage image = ImageIO.read(root.resolve(picture.name() + ".png").toFile());
        int y = image.getHeight() - 1;
        y = rows(image, y, false); // the margin
        y = rows(image, y, true); // the title of the axis
        y = rows(image, y, false);
        assertThat(y - rows(image, y, true)).isBetween(16, 20);
    }

    /** Goes up from a row while rows have ink, or have none; returns the row after them. */
    private static int rows(BufferedImage image, int from, boolean ink) {
        int y = from;
        while (hasInk(image, y) == ink) {
            y--;
        }
        return y;
    }

    private static boolean hasInk(BufferedImage image, int y) {
        int paper = Palette.PAPER.light().getRGB();
        return IntStream.range(0, image.getWidth()).anyMatch(x -> image.getRGB(x, y) != paper);
    }

    private Section section(String rows) throws IOException {
        RunFolder folder = new TestRuns(root).create("grid", List.of());
        for (String row : rows.lines().toList()) {
            append(folder, row.split(",", -1));
        }
        Section section = new Section("grid", "grid", true);
        GridPictures.write(Run.read(folder), section);
        return section;
    }

    private static void append(RunFolder folder, String[] row) throws IOException {
        GridCase place = new GridCase(
                Integer.parseInt(row[1]),
                Integer.parseInt(row[2]),
                Integer.parseInt(row[3]),
                row[4].equals("closed") ? 0 : 500);
        List<Measurement> measured = new ArrayList<>();
        for (int i = 0; i < METRICS.size(); i++) {
            String value = row[5 + i];
            if (!METRICS.get(i).isEmpty() && !value.isEmpty()) {
                measured.add(TestRuns.one(METRICS.get(i), Double.parseDouble(value), i % 8 == 0 ? "" : "us"));
            }
        }
        folder.append(TestRuns.cell(1, place.toString(), row[0]), measured);
    }

    private static Table table(Section section, String caption) {
        return section.blocks().stream()
                .flatMap(block -> block.tables().stream())
                .filter(table -> table.caption().equals(caption))
                .findFirst()
                .orElseThrow();
    }

    private static String text(Section section) {
        return String.join(
                " ", section.blocks().stream().map(Section.Block::text).toList());
    }
}
