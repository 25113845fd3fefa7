package dev.weir.cli.migrate;

import static dev.weir.cli.migrate.ForeignProperty.always;
import static dev.weir.cli.migrate.ForeignProperty.duration;
import static dev.weir.cli.migrate.ForeignProperty.millis;
import static dev.weir.cli.migrate.ForeignProperty.none;
import static dev.weir.cli.migrate.ForeignProperty.same;
import static dev.weir.cli.migrate.ForeignProperty.seconds;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The pools whose configuration can be put in Weir's words, besides HikariCP, which the pool itself knows. */
enum ForeignPool {
    TOMCAT("Tomcat JDBC 11.0.25", "tomcat", Rows.tomcat()),
    DBCP2("Commons DBCP 2.14.0", "dbcp2", Rows.dbcp2()),
    C3P0("c3p0 0.14.1", "c3p0", Rows.c3p0()),
    DROPWIZARD("Dropwizard 4.0.16", "dropwizard", Rows.dropwizard()),
    QUARKUS("Quarkus (Agroal)", "quarkus", Rows.quarkus());

    private final String title;
    private final String key;

    @SuppressWarnings("ImmutableEnumChecker") // unmodifiable, of records
    private final List<ForeignProperty> properties;

    ForeignPool(String title, String key, List<ForeignProperty> properties) {
        this.title = title;
        this.key = key;
        this.properties = properties;
    }

    String title() {
        return title;
    }

    /** The name after {@code spring.datasource.}, and on the command line where it is a name of a pool. */
    String key() {
        return key;
    }

    List<ForeignProperty> properties() {
        return properties;
    }

