package dev.weir.migration;

import dev.weir.PoolConfig;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;

/**
 * The names that other pools than HikariCP have for a setting of Weir: those that mean the same in the same unit. Agroal, BeeCP,
 * BoneCP, c3p0, DBCP 1 and 2, Druid, Dropwizard, Tomcat JDBC and Vibur.
 */
public final class OtherNames {
    private static final Map<String, String> SETTINGS = settings();

    private OtherNames() {}

    private static Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("connectionUrl", "url");
        settings.put("user", "username"); // c3p0, Dropwizard
        settings.put("principal", "username"); // Agroal
        settings.put("credential", "password"); // Agroal
        settings.put("driverClass", "driverClassName"); // c3p0, Dropwizard
        settings.put("name", "poolName"); // Tomcat JDBC, Vibur, Druid
        settings.put("maxSize", "maximumPoolSize"); // Agroal, Dropwizard
        settings.put("maxPoolSize", "maximumPoolSize"); // c3p0
        settings.put("maxActive", "maximumPoolSize"); // Tomcat JDBC, DBCP 1, Druid, BeeCP
        settings.put("maxTotal", "maximumPoolSize"); // DBCP 2
        settings.put("poolMaxSize", "maximumPoolSize"); // Vibur
        settings.put("minSize", "minimumPoolSize"); // Agroal, Dropwizard
        settings.put("minPoolSize", "minimumPoolSize"); // c3p0
        settings.put("minIdle", "minimumIdle"); // DBCP 2, Tomcat JDBC, Druid
        settings.put("acquireRetryDelayInMs", "acquireRetryDelay"); // Vibur, BoneCP
        settings.put("connectionTimeoutInMs", "connectionTimeout"); // Vibur, BoneCP
        settings.put("connectionTimeoutMs", "connectionTimeout");
        settings.put("acquisitionTimeout", "connectionTimeout"); // Agroal
        settings.put("maxWaitMillis", "connectionTimeout"); // DBCP 2
        settings.put("maxWait", "connectionTimeout"); // Tomcat JDBC, DBCP 1, Druid, BeeCP
        settings.put("checkoutTimeout", "connectionTimeout"); // c3p0
        settings.put("validationQuery", "connectionTestQuery"); // DBCP 2, Tomcat JDBC, Druid, Dropwizard
        settings.put("preferredTestQuery", "connectionTestQuery"); // c3p0
        settings.put("aliveTestSql", "connectionTestQuery"); // BeeCP
        settings.put("aliveAssumeTime", "validateAfterIdle"); // BeeCP
        settings.put("minEvictableIdleTimeMillis", "idleTimeout"); // DBCP 2, Tomcat JDBC, Druid
        settings.put("maxConnLifetimeMillis", "maxLifetime"); // DBCP 2
        settings.put("maxAge", "maxLifetime"); // Tomcat JDBC
        settings.put("leakTimeout", "leakDetectionThreshold"); // Agroal
        settings.put("defaultAutoCommit", "autoCommit"); // DBCP 2, Tomcat JDBC, Druid, Vibur, BeeCP
        settings.put("defaultReadOnly", "readOnly"); // DBCP 2, Tomcat JDBC, Druid, Vibur, BeeCP
        settings.put("defaultTransactionIsolation", "transactionIsolation"); // DBCP 2, Tomcat JDBC, Druid, Vibur
        settings.put("defaultCatalog", "catalog"); // DBCP 2, Tomcat JDBC, Druid, Vibur, BeeCP
        settings.put("defaultSchema", "schema"); // DBCP 2, BeeCP
        settings.put("jdbcTransactionIsolation", "transactionIsolation"); // Agroal
        settings.put("initSQL", "connectionInitSql"); // Tomcat JDBC, Vibur
        settings.put("initialSql", "connectionInitSql"); // Agroal
        settings.put("jmxEnabled", "registerMbeans"); // Tomcat JDBC
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
