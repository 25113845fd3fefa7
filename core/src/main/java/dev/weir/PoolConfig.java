package dev.weir;

import dev.weir.internal.settings.Configuration;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.settings.SettingNames;
import dev.weir.spi.CredentialsProvider;
import dev.weir.spi.FailureClassifier;
import dev.weir.spi.PoolListener;
import dev.weir.spi.Ticker;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a pool: immutable, and checked as a whole when it is built. The meaning of each setting, its
 * range, its default and its other names are in the table of {@code docs/reference/settings.md}; times are of type
 * {@link java.time.Duration}, in whole milliseconds.
 *
 * <pre>{@code
 * PoolConfig config = PoolConfig.builder()
 *         .url("jdbc:postgresql://127.0.0.1/shop")
 *         .username("shop")
 *         .password(password)
 *         .maximumPoolSize(20)
 *         .build();
 * }</pre>
 */
public final class PoolConfig extends ConfigValues {
    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private final Configuration configuration;

    PoolConfig(Configuration configuration) {
        this.configuration = configuration;
    }

    /** Returns a builder in which nothing is set. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Reads a configuration from properties: the settings by name or alias, and {@code dataSource.*}.
     *
     * @throws IllegalArgumentException if a name is unknown, a value wrong, or two settings contradict; the message has
     *     all faults
     */
    public static PoolConfig from(Properties properties) {
        return builder().properties(properties).build();
    }

