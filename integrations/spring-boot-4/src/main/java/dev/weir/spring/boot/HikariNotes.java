package dev.weir.spring.boot;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.migration.HikariProperties;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Says once which {@code spring.datasource.hikari.*} are there and not read, and what to write instead. Those that say
 * something else than the pool does, about what a transaction is, which database it is in or how many connections there may be,
 * stop the start, unless {@code prefix.ignore-hikari} is true. An application that reads them itself, or has a HikariCP pool
 * beside Weir's which may, is told nothing.
 */
final class HikariNotes {
    private static final Log LOG = LogFactory.getLog("dev.weir");
    private static final String MARK = "?"; // instead of a value, which may be a secret
    private static final ConfigurationPropertyName HIKARI = ConfigurationPropertyName.of("spring.datasource.hikari");
    private static final String OF_DRIVER = "dataSource.";

    /** What a user would miss, and learn by wrong data or a full server. */
    private static final Set<String> MEANING = Set.of(
            "autoCommit",
            "readOnly",
            "transactionIsolation",
            "schema",
            "catalog",
            "connectionInitSql",
            "url",
            "dataSourceClassName",
            "driverClassName",
            "username",
            "password");

    private static final Set<String> NOT_TEXT = Set.of("autoCommit", "readOnly", "transactionIsolation");

    private static final String HIKARIS_POOL = "com.zaxxer.hikari.HikariDataSource";

    private final Environment environment;
    private final ListableBeanFactory beans;
    private final AtomicBoolean said = new AtomicBoolean();

    HikariNotes(Environment environment, ListableBeanFactory beans) {
        this.environment = environment;
        this.beans = beans;
    }

    /**
     * What changes the meaning of the application, a line each; the others are a warning. Does nothing the second time, and
     * where no such property is set.
     */
    List<String> changesOf(PropertyNames names, WeirDataSource pool, boolean ignored) {
        if (!said.compareAndSet(false, true)) {
            return List.of();
        }
        Map<ConfigurationPropertyName, ConfigurationProperty> found = found();
        if (found.isEmpty() || isHikariThereToo() || isReadByTheApplication()) {
            return List.of();
        }
        boolean hasMinimum = found.keySet().stream()
                .map(HikariNotes::restOf)
                .anyMatch(rest -> PropertyNames.letters(rest).equals("minimumidle"));
        List<String> changes = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        found.forEach((name, property) -> {
            ConfigurationPropertyName rest = restOf(name);
            boolean alone = !(hasMinimum && PropertyNames.letters(rest).equals("maximumpoolsize"));
            String written = HIKARI + "." + asWritten(rest);
            String instead = instead(rest, names.prefix(), alone) + PropertyNames.originOf(property);
            if (!ignored && changes(rest, property, pool)) {
                changes.add(written + ": not read, the pool is Weir, and says otherwise; write " + instead + ", or set "
                        + names.prefix() + ".ignore-hikari=true");
            } else {
                notes.add(written + " -> " + instead);
            }
        });
        if (changes.isEmpty()) {
            LOG.warn("The pool is Weir, so these properties are not read:" + System.lineSeparator() + "  "
                    + String.join(System.lineSeparator() + "  ", notes));
        }
        return changes;
    }

    private boolean changes(ConfigurationPropertyName rest, ConfigurationProperty property, WeirDataSource pool) {
        String value = environment.resolvePlaceholders(String.valueOf(property.getValue()));
        return !value.isBlank() && settingsOf(rest).stream().anyMatch(setting -> changes(setting, value.strip(), pool));
    }

    private static boolean changes(String setting, String value, WeirDataSource pool) {
        if (setting.equals("maximumPoolSize")) {
            return isBelow(value, pool.getMaximumPoolSize());
        }
        if (setting.equals("password")) {
            return !value.equals(pool.getPassword());
        }
        if (setting.startsWith(OF_DRIVER)) {
            return !value.equals(pool.getDataSourceProperties().getProperty(setting.substring(OF_DRIVER.length())));
        }
        if (!MEANING.contains(setting)) {
            return false;
        }
        if (NOT_TEXT.contains(setting)) {
            String now = pool.config().values().getOrDefault(setting, setting.equals("autoCommit") ? "true" : "false");
            return !asShown(setting, value).equalsIgnoreCase(now);
        }
        return !value.equals(PropertyAccessorFactory.forBeanPropertyAccess(pool)
                .getPropertyValue(setting)); // as it is, unlike config()
    }

