package dev.weir;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings as bean properties, for whatever configures a DataSource by reflection. Times have a second setter that
 * takes text. Other names of a setting have a setter only, so that each property is read once.
 */
abstract class DataSourceBean {

    /** The value in force. */
    abstract @Nullable Object value(Setting setting);

    /** Sets a value; null goes back to the default. */
    abstract void change(Setting setting, @Nullable Object value);

    private Object required(Setting setting) {
        return Objects.requireNonNull(value(setting), setting.settingName());
    }

    /** Returns the JDBC URL of the database, or null for none. */
    public @Nullable String getUrl() {
        return (@Nullable String) value(Setting.URL);
    }

    /** Sets the JDBC URL of the database, or null for none. */
    public void setUrl(@Nullable String value) {
        change(Setting.URL, value);
    }

    /** Returns the user that connections are opened as, or null for none. */
    public @Nullable String getUsername() {
        return (@Nullable String) value(Setting.USERNAME);
    }

    /** Sets the user that connections are opened as, or null for none. */
    public void setUsername(@Nullable String value) {
        change(Setting.USERNAME, value);
    }

    /** Returns the password of that user, or null for none. */
    public @Nullable String getPassword() {
        return (@Nullable String) value(Setting.PASSWORD);
    }

    /** Sets the password of that user, or null for none. */
    public void setPassword(@Nullable String value) {
        change(Setting.PASSWORD, value);
    }

    /** Returns the driver class for the url, or null for the one that accepts it. */
    public @Nullable String getDriverClassName() {
        return (@Nullable String) value(Setting.DRIVER_CLASS_NAME);
    }

    /** Sets the driver class for the url, or null for the one that accepts it. */
    public void setDriverClassName(@Nullable String value) {
        change(Setting.DRIVER_CLASS_NAME, value);
    }

    /** Returns the driver's DataSource class, instead of a url, or null for none. */
    public @Nullable String getDataSourceClassName() {
        return (@Nullable String) value(Setting.DATA_SOURCE_CLASS_NAME);
    }

    /** Sets the driver's DataSource class, instead of a url, or null for none. */
    public void setDataSourceClassName(@Nullable String value) {
        change(Setting.DATA_SOURCE_CLASS_NAME, value);
    }

    /** Returns the name in messages, JMX and events, or null to generate one. */
    public @Nullable String getPoolName() {
        return (@Nullable String) value(Setting.POOL_NAME);
    }

    /** Sets the name in messages, JMX and events, or null to generate one. */
    public void setPoolName(@Nullable String value) {
        change(Setting.POOL_NAME, value);
    }

    /** Returns the greatest number of connections, idle and in use. */
    public int getMaximumPoolSize() {
        return (int) required(Setting.MAXIMUM_POOL_SIZE);
    }

    /** Sets the greatest number of connections, idle and in use. */
    public void setMaximumPoolSize(int value) {
        change(Setting.MAXIMUM_POOL_SIZE, value);
    }

    /** Returns the least number of connections, idle and in use. */
    public int getMinimumPoolSize() {
        return (int) required(Setting.MINIMUM_POOL_SIZE);
    }

    /** Sets the least number of connections, idle and in use. */
    public void setMinimumPoolSize(int value) {
        change(Setting.MINIMUM_POOL_SIZE, value);
    }

    /** Returns the number of connections kept idle on top of those in use. */
    public int getMinimumIdle() {
        return (int) required(Setting.MINIMUM_IDLE);
    }

    /** Sets the number of connections kept idle on top of those in use. */
    public void setMinimumIdle(int value) {
        change(Setting.MINIMUM_IDLE, value);
    }

    /** Returns the greatest number of connects under way at a time. */
    public int getAcquireIncrement() {
        return (int) required(Setting.ACQUIRE_INCREMENT);
    }

    /** Sets the greatest number of connects under way at a time. */
    public void setAcquireIncrement(int value) {
        change(Setting.ACQUIRE_INCREMENT, value);
    }

