package dev.weir.cli.migrate;

import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The properties of one pool under one prefix, as hikari under spring.datasource.
 *
 * @param prefix what stands before the pool's properties, and before its name, if that is there
 * @param pool the key of the pool
 * @param form how the keys are written
 */
record Group(String prefix, String pool, Form form) {
    private static final Pattern NAMED = Pattern.compile("(.+)\\.(hikari|tomcat|dbcp2|c3p0)\\.(.+)");
    private static final Pattern MICRONAUT = Pattern.compile("(datasources\\.[^.]+)\\.(.+)");
    private static final Pattern QUARKUS = Pattern.compile(
            "((?:%[^.]+\\.)?quarkus\\.datasource(?:\\.\"[^\"]+\"|\\.(?!jdbc|reactive|username|password|db-|health|metrics|active"
                    + "|devservices|credentials)[^.]+)?)\\.(.+)");
    private static final Pattern OF_MAP = Pattern.compile("([^.\\[]+)\\.?(\\[.+]|(?<=\\.).+)");

    private static final Pattern DASH = Pattern.compile("-([a-z])");
    private static final String DRIVERS = "dataSource.";

    /** HikariCP's system properties have its name in them too, and are no pool. */
    private static final String SYSTEM = "com.zaxxer";

    /** Hibernate's short names of c3p0's properties. */
    private static final Map<String, String> HIBERNATE_C3P0 = Map.of(
            "max_size", "maxPoolSize",
            "min_size", "minPoolSize",
            "timeout", "maxIdleTime",
            "idle_test_period", "idleConnectionTestPeriod");

    /** What every data source of Dropwizard's has, Weir's too. */
    private static final Set<String> DROPWIZARDS = Set.of("autoCommentsEnabled", "validationQueryTimeout");

    /** How the keys of a pool are written, and those of Weir's in their place. */
    enum Form {
        /** {@code spring.datasource.hikari.maximum-pool-size}: Weir's name takes the place of the pool's. */
        NAMED,
        /** {@code datasources.default.maximum-pool-size}: the keys have no name of a pool. */
        MICRONAUT,
        /** {@code database.maxSize}: the keys have no name of a pool. */
        DROPWIZARD,
        /** {@code quarkus.datasource.jdbc.max-size}: Weir has no place there, and gets a file of its own names. */
        OWN
    }

    /** A key of a document: whose it is, and the pool's own name of the property. */
    record Key(Group group, String name) {}

    /** The prefixes of what Dropwizard calls a data source factory: a driver's class and a url beside each other. */
    static Set<String> ofDropwizard(Map<String, String> document) {
        return document.keySet().stream()
                .filter(key -> key.endsWith(".driverClass"))
                .map(key -> key.substring(0, key.length() - ".driverClass".length()))
                .filter(prefix -> document.containsKey(prefix + ".url") && !prefix.contains("datasource"))
                .collect(Collectors.toSet());
    }

    /**
     * Returns whose key this is, or null if it is no pool's.
     *
     * @param micronaut the pool that Micronaut's data sources are made of
     */
    static @Nullable Key of(String key, Set<String> ofDropwizard, String micronaut) {
        Matcher quarkus = QUARKUS.matcher(key);
        if (quarkus.matches()) {
            Group group = new Group(quarkus.group(1), "quarkus", Form.OWN);
            String name = quarkus.group(2);
            String driver = "jdbc.additional-jdbc-properties.";
            return name.startsWith(driver)
                    ? new Key(
                            group,
                            "dataSource." + name.substring(driver.length()).replace("\"", ""))
                    : isOf(group.pool, name) || name.startsWith("jdbc.") ? new Key(group, name) : null;
        }
        for (String prefix : ofDropwizard) {
            if (key.startsWith(prefix + ".")) {
                Group group = new Group(prefix, "dropwizard", Form.DROPWIZARD);
                String name = key.substring(prefix.length() + 1);
                if (DROPWIZARDS.contains(name)) {
                    return null;
                }
                return new Key(
                        group,
                        name.startsWith("properties.") ? "dataSource." + name.substring("properties.".length()) : name);
            }
        }
        Matcher named = NAMED.matcher(key);
        if (named.matches() && !key.startsWith(SYSTEM + ".")) {
            Group group = new Group(named.group(1), named.group(2), Form.NAMED);
            return new Key(group, nameOf(group, named.group(3)));
        }
        Matcher data = MICRONAUT.matcher(key);
        if (data.matches()) {
            Group group = new Group(data.group(1), micronaut, Form.MICRONAUT);
            String name = nameOf(
                    group,
                    data.group(2).equals("url") && micronaut.equals(Translation.HIKARI) ? "jdbcUrl" : data.group(2));
            return name.startsWith("dataSource.") || isOf(micronaut, name) ? new Key(group, name) : null;
        }
        return null;
    }

