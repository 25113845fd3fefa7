package dev.weir.dropwizard;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import io.dropwizard.core.setup.Environment;
import io.dropwizard.db.ManagedDataSource;
import io.dropwizard.db.PooledDataSourceFactory;
import io.dropwizard.util.Duration;
import io.dropwizard.validation.selfvalidating.SelfValidating;
import io.dropwizard.validation.selfvalidating.SelfValidation;
import io.dropwizard.validation.selfvalidating.ViolationCollector;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a pool as a block of a Dropwizard configuration, under whatever name the application gives it. Each
 * setting has the name, the range and the default of {@code docs/reference/settings.md}; times are Dropwizard's
 * ({@code 500ms}, {@code 5s}, {@code 2 minutes}). The names of Dropwizard's own {@code DataSourceFactory} that
 * mean the same are taken as well. Null goes back to the default.
 *
 * <pre>{@code
 * database:
 *   url: jdbc:postgresql://127.0.0.1/shop
 *   username: shop
 *   password: ${DB_PASSWORD}
 *   maximumPoolSize: 20
 *   connectionTimeout: 2s
 * }</pre>
 *
 * Whatever is wrong is a violation of Dropwizard's validation, by the path of its field, before anything is opened. Not
 * thread-safe; what it builds is.
 */
@SelfValidating
@JsonAutoDetect(
        fieldVisibility = Visibility.NONE,
        getterVisibility = Visibility.NONE,
        isGetterVisibility = Visibility.NONE,
        setterVisibility = Visibility.NONE)
public class WeirDataSourceFactory implements PooledDataSourceFactory {
    /** The name that a fault begins with. */
    private static final Pattern FAULT = Pattern.compile("([A-Za-z0-9.]+): (.*)", Pattern.DOTALL);

    private static final String FOR_HIBERNATE = "hibernate.";

    private static final String TWO_VALUES = ": two values for one setting (expected: one of them)";

    /** A value under the name that Dropwizard's own factory has for a setting. */
    private record Other(String name, Object value) {}

    private final Properties given = new Properties();

    /** By setting. */
    private final Map<String, Other> others = new LinkedHashMap<>();

    private final Map<String, String> properties = new LinkedHashMap<>();
    private @Nullable FleetConfiguration fleet;
    private boolean autoCommentsEnabled = true;
    private boolean single;
    private @Nullable Duration validationQueryTimeout;

    /** A factory in which nothing is set. */
    public WeirDataSourceFactory() {}

    /** Sets the JDBC URL of the database. */
    @JsonProperty
    public void setUrl(@Nullable String value) {
        set("url", value);
    }

    /** Sets the user that connections are opened as. */
    @JsonProperty
    public void setUsername(@Nullable String value) {
        set("username", value);
    }

    /** Sets the password of that user. */
    @JsonProperty
    public void setPassword(@Nullable String value) {
        set("password", value);
    }

    /** Sets the driver class for the url. */
    @JsonProperty
    public void setDriverClassName(@Nullable String value) {
        set("driverClassName", value);
    }

    /** Sets the driver's DataSource class, instead of a url. */
    @JsonProperty
    public void setDataSourceClassName(@Nullable String value) {
        set("dataSourceClassName", value);
    }

    /** Sets the name in messages, JMX and events. */
    @JsonProperty
    public void setPoolName(@Nullable String value) {
        set("poolName", value);
    }

    /** Sets the greatest number of connections, idle and in use. */
    @JsonProperty
    public void setMaximumPoolSize(@Nullable Integer value) {
        set("maximumPoolSize", value);
    }

    /** Sets the least number of connections, idle and in use. */
    @JsonProperty
    public void setMinimumPoolSize(@Nullable Integer value) {
        set("minimumPoolSize", value);
    }

    /** Sets the number of connections kept idle on top of those in use. */
    @JsonProperty
    public void setMinimumIdle(@Nullable Integer value) {
        set("minimumIdle", value);
    }

    /** Sets the greatest number of connects under way at a time, except while a queue grows. */
    @JsonProperty
    public void setAcquireIncrement(@Nullable Integer value) {
        set("acquireIncrement", value);
    }

    /** Sets how many times acquireIncrement may be under way while a queue grows. */
    @JsonProperty
    public void setAcquireSurge(@Nullable Integer value) {
        set("acquireSurge", value);
    }

    /** Sets the failures in a row after which, while no thread waits, the pause doubles. */
    @JsonProperty
    public void setAcquireRetries(@Nullable Integer value) {
        set("acquireRetries", value);
    }

    /** Sets the longest pause after a failed connect. */
    @JsonProperty
    public void setAcquireRetryDelay(@Nullable Duration value) {
        set("acquireRetryDelay", value);
    }

