package dev.weir.lab.report;

import java.util.List;
import java.util.Locale;

/** Which way of a metric is the good one; known from its unit and its name. */
enum Better {
    LOWER,
    HIGHER,
    NEITHER;

    private static final List<String> HARM =
            List.of("errors", "failed", "never", "unserved", "lent again", "old server");
    private static final List<String> FACTS =
            List.of("half", "warm-up", "of run", "ratio", "arrivals", "offered", "expected", "stdev");
    private static final List<String> GAINS =
            List.of("throughput", "requests", "least", "served", "operations", "kept");
    private static final List<String> COSTS = List.of(
            "opened", "connections", "connects", "attempted", "cpu", "allocat", "bytes", "classes", "heap", "threads");

    static Better of(String metric, String unit) {
        String name = metric.toLowerCase(Locale.ROOT);
        if (HARM.stream().anyMatch(name::contains)) {
            return LOWER;
        }
        if (FACTS.stream().anyMatch(name::contains)) {
            return NEITHER;
        }
        if (unit.equals("1/s") || (!isTime(unit) && GAINS.stream().anyMatch(name::contains))) {
            return HIGHER;
        }
        return isTime(unit) || COSTS.stream().anyMatch(name::contains) ? LOWER : NEITHER;
    }

    static boolean isTime(String unit) {
        return unit.equals("ns") || unit.equals("us") || unit.equals("ms") || unit.equals("s");
    }

    /** Whether {@code a} beats {@code b}. */
    boolean beats(double a, double b) {
        return this == LOWER ? a < b : this == HIGHER && a > b;
    }
}
