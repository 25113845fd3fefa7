package dev.weir.migration;

import dev.weir.PoolConfig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ThreadFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A configuration of HikariCP 7.1.0 and what becomes of it here: the settings that make a pool behave as it asks, what
 * differs, and what is refused. HikariCP's defaults are part of it: where a pool of Weir's has another one, the setting is
 * there. Values are renamed, not checked; {@link #toConfig} checks them. Immutable.
 */
public final class HikariProperties {
    private static final String DATA_SOURCE_PREFIX = "dataSource.";
    private static final Duration ENDLESS = Duration.ofMillis(Integer.MAX_VALUE);
    private static final String REFUSED_THERE = "less than 250ms is refused there, not here";
    private static final Pattern SUGGESTION = Pattern.compile(" \\(did you mean (\\w+)\\?\\)$");
    private static final PoolConfig DEFAULTS = HikariProperty.anyPool().build();

    private final Map<String, Object> given;
    private final Map<String, Object> settings = new TreeMap<>();
    private final Map<HikariProperty, String> notes = new EnumMap<>(HikariProperty.class);
    private final List<String> refused = new ArrayList<>();
    private @Nullable DataSource dataSource;
    private @Nullable ThreadFactory threadFactory;
    private boolean fixedSize;

    private HikariProperties(Properties properties) {
        this.given = flat(properties);
        given.forEach(this::take);
        defaults();
        dataSourceOverUrl();
        sizes();
        replaced();
        times();
        given.forEach(this::note);
    }

    /** Translates these properties; whatever is wrong in them is told by the result, not thrown. */
    public static HikariProperties of(Properties properties) {
        return new HikariProperties(properties);
    }

    /**
     * Translates a file as HikariCP reads it: a properties file in ISO 8859-1.
     *
     * @throws IOException if the file cannot be read
     */
    public static HikariProperties load(Path file) throws IOException {
        Properties properties = new Properties();
        try (InputStream in = Files.newInputStream(file)) {
            properties.load(in);
        }
        return of(properties);
    }

    /** Returns the names of all properties that HikariCP has. */
    public static List<String> names() {
        return Arrays.stream(HikariProperty.values())
                .map(HikariProperty::propertyName)
                .toList();
    }

    /** Returns the settings by name, with {@code dataSource.*}, as {@link PoolConfig#from} takes them; secrets included. */
    public Map<String, Object> settings() {
        return Collections.unmodifiableMap(settings);
    }

    /**
     * Returns what differs from HikariCP for the values that were given, a line each, without the values. A value that is no
     * text of its kind, such as a placeholder, gets what may differ.
     */
    public List<String> notes() {
        return notes.entrySet().stream()
                .map(note -> note.getKey().propertyName() + ": " + note.getValue())
                .sorted()
                .toList();
    }

    /** Returns the names that are unknown or have no meaning here, a line each, with the reason. */
    public List<String> refused() {
        return List.copyOf(refused);
    }

    /**
     * Returns the configuration of a pool.
     *
     * @throws IllegalArgumentException if anything is refused, wrong or contradictory, with every fault in its message
     */
    public PoolConfig toConfig() {
        PoolConfig.Builder builder = PoolConfig.builder().dataSource(dataSource).threadFactory(threadFactory);
        settings.forEach(builder::property);
        if (refused.isEmpty()) {
            return builder.build();
        }
        List<String> faults = new ArrayList<>(refused);
        faults.addAll(builder.faults());
        throw new IllegalArgumentException(
                faults.size() == 1
                        ? faults.get(0)
                        : faults.size() + " faults in the configuration:\n  " + String.join("\n  ", faults));
    }

    /** In the order of their names; with the defaults of the properties, and with values that are not text. */
    static Map<String, Object> flat(Properties properties) {
        Map<String, Object> flat = new TreeMap<>();
        properties.stringPropertyNames().forEach(name -> flat.put(name, properties.getProperty(name)));
        properties.forEach((name, value) -> flat.put(name.toString(), value));
        return flat;
    }

    private void take(String name, Object value) {
        if (name.startsWith(DATA_SOURCE_PREFIX)) {
            settings.put(name, value);
            return;
        }
        HikariProperty property = HikariProperty.find(name);
        if (property == null) {
            refused.add(name + ": not a property of HikariCP" + didYouMean(name));
            return;
        }
        if (isBlank(property, value)) {
            return; // as there: not set
        }
        switch (property.fate()) {
            case TAKEN -> settings.put(Objects.requireNonNull(property.setting()), value);
            case ADAPTED -> takeObject(property, value);
            case WITHOUT_EFFECT -> {}
            case REFUSED -> refused.add(name + ": has no meaning here (" + property.differs() + ")");
        }
    }

    private static boolean isBlank(HikariProperty property, Object value) {
        return value instanceof String text && text.isBlank() && property != HikariProperty.PASSWORD;
    }

    private void takeObject(HikariProperty property, Object value) {
        if (property == HikariProperty.DATA_SOURCE && value instanceof DataSource object) {
            dataSource = object;
        } else if (property == HikariProperty.DATA_SOURCE_PROPERTIES && value instanceof Properties properties) {
            flat(properties).forEach((name, one) -> settings.put(DATA_SOURCE_PREFIX + name, one));
        } else if (property == HikariProperty.THREAD_FACTORY && value instanceof ThreadFactory factory) {
            threadFactory = factory;
        } else if (property == HikariProperty.THREAD_FACTORY) {
            refused.add("threadFactory: text (expected: a ThreadFactory object)");
        } else if (property == HikariProperty.DATA_SOURCE) {
            refused.add(
                    "dataSource: text (expected: a DataSource object; dataSourceClassName takes the name of a class)");
        } else {
            refused.add("dataSourceProperties: text (expected: a Properties object; or each one as dataSource.<name>)");
        }
    }

    private void defaults() {
        for (HikariProperty property : HikariProperty.values()) {
            String value = property.neededDefault();
            if (value != null) {
                settings.putIfAbsent(Objects.requireNonNull(property.setting()), value);
            }
        }
    }

    /** Of several sources one goes before the others there; here two are a contradiction. */
    private void dataSourceOverUrl() {
        if (dataSource != null) {
            settings.remove("dataSourceClassName");
            settings.remove("driverClassName");
            settings.keySet().removeIf(name -> name.startsWith(DATA_SOURCE_PREFIX));
        }
        if (dataSource != null || settings.containsKey("dataSourceClassName")) {
            settings.remove("url");
            return;
        }
        dataSourcePropertyOver("username", "user");
        dataSourcePropertyOver("password", "password");
    }

    private void dataSourcePropertyOver(String setting, String name) {
        if (settings.containsKey(DATA_SOURCE_PREFIX + name)) {
            settings.remove(setting);
        }
    }

    private void sizes() {
        Object most = most();
        Object idle = given(HikariProperty.MINIMUM_IDLE);
        Integer mostNumber = number(most);
        Integer idleNumber = idle == null ? null : number(idle);
        fixedSize = idle == null || (mostNumber != null && idleNumber != null && idleNumber >= mostNumber);
        settings.put("minimumPoolSize", fixedSize ? most : idle);
        if (idle != null && !fixedSize) {
            settings.put("minimumIdle", idle);
        }
    }

    /** The values that a pool of HikariCP's replaces when it starts, in its order. */
    private void replaced() {
        if (isBelow(time("maxLifetime", null), 30_000)) {
            replace(HikariProperty.MAX_LIFETIME, "30m", "less than 30s becomes the default, 30m, as there");
        }
        if (isBelow(time("keepaliveTime", null), 30_000)) {
            replace(HikariProperty.KEEPALIVE_TIME, "0", "less than 30s becomes 0, never, as there");
        }
        Duration lifetime = time("maxLifetime", DEFAULTS.maxLifetime());
        boolean ages = lifetime != null && !lifetime.isZero();
        Duration leak = time("leakDetectionThreshold", null);
        if (isBelow(leak, 2_000)) {
            replace(HikariProperty.LEAK_DETECTION_THRESHOLD, "0", "less than 2s becomes 0, off, as there");
        } else if (ages && leak != null && leak.compareTo(lifetime) > 0) {
            replace(HikariProperty.LEAK_DETECTION_THRESHOLD, "0", "more than maxLifetime becomes 0, off, as there");
        }
        Duration idle = time("idleTimeout", DEFAULTS.idleTimeout());
        if (fixedSize || idle == null) {
            return; // there is nothing surplus, in both pools
        }
        if (ages && idle.plusSeconds(1).compareTo(lifetime) > 0 && !idle.isZero()) {
            replace(HikariProperty.IDLE_TIMEOUT, "0", "as much as maxLifetime becomes 0, never, as there");
        } else if (isBelow(idle, 10_000)) {
            replace(HikariProperty.IDLE_TIMEOUT, "10m", "less than 10s becomes the default, 10m, as there");
        }
    }

    private static boolean isBelow(@Nullable Duration time, long millis) {
        return time != null && !time.isZero() && !time.isNegative() && time.compareTo(Duration.ofMillis(millis)) < 0;
    }

    private void replace(HikariProperty property, String value, String why) {
        settings.put(Objects.requireNonNull(property.setting()), value);
        notes.put(property, why);
    }

    /** What to know about this value, if anything. */
    private void note(String name, Object value) {
        HikariProperty property = HikariProperty.find(name);
        if (property != null && !isBlank(property, value)) {
            String note = note(property, value);
            if (!note.isEmpty()) {
                notes.putIfAbsent(property, note);
            }
        }
    }

    private String note(HikariProperty property, Object value) {
        boolean noUrl = dataSource != null || settings.containsKey("dataSourceClassName");
        boolean said = switch (property) {
            case JDBC_URL -> noUrl;
            case USERNAME -> !noUrl && settings.containsKey(DATA_SOURCE_PREFIX + "user");
            case PASSWORD -> !noUrl && settings.containsKey(DATA_SOURCE_PREFIX + "password");
            case MAXIMUM_POOL_SIZE -> !fixedSize || number(value) == null;
            case MINIMUM_IDLE -> number(value) == null || !Objects.equals(number(value), number(most()));
            case INITIALIZATION_FAIL_TIMEOUT ->
                isUnread(value) || durationOf(value).toMillis() > 1;
            case REGISTER_MBEANS, ISOLATE_INTERNAL_QUERIES, ALLOW_POOL_SUSPENSION ->
                !value.toString().strip().equalsIgnoreCase("false");
            case CONNECTION_TIMEOUT,
                    VALIDATION_TIMEOUT,
                    IDLE_TIMEOUT,
                    MAX_LIFETIME,
                    KEEPALIVE_TIME,
                    LEAK_DETECTION_THRESHOLD -> isUnread(value);
            case TRANSACTION_ISOLATION -> isUnreadable("transactionIsolation", value);
            default -> false;
        };
        return said ? property.differs() : "";
    }

    private Object most() {
        return Objects.requireNonNull(settings.get("maximumPoolSize"));
    }

    private static boolean isUnread(Object time) {
        return isUnreadable(reader(time), time);
    }

    private static boolean isUnreadable(String setting, Object value) {
        return !HikariProperty.anyPool().property(setting, value).faults().isEmpty();
    }

    /** A setting that takes this time, if it is one at all. */
    private static String reader(Object time) {
        return time.toString().strip().startsWith("-") ? "initializationFailTimeout" : "closeTimeout";
    }

    private static Duration durationOf(Object time) {
        String reader = reader(time);
        PoolConfig read = HikariProperty.anyPool().property(reader, time).build();
        return reader.equals("closeTimeout") ? read.closeTimeout() : read.initializationFailTimeout();
    }

    private void times() {
        Duration timeout = time("connectionTimeout", DEFAULTS.connectionTimeout());
        if (timeout != null && timeout.isZero()) {
            timeout = ENDLESS;
            replace(HikariProperty.CONNECTION_TIMEOUT, written(timeout), "0 is 24.8 days there, and becomes just that");
        } else if (isBelow(timeout, 250)) {
            notes.put(HikariProperty.CONNECTION_TIMEOUT, REFUSED_THERE);
        }
        if (isBelow(time("validationTimeout", null), 250)) {
            notes.put(HikariProperty.VALIDATION_TIMEOUT, REFUSED_THERE);
        }
        Duration first = time("initializationFailTimeout", null);
        if (timeout != null && first != null && first.compareTo(Duration.ofMillis(1)) > 0) {
            settings.put("initializationFailTimeout", written(timeout.plus(first)));
        } else if (first != null && first.equals(Duration.ofMillis(1))) {
            settings.remove("initializationFailTimeout");
        }
        Duration keepalive = time("keepaliveTime", DEFAULTS.keepaliveTime());
        Duration lifetime = time("maxLifetime", DEFAULTS.maxLifetime());
        if (keepalive != null && lifetime != null && !lifetime.isZero() && keepalive.compareTo(lifetime) >= 0) {
            settings.put("keepaliveTime", "0");
            if (given(HikariProperty.KEEPALIVE_TIME) != null) {
                notes.put(HikariProperty.KEEPALIVE_TIME, "as much as maxLifetime becomes 0, never, as there");
            }
        }
    }

    private @Nullable Object given(HikariProperty property) {
        Object value = given.get(property.propertyName());
        return value instanceof String text && text.isBlank() ? null : value;
    }

    /** The time that was translated or is the default, or null if it is none or cannot be read, and is refused later. */
    private @Nullable Duration time(String setting, @Nullable Duration byDefault) {
        Object value = settings.get(setting);
        if (value == null) {
            return byDefault;
        }
        return isUnread(value) ? null : durationOf(value);
    }

    private static String written(Duration time) {
        return time.toMillisPart() == 0 ? time.toSeconds() + "s" : time.toMillis() + "ms";
    }

    /** The number, or null for what is refused later, by name. */
    private static @Nullable Integer number(Object value) {
        try {
            return Integer.valueOf(value.toString().strip());
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** What the pool suggests for a wrong name, by HikariCP's name. */
    private static String didYouMean(String name) {
        for (String fault : HikariProperty.anyPool().property(name, "").faults()) {
            Matcher suggestion = SUGGESTION.matcher(fault);
            for (HikariProperty property : HikariProperty.values()) {
                if (suggestion.find(0) && suggestion.group(1).equals(property.setting())) {
                    return " (did you mean " + property.propertyName() + "?)";
                }
            }
        }
        return "";
    }
}
