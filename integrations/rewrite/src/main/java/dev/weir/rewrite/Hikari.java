package dev.weir.rewrite;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The names of HikariCP, and which of them mean the same in Weir. */
final class Hikari {
    static final String PACKAGE = "com.zaxxer.hikari";
    static final String CONFIG = PACKAGE + ".HikariConfig";
    static final String DATA_SOURCE = PACKAGE + ".HikariDataSource";
    static final String WEIR = "dev.weir.WeirDataSource";

    /** The prefix of Spring Boot's keys, as any source may write it: with dots, or as a variable of the environment. */
    static final Pattern SPRING_KEY = Pattern.compile("(?i)spring[._]datasource[._]hikari");

    /** How long a size is not set, there and here. */
    static final String NO_SIZE = "set the maximum pool size: where it is not set it is 10 in HikariCP, and 60 in Weir";

    /** Methods of HikariConfig and HikariDataSource that WeirDataSource has with the same signature and meaning. */
    static final Set<String> SAME = Set.of(
            "setJdbcUrl",
            "setUsername",
            "setPassword",
            "setDriverClassName",
            "setDataSourceClassName",
            "setDataSource",
            "setDataSourceProperties",
            "addDataSourceProperty",
            "setPoolName",
            "setMaximumPoolSize",
            "setMinimumIdle",
            "setConnectionTimeout",
            "setValidationTimeout",
            "setIdleTimeout",
            "setMaxLifetime",
            "setKeepaliveTime",
            "setLeakDetectionThreshold",
            "setConnectionInitSql",
            "setConnectionTestQuery",
            "setAutoCommit",
            "setReadOnly",
            "setTransactionIsolation",
            "setCatalog",
            "setSchema",
            "setRegisterMbeans",
            "setThreadFactory",
            "getUsername",
            "getPassword",
            "getDriverClassName",
            "getDataSourceClassName",
            "getConnectionInitSql",
            "getConnectionTestQuery",
            "getTransactionIsolation",
            "getCatalog",
            "getSchema",
            "getMaximumPoolSize",
            "getConnection",
            "isClosed",
            "isRunning",
            "close");

    /** What is always so in Weir, or of no use there. */
    static final Set<String> DROPPED = Set.of("setAllowPoolSuspension", "setIsolateInternalQueries");

    /** Milliseconds below which HikariCP takes another value, or refuses. */
    private static final Map<String, Long> LEAST = Map.of(
            "connectiontimeout", 250L,
            "validationtimeout", 250L,
            "idletimeout", 10_000L,
            "maxlifetime", 30_000L,
            "keepalivetime", 30_000L,
            "leakdetectionthreshold", 2_000L);

    private static final String DURATION = "it returns a Duration in Weir: toMillis()";

    /** What to do in place of a method that Weir does not have. */
    private static final Map<String, String> OTHERWISE = Map.ofEntries(
            Map.entry("setMetricRegistry", "bind dev.weir.micrometer.WeirMetrics to the registry"),
            Map.entry("setMetricsTrackerFactory", "bind dev.weir.micrometer.WeirMetrics, or add a PoolListener"),
            Map.entry("setHealthCheckRegistry", "use stats(), or the health check of weir-dropwizard"),
            Map.entry("setHealthCheckProperties", "use stats(), or the health check of weir-dropwizard"),
            Map.entry("addHealthCheckProperty", "use stats(), or the health check of weir-dropwizard"),
            Map.entry("setScheduledExecutor", "the pool has threads of its own; setThreadFactory makes them"),
            Map.entry("setCredentials", "setUsername and setPassword"),
            Map.entry("setCredentialsProvider", "setCredentialsProvider takes a dev.weir.spi.CredentialsProvider"),
            Map.entry("setCredentialsProviderClassName", "setCredentialsProvider takes the object"),
            Map.entry("setExceptionOverride", "setFailureClassifier takes a dev.weir.spi.FailureClassifier"),
            Map.entry("setExceptionOverrideClassName", "setFailureClassifier takes the object"),
            Map.entry("setDataSourceJNDI", "look the data source up, and give it to setDataSource"),
            Map.entry(
                    "setInitializationFailTimeout",
                    "it counts on top of the connection timeout in HikariCP, and alone in Weir; start() opens the first"
                            + " connection"),
            Map.entry("getHikariPoolMXBean", "WeirDataSource has stats(), evictAll(), suspend() and resume()"),
            Map.entry("getHikariConfigMXBean", "the setters of WeirDataSource change what can change while it runs"),
            Map.entry("evictConnection", "evictAll() replaces all connections"),
            Map.entry("getJdbcUrl", "getUrl() returns it"),
            Map.entry("getMinimumIdle", "config() has minimumIdle() and minimumPoolSize()"),
            Map.entry("isAutoCommit", "getAutoCommit() returns null where it is not set"),
            Map.entry("isReadOnly", "getReadOnly() returns null where it is not set"),
            Map.entry("getConnectionTimeout", DURATION),
            Map.entry("getValidationTimeout", DURATION),
            Map.entry("getIdleTimeout", DURATION),
            Map.entry("getMaxLifetime", DURATION),
            Map.entry("getKeepaliveTime", DURATION),
            Map.entry("getLeakDetectionThreshold", DURATION),
            Map.entry("copyStateTo", "PoolConfig.toBuilder() copies a configuration"),
            Map.entry("validate", "config() checks the configuration"));

    /** The names of properties, as {@link #relaxed} writes them. */
    private static final Set<String> PROPERTIES = SAME.stream()
            .filter(name -> name.startsWith("set"))
            .map(name -> relaxed(name.substring(3)))
            .collect(Collectors.toSet());

    private static final Map<String, String> OTHER_PROPERTIES = new TreeMap<>();

    static {
        OTHERWISE.forEach((name, what) -> {
            if (name.startsWith("set")) {
                OTHER_PROPERTIES.put(relaxed(name.substring(3)), what);
            }
        });
    }

    private Hikari() {}

    /** As Spring Boot compares names. */
    static String relaxed(String name) {
        return name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }

    /** Returns why a method cannot stay as it is, or null where it can. */
    static @Nullable String ofMethod(String name, @Nullable Object literal) {
        if (DROPPED.contains(name)) {
            return null;
        }
        if (!SAME.contains(name)) {
            return OTHERWISE.getOrDefault(name, "WeirDataSource has no method that means the same");
        }
        return name.startsWith("set") && literal instanceof Number number
                ? ofNumber(relaxed(name.substring(3)), number.longValue())
                : null;
    }

    /** Returns why a property of Spring Boot's cannot be renamed, or null where it can. */
    static @Nullable String ofProperty(String name, String value) {
        String relaxed = relaxed(name);
        if (relaxed.matches("datasourceproperties[.\\[].*|datasourceproperties") || isDropped(name)) {
            return null;
        }
        if (!PROPERTIES.contains(relaxed)) {
            return OTHER_PROPERTIES.getOrDefault(relaxed, "Weir has no property of this name");
        }
        return value.matches("\\d{1,9}") ? ofNumber(relaxed, Long.parseLong(value)) : null;
    }

    /** Whether a property of Spring Boot's goes without a replacement. */
    static boolean isDropped(String name) {
        return DROPPED.stream().anyMatch(one -> relaxed(one.substring(3)).equals(relaxed(name)));
    }

    private static @Nullable String ofNumber(String property, long value) {
        Long least = LEAST.get(property);
        boolean isEndless = property.equals("connectiontimeout") && value == 0;
        return least != null && (isEndless || (value > 0 && value < least))
                ? "HikariCP does not take this value but another one: write that one, see ./weir migrate"
                : null;
    }
}
