package dev.weir.spring.boot;

import dev.weir.WeirDataSource;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.cfg.JdbcSettings;
import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;
import org.hibernate.engine.jdbc.connections.spi.MultiTenantConnectionProvider;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.service.spi.SessionFactoryServiceRegistry;
import org.hibernate.service.spi.Wrapped;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * Refuses a pool with auto-commit for a Hibernate that was told that it has none: Hibernate would not switch it off, each
 * statement would be committed, and a rollback would undo nothing. Hibernate finds this as a service, and calls it when its
 * settings are complete, wherever each was written.
 */
public final class AutoCommitCheck implements Integrator {

    /** For Hibernate, which finds this as a service. */
    public AutoCommitCheck() {}

    @Override
    public void integrate(Metadata metadata, BootstrapContext bootstrap, SessionFactoryImplementor factory) {
        if (factory.getSessionFactoryOptions().doesConnectionProviderDisableAutoCommit()) {
            List<String> faults = dataSources(factory)
                    .flatMap(AutoCommitCheck::pools)
                    .distinct()
                    .filter(pool -> !Boolean.FALSE.equals(pool.config().autoCommit()))
                    .map(AutoCommitCheck::faultOf)
                    .toList();
            if (!faults.isEmpty()) {
                throw new PoolConfigurationException("", faults, null);
            }
        }
    }

    @Override
    public void disintegrate(SessionFactoryImplementor factory, SessionFactoryServiceRegistry registry) {}

    private static String faultOf(WeirDataSource pool) {
        Boolean autoCommit = pool.config().autoCommit();
        return "spring.jpa.properties." + JdbcSettings.CONNECTION_PROVIDER_DISABLES_AUTOCOMMIT
                + ": true (expected: not set, or with " + WeirAutoConfiguration.PREFIX
                + ".auto-commit=false, or that of the pool's own prefix; auto-commit of pool " + pool.getPoolName()
                + " is "
                + (autoCommit == null ? "the driver's, which is true" : "true")
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
        AbstractRoutingDataSource routing = DataSourceUnwrapper.unwrap(source, AbstractRoutingDataSource.class);
        if (routing != null) {
            Collection<DataSource> targets = routing.getResolvedDataSources().values();
            DataSource usual = routing.getResolvedDefaultDataSource();
            return Stream.concat(targets.stream(), Stream.ofNullable(usual)).flatMap(AutoCommitCheck::pools);
        }
        return Stream.ofNullable(DataSourceUnwrapper.unwrap(source, WeirDataSource.class));
    }
}
