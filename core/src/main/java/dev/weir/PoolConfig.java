package dev.weir;

import dev.weir.spi.CredentialsProvider;
import dev.weir.spi.FailureClassifier;
import dev.weir.spi.PoolListener;
import dev.weir.spi.Ticker;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.ThreadFactory;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * How a pool is configured: immutable, and checked as a whole when it is built. What each setting means, its range, its
 * default and its other names are in the table of {@code docs/guide/settings.md}; times are {@link Duration}s of whole
 * milliseconds.
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
public final class PoolConfig {
    private final Map<Setting, Object> given;
    private final Map<String, Object> dataSourceProperties;
    private final @Nullable DataSource dataSource;
    private final @Nullable CredentialsProvider credentialsProvider;
    private final @Nullable FailureClassifier failureClassifier;
    private final List<PoolListener> listeners;
    private final @Nullable ThreadFactory threadFactory;
    private final Ticker ticker;

    private PoolConfig(Builder builder) {
        this.given = new EnumMap<>(builder.given);
        this.dataSourceProperties = Collections.unmodifiableMap(new LinkedHashMap<>(builder.dataSourceProperties));
        this.dataSource = builder.dataSource;
        this.credentialsProvider = builder.credentialsProvider;
        this.failureClassifier = builder.failureClassifier;
        this.listeners = List.copyOf(builder.listeners);
        this.threadFactory = builder.threadFactory;
        this.ticker = builder.ticker;
    }

    /** Returns a builder in which nothing is set. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Reads a configuration from properties: the settings by name or alias, and {@code dataSource.*}.
     *
     * @throws IllegalArgumentException if a name is unknown, a value wrong, or two settings contradict; the message has all
     *     faults
     */
    public static PoolConfig from(Properties properties) {
        return builder().properties(properties).build();
    }

