package dev.weir.cli.migrate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A whole file in Weir's words, document by document. In a file of Spring Boot's, or any whose keys have the pool's name in
 * them ({@code spring.datasource.hikari.maximum-pool-size}), Weir's name takes its place, and what stands beside it, as
 * {@code spring.datasource.url}, stays where it is. A document for a profile has what it says itself, and what changes by that.
 */
final class Migration {
    private static final Pattern KEY = Pattern.compile("(.+)\\.(hikari|tomcat|dbcp2)\\.(.+)");
    private static final Pattern OF_MAP = Pattern.compile("([^.\\[]+)\\.?(\\[.+]|(?<=\\.).+)");

    /** HikariCP's system properties have its name in them too, and are no pool. */
    private static final String SYSTEM = "com.zaxxer";

    /** One document of the result; its condition is what {@link ConfigFile#condition} says. */
    record Document(Map<String, String> condition, Map<String, String> values) {}

    final List<Document> documents = new ArrayList<>();
    final Set<String> notes = new LinkedHashSet<>();
    final Set<String> dropped = new LinkedHashSet<>();
    final Set<String> faults = new LinkedHashSet<>();

    private Migration() {}

    /** Translates a properties file of the pool's own names. */
    static Migration ofPlain(String pool, ConfigFile file) {
        Migration migration = new Migration();
        Map<String, String> all = new TreeMap<>();
        file.documents().forEach(document -> document.forEach((key, value) -> all.put(withoutPool(pool, key), value)));
        if (all.keySet().stream().anyMatch(key -> isOf(pool, key))) {
            Translation translation = Translation.of(pool, all);
            migration.documents.add(new Document(Map.of(), translation.settings()));
            migration.tell(translation, translation.settings().keySet(), "");
        }
        return migration;
    }

    /** c3p0.properties has {@code c3p0.maxPoolSize} where the bean has {@code maxPoolSize}. */
    private static String withoutPool(String pool, String key) {
        return key.startsWith(pool + ".") ? key.substring(pool.length() + 1) : key;
    }

    private static boolean isOf(String pool, String key) {
        return key.startsWith("dataSource.") || Translation.names(pool).contains(key);
    }

    /** Whether some key has the name of a pool in it. */
    static boolean isPrefixed(ConfigFile file) {
        return file.documents().stream()
                .flatMap(document -> document.keySet().stream())
                .anyMatch(
                        key -> !key.startsWith(SYSTEM + ".") && KEY.matcher(key).matches());
    }

    /** Translates a file whose keys have the pool's name in them. */
    static Migration ofPrefixed(ConfigFile file) {
        Migration migration = new Migration();
        Map<Group, Map<String, String>> base = new LinkedHashMap<>();
        for (Map<String, String> document : file.documents()) {
            if (file.profile() == null && ConfigFile.condition(document).isEmpty()) {
                groups(document)
                        .forEach((group, values) -> base.computeIfAbsent(group, key -> new TreeMap<>())
                                .putAll(values));
            }
        }
        boolean baseDone = false;
        for (Map<String, String> document : file.documents()) {
            Map<String, String> condition = ConfigFile.condition(document);
            boolean always = file.profile() == null && condition.isEmpty();
            migration.other(document);
            if (always && baseDone) {
                continue; // all documents for everybody are one
            }
            Map<Group, Map<String, String>> groups = always ? base : groups(document);
            Map<String, String> values = new TreeMap<>();
            for (Group group : hikariFirst(groups.keySet())) {
                Map<String, String> own = Objects.requireNonNull(groups.get(group));
                migration
                        .translated(group, own, always ? null : base.getOrDefault(group, Map.of()))
                        .forEach((name, value) -> migration.put(values, name, value, group));
                if (file.profile() != null && own.containsKey("maximumPoolSize") && !own.containsKey("minimumIdle")) {
                    migration.notes.add(
                            group.prefix() + "." + group.pool() + ": minimumPoolSize: is the maximum, as there"
                                    + " without minimumIdle; leave it out if the file for all profiles sets minimumIdle");
                }
            }
            baseDone |= always;
            if (!values.isEmpty()) {
                migration.documents.add(new Document(condition, values));
            }
        }
        return migration;
    }

    /** One pool under one prefix, as hikari under spring.datasource. */
    private record Group(String prefix, String pool) {}

    /** Of two pools under one prefix Spring Boot takes HikariCP, unless it is told otherwise. */
    private static List<Group> hikariFirst(Set<Group> groups) {
        return groups.stream()
                .sorted(Comparator.comparing(group -> !group.pool().equals(Translation.HIKARI)))
                .toList();
    }

