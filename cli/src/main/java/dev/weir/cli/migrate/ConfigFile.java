package dev.weir.cli.migrate;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.PropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.CollectionEndEvent;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.reader.UnicodeReader;

/**
 * A configuration file as the loaders of Spring Boot read it: one or more documents, each a flat map of properties.
 *
 * @param yaml whether it is YAML, else properties
 * @param profile the profile that the file's name says, as in application-prod.yml, or null
 * @param documents in the order of the file
 */
record ConfigFile(boolean yaml, @Nullable String profile, List<Map<String, String>> documents) {
    private static final Map<String, String> CONDITIONS = Map.of(
            "spring.config.activate.onprofile", "spring.config.activate.on-profile",
            "spring.config.activate.oncloudplatform", "spring.config.activate.on-cloud-platform",
            "spring.profiles", "spring.config.activate.on-profile"); // the last one before Spring Boot 2.4
    private static final int MOST_BYTES = 1_000_000;
    private static final int MOST_VALUES = 100_000;
    private static final int DEEPEST = 50;
    private static final Pattern ELEMENT = Pattern.compile("\\[\\d+]$");

    /** Throws IOException if the file cannot be read, or is not what its name says. */
    static ConfigFile read(Path file) throws IOException {
        String name = String.valueOf(file.getFileName());
        boolean yaml = name.toLowerCase(Locale.ROOT).matches(".*\\.ya?ml");
        int dash = name.indexOf('-');
        int dot = name.lastIndexOf('.');
        String profile = name.startsWith("application-") && dot > dash ? name.substring(dash + 1, dot) : null;
        byte[] text;
        try {
            text = Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw new IOException(file + ": no such file", e);
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
        return new ConfigFile(yaml, profile, read(file.toString(), text, yaml).documents());
    }

    /** Throws IOException with the name if the text is not what it should be. */
    static ConfigFile read(String name, byte[] text, boolean yaml) throws IOException {
        if (text.length > MOST_BYTES) {
            throw new IOException(name + ": more than " + MOST_BYTES + " bytes (expected: a configuration)");
        }
        PropertySourceLoader loader = yaml ? new YamlPropertySourceLoader() : new PropertiesPropertySourceLoader();
        try {
            if (yaml) {
                bound(name, text);
            }
            List<Map<String, String>> documents = new ArrayList<>();
            for (PropertySource<?> document : loader.load(name, new ByteArrayResource(text))) {
                documents.add(flat((EnumerablePropertySource<?>) document));
            }
            return new ConfigFile(yaml, null, documents);
        } catch (YAMLException | IllegalArgumentException | IllegalStateException e) {
            throw new IOException(name + ": not " + (yaml ? "YAML" : "a properties file") + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw new IOException(name + ": " + e.getMessage(), e);
        }
    }

    /** Refuses what is small as text and without end, or nearly so, when its aliases are followed. */
    private static void bound(String name, byte[] text) throws IOException {
        Map<String, Long> anchors = new HashMap<>();
        Deque<String> openAnchors = new ArrayDeque<>();
        Deque<Long> open = new ArrayDeque<>(List.of(0L));
        for (Event event : new Yaml().parse(new UnicodeReader(new ByteArrayInputStream(text)))) {
            long more = 1;
            if (event instanceof AliasEvent alias) {
                if (openAnchors.contains(alias.getAnchor())) {
                    throw new IOException(
                            name + ": the alias *" + alias.getAnchor() + " is inside of what it stands for");
                }
                more = anchors.getOrDefault(alias.getAnchor(), 1L);
            } else if (event instanceof CollectionStartEvent start) {
                openAnchors.push(start.getAnchor() == null ? "" : start.getAnchor());
                open.push(0L);
            } else if (event instanceof CollectionEndEvent) {
                more = open.pop() + 1;
                anchors.put(openAnchors.pop(), more);
            } else if (event instanceof ScalarEvent scalar && scalar.getAnchor() != null) {
                anchors.put(scalar.getAnchor(), 1L);
            }
            if (!(event instanceof CollectionStartEvent)) {
                open.push(open.pop() + more);
            }
            if (open.element() > MOST_VALUES || open.size() > DEEPEST) {
                throw new IOException(
                        name + ": more than " + MOST_VALUES + " values when its aliases are followed, or nested more"
                                + " than " + DEEPEST + " deep (expected: a configuration)");
            }
        }
    }

    private static Map<String, String> flat(EnumerablePropertySource<?> document) {
        Map<String, String> flat = new TreeMap<>();
        for (String name : document.getPropertyNames()) {
            flat.put(name, Objects.toString(document.getProperty(name), ""));
        }
        return flat;
    }

    /** The properties that say when a document is in force, a list as one text with commas; empty for always. */
    static Map<String, String> condition(Map<String, String> document) {
        Map<String, String> condition = new TreeMap<>();
        document.forEach((key, value) -> {
            String name = ELEMENT.matcher(key).replaceFirst("").replaceAll("[-_]", "");
            String written = CONDITIONS.get(name.toLowerCase(Locale.ROOT));
            if (written != null) {
                condition.merge(written, value, (before, more) -> before + "," + more);
            }
        });
        return condition;
    }
}
