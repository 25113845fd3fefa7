package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said first, and what is not said where the numbers are not to be believed. */
class AdviceTest {

    @Test
    void goodCurveIsAnAnswerInPlainNumbers() throws IOException {
        Findings findings = findings(2_000, 3_900, 7_300, 10_400, 10_900, 8_000);
        assertThat(findings.advice().isFitted()).isTrue();
        assertThat(findings.advice().headline())
                .isEqualTo("maximumPoolSize: " + findings.advice().size());
        String page = Page.of(findings, "a database", "select 1");
        assertThat(page)
                .contains("<h1>maximumPoolSize: ", "maximumPoolSize&#x3D;")
                .doesNotContain("e+0");
        assertThat(String.join(" ", findings.advice().reason())).containsPattern("1\\d,\\d{3}/s");
    }

    @Test
    void curveThatStillRisesIsALeast() {
        assertThat(findings(1_000, 2_000, 4_000, 8_000, 16_000, 32_000).advice().headline())
                .startsWith("maximumPoolSize: at least ");
    }

    @Test
    void numbersThatFitNoCurveAreNotEnoughToGoBy() throws IOException {
        Findings findings = findings(5_000, 400, 9_000, 700, 3_000, 6_000);
        assertThat(findings.advice().headline()).isEqualTo("Not enough to go by");
        assertThat(Page.of(findings, "a database", "select 1"))
                .contains("<h1>Not enough to go by")
                .doesNotContain("maximumPoolSize", "recommended");
        assertThat(Picture.of(findings)).doesNotContain("recommended");
    }

    @Test
    void twoPointsAreTooFewForACurve() {
        assertThat(findings(1_000, 2_000).advice().headline()).isEqualTo("Not enough to go by");
        assertThat(findings(1_000, 2_000).advice().reason().get(0))
                .startsWith("Numbers of connections that were measured: 2,");
    }

    /** More threads than connections may show what as many did not. */
    @Test
    void measuredNumbersGoBeforeTheCurve() {
        List<Point> points = findings(10_000, 18_000, 26_000, 27_000, 27_500).sizes();
        int likely = Advice.from(points).size();
        assertThat(likely).isBetween(4, 6);
        List<Point> queues = List.of(queue(likely, 27_327), queue(16, 31_741));
        Advice advice = Advice.from(points, queues);
        assertThat(advice.size()).isEqualTo(16);
        assertThat(advice.headline()).isEqualTo("maximumPoolSize: at least 16");
        assertThat(advice.reason())
                .contains("A pool of 16 reached 31,741/s, 100 % of the highest that was measured, 31,741/s with 16.")
                .anyMatch(
                        line -> line.endsWith(" alone says " + likely + ", but " + likely + " reached only 27,327/s."));
        assertThat(Advice.from(points, List.of(queue(likely, 27_327), queue(16, 27_400)))
                        .size())
                .isEqualTo(likely);
    }

    /** The curve may rise above every point, between two sizes, and the answer may lie beyond the largest one. */
    @Test
    void pictureHasRoomForEveryCurveAndAnswer() throws IOException {
        Random random = new Random(48);
        for (int i = 0; i < 5_000; i++) {
            double start = Math.pow(10, 5 * random.nextDouble());
            double growth = 0.5 + 1.5 * random.nextDouble();
            double[] throughput = IntStream.range(0, 1 + random.nextInt(9))
                    .mapToDouble(step -> start * Math.pow(growth, step) * (0.95 + 0.1 * random.nextDouble()))
                    .toArray();
            List<Point> points = findings(throughput).sizes();
            int most = 1 + random.nextInt(1_000);
            List<Point> queues = List.of(queue(most, 2 * start * Math.pow(growth, throughput.length)));
            for (List<Point> more : List.of(List.<Point>of(), queues)) {
                Findings findings = new Findings(points, more, Advice.from(points, more), null);
                assertThat(Picture.of(findings)).as("%s", findings).contains("o measured");
                if (i % 250 == 0) {
                    assertThat(Page.of(findings, "a database", "select 1")).contains("<svg ");
                }
            }
        }
    }

    /** A statement of seconds, and one that an embedded database answers in less than a microsecond. */
    @ParameterizedTest
    @ValueSource(doubles = {0.000_3, 0.02, 0.3, 7, 99.97, 4_000, 30_000_000})
    void labelsOfThePictureDifferAndItsAxisIsStraight(double start) throws IOException {
        Findings findings = findings(start, 1.9 * start, 3.4 * start, 4 * start);
        List<String> lines = Picture.of(findings).lines().limit(14).toList();
        List<String> labels = lines.stream()
                .map(line -> line.substring(0, 11).strip())
                .filter(label -> !label.isEmpty())
                .toList();
        assertThat(labels).hasSize(5).doesNotHaveDuplicates();
        assertThat(lines).allMatch(line -> line.indexOf('|') == 12);
        assertThat(Page.of(findings, "a database", "select 1")).doesNotContain("<td>0.0</td>", "<td>" + start + "E");
    }

    @Test
    void oneConnectionIsNotSeveral() {
        assertThat(String.join(
                        " ", findings(1_000, 1_000, 1_000, 1_000).advice().reason()))
                .contains(" 1 connection reaches 1,000/s");
    }

    private static Point queue(int connections, double throughput) {
        return new Point(connections, 20, throughput, 1, 1, 2, 1_000, 0, 0, null);
    }

    /** With 1, 2, 4 ... connections. */
    private static Findings findings(double... throughput) {
        List<Point> points = Stream.iterate(0, i -> i + 1)
                .limit(throughput.length)
                .map(i -> new Point(1 << i, 1 << i, throughput[i], 1, 1, 2, 1_000, 0, 0, null))
                .toList();
        return new Findings(points, List.of(), Advice.from(points), null);
    }
}
