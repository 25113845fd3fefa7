package dev.weir.lab.report;

import java.util.Arrays;

/**
 * Responses over time, moment by moment: a picture of every single one would be a black bar.
 *
 * @param time the middle of each moment, in seconds
 * @param slowest of each moment, in milliseconds
 * @param median of each moment, in milliseconds; NaN where nothing was answered
 */
record ResponseTime(double[] time, double[] slowest, double[] median) {
    static final String TIME = "time_ms";
    static final String RESPONSE = "response_ms";

    static ResponseTime of(Samples samples, int moments) {
        double[] times = samples.column(TIME);
        double[] responses = samples.column(RESPONSE);
        double from = Arrays.stream(times).min().orElse(0);
        double to = Arrays.stream(times).max().orElse(1);
        double width = Math.max(1e-9, (to - from) / moments);
        double[] middle = new double[moments];
        double[] slowest = new double[moments];
        double[] median = new double[moments];
        int[] counts = new int[moments];
        for (double time : times) {
            counts[moment(time, from, width, moments)]++;
        }
        double[][] sorted = new double[moments][];
        for (int i = 0; i < moments; i++) {
            sorted[i] = new double[counts[i]];
        }
        for (int i = 0; i < times.length; i++) {
            int at = moment(times[i], from, width, moments);
            sorted[at][--counts[at]] = responses[i];
        }
        for (int i = 0; i < moments; i++) {
            Arrays.sort(sorted[i]);
            int size = sorted[i].length;
            middle[i] = (from + (i + 0.5) * width) / 1000;
            slowest[i] = size == 0 ? Double.NaN : sorted[i][size - 1];
            median[i] = size == 0 ? Double.NaN : sorted[i][size / 2];
        }
        return new ResponseTime(middle, slowest, median);
    }

    private static int moment(double time, double from, double width, int moments) {
        return Math.min(moments - 1, Math.max(0, (int) ((time - from) / width)));
    }

    double worst() {
        return Arrays.stream(slowest).filter(Double::isFinite).max().orElse(0);
    }

    /** When the slowest response of all began, in seconds. */
    double worstAt() {
        for (int i = 0; i < time.length; i++) {
            if (slowest[i] == worst()) {
                return time[i];
            }
        }
        return 0;
    }

    /** The middle of the slowest responses of all moments. */
    double usualWorst() {
        double[] sorted =
                Arrays.stream(slowest).filter(Double::isFinite).sorted().toArray();
        return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
    }
}