    private static boolean isBelow(String size, int now) {
        try {
            return Integer.parseInt(size) < now;
        } catch (NumberFormatException e) {
            return true;
        }
    }

    /** The value as the pool shows it; any other one if it is none. */
    private static String asShown(String setting, String value) {
        PoolConfig.Builder one = PoolConfig.builder().url("jdbc:none").property(setting, value);
        return one.faults().isEmpty() ? String.valueOf(one.build().values().get(setting)) : value;
    }

    private Map<ConfigurationPropertyName, ConfigurationProperty> found() {
        Map<ConfigurationPropertyName, ConfigurationProperty> found = new TreeMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource listed) {
                listed.stream()
                        .filter(HIKARI::isAncestorOf)
                        .forEach(name -> found.computeIfAbsent(name, source::getConfigurationProperty));
            }
        }
        return found;
    }

    /** By {@code @ConfigurationProperties} of its own. */
    private boolean isReadByTheApplication() {
        return Arrays.stream(beans.getBeanDefinitionNames())
                .map(name -> beans.findAnnotationOnBean(name, ConfigurationProperties.class, false))
                .filter(Objects::nonNull)
                .map(AnnotationUtils::getValue)
                .map(String::valueOf)
                .anyMatch(prefix -> prefix.equals(HIKARI.toString()) || prefix.startsWith(HIKARI + "."));
    }

    private boolean isHikariThereToo() {
        ClassLoader loader = ClassUtils.getDefaultClassLoader();
        return ClassUtils.isPresent(HIKARIS_POOL, loader)
                && beans.getBeanNamesForType(ClassUtils.resolveClassName(HIKARIS_POOL, loader), false, false).length
                        > 0;
    }

    private static ConfigurationPropertyName restOf(ConfigurationPropertyName name) {
        return name.subName(HIKARI.getNumberOfElements());
    }

    private static String asWritten(ConfigurationPropertyName name) {
        return IntStream.range(0, name.getNumberOfElements())
                .mapToObj(i -> name.getElement(i, Form.ORIGINAL))
                .collect(Collectors.joining("."));
    }

    /** What to write under this prefix for a property of HikariCP's, where no other one of them is set. */
    static String instead(ConfigurationPropertyName rest, String prefix) {
        return instead(rest, prefix, true);
    }

    /** A maximum is a minimum too there, unless that is set. */
    private static String instead(ConfigurationPropertyName rest, String prefix, boolean alone) {
        if (isOfDriver(rest)) {
            return prefix + ".data-source-properties." + asWritten(rest.subName(1));
        }
        HikariProperties translated = translated(rest);
        List<String> names = marked(translated)
                .filter(setting -> alone || !setting.equals("minimumPoolSize"))
                .map(setting -> prefix + "." + PropertyNames.dashed(setting))
                .toList();
        String remarks = Stream.concat(translated.refused().stream(), translated.notes().stream())
                .map(remark -> remark.substring(remark.indexOf(':') + 1).strip())
                .collect(Collectors.joining("; "));
        return (names.isEmpty() ? "none" : String.join(", ", names)) + (remarks.isEmpty() ? "" : " (" + remarks + ")");
    }

    /** The settings that a property of HikariCP's is about. */
    private static List<String> settingsOf(ConfigurationPropertyName rest) {
        return isOfDriver(rest)
                ? List.of(OF_DRIVER + asWritten(rest.subName(1)))
                : marked(translated(rest)).toList();
    }

    private static boolean isOfDriver(ConfigurationPropertyName rest) {
        return rest.getNumberOfElements() > 1
                && rest.getElement(0, Form.UNIFORM).equals("datasourceproperties");
    }

    private static HikariProperties translated(ConfigurationPropertyName rest) {
        Properties one = new Properties();
        one.setProperty(propertyOf(PropertyNames.letters(rest)), MARK);
        return HikariProperties.of(one);
    }

    private static Stream<String> marked(HikariProperties translated) {
        return translated.settings().entrySet().stream()
                .filter(setting -> MARK.equals(setting.getValue()))
                .map(Map.Entry::getKey);
    }

    private static String propertyOf(String letters) {
        return HikariProperties.names().stream()
                .filter(name -> name.equalsIgnoreCase(letters))
                .findFirst()
                .orElse(letters);
    }
}
