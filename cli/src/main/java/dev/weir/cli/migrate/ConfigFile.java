package dev.weir.cli.migrate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
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
import org.yaml.snakeyaml.error.YAMLException;

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
        PropertySourceLoader loader = yaml ? new YamlPropertySourceLoader() : new PropertiesPropertySourceLoader();
        try {
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