    private void put(Map<String, String> values, String name, String value, Group group) {
        String other = values.putIfAbsent(name, value);
        if (other != null && !other.equals(value)) {
            dropped.add(group.prefix() + "." + group.pool() + ": " + name
                    + " is set already, by another pool's properties");
        }
    }

    private static Map<Group, Map<String, String>> groups(Map<String, String> document) {
        Map<Group, Map<String, String>> groups = new LinkedHashMap<>();
        document.forEach((key, value) -> {
            Matcher matcher = KEY.matcher(key);
            if (matcher.matches() && !matcher.group(1).equals(SYSTEM)) {
                Group group = new Group(matcher.group(1), matcher.group(2));
                groups.computeIfAbsent(group, one -> new TreeMap<>())
                        .put(nameOf(group.pool(), matcher.group(3)), value);
            }
        });
        return groups;
    }

    /**
     * The pool's own name of what Spring takes in many ways of writing: {@code maximum-pool-size}, {@code maximum_pool_size},
     * {@code MAXIMUMPOOLSIZE}. {@code data-source-properties.x} is {@code dataSource.x}; brackets, which Spring needs where x
     * has signs of its own, are kept.
     */
    private static String nameOf(String pool, String key) {
        Matcher ofMap = OF_MAP.matcher(key);
        if (ofMap.matches() && Set.of("datasourceproperties", "datasource").contains(letters(ofMap.group(1)))) {
            return "dataSource." + ofMap.group(2);
        }
        return Translation.names(pool).stream()
                .filter(name -> letters(name).equals(letters(key)))
                .findFirst()
                .orElse(key);
    }

    private static String letters(String name) {
        return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
    }

    /** The properties of one group; with a base, those that it says itself, and those that differ from what the base becomes. */
    private Map<String, String> translated(Group group, Map<String, String> given, @Nullable Map<String, String> base) {
        Map<String, String> all = new TreeMap<>(base == null ? Map.of() : base);
        all.putAll(given);
        Translation translation = Translation.of(group.pool(), all);
        Map<String, String> without =
                base == null ? Map.of() : Translation.of(group.pool(), base).settings();
        Map<String, String> values = new TreeMap<>();
        Set<String> said = said(group, given);
        Set<String> printed = new TreeSet<>();
        translation.settings().forEach((name, value) -> {
            if (!Objects.equals(without.get(name), value) || said.contains(name)) {
                printed.add(name);
                values.put(group.prefix() + ".weir." + keyOf(name, group), value);
            }
        });
        tell(translation, printed, group.prefix() + "." + group.pool() + ": ");
        return values;
    }

    /** The settings that the document itself gives a value, be it the one they would have without: another may differ. */
    private static Set<String> said(Group group, Map<String, String> given) {
        Translation own = Translation.of(group.pool(), given);
        Set<String> said = new TreeSet<>(own.settings().keySet());
        said.removeAll(own.defaults());
        if (group.pool().equals(Translation.HIKARI)
                && !given.containsKey("maximumPoolSize")
                && !given.containsKey("minimumIdle")) {
            said.removeIf(name -> name.startsWith("minimum")); // which follows from these two
        }
        return said;
    }

    /** Spring's way of writing, where the file is Spring's. */
    private static String keyOf(String name, Group group) {
        if (group.prefix().startsWith("hibernate")) {
            return name;
        }
        if (name.startsWith("dataSource.")) {
            return "data-source-properties." + name.substring("dataSource.".length());
        }
        return name.replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
    }

    private void tell(Translation translation, Set<String> printed, String where) {
        translation.notes().forEach(note -> notes.add(where + note));
        translation.dropped().forEach(line -> dropped.add(where + line));
        translation.faults().forEach(fault -> faults.add(where + fault));
        for (String name : printed) {
            if (translation.defaults().contains(name)) {
                notes.add(where + name + ": is there for HikariCP's default; leave it out for Weir's");
            } else if (Objects.requireNonNull(translation.settings().get(name)).contains("${")) {
                notes.add(where + name + ": has a placeholder, carried over as it is");
            }
        }
    }

    /** What stands outside of the pool's own keys and has to do with the pool. */
    private void other(Map<String, String> document) {
        document.forEach((key, value) -> {
            if (key.startsWith(SYSTEM + ".hikari.")) {
                dropped.add(key + ": a system property of HikariCP's; see docs/guide/migrating.md");
            } else if (key.endsWith("datasource.type")) {
                notes.add(key + ": " + value + " is the other pool; remove it, or set it to dev.weir.WeirDataSource");
            }
        });
    }
}
