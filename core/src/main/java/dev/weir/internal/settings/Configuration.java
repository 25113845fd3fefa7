package dev.weir.internal.settings;

import dev.weir.internal.text.Redactor;
import dev.weir.spi.CredentialsProvider;
import dev.weir.spi.FailureClassifier;
import dev.weir.spi.PoolListener;
import dev.weir.spi.Ticker;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a {@code PoolConfig}: the values that were given, and the objects beside them. Immutable.
 *
 * @param given the values by setting, without those that have the default
 * @param dataSourceProperties what is set on the driver's DataSource, or given to the driver with the url
 * @param dataSource where connections come from, or null if from a url or a dataSourceClassName
 * @param credentialsProvider says who to connect as, or null if username and password do
 * @param failureClassifier overrides the pool's own rules on failures, or null
 * @param sessionState the settings that a session must have while it is in use, or null for none
 * @param listeners who is told what happens in the pool
 * @param threadFactory makes the pool's own threads, or null if the pool does
 * @param ticker the pool's source of time
 */
public record Configuration(
        Map<Setting, Object> given,
        Map<String, Object> dataSourceProperties,
        @Nullable DataSource dataSource,
        @Nullable CredentialsProvider credentialsProvider,
        @Nullable FailureClassifier failureClassifier,
        @Nullable Supplier<Map<String, String>> sessionState,
        List<PoolListener> listeners,
        @Nullable ThreadFactory threadFactory,
        Ticker ticker) {

    public Configuration {
        given = given.isEmpty() ? Map.of() : Collections.unmodifiableMap(new EnumMap<>(given));
        dataSourceProperties = Collections.unmodifiableMap(new LinkedHashMap<>(dataSourceProperties));
        listeners = List.copyOf(listeners);
    }

    /** Whether a value was given, so that the default does not matter. */
    public boolean isGiven(Setting setting) {
        return given.containsKey(setting);
    }

    /** The value in force: the given one, else the default, which for some settings follows another one. */
    public @Nullable Object get(Setting setting) {
        Object value = given.get(setting);
        return value != null ? value : defaultOf(setting);
    }

    /** The value of a setting that always has one. */
    public Object required(Setting setting) {
        return Objects.requireNonNull(get(setting), setting.settingName());
    }

    /** The value of a setting that is text, or null. */
    public @Nullable String text(Setting setting) {
        return (@Nullable String) get(setting);
    }

    private @Nullable Object defaultOf(Setting setting) {
        return switch (setting) {
            case MINIMUM_POOL_SIZE ->
                Math.min(isGiven(Setting.MINIMUM_IDLE) ? (int) required(Setting.MINIMUM_IDLE) : 10, (int)
                        required(Setting.MAXIMUM_POOL_SIZE));
            case JDBC4_CONNECTION_TEST -> get(Setting.CONNECTION_TEST_QUERY) == null;
            case INITIALIZATION_FAIL_TIMEOUT -> required(Setting.CONNECTION_TIMEOUT);
            case WAIT_WARNING_THRESHOLD -> ((Duration) required(Setting.CONNECTION_TIMEOUT)).dividedBy(5);
            case USERNAME -> credentialsProvider == null ? null : userOf(credentialsProvider);
            default -> setting.byDefault();
        };
    }

    /** A name that cannot be told is not shown. */
    private static @Nullable String userOf(CredentialsProvider provider) {
        try {
            return provider.user();
        } catch (RuntimeException e) {
            return null;
        }
    }

    /**
     * The same with another value for one setting; null is the default.
     *
     * @throws IllegalArgumentException if the value is wrong, or contradicts another setting
     */
    Configuration with(Setting setting, @Nullable Object value) {
        Map<Setting, Object> changed = new EnumMap<>(Setting.class);
        changed.putAll(given);
        changed.remove(setting);
        if (value != null) {
            changed.put(setting, setting.parse(value));
        }
        Configuration copy = new Configuration(
                changed,
                dataSourceProperties,
                dataSource,
                credentialsProvider,
                failureClassifier,
                sessionState,
                listeners,
                threadFactory,
                ticker);
        List<String> faults = copy.faults(Set.of());
        if (!faults.isEmpty()) {
            throw new IllegalArgumentException(messageOf(faults));
        }
        return copy;
    }

    /** The contradictions, a sentence each; {@code wrong}: settings that are reported already. */
    public List<String> faults(Set<Setting> wrong) {
        return ConfigCheck.faultsOf(this, wrong);
    }

    /** One fault as it is, several as a list. */
    public static String messageOf(List<String> faults) {
        return faults.size() == 1
                ? faults.get(0)
                : faults.size() + " faults in the configuration:\n  " + String.join("\n  ", faults);
    }

    /**
     * The settings in force by name, given or by default, in their text form and without secrets, and the {@code dataSource.*}
     * after them; without those that have no value. Unmodifiable.
     */
    public Map<String, String> values() {
        Map<String, String> values = new LinkedHashMap<>();
        for (Setting setting : Setting.values()) {
            Object value = get(setting);
            if (value != null) {
                values.put(
                        setting.settingName(),
                        value instanceof String
                                ? setting.shown(value)
                                : setting.type().write(value));
            }
        }
        dataSourceProperties.forEach((name, value) ->
                values.put(SettingNames.DATA_SOURCE_PREFIX + name, Redactor.shownProperty(name, value)));
        return Collections.unmodifiableMap(values);
    }

    /** The values that were given, by name, without secrets. */
    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(", ", "PoolConfig[", "]");
        given.forEach((setting, value) -> text.add(setting.settingName() + "=" + setting.shown(value)));
        dataSourceProperties.forEach((name, value) ->
                text.add(SettingNames.DATA_SOURCE_PREFIX + name + "=" + Redactor.shownProperty(name, value)));
        if (dataSource != null) {
            text.add("dataSource=a " + dataSource.getClass().getName());
        }
        if (credentialsProvider != null) {
            text.add("credentialsProvider=a " + credentialsProvider.getClass().getName());
        }
        return text.toString();
    }
}
