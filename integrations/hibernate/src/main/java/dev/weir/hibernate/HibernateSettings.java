package dev.weir.hibernate;

import dev.weir.PoolConfig;
import dev.weir.spi.CredentialsProvider;
import dev.weir.spi.FailureClassifier;
import dev.weir.spi.PoolListener;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadFactory;
import javax.sql.DataSource;
import org.hibernate.HibernateException;
import org.hibernate.boot.registry.selector.spi.StrategySelector;
import org.hibernate.cfg.JdbcSettings;
import org.hibernate.cfg.SchemaToolingSettings;
import org.jspecify.annotations.Nullable;

/**
 * Makes the pool's configuration of Hibernate's settings: {@code hibernate.weir.*} by the pool's own names, which go before
 * Hibernate's and Jakarta Persistence's names for the same thing. Remembers which property each setting came from, so that
 * a fault is reported by the name that the user wrote.
 */
final class HibernateSettings {
    static final String PREFIX = "hibernate.weir.";

    private static final String HIKARI = "hibernate.hikari.";
    private static final String CONNECTION = "hibernate.connection.";
    private static final String DATASOURCE = CONNECTION + "datasource";
    private static final String LOGIN_TIMEOUT = CONNECTION + "login_timeout"; // in seconds
    private static final String DATA_SOURCE = "dataSource.";

    /** The pool's names, and the properties they come from; of several the first that is set. */
    private static final Map<String, String[]> STANDARD = standard();

    /** What stands among hibernate.connection.* and is not for the driver. */
    private static final Set<String> NOT_FOR_THE_DRIVER = Set.of(
            CONNECTION + "url",
            CONNECTION + "username",
            CONNECTION + "password",
            CONNECTION + "driver_class",
            DATASOURCE,
            JdbcSettings.CONNECTION_PROVIDER,
            JdbcSettings.POOL_SIZE,
            JdbcSettings.ISOLATION,
            JdbcSettings.AUTOCOMMIT,
            JdbcSettings.CONNECTION_PROVIDER_DISABLES_AUTOCOMMIT,
            JdbcSettings.CONNECTION_HANDLING,
            LOGIN_TIMEOUT,
            CONNECTION + "release_mode",
            CONNECTION + "min_pool_size",
            CONNECTION + "initial_pool_size",
            CONNECTION + "pool_validation_interval",
            CONNECTION + "init_sql",
            CONNECTION + "creator_factory_class");

    private final Map<String, Object> settings;
    private final StrategySelector selector;
    private final PoolConfig.Builder builder = PoolConfig.builder();
    private final Map<String, String> propertyOf = new LinkedHashMap<>();

    HibernateSettings(Map<String, Object> settings, StrategySelector selector) {
        this.settings = settings;
        this.selector = selector;
    }

    private static Map<String, String[]> standard() {
        Map<String, String[]> names = new LinkedHashMap<>();
        names.put(
                "url", new String[] {JdbcSettings.JAKARTA_JDBC_URL, CONNECTION + "url", "javax.persistence.jdbc.url"});
        names.put(
                "username",
                new String[] {JdbcSettings.JAKARTA_JDBC_USER, CONNECTION + "username", "javax.persistence.jdbc.user"});
        names.put("password", new String[] {
            JdbcSettings.JAKARTA_JDBC_PASSWORD, CONNECTION + "password", "javax.persistence.jdbc.password"
        });
        names.put("driverClassName", new String[] {
            JdbcSettings.JAKARTA_JDBC_DRIVER, CONNECTION + "driver_class", "javax.persistence.jdbc.driver"
        });
        names.put("transactionIsolation", new String[] {JdbcSettings.ISOLATION});
        names.put("autoCommit", new String[] {JdbcSettings.AUTOCOMMIT});
        names.put("maximumPoolSize", new String[] {JdbcSettings.POOL_SIZE});
        names.put("minimumPoolSize", new String[] {CONNECTION + "min_pool_size"});
        names.put("connectionInitSql", new String[] {CONNECTION + "init_sql"});
        return names;
    }

    /** Throws HibernateException that names the properties, if anything is wrong. */
    PoolConfig toConfig() {
        try {
            readDataSource();
            STANDARD.forEach(this::readStandard);
            readLoginTimeout();
            readDriverProperties();
            readOwn();
            PoolConfig config = builder.build();
            requireNothingOfHikari();
            return config;
        } catch (IllegalArgumentException e) {
            throw new HibernateException(named(e.getMessage()), e);
        }
    }

    /** What somebody set for HikariCP would go unread: another size, auto-commit again where it was off. */
    private void requireNothingOfHikari() {
        List<String> left = settings.keySet().stream()
                .filter(property -> property.startsWith(HIKARI))
                .sorted()
                .toList();
        if (!left.isEmpty()) {
            throw new IllegalArgumentException(String.join(", ", left) + ": set for HikariCP (expected: " + PREFIX
                    + "*, to which ./weir migrate translates them, or none)");
        }
    }

