package dev.weir.lab.report;

import java.util.Locale;

/** Which way of a metric is the good one; known from its unit and its name. */
enum Better {
    LOWER,
    HIGHER,
    NEITHER;

    private static final String[] GAINS = {"throughput", "requests", "unluckiest", "least", "served rate", "operations"
    };
    private static final String[] COSTS = {
        "errors",
        "failed", "never", "unserved",
        "opened",
        "connections at",
        "connections 5",
        "connects",
        "attempted",
        "cpu",
        "allocat",
        "bytes",
        "longest",
        "wait"
    };
    private static final String[] FACTS = {"half", "ratio", "luckiest", "warm-up", "of run", "arrivals", "offered", "expected", "stdev"};

    static Better of(String metric, String unit) {
        String name = metric.toLowerCase(Locale.ROOT);
        if (unit.equals("1/s") || contains(name, GAINS) && !contains(name, "errors", "never")) {
            return contains(name, "half", "offered", "arrivals", "connect") ? NEITHER : HIGHER;
        }
        if (contains(name, FACTS)) {
            return NEITHER;
        }
        return isTime(unit) || contains(name, COSTS) ? LOWER : NEITHER;
    }

    static boolean isTime(String unit) {
        return unit.equals("ns") || unit.equals("us") || unit.equals("ms") || unit.equals("s");
    }

    /** Whether {@code a} beats {@code b}. */
    boolean beats(double a, double b) {
        return this == LOWER ? a < b : this == HIGHER && a > b;
    }

    private static boolean contains(String name, String... words) {
        for (String word : words) {
            if (name.contains(word)) {
                return true;
            }
        }
        return false;
    }
}