    /** Returns the failures in a row after which, while nobody waits, the pause doubles. */
    public int getAcquireRetries() {
        return (int) required(Setting.ACQUIRE_RETRIES);
    }

    /** Sets the failures in a row after which, while nobody waits, the pause doubles. */
    public void setAcquireRetries(int value) {
        change(Setting.ACQUIRE_RETRIES, value);
    }

    /** Returns the longest pause after a failed connect; a tenth of it while somebody waits. */
    public Duration getAcquireRetryDelay() {
        return (Duration) required(Setting.ACQUIRE_RETRY_DELAY);
    }

    /** Sets the longest pause after a failed connect; a tenth of it while somebody waits. */
    public void setAcquireRetryDelay(Duration value) {
        change(Setting.ACQUIRE_RETRY_DELAY, value);
    }

    /** Sets the longest pause after a failed connect, written as 1500 (milliseconds), 30s, 5m or ISO-8601. */
    public void setAcquireRetryDelay(String value) {
        change(Setting.ACQUIRE_RETRY_DELAY, value);
    }

    /** Returns the time within which getConnection() returns or throws. */
    public Duration getConnectionTimeout() {
        return (Duration) required(Setting.CONNECTION_TIMEOUT);
    }

    /** Sets the time within which getConnection() returns or throws. */
    public void setConnectionTimeout(Duration value) {
        change(Setting.CONNECTION_TIMEOUT, value);
    }

    /** Sets the time within which getConnection() returns or throws, written as 1500 (milliseconds), 30s, 5m or ISO-8601. */
    public void setConnectionTimeout(String value) {
        change(Setting.CONNECTION_TIMEOUT, value);
    }

    /** Returns the bound of one test of a connection. */
    public Duration getValidationTimeout() {
        return (Duration) required(Setting.VALIDATION_TIMEOUT);
    }

    /** Sets the bound of one test of a connection. */
    public void setValidationTimeout(Duration value) {
        change(Setting.VALIDATION_TIMEOUT, value);
    }

    /** Sets the bound of one test of a connection, written as 1500 (milliseconds), 30s, 5m or ISO-8601. */
    public void setValidationTimeout(String value) {
        change(Setting.VALIDATION_TIMEOUT, value);
    }

    /** Returns the bound of one physical connect. */
    public Duration getConnectTimeout() {
        return (Duration) required(Setting.CONNECT_TIMEOUT);
    }

    /** Sets the bound of one physical connect. */
    public void setConnectTimeout(Duration value) {
        change(Setting.CONNECT_TIMEOUT, value);
    }

    /** Sets the bound of one physical connect, written as 1500 (milliseconds), 30s, 5m or ISO-8601. */
    public void setConnectTimeout(String value) {
        change(Setting.CONNECT_TIMEOUT, value);
    }

    /** Returns the time that close() waits for connections in use. */
    public Duration getCloseTimeout() {
        return (Duration) required(Setting.CLOSE_TIMEOUT);
    }

    /** Sets the time that close() waits for connections in use. */
    public void setCloseTimeout(Duration value) {
        change(Setting.CLOSE_TIMEOUT, value);
    }

    /** Sets the time that close() waits for connections in use, written as 1500 (milliseconds), 30s, 5m or ISO-8601. */
    public void setCloseTimeout(String value) {
        change(Setting.CLOSE_TIMEOUT, value);
    }

    /** Returns whether connections are tested by Connection.isValid. */
    public boolean isJdbc4ConnectionTest() {
        return (boolean) required(Setting.JDBC4_CONNECTION_TEST);
    }

    /** Says whether connections are tested by Connection.isValid. */
    public void setJdbc4ConnectionTest(boolean value) {
        change(Setting.JDBC4_CONNECTION_TEST, value);
    }

    /** Returns the SQL that tests connections instead of isValid, or null for none. */
    public @Nullable String getConnectionTestQuery() {
        return (@Nullable String) value(Setting.CONNECTION_TEST_QUERY);
    }

    /** Sets the SQL that tests connections instead of isValid, or null for none. */
    public void setConnectionTestQuery(@Nullable String value) {
        change(Setting.CONNECTION_TEST_QUERY, value);
    }

