package dev.weir.lab.report;

import java.util.List;
import java.util.Locale;

/** How numbers are written: three digits that count. */
final class Quantity {
    private static final List<String> TIMES = List.of("ns", "us", "ms", "s");

    private Quantity() {}

    static boolean isTime(String unit) {
        return TIMES.contains(unit);
    }

    /** A metric with its unit. */
    static String named(String metric, String unit) {
        return unit.isEmpty() || metric.startsWith(unit) ? metric : metric + ", " + shown(unit);
    }

    static String withUnit(double value, String unit) {
        return number(value) + (unit.isEmpty() ? "" : " " + shown(unit));
    }

    private static String shown(String unit) {
        return unit.equals("us") ? "\u00b5s" : unit.equals("1/s") ? "per second" : unit;
    }

    static String number(double value) {
        double size = Math.abs(value);
        if (!Double.isFinite(value)) {
            return "-";
        }
        if (size >= 100 || value == Math.rint(value)) {
            return String.format(Locale.ROOT, "%,d", Math.round(value));
        }
        String format = size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : size >= 0.001 ? "%.3f" : "%.1e";
        String text = String.format(Locale.ROOT, format, value);
        return size >= 0.001 ? text.replaceFirst("\\.?0+$", "") : text;
    }

    /** With two decimals. */
    static String ratio(double value) {
        return value >= 100 || !Double.isFinite(value) ? number(value) : String.format(Locale.ROOT, "%.2f", value);
    }
}
