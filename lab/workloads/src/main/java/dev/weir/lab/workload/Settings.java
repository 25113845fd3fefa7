package dev.weir.lab.workload;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The values of a workload's settings, all of them valid. Immutable. */
public final class Settings {
    private final List<Setting> known;
    private final Map<String, String> values;

    private Settings(List<Setting> known, Map<String, String> values) {
        this.known = List.copyOf(known);
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
        return new Settings(known, values);
    }

    /**
     * Returns the settings of a run that goes on: those that it kept, with what it does not keep.
     *
     * @param kept what {@link #asMap} was when the run was begun
     * @throws IllegalArgumentException naming the setting, if one is given again and differs, or has to be given again
     */
    public static Settings resumed(List<Setting> known, Map<String, String> kept, Map<String, String> given) {
        Map<String, String> values = new LinkedHashMap<>(kept);
        values.keySet().retainAll(known.stream().map(Setting::name).toList());
        for (Setting setting : known) {
            String name = setting.name();
            String begun = kept.getOrDefault(name, "");
            String now = given.get(name);
            if (now != null && !setting.shown(setting.check(now)).equals(begun)) {
                throw new IllegalArgumentException("--%s: %s (expected: %s, as the run was begun)"
                        .formatted(name, setting.shown(now), begun.isEmpty() ? "none" : begun));
            }
            if (now == null && !setting.isKept() && !begun.isEmpty()) {
                throw new IllegalArgumentException(
                        "--resume: the run was begun with --%s %s (expected: to be given again)"
                                .formatted(name, begun));
            }
            if (now != null) {
                values.put(name, now);
            }
        }
        return of(known, false, values);
    }

    /** Returns all values that may be kept as text, by name: those that are no secret. */
    public Map<String, String> asMap() {
        Map<String, String> kept = new LinkedHashMap<>();
        for (Setting setting : known) {
            if (setting.kind() != Setting.Kind.SECRET) {
                kept.put(setting.name(), setting.shown(text(setting.name())));
            }
        }
        return kept;
    }

    /** Returns a message with what may be shown of the secrets in it. */
    public String withoutSecrets(String message) {
        String clean = message;
        for (Setting setting : known) {
            clean = setting.hideIn(clean, text(setting.name()));
        }
        return clean;
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
