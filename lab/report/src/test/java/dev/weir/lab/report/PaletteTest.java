package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.report.Palette.Ink;
import java.awt.Color;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A pool looks the same everywhere, and can be told from the others on light and on dark pages. */
final class PaletteTest {
    private static final double ENOUGH_FOR_SHAPES = 3;

    @Test
    void everyColourStandsOutOnItsPage() {
        for (Ink ink : Palette.all()) {
            if (!ink.equals(Palette.PAPER) && !ink.equals(Palette.GRID)) {
                assertThat(contrast(ink.light(), Palette.PAPER.light()))
                        .as(ink.role())
                        .isGreaterThan(ENOUGH_FOR_SHAPES);
                assertThat(contrast(ink.dark(), Palette.PAPER.dark()))
                        .as(ink.role())
                        .isGreaterThan(ENOUGH_FOR_SHAPES);
            }
        }
    }

    @Test
    void noTwoRolesShareAColour() {
        assertThat(Palette.all()).extracting(Ink::light).doesNotHaveDuplicates();
        assertThat(Palette.all()).extracting(Ink::dark).doesNotHaveDuplicates();
        assertThat(Palette.all()).extracting(Ink::role).doesNotHaveDuplicates();
    }

    @Test
    void aVariantHasTheColourOfItsPoolButAnotherLine() {
        String variant = "c3p0[helperThreads=10]";

        assertThat(Palette.of(variant)).isEqualTo(Palette.of("c3p0"));
        assertThat(Palette.stroke(variant)).isNotEqualTo(Palette.stroke("c3p0"));
        assertThat(Palette.marker(variant)).isNotEqualTo(Palette.marker("c3p0"));
        assertThat(Palette.brief(variant)).isEqualTo("c3p0[10]");
    }

    @Test
    void anUnknownPoolHasAColourOfItsOwnKind() {
        assertThat(Palette.of("mine").role()).startsWith("other-");
        assertThat(Palette.of("mine")).isEqualTo(Palette.of("mine"));
    }

    @Test
    void unknownPoolsWhoseNamesLeadToOneColourAreToldApart() {
        // Names of equal hash codes.
        assertThat(Stream.of("AaAa", "BBBB", "AaBB").map(Palette::of).distinct())
                .hasSize(3);
        assertThat(Palette.of("BBBB[x=1]")).isEqualTo(Palette.of("BBBB"));
    }

    /** As the accessibility guidelines of the web define it, 1 to 21. */
    private static double contrast(Color a, Color b) {
        double lighter = Math.max(luminance(a), luminance(b));
        double darker = Math.min(luminance(a), luminance(b));
        return (lighter + 0.05) / (darker + 0.05);
    }

    private static double luminance(Color color) {
        return 0.2126 * linear(color.getRed()) + 0.7152 * linear(color.getGreen()) + 0.0722 * linear(color.getBlue());
    }

    private static double linear(int channel) {
        double share = channel / 255.0;
        return share <= 0.04045 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
    }
}
