package dev.weir.lab.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Responses over time, moment by moment: a picture of every single one would be a black bar.
 *
 * @param moments those in which something was answered, in order; at least one
 */
record ResponseTime(List<Moment> moments) {
    static final String TIME = "time_ms";
    static final String RESPONSE = "response_ms";

    /**
     * What was answered in a moment.
     *
     * @param time its middle, in seconds
     * @param slowest response, in milliseconds
     * @param median response, in milliseconds
     */
    record Moment(double time, double slowest, double median) {}

    static ResponseTime of(Samples samples, int moments) {
        List<Double> times = samples.column(TIME);
        List<Double> responses = samples.column(RESPONSE);
        double from = times.stream().mapToDouble(time -> time).min().orElse(0);
        double to = times.stream().mapToDouble(time -> time).max().orElse(1);
        double width = Math.max(1e-9, (to - from) / moments);
        List<List<Double>> answered = new ArrayList<>();
        for (int i = 0; i < moments; i++) {
            answered.add(new ArrayList<>());
        }
        for (int i = 0; i < times.size(); i++) {
            int at = Math.min(moments - 1, Math.max(0, (int) ((times.get(i) - from) / width)));
            answered.get(at).add(responses.get(i));
        }
        List<Moment> found = new ArrayList<>();
        for (int i = 0; i < moments; i++) {
            double[] sorted = answered.get(i).stream()
                    .mapToDouble(value -> value)
                    .sorted()
                    .toArray();
            if (sorted.length > 0) {
                found.add(new Moment(
                        (from + (i + 0.5) * width) / 1000, sorted[sorted.length - 1], sorted[sorted.length / 2]));
            }
        }
        return new ResponseTime(List.copyOf(found));
    }

    /** The moment with the slowest response of all. */
    Moment worst() {
        return moments.stream().max(Comparator.comparingDouble(Moment::slowest)).orElseThrow();
    }

    double end() {
        return moments.get(moments.size() - 1).time();
    }

    /** The middle of the slowest responses of all moments. */
    double usualWorst() {
        double[] sorted = moments.stream().mapToDouble(Moment::slowest).sorted().toArray();
        return sorted[sorted.length / 2];
    }
}