    /**
     * Reads a configuration from a properties file in UTF-8, with a byte order mark or without.
     *
     * @throws IOException if the file cannot be read
     * @throws IllegalArgumentException as {@link #from} does
     */
    public static PoolConfig load(Path file) throws IOException {
        Properties properties = new Properties();
        try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            reader.mark(1);
            if (reader.read() != BYTE_ORDER_MARK) {
                reader.reset();
            }
            properties.load(reader);
        }
        return from(properties);
    }

    /** Returns a builder in which everything is set as it is here. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.given.putAll(configuration.given());
        builder.dataSourceProperties.putAll(configuration.dataSourceProperties());
        builder.dataSource = configuration.dataSource();
        builder.credentialsProvider = configuration.credentialsProvider();
        builder.failureClassifier = configuration.failureClassifier();
        builder.sessionState = configuration.sessionState();
        builder.listeners.addAll(configuration.listeners());
        builder.threadFactory = configuration.threadFactory();
        builder.ticker = configuration.ticker();
        return builder;
    }

    /** The same, as the pool's own parts take it. */
    Configuration configuration() {
        return configuration;
    }

    @Override
    @Nullable
    Object get(Setting setting) {
        return configuration.get(setting);
    }

    /** Returns what is set on the driver's DataSource, or given to the driver with the url; unmodifiable. */
    public Map<String, Object> dataSourceProperties() {
        return configuration.dataSourceProperties();
    }

    /** Returns the object that connections come from, or null if they come from a url or a dataSourceClassName. */
    public @Nullable DataSource dataSource() {
        return configuration.dataSource();
    }

    /** Returns what says who to connect as, or null if username and password do. */
    public @Nullable CredentialsProvider credentialsProvider() {
        return configuration.credentialsProvider();
    }

    /** Returns the classifier that overrides the pool's own rules on failures, or null. */
    public @Nullable FailureClassifier failureClassifier() {
        return configuration.failureClassifier();
    }

    /** Returns what says which settings a session must have while it is in use, or null. */
    public @Nullable Supplier<Map<String, String>> sessionState() {
        return configuration.sessionState();
    }

    /** Returns the listeners of the pool; unmodifiable. */
    public List<PoolListener> listeners() {
        return configuration.listeners();
    }

    /** Returns what makes the pool's own threads, or null if the pool does. */
    public @Nullable ThreadFactory threadFactory() {
        return configuration.threadFactory();
    }

    /** Returns the pool's source of time. */
    public Ticker ticker() {
        return configuration.ticker();
    }

    /**
     * Returns the settings in force by name, given or by default, in their text form and without secrets, and the
     * {@code dataSource.*} after them; without those that have no value. Unmodifiable.
     */
    public Map<String, String> values() {
        return configuration.values();
    }

    /** Returns what was set, by name, without secrets. */
    @Override
    public String toString() {
        return configuration.toString();
    }

    /**
     * Collects settings; {@link #build} checks them all at once. To set null, where that is allowed, is to go back to
     * the default. Not thread-safe.
     */
    public static final class Builder extends ConfigSetters {
        private final Map<Setting, Object> given = new EnumMap<>(Setting.class);
        private final Map<String, Object> dataSourceProperties = new LinkedHashMap<>();
        private final Map<Setting, String> wrong = new EnumMap<>(Setting.class);
        private final List<String> unknown = new ArrayList<>();

        private @Nullable DataSource dataSource;
        private @Nullable CredentialsProvider credentialsProvider;
        private @Nullable FailureClassifier failureClassifier;
        private @Nullable Supplier<Map<String, String>> sessionState;
        private final List<PoolListener> listeners = new ArrayList<>();
        private @Nullable ThreadFactory threadFactory;
        private Ticker ticker = Ticker.system();

        private Builder() {}

        /**
         * Sets a property of the driver's DataSource, or one that is given to the driver with the url. A value that is
         * text is converted to what the DataSource's setter takes; with the url, numbers and booleans are given as text.
         */
        public Builder dataSourceProperty(String name, Object value) {
            dataSourceProperties.put(name, Objects.requireNonNull(value, name));
            return this;
        }

        /** Sets the object that connections come from, instead of a url; XA data sources are refused at start. */
        public Builder dataSource(@Nullable DataSource value) {
            dataSource = value;
            return this;
        }

        /** Sets what says who to connect as, instead of username and password. */
        public Builder credentialsProvider(@Nullable CredentialsProvider value) {
            credentialsProvider = value;
            return this;
        }

        /** Sets what overrides the pool's own rules on what a failure means. */
        public Builder failureClassifier(@Nullable FailureClassifier value) {
            failureClassifier = value;
            return this;
        }

        /**
         * Sets what says which settings of the server the session of a request must have, by their names: the tenant of
         * row-level security, a role, {@code application_name}. It is asked on the user's own thread when the connection is first used
         * after it was lent, or each time that it is bound in the {@code poolMode} transaction. The settings are sent
         * where the session has other values, in one round trip, and taken back before another user has the session; getConnection() itself
         * sends nothing. What it throws, the user's call throws. PostgreSQL's own driver and MariaDB's only (there the names of session
         * variables); with another the pool does not start. The values are in no message.
         */
        public Builder sessionState(@Nullable Supplier<Map<String, String>> value) {
            sessionState = value;
            return this;
        }

        /** Adds a listener to those added before. */
        public Builder addListener(PoolListener value) {
            listeners.add(Objects.requireNonNull(value, "listener"));
            return this;
        }

        /**
         * Sets what makes the threads on which the pool calls the driver, such as {@code Thread.ofVirtual().factory()};
         * null: the pool, which makes daemons that inherit nothing. If it makes virtual threads, the thread that decides what
         * is opened and closed is virtual too, from JDK 24 on; a thousand pools then need few threads. The pool names them.
         * The factory is called by threads of the pool, several at once, and must return at once; for a thread that it does
         * not give the pool makes one itself, and logs a warning.
         */
        public Builder threadFactory(@Nullable ThreadFactory value) {
            threadFactory = value;
            return this;
        }

        /** Sets the pool's source of time; for tests. */
        public Builder ticker(Ticker value) {
            ticker = Objects.requireNonNull(value);
            return this;
        }

        /**
         * Sets one setting by its name or alias, or {@code dataSource.*}, to a value of its type or in its text form.
         */
        public Builder property(String name, Object value) {
            if (name.startsWith(SettingNames.DATA_SOURCE_PREFIX)
                    && name.length() > SettingNames.DATA_SOURCE_PREFIX.length()) {
                return dataSourceProperty(name.substring(SettingNames.DATA_SOURCE_PREFIX.length()), value);
            }
            Setting setting = SettingNames.find(name);
            if (setting == null) {
                unknown.add(SettingNames.faultOf(name));
                return this;
            }
            return set(setting, value);
        }

        /**
         * Sets a value as {@link #property} does, and refuses a wrong one at once.
         *
         * @throws IllegalArgumentException if it is wrong
         */
        void require(Setting setting, @Nullable Object value) {
            Object wanted = setting.orNone(value);
            if (wanted != null) {
                setting.parse(wanted);
            }
            set(setting, value);
        }

        /**
         * Sets all of these, by names or aliases, and {@code dataSource.*}. One setting under two names is a fault,
         * unless both have the same value.
         */
        public Builder properties(Properties properties) {
            Map<Setting, String> nameOf = new EnumMap<>(Setting.class);
            flat(properties).forEach((name, value) -> {
                Setting setting = SettingNames.find(name);
                String other = setting == null ? null : nameOf.putIfAbsent(setting, name);
                if (setting == null || other == null) {
                    property(name, value);
                } else if (!isSame(setting, value)) {
                    wrong.put(
                            setting,
                            other + " and " + name + ": two values for one setting (expected: one "
                                    + setting.settingName() + ")");
                }
            });
            return this;
        }

        /** In the order of their names; with the defaults of the properties, and with values that are not text. */
        static Map<String, Object> flat(Properties properties) {
            Map<String, Object> flat = new TreeMap<>();
            properties.stringPropertyNames().forEach(name -> flat.put(name, properties.getProperty(name)));
            properties.forEach((name, value) -> flat.put(name.toString(), value));
            return flat;
        }

        private boolean isSame(Setting setting, Object value) {
            try {
                return setting.parse(value).equals(given.get(setting));
            } catch (IllegalArgumentException e) {
                return false;
            }
        }

        @Override
        Builder set(Setting setting, @Nullable Object value) {
            given.remove(setting);
            wrong.remove(setting);
            Object wanted = setting.orNone(value);
            if (wanted != null) {
                try {
                    given.put(setting, setting.parse(wanted));
                } catch (IllegalArgumentException e) {
                    wrong.put(setting, e.getMessage());
                }
            }
            return this;
        }

        /** The value that would be in force, unchecked. */
        Configuration peek() {
            return new Configuration(
                    given,
                    dataSourceProperties,
                    dataSource,
                    credentialsProvider,
                    failureClassifier,
                    sessionState,
                    listeners,
                    threadFactory,
                    ticker);
        }

        /**
         * Returns what {@link #build} would refuse, one sentence a fault, each beginning with the setting's name;
         * empty if nothing is wrong.
         */
        public List<String> faults() {
            List<String> faults = new ArrayList<>(unknown);
            faults.addAll(wrong.values());
            faults.addAll(peek().faults(wrong.keySet()));
            return faults;
        }

        /**
         * Checks everything and returns the configuration.
         *
         * @throws IllegalArgumentException if anything is wrong, with every fault in its message
         */
        public PoolConfig build() {
            List<String> faults = faults();
            if (!faults.isEmpty()) {
                throw new IllegalArgumentException(Configuration.messageOf(faults));
            }
            return new PoolConfig(peek());
        }
    }
}
