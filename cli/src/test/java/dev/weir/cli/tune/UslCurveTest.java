package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UslCurveTest {

    @ParameterizedTest
    @CsvSource({"100, 0.05, 0.01", "1000, 0, 0", "5, 0.9, 0", "300, 0, 0.002", "7000, 0.3, 0.05"})
    void theCurveThroughExactPointsIsFoundAgain(double lambda, double sigma, double kappa) {
        UslCurve given = new UslCurve(lambda, sigma, kappa);

        UslCurve fitted = UslCurve.fit(points(given::throughput));

        assertThat(fitted.lambda()).isCloseTo(lambda, within(lambda * 1e-6));
        assertThat(fitted.sigma()).isCloseTo(sigma, within(1e-6));
        assertThat(fitted.kappa()).isCloseTo(kappa, within(1e-6));
        assertThat(fitted.error(points(given::throughput))).isLessThan(1e-6);
    }

    @Test
    void noTermBecomesNegativeWhereThroughputRisesFasterThanTheUsers() {
        UslCurve fitted = UslCurve.fit(points(n -> 100 * n * (1 + 0.01 * n)));

        assertThat(fitted.sigma()).isZero();
        assertThat(fitted.kappa()).isZero();
        assertThat(fitted.lambda()).isGreaterThan(100);
        assertThat(fitted.peak(32)).isEqualTo(32);
    }

    @Test
    void thePeakIsTheBestWholeNumber() {
        for (UslCurve curve : List.of(
                new UslCurve(1, 0.05, 0.01),
                new UslCurve(1, 0.3, 0.05),
                new UslCurve(1, 0.99, 0.5),
                new UslCurve(1, 1, 0),
                new UslCurve(1, 0.1, 0))) {
            int best = 1;
            for (int n = 2; n <= 40; n++) {
                best = curve.throughput(n) > curve.throughput(best) ? n : best;
            }
            assertThat(curve.peak(40)).as("%s", curve).isEqualTo(best);
        }
    }

    @Test
    void aFewNoisyPointsGiveASizeNearTheOptimum() {
        UslCurve given = new UslCurve(400, 0.04, 0.004);
        Random random = new Random(4);
        for (int i = 0; i < 100; i++) {
            Advice advice = Advice.from(points(n -> given.throughput(n) * (1 + 0.03 * random.nextGaussian())));

            assertThat(given.throughput(advice.size()))
                    .as("%s", advice)
                    .isGreaterThan(0.9 * given.throughput(given.peak(32)));
        }
    }

    @Test
    void pointsThatFollowNoCurveAreNotForcedIntoOne() {
        double[] measured = {100, 40, 300, 90, 500, 480};
        List<Point> points =
                IntStream.range(0, 6).mapToObj(i -> point(1 << i, measured[i])).toList();

        Advice advice = Advice.from(points);

        assertThat(advice.isFitted()).isFalse();
        assertThat(advice.size()).isEqualTo(16);
        assertThat(advice.reason().get(0)).contains("too far to be believed");
    }

    @Test
    void onlyWhereTheThroughputMayRiseFurtherIsMoreAdvised() {
        String more = "a larger --max tells";
        String divide = "divide it among the JVMs";
        Advice flat = Advice.from(points(new UslCurve(400, 0.99, 0)::throughput));
        assertThat(flat.size()).isEqualTo(1);
        assertThat(flat.reason()).noneMatch(line -> line.contains(more)).anyMatch(line -> line.contains(divide));
        Advice rising = Advice.from(points(new UslCurve(400, 0.001, 0)::throughput));
        assertThat(rising.reason()).anyMatch(line -> line.contains(more)).anyMatch(line -> line.contains(divide));
    }

    @Test
    void onePointIsEnoughAndNoneIsRefused() {
        assertThat(Advice.from(List.of(point(1, 50))).size()).isEqualTo(1);
        assertThatIllegalArgumentException().isThrownBy(() -> UslCurve.fit(List.of()));
    }

    private static List<Point> points(IntToDoubleFunction throughput) {
        return IntStream.of(1, 2, 4, 8, 16, 32)
                .mapToObj(n -> point(n, throughput.applyAsDouble(n)))
                .toList();
    }

    private static Point point(int connections, double throughput) {
        return new Point(connections, connections, throughput, 1, 1, 1, 100, 0, 0, null);
    }
}
