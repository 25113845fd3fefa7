package dev.weir;

import dev.weir.internal.engine.ConnectionPool;
import dev.weir.internal.observing.Listeners;
import dev.weir.internal.settings.Configuration;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.text.Log;
import dev.weir.spi.CredentialsProvider;
import dev.weir.spi.FailureClassifier;
import dev.weir.spi.PoolListener;
import java.io.PrintWriter;
import java.lang.System.Logger.Level;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The settings of a data source that are objects, and what else JDBC wants of one. */
abstract class ConfiguredDataSource extends DataSourceBean implements DataSource {
    /** The listeners of every pool that this starts. */
    final Listeners listeners;

    /**
     * The class loader of the thread that configures the pool: that of the first user may not see the driver. Held
     * weakly, since the pool may outlive an application.
     */
    final WeakReference<ClassLoader> configuring =
            new WeakReference<>(Thread.currentThread().getContextClassLoader());

    ConfiguredDataSource(Listeners listeners) {
        this.listeners = listeners;
    }

    /** The configuration in force, or as far as it is known before the start. */
    abstract Configuration inForce();

    /**
     * The builder that this setting is set on, before the start.
     *
     * @throws IllegalStateException naming the setting, if the pool is started or closed
     */
    abstract PoolConfig.Builder configure(String setting);

    static SQLException notConfigured(Throwable e) {
        return new SQLNonTransientConnectionException(e.getMessage(), "08001", e);
    }

    /** The name of the pool in messages. */
    String name() {
        Object name = value(Setting.POOL_NAME);
        return name == null ? "pool" : "pool '" + name + "'";
    }

    /**
     * Changes a setting if its value in force is the expected one; null: whatever it is.
     *
     * @return whether it was
     */
    abstract boolean replace(Setting setting, @Nullable Object expected, @Nullable Object value);

    /** As {@link Jmx#register}, which cannot even be loaded in a runtime without JMX. */
    static Runnable inJmx(ConnectionPool pool) {
        if (ModuleLayer.boot().findModule("java.management").isPresent()) {
            return Jmx.register(pool);
        }
        Log.log(Level.INFO, "pool ''{0}'': not in JMX: this runtime has no JMX", pool.settings.poolName());
        return () -> {};
    }

    @Override
    void change(Setting setting, @Nullable Object value) {
        replace(setting, null, value);
    }

    /**
     * Sets maximumPoolSize if it is the expected one, in one step: of two who change it while the pool runs, as an
     * operator and a program that sizes the pool, neither undoes what it has not seen.
     *
     * @return whether it was
     * @throws IllegalArgumentException if the value is wrong, or contradicts another setting of a started pool
     * @throws IllegalStateException if the pool is closed
     */
    public boolean compareAndSetMaximumPoolSize(int expected, int value) {
        return replace(Setting.MAXIMUM_POOL_SIZE, expected, value);
    }

    /**
     * Sets minimumPoolSize if it is the expected one, see {@link #compareAndSetMaximumPoolSize}.
     *
     * @return whether it was
     * @throws IllegalArgumentException if the value is wrong, or contradicts another setting of a started pool
     * @throws IllegalStateException if the pool is closed
     */
    public boolean compareAndSetMinimumPoolSize(int expected, int value) {
        return replace(Setting.MINIMUM_POOL_SIZE, expected, value);
    }

    /**
     * Lends a connection of the configured user.
     *
     * @throws SQLFeatureNotSupportedException if user and password are not the configured ones: a pool has one user
     */
    @Override
    public Connection getConnection(@Nullable String user, @Nullable String password) throws SQLException {
        String ownUser = getUsername();
        boolean sameUser = isSame(ownUser, user);
        boolean samePassword = isSame(getPassword(), password);
        if (ownUser == null || !sameUser || !samePassword) {
            throw new SQLFeatureNotSupportedException(
                    name() + ": lends connections of its configured user only; use getConnection()", "0A000");
        }
        return getConnection();
    }

