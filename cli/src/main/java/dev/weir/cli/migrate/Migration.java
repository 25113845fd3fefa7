package dev.weir.cli.migrate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A whole file in Weir's words, document by document. In a file of Spring Boot's, or any whose keys have the pool's name in
 * them ({@code spring.datasource.hikari.maximum-pool-size}), Weir's name takes its place, and what stands beside it, as
 * {@code spring.datasource.url}, stays where it is. A document for a profile has what it says itself, and what changes by that.
 */
final class Migration {
    private static final String PROVIDER = "hibernate.connection.provider_class";
    private static final Pattern OTHER_PROVIDER =
            Pattern.compile("(?i).*(hikari|c3p0|agroal|dbcp|vibur|proxool|ucp).*");

    /**
     * One document of the result.
     *
     * @param condition what {@link ConfigFile#condition} says
     * @param values by key
     * @param source the place in the file, counted from 0, of the document that it is of
     * @param title whose it is, where one document has several pools, or empty
     */
    record Document(Map<String, String> condition, Map<String, String> values, int source, String title) {
        Document(Map<String, String> condition, Map<String, String> values, int source) {
            this(condition, values, source, "");
        }
    }

    final List<Document> documents = new ArrayList<>();
    final Set<String> notes = new LinkedHashSet<>();
    final Set<String> dropped = new LinkedHashSet<>();
    final Set<String> faults = new LinkedHashSet<>();

    /** Translates a properties file of the pool's own names. */
    static Migration ofPlain(String pool, ConfigFile file) {
        Migration migration = new Migration();
        Map<String, String> all = new TreeMap<>();
        file.documents().forEach(document -> document.forEach((key, value) -> all.put(withoutPool(pool, key), value)));
        if (all.keySet().stream().anyMatch(key -> isOf(pool, key))) {
            Translation translation = Translation.of(pool, all);
            migration.documents.add(new Document(Map.of(), translation.settings(), 0));
            migration.tell(translation, translation.settings().keySet(), "");
        }
        return migration;
    }

    /** c3p0.properties has {@code c3p0.maxPoolSize} where the bean has {@code maxPoolSize}. */
    private static String withoutPool(String pool, String key) {
        return key.startsWith(pool + ".") ? key.substring(pool.length() + 1) : key;
    }

    /** Whether this key of a file of the pool's own names is replaced by the translation. */
    static boolean isReplacedPlain(String pool, String key) {
        return isOf(pool, withoutPool(pool, key));
    }

    private static boolean isOf(String pool, String key) {
        return key.startsWith("dataSource.") || Translation.names(pool).contains(key);
    }

    /** Translates one pool whose properties have its own names, as attributes of XML. */
    void add(String title, String pool, Map<String, String> properties) {
        Translation translation = Translation.of(pool, properties);
        documents.add(new Document(Map.of(), translation.settings(), 0, title));
        tell(translation, translation.settings().keySet(), title + ": ");
    }

    /** Translates one persistence unit, whose properties have Hibernate's names. */
    void addUnit(String title, Map<String, String> properties, String from) {
        ConfigFile unit = new ConfigFile(false, null, List.of(properties));
        if (isPrefixed(unit, from)) {
            Migration one = ofPrefixed(unit, from);
            one.documents.forEach(document -> documents.add(new Document(Map.of(), document.values(), 0, title)));
            one.notes.forEach(note -> notes.add(title + ": " + note));
            one.dropped.forEach(line -> dropped.add(title + ": " + line));
            one.faults.forEach(fault -> faults.add(title + ": " + fault));
        }
    }

    /** Whether the keys of a properties file are those of c3p0.properties, which say whose they are. */
    static boolean isC3p0s(ConfigFile file) {
        String pool = ForeignPool.C3P0.key();
        return file.documents().stream()
                .flatMap(document -> document.keySet().stream())
                .anyMatch(key -> key.startsWith(pool + ".") && isOf(pool, withoutPool(pool, key)));
    }

    /** Whether some key has the name of a pool in it, or is of a framework that has pools. */
    static boolean isPrefixed(ConfigFile file, String from) {
        return file.documents().stream()
                .anyMatch(document -> !groups(document, from).isEmpty()
                        || !providers(document).isEmpty());
    }

    /** Whose key it is, or null if it is a provider's or nobody's. */
    static Group.@Nullable Key owner(String key, Map<String, String> document, String from) {
        return Group.of(key, Group.ofDropwizard(document), from);
    }

    /** The same in a file of the pool's own names. */
    static Group.@Nullable Key ownerPlain(String pool, String key) {
        return new Group.Key(new Group("", pool, Group.Form.OWN), withoutPool(pool, key));
    }

    /** Whether this key of a file of this kind is replaced by the translation. */
    static boolean isReplaced(String key, Map<String, String> document, String from) {
        return owner(key, document, from) != null || providers(document).containsKey(key);
    }

