package dev.weir.micrometer;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What Prometheus would read of a registry, taken apart. */
final class Scrape {
    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][\\w:]*)(?:\\{(.*)\\})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

    /** One line. */
    record Sample(String name, Map<String, String> labels, double value) {}

    final List<Sample> samples = new ArrayList<>();
    final Map<String, String> types = new TreeMap<>();
    final Map<String, String> helps = new TreeMap<>();

    Scrape(PrometheusMeterRegistry registry) {
        registry.scrape().lines().forEach(this::read);
    }

    private void read(String line) {
        String[] words = line.split(" ", 4);
        if (line.startsWith("# TYPE ")) {
            types.put(words[2], words[3]);
        } else if (line.startsWith("# HELP ")) {
            helps.put(words[2], words[3]);
        } else if (!line.isEmpty()) {
            Matcher sample = SAMPLE.matcher(line);
            if (!sample.matches()) {
                throw new AssertionError("not a sample: " + line);
            }
            Map<String, String> labels = new LinkedHashMap<>();
            Matcher label = LABEL.matcher(sample.group(2) == null ? "" : sample.group(2));
            while (label.find()) {
                labels.put(label.group(1), label.group(2));
            }
            samples.add(new Sample(sample.group(1), labels, Double.parseDouble(sample.group(3))));
        }
    }

    /** The names, with the names of the labels, of the samples of this pool. */
    Set<String> shapeOf(String pool) {
        return samples.stream()
                .filter(sample -> pool.equals(sample.labels.get("pool")))
                .map(sample -> sample.name + new TreeSet<>(sample.labels.keySet()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The one value of this name that has these labels ({@code "key=value"}). */
    double value(String name, String... labels) {
        List<Sample> found = samples.stream()
                .filter(sample -> sample.name.equals(name))
                .filter(sample -> List.of(labels).stream().allMatch(label -> {
                    String[] parts = label.split("=", 2);
                    return parts[1].equals(sample.labels.get(parts[0]));
                }))
                .toList();
        if (found.size() != 1) {
            throw new AssertionError(name + List.of(labels) + ": " + found);
        }
        return found.get(0).value;
    }
}
