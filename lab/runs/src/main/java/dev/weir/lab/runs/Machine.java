package dev.weir.lab.runs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What a reader must know of the machine to read a result. */
public final class Machine {
    private static final String UNKNOWN = "unknown";

    private Machine() {}

    public static Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("jdk", System.getProperty("java.runtime.version"));
        facts.put("vm", System.getProperty("java.vm.name"));
        facts.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        facts.put("arch", System.getProperty("os.arch"));
        facts.put("cores", Runtime.getRuntime().availableProcessors());
        facts.put("processor", processor());
        facts.put("threads per core", line("/sys/devices/system/cpu/smt/active").equals("1") ? "more than one" : "one");
        facts.put("sockets", sockets());
        facts.put("governor", line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
        facts.put("memory", memory());
        facts.put("hypervisor", hypervisor());
        facts.put("load average", line("/proc/loadavg"));
        return facts;
    }

    /** Returns these facts in a line. */
    public static String line(Map<String, Object> facts) {
        return "JDK %s, %s cores of %s, %s"
                .formatted(facts.get("jdk"), facts.get("cores"), facts.get("processor"), facts.get("os"));
    }

    private static String processor() {
        return fields("/proc/cpuinfo", "model name").findFirst().orElse(UNKNOWN);
    }

    private static String sockets() {
        long sockets = fields("/proc/cpuinfo", "physical id").distinct().count();
        return sockets == 0 ? UNKNOWN : Long.toString(sockets);
    }

    private static String memory() {
        return fields("/proc/meminfo", "MemTotal").findFirst().orElse(UNKNOWN);
    }

    /** The processor says whether there is one; what the machine calls itself often says which. */
    private static String hypervisor() {
        boolean virtual = fields("/proc/cpuinfo", "flags").anyMatch(flags -> (flags + " ").contains(" hypervisor "));
        return virtual ? "yes, product " + line("/sys/class/dmi/id/product_name") : "none seen";
    }

    /** The values of the lines {@code name: value} of this name. */
    private static Stream<String> fields(String file, String name) {
        return lines(file).stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(line.indexOf(':') + 1).trim());
    }

    private static String line(String file) {
        List<String> lines = lines(file);
        return lines.isEmpty() ? UNKNOWN : lines.get(0).trim();
    }

    static List<String> lines(String file) {
        try {
            return Files.readAllLines(Path.of(file));
        } catch (IOException | UncheckedIOException e) {
            return List.of(); // not Linux, or not for us
        }
    }
}
