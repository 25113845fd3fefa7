package dev.weir.lab.grid;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where and how the servers of a run are started. A run keeps it, so that all its cells are measured alike.
 *
 * @param jvmOptions of their JVM, with blanks between them
 * @param ssh the other machine that they run on, or null for this one
 */
record ServerSettings(String jvmOptions, @Nullable Ssh ssh) {
    private static final String JVM_OPTIONS = "jvm-options";

    /**
     * Another machine.
     *
     * @param host as ssh takes it, such as {@code lab@db1}
     * @param address where the servers listen there, and are reached from here
     * @param home the project's folder over there
     * @param program what is started as ssh
     */
    record Ssh(String host, String address, String home, String program) {}

    /** The options, each a word. */
    List<String> jvmWords() {
        return Arrays.stream(jvmOptions.split("\\s+"))
                .filter(option -> !option.isEmpty())
                .toList();
    }

    /** By the names of their options. */
    Map<String, String> asMap() {
        Map<String, String> map = new LinkedHashMap<>();
        map.put(JVM_OPTIONS, jvmOptions);
        if (ssh != null) {
            map.put("ssh", ssh.host());
            map.put("ssh-address", ssh.address());
            map.put("ssh-home", ssh.home());
            map.put("ssh-program", ssh.program());
        }
        return map;
    }

    /** What a run kept, or null if it was begun when runs did not keep it. */
    static @Nullable ServerSettings of(Map<String, String> map) {
        String options = map.get(JVM_OPTIONS);
        if (options == null) {
            return null;
        }
        String host = map.get("ssh");
        return new ServerSettings(
                options,
                host == null
                        ? null
                        : new Ssh(
                                host,
                                map.getOrDefault("ssh-address", ""),
                                map.getOrDefault("ssh-home", ""),
                                map.getOrDefault("ssh-program", "")));
    }
}
