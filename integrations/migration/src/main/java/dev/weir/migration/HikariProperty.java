package dev.weir.migration;

import dev.weir.PoolConfig;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The table of HikariCP 7.1.0's properties: what each one is there where it is not set, which setting it is here, and
 * what differs. {@link HikariProperties} translates by it, the migration guide is written from it.
 */
enum HikariProperty {
    JDBC_URL("jdbcUrl", "", "url", "Ignored where there is a dataSourceClassName, as there"),
    USERNAME("username", "", "username", "With a jdbcUrl, a dataSource.user goes before it, as there"),
    PASSWORD("password", "", "password", "With a jdbcUrl, a dataSource.password goes before it, as there"),
    DRIVER_CLASS_NAME("driverClassName", "", "driverClassName", "A class that cannot be loaded is refused"),
    DATA_SOURCE_CLASS_NAME("dataSourceClassName", "", "dataSourceClassName", ""),
    DATA_SOURCE_PROPERTIES(
            "dataSourceProperties",
            Fate.ADAPTED,
            "Each one is dataSource.<name>; a Properties object is taken as it is"),
    DATA_SOURCE("dataSource", Fate.ADAPTED, "An object, given to the builder or the bean; not the name of a class"),
    DATA_SOURCE_JNDI(
            "dataSourceJNDI", Fate.REFUSED, "look it up and give the DataSource object to the builder or the bean"),
    POOL_NAME("poolName", "", "poolName", "Unset: weir-1, weir-2, ..."),

    MAXIMUM_POOL_SIZE(
            "maximumPoolSize",
            "10",
            "maximumPoolSize",
            "A limit here, not the size: between minimumPoolSize and it, connections are opened as waits call for them"),
    MINIMUM_IDLE(
            "minimumIdle",
            "maximumPoolSize",
            "minimumPoolSize",
            "There only idle connections are counted, here all are: it becomes minimumPoolSize and, unless it is"
                    + " maximumPoolSize, minimumIdle as well; more than maximumPoolSize is maximumPoolSize, as there"),
    CONNECTION_TIMEOUT(
            "connectionTimeout",
            "30s",
            "connectionTimeout",
            "0 is 24.8 days there and becomes just that; less than 250ms is refused there, not here; kept here also while"
                    + " connects and tests hang; the default is shorter, so that a caller learns of it before its own caller"
                    + " gives up"),
    VALIDATION_TIMEOUT(
            "validationTimeout",
            "5s",
            "validationTimeout",
            "Less than 250ms is refused there, not here; tests run on the pool's threads, and a user never waits for one beyond connectionTimeout"),
    IDLE_TIMEOUT(
            "idleTimeout",
            "10m",
            "idleTimeout",
            "Less than 10s becomes 10m, and as much as maxLifetime, less a second, becomes 0, as there, unless the size is fixed."
                    + " Closed is what the pool as a whole did not need for that long, whichever connections they are"),
    MAX_LIFETIME(
            "maxLifetime",
            "30m",
            "maxLifetime",
            "Less than 30s becomes 30m, as there. The replacement is opened first, where there is room"),
    KEEPALIVE_TIME(
            "keepaliveTime", "2m", "keepaliveTime", "Less than 30s, and as much as maxLifetime, becomes 0, as there"),
    LEAK_DETECTION_THRESHOLD(
            "leakDetectionThreshold",
            "0",
            "leakDetectionThreshold",
            "Less than 2s, and more than maxLifetime, becomes 0, as there"),
    INITIALIZATION_FAIL_TIMEOUT(
            "initializationFailTimeout",
            "1ms",
            "initializationFailTimeout",
            "There it counts on top of connectionTimeout, and becomes that sum; 1ms, the default, becomes connectionTimeout."
                    + " Until then connects that fail are tried again"),
    CONNECTION_TEST_QUERY("connectionTestQuery", "", "connectionTestQuery", "Switches jdbc4ConnectionTest off"),
    CONNECTION_INIT_SQL("connectionInitSql", "", "connectionInitSql", ""),
    AUTO_COMMIT("autoCommit", "true", "autoCommit", "Unset in a configuration of Weir's own: the driver's"),
    READ_ONLY("readOnly", "false", "readOnly", "Unset in a configuration of Weir's own: the driver's"),
    TRANSACTION_ISOLATION(
            "transactionIsolation",
            "",
            "transactionIsolation",
            "The four levels of JDBC; TRANSACTION_NONE and levels of one database are refused"),
    CATALOG("catalog", "", "catalog", ""),
    SCHEMA("schema", "", "schema", ""),
    REGISTER_MBEANS("registerMbeans", "false", "registerMbeans", "The name is dev.weir:type=Pool,name=..."),

