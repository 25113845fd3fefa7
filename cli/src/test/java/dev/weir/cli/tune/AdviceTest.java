package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

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
                .startsWith("2 numbers of connections were measured");
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