    @Nullable
    ForeignProperty find(String name) {
        return properties.stream()
                .filter(property -> property.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /**
     * The tables, in the order of the guide: where connections come from, how many, how long, how they are, the rest.
     */
    private static final class Rows {
        private static final String TESTED =
                "Connections are always tested before they are lent, unless they answered within validateAfterIdle";
        private static final String HELD =
                "A held connection is not taken away from its user, who may still write with it:"
                        + " set leakDetectionThreshold to have it logged with its holder's stack";
        private static final String STATEMENTS =
                "The driver caches statements better: set its own property, dataSource.*";
        private static final String ROLLED_BACK = "Work that was not committed is always rolled back at close()";
        private static final String DRIVER = "The user decides, by Connection.unwrap, which costs the pool no safety";
        private static final String SELDOM = "Seldom needed: the url finds its driver";
        private static final String LOGGED = "Only logged, not taken away: the user may still write with it";
        private static final String IN_ORDER = "Waiters are always served in order";
        private static final String SURPLUS = "What was surplus for idleTimeout is closed, down to minimumPoolSize";
        private static final String OWN_TIMING = "The pool looks when something is due";
        private static final String AS_DRIVER = "Unset: the driver's, as there";
        private static final String START = "At start the pool is filled to minimumPoolSize";
        private static final String OBJECT = "Give the object to the builder or the bean";
        private static final String EACH = "Each one is dataSource.<name>";
        private static final String CLASSIFIER =
                "The pool knows the SQLStates of a lost connection; a FailureClassifier adds to them";

        private Rows() {}

        private static List<ForeignProperty> tomcat() {
            return List.of(
                    same("url", "", "url", ""),
                    same("driverClassName", "", "driverClassName", "").unset(SELDOM),
                    same("username", "", "username", ""),
                    same("password", "", "password", ""),
                    none("connectionProperties", "", EACH),
                    none("dbProperties", "{}", EACH),
                    none("dataSource", "", OBJECT),
                    none("dataSourceJNDI", "", "Look it up and give the object to the builder or the bean"),
                    none("alternateUsernameAllowed", "false", "A pool has one user; use one pool for each"),
                    same("name", "", "poolName", "").unset("Unset: weir-1, weir-2, ..."),
                    same("maxActive", "100", "maximumPoolSize", "").unset("The default is 60"),
                    same(
                            "minIdle",
                            "10",
                            "minimumIdle",
                            "Kept idle on top of those in use, and opened where they are missing; there, only not closed"),
                    always("maxIdle", "100", SURPLUS),
                    always("initialSize", "10", START),
                    none(
                            "ignoreExceptionOnPreLoad",
                            "false",
                            "initializationFailTimeout=-1 starts without the database"),
                    millis("maxWait", "30000", "connectionTimeout", "").unset("The default is 5s"),
                    millis("maxAge", "0", "maxLifetime", "")
                            .unset("The default is 30m; checked also while the connection is idle"),
                    millis("minEvictableIdleTimeMillis", "60000", "idleTimeout", "")
                            .unset("The default is 10m"),
                    always("timeBetweenEvictionRunsMillis", "5000", OWN_TIMING),
                    always("numTestsPerEvictionRun", "0", "Every idle connection is tested each keepaliveTime"),
                    same("validationQuery", "", "connectionTestQuery", "")
                            .unset("Unset: Connection.isValid, which needs no SQL"),
                    seconds("validationQueryTimeout", "-1", "validationTimeout", "")
                            .unset("The default is 1s"),
                    millis(
                            "validationInterval",
                            "3000",
                            "validateAfterIdle",
                            "There, from the last test; here, from the last answer to anything"),
                    always("testOnBorrow", "false", TESTED),
                    always("testOnConnect", "false", TESTED),
                    always("testOnReturn", "false", TESTED),
                    always("testWhileIdle", "false", "Idle connections are tested each keepaliveTime"),
                    none("validatorClassName", "", "Connection.isValid or connectionTestQuery"),
                    none("validator", "", "Connection.isValid or connectionTestQuery"),
                    always("logValidationErrors", "false", "Logged at DEBUG, and counted by reason in stats()"),
                    same("defaultAutoCommit", "", "autoCommit", "").unset(AS_DRIVER),
                    same("defaultReadOnly", "", "readOnly", "").unset(AS_DRIVER),
                    same("defaultTransactionIsolation", "-1", "transactionIsolation", "")
                            .unset("-1 is unset there: leave it out"),
                    same("defaultCatalog", "", "catalog", "").unset(AS_DRIVER),
                    same("initSQL", "", "connectionInitSql", ""),
                    none("removeAbandoned", "false", HELD),
                    none("abandonWhenPercentageFull", "0", HELD),
                    always("logAbandoned", "false", HELD),
                    seconds("removeAbandonedTimeout", "60", "leakDetectionThreshold", LOGGED)
                            .unset("Off by default"),
                    seconds("suspectTimeout", "0", "leakDetectionThreshold", "Logged once for each loan"),
                    none(
                            "commitOnReturn",
                            "false",
                            "A commit that the user did not ask for stores unfinished work. " + ROLLED_BACK),
                    always("rollbackOnReturn", "false", ROLLED_BACK),
                    same("jmxEnabled", "true", "registerMbeans", ""),
                    none(
                            "jdbcInterceptors",
                            "",
                            "State is always reset and statements always closed; what others add has no"
                                    + " place between the user and the driver"),
                    always("fairQueue", "true", IN_ORDER),
                    always("accessToUnderlyingConnectionAllowed", "true", DRIVER),
                    always(
                            "useDisposableConnectionFacade",
                            "true",
                            "A closed connection is always dead, for every thread that still has it"),
                    always("useStatementFacade", "true", "Statements are always wrapped"),
                    always("useEquals", "true", "Method names are not compared at run time"),
                    always("useLock", "false", "Nothing is invoked by reflection"),
                    always(
                            "propagateInterruptState",
                            "false",
                            "A waiter that is interrupted throws, and stays interrupted"));
        }

        private static List<ForeignProperty> dropwizard() {
            return List.of(
                    same("driverClass", "", "driverClassName", "").unset(SELDOM),
                    same("url", "", "url", ""),
                    same("user", "", "username", ""),
                    same("password", "", "password", ""),
                    same("maxSize", "100", "maximumPoolSize", "").unset("The default is 60"),
                    same("minSize", "10", "minimumPoolSize", ""),
                    always("initialSize", "10", START),
                    duration("maxWaitForConnection", "30s", "connectionTimeout", "")
                            .unset("The default is 5s; kept also while connects and tests hang"),
                    same("validationQuery", "/* Health Check */ SELECT 1", "connectionTestQuery", "")
                            .unset("Leave it out: Connection.isValid needs no SQL, and the health checks use it too"),
                    always("checkConnectionWhileIdle", "true", "Idle connections are tested each keepaliveTime"),
                    always("checkConnectionOnBorrow", "false", TESTED),
                    always("checkConnectionOnConnect", "true", TESTED),
                    always("checkConnectionOnReturn", "false", TESTED),
                    duration(
                                    "validationInterval",
                                    "30s",
                                    "validateAfterIdle",
                                    "Counts from the last answer, not from the last test")
                            .unset("The default is 500ms"),
                    none("validatorClassName", "", "Connection.isValid or connectionTestQuery"),
                    always("logValidationErrors", "false", "Logged at DEBUG, and counted by reason in stats()"),
                    always("evictionInterval", "5s", OWN_TIMING),
                    duration("minIdleTime", "1m", "idleTimeout", "")
                            .unset("The default is 10m; what the pool as a whole did not need for that long is closed"),
                    duration("maxConnectionAge", "", "maxLifetime", "").unset("The default is 30m"),
                    same("autoCommitByDefault", "", "autoCommit", "").unset(AS_DRIVER),
                    same("readOnlyByDefault", "", "readOnly", "").unset(AS_DRIVER),
                    same("defaultCatalog", "", "catalog", "").unset(AS_DRIVER),
                    same("defaultTransactionIsolation", "default", "transactionIsolation", "")
                            .unset(AS_DRIVER),
                    same("initializationQuery", "", "connectionInitSql", ""),
                    always("rollbackOnReturn", "false", ROLLED_BACK),
                    none(
                            "commitOnReturn",
                            "false",
                            "A commit that the user did not ask for stores unfinished work. " + ROLLED_BACK),
                    none("removeAbandoned", "false", HELD),
                    duration("removeAbandonedTimeout", "60s", "leakDetectionThreshold", LOGGED)
                            .unset("Off by default"),
                    none("logAbandonedConnections", "false", HELD),
                    none("abandonWhenPercentageFull", "0", HELD),
                    always("useFairQueue", "true", IN_ORDER),
                    none(
                            "ignoreExceptionOnPreLoad",
                            "false",
                            "initializationFailTimeout: 0s tries once, and starts in any case"),
                    none("alternateUsernamesAllowed", "false", "A pool has one user; use one pool for each"),
                    none(
                            "jdbcInterceptors",
                            "",
                            "State is always reset and statements always closed; a PoolListener is called for what happens"));
        }

        private static List<ForeignProperty> quarkus() {
            return List.of(
                    same("jdbc.url", "", "url", ""),
                    same("username", "", "username", ""),
                    same("password", "", "password", ""),
                    same("jdbc.driver", "", "driverClassName", "").unset(SELDOM),
                    always("db-kind", "", "The url finds its driver"),
                    always("db-version", "", "The pool asks the driver"),
                    same("jdbc.max-size", "50", "maximumPoolSize", "").unset("The default is 60"),
                    same("jdbc.min-size", "0", "minimumPoolSize", "").unset("The default is 10"),
                    always("jdbc.initial-size", "", START),
                    duration("jdbc.acquisition-timeout", "5S", "connectionTimeout", ""),
                    duration("jdbc.login-timeout", "", "connectTimeout", "").unset("The default is 30s"),
                    duration("jdbc.idle-removal-interval", "5M", "idleTimeout", "")
                            .unset("The default is 10m"),
                    duration("jdbc.max-lifetime", "", "maxLifetime", "").unset("The default is 30m"),
                    duration("jdbc.background-validation-interval", "2M", "keepaliveTime", ""),
                    duration("jdbc.foreground-validation-interval", "", "validateAfterIdle", "")
                            .unset("The default is 500ms"),
                    always("jdbc.validate-on-borrow", "false", TESTED),
                    duration("jdbc.leak-detection-interval", "", "leakDetectionThreshold", ""),
                    always("jdbc.extended-leak-report", "false", "A leak is logged with its holder's stack"),
                    same("jdbc.validation-query-sql", "", "connectionTestQuery", "")
                            .unset("Unset: Connection.isValid, as there"),
                    same("jdbc.new-connection-sql", "", "connectionInitSql", ""),
                    same("jdbc.transaction-isolation-level", "", "transactionIsolation", "")
                            .unset(AS_DRIVER),
                    none("jdbc.additional-jdbc-properties", "", EACH),
                    always("jdbc.detect-statement-leaks", "true", "Statements left open are closed at close()"),
                    none(
                            "jdbc.flush-on-close",
                            "false",
                            "A connection is closed only when it is too old, surplus or broken"),
                    none("jdbc.pooling-enabled", "true", "The pool is a pool"),
                    none("jdbc.transactions", "enabled", "The pool takes no part in distributed transactions"),
                    none("jdbc.transaction-requirement", "", "The pool takes no part in distributed transactions"),
                    none("jdbc.enable-metrics", "", "weir-micrometer and weir-opentelemetry see the pool from outside"),
                    none("jdbc.telemetry", "", "weir-opentelemetry sees the pool from outside"),
                    none(
                            "jdbc.read-timeout",
                            "",
                            "A property of the driver: dataSource.socketTimeout for PostgreSQL's"),
                    none(
                            "credentials-provider",
                            "",
                            "Implement dev.weir.spi.CredentialsProvider and give it to the builder"));
        }

        private static List<ForeignProperty> dbcp2() {
            return List.of(
                    same("url", "", "url", ""),
                    same("driverClassName", "", "driverClassName", "").unset(SELDOM),
                    none(
                            "driver",
                            "",
                            "The url finds its driver; or give a DataSource object to the builder or the bean"),
                    always("driverClassLoader", "", "The thread's context class loader is asked, then the pool's own"),
                    none("connectionFactoryClassName", "", "Give a DataSource object to the builder or the bean"),
                    same("username", "", "username", ""),
                    same("password", "", "password", ""),
                    none("connectionProperties", "", EACH),
                    same("maxTotal", "8", "maximumPoolSize", "")
                            .unset("The default is 60; less than 0, no limit there, is refused"),
                    same("minIdle", "0", "minimumIdle", "")
                            .unset(
                                    "Kept idle on top of those in use, as there; where it is not set, 10 connections are kept"),
                    always(
                            "maxIdle",
                            "8",
                            SURPLUS + ": a limit on idle ones opens and closes connections at every peak"),
                    always("initialSize", "0", START),
                    always("lifo", "true", "The pool chooses the connection; waiters are always served in order"),
                    millis("maxWaitMillis", "-1", "connectionTimeout", "").unset("The default is 5s"),
                    millis("maxWait", "", "connectionTimeout", ""),
                    millis("maxConnLifetimeMillis", "-1", "maxLifetime", "").unset("The default is 30m"),
                    millis("maxConn", "", "maxLifetime", "").unset("The default is 30m"),
                    always(
                            "logExpiredConnections",
                            "true",
                            "Counted by reason in stats(), and a flight recorder event"),
                    millis("minEvictableIdleTimeMillis", "1800000", "idleTimeout", "")
                            .unset("The default is 10m"),
                    millis("minEvictableIdle", "", "idleTimeout", "").unset("The default is 10m"),
                    always("softMinEvictableIdleTimeMillis", "-1", SURPLUS),
                    always("softMinEvictableIdle", "", SURPLUS),
                    always("timeBetweenEvictionRunsMillis", "-1", OWN_TIMING),
                    always("durationBetweenEvictionRuns", "", OWN_TIMING),
                    always("numTestsPerEvictionRun", "3", "Every idle connection is tested each keepaliveTime"),
                    none("evictionPolicyClassName", "org.apache.commons.pool2.impl.DefaultEvictionPolicy", SURPLUS),
                    same("validationQuery", "", "connectionTestQuery", "").unset("Unset: Connection.isValid, as there"),
                    seconds("validationQueryTimeout", "-1", "validationTimeout", "")
                            .unset("The default is 1s"),
                    always("testOnCreate", "false", TESTED),
                    always("testOnBorrow", "true", TESTED),
                    always("testOnReturn", "false", TESTED),
                    always("testWhileIdle", "false", "Idle connections are tested each keepaliveTime"),
                    always(
                            "fastFailValidation",
                            "false",
                            "A connection that reported its own death is never tested, but closed"),
                    none("disconnectionSqlCodes", "[]", CLASSIFIER),
                    none("disconnectionIgnoreSqlCodes", "[]", CLASSIFIER),
                    same("defaultAutoCommit", "", "autoCommit", "").unset(AS_DRIVER),
                    same("defaultReadOnly", "", "readOnly", "").unset(AS_DRIVER),
                    same("defaultTransactionIsolation", "-1", "transactionIsolation", "")
                            .unset("-1 is unset there: leave it out"),
                    same("defaultCatalog", "", "catalog", "").unset(AS_DRIVER),
                    same("defaultSchema", "", "schema", "").unset(AS_DRIVER),
                    none("defaultQueryTimeout", "", "Set by the user on the statement, or a property of the driver"),
                    none(
                            "connectionInitSqls",
                            "[]",
                            "connectionInitSql is one text for the driver, which may hold several"),
                    always("cacheState", "true", "Nothing is asked twice, and nothing is reset that was not changed"),
                    always("autoCommitOnReturn", "true", "Every property is as at the first loan, autoCommit too"),
                    always(
                            "enableAutoCommitOnReturn",
                            "true",
                            "Every property is as at the first loan, autoCommit too"),
                    always("rollbackOnReturn", "true", ROLLED_BACK),
                    none("removeAbandonedOnBorrow", "false", HELD),
                    none("removeAbandonedOnMaintenance", "false", HELD),
                    seconds("removeAbandonedTimeout", "300", "leakDetectionThreshold", LOGGED)
                            .unset("Off by default"),
                    always("logAbandoned", "false", HELD),
                    always("abandonedLogWriter", "", "Messages go to System.Logger"),
                    always("abandonedUsageTracking", "false", "dump() tells who holds what since when, running what"),
                    none("poolPreparedStatements", "false", STATEMENTS),
                    none("maxOpenPreparedStatements", "-1", STATEMENTS),
                    none("clearStatementPoolOnReturn", "false", STATEMENTS),
                    always("jmxName", "", "dev.weir:type=Pool,name=<poolName>, unless registerMbeans=false"),
                    always(
                            "registerConnectionMBean",
                            "true",
                            "The pool is registered, not each connection; dump() has these"),
                    always("accessToUnderlyingConnectionAllowed", "false", DRIVER),
                    none("loginTimeout", "", "In seconds, of the DataSource; set connectTimeout"),
                    none("logWriter", "", "Messages go to System.Logger"));
        }

        private static List<ForeignProperty> c3p0() {
            String threads = "The pool's threads are its own, daemons named weir-<pool>-...";
            String override = "Set username and password, or a CredentialsProvider";
            return List.of(
                    same("jdbcUrl", "", "url", ""),
                    same("driverClass", "", "driverClassName", "").unset(SELDOM),
                    always("forceUseNamedDriverClass", "false", "A driverClassName that is set is always used"),
                    same("user", "", "username", ""),
                    same("password", "", "password", ""),
                    none("overrideDefaultUser", "", override),
                    none("overrideDefaultPassword", "", override),
                    none("userOverridesAsString", "", "A pool has one user; use one pool for each"),
                    none("properties", "{}", EACH),
                    none("connectionPoolDataSource", "", "Give a plain DataSource object to the builder or the bean"),
                    same("dataSourceName", "", "poolName", "").unset("Unset: weir-1, weir-2, ..."),
                    always("description", "", "poolName names the pool"),
                    always("identityToken", "", "poolName names the pool"),
                    none("extensions", "{}", "They are for classes that customise a pool of c3p0's"),
                    none("factoryClassLocation", "", "The pool is no reference that another JVM resolves"),
                    same("maxPoolSize", "15", "maximumPoolSize", "").unset("The default is 60"),
                    same("minPoolSize", "3", "minimumPoolSize", "").unset("The default is 10"),
                    always("initialPoolSize", "3", START),
                    same(
                                    "acquireIncrement",
                                    "3",
                                    "acquireIncrement",
                                    "There, so many are opened when one is needed; here, at most so many at a time, and only those that"
                                            + " pay")
                            .unset("The default is 5"),
                    none(
                            "acquireRetryAttempts",
                            "30",
                            "A pool does not give up; acquireRetries says after how many failures it slows down"),
                    millis("acquireRetryDelay", "1000", "acquireRetryDelay", "The longest pause, with jitter")
                            .unset("The default is 750ms"),
                    none(
                            "breakAfterAcquireFailure",
                            "false",
                            "A pool that gives up needs a restart when the database is back"),
                    millis("checkoutTimeout", "0", "connectionTimeout", "").unset("The default is 5s"),
                    seconds(
                                    "maxIdleTime",
                                    "0",
                                    "idleTimeout",
                                    "There, the minimum is closed too, and opened anew; maxLifetime does that here")
                            .unset("The default is 10m"),
                    seconds(
                                    "maxIdleTimeExcessConnections",
                                    "0",
                                    "idleTimeout",
                                    "The same: what is below minimumPoolSize stays")
                            .unset("The default is 10m"),
                    seconds("maxConnectionAge", "0", "maxLifetime", "").unset("The default is 30m"),
                    seconds("idleConnectionTestPeriod", "0", "keepaliveTime", "")
                            .unset("The default is 2m"),
                    always("propertyCycle", "0", OWN_TIMING),
                    same("preferredTestQuery", "", "connectionTestQuery", "")
                            .unset("Unset: Connection.isValid, as there"),
                    always(
                            "automaticTestTable",
                            "",
                            "Connection.isValid or connectionTestQuery; the pool creates no table"),
                    none(
                            "connectionTesterClassName",
                            "",
                            "Connection.isValid or connectionTestQuery; a FailureClassifier says"
                                    + " which exceptions end a connection"),
                    seconds("connectionIsValidTimeout", "0", "validationTimeout", "")
                            .unset("The default is 1s"),
                    always("testConnectionOnCheckout", "false", TESTED),
                    always("testConnectionOnCheckin", "false", TESTED),
                    none("attemptResurrectOnCheckin", "false", "A connection that reported its own death is closed"),
                    seconds("unreturnedConnectionTimeout", "0", "leakDetectionThreshold", LOGGED),
                    always(
                            "debugUnreturnedConnectionStackTraces",
                            "false",
                            "leakDetectionThreshold logs the holder's stack"),
                    none("autoCommitOnClose", "false", ROLLED_BACK),
                    always("forceIgnoreUnresolvedTransactions", "false", ROLLED_BACK),
                    none("maxStatements", "0", STATEMENTS),
                    none("maxStatementsPerConnection", "0", STATEMENTS),
                    none("statementCacheNumDeferredCloseThreads", "0", STATEMENTS),
                    always(
                            "cancelAutomaticallyClosedStatements",
                            "false",
                            "Statements left open are closed at close()"),
                    none(
                            "connectionCustomizerClassName",
                            "",
                            "connectionInitSql and resetSql; or wrap the DataSource that the pool" + " opens from"),
                    none(
                            "markSessionBoundaries",
                            "always",
                            "beginRequest and endRequest are not called; resetSql can do such work"),
                    always(
                            "forceSynchronousCheckins",
                            "false",
                            "A connection is always cleaned by the thread that closes it"),
                    always("numHelperThreads", "3", threads),
                    always("maxAdministrativeTaskTime", "0", "connectTimeout and validationTimeout bound each task"),
                    none("taskRunnerFactoryClassName", "com.mchange.v2.c3p0.impl.DefaultTaskRunnerFactory", threads),
                    always("contextClassLoaderSource", "caller", threads),
                    always("privilegeSpawnedThreads", "false", threads),
                    seconds("loginTimeout", "0", "connectTimeout", "").unset("The default is 30s"),
                    none("logWriter", "", "Messages go to System.Logger"));
        }
    }
}
