package dev.weir.lab.runs;

import java.util.Arrays;
import java.util.Collection;

/**
 * The middle of some numbers, with the least and the greatest.
 *
 * @param median NaN if there are none
 * @param min NaN if there are none
 * @param max NaN if there are none
 */
public record Summary(double median, double min, double max) {

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
            return new Summary(Double.NaN, Double.NaN, Double.NaN);
        }
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Summary(median, sorted[0], sorted[sorted.length - 1]);
    }
}
