package dev.weir.cli.migrate;

import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * A configuration file as Spring Boot reads it: one or more documents, each a flat map of properties.
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
        String text = textOf(file, yaml ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1);
        int dash = name.indexOf('-');
        int dot = name.lastIndexOf('.');
        String profile = name.startsWith("application-") && dot > dash ? name.substring(dash + 1, dot) : null;
        try {
            return new ConfigFile(yaml, profile, yaml ? ofYaml(text) : ofProperties(text));
        } catch (YAMLException | IllegalArgumentException e) {
            throw new IOException(file + ": not " + (yaml ? "YAML" : "a properties file") + ": " + e.getMessage(), e);
        }
    }

    private static String textOf(Path file, Charset charset) throws IOException {
        try {
            return Files.readString(file, charset);
        } catch (NoSuchFileException e) {
            throw new IOException(file + ": no such file", e);
        } catch (CharacterCodingException e) {
            throw new IOException(file + ": not text in " + charset, e);
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
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

    private static List<Map<String, String>> ofYaml(String text) {
        List<Map<String, String>> documents = new ArrayList<>();
        LoaderOptions loading = new LoaderOptions();
        DumperOptions dumping = new DumperOptions();
        Yaml yaml = new Yaml(
                new SafeConstructor(loading), new Representer(dumping), dumping, loading, new WithoutTimestamps());
        for (Object document : yaml.loadAll(text)) {
            Map<String, String> flat = new TreeMap<>();
            if (document instanceof Map<?, ?> map) {
                flatten("", map, flat);
            } else if (document != null) {
                throw new IllegalArgumentException("a document that is no map");
            }
            documents.add(flat);
        }
        return documents;
    }

    /** A date is text to Spring Boot, and so is a password that looks like one. */
    private static final class WithoutTimestamps extends Resolver {
        @Override
        public void addImplicitResolver(Tag tag, Pattern regexp, @Nullable String first, int limit) {
            if (!tag.equals(Tag.TIMESTAMP)) {
                super.addImplicitResolver(tag, regexp, first, limit);
            }
        }
    }

    private static void flatten(String path, Object value, Map<String, String> flat) {
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, one) -> flatten(path.isEmpty() ? String.valueOf(key) : path + "." + key, one, flat));
        } else if (value instanceof List<?> list) {
            for (int i = 0; i < list.size(); i++) {
                flatten(path + "[" + i + "]", list.get(i), flat);
            }
        } else {
            flat.put(path, value == null ? "" : value.toString());
        }
    }

    /** Documents end at a line of {@code #---} or {@code !---}, as in Spring Boot. */
    private static List<Map<String, String>> ofProperties(String text) throws IOException {
        List<Map<String, String>> documents = new ArrayList<>();
        for (String part : text.split("(?m)^[#!]---\\s*$", -1)) {
            Properties properties = new Properties();
            try (Reader reader = new StringReader(part)) {
                properties.load(reader);
            }
            Map<String, String> flat = new TreeMap<>();
            properties.stringPropertyNames().forEach(name -> flat.put(name, properties.getProperty(name)));
            documents.add(flat);
        }
        return documents;
    }
}