    /** Sets the time within which getConnection() returns or throws. */
    @JsonProperty
    public void setConnectionTimeout(@Nullable Duration value) {
        set("connectionTimeout", value);
    }

    /** Sets the time waited for a connection after which a warning is logged, zero for never. */
    @JsonProperty
    public void setWaitWarningThreshold(@Nullable Duration value) {
        set("waitWarningThreshold", value);
    }

    /** Sets the bound of one test of a connection. */
    @JsonProperty
    public void setValidationTimeout(@Nullable Duration value) {
        set("validationTimeout", value);
    }

    /** Sets the bound of one physical connect. */
    @JsonProperty
    public void setConnectTimeout(@Nullable Duration value) {
        set("connectTimeout", value);
    }

    /** Sets the bound of what Connection.close() does to bring a connection back clean. */
    @JsonProperty
    public void setReturnTimeout(@Nullable Duration value) {
        set("returnTimeout", value);
    }

    /** Sets the time that close() waits for connections in use. */
    @JsonProperty
    public void setCloseTimeout(@Nullable Duration value) {
        set("closeTimeout", value);
    }

    /** Says whether connections are tested by Connection.isValid. */
    @JsonProperty
    public void setJdbc4ConnectionTest(@Nullable Boolean value) {
        set("jdbc4ConnectionTest", value);
    }

    /** Sets the SQL that tests connections instead of isValid. */
    @JsonProperty
    public void setConnectionTestQuery(@Nullable String value) {
        set("connectionTestQuery", value);
    }

    /** Sets the time without an answer after which a connection is tested before it is lent. */
    @JsonProperty
    public void setValidateAfterIdle(@Nullable Duration value) {
        set("validateAfterIdle", value);
    }

    /** Sets the period of the test of idle connections, zero for never. */
    @JsonProperty
    public void setKeepaliveTime(@Nullable Duration value) {
        set("keepaliveTime", value);
    }

    /** Sets the time after which surplus connections are closed, zero for never. */
    @JsonProperty
    public void setIdleTimeout(@Nullable Duration value) {
        set("idleTimeout", value);
    }

    /** Sets the age at which a connection is replaced, zero for never. */
    @JsonProperty
    public void setMaxLifetime(@Nullable Duration value) {
        set("maxLifetime", value);
    }

    /** Sets the time held after which a connection is reported, zero for never. */
    @JsonProperty
    public void setLeakDetectionThreshold(@Nullable Duration value) {
        set("leakDetectionThreshold", value);
    }

    /** Sets whether the time of loans is measured by what their holders do with it. */
    @JsonProperty
    public void setMeasureLoans(@Nullable Boolean value) {
        set("measureLoans", value);
    }

    /** Sets the auto-commit of a lent connection. */
    @JsonProperty
    public void setAutoCommit(@Nullable Boolean value) {
        set("autoCommit", value);
    }

    /** Sets the read-only mode of a lent connection. */
    @JsonProperty
    public void setReadOnly(@Nullable Boolean value) {
        set("readOnly", value);
    }

    /** Sets the catalog of a lent connection. */
    @JsonProperty
    public void setCatalog(@Nullable String value) {
        set("catalog", value);
    }

    /** Sets the schema of a lent connection. */
    @JsonProperty
    public void setSchema(@Nullable String value) {
        set("schema", value);
    }

    /** Sets the SQL run once on every new connection. */
    @JsonProperty
    public void setConnectionInitSql(@Nullable String value) {
        set("connectionInitSql", value);
    }

    /** Sets the SQL run when a used connection is returned. */
    @JsonProperty
    public void setResetSql(@Nullable String value) {
        set("resetSql", value);
    }

    /** Says whether the driver is told when a connection is lent and when it is back. */
    @JsonProperty
    public void setRequestBoundaries(@Nullable Boolean value) {
        set("requestBoundaries", value);
    }

    /** Sets how a connection shows that it lives before it is lent: {@code socket} or {@code test}. */
    @JsonProperty
    public void setLiveness(@Nullable String value) {
        set("liveness", value);
    }

    /** Sets for how long a user has a connection of the database: {@code session}, {@code lazy} or {@code transaction}. */
    @JsonProperty
    public void setPoolMode(@Nullable String value) {
        set("poolMode", value);
    }

    /** Says whether connections are replaced after the url's host name has come to lead to other addresses. */
    @JsonProperty
    public void setFollowServerName(@Nullable Boolean value) {
        set("followServerName", value);
    }

    /** Says whether the pool is registered with JMX. */
    @JsonProperty
    public void setRegisterMbeans(@Nullable Boolean value) {
        set("registerMbeans", value);
    }

