package dev.weir.lab.workload;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One thing that a workload can be told. Immutable.
 *
 * @param name as an option, without the dashes
 * @param description what it is, with its unit
 * @param value the default
 * @param quick the default of a quick run
 * @param kind what is taken for a value
 * @param list whether several can be given, each once, separated by commas
 * @param least the least number
 * @param most the greatest number
 * @param words the words that can be given
 */
public record Setting(
        String name,
        String description,
        String value,
        String quick,
        Kind kind,
        boolean list,
        long least,
        long most,
        List<String> words) {

    private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s|m|h)");
    private static final Map<String, Long> MICROS =
            Map.of("ms", 1_000L, "s", 1_000_000L, "m", 60_000_000L, "h", 3_600_000_000L);

    /** What is taken for a value. */
    public enum Kind {
        NUMBER,
        WORD,
        /** Anything; empty: not given. */
        TEXT,
        /** An address that may hold a password: a run keeps no more than the place, so it has to be given again. */
        URL,
        /** What a run never keeps, so that it has to be given again. */
        SECRET
    }

    /** A whole number. */
    public static Setting number(String name, String description, long value, long quick, long least, long most) {
        return new Setting(
                name,
                description,
                Long.toString(value),
                Long.toString(quick),
                Kind.NUMBER,
                false,
                least,
                most,
                List.of());
    }

    /** Whole numbers, separated by commas. */
    public static Setting numbers(String name, String description, String value, String quick, long least, long most) {
        return new Setting(name, description, value, quick, Kind.NUMBER, true, least, most, List.of());
    }

    /** Words, separated by commas. */
    public static Setting words(String name, String description, String value, String quick, List<String> words) {
        return new Setting(name, description, value, quick, Kind.WORD, true, 0, 0, List.copyOf(words));
    }

    /** A text. */
    public static Setting text(String name, String description, String value) {
        return new Setting(name, description, value, value, Kind.TEXT, false, 0, 0, List.of());
    }

    /** An address, not given by default. */
    public static Setting url(String name, String description) {
        return new Setting(name, description, "", "", Kind.URL, false, 0, 0, List.of());
    }

    /** A secret, not given by default. */
    public static Setting secret(String name, String description) {
        return new Setting(name, description, "", "", Kind.SECRET, false, 0, 0, List.of());
    }

    /**
     * Checks a value.
     *
     * @return the value, without blanks where it is no text
     * @throws IllegalArgumentException naming the setting, the value and what was expected
     */
    String check(String given) {
        if (kind != Kind.NUMBER && kind != Kind.WORD) {
            return given;
        }
        String text = list ? given.replace(" ", "") : inUnit(given.replace(" ", ""));
        List<String> parts = list ? Arrays.asList(text.split(",", -1)) : List.of(text);
        boolean isRepeated = new HashSet<>(parts).size() < parts.size();
        if (isRepeated || !parts.stream().allMatch(this::isValue)) {
            throw new IllegalArgumentException(
                    "--%s: %s (expected: %s%s)".formatted(name, given, expected(), isRepeated ? ", each once" : ""));
        }
        return text;
    }

    /** {@code 2m} in the unit that the description names; anything else as it is. */
    private String inUnit(String text) {
        Matcher time = TIME.matcher(text);
        long unit = description.contains("in ms")
                ? 1_000
                : description.contains("in us") ? 1 : description.matches(".*in s(econds)?\\b.*") ? 1_000_000 : 0;
        if (unit == 0 || !time.matches()) {
            return text;
        }
        long micros = Long.parseLong(time.group(1)) * MICROS.getOrDefault(time.group(2), 0L);
        return micros % unit == 0 ? Long.toString(micros / unit) : text;
    }

    private boolean isValue(String text) {
        if (kind == Kind.WORD) {
            return words.contains(text);
        }
        try {
            long number = Long.parseLong(text);
            return number >= least && number <= most;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private String expected() {
        String one = kind == Kind.WORD ? String.join(", ", words) : least + ".." + most;
        return list ? "some of " + one + ", separated by commas" : one;
    }

    /** Whether a run keeps the whole value. */
    public boolean isKept() {
        return kind != Kind.URL && kind != Kind.SECRET;
    }

    /** Returns what may be shown of a value, and kept: nothing of a secret, of an address the place. */
    public String shown(String given) {
        return switch (kind) {
            case SECRET -> "";
            case URL -> given.replaceFirst("[?;].*", "").replaceFirst("//[^/@]*@", "//");
            default -> given;
        };
    }

    /** Returns a text, such as a message, with what may be shown of this value instead of the value. */
    public String hideIn(String text, String given) {
        return isKept() || given.isEmpty() ? text : text.replace(given, kind == Kind.URL ? shown(given) : "***");
    }

    /** Returns the description with the defaults, for a list of options. */
    public String help() {
        String defaults = quick.equals(value) ? value : value + ", quick: " + quick;
        return defaults.isEmpty() ? description + "." : description + " (default: " + defaults + ").";
    }
}