    /** Returns the time without an answer after which a connection is tested before it is lent. */
    public Duration getValidateAfterIdle() {
        return (Duration) required(Setting.VALIDATE_AFTER_IDLE);
    }

    /** Sets the time without an answer after which a connection is tested before it is lent. */
    public void setValidateAfterIdle(Duration value) {
        change(Setting.VALIDATE_AFTER_IDLE, value);
    }

    /** Sets the time without an answer after which a connection is tested before it is lent, written as 1500 (milliseconds), 30s, 5m or ISO-8601. */
    public void setValidateAfterIdle(String value) {
        change(Setting.VALIDATE_AFTER_IDLE, value);
    }

    /** Returns the period of the test of idle connections, zero for never. */
    public Duration getKeepaliveTime() {
        return (Duration) required(Setting.KEEPALIVE_TIME);
    }

    /** Sets the period of the test of idle connections, zero for never. */
    public void setKeepaliveTime(Duration value) {
        change(Setting.KEEPALIVE_TIME, value);
    }

    /** Sets the period of the test of idle connections, zero for never, written as 1500 (milliseconds), 30s, 5m or ISO-8601. */
    public void setKeepaliveTime(String value) {
        change(Setting.KEEPALIVE_TIME, value);
    }

    /** Returns the time after which surplus connections are closed, zero for never. */
    public Duration getIdleTimeout() {
        return (Duration) required(Setting.IDLE_TIMEOUT);
    }

    /** Sets the time after which surplus connections are closed, zero for never. */
    public void setIdleTimeout(Duration value) {
        change(Setting.IDLE_TIMEOUT, value);
    }

    /** Sets the time after which surplus connections are closed, zero for never, written as 1500 (milliseconds), 30s, 5m or ISO-8601. */
    public void setIdleTimeout(String value) {
        change(Setting.IDLE_TIMEOUT, value);
    }

    /** Returns the age at which a connection is replaced, zero for never. */
    public Duration getMaxLifetime() {
        return (Duration) required(Setting.MAX_LIFETIME);
    }

    /** Sets the age at which a connection is replaced, zero for never. */
    public void setMaxLifetime(Duration value) {
        change(Setting.MAX_LIFETIME, value);
    }

    /** Sets the age at which a connection is replaced, zero for never, written as 1500 (milliseconds), 30s, 5m or ISO-8601. */
    public void setMaxLifetime(String value) {
        change(Setting.MAX_LIFETIME, value);
    }

    /** Returns the time held after which a connection is reported, zero for never. */
    public Duration getLeakDetectionThreshold() {
        return (Duration) required(Setting.LEAK_DETECTION_THRESHOLD);
    }

    /** Sets the time held after which a connection is reported, zero for never. */
    public void setLeakDetectionThreshold(Duration value) {
        change(Setting.LEAK_DETECTION_THRESHOLD, value);
    }

    /** Sets the time held after which a connection is reported, zero for never, written as 1500 (milliseconds), 30s, 5m or ISO-8601. */
    public void setLeakDetectionThreshold(String value) {
        change(Setting.LEAK_DETECTION_THRESHOLD, value);
    }

    /** Returns the auto-commit of a lent connection, or null for the driver's. */
    public @Nullable Boolean getAutoCommit() {
        return (@Nullable Boolean) value(Setting.AUTO_COMMIT);
    }

    /** Sets the auto-commit of a lent connection, or null for the driver's. */
    public void setAutoCommit(@Nullable Boolean value) {
        change(Setting.AUTO_COMMIT, value);
    }

    /** Returns the read-only mode of a lent connection, or null for the driver's. */
    public @Nullable Boolean getReadOnly() {
        return (@Nullable Boolean) value(Setting.READ_ONLY);
    }

    /** Sets the read-only mode of a lent connection, or null for the driver's. */
    public void setReadOnly(@Nullable Boolean value) {
        change(Setting.READ_ONLY, value);
    }