    ISOLATE_INTERNAL_QUERIES(
            "isolateInternalQueries", Fate.WITHOUT_EFFECT, "The pool always rolls back what its own SQL began"),
    ALLOW_POOL_SUSPENSION("allowPoolSuspension", Fate.WITHOUT_EFFECT, "A pool can always be suspended and resumed"),

    CREDENTIALS("credentials", Fate.REFUSED, "set username and password"),
    CREDENTIALS_PROVIDER_CLASS_NAME(
            "credentialsProviderClassName",
            Fate.REFUSED,
            "implement dev.weir.spi.CredentialsProvider and give it to the builder or the bean"),
    CREDENTIALS_PROVIDER(
            "credentialsProvider",
            Fate.REFUSED,
            "implement dev.weir.spi.CredentialsProvider and give it to the builder or the bean"),
    EXCEPTION_OVERRIDE_CLASS_NAME(
            "exceptionOverrideClassName",
            Fate.REFUSED,
            "implement dev.weir.spi.FailureClassifier and give it to the builder or the bean"),
    EXCEPTION_OVERRIDE(
            "exceptionOverride",
            Fate.REFUSED,
            "implement dev.weir.spi.FailureClassifier and give it to the builder or the bean"),
    THREAD_FACTORY(
            "threadFactory", Fate.ADAPTED, "An object, given to the builder or the bean; not the name of a class"),
    SCHEDULED_EXECUTOR(
            "scheduledExecutor", Fate.REFUSED, "the pool's threads are its own, daemons named weir-<pool>-..."),
    METRICS_TRACKER_FACTORY(
            "metricsTrackerFactory",
            Fate.REFUSED,
            "weir-micrometer, weir-opentelemetry and weir-dropwizard see the pool from outside"),
    METRIC_REGISTRY(
            "metricRegistry",
            Fate.REFUSED,
            "weir-micrometer, weir-opentelemetry and weir-dropwizard see the pool from outside"),
    HEALTH_CHECK_REGISTRY(
            "healthCheckRegistry",
            Fate.REFUSED,
            "weir-dropwizard and the Spring Boot starters check the health of the pool from outside"),
    HEALTH_CHECK_PROPERTIES(
            "healthCheckProperties",
            Fate.REFUSED,
            "weir-dropwizard and the Spring Boot starters check the health of the pool from outside");

    /** What becomes of a property. */
    enum Fate {
        /** It is a setting here. */
        TAKEN,
        /** It is put in another form. */
        ADAPTED,
        /** What it would switch is always so here; any value is accepted. */
        WITHOUT_EFFECT,
        /** It has no meaning here. */
        REFUSED
    }

    private final String propertyName;
    private final String byDefault;
    private final @Nullable String setting;
    private final Fate fate;
    private final String differs;

    HikariProperty(String name, String byDefault, String setting, String differs) {
        this.propertyName = name;
        this.byDefault = byDefault;
        this.setting = setting;
        this.fate = Fate.TAKEN;
        this.differs = differs;
    }

    HikariProperty(String name, Fate fate, String differs) {
        this.propertyName = name;
        this.byDefault = "";
        this.setting = null;
        this.fate = fate;
        this.differs = differs;
    }

    /** The name in HikariCP. */
    String propertyName() {
        return propertyName;
    }

    /** The value there where none is given; empty for none. */
    String byDefault() {
        return byDefault;
    }

    /** The name of the setting that it is here, or null if it is no setting. */
    @Nullable
    String setting() {
        return setting;
    }

    Fate fate() {
        return fate;
    }

    /** What differs, or why it is refused and what to do instead; empty for nothing. */
    String differs() {
        return differs;
    }

    /** The default in the form of a setting where a pool of Weir's would do something else without it, or null. */
    @Nullable
    String neededDefault() {
        if (setting == null || byDefault.isEmpty() || this == MINIMUM_IDLE || this == INITIALIZATION_FAIL_TIMEOUT) {
            return null;
        }
        String there = anyPool().property(setting, byDefault).build().values().get(setting);
        String here = anyPool().build().values().get(setting);
        return Objects.equals(there, here) ? null : byDefault;
    }

    /** A configuration with nothing wrong in it, to read a value by. */
    static PoolConfig.Builder anyPool() {
        return PoolConfig.builder().url("jdbc:any:");
    }

    /** The property of this name, or null. */
    static @Nullable HikariProperty find(String name) {
        for (HikariProperty property : values()) {
            if (property.propertyName.equals(name)) {
                return property;
            }
        }
        return null;
    }
}
