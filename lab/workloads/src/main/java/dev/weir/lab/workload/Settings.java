package dev.weir.lab.workload;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The values of a workload's settings, all of them valid. Immutable. */
public final class Settings {
    private final Map<String, String> values;

    private Settings(Map<String, String> values) {
        this.values = values;
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

    /** Returns the value of a setting that is one number, or one word. */
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