    /** Returns the isolation of a lent connection as its name, or null for the driver's. */
    public @Nullable String getTransactionIsolation() {
        Object level = value(Setting.TRANSACTION_ISOLATION);
        return level == null ? null : SettingType.ISOLATION.write(level);
    }

    /** Sets the isolation of a lent connection as its name or JDBC number, or null for the driver's. */
    public void setTransactionIsolation(@Nullable String value) {
        change(Setting.TRANSACTION_ISOLATION, value);
    }

    /** Returns the catalog of a lent connection, or null for the driver's. */
    public @Nullable String getCatalog() {
        return (@Nullable String) value(Setting.CATALOG);
    }

    /** Sets the catalog of a lent connection, or null for the driver's. */
    public void setCatalog(@Nullable String value) {
        change(Setting.CATALOG, value);
    }

    /** Returns the schema of a lent connection, or null for the driver's. */
    public @Nullable String getSchema() {
        return (@Nullable String) value(Setting.SCHEMA);
    }

    /** Sets the schema of a lent connection, or null for the driver's. */
    public void setSchema(@Nullable String value) {
        change(Setting.SCHEMA, value);
    }

    /** Returns the SQL run once on every new connection, or null for none. */
    public @Nullable String getConnectionInitSql() {
        return (@Nullable String) value(Setting.CONNECTION_INIT_SQL);
    }

    /** Sets the SQL run once on every new connection, or null for none. */
    public void setConnectionInitSql(@Nullable String value) {
        change(Setting.CONNECTION_INIT_SQL, value);
    }

    /** Returns the SQL run when a used connection comes home, or null for none. */
    public @Nullable String getResetSql() {
        return (@Nullable String) value(Setting.RESET_SQL);
    }

    /** Sets the SQL run when a used connection comes home, or null for none. */
    public void setResetSql(@Nullable String value) {
        change(Setting.RESET_SQL, value);
    }

    /** Returns the time that starting waits for a first connection. */
    public Duration getInitializationFailTimeout() {
        return (Duration) required(Setting.INITIALIZATION_FAIL_TIMEOUT);
    }

    /** Sets the time that starting waits for a first connection. */
    public void setInitializationFailTimeout(Duration value) {
        change(Setting.INITIALIZATION_FAIL_TIMEOUT, value);
    }

    /** Sets the time that starting waits for a first connection, written as 1500 (milliseconds), 30s, 5m or ISO-8601. */
    public void setInitializationFailTimeout(String value) {
        change(Setting.INITIALIZATION_FAIL_TIMEOUT, value);
    }

    /** Returns whether the pool is registered with JMX. */
    public boolean isRegisterMbeans() {
        return (boolean) required(Setting.REGISTER_MBEANS);
    }

    /** Says whether the pool is registered with JMX. */
    public void setRegisterMbeans(boolean value) {
        change(Setting.REGISTER_MBEANS, value);
    }

    /** Returns the greatest number of threads that wait for a connection, zero for unlimited. */
    public int getMaximumWaiters() {
        return (int) required(Setting.MAXIMUM_WAITERS);
    }

    /** Sets the greatest number of threads that wait for a connection, zero for unlimited. */
    public void setMaximumWaiters(int value) {
        change(Setting.MAXIMUM_WAITERS, value);
    }

    /** Sets the url. */
    public void setJdbcUrl(@Nullable String value) {
        setUrl(value);
    }

    /** Sets the url. */
    public void setConnectionUrl(@Nullable String value) {
        setUrl(value);
    }

    /** Sets the username. */
    public void setUser(@Nullable String value) {
        setUsername(value);
    }

    /** Sets the maximumPoolSize. */
    public void setMaxSize(int value) {
        setMaximumPoolSize(value);
    }

    /** Sets the maximumPoolSize. */
    public void setMaxPoolSize(int value) {
        setMaximumPoolSize(value);
    }

    /** Sets the minimumPoolSize. */
    public void setMinSize(int value) {
        setMinimumPoolSize(value);
    }

    /** Sets the minimumPoolSize. */
    public void setMinPoolSize(int value) {
        setMinimumPoolSize(value);
    }
}