    private void readDataSource() {
        Object value = settings.get(DATASOURCE);
        if (value instanceof DataSource dataSource) {
            builder.dataSource(dataSource);
        } else if (value != null && !value.toString().isBlank()) {
            throw new IllegalArgumentException(DATASOURCE + ": " + value + " (expected: a DataSource object, or "
                    + JdbcSettings.JAKARTA_JDBC_URL + "; what JNDI has is a pool already)");
        }
    }

    private void readStandard(String name, String[] properties) {
        if (settings.get(DATASOURCE) instanceof DataSource && name.equals("url")) {
            return; // as Hibernate itself does: the object goes before the url
        }
        for (String property : properties) {
            Object value = settings.get(property);
            boolean mayBeEmpty = name.equals("username") || name.equals("password");
            if (value != null && (mayBeEmpty || !value.toString().isBlank())) {
                set(name, property, value);
                return;
            }
        }
    }

    private void readLoginTimeout() {
        Object value = settings.get(LOGIN_TIMEOUT);
        if (value == null || value.toString().isBlank()) {
            return;
        }
        try {
            int seconds = Integer.parseInt(value.toString().strip());
            if (seconds != 0) { // which is JDBC's word for the driver's own
                set("connectTimeout", LOGIN_TIMEOUT, Duration.ofSeconds(seconds));
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(LOGIN_TIMEOUT + ": " + value + " (expected: whole seconds)", e);
        }
    }

    private void readDriverProperties() {
        if (settings.get(DATASOURCE) instanceof DataSource) {
            return;
        }
        new TreeMap<>(settings).forEach((property, value) -> {
            if (property.startsWith(CONNECTION) && value instanceof String && !NOT_FOR_THE_DRIVER.contains(property)) {
                set(DATA_SOURCE + property.substring(CONNECTION.length()), property, value);
            }
        });
        if (settings.get(SchemaToolingSettings.ENABLE_SYNONYMS) instanceof String value) {
            set(DATA_SOURCE + "includeSynonyms", SchemaToolingSettings.ENABLE_SYNONYMS, value); // for Oracle's driver
        }
    }

    private void set(String name, String property, Object value) {
        builder.property(name, value);
        propertyOf.put(name, property);
    }

    private void readOwn() {
        Properties own = new Properties();
        settings.forEach((property, value) -> {
            if (property.startsWith(PREFIX) && value != null) {
                String name = property.substring(PREFIX.length());
                propertyOf.put(name, property);
                switch (name) {
                    case "credentialsProvider" ->
                        builder.credentialsProvider(object(CredentialsProvider.class, property, value));
                    case "failureClassifier" ->
                        builder.failureClassifier(object(FailureClassifier.class, property, value));
                    case "listener" -> builder.addListener(object(PoolListener.class, property, value));
                    case "threadFactory" -> builder.threadFactory(object(ThreadFactory.class, property, value));
                    case "dataSource" -> builder.dataSource(object(DataSource.class, property, value));
                    default -> own.put(name, value);
                }
            }
        });
        builder.properties(own);
    }

    /** An object, its class, or the name of its class, as Hibernate takes such a setting. */
    private <T> T object(Class<T> type, String property, Object value) {
        try {
            T object = selector.resolveStrategy(type, value);
            if (type.isInstance(object)) {
                return object;
            }
            throw new IllegalArgumentException();
        } catch (RuntimeException e) {
            String shown = value instanceof String || value instanceof Class
                    ? value.toString()
                    : value.getClass().getName();
            throw new IllegalArgumentException(
                    property + ": " + shown + " (expected: a " + type.getSimpleName() + ", or the name of its class): "
                            + e,
                    e);
        }
    }

    /** A message of the pool's, each of its faults under the name of the property. */
    String named(@Nullable String message) {
        if (message == null) {
            return "";
        }
        StringBuilder text = new StringBuilder();
        for (String line : message.split("\n", -1)) {
            text.append(text.length() == 0 ? "" : "\n").append(namedLine(line));
        }
        return text.toString();
    }

    private String namedLine(String line) {
        String fault = line.stripLeading();
        int end = fault.indexOf(": ");
        String name = end < 0 ? "" : fault.substring(0, end);
        if (!isName(name)) {
            return line;
        }
        String indent = line.substring(0, line.length() - fault.length());
        String byDefault = name.equals("url") ? JdbcSettings.JAKARTA_JDBC_URL : PREFIX + name;
        return indent + propertyOf.getOrDefault(name, byDefault) + fault.substring(end);
    }

    /** Whether it is one word of the pool's, and not a property's full name or a sentence. */
    private static boolean isName(String text) {
        return text.matches("[\\w.-]+")
                && !text.toLowerCase(Locale.ROOT).startsWith("hibernate.")
                && !text.startsWith("jakarta.");
    }
}
