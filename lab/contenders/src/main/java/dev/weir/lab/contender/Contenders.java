package dev.weir.lab.contender;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** All contenders, by name. */
public final class Contenders {
    private static final Map<String, Contender> ALL = byName(List.of(
            new WeirContender(),
            new HikariContender(),
            new TomcatContender(),
            new Dbcp2Contender(),
            new C3p0Contender(),
            new BoneCpContender(),
            new ViburContender(),
            new AgroalContender(),
            new BeeContender(),
            new DruidContender(),
            new ProxoolContender(),
            new NoneContender(),
            new RawContender()));

    private static final Pattern WITH_PARAMETERS = Pattern.compile("([\\w-]+)\\[(.*)]");
    private static final Pattern DEFINITION = Pattern.compile("([\\w-]+)=([\\w.$]+)(?:\\?(.*))?");

    private Contenders() {}

    /** Without a lambda: where the first seconds of a pool are measured, none is to be linked before. */
    private static Map<String, Contender> byName(List<Contender> contenders) {
        Map<String, Contender> byName = new LinkedHashMap<>();
        for (Contender contender : contenders) {
            byName.put(contender.name(), contender);
        }
        return byName;
    }

    /** Returns every contender of the laboratory. */
    public static List<Contender> all() {
        return List.copyOf(ALL.values());
    }

    /**
     * Returns a contender.
     *
     * @throws IllegalArgumentException naming all contenders, if there is none of this name
     */
    public static Contender named(String name) {
        Contender contender = ALL.get(name);
        if (contender == null) {
            throw new IllegalArgumentException(
                    "pool: " + name + " (expected: " + String.join(", ", ALL.keySet()) + ")");
        }
        return contender;
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
