package dev.weir.lab.contender;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** All contenders, by name; most are a file of properties, see {@link BeanContender}. */
public final class Contenders {
    private static final List<String> NAMES = List.of(
            "weir", "hikari", "tomcat", "dbcp2", "c3p0", "bonecp", "vibur", "agroal", "beecp", "druid", "none", "raw");

    private static final Pattern WITH_PARAMETERS = Pattern.compile("([\\w-]+)\\[(.*)]");
    private static final Pattern DEFINITION = Pattern.compile("([\\w-]+)=([\\w.$]+)(?:\\?(.*))?");

    private Contenders() {}

    /** Returns the names of all contenders but these. */
    public static List<String> allBut(String... names) {
        List<String> all = new ArrayList<>(NAMES);
        all.removeAll(List.of(names));
        return all;
    }

    /**
     * Returns a contender.
     *
     * @throws IllegalArgumentException naming all contenders, if there is none of this name
     */
    public static Contender named(String name) {
        if (!NAMES.contains(name)) {
            throw new IllegalArgumentException("pool: " + name + " (expected: " + String.join(", ", NAMES) + ")");
        }
        return switch (name) {
            case "weir" -> new WeirContender();
            case "hikari" -> new HikariContender();
            case "agroal" -> new AgroalContender();
            case "none" -> new NoneContender();
            case "raw" -> new RawContender();
            default -> BeanContender.preset(name);
        };
    }

    /**
     * Returns the pools of a run, by label.
     *
     * @param definitions as {@link #parse} reads them
     * @param classPath where else to look for classes
     * @throws IllegalArgumentException naming the pool that is unknown, wrong, or named twice
     */
    public static Map<String, Entrant> parseAll(List<String> definitions, List<String> classPath) {
        ClassLoader loader = ExtraClassPath.loader(classPath);
        Map<String, Entrant> byLabel = new LinkedHashMap<>();
        for (String definition : definitions) {
            Entrant entrant = parse(definition, loader);
            if (byLabel.put(entrant.label(), entrant) != null) {
                throw new IllegalArgumentException("pool: " + entrant.label() + " (expected: each only once)");
            }
        }
        return byLabel;
    }

    /** {@link #parse(String, ClassLoader)} with the classes of the laboratory. */
    public static Entrant parse(String text) {
        return parse(text, Contenders.class.getClassLoader());
    }

    /**
     * Understands a name ({@code weir}), a name with parameters ({@code c3p0[helperThreads=10]}), or the definition of a pool
     * that is not the laboratory's own ({@code name=class?property=value&...}).
     *
     * @param loader finds the classes of definitions
     * @throws IllegalArgumentException if the text is none of these, saying what is wrong
     */
    public static Entrant parse(String text, ClassLoader loader) {
        Matcher definition = DEFINITION.matcher(text);
        if (definition.matches()) {
            Properties properties = new Properties();
            properties.setProperty("class", definition.group(2));
            properties.setProperty(
                    "limits", "set up by its properties alone; whether it is as safe as the others is not known");
            pairs(definition.group(3), "&", text)
                    .forEach((name, value) -> properties.setProperty("set." + name, value));
            String name = definition.group(1);
            return new Entrant(name, text, new BeanContender(name, properties, loader), Map.of());
        }
        Matcher parameters = WITH_PARAMETERS.matcher(text);
        if (parameters.matches()) {
            Contender contender = named(parameters.group(1));
            Map<String, String> values = pairs(parameters.group(2), ";", text);
            values.keySet().forEach(contender::checkParameter);
            return new Entrant(text, text, contender, values);
        }
        if (text.indexOf('=') >= 0) {
            throw new IllegalArgumentException("pool: " + text + " (expected: name=class?property=value&..., a name of"
                    + " letters, digits, _ and -; or name[parameter=value;...])");
        }
        return new Entrant(text, text, named(text), Map.of());
    }

    private static Map<String, String> pairs(@Nullable String text, String separator, String whole) {
        Map<String, String> pairs = new LinkedHashMap<>();
        if (text == null || text.isEmpty()) {
            return pairs;
        }
        Arrays.stream(text.split(Pattern.quote(separator), -1)).forEach(pair -> {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("pool: " + whole + " (expected: name=value, separated by "
                        + separator + ", instead of '" + pair + "')");
            }
            pairs.put(pair.substring(0, equals), pair.substring(equals + 1));
        });
        return pairs;
    }
}
