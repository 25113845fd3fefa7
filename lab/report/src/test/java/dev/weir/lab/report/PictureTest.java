package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.report.Charts.Line;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;

/** Pictures have no more in them than the eye sees. */
class PictureTest {

    @Test
    void linesThatFollowEachOtherAreOnePathWithoutThePointsBetween() {
        String svg =
                "<g>" + line("a", 0, 0, 5, 0) + line("a", 5, 0, 9, 0) + line("a", 9, 0, 9, 4) + line("a", 9, 4, 9, 4)
                        + line("a", 20, 20, 30, 30) + line("b", 30, 30, 31, 31) + "</g><text/>" + line("b", 1, 1, 2, 2);
        assertThat(Picture.joined(svg))
                .isEqualTo("<g><path style=\"a\" d=\"M0,0L9,0L9,4M20,20L30,30\"/><path style=\"b\" d=\"M30,30L31,31\"/>"
                        + "</g><text/><path style=\"b\" d=\"M1,1L2,2\"/>");
        assertThat(Picture.joined("<g/>")).isEqualTo("<g/>");
    }

    private static String line(String style, int x1, int y1, int x2, int y2) {
        return "<line style=\"%s\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>".formatted(style, x1, x2, y1, y2);
    }

    @Test
    void hundredThousandSamplesAreASmallPicture() {
        List<Double> x = IntStream.range(0, 100_000).asDoubleStream().boxed().toList();
        List<Double> y = IntStream.range(0, 100_000)
                .mapToObj(i -> (double) (i * 7_919L % 50))
                .toList();
        for (XYSeriesRenderStyle style :
                List.of(XYSeriesRenderStyle.Step, XYSeriesRenderStyle.Line, XYSeriesRenderStyle.Scatter)) {
            Line line = style == XYSeriesRenderStyle.Scatter
                    ? Line.of("weir", x, y)
                    : Line.of("weir", x, y).plain();
            Picture picture = Picture.of("steps", Charts.lines("title", "x", "y", Charts.HALF, style, List.of(line)));
            int most = style == XYSeriesRenderStyle.Scatter ? 4_000_000 : 150_000; // its points are circles
            assertThat(picture.inlineSvg("steps").length()).as(style.name()).isLessThan(most);
        }
    }
}
