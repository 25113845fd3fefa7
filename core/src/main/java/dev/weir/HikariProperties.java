package dev.weir;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ThreadFactory;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A configuration of HikariCP 7.1.0 and what becomes of it here: the settings that make a pool behave as it asks, what
 * differs, and what is refused. HikariCP's defaults are part of it: where a pool of Weir's has another one, the setting is
 * there. Values are renamed, not checked; {@link #toConfig} checks them. Immutable.
 */
public final class HikariProperties {
    private static final Duration ENDLESS = Duration.ofMillis(Integer.MAX_VALUE);

    private final Map<String, Object> given;
    private final Map<String, Object> settings = new TreeMap<>();
    private final List<String> notes = new ArrayList<>();
    private final List<String> refused = new ArrayList<>();
    private @Nullable DataSource dataSource;
    private @Nullable ThreadFactory threadFactory;

    private HikariProperties(Properties properties) {
        this.given = PoolConfig.Builder.flat(properties);
        given.forEach(this::take);
        defaults();
        dataSourceOverUrl();
        sizes();
        times();
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

    /** Returns what differs from HikariCP for the properties that were given, a line each, without values. */
    public List<String> notes() {
        return List.copyOf(notes);
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
        refused.forEach(builder::refuse);
        return builder.build();
    }

    private void take(String name, Object value) {
        if (name.startsWith(SettingNames.DATA_SOURCE_PREFIX)) {
            settings.put(name, value);
            return;
        }
        HikariProperty property = HikariProperty.find(name);
        if (property == null) {
            refused.add(name + ": not a property of HikariCP" + SettingNames.didYouMean(name, names()));
            return;
        }
        if (value instanceof String text && text.isBlank() && property.setting() != Setting.PASSWORD) {
            return; // as there: not set
        }
        switch (property.fate()) {
            case TAKEN ->
                settings.put(Objects.requireNonNull(property.setting()).settingName(), value);
            case ADAPTED -> takeObject(property, value);
            case WITHOUT_EFFECT -> {}
            case REFUSED -> refused.add(name + ": has no meaning here (" + property.differs() + ")");
        }
        if (property.fate() != HikariProperty.Fate.REFUSED
                && !property.differs().isEmpty()) {
            notes.add(name + ": " + property.differs());
        }
    }

    private void takeObject(HikariProperty property, Object value) {
        if (property == HikariProperty.DATA_SOURCE && value instanceof DataSource object) {
            dataSource = object;
        } else if (property == HikariProperty.DATA_SOURCE_PROPERTIES && value instanceof Properties properties) {
            PoolConfig.Builder.flat(properties)
                    .forEach((name, one) -> settings.put(SettingNames.DATA_SOURCE_PREFIX + name, one));
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
                settings.putIfAbsent(Objects.requireNonNull(property.setting()).settingName(), value);
            }
        }
    }

    /** Of several sources one goes before the others there; here two are a contradiction. */
    private void dataSourceOverUrl() {
        if (dataSource != null) {
            settings.remove(Setting.DATA_SOURCE_CLASS_NAME.settingName());
            settings.remove(Setting.DRIVER_CLASS_NAME.settingName());
            settings.keySet().removeIf(name -> name.startsWith(SettingNames.DATA_SOURCE_PREFIX));
        }
        if (dataSource != null || settings.containsKey(Setting.DATA_SOURCE_CLASS_NAME.settingName())) {
            settings.remove(Setting.URL.settingName());
            return;
        }
        dataSourcePropertyOver(Setting.USERNAME, "user");
        dataSourcePropertyOver(Setting.PASSWORD, "password");
    }

    private void dataSourcePropertyOver(Setting setting, String name) {
        if (settings.containsKey(SettingNames.DATA_SOURCE_PREFIX + name)) {
            settings.remove(setting.settingName());
        }
    }

    private void sizes() {
        Object most = Objects.requireNonNull(settings.get(Setting.MAXIMUM_POOL_SIZE.settingName()));
        Object idle = given(HikariProperty.MINIMUM_IDLE);
        Integer mostNumber = (Integer) readable(Setting.MAXIMUM_POOL_SIZE, most);
        Integer idleNumber = idle == null ? null : (Integer) readable(Setting.MINIMUM_IDLE, idle);
        boolean fixed = idle == null || (mostNumber != null && idleNumber != null && idleNumber >= mostNumber);
        settings.put(Setting.MINIMUM_POOL_SIZE.settingName(), fixed ? most : idle);
        if (idle != null && !fixed) {
            settings.put(Setting.MINIMUM_IDLE.settingName(), idle);
        }
    }

    private void times() {
        Duration timeout = time(Setting.CONNECTION_TIMEOUT);
        if (timeout != null && timeout.isZero()) {
            timeout = ENDLESS;
            settings.put(Setting.CONNECTION_TIMEOUT.settingName(), Durations.format(timeout));
        }
        Duration first = time(Setting.INITIALIZATION_FAIL_TIMEOUT);
        if (timeout != null && first != null && first.compareTo(Duration.ofMillis(1)) > 0) {
            settings.put(Setting.INITIALIZATION_FAIL_TIMEOUT.settingName(), Durations.format(timeout.plus(first)));
        } else if (first != null && first.equals(Duration.ofMillis(1))) {
            settings.remove(Setting.INITIALIZATION_FAIL_TIMEOUT.settingName());
        }
        Duration keepalive = time(Setting.KEEPALIVE_TIME);
        Duration lifetime = time(Setting.MAX_LIFETIME);
        if (keepalive != null && lifetime != null && !lifetime.isZero() && keepalive.compareTo(lifetime) >= 0) {
            settings.put(Setting.KEEPALIVE_TIME.settingName(), "0");
        }
    }

    private @Nullable Object given(HikariProperty property) {
        Object value = given.get(property.propertyName());
        return value instanceof String text && text.isBlank() ? null : value;
    }

    /** The time that was translated or is the default, or null if it is none or cannot be read. */
    private @Nullable Duration time(Setting setting) {
        Object value = settings.get(setting.settingName());
        return (Duration) (value == null ? setting.byDefault() : readable(setting, value));
    }

    /** The value as the setting's type, or null for what is refused later, by name. */
    private static @Nullable Object readable(Setting setting, Object value) {
        try {
            return setting.type().read(value);
        } catch (IllegalArgumentException | ArithmeticException e) {
            return null;
        }
    }
}