    /** Sets the greatest number of threads that wait for a connection, zero for unlimited. */
    @JsonProperty
    public void setMaximumWaiters(@Nullable Integer value) {
        set("maximumWaiters", value);
    }

    /**
     * Sets the time that starting waits for a first connection; a negative one, written as {@code -1}, not to try.
     *
     * @throws IllegalArgumentException if it is not a time
     */
    @JsonProperty
    public void setInitializationFailTimeout(@Nullable String value) {
        boolean isNegative = value != null && value.startsWith("-");
        set("initializationFailTimeout", value == null || isNegative ? value : Duration.parse(value));
    }

    /** Sets the isolation of a lent connection, in JDBC's form {@code READ_COMMITTED} or Dropwizard's {@code read-committed}. */
    @JsonProperty
    public void setTransactionIsolation(@Nullable String value) {
        set("transactionIsolation", isolation(value));
    }

    private static @Nullable String isolation(@Nullable String value) {
        return value == null || "default".equalsIgnoreCase(value) ? null : value.replace('-', '_');
    }

    // The names of Dropwizard's own factory.

    @JsonProperty
    void setUser(@Nullable String value) {
        setByOtherName("user", "username", value);
    }

    @JsonProperty
    void setDriverClass(@Nullable String value) {
        setByOtherName("driverClass", "driverClassName", value);
    }

    @JsonProperty
    void setMaxSize(@Nullable Integer value) {
        setByOtherName("maxSize", "maximumPoolSize", value);
    }

    @JsonProperty
    void setMinSize(@Nullable Integer value) {
        setByOtherName("minSize", "minimumPoolSize", value);
    }

    @JsonProperty
    void setValidationQuery(@Nullable String value) {
        setByOtherName("validationQuery", "connectionTestQuery", value);
    }

    @JsonProperty
    void setDefaultCatalog(@Nullable String value) {
        setByOtherName("defaultCatalog", "catalog", value);
    }

    @JsonProperty
    void setMaxWaitForConnection(@Nullable Duration value) {
        setByOtherName("maxWaitForConnection", "connectionTimeout", value);
    }

    @JsonProperty
    void setMinIdleTime(@Nullable Duration value) {
        setByOtherName("minIdleTime", "idleTimeout", value);
    }

    @JsonProperty
    void setMaxConnectionAge(@Nullable Duration value) {
        setByOtherName("maxConnectionAge", "maxLifetime", value);
    }

    @JsonProperty
    void setAutoCommitByDefault(@Nullable Boolean value) {
        setByOtherName("autoCommitByDefault", "autoCommit", value);
    }

    @JsonProperty
    void setReadOnlyByDefault(@Nullable Boolean value) {
        setByOtherName("readOnlyByDefault", "readOnly", value);
    }

    @JsonProperty
    void setInitializationQuery(@Nullable String value) {
        setByOtherName("initializationQuery", "connectionInitSql", value);
    }

    @JsonProperty
    void setDefaultTransactionIsolation(@Nullable String value) {
        setByOtherName("defaultTransactionIsolation", "transactionIsolation", isolation(value));
    }

    private void setByOtherName(String name, String setting, @Nullable Object value) {
        if (value != null) {
            others.put(setting, new Other(name, stored(value)));
        }
    }

    /**
     * Sets a setting by its name, or {@code dataSource.*}; a name that is none is reported by
     * the validation.
     */
    @JsonAnySetter
    public final void set(String name, @Nullable Object value) {
        if (value == null) {
            given.remove(name);
            others.remove(name);
        } else {
            given.put(name, stored(value));
        }
    }

    private static Object stored(Object value) {
        return value instanceof Duration time ? time.toJavaDuration() : value;
    }

    /**
     * Sets what is given to the driver with the url, or set on its DataSource; {@code hibernate.*} is for Hibernate only. A
     * name without a value is left out.
     */
    @JsonProperty
    public void setProperties(@Nullable Map<String, @Nullable String> values) {
        properties.clear();
        if (values != null) {
            values.forEach((name, value) -> {
                if (value != null) {
                    properties.put(name, value);
                }
            });
        }
    }

    /** Sets the fleet that the pool is a member of, or null for none. */
    @JsonProperty
    public void setFleet(@Nullable FleetConfiguration value) {
        fleet = value;
    }

    @Nullable
    FleetConfiguration fleet() {
        return fleet;
    }

    /** Sets whether Jdbi and Hibernate put comments into the SQL that say where it comes from; null for true. */
    @JsonProperty
    public void setAutoCommentsEnabled(@Nullable Boolean value) {
        autoCommentsEnabled = value == null || value;
    }

