package dev.weir.lab.migrate;

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
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * A configuration file as Spring Boot reads it: one or more documents, each a flat map of properties.
 *
 * @param yaml whether it is YAML, else properties
 * @param profile the profile that the file's name says, as in application-prod.yml, or null
 * @param documents in the order of the file
 */
record ConfigFile(boolean yaml, @Nullable String profile, List<Map<String, String>> documents) {
    private static final String ON_PROFILE = "spring.config.activate.on-profile";
    private static final String ON_PROFILE_BEFORE_2_4 = "spring.profiles";

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

    /** The profile expression under which a document is in force, or null for always. */
    static @Nullable String condition(Map<String, String> document) {
        String before = document.get(ON_PROFILE_BEFORE_2_4);
        return document.getOrDefault(ON_PROFILE, before);
    }

    private static List<Map<String, String>> ofYaml(String text) {
        List<Map<String, String>> documents = new ArrayList<>();
        for (Object document : new Yaml(new SafeConstructor(new LoaderOptions())).loadAll(text)) {
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
