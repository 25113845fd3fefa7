package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.report.Section.Table;
import dev.weir.lab.runs.RunFolder;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class GridPicturesTest {
    private static final String HEADER =
            "config,pool_size,max_threads,clients,mode,requests,mean_us,stdev_us,p50_us,p90_us,p99_us,"
                    + "p999_us,max_us,errors,offered_rate,served_rate,server_cpu_s,db_connections\n";

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
        assertThat(best.rows().get(0).cells()).containsExactly("hikari", "4/4", "7 ms");
        assertThat(best.rows().get(4).cells()).containsExactly("hikari (published, another machine)", "4/4", "8.04 ms");
        Table worst = table(section, "Worst 4 cells by requests");
        assertThat(worst.rows().get(0).cells()).containsExactly("hikari", "4/64", "500");
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
        Files.writeString(folder.path().resolve(GridPictures.FILE), HEADER + rows);
        Section section = new Section("grid", "grid", true);
        GridPictures.write(Run.read(folder), section);
        return section;
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
