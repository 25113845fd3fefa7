package dev.weir.spring.boot;

import dev.weir.migration.HikariProperties;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Says once which {@code spring.datasource.hikari.*} are there and not read, and what to write instead. An application that
 * has a HikariCP pool beside Weir's may read them, and is told nothing.
 */
final class HikariNotes {
    private static final Log LOG = LogFactory.getLog("dev.weir");
    private static final String MARK = "?"; // instead of a value, which may be a secret
    private static final ConfigurationPropertyName HIKARI = ConfigurationPropertyName.of("spring.datasource.hikari");

    private static final String HIKARIS_POOL = "com.zaxxer.hikari.HikariDataSource";

    private final Environment environment;
    private final ListableBeanFactory beans;
    private final AtomicBoolean said = new AtomicBoolean();

    HikariNotes(Environment environment, ListableBeanFactory beans) {
        this.environment = environment;
        this.beans = beans;
    }

    /** Does nothing the second time, and where no such property is set. */
    void pointOut(String prefix) {
        if (said.compareAndSet(false, true) && !isHikariThereToo()) {
            List<String> notes = notes(prefix);
            if (!notes.isEmpty()) {
                LOG.warn("The pool is Weir, so these properties are not read:" + System.lineSeparator() + "  "
                        + String.join(System.lineSeparator() + "  ", notes));
            }
        }
    }

    private boolean isHikariThereToo() {
        ClassLoader loader = ClassUtils.getDefaultClassLoader();
        return ClassUtils.isPresent(HIKARIS_POOL, loader)
                && beans.getBeanNamesForType(ClassUtils.resolveClassName(HIKARIS_POOL, loader), false, false).length
                        > 0;
    }

    private List<String> notes(String prefix) {
        List<String> notes = new ArrayList<>();
        Map<ConfigurationPropertyName, ConfigurationProperty> found = new TreeMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource listed) {
                listed.stream()
                        .filter(HIKARI::isAncestorOf)
                        .forEach(name -> found.computeIfAbsent(name, source::getConfigurationProperty));
            }
        }
        boolean hasMinimum = found.keySet().stream()
                .map(HikariNotes::restOf)
                .anyMatch(rest -> PropertyNames.letters(rest).equals("minimumidle"));
        found.forEach((name, property) -> {
            ConfigurationPropertyName rest = restOf(name);
            boolean alone = !(hasMinimum && PropertyNames.letters(rest).equals("maximumpoolsize"));
            notes.add(HIKARI + "." + asWritten(rest) + " -> " + instead(rest, prefix, alone)
                    + PropertyNames.originOf(property));
        });
        return notes;
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
        if (rest.getNumberOfElements() > 1 && rest.getElement(0, Form.UNIFORM).equals("datasourceproperties")) {
            return prefix + ".data-source-properties." + asWritten(rest.subName(1));
        }
        Properties one = new Properties();
        one.setProperty(propertyOf(PropertyNames.letters(rest)), MARK);
        HikariProperties translated = HikariProperties.of(one);
        List<String> names = translated.settings().entrySet().stream()
                .filter(setting -> MARK.equals(setting.getValue()))
                .filter(setting -> alone || !setting.getKey().equals("minimumPoolSize"))
                .map(setting -> prefix + "." + PropertyNames.dashed(setting.getKey()))
                .toList();
        String remarks = Stream.concat(translated.refused().stream(), translated.notes().stream())
                .map(remark -> remark.substring(remark.indexOf(':') + 1).strip())
                .collect(Collectors.joining("; "));
        return (names.isEmpty() ? "none" : String.join(", ", names)) + (remarks.isEmpty() ? "" : " (" + remarks + ")");
    }

    private static String propertyOf(String letters) {
        return HikariProperties.names().stream()
                .filter(name -> name.equalsIgnoreCase(letters))
                .findFirst()
                .orElse(letters);
    }
}
