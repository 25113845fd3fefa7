package dev.weir.internal.settings;

import java.time.Duration;
import java.time.format.DateTimeParseException;

/** The text form of the times in the settings: {@code 5000} (milliseconds), {@code 30s}, {@code 5m}, {@code PT30S}. */
public final class Durations {
    private static final String[] UNITS = {"d", "h", "m", "s", "ms"};
    private static final long[] UNIT_MILLIS = {86_400_000, 3_600_000, 60_000, 1_000, 1};

    /** Of a long. */
    private static final int MOST_DIGITS = 19;

    /** Far more than any setting takes, and far less than what overflows a long of milliseconds. */
    private static final long LONGEST_DAYS = 1_000_000;

    private Durations() {}

    /** Reads a time; throws IllegalArgumentException or ArithmeticException if it is none, or does not fit. */
    public static Duration parse(String text) {
        int end = endOfNumber(text);
        if (end < 0) {
            return parseIso(text);
        }
        String unit = text.substring(end).stripLeading();
        long number = Long.parseLong(text.substring(0, end));
        if (unit.isEmpty()) {
            return Duration.ofMillis(number);
        }
        for (int i = 0; i < UNITS.length; i++) {
            if (UNITS[i].equals(unit)) {
                return Duration.ofMillis(Math.multiplyExact(number, UNIT_MILLIS[i]));
            }
        }
        return parseIso(text);
    }

    /** Where the digits end that the text begins with, after a sign perhaps; -1 if it does not. */
    private static int endOfNumber(String text) {
        int from = text.startsWith("+") || text.startsWith("-") ? 1 : 0;
        int end = from;
        while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
            end++;
        }
        return end > from && end - from <= MOST_DIGITS ? end : -1;
    }

    private static Duration parseIso(String text) {
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
        return millis / UNIT_MILLIS[i] + UNITS[i];
    }
}
