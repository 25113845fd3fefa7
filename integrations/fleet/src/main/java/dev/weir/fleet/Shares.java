package dev.weir.fleet;

import java.util.Arrays;
import java.util.Comparator;

/** Weighted max-min shares in whole connections: nobody gets more than he wants, and what one does not want others get. */
final class Shares {
    private Shares() {}

    /**
     * Divides a capacity. Who wants less than his part gets what he wants; the others get the same amount for each unit
     * of weight, rounded so that the sum is exact; of equals the first gets the odd one.
     *
     * @param wants from 0
     * @param weights from 1
     * @return the parts; their sum is the capacity, or the sum of all that is wanted if that is less
     */
    static int[] fill(int capacity, int[] wants, int[] weights) {
        int n = wants.length;
        int[] parts = new int[n];
        Integer[] order = new Integer[n];
        long weightLeft = 0;
        for (int i = 0; i < n; i++) {
            order[i] = i;
            weightLeft += weights[i];
        }
        Arrays.sort(order, Comparator.comparingDouble(i -> (double) wants[i] / weights[i]));
        long left = Math.max(0, capacity);
        int at = 0;
        while (at < n && wants[order[at]] * weightLeft <= left * weights[order[at]]) {
            int i = order[at++];
            parts[i] = wants[i];
            left -= wants[i];
            weightLeft -= weights[i];
        }
        round(left, weightLeft, Arrays.copyOfRange(order, at, n), weights, parts);
        return parts;
    }

    /** Those who want more than there is: each by weight, rounded down, and the rest to the greatest fractions. */
    private static void round(long left, long weightLeft, Integer[] hungry, int[] weights, int[] parts) {
        if (hungry.length == 0) {
            return;
        }
        long rest = left;
        for (int i : hungry) {
            parts[i] = (int) (left * weights[i] / weightLeft);
            rest -= parts[i];
        }
        Arrays.sort(
                hungry,
                Comparator.<Integer>comparingLong(i -> -(left * weights[i] % weightLeft))
                        .thenComparing(i -> i));
        for (int k = 0; k < rest; k++) {
            parts[hungry[k]]++;
        }
    }
}
