package dev.weir.lab.runs;

import java.util.Arrays;
import java.util.Collection;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * The middle of some numbers, and how sure it is.
 *
 * @param count how many numbers
 * @param median NaN if there are none
 * @param low the median lies between this and {@code high} with 95 % confidence: percentiles of the bootstrap (Efron, 1979); of
 *     few numbers that is nearly from the least to the greatest
 * @param high see {@code low}
 */
public record Summary(int count, double median, double low, double high) {
    /** The least and the greatest of fewer numbers are no interval: the median lies outside as often as within. */
    public static final int FEWEST = 3;

    /** Without an interval, a ratio is told from 1 if it is so large, or its reciprocal. */
    public static final double FAR = 1.5;

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
            return new Summary(0, Double.NaN, Double.NaN, Double.NaN);
        }
        double[] medians = medians(sorted);
        return new Summary(
                sorted.length,
                median(sorted),
                medians[(int) (0.025 * (RESAMPLES - 1))],
                medians[(int) Math.ceil(0.975 * (RESAMPLES - 1))]);
    }

    /** Whether there are enough numbers for an interval. */
    public boolean hasInterval() {
        return count >= FEWEST;
    }

    /** Whether this is a ratio that may be 1: 1 lies in the interval, or there is none and the ratio is not far from 1. */
    public boolean isLevel() {
        return hasInterval() ? low <= 1 && 1 <= high : median < FAR && median > 1 / FAR;
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
