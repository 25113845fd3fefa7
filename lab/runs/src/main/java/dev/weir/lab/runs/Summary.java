package dev.weir.lab.runs;

import java.util.Arrays;
import java.util.Collection;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * The middle of some numbers, with the least and the greatest, and how sure the middle is.
 *
 * @param median NaN if there are none
 * @param min NaN if there are none
 * @param max NaN if there are none
 * @param low the median lies between this and {@code high} with 95 % confidence: percentiles of the bootstrap (Efron, 1979); of
 *     few numbers that is nearly from the least to the greatest
 * @param high see {@code low}
 */
public record Summary(double median, double min, double max, double low, double high) {
    private static final int RESAMPLES = 2_000;

    /** Always the same, so that the same numbers say the same. */
    private static final long SEED = 1;

    /** Numbers that are not there (NaN) are left out. */
    public static Summary of(Collection<Double> values) {
        return of(values.stream().mapToDouble(Double::doubleValue).toArray());
    }

    /** Numbers that are not there (NaN) are left out. */
    public static Summary of(double... values) {
        double[] sorted = Arrays.stream(values)
                .filter(value -> !Double.isNaN(value))
                .sorted()
                .toArray();
        if (sorted.length == 0) {
            return new Summary(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
        }
        double[] medians = medians(sorted);
        return new Summary(
                median(sorted),
                sorted[0],
                sorted[sorted.length - 1],
                medians[(int) (0.025 * (RESAMPLES - 1))],
                medians[(int) Math.ceil(0.975 * (RESAMPLES - 1))]);
    }

    /** Whether a value lies in the interval. */
    public boolean mayBe(double value) {
        return low <= value && value <= high;
    }

    /** Of as many numbers drawn from these, with repetition; in their order. */
    private static double[] medians(double[] sorted) {
        Random random = new Random(SEED);
        return IntStream.range(0, RESAMPLES)
                .mapToDouble(resample -> median(IntStream.range(0, sorted.length)
                        .mapToDouble(draw -> sorted[random.nextInt(sorted.length)])
                        .sorted()
                        .toArray()))
                .sorted()
                .toArray();
    }

    private static double median(double[] sorted) {
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