    /** Sets the bound of the health check that Dropwizard's own bundles register, or null for their 5 seconds. */
    @JsonProperty
    public void setValidationQueryTimeout(@Nullable Duration value) {
        validationQueryTimeout = value;
    }

    @Override
    public Map<String, String> getProperties() {
        return properties;
    }

    @Override
    public boolean isAutoCommentsEnabled() {
        return autoCommentsEnabled;
    }

    @Override
    public Optional<Duration> getValidationQueryTimeout() {
        return Optional.ofNullable(validationQueryTimeout);
    }

    /** Returns the {@code connectionTestQuery}; empty if connections are tested by {@code isValid}. */
    @Override
    public Optional<String> getValidationQuery() {
        return Optional.ofNullable(builder().build().connectionTestQuery());
    }

    @Override
    public @Nullable String getDriverClass() {
        return builder().build().driverClassName();
    }

    @Override
    public @Nullable String getUrl() {
        return builder().build().url();
    }

    /** Makes it a pool of one connection, for tools that need no more. */
    @Override
    public void asSingleConnectionPool() {
        single = true;
    }

    /** Says what is wrong, setting by setting; called by the validation. */
    @SelfValidation
    public void validate(ViolationCollector violations) {
        others.forEach((setting, other) -> {
            Object value = given.getOrDefault(setting, other.value());
            if (!value.equals(other.value())) {
                violations.addViolation("{fault}", Map.of("fault", other.name() + " and " + setting + TWO_VALUES));
            }
        });
        builder().faults().forEach(fault -> add(violations, "", fault));
        if (fleet != null && !fleet.isOff()) {
            fleet.faults(WeirDataSourceFactory.class.getClassLoader())
                    .forEach(fault -> add(violations, "fleet.", fault));
        }
    }

    private static void add(ViolationCollector violations, String path, String fault) {
        Matcher named = FAULT.matcher(fault);
        if (named.matches()) {
            violations.addViolation(path + named.group(1), "{fault}", Map.of("fault", named.group(2)));
        } else {
            violations.addViolation("{fault}", Map.of("fault", fault));
        }
    }

    /**
     * Builds the pool; it opens nothing before it is started by the life cycle, or asked for a connection.
     *
     * @param name of the pool, unless {@code poolName} is set, and so the beginning of its metrics' names
     * @throws IllegalArgumentException if the settings are wrong, with every fault in its message
     */
    @Override
    public ManagedDataSource build(MetricRegistry metricRegistry, String name) {
        return managed(metricRegistry, name);
    }

    /**
     * Builds the pool, has the application start and stop it, and registers its health check, all under this name. Where
     * one of Dropwizard's bundles or factories takes this factory, that one does all this.
     *
     * @throws IllegalArgumentException if the settings are wrong, with every fault in its message
     */
    public ManagedDataSource build(Environment environment, String name) {
        ManagedWeirDataSource dataSource = managed(environment.metrics(), name);
        environment.lifecycle().manage(dataSource);
        environment.healthChecks().register(name, new WeirHealthCheck(dataSource.pool()));
        return dataSource;
    }

    private ManagedWeirDataSource managed(MetricRegistry metricRegistry, String name) {
        PoolConfig config = builder().build();
        String poolName = config.poolName() == null ? name : config.poolName();
        WeirDataSource pool =
                new WeirDataSource(config.toBuilder().poolName(poolName).build());
        try {
            PoolMetrics.register(metricRegistry, poolName, pool);
            // Migrations take one connection, and may be what makes the fleet's tables.
            FleetMember member = fleet == null || fleet.isOff() || single
                    ? null
                    : new FleetMember(pool, poolName, fleet, metricRegistry);
            return new ManagedWeirDataSource(pool, member);
        } catch (RuntimeException | Error e) {
            pool.close(); // and with it what is registered
            throw e;
        }
    }

    /** All that is set, unchecked. */
    PoolConfig.Builder builder() {
        Properties all = new Properties();
        others.forEach((setting, other) -> all.put(setting, other.value()));
        all.putAll(given);
        PoolConfig.Builder builder = PoolConfig.builder().properties(all);
        properties.forEach((name, value) -> {
            if (!name.startsWith(FOR_HIBERNATE)) {
                builder.property("dataSource." + name, value);
            }
        });
        if (single) {
            builder.maximumPoolSize(1).minimumPoolSize(0).minimumIdle(0);
        }
        configure(builder);
        return builder;
    }

    /** Sets what a file cannot say, such as a CredentialsProvider; does nothing unless it is overridden. */
    protected void configure(PoolConfig.Builder builder) {}
}
