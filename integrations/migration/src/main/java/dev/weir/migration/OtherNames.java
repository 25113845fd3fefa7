package dev.weir.migration;

import dev.weir.PoolConfig;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;

/**
 * The names that Agroal, BeeCP, BoneCP, Druid and Vibur have for a setting of Weir: those that mean the same in the same
 * unit. {@link PoolConfig#from} knows the names of HikariCP, Tomcat JDBC, DBCP 2, c3p0 and Dropwizard itself.
 */
public final class OtherNames {
    private static final Map<String, String> SETTINGS = settings();

    private OtherNames() {}

    private static Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("principal", "username"); // Agroal
        settings.put("credential", "password"); // Agroal
        settings.put("poolMaxSize", "maximumPoolSize"); // Vibur
        settings.put("acquireRetryDelayInMs", "acquireRetryDelay"); // Vibur, BoneCP
        settings.put("connectionTimeoutInMs", "connectionTimeout"); // Vibur, BoneCP
        settings.put("acquisitionTimeout", "connectionTimeout"); // Agroal
        settings.put("aliveTestSql", "connectionTestQuery"); // BeeCP
        settings.put("aliveAssumeTime", "validateAfterIdle"); // BeeCP
        settings.put("leakTimeout", "leakDetectionThreshold"); // Agroal
        settings.put("jdbcTransactionIsolation", "transactionIsolation"); // Agroal
        settings.put("initialSql", "connectionInitSql"); // Agroal
        settings.put("enableJMX", "registerMbeans"); // Vibur
        settings.put("enableJmx", "registerMbeans"); // BeeCP
        settings.put("maxWaitThreadCount", "maximumWaiters"); // Druid
        return Collections.unmodifiableMap(settings);
    }

    /** Returns the name of the setting for each of these names; unmodifiable. */
    public static Map<String, String> all() {
        return SETTINGS;
    }

    /**
     * Returns a copy of these properties in which each of these names is that of its setting, for {@link PoolConfig#from}.
     * Names that are not among them stay as they are.
     *
     * @throws IllegalArgumentException if one setting would get two values
     */
    public static Properties toSettings(Properties properties) {
        Properties settings = new Properties();
        HikariProperties.flat(properties).forEach((name, value) -> {
            String setting = SETTINGS.getOrDefault(name, name);
            Object other = settings.putIfAbsent(setting, value);
            if (other != null && !other.equals(value)) {
                throw new IllegalArgumentException(
                        setting + ": two values under several names (expected: one " + setting + ")");
            }
        });
        return settings;
    }
}
