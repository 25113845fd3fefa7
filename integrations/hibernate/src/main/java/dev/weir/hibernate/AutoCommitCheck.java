package dev.weir.hibernate;

import dev.weir.WeirDataSource;
import java.sql.SQLException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.hibernate.HibernateException;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.cfg.JdbcSettings;
import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;
import org.hibernate.engine.jdbc.connections.spi.MultiTenantConnectionProvider;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.service.spi.SessionFactoryServiceRegistry;
import org.hibernate.service.spi.Wrapped;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * Refuses a pool with auto-commit for a Hibernate that was told that it has none: Hibernate would not switch it off, each
 * statement would be committed, and a rollback would undo nothing. Hibernate finds this as a service, and calls it when its
 * settings are complete, wherever each was written and whoever gave it the pool.
 */
public final class AutoCommitCheck implements Integrator {

    /** For Hibernate, which finds this as a service. */
    public AutoCommitCheck() {}

    @Override
    public void integrate(Metadata metadata, BootstrapContext bootstrap, SessionFactoryImplementor factory) {
        if (factory.getSessionFactoryOptions().doesConnectionProviderDisableAutoCommit()) {
            String faults = dataSources(factory)
                    .flatMap(AutoCommitCheck::pools)
                    .distinct()
                    .filter(pool -> !Boolean.FALSE.equals(pool.config().autoCommit()))
                    .map(AutoCommitCheck::faultOf)
                    .collect(Collectors.joining(System.lineSeparator()));
            if (!faults.isEmpty()) {
                throw new HibernateException(faults);
            }
        }
    }

    @Override
    public void disintegrate(SessionFactoryImplementor factory, SessionFactoryServiceRegistry registry) {}

    private static String faultOf(WeirDataSource pool) {
        return JdbcSettings.CONNECTION_PROVIDER_DISABLES_AUTOCOMMIT
                + ": true (expected: not set, or with autoCommit=false of pool " + pool.getPoolName()
                + "; auto-commit of this pool is "
                + (pool.config().autoCommit() == null ? "the driver's, which is true" : "true")
                + ", and a transaction that is rolled back would be committed)";
    }

    private static Stream<DataSource> dataSources(SessionFactoryImplementor factory) {
        return Stream.of(ConnectionProvider.class, MultiTenantConnectionProvider.class)
                .map(factory.getServiceRegistry()::getService)
                .filter(provider -> provider instanceof Wrapped)
                .map(Wrapped.class::cast)
                .filter(provider -> provider.isUnwrappableAs(DataSource.class))
                .map(provider -> provider.unwrap(DataSource.class));
    }

    /** Those that such a DataSource may lend connections of. */
    private static Stream<WeirDataSource> pools(DataSource source) {
        try {
            AbstractRoutingDataSource routing = unwrapped(source, AbstractRoutingDataSource.class);
            if (routing != null) {
                return Stream.concat(
                                routing.getResolvedDataSources().values().stream(),
                                Stream.ofNullable(routing.getResolvedDefaultDataSource()))
                        .flatMap(AutoCommitCheck::pools);
            }
        } catch (NoClassDefFoundError e) { // an application without Spring has none that routes
        }
        return Stream.ofNullable(unwrapped(source, WeirDataSource.class));
    }

    private static <T> @Nullable T unwrapped(DataSource source, Class<T> type) {
        try {
            return source.isWrapperFor(type) ? source.unwrap(type) : null;
        } catch (SQLException | RuntimeException e) {
            return null; // it does not say what it wraps
        }
    }
}
