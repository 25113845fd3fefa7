package dev.weir;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The table of settings. The builder, the bean properties, properties files, JMX, the documentation and every message
 * about a setting are made from it; {@link SettingNames} has the other names they go by.
 */
@SuppressWarnings("ImmutableEnumChecker") // every value in it is an Integer, a Boolean or a Duration
enum Setting {
    URL("url", SettingType.TEXT, "JDBC URL of the database, jdbc:..."),
    USERNAME("username", SettingType.NAME, "User that connections are opened as"),
    PASSWORD("password", SettingType.SECRET, "Password of that user"),
    DRIVER_CLASS_NAME("driverClassName", SettingType.TEXT, "Driver for the url; unset: the one that accepts it"),
    DATA_SOURCE_CLASS_NAME(
            "dataSourceClassName",
            SettingType.TEXT,
            "Driver's DataSource class, instead of a url; its properties are set as dataSource.*"),
    POOL_NAME("poolName", SettingType.TEXT, "Name in messages, JMX and events; unset: weir-1, weir-2, ..."),

    MAXIMUM_POOL_SIZE(
            "maximumPoolSize", 60, 1, Bounds.MOST, Bounds.RUNTIME, "At most this many connections, idle and in use"),
    MINIMUM_POOL_SIZE(
            "minimumPoolSize",
            10,
            0,
            Bounds.MOST,
            Bounds.RUNTIME,
            "At least this many connections, idle and in use; unset: 10, or maximumPoolSize if that is less"),
    MINIMUM_IDLE(
            "minimumIdle",
            0,
            0,
            Bounds.MOST,
            Bounds.FIXED,
            "Kept idle on top of those in use, as far as maximumPoolSize allows; filled up lazily"),
    ACQUIRE_INCREMENT(
            "acquireIncrement", 5, 1, 1_000, Bounds.RUNTIME, "At most this many connects under way at a time"),
    ACQUIRE_RETRIES(
            "acquireRetries",
            3,
            0,
            1_000,
            Bounds.RUNTIME,
            "Failures in a row after which, while nobody waits, the pause doubles, to 30s at most"),
    ACQUIRE_RETRY_DELAY(
            "acquireRetryDelay",
            Duration.ofMillis(750),
            Bounds.SHORTEST,
            Bounds.LONGEST,
            Bounds.RUNTIME,
            "Longest pause between attempts of a failed connect; a tenth of it while somebody waits; with jitter"),

    CONNECTION_TIMEOUT(
            "connectionTimeout",
            Duration.ofSeconds(5),
            Bounds.SHORTEST,
            Bounds.LONGEST,
            Bounds.RUNTIME,
            "getConnection() returns or throws within this time"),
    VALIDATION_TIMEOUT(
            "validationTimeout",
            Duration.ofSeconds(1),
            Bounds.SHORTEST,
            Bounds.LONGEST,
            Bounds.FIXED,
            "Bound of one test of a connection; the user who waits for it never waits beyond connectionTimeout"),
    CONNECT_TIMEOUT(
            "connectTimeout",
            Duration.ofSeconds(30),
            Bounds.SHORTEST,
            Bounds.LONGEST,
            Bounds.FIXED,
            "Bound of one physical connect; a hung one is abandoned and replaced"),
    CLOSE_TIMEOUT(
            "closeTimeout",
            Duration.ofSeconds(10),
            Duration.ZERO,
            Bounds.LONGEST,
            Bounds.FIXED,
            "How long close() waits for connections in use before it aborts them"),

    JDBC4_CONNECTION_TEST(
            "jdbc4ConnectionTest",
            true,
            "Test connections by Connection.isValid; unset: true, or false if there is a connectionTestQuery"),
    CONNECTION_TEST_QUERY("connectionTestQuery", SettingType.TEXT, "Test connections by this SQL instead of isValid"),
    VALIDATE_AFTER_IDLE(
            "validateAfterIdle",
            Duration.ofMillis(500),
            Duration.ZERO,
            Bounds.LONGEST,
            Bounds.FIXED,
            "Test a connection before it is lent if it did not answer for this long; 0: before every hand-out"),
    KEEPALIVE_TIME(
            "keepaliveTime",
            Duration.ofMinutes(2),
            Duration.ZERO,
            Bounds.LONGEST,
            Bounds.FIXED,
            "Test an idle connection this often; less than maxLifetime; 0: never"),
    IDLE_TIMEOUT(
            "idleTimeout",
            Duration.ofMinutes(10),
            Duration.ZERO,
            Bounds.LONGEST,
            Bounds.RUNTIME,
            "Close connections that were surplus for this long, never earlier and at most 30s later; 0: never"),
    MAX_LIFETIME(
            "maxLifetime",
            Duration.ofMinutes(30),
            Duration.ZERO,
            Bounds.LONGEST,
            Bounds.RUNTIME,
            "Replace a connection of this age, less a jitter, and never while it is in use; 0: never"),
    LEAK_DETECTION_THRESHOLD(
            "leakDetectionThreshold",
            Duration.ZERO,
            Duration.ZERO,
            Bounds.LONGEST,
            Bounds.RUNTIME,
            "Log a connection that is held for longer, with its holder's stack; 0: never"),

