package dev.weir.lab.contender;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** All contenders, by name. */
public final class Contenders {
    private static final List<String> NAMES = List.of(
            "weir", "hikari", "tomcat", "dbcp2", "c3p0", "bonecp", "vibur", "agroal", "beecp", "druid", "proxool",
            "none", "raw");

    /** Those that were asked for. */
    private static final Map<String, Contender> MADE = new ConcurrentHashMap<>();

    private static final Pattern WITH_PARAMETERS = Pattern.compile("([\\w-]+)\\[(.*)]");
    private static final Pattern DEFINITION = Pattern.compile("([\\w-]+)=([\\w.$]+)(?:\\?(.*))?");

    private Contenders() {}

    /** Returns every contender of the laboratory. */
    public static List<Contender> all() {
        return NAMES.stream().map(Contenders::named).toList();
    }

    /**
     * Returns a contender.
     *
     * @throws IllegalArgumentException naming all contenders, if there is none of this name
     */
    public static Contender named(String name) {
        Contender known = MADE.get(name);
        if (known != null) {
            return known;
        }
        Contender made = make(name);
        Contender first = MADE.putIfAbsent(name, made);
        return first == null ? made : first;
    }

    /** Without a lambda, and only the one asked for: the first seconds of a pool are measured without the other pools. */
    private static Contender make(String name) {
        return switch (name) {
            case "weir" -> new WeirContender();
            case "hikari" -> new HikariContender();
            case "tomcat" -> new TomcatContender();
            case "dbcp2" -> new Dbcp2Contender();
            case "c3p0" -> new C3p0Contender();
            case "bonecp" -> new BoneCpContender();
            case "vibur" -> new ViburContender();
            case "agroal" -> new AgroalContender();
            case "beecp" -> new BeeContender();
            case "druid" -> new DruidContender();
            case "proxool" -> new ProxoolContender();
            case "none" -> new NoneContender();
            case "raw" -> new RawContender();
            default ->
                throw new IllegalArgumentException("pool: " + name + " (expected: " + String.join(", ", NAMES) + ")");
        };
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
            Map<String, String> properties = pairs(definition.group(3), "&", text);
            return new Entrant(
                    definition.group(1),
                    text,
                    new BeanContender(definition.group(1), definition.group(2), properties, loader),
                    Map.of());
        }
        Matcher parameters = WITH_PARAMETERS.matcher(text);
        if (parameters.matches()) {
            Contender contender = named(parameters.group(1));
            Map<String, String> values = pairs(parameters.group(2), ";", text);
            for (String name : values.keySet()) {
                if (!contender.parameters().contains(name)) {
                    throw new IllegalArgumentException("pool %s: parameter %s (expected: %s)"
                            .formatted(contender.name(), name, new TreeSet<>(contender.parameters())));
                }
            }
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
