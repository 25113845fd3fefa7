package dev.weir.hibernate;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.hibernate.HibernateException;
import org.hibernate.boot.registry.selector.spi.StrategySelector;
import org.hibernate.dialect.Dialect;
import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;
import org.hibernate.engine.jdbc.connections.spi.DatabaseConnectionInfo;
import org.hibernate.engine.jdbc.env.spi.ExtractedDatabaseMetaData;
import org.hibernate.exception.JDBCConnectionException;
import org.hibernate.service.UnknownUnwrapTypeException;
import org.hibernate.service.spi.Configurable;
import org.hibernate.service.spi.ServiceRegistryAwareService;
import org.hibernate.service.spi.ServiceRegistryImplementor;
import org.hibernate.service.spi.Stoppable;
import org.jspecify.annotations.Nullable;

/**
 * Hibernate's connections from a pool of its own, that starts and ends with the session factory. Chosen by
 * {@code hibernate.connection.provider_class=weir}, or by being the only provider registered. Configured by Hibernate's and
 * Jakarta Persistence's standard properties, and by {@code hibernate.weir.*}: every setting of the pool, and
 * {@code hibernate.weir.dataSource.*} for the driver. Thread-safe once it is configured.
 */
@SuppressWarnings("serial") // Hibernate's Service is Serializable by name only; a provider is never written
public final class WeirConnectionProvider
        implements ConnectionProvider, Configurable, Stoppable, ServiceRegistryAwareService {
    // set by Hibernate before the first connection is asked for
    private transient @Nullable StrategySelector selector;
    private transient @Nullable PoolConfig config;
    private transient @Nullable WeirDataSource pool;

    /** For Hibernate, which configures it. */
    public WeirConnectionProvider() {}

    @Override
    public void injectServices(ServiceRegistryImplementor registry) {
        selector = registry.requireService(StrategySelector.class);
    }

    /**
     * Starts the pool.
     *
     * @throws HibernateException if the configuration is wrong; the message names the properties
     * @throws JDBCConnectionException if no first connection could be opened, as {@code initializationFailTimeout} says
     */
    @Override
    public void configure(Map<String, Object> configuration) {
        HibernateSettings settings =
                new HibernateSettings(configuration, Objects.requireNonNull(selector, "not injected"));
        PoolConfig read = settings.toConfig();
        WeirDataSource made = new WeirDataSource(read);
        try {
            made.start();
        } catch (SQLException e) {
            made.close();
            if (e.getCause() instanceof IllegalArgumentException) {
                throw new HibernateException(settings.named(e.getMessage()), e);
            }
            throw new JDBCConnectionException(String.valueOf(e.getMessage()), e);
        }
        config = read;
        pool = made;
    }

    private WeirDataSource pool() {
        WeirDataSource running = pool;
        if (running == null) {
            throw new IllegalStateException("the provider is not configured");
        }
        return running;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return pool().getConnection();
    }

    /** Lends a connection of the configured user; a pool has one user, others are refused (SQLState 0A000). */
    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return pool().getConnection(user, password);
    }

    @Override
    public void closeConnection(Connection connection) throws SQLException {
        connection.close();
    }

    /** No: who gives a connection back may get another one. */
    @Override
    public boolean supportsAggressiveRelease() {
        return false;
    }

    @Override
    public DatabaseConnectionInfo getDatabaseConnectionInfo(Dialect dialect) {
        return new WeirConnectionInfo(Objects.requireNonNull(config, "not configured"), dialect, null);
    }

    @Override
    public DatabaseConnectionInfo getDatabaseConnectionInfo(Dialect dialect, ExtractedDatabaseMetaData metaData) {
        return new WeirConnectionInfo(Objects.requireNonNull(config, "not configured"), dialect, metaData);
    }

    @Override
    public boolean isUnwrappableAs(Class<?> type) {
        return type.isAssignableFrom(WeirConnectionProvider.class) || type.isAssignableFrom(WeirDataSource.class);
    }

    /** Returns this provider, or its pool as a {@link DataSource} or {@link WeirDataSource}. */
    @Override
    public <T> T unwrap(Class<T> type) {
        if (type.isAssignableFrom(WeirConnectionProvider.class)) {
            return type.cast(this);
        }
        if (type.isAssignableFrom(WeirDataSource.class)) {
            return type.cast(pool());
        }
        throw new UnknownUnwrapTypeException(type);
    }

    @Override
    public void stop() {
        WeirDataSource running = pool;
        if (running != null) {
            running.close();
        }
    }
}
