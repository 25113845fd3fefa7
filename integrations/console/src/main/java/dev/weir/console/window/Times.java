package dev.weir.console.window;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Times for people, as page.js writes them: {@code 0.35 ms}, {@code 12 ms}, {@code 3.4 s}, {@code 1 min 34 s}, {@code 2 h 10 min}. */
public final class Times {
    private Times() {}

    /** As {@link #text(double)}. */
    public static String text(long millis) {
        return text((double) millis);
    }

    /** Writes a time in milliseconds. */
    public static String text(double millis) {
        if (millis < 0.0005) {
            return "0";
        }
        if (millis < 10) {
            BigDecimal number = new BigDecimal(millis).round(new MathContext(2));
            return number.stripTrailingZeros().toPlainString() + " ms";
        }
        if (millis < 59_950) {
            return millis < 999.5
                    ? Math.round(millis) + " ms"
                    : String.format(Locale.ROOT, millis % 1_000 == 0 ? "%.0f s" : "%.1f s", millis / 1e3);
        }
        long seconds = Math.round(millis / 1e3);
        if (seconds < 600) {
            return seconds / 60 + " min"
                    + (seconds % 60 == 0 ? "" : String.format(Locale.ROOT, " %02d s", seconds % 60));
        }
        long minutes = Math.round(millis / 60e3);
        return minutes < 90
                ? minutes + " min"
                : String.format(Locale.ROOT, "%d h %02d min", minutes / 60, minutes % 60);
    }
}
