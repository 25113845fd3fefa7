package dev.weir.spring.boot;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import java.beans.PropertyDescriptor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.Environment;

/** Turns what the pool says about its settings into what the user wrote: property names, and the place of each. */
final class PropertyNames {
    private static final String SPRING = "spring.datasource";
    private static final Set<String> SPRINGS_OWN = Set.of("url", "username", "password", "driverClassName");

    /** The bean properties of a pool, and so what Spring binds. */
    private static final List<String> SETTINGS = Arrays.stream(BeanUtils.getPropertyDescriptors(WeirDataSource.class))
            .map(PropertyDescriptor::getName)
            .toList();

    private static final Pattern UPPER = Pattern.compile("[A-Z]");
    private static final Pattern TWO_NAMES = Pattern.compile("(\\w+) and (\\w+)(: two values for one setting .*)");
    private static final Pattern AFTER_DASH = Pattern.compile("-(.)");

    private final Environment environment;
    private final String prefix;

    PropertyNames(Environment environment, String prefix) {
        this.environment = environment;
        this.prefix = prefix;
    }

    String prefix() {
        return prefix;
    }

    /** The property that says what this setting is: the one that is there, or the one that should be. */
    String of(String setting) {
        String own = prefix + "." + dashed(setting);
        boolean springs = prefix.equals(WeirAutoConfiguration.PREFIX) && SPRINGS_OWN.contains(setting);
        return springs && find(own) == null ? SPRING + "." + dashed(setting) : own;
    }

    /** The property of the fleet that is called so, with dashes. */
    String ofFleet(String option) {
        return prefix + ".fleet." + option;
    }

    String originOfFleet(String option) {
        return originOf(find(ofFleet(option)));
    }

    /** Whether the pool's own property of this setting is there. */
    boolean isSet(String setting) {
        return find(prefix + "." + dashed(setting)) != null;
    }

    /** That property, and where it was set, if that is known. */
    String withOrigin(String setting) {
        String name = of(setting);
        return name + originOf(find(name));
    }

    /** What is wrong with the values, one line a property. */
    List<String> faultsOf(IllegalArgumentException fault) {
        List<String> faults = new ArrayList<>();
        for (String line : linesOf(fault)) {
            faults.add(translated(line));
        }
        return faults;
    }

    /** What is there under two names with two values, of which the binder takes one without a word; a line each. */
    List<String> contradictions() {
        Properties there = new Properties();
        for (String setting : SETTINGS) {
            ConfigurationProperty found = find(prefix + "." + dashed(setting));
            if (found != null) {
                there.put(setting, environment.resolvePlaceholders(String.valueOf(found.getValue())));
            }
        }
        return PoolConfig.builder().properties(there).faults().stream()
                .map(TWO_NAMES::matcher)
                .filter(Matcher::matches)
                .map(two -> withOrigin(two.group(1)) + " and " + withOrigin(two.group(2)) + two.group(3))
                .toList();
    }

    /** What is wrong with a property that could not be set, in the pool's own words. */
    List<String> faultsOf(BindException failure) {
        List<String> faults = new ArrayList<>();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnboundConfigurationPropertiesException unbound) {
                for (ConfigurationProperty property : unbound.getUnboundProperties()) {
                    faults.add(unknown(property));
                }
                return faults;
            }
        }
        return List.of(faultOf(failure.getName(), failure.getProperty(), failure));
    }

    String faultOf(ConfigurationPropertyName name, @Nullable ConfigurationProperty property, Throwable failure) {
        if (property != null) {
            String setting = settingOf(property.getName());
            for (String line : refusalOf(setting, String.valueOf(property.getValue()))) {
                if (line.startsWith(setting + ":")) {
                    return translated(line);
                }
            }
        }
        Throwable root = failure;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            root = cause;
        }
        return root instanceof IllegalArgumentException && root.getMessage() != null
                ? translated(root.getMessage())
                : name + ": " + root;
    }

    private String unknown(ConfigurationProperty property) {
        String name = property.getName().toString();
        String rest = name.substring(prefix.length() + 1);
        if (rest.startsWith("data-source.")) {
            return name + ": not a setting (did you mean " + prefix + ".data-source-properties"
                    + rest.substring("data-source".length()) + "?)" + originOf(property);
        }
        if (rest.startsWith("fleet.")) {
            String known = Arrays.stream(FleetSettings.class.getRecordComponents())
                    .map(option -> dashed(option.getName()))
                    .collect(Collectors.joining(", "));
            return name + ": not a setting of a fleet (expected: one of " + known + ")" + originOf(property);
        }
        if (rest.startsWith("hikari.")) {
            ConfigurationPropertyName key = ConfigurationPropertyName.of(rest).subName(1);
            return name + ": not read, the pool is Weir; write " + HikariNotes.instead(key, prefix)
                    + originOf(property);
        }
        String setting = camelCase(rest);
        for (String line : refusalOf(setting, String.valueOf(property.getValue()))) {
            if (line.startsWith(setting + ":")) {
                return name + line.substring(setting.length()) + originOf(property);
            }
        }
        return name + ": not a setting" + originOf(property);
    }

    /** The pool's own words on a setting of this name and value. */
    static List<String> refusalOf(String setting, Object value) {
        return PoolConfig.builder().property(setting, value).faults();
    }

    /** Whether this is the property of one setting of the pool. */
    boolean isOfPool(ConfigurationPropertyName name) {
        return ConfigurationPropertyName.of(prefix).isParentOf(name) && SETTINGS.contains(settingOf(name));
    }

    static List<String> linesOf(IllegalArgumentException fault) {
        return String.valueOf(fault.getMessage())
                .lines()
                .map(String::strip)
                .filter(line -> !line.endsWith("faults in the configuration:"))
                .toList();
    }

    /** {@code maximumPoolSize: 0 (...)} with the property's name and place. */
    String translated(String line) {
        int colon = line.indexOf(':');
        String setting = colon < 0 ? "" : line.substring(0, colon);
        if (!setting.matches("[a-z][a-zA-Z0-9]*")) {
            return prefix + ".*: " + line;
        }
        String name = of(setting);
        return name + line.substring(colon) + originOf(find(name));
    }

    private @Nullable ConfigurationProperty find(String name) {
        ConfigurationPropertyName wanted = ConfigurationPropertyName.of(name);
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty property = source.getConfigurationProperty(wanted);
            if (property != null) {
                return property;
            }
        }
        return null;
    }

    static String originOf(@Nullable ConfigurationProperty property) {
        return property == null || property.getOrigin() == null ? "" : " [" + property.getOrigin() + "]";
    }

    /** The setting that Spring bound this property to. */
    String settingOf(ConfigurationPropertyName name) {
        String letters =
                letters(name.subName(ConfigurationPropertyName.of(prefix).getNumberOfElements()));
        return SETTINGS.stream()
                .filter(setting -> setting.equalsIgnoreCase(letters))
                .findFirst()
                .orElse(letters);
    }

    /** What counts of a name: an environment variable has no case, and perhaps an underscore where words meet. */
    static String letters(ConfigurationPropertyName name) {
        return IntStream.range(0, name.getNumberOfElements())
                .mapToObj(i -> name.getElement(i, Form.UNIFORM))
                .collect(Collectors.joining());
    }

    static String dashed(String setting) {
        return UPPER.matcher(setting).replaceAll("-$0").toLowerCase(Locale.ROOT);
    }

    static String camelCase(String dashed) {
        return AFTER_DASH.matcher(dashed).replaceAll(found -> found.group(1).toUpperCase(Locale.ROOT));
    }
}