    private static boolean isOf(String pool, String name) {
        return Translation.names(pool).contains(name);
    }

    /**
     * The pool's own name of what Spring takes in many ways of writing: {@code maximum-pool-size}, {@code maximum_pool_size},
     * {@code MAXIMUMPOOLSIZE}. {@code data-source-properties.x} is {@code dataSource.x}; brackets, which Spring needs where x
     * has signs of its own, are kept.
     */
    private static String nameOf(Group group, String key) {
        Matcher ofMap = OF_MAP.matcher(key);
        if (ofMap.matches() && Set.of("datasourceproperties", "datasource").contains(letters(ofMap.group(1)))) {
            return "dataSource." + ofMap.group(2);
        }
        if (group.pool.equals("c3p0") && group.isHibernates() && HIBERNATE_C3P0.containsKey(key)) {
            return Objects.requireNonNull(HIBERNATE_C3P0.get(key));
        }
        return Translation.names(group.pool).stream()
                .filter(name -> letters(name).equals(letters(key)))
                .findFirst()
                .orElse(key);
    }

    private static String letters(String name) {
        return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
    }

    private boolean isHibernates() {
        return prefix.equals("hibernate") || prefix.endsWith(".hibernate");
    }

    /** Where it stands in the file, for messages. */
    String where() {
        return form == Form.NAMED ? prefix + "." + pool : prefix;
    }

    /** The key of this setting of Weir's, written as it is in such a file. */
    String keyOf(String setting) {
        if (setting.startsWith(DRIVERS)) {
            String name = setting.substring(DRIVERS.length());
            return name.startsWith("[") ? driversOf() + name : driversOf() + "." + name;
        }
        String name = form == Form.MICRONAUT || (form == Form.NAMED && !isHibernates()) ? dashed(setting) : setting;
        return form == Form.OWN ? name : weirs() + "." + name;
    }

    /** The settings among these keys of Weir's, by their names. */
    Map<String, String> settings(Map<String, String> values) {
        Map<String, String> settings = new TreeMap<>();
        values.forEach((key, value) -> {
            if (key.startsWith(driversOf() + ".") || key.startsWith(driversOf() + "[")) {
                settings.put(DRIVERS + key.substring(driversOf().length() + 1).replace("]", ""), value);
            } else if (form != Form.OWN && key.startsWith(weirs() + ".")) {
                settings.put(camelled(key.substring(weirs().length() + 1)), value);
            }
        });
        return settings;
    }

    private static String camelled(String name) {
        return DASH.matcher(name).replaceAll(letter -> letter.group(1).toUpperCase(Locale.ROOT));
    }

    /** What stands before the settings of Weir's. */
    String weirs() {
        return form == Form.NAMED ? prefix + ".weir" : prefix;
    }

    /** What stands before the names of the driver's properties. */
    String driversOf() {
        return switch (form) {
            case OWN -> "dataSource";
            case DROPWIZARD -> prefix + ".properties";
            case MICRONAUT -> prefix + ".data-source-properties";
            case NAMED -> weirs() + (isHibernates() ? ".dataSource" : ".data-source-properties");
        };
    }

    private static String dashed(String name) {
        return name.replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
    }
}
