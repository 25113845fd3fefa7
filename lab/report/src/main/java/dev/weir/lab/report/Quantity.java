package dev.weir.lab.report;

import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** How numbers are written: three digits that count, in a unit that keeps them short. */
final class Quantity {
    private static final List<String> TIMES = List.of("ns", "us", "ms", "s");

    private Quantity() {}

    /** A unit and what a value in the measured unit is divided by to be in it. */
    record Scale(String unit, double divisor) {
        double apply(double value) {
            return value / divisor;
        }

        String withUnit(double value) {
            return number(apply(value)) + (shown().isEmpty() ? "" : " " + shown());
        }

        /** As it is printed: the letter for a millionth, and nothing for a count. */
        String shown() {
            return switch (unit) {
                case "us" -> "\u00b5s";
                case "1/s" -> "per second";
                default -> unit;
            };
        }
    }

    /** A metric with its unit, unless its name tells it. */
    static String named(String metric, Scale scale) {
        return scale.shown().isEmpty() || metric.startsWith(scale.shown()) ? metric : metric + ", " + scale.shown();
    }

    /** The unit that fits these values, which are in {@code unit}; times become ns, us, ms or s. */
    static Scale scale(String unit, Collection<Double> values) {
        int from = TIMES.indexOf(unit);
        List<Double> positive = values.stream().filter(v -> v > 0).sorted().toList();
        if (from < 0 || positive.isEmpty()) {
            return new Scale(unit, 1);
        }
        double least = positive.get(0);
        double most = positive.get(positive.size() - 1);
        double divisor = 1;
        int to = from;
        while (to < TIMES.size() - 1
                && (least / divisor >= 1_000
                        || most / divisor >= 1_000_000
                        || (most / divisor >= 10_000 && least / divisor >= 100))) {
            divisor *= 1000;
            to++;
        }
        while (divisor <= 1 && to > 0 && least / divisor < 1 && most / divisor < 100) {
            divisor /= 1000;
            to--;
        }
        return new Scale(TIMES.get(to), divisor);
    }

    /** What a time in one unit is multiplied by to be in another; 1 for units that are no times. */
    static double factor(String from, String to) {
        int a = TIMES.indexOf(from);
        int b = TIMES.indexOf(to);
        return a < 0 || b < 0 ? 1 : Math.pow(1000, a - b);
    }

    static String withUnit(double value, String unit) {
        return scale(unit, List.of(value)).withUnit(value);
    }

    /** Three digits that count; whole numbers in full, with separators. */
    static String number(double value) {
        double size = Math.abs(value);
        if (!Double.isFinite(value)) {
            return "-";
        }
        if (size >= 100 || value == Math.rint(value)) {
            return String.format(Locale.ROOT, "%,d", Math.round(value));
        }
        if (size >= 10) {
            return trim(String.format(Locale.ROOT, "%.1f", value));
        }
        if (size >= 1) {
            return trim(String.format(Locale.ROOT, "%.2f", value));
        }
        return size >= 0.001
                ? trim(String.format(Locale.ROOT, "%.3f", value))
                : String.format(Locale.ROOT, "%.1e", value);
    }

    /** A ratio, with two decimals. */
    static String ratio(double value) {
        if (!Double.isFinite(value)) {
            return "-";
        }
        return value >= 100 ? number(value) : String.format(Locale.ROOT, "%.2f", value);
    }

    private static String trim(String decimal) {
        return decimal.replaceFirst("\\.?0+$", "");
    }
}
