package dev.weir.internal.settings;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The text form of the times in the settings: {@code 5000} (milliseconds), {@code 30s}, {@code 5m}, {@code PT30S}. */
public final class Durations {
    private static final List<String> UNITS = List.of("d", "h", "m", "s", "ms");
    private static final long[] UNIT_MILLIS = {86_400_000, 3_600_000, 60_000, 1_000, 1};

    private static final Pattern NUMBER = Pattern.compile("([+-]?\\d+)\\s*(d|h|m|s|ms)?");

    /** Far more than any setting takes, and far less than what overflows a long of milliseconds. */
    private static final long LONGEST_DAYS = 1_000_000;

    private Durations() {}

    /** Reads a time; throws IllegalArgumentException or ArithmeticException if it is none, or does not fit. */
    public static Duration parse(String text) {
        Matcher form = NUMBER.matcher(text);
        if (form.matches()) {
            String unit = form.group(2) == null ? "ms" : form.group(2);
            return Duration.ofMillis(
                    Math.multiplyExact(Long.parseLong(form.group(1)), UNIT_MILLIS[UNITS.indexOf(unit)]));
        }
        try {
            return Duration.parse(text);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    /** Writes a time in the largest unit that needs no fraction, so that {@link #parse} reads the same back. */
    public static String format(Duration duration) {
        if (duration.isZero()) {
            return "0";
        }
        boolean fitsMillis = Math.abs(duration.toDays()) < LONGEST_DAYS;
        if (!fitsMillis || duration.toNanosPart() % 1_000_000 != 0) {
            return duration.toString();
        }
        long millis = duration.toMillis();
        int i = 0;
        while (millis % UNIT_MILLIS[i] != 0) {
            i++;
        }
        return millis / UNIT_MILLIS[i] + UNITS.get(i);
    }
}