    /** In a time that tells nothing of the secret but its length. */
    private static boolean isSame(@Nullable String ours, @Nullable String theirs) {
        if (ours == null || theirs == null) {
            return ours == null && theirs == null;
        }
        return MessageDigest.isEqual(ours.getBytes(StandardCharsets.UTF_8), theirs.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Adds a listener, called from now on when something happens in the pool, before it is started or while it runs;
     * loans are timed for it from the next tick of the pool's clock on (at most 100 ms). Does nothing if it is there
     * already.
     */
    public void addListener(PoolListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
    }

    /**
     * Removes a listener; does nothing if it is not there. A call to it that is under way may still come to its end.
     */
    public void removeListener(PoolListener listener) {
        listeners.remove(listener);
    }

    /** Returns the listeners of the pool; a copy. */
    public List<PoolListener> getListeners() {
        return listeners.list();
    }

    /** Replaces the listeners of the pool. */
    public void setListeners(Collection<? extends PoolListener> values) {
        listeners.set(List.copyOf(values));
    }

    /** Returns what is set on the driver's DataSource, or given to the driver with the url; a copy. */
    public Properties getDataSourceProperties() {
        Properties copy = new Properties();
        copy.putAll(inForce().dataSourceProperties());
        return copy;
    }

    /** Sets these on the driver's DataSource, or gives them to the driver with the url, besides those set before. */
    public void setDataSourceProperties(Properties properties) {
        PoolConfig.Builder.flat(properties).forEach(configure("dataSourceProperties")::dataSourceProperty);
    }

    /** Sets one property on the driver's DataSource, or gives it to the driver with the url, besides those set before. */
    public void addDataSourceProperty(String name, Object value) {
        configure("dataSourceProperties").dataSourceProperty(name, value);
    }

    /** Returns the object that connections come from, or null. */
    public @Nullable DataSource getDataSource() {
        return inForce().dataSource();
    }

    /** Sets the object that connections come from, instead of a url; XA data sources are refused at start. */
    public void setDataSource(@Nullable DataSource value) {
        configure("dataSource").dataSource(value);
    }

    /** Returns what says who to connect as, or null if username and password do. */
    public @Nullable CredentialsProvider getCredentialsProvider() {
        return inForce().credentialsProvider();
    }

    /** Sets what says who to connect as, instead of username and password. */
    public void setCredentialsProvider(@Nullable CredentialsProvider value) {
        configure("credentialsProvider").credentialsProvider(value);
    }

    /** Returns the classifier that overrides the pool's own rules on failures, or null. */
    public @Nullable FailureClassifier getFailureClassifier() {
        return inForce().failureClassifier();
    }

    /** Sets what overrides the pool's own rules on what a failure means. */
    public void setFailureClassifier(@Nullable FailureClassifier value) {
        configure("failureClassifier").failureClassifier(value);
    }

    /** Returns what says which settings a session must have while it is in use, or null. */
    public @Nullable Supplier<Map<String, String>> getSessionState() {
        return inForce().sessionState();
    }

    /** Sets what says which settings a session must have, see {@link PoolConfig.Builder#sessionState}. */
    public void setSessionState(@Nullable Supplier<Map<String, String>> value) {
        configure("sessionState").sessionState(value);
    }

    /** Returns what makes the pool's own threads, or null if the pool does. */
    public @Nullable ThreadFactory getThreadFactory() {
        return inForce().threadFactory();
    }

    /** Sets what makes the pool's own threads, see {@link PoolConfig.Builder#threadFactory}. */
    public void setThreadFactory(@Nullable ThreadFactory value) {
        configure("threadFactory").threadFactory(value);
    }

    /** Returns connectionTimeout in whole seconds, rounded up. */
    @Override
    public int getLoginTimeout() {
        return (int) Math.min(Integer.MAX_VALUE, (getConnectionTimeout().toMillis() + 999) / 1000);
    }

    /** Sets connectionTimeout; 0 goes back to its default. */
    @Override
    public void setLoginTimeout(int seconds) {
        change(Setting.CONNECTION_TIMEOUT, seconds == 0 ? null : Duration.ofSeconds(seconds));
    }

    /** Returns null: the pool logs through System.Logger. */
    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    /**
     * Takes null only: the pool logs through System.Logger.
     *
     * @throws SQLFeatureNotSupportedException if a writer is given
     */
    @Override
    public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
        if (out != null) {
            throw new SQLFeatureNotSupportedException("the pool logs through System.Logger", "0A000");
        }
    }

    /**
     * Not supported: the pool logs through System.Logger.
     *
     * @throws SQLFeatureNotSupportedException always
     */
    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("the pool logs through System.Logger", "0A000");
    }

    /** The pool that was started, or null. */
    abstract @Nullable ConnectionPool poolOrNull();

    /** The DataSource that connections come from: the object that was given, or what was made of its class at the start. */
    private @Nullable DataSource source() {
        ConnectionPool pool = poolOrNull();
        DataSource made = pool == null ? null : pool.driverDataSource();
        return made == null ? getDataSource() : made;
    }

    /**
     * Returns this, or the DataSource that connections come from, or what that unwraps. The one behind a {@code
     * dataSourceClassName} is there once the pool has been started.
     */
    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        DataSource source = source();
        if (type.isInstance(source)) {
            return type.cast(source);
        }
        if (source != null && source.isWrapperFor(type)) {
            return source.unwrap(type);
        }
        throw new SQLException(name() + ": no " + type.getName() + " to unwrap");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        if (type.isInstance(this)) {
            return true;
        }
        DataSource source = source();
        return source != null && (type.isInstance(source) || source.isWrapperFor(type));
    }
}
