package dev.weir.lab.workload;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * One thing that a workload can be told. Immutable.
 *
 * @param name as an option, without the dashes
 * @param description what it is, with its unit
 * @param value the default
 * @param quick the default of a quick run
 * @param list whether several can be given, separated by commas
 * @param least the least number
 * @param most the greatest number
 * @param words the words that can be given instead of numbers; empty for numbers
 */
public record Setting(
        String name,
        String description,
        String value,
        String quick,
        boolean list,
        long least,
        long most,
        List<String> words) {

    /** A whole number. */
    public static Setting number(String name, String description, long value, long quick, long least, long most) {
        return new Setting(
                name, description, Long.toString(value), Long.toString(quick), false, least, most, List.of());
    }

    /** Whole numbers, separated by commas. */
    public static Setting numbers(String name, String description, String value, String quick, long least, long most) {
        return new Setting(name, description, value, quick, true, least, most, List.of());
    }

    /** Words, separated by commas. */
    public static Setting words(String name, String description, String value, String quick, List<String> words) {
        return new Setting(name, description, value, quick, true, 0, 0, List.copyOf(words));
    }

    /**
     * Checks a value.
     *
     * @return the value, without blanks
     * @throws IllegalArgumentException naming the setting, the value and what was expected
     */
    String check(String given) {
        String text = given.replace(" ", "");
        List<String> parts = list ? Arrays.asList(text.split(",", -1)) : List.of(text);
        for (String part : parts) {
            if (!words.isEmpty() ? !words.contains(part) : !isNumber(part)) {
                throw new IllegalArgumentException("--%s: %s (expected: %s)".formatted(name, given, expected()));
            }
        }
        return text;
    }

    private boolean isNumber(String text) {
        try {
            long number = Long.parseLong(text);
            return number >= least && number <= most;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private String expected() {
        String one = words.isEmpty() ? least + ".." + most : String.join(", ", words);
        return list ? "some of " + one + ", separated by commas" : one;
    }

    /** Returns the description with the defaults, for a list of options. */
    public String help() {
        return String.format(
                Locale.ROOT, "%s (default: %s%s).", description, value, quick.equals(value) ? "" : ", quick: " + quick);
    }
}
