package dev.weir.cli.migrate;

import java.io.IOException;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/** Settings as the text of a file. */
final class Writer {
    /** What is below goes to the driver, whose names may have dots in them. */
    private static final Pattern DRIVERS = Pattern.compile(
            "((?:.*\\.)?(?:data-source-properties|(?<!spring\\.jpa\\.)properties))\\.?((?<=\\.)(?!hibernate\\.).+|\\[.+)");

    private Writer() {}

    static String asProperties(Map<String, String> values) {
        StringBuilder text = new StringBuilder();
        values.forEach((name, value) -> text.append(line(name, value)).append(System.lineSeparator()));
        return text.toString();
    }

    /** Escaped as Properties do it, without the date that they write before it. */
    private static String line(String name, String value) {
        Properties one = new Properties();
        one.setProperty(name, value);
        StringWriter text = new StringWriter();
        try {
            one.store(text, null);
        } catch (IOException e) {
            throw new IllegalStateException(e); // a StringWriter does not fail
        }
        return text.toString()
                .lines()
                .filter(line -> !line.startsWith("#"))
                .findFirst()
                .orElseThrow();
    }

    static String asYaml(Map<String, String> values) {
        Map<String, Object> tree = new LinkedHashMap<>();
        values.forEach((name, value) -> {
            Matcher map = DRIVERS.matcher(name);
            String path = map.matches() && !name.startsWith("spring.config.") ? map.group(1) : name;
            Map<String, Object> parent = tree;
            String[] parts = path.split("\\.", -1);
            for (int i = 0; i < parts.length - (path.equals(name) ? 1 : 0); i++) {
                parent = child(parent, parts[i]);
            }
            // the driver's names may have dots in them, which are no levels
            parent.put(path.equals(name) ? parts[parts.length - 1] : map.group(2), plain(value));
        });
        return yaml(tree);
    }

    private static String yaml(Object value) {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setSplitLines(false);
        return new Yaml(options).dump(value);
    }

    /** A value, or with quotes a name, in one line of YAML. */
    static String scalar(String value, boolean isName) {
        return yaml(isName ? value : plain(value)).strip();
    }

    /** A name in a properties file. */
    static String name(String name) {
        return line(name, "").replaceFirst("=$", "");
    }

    @SuppressWarnings("unchecked") // only maps are put under names that are not the last
    private static Map<String, Object> child(Map<String, Object> parent, String name) {
        return (Map<String, Object>) parent.computeIfAbsent(name, key -> new LinkedHashMap<String, Object>());
    }

    /** Numbers and truth values without quotes. */
    private static Object plain(String value) {
        if (value.equals("true") || value.equals("false")) {
            return Boolean.valueOf(value);
        }
        return value.matches("0|[1-9]\\d{0,8}") ? (Object) Integer.valueOf(value) : value;
    }

    /** A resource of Tomcat's. */
    static String asResource(String name, Map<String, String> values) {
        StringBuilder text = new StringBuilder(
                "<Resource name=\"" + escaped(name)
                        + "\" auth=\"Container\" type=\"dev.weir.WeirDataSource\" factory=\"dev.weir.WeirObjectFactory\" closeMethod=\"close\"");
        values.forEach((key, value) -> text.append(System.lineSeparator())
                .append("          ")
                .append(key)
                .append("=\"")
                .append(escaped(value))
                .append('"'));
        return text.append("/>").append(System.lineSeparator()).toString();
    }

    /** The elements of a persistence unit. */
    static String asElements(Map<String, String> values) {
        StringBuilder text = new StringBuilder();
        values.forEach((name, value) -> text.append("<property name=\"")
                .append(escaped(name))
                .append("\" value=\"")
                .append(escaped(value))
                .append("\"/>")
                .append(System.lineSeparator()));
        return text.toString();
    }

    private static String escaped(String value) {
        return value.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
}