    /**
     * Reads a configuration from a properties file in UTF-8.
     *
     * @throws IOException if the file cannot be read
     * @throws IllegalArgumentException as {@link #from} does
     */
    public static PoolConfig load(Path file) throws IOException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        }
        return from(properties);
    }

    /**
     * Reads a configuration of HikariCP 7.1.0: its names, with their meaning there and the defaults there. What was
     * translated how is told by {@link HikariProperties}.
     *
     * @throws IllegalArgumentException if a property is unknown or has no meaning here, a value is wrong, or two contradict;
     *     the message has all faults
     */
    public static PoolConfig fromHikari(Properties properties) {
        return HikariProperties.of(properties).toConfig();
    }

    /**
     * Reads a {@code hikari.properties} file, in ISO 8859-1 as HikariCP reads it.
     *
     * @throws IOException if the file cannot be read
     * @throws IllegalArgumentException as {@link #fromHikari(Properties)} does
     */
    public static PoolConfig fromHikari(Path file) throws IOException {
        return HikariProperties.load(file).toConfig();
    }

    /** Returns a builder in which everything is set as it is here. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.given.putAll(given);
        builder.dataSourceProperties.putAll(dataSourceProperties);
        builder.dataSource = dataSource;
        builder.credentialsProvider = credentialsProvider;
        builder.failureClassifier = failureClassifier;
        builder.listeners.addAll(listeners);
        builder.threadFactory = threadFactory;
        builder.ticker = ticker;
        return builder;
    }

    /** Whether a value was given, so that the default does not matter. */
    boolean isGiven(Setting setting) {
        return given.containsKey(setting);
    }

    /** The value in force: the given one, else the default, which for some settings follows another one. */
    @Nullable
    Object get(Setting setting) {
        Object value = given.get(setting);
        return value != null ? value : defaultOf(setting);
    }

    private @Nullable Object defaultOf(Setting setting) {
        return switch (setting) {
            case MINIMUM_POOL_SIZE -> Math.min(10, maximumPoolSize());
            case JDBC4_CONNECTION_TEST -> connectionTestQuery() == null;
            case INITIALIZATION_FAIL_TIMEOUT -> connectionTimeout();
            default -> setting.byDefault();
        };
    }

    int number(Setting setting) {
        return (int) required(setting);
    }

    private boolean flag(Setting setting) {
        return (boolean) required(setting);
    }

    private Duration time(Setting setting) {
        return (Duration) required(setting);
    }

    private @Nullable String text(Setting setting) {
        return (String) get(setting);
    }

    /** The value of a setting that always has one. */
    Object required(Setting setting) {
        return Objects.requireNonNull(get(setting), setting.settingName());
    }

    /** Returns the JDBC URL of the database, or null for none. */
    public @Nullable String url() {
        return text(Setting.URL);
    }

    /** Returns the user that connections are opened as, or null for none. */
    public @Nullable String username() {
        return text(Setting.USERNAME);
    }

    /** Returns the password of that user, or null for none. */
    public @Nullable String password() {
        return text(Setting.PASSWORD);
    }

    /** Returns the driver class for the url, or null for the one that accepts it. */
    public @Nullable String driverClassName() {
        return text(Setting.DRIVER_CLASS_NAME);
    }

    /** Returns the driver's DataSource class, instead of a url, or null for none. */
    public @Nullable String dataSourceClassName() {
        return text(Setting.DATA_SOURCE_CLASS_NAME);
    }

    /** Returns the name in messages, JMX and events, or null to generate one. */
    public @Nullable String poolName() {
        return text(Setting.POOL_NAME);
    }

    /** Returns the greatest number of connections, idle and in use. */
    public int maximumPoolSize() {
        return number(Setting.MAXIMUM_POOL_SIZE);
    }

    /** Returns the least number of connections, idle and in use. */
    public int minimumPoolSize() {
        return number(Setting.MINIMUM_POOL_SIZE);
    }

    /** Returns the number of connections kept idle on top of those in use. */
    public int minimumIdle() {
        return number(Setting.MINIMUM_IDLE);
    }

    /** Returns the greatest number of connects under way at a time. */
    public int acquireIncrement() {
        return number(Setting.ACQUIRE_INCREMENT);
    }

    /** Returns the failures in a row after which, while nobody waits, the pause doubles. */
    public int acquireRetries() {
        return number(Setting.ACQUIRE_RETRIES);
    }

    /** Returns the longest pause after a failed connect; a tenth of it while somebody waits. */
    public Duration acquireRetryDelay() {
        return time(Setting.ACQUIRE_RETRY_DELAY);
    }

    /** Returns the time within which getConnection() returns or throws. */
    public Duration connectionTimeout() {
        return time(Setting.CONNECTION_TIMEOUT);
    }

    /** Returns the bound of one test of a connection. */
    public Duration validationTimeout() {
        return time(Setting.VALIDATION_TIMEOUT);
    }

    /** Returns the bound of one physical connect. */
    public Duration connectTimeout() {
        return time(Setting.CONNECT_TIMEOUT);
    }

    /** Returns the time that close() waits for connections in use. */
    public Duration closeTimeout() {
        return time(Setting.CLOSE_TIMEOUT);
    }

    /** Returns whether connections are tested by Connection.isValid. */
    public boolean jdbc4ConnectionTest() {
        return flag(Setting.JDBC4_CONNECTION_TEST);
    }

    /** Returns the SQL that tests connections instead of isValid, or null for none. */
    public @Nullable String connectionTestQuery() {
        return text(Setting.CONNECTION_TEST_QUERY);
    }

    /** Returns the time without an answer after which a connection is tested before it is lent. */
    public Duration validateAfterIdle() {
        return time(Setting.VALIDATE_AFTER_IDLE);
    }

    /** Returns the period of the test of idle connections, zero for never. */
    public Duration keepaliveTime() {
        return time(Setting.KEEPALIVE_TIME);
    }

    /** Returns the time after which surplus connections are closed, zero for never. */
    public Duration idleTimeout() {
        return time(Setting.IDLE_TIMEOUT);
    }

    /** Returns the age at which a connection is replaced, zero for never. */
    public Duration maxLifetime() {
        return time(Setting.MAX_LIFETIME);
    }

    /** Returns the time held after which a connection is reported, zero for never. */
    public Duration leakDetectionThreshold() {
        return time(Setting.LEAK_DETECTION_THRESHOLD);
    }

    /** Returns the auto-commit of a lent connection, or null for the driver's. */
    public @Nullable Boolean autoCommit() {
        return (@Nullable Boolean) get(Setting.AUTO_COMMIT);
    }

    /** Returns the read-only mode of a lent connection, or null for the driver's. */
    public @Nullable Boolean readOnly() {
        return (@Nullable Boolean) get(Setting.READ_ONLY);
    }

    /** Returns the isolation of a lent connection as its JDBC number, or null for the driver's. */
    public @Nullable Integer transactionIsolation() {
        return (@Nullable Integer) get(Setting.TRANSACTION_ISOLATION);
    }

    /** Returns the catalog of a lent connection, or null for the driver's. */
    public @Nullable String catalog() {
        return text(Setting.CATALOG);
    }

    /** Returns the schema of a lent connection, or null for the driver's. */
    public @Nullable String schema() {
        return text(Setting.SCHEMA);
    }

    /** Returns the SQL run once on every new connection, or null for none. */
    public @Nullable String connectionInitSql() {
        return text(Setting.CONNECTION_INIT_SQL);
    }

    /** Returns the SQL run when a used connection comes home, or null for none. */
    public @Nullable String resetSql() {
        return text(Setting.RESET_SQL);
    }

    /** Returns the time that starting waits for a first connection. */
    public Duration initializationFailTimeout() {
        return time(Setting.INITIALIZATION_FAIL_TIMEOUT);
    }

    /** Returns whether the pool is registered with JMX. */
    public boolean registerMbeans() {
        return flag(Setting.REGISTER_MBEANS);
    }

    /** Returns the greatest number of threads that wait for a connection, zero for unlimited. */
    public int maximumWaiters() {
        return number(Setting.MAXIMUM_WAITERS);
    }

    /** Returns what is set on the driver's DataSource, or given to the driver with the url; unmodifiable. */
    public Map<String, Object> dataSourceProperties() {
        return dataSourceProperties;
    }

    /** Returns the object that connections come from, or null if they come from a url or a dataSourceClassName. */
    public @Nullable DataSource dataSource() {
        return dataSource;
    }

    /** Returns what says who to connect as, or null if username and password do. */
    public @Nullable CredentialsProvider credentialsProvider() {
        return credentialsProvider;
    }

    /** Returns what overrides the pool's own rules on failures, or null. */
    public @Nullable FailureClassifier failureClassifier() {
        return failureClassifier;
    }

    /** Returns who is told what happens in the pool; unmodifiable. */
    public List<PoolListener> listeners() {
        return listeners;
    }

    /** Returns what makes the pool's own threads, or null if the pool does. */
    public @Nullable ThreadFactory threadFactory() {
        return threadFactory;
    }

    /** Returns the pool's source of time. */
    public Ticker ticker() {
        return ticker;
    }

    /**
     * Returns the settings in force by name, given or by default, in their text form and without secrets, and the
     * {@code dataSource.*} after them; without those that have no value. Unmodifiable.
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
        dataSourceProperties.forEach(
                (name, value) -> values.put(SettingNames.DATA_SOURCE_PREFIX + name, shownProperty(name, value)));
        return Collections.unmodifiableMap(values);
    }

    private static String shownProperty(String name, Object value) {
        return Redactor.isSecretName(name) ? Redactor.MASK : Redactor.redactUrl(String.valueOf(value));
    }

    /** Returns what was set, by name, without secrets. */
    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(", ", "PoolConfig[", "]");
        given.forEach((setting, value) -> text.add(setting.settingName() + "=" + setting.shown(value)));
        dataSourceProperties.forEach(
                (name, value) -> text.add(SettingNames.DATA_SOURCE_PREFIX + name + "=" + shownProperty(name, value)));
        if (dataSource != null) {
            text.add("dataSource=a " + dataSource.getClass().getName());
        }
        if (credentialsProvider != null) {
            text.add("credentialsProvider=a " + credentialsProvider.getClass().getName());
        }
        return text.toString();
    }

    /**
     * Collects settings; {@link #build} checks them all at once. To set null, where that is allowed, is to go back to the
     * default. Not thread-safe.
     */
    public static final class Builder {
        private final Map<Setting, Object> given = new EnumMap<>(Setting.class);
        private final Map<String, Object> dataSourceProperties = new LinkedHashMap<>();
        private final Map<Setting, String> wrong = new EnumMap<>(Setting.class);
        private final List<String> unknown = new ArrayList<>();
        private @Nullable DataSource dataSource;
        private @Nullable CredentialsProvider credentialsProvider;
        private @Nullable FailureClassifier failureClassifier;
        private final List<PoolListener> listeners = new ArrayList<>();
        private @Nullable ThreadFactory threadFactory;
        private Ticker ticker = Ticker.system();

        private Builder() {}

        /** Sets the JDBC URL of the database, or null for none. */
        public Builder url(@Nullable String value) {
            return set(Setting.URL, value);
        }

        /** Sets the user that connections are opened as, or null for none. */
        public Builder username(@Nullable String value) {
            return set(Setting.USERNAME, value);
        }

        /** Sets the password of that user, or null for none. */
        public Builder password(@Nullable String value) {
            return set(Setting.PASSWORD, value);
        }

        /** Sets the driver class for the url, or null for the one that accepts it. */
        public Builder driverClassName(@Nullable String value) {
            return set(Setting.DRIVER_CLASS_NAME, value);
        }

        /** Sets the driver's DataSource class, instead of a url, or null for none. */
        public Builder dataSourceClassName(@Nullable String value) {
            return set(Setting.DATA_SOURCE_CLASS_NAME, value);
        }

        /** Sets the name in messages, JMX and events, or null to generate one. */
        public Builder poolName(@Nullable String value) {
            return set(Setting.POOL_NAME, value);
        }

        /** Sets the greatest number of connections, idle and in use. */
        public Builder maximumPoolSize(int value) {
            return set(Setting.MAXIMUM_POOL_SIZE, value);
        }

        /** Sets the least number of connections, idle and in use. */
        public Builder minimumPoolSize(int value) {
            return set(Setting.MINIMUM_POOL_SIZE, value);
        }

        /** Sets the number of connections kept idle on top of those in use. */
        public Builder minimumIdle(int value) {
            return set(Setting.MINIMUM_IDLE, value);
        }

        /** Sets the greatest number of connects under way at a time. */
        public Builder acquireIncrement(int value) {
            return set(Setting.ACQUIRE_INCREMENT, value);
        }

        /** Sets the failures in a row after which, while nobody waits, the pause doubles. */
        public Builder acquireRetries(int value) {
            return set(Setting.ACQUIRE_RETRIES, value);
        }

        /** Sets the longest pause after a failed connect; a tenth of it while somebody waits. */
        public Builder acquireRetryDelay(Duration value) {
            return set(Setting.ACQUIRE_RETRY_DELAY, value);
        }

        /** Sets the time within which getConnection() returns or throws. */
        public Builder connectionTimeout(Duration value) {
            return set(Setting.CONNECTION_TIMEOUT, value);
        }

        /** Sets the bound of one test of a connection. */
        public Builder validationTimeout(Duration value) {
            return set(Setting.VALIDATION_TIMEOUT, value);
        }

        /** Sets the bound of one physical connect. */
        public Builder connectTimeout(Duration value) {
            return set(Setting.CONNECT_TIMEOUT, value);
        }

        /** Sets the time that close() waits for connections in use. */
        public Builder closeTimeout(Duration value) {
            return set(Setting.CLOSE_TIMEOUT, value);
        }

        /** Says whether connections are tested by Connection.isValid. */
        public Builder jdbc4ConnectionTest(boolean value) {
            return set(Setting.JDBC4_CONNECTION_TEST, value);
        }

        /** Sets the SQL that tests connections instead of isValid, or null for none. */
        public Builder connectionTestQuery(@Nullable String value) {
            return set(Setting.CONNECTION_TEST_QUERY, value);
        }

        /** Sets the time without an answer after which a connection is tested before it is lent. */
        public Builder validateAfterIdle(Duration value) {
            return set(Setting.VALIDATE_AFTER_IDLE, value);
        }

        /** Sets the period of the test of idle connections, zero for never. */
        public Builder keepaliveTime(Duration value) {
            return set(Setting.KEEPALIVE_TIME, value);
        }

        /** Sets the time after which surplus connections are closed, zero for never. */
        public Builder idleTimeout(Duration value) {
            return set(Setting.IDLE_TIMEOUT, value);
        }

        /** Sets the age at which a connection is replaced, zero for never. */
        public Builder maxLifetime(Duration value) {
            return set(Setting.MAX_LIFETIME, value);
        }

        /** Sets the time held after which a connection is reported, zero for never. */
        public Builder leakDetectionThreshold(Duration value) {
            return set(Setting.LEAK_DETECTION_THRESHOLD, value);
        }

        /** Sets the auto-commit of a lent connection, or null for the driver's. */
        public Builder autoCommit(@Nullable Boolean value) {
            return set(Setting.AUTO_COMMIT, value);
        }

        /** Sets the read-only mode of a lent connection, or null for the driver's. */
        public Builder readOnly(@Nullable Boolean value) {
            return set(Setting.READ_ONLY, value);
        }

        /** Sets the isolation of a lent connection as its JDBC number, or null for the driver's. */
        public Builder transactionIsolation(@Nullable Integer value) {
            return set(Setting.TRANSACTION_ISOLATION, value);
        }

        /** Sets the isolation of a lent connection as its name, with or without TRANSACTION_ before it. */
        public Builder transactionIsolation(String value) {
            return set(Setting.TRANSACTION_ISOLATION, value);
        }

        /** Sets the catalog of a lent connection, or null for the driver's. */
        public Builder catalog(@Nullable String value) {
            return set(Setting.CATALOG, value);
        }

        /** Sets the schema of a lent connection, or null for the driver's. */
        public Builder schema(@Nullable String value) {
            return set(Setting.SCHEMA, value);
        }

        /** Sets the SQL run once on every new connection, or null for none. */
        public Builder connectionInitSql(@Nullable String value) {
            return set(Setting.CONNECTION_INIT_SQL, value);
        }

        /** Sets the SQL run when a used connection comes home, or null for none. */
        public Builder resetSql(@Nullable String value) {
            return set(Setting.RESET_SQL, value);
        }

        /** Sets the time that starting waits for a first connection. */
        public Builder initializationFailTimeout(Duration value) {
            return set(Setting.INITIALIZATION_FAIL_TIMEOUT, value);
        }

        /** Says whether the pool is registered with JMX. */
        public Builder registerMbeans(boolean value) {
            return set(Setting.REGISTER_MBEANS, value);
        }

        /** Sets the greatest number of threads that wait for a connection, zero for unlimited. */
        public Builder maximumWaiters(int value) {
            return set(Setting.MAXIMUM_WAITERS, value);
        }

        /**
         * Sets a property of the driver's DataSource, or one that is given to the driver with the url. A value that is text
         * is converted to what the DataSource's setter takes.
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

        /** Adds one who is told what happens in the pool, besides those added before. */
        public Builder addListener(PoolListener value) {
            listeners.add(Objects.requireNonNull(value, "listener"));
            return this;
        }

        /**
         * Sets what makes the pool's own threads, such as {@code Thread.ofVirtual().factory()}; null: the pool, which makes
         * daemons that inherit nothing. The pool names them. The factory is called by many threads at once, also by those
         * that wait for a connection; for a thread that it does not give the pool makes one itself, and logs a warning.
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

        /** Sets one setting by its name or alias, or {@code dataSource.*}, to a value of its type or in its text form. */
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
         * Sets all of these, by names or aliases, and {@code dataSource.*}. One setting under two names is a fault, unless
         * both have the same value.
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

        Builder set(Setting setting, @Nullable Object value) {
            given.remove(setting);
            wrong.remove(setting);
            if (value != null) {
                try {
                    given.put(setting, setting.parse(value));
                } catch (IllegalArgumentException e) {
                    wrong.put(setting, e.getMessage());
                }
            }
            return this;
        }

        /** Adds a fault that {@link #build} reports beside its own. */
        void refuse(String fault) {
            unknown.add(fault);
        }

        /** What would be in force, unchecked. */
        PoolConfig peek() {
            return new PoolConfig(this);
        }

        /**
         * Returns what {@link #build} would refuse, one sentence a fault, each beginning with the setting's name; empty if
         * nothing is wrong.
         */
        public List<String> faults() {
            List<String> faults = new ArrayList<>(unknown);
            faults.addAll(wrong.values());
            faults.addAll(ConfigCheck.faultsOf(peek(), wrong.keySet()));
            return List.copyOf(faults);
        }

        /**
         * Checks everything and returns the configuration.
         *
         * @throws IllegalArgumentException if anything is wrong, with every fault in its message
         */
        public PoolConfig build() {
            List<String> faults = faults();
            if (!faults.isEmpty()) {
                throw new IllegalArgumentException(messageOf(faults));
            }
            return peek();
        }

        /** One fault as it is, several as a list. */
        static String messageOf(List<String> faults) {
            return faults.size() == 1
                    ? faults.get(0)
                    : faults.size() + " faults in the configuration:\n  " + String.join("\n  ", faults);
        }
    }
}