    /** Translates a file whose keys have the pool's name in them. */
    static Migration ofPrefixed(ConfigFile file, String from) {
        Migration migration = new Migration();
        Map<Group, Map<String, String>> base = new LinkedHashMap<>();
        Map<String, String> baseProviders = new TreeMap<>();
        for (Map<String, String> document : file.documents()) {
            if (file.profile() == null && ConfigFile.condition(document).isEmpty()) {
                groups(document, from)
                        .forEach((group, values) -> base.computeIfAbsent(group, key -> new TreeMap<>())
                                .putAll(values));
                baseProviders.putAll(providers(document));
            }
        }
        boolean baseDone = false;
        Check check = new Check();
        for (int i = 0; i < file.documents().size(); i++) {
            Map<String, String> document = file.documents().get(i);
            Map<String, String> condition = ConfigFile.condition(document);
            boolean always = file.profile() == null && condition.isEmpty();
            migration.other(document);
            Map<Group, Map<String, String>> groups = groups(document, from);
            if (always && (baseDone || (groups.isEmpty() && providers(document).isEmpty()))) {
                continue; // all documents for everybody are one, and stand where the first one stands
            }
            Map<String, String> values = new TreeMap<>(always ? baseProviders : providers(document));
            migration.translateAll(always ? base : groups, always ? null : base, condition, i, values);
            for (Map.Entry<Group, Map<String, String>> group : groups.entrySet()) {
                if (file.profile() != null
                        && group.getValue().containsKey("maximumPoolSize")
                        && !group.getValue().containsKey("minimumIdle")) {
                    migration.notes.add(group.getKey().where() + ": minimumPoolSize: is the maximum, as there"
                            + " without minimumIdle; leave it out if the file for all profiles sets minimumIdle");
                }
            }
            baseDone |= always;
            if (!values.isEmpty()) {
                migration.documents.add(new Document(condition, values, i));
                check.add(condition, values, groups.keySet());
            }
        }
        migration.faults.addAll(check.faults(migration.faults));
        return migration;
    }

    /** Puts what becomes of these groups into the values, or into a document of its own where Weir has no place in such a file. */
    private void translateAll(
            Map<Group, Map<String, String>> groups,
            @Nullable Map<Group, Map<String, String>> base,
            Map<String, String> condition,
            int source,
            Map<String, String> values) {
        for (Group group : hikariFirst(groups.keySet())) {
            Map<String, String> own = Objects.requireNonNull(groups.get(group));
            Map<String, String> translated =
                    translated(group, own, base == null ? null : base.getOrDefault(group, Map.of()));
            if (group.form() == Group.Form.OWN) {
                documents.add(new Document(condition, translated, source, group.prefix()));
            } else {
                translated.forEach((name, value) -> put(values, name, value, group));
            }
        }
    }

    /** Of two pools under one prefix Spring Boot takes HikariCP, unless it is told otherwise. */
    private static List<Group> hikariFirst(Set<Group> groups) {
        return groups.stream()
                .sorted(Comparator.comparing(group -> !group.pool().equals(Translation.HIKARI)))
                .toList();
    }

    /** The keys that name another pool as Hibernate's connection provider, with Weir in its place. */
    private static Map<String, String> providers(Map<String, String> document) {
        Map<String, String> providers = new TreeMap<>();
        document.forEach((key, value) -> {
            if ((key.equals(PROVIDER) || key.endsWith("." + PROVIDER))
                    && OTHER_PROVIDER.matcher(value).matches()) {
                providers.put(key, "weir");
            }
        });
        return providers;
    }

    private void put(Map<String, String> values, String name, String value, Group group) {
        String other = values.putIfAbsent(name, value);
        if (other != null && !other.equals(value)) {
            dropped.add(group.where() + ": " + name + " is set already, by another pool's properties");
        }
    }

    private static Map<Group, Map<String, String>> groups(Map<String, String> document, String from) {
        Map<Group, Map<String, String>> groups = new LinkedHashMap<>();
        Set<String> ofDropwizard = Group.ofDropwizard(document);
        document.forEach((key, value) -> {
            Group.Key found = Group.of(key, ofDropwizard, from);
            if (found != null) {
                groups.computeIfAbsent(found.group(), one -> new TreeMap<>()).put(found.name(), value);
            }
        });
        return groups;
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
                values.put(group.keyOf(name), value);
            }
        });
        tell(translation, printed, group.where() + ": ");
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

    private void tell(Translation translation, Set<String> printed, String where) {
        translation.notes().forEach(note -> notes.add(where + note));
        translation.dropped().forEach(line -> dropped.add(where + line));
        translation.faults().forEach(fault -> faults.add(where + fault));
        List<String> defaults = printed.stream()
                .filter(translation.defaults()::contains)
                .sorted()
                .toList();
        if (!defaults.isEmpty()) {
            notes.add(where + String.join(", ", defaults) + ": there for HikariCP's defaults; leave out for Weir's");
        }
        for (String name : printed) {
            if (Objects.requireNonNull(translation.settings().get(name)).contains("${")) {
                notes.add(where + name + ": has a placeholder, carried over as it is");
            }
        }
    }

    /** What stands outside of the pool's own keys and has to do with the pool. */
    private void other(Map<String, String> document) {
        document.forEach((key, value) -> {
            if (key.startsWith("com.zaxxer.hikari.")) {
                dropped.add(key + ": a system property of HikariCP's; see docs/start/migrating.md");
            } else if (key.endsWith("datasource.type") && !value.startsWith("dev.weir.")) {
                notes.add(key + ": " + value + " is the other pool; remove it, or set it to dev.weir.WeirDataSource");
            }
        });
    }
}
