package dev.weir.lab.workload;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The values of a workload's settings, each one that its {@link Setting} accepts. Immutable. */
public final class Settings {
    private final Map<String, String> values;

    private Settings(Map<String, String> values) {
        this.values = values;
    }

    /**
     * One thing that a workload can be told. Immutable.
     *
     * @param name as an option, without the dashes
     * @param description what it is, with its unit
     * @param value the default
     * @param quick the default of a quick run
     * @param isList whether several can be given, each once, separated by commas
     * @param words those that can be given; empty: numbers, or where these have no range any text
     * @param least the least number
     * @param most the greatest number
     */
    public record Setting(
            String name,
            String description,
            String value,
            String quick,
            boolean isList,
            List<String> words,
            long least,
            long most) {
        /** A whole number. */
        public static Setting number(String name, String description, long value, long quick, long least, long most) {
            return new Setting(name, description, "" + value, "" + quick, false, List.of(), least, most);
        }

        /** Whole numbers, separated by commas. */
        public static Setting numbers(
                String name, String description, String value, String quick, long least, long most) {
            return new Setting(name, description, value, quick, true, List.of(), least, most);
        }

        /** Words, separated by commas. */
        public static Setting words(String name, String description, String value, String quick, List<String> words) {
            return new Setting(name, description, value, quick, true, List.copyOf(words), 0, 0);
        }

        /** One of these words. */
        public static Setting word(String name, String description, String value, List<String> words) {
            return new Setting(name, description, value, value, false, List.copyOf(words), 0, 0);
        }

        /** A text; empty: not given. */
        public static Setting text(String name, String description, String value) {
            return new Setting(name, description, value, value, false, List.of(), 0, 0);
        }

        /**
         * Checks a value.
         *
         * @return the value, without blanks where it is no text
         * @throws IllegalArgumentException naming the setting, the value and what was expected
         */
        String check(String given) {
            if (isText()) {
                return given;
            }
            String text = given.replace(" ", "");
            List<String> parts = isList ? Arrays.asList(text.split(",", -1)) : List.of(text);
            if (new HashSet<>(parts).size() < parts.size() || !parts.stream().allMatch(this::isValue)) {
                String one = words.isEmpty() ? least + ".." + most : String.join(", ", words);
                throw new IllegalArgumentException("--%s: %s (expected: %s)"
                        .formatted(name, given, isList ? "some of " + one + ", each once, separated by commas" : one));
            }
            return text;
        }

        private boolean isText() {
            return words.isEmpty() && least == 0 && most == 0;
        }

        private boolean isValue(String text) {
            if (!words.isEmpty()) {
                return words.contains(text);
            }
            try {
                long number = Long.parseLong(text);
                return number >= least && number <= most;
            } catch (NumberFormatException e) {
                return false;
            }
        }

        /** Returns the description with the defaults, for a list of options. */
        public String help() {
            String defaults = quick.equals(value) ? value : value + ", quick: " + quick;
            return defaults.isEmpty() ? description + "." : description + " (default: " + defaults + ").";
        }
    }

    /**
     * Checks what was given and takes the default of the rest.
     *
     * @param quick whether the defaults are those of a quick run
     * @throws IllegalArgumentException naming the setting, if one is unknown or its value is not what was expected
     */
    public static Settings of(List<Setting> known, boolean quick, Map<String, String> given) {
        Map<String, String> values = new LinkedHashMap<>();
        for (Setting setting : known) {
            String fallback = quick ? setting.quick() : setting.value();
            values.put(setting.name(), setting.check(given.getOrDefault(setting.name(), fallback)));
        }
        for (String name : given.keySet()) {
            if (!values.containsKey(name)) {
                throw new IllegalArgumentException("setting: %s (expected: %s)"
                        .formatted(name, known.stream().map(Setting::name).collect(Collectors.joining(", "))));
            }
        }
        return new Settings(values);
    }

    /** Returns all values as text, by name. */
    public Map<String, String> asMap() {
        return new LinkedHashMap<>(values);
    }

    /** Returns the value of a setting that is one number, one word, or a text. */
    public String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("there is no setting " + name);
        }
        return value;
    }

    public int number(String name) {
        return Math.toIntExact(Long.parseLong(text(name)));
    }

    public Duration millis(String name) {
        return Duration.ofMillis(Long.parseLong(text(name)));
    }

    public int[] numbers(String name) {
        return words(name).stream().mapToInt(Integer::parseInt).toArray();
    }

    public List<String> words(String name) {
        return Arrays.asList(text(name).split(","));
    }
}