    AUTO_COMMIT("autoCommit", SettingType.BOOLEAN, "Auto-commit of a lent connection; unset: the driver's"),
    READ_ONLY("readOnly", SettingType.BOOLEAN, "Read-only mode of a lent connection; unset: the driver's"),
    TRANSACTION_ISOLATION(
            "transactionIsolation", SettingType.ISOLATION, "Isolation of a lent connection; unset: the driver's"),
    CATALOG("catalog", SettingType.TEXT, "Catalog of a lent connection; unset: the driver's"),
    SCHEMA("schema", SettingType.TEXT, "Schema of a lent connection; unset: the driver's"),
    CONNECTION_INIT_SQL("connectionInitSql", SettingType.TEXT, "SQL run once on every new connection"),
    RESET_SQL("resetSql", SettingType.TEXT, "SQL run when a used connection comes home, such as DISCARD ALL"),
    INITIALIZATION_FAIL_TIMEOUT(
            "initializationFailTimeout",
            null,
            Bounds.LONGEST.negated(),
            Bounds.LONGEST,
            Bounds.FIXED,
            "Starting waits this long for a first connection, else throws; 0: tries once and goes on; negative: does not"
                    + " try; unset: connectionTimeout"),
    REGISTER_MBEANS("registerMbeans", true, "Register the pool with JMX as dev.weir:type=Pool,name=..."),
    MAXIMUM_WAITERS(
            "maximumWaiters",
            0,
            0,
            1_000_000,
            Bounds.FIXED,
            "At most this many threads wait for a connection, one more fails at once; 0: unlimited");

    /** Limits that several settings share, and names for what the flag of a row means. */
    private static final class Bounds {
        static final int MOST = 10_000;
        static final Duration SHORTEST = Duration.ofMillis(1);
        static final Duration LONGEST = Duration.ofDays(365);
        static final boolean RUNTIME = true;
        static final boolean FIXED = false;
    }

    private final String settingName;
    private final SettingType type;
    private final @Nullable Object byDefault;
    private final @Nullable Comparable<?> least;
    private final @Nullable Comparable<?> most;
    private final boolean changeable;
    private final String doc;

    Setting(String name, SettingType type, String doc) {
        this(name, type, null, null, null, Bounds.FIXED, doc);
    }

    Setting(String name, boolean byDefault, String doc) {
        this(name, SettingType.BOOLEAN, byDefault, null, null, Bounds.FIXED, doc);
    }

    Setting(String name, int byDefault, int least, int most, boolean changeable, String doc) {
        this(name, SettingType.INTEGER, byDefault, least, most, changeable, doc);
    }

    Setting(String name, @Nullable Duration byDefault, Duration least, Duration most, boolean changeable, String doc) {
        this(name, SettingType.DURATION, byDefault, least, most, changeable, doc);
    }

    Setting(
            String name,
            SettingType type,
            @Nullable Object byDefault,
            @Nullable Comparable<?> least,
            @Nullable Comparable<?> most,
            boolean changeable,
            String doc) {
        this.settingName = name;
        this.type = type;
        this.byDefault = byDefault;
        this.least = least;
        this.most = most;
        this.changeable = changeable;
        this.doc = doc;
    }

    /** The name that users write. */
    String settingName() {
        return settingName;
    }

    SettingType type() {
        return type;
    }

    /** The value where none is given, or null if then there is none, or it follows another setting. */
    @Nullable
    Object byDefault() {
        return byDefault;
    }

    /** Whether it can be changed while the pool runs. */
    boolean changeable() {
        return changeable;
    }

    String doc() {
        return doc;
    }

    List<String> aliases() {
        return SettingNames.aliasesOf(this);
    }

    /** Reads a value; throws IllegalArgumentException that names the setting, the value and what is expected. */
    Object parse(Object raw) {
        Object value;
        try {
            value = type.read(raw);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IllegalArgumentException(fault(raw, expected()), e);
        }
        if (!isInRange(value)) {
            throw new IllegalArgumentException(fault(raw, range().isEmpty() ? expected() : range()));
        }
        return value;
    }

    private boolean isInRange(Object value) {
        if (value instanceof Integer number && least instanceof Integer low && most instanceof Integer high) {
            return number >= low && number <= high;
        }
        if (value instanceof Duration time && least instanceof Duration low && most instanceof Duration high) {
            return time.compareTo(low) >= 0
                    && time.compareTo(high) <= 0
                    && Duration.ofMillis(time.toMillis()).equals(time);
        }
        return this != URL || ((String) value).startsWith("jdbc:");
    }

    /** The range as it is written in messages and in the documentation. */
    String expected() {
        return switch (type) {
            case TEXT -> this == URL ? "jdbc:..." : "text, not blank";
            case NAME, SECRET -> "text";
            case INTEGER -> least + ".." + most;
            case BOOLEAN -> "true or false";
            case DURATION -> range() + " in whole milliseconds, written as 1500, 1500ms, 30s, 5m, 2h, 1d or ISO-8601";
            case ISOLATION -> String.join(", ", SettingType.LEVELS) + ", or 1, 2, 4, 8";
        };
    }

    /** The range of a number or a time; empty for what has none. */
    String range() {
        if (least instanceof Duration low && most instanceof Duration high) {
            return Durations.format(low) + ".." + Durations.format(high);
        }
        return least == null ? "" : least + ".." + most;
    }

    /** The one form in which a wrong value is reported. */
    String fault(@Nullable Object value, String expected) {
        return settingName + ": " + shown(value) + " (expected: " + expected + ")";
    }

    /** A value as it may be shown to anybody. */
    String shown(@Nullable Object value) {
        if (value == null) {
            return "not set";
        }
        if (type == SettingType.SECRET) {
            return Redactor.MASK;
        }
        String text;
        if (value instanceof String raw) {
            text = raw.isBlank() ? '"' + raw + '"' : Redactor.redactUrl(raw);
        } else if (value instanceof Duration time) {
            text = Durations.format(time);
        } else if (value instanceof Number || value instanceof Boolean) {
            text = value.toString();
        } else {
            text = "a " + value.getClass().getName();
        }
        return text.length() <= 200 ? text : text.substring(0, 200) + "...";
    }
}
