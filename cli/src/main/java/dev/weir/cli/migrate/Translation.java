package dev.weir.cli.migrate;

import dev.weir.PoolConfig;
import dev.weir.migration.HikariProperties;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One pool's properties in Weir's words.
 *
 * @param settings Weir's settings by name, secrets included
 * @param notes what to know, a line each
 * @param dropped what has no counterpart or is unknown, a line each
 * @param defaults the settings that are there only because the other pool has another default
 */
record Translation(Map<String, String> settings, List<String> notes, List<String> dropped, Set<String> defaults) {
    static final String HIKARI = "hikari";
    private static final String EXCESS = "maxIdleTimeExcessConnections";
    private static final String ABANDONED = "removeAbandonedTimeout";

    /** Translates what a pool of this key was configured with. */
    static Translation of(String pool, Map<String, String> properties) {
        return pool.equals(HIKARI) ? ofHikari(properties) : ofForeign(foreign(pool), properties);
    }

    /** The settings that a property may have become, the likeliest first. */
    static List<String> settings(String pool, String name) {
        if (name.startsWith("dataSource.")) {
            return List.of(name);
        }
        if (pool.equals(HIKARI)) {
            return switch (name) {
                case "jdbcUrl" -> List.of("url");
                case "minimumIdle" -> List.of("minimumIdle", "minimumPoolSize");
                default -> List.of(name);
            };
        }
        ForeignProperty property = foreign(pool).find(name);
        return property == null || property.setting().isEmpty() ? List.of() : List.of(property.setting());
    }

    /** The names of all properties of the pool of this key. */
    static List<String> names(String pool) {
        return pool.equals(HIKARI)
                ? HikariProperties.names()
                : foreign(pool).properties().stream().map(ForeignProperty::name).toList();
    }

    private static ForeignPool foreign(String key) {
        for (ForeignPool pool : ForeignPool.values()) {
            if (pool.key().equals(key)) {
                return pool;
            }
        }
        throw new IllegalArgumentException(key + ": not a pool that can be translated");
    }

    private static Translation ofHikari(Map<String, String> given) {
        Properties properties = new Properties();
        properties.putAll(given);
        HikariProperties hikari = HikariProperties.of(properties);
        Map<String, String> settings = new TreeMap<>();
        hikari.settings().forEach((name, value) -> settings.put(name, value.toString()));
        Set<String> defaults = new TreeSet<>();
        HikariProperties.of(new Properties()).settings().forEach((name, value) -> {
            if (!given.containsKey(name)
                    && !name.startsWith("minimum")
                    && value.toString().equals(settings.get(name))) {
                defaults.add(name);
            }
        });
        return new Translation(settings, hikari.notes(), hikari.refused(), defaults);
    }

    private static Translation ofForeign(ForeignPool pool, Map<String, String> given) {
        Map<String, String> settings = new TreeMap<>();
        List<String> notes = new ArrayList<>();
        List<String> dropped = new ArrayList<>();
        Map<String, String> sorted = new TreeMap<>(given);
        if (given.containsKey(EXCESS) && sorted.remove("maxIdleTime") != null) {
            notes.add("maxIdleTime: left out, as " + EXCESS + " is idleTimeout; maxLifetime bounds the age of all");
        }
        sorted.forEach((name, value) -> {
            ForeignProperty property = pool.find(name);
            if (name.startsWith("dataSource.")) {
                settings.put(name, value);
            } else if (property == null) {
                dropped.add(name + ": not a property of " + pool.title());
            } else if (name.equals("connectionProperties")) {
                connectionProperties(value, settings);
            } else if (property.setting().isEmpty()) {
                if (!value.equals(property.byDefault()) || value.isEmpty()) {
                    (property.always() ? notes : dropped).add(name + ": " + property.note(value));
                }
            } else if (name.equals(ABANDONED) && !isOn(given)) {
                notes.add(name + ": without removeAbandoned it is without effect there, and left out");
            } else {
                take(property, value, settings, notes, dropped);
            }
        });
        ForeignProperty abandoned = pool.find(ABANDONED);
        if (abandoned != null && isOn(given) && !given.containsKey(ABANDONED)) {
            take(abandoned, abandoned.byDefault(), settings, notes, dropped);
        }
        return new Translation(settings, notes, dropped, Set.of());
    }

    private static void take(
            ForeignProperty property,
            String value,
            Map<String, String> settings,
            List<String> notes,
            List<String> dropped) {
        String name = property.name();
        String translated = property.translated(value);
        String other = translated == null ? null : settings.putIfAbsent(property.setting(), translated);
        if (other != null) {
            dropped.add(name + ": " + property.setting() + " is set already, by another property");
        } else if (translated != null && !property.note(value).isEmpty()) {
            notes.add(name + " is " + property.setting() + ": " + property.note(value));
        }
    }

    /** Whether the pool looks for connections that are held for too long; in some it is off unless it is asked for. */
    private static boolean isOn(Map<String, String> given) {
        return given.entrySet().stream()
                .anyMatch(one -> one.getKey().matches("removeAbandoned(OnBorrow|OnMaintenance)?")
                        && !one.getValue().strip().equalsIgnoreCase("false"));
    }

    /** {@code a=b;c=d}, as DBCP and Tomcat write them; read by hand, as nothing but these pools reads it, and none of them is here. */
    private static void connectionProperties(String text, Map<String, String> settings) {
        for (String one : text.split(";", -1)) {
            int equals = one.indexOf('=');
            if (equals > 0) {
                settings.put("dataSource." + one.substring(0, equals).strip(), one.substring(equals + 1));
            }
        }
    }

    /** What a pool would refuse, or empty. */
    List<String> faults() {
        return faults(settings);
    }

    /** What a pool of these settings would refuse. Text with a placeholder in it is for Spring to fill in and left out. */
    static List<String> faults(Map<String, String> settings) {
        Properties properties = new Properties();
        settings.forEach((name, value) -> {
            if (!value.contains("${")) {
                properties.put(name, value);
            }
        });
        if (!settings.containsKey("dataSourceClassName")) {
            properties.put("url", properties.getOrDefault("url", "jdbc:unknown:"));
        }
        properties.putIfAbsent("username", ""); // a password without a user may have it from elsewhere
        try {
            PoolConfig.from(properties);
            return List.of();
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage())
                    .lines()
                    .filter(line -> !line.endsWith("faults in the configuration:"))
                    .map(String::strip)
                    .toList();
        }
    }
}
