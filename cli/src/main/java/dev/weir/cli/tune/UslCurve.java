package dev.weir.cli.tune;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.hipparchus.exception.MathRuntimeException;
import org.hipparchus.linear.Array2DRowRealMatrix;
import org.hipparchus.linear.ArrayRealVector;
import org.hipparchus.linear.QRDecomposition;
import org.hipparchus.linear.RealVector;

/**
 * The Universal Scalability Law of Neil Gunther: n users at once are served
 * {@code X(n) = lambda n / (1 + sigma (n - 1) + kappa n (n - 1))} times a second.
 *
 * @param lambda executions per second of one user alone, more than 0
 * @param sigma contention: the share of the work that only one can do at a time, at least 0
 * @param kappa coherence: what each pair of users costs the other, at least 0; more than 0 makes a peak
 */
record UslCurve(double lambda, double sigma, double kappa) {

    /** Terms beyond the first: none, contention, coherence, both. */
    private static final int[][] MODELS = {{0}, {0, 1}, {0, 2}, {0, 1, 2}};

    double throughput(double n) {
        return lambda * n / (1 + sigma * (n - 1) + kappa * n * (n - 1));
    }

    /** The number of users from 1 to {@code most} at which the throughput is highest. */
    int peak(int most) {
        if (sigma >= 1) {
            return 1;
        }
        if (kappa == 0) {
            return most;
        }
        double exact = Math.sqrt((1 - sigma) / kappa);
        if (exact >= most) {
            return most;
        }
        int below = Math.max(1, (int) exact);
        return throughput(below) >= throughput(below + 1) ? below : below + 1;
    }

    /** The root of the mean square of the relative distances between curve and points. */
    double error(List<Point> points) {
        return Math.sqrt(points.stream()
                .mapToDouble(point -> throughput(point.connections()) / point.throughput() - 1)
                .map(distance -> distance * distance)
                .average()
                .orElse(Double.NaN));
    }

    /**
     * The curve through these points with the least squares of relative distance. What one user sees, {@code n / X(n)}, is
     * linear in {@code 1 / lambda}, {@code sigma / lambda} and {@code kappa / lambda}, so that the least squares are found
     * exactly; as none of them may be negative, each choice of terms is solved, and the best of the allowed ones taken.
     *
     * @throws IllegalArgumentException if there is no point
     */
    static UslCurve fit(List<Point> points) {
        UslCurve best = null;
        double least = Double.POSITIVE_INFINITY;
        for (int[] terms : MODELS) {
            if (terms.length > points.size()) {
                continue;
            }
            double[] factors = solve(points, terms);
            if (factors[0] <= 0 || Arrays.stream(factors).anyMatch(factor -> factor < 0 || Double.isNaN(factor))) {
                continue;
            }
            double residual = residual(points, factors);
            if (residual < least) {
                least = residual;
                best = new UslCurve(1 / factors[0], factors[1] / factors[0], factors[2] / factors[0]);
            }
        }
        if (best == null) {
            throw new IllegalArgumentException(points.size() + " points (expected: 1 or more)");
        }
        return best;
    }

    private static double[] solve(List<Point> points, int[] terms) {
        List<double[]> rows = new ArrayList<>();
        for (Point point : points) {
            double[] all = row(point);
            rows.add(Arrays.stream(terms).mapToDouble(term -> all[term]).toArray());
        }
        RealVector ones = new ArrayRealVector(points.size(), 1.0);
        double[] factors = new double[3];
        try {
            RealVector solution = new QRDecomposition(new Array2DRowRealMatrix(rows.toArray(double[][]::new)))
                    .getSolver()
                    .solve(ones);
            for (int i = 0; i < terms.length; i++) {
                factors[terms[i]] = solution.getEntry(i);
            }
        } catch (MathRuntimeException singular) {
            // Points at too few different sizes do not determine these terms.
            Arrays.fill(factors, Double.NaN);
        }
        return factors;
    }

    private static double residual(List<Point> points, double[] factors) {
        return points.stream()
                .mapToDouble(point -> {
                    double[] row = row(point);
                    return row[0] * factors[0] + row[1] * factors[1] + row[2] * factors[2] - 1;
                })
                .map(distance -> distance * distance)
                .sum();
    }

    /** The factors of the three terms, over the measured value, which makes distances relative. */
    private static double[] row(Point point) {
        double n = point.connections();
        double measured = n / point.throughput();
        return new double[] {1 / measured, (n - 1) / measured, n * (n - 1) / measured};
    }
}
