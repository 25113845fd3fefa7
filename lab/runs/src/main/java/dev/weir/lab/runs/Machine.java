package dev.weir.lab.runs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** What a reader must know of the machine to read a result. */
public final class Machine {
    private Machine() {}

    public static Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("jdk", System.getProperty("java.runtime.version"));
        facts.put("vm", System.getProperty("java.vm.name"));
        facts.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        facts.put("arch", System.getProperty("os.arch"));
        facts.put("cores", Runtime.getRuntime().availableProcessors());
        facts.put("processor", processor());
        return facts;
    }

    /** One line for the head of a table. */
    public static String line() {
        Map<String, Object> facts = facts();
        return "JDK %s, %s cores of %s, %s"
                .formatted(facts.get("jdk"), facts.get("cores"), facts.get("processor"), facts.get("os"));
    }

    private static String processor() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }
}
