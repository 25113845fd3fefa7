package dev.weir.lab.contender;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.AgroalDataSourceMetrics;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.ConnectionValidator;
import io.agroal.api.configuration.supplier.AgroalConnectionFactoryConfigurationSupplier;
import io.agroal.api.configuration.supplier.AgroalConnectionPoolConfigurationSupplier;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import java.sql.SQLException;
import java.util.List;

/** Agroal. Its counts are those of its metrics, which are off unless they are asked for. */
final class AgroalContender implements Contender {

    @Override
    public String name() {
        return "agroal";
    }

    @Override
    public String version() {
        return Jars.versionOf(AgroalDataSource.class);
    }

    @Override
    public List<String> limits(Profile profile) {
        return profile == Profile.EQUAL
                ? List.of("schema, catalog, holdability, client info and type map are not reset")
                : List.of("connections are not tested before they are lent");
    }

    @Override
    public PoolUnderTest open(PoolSpec spec) throws SQLException {
        AgroalConnectionFactoryConfigurationSupplier factory = new AgroalConnectionFactoryConfigurationSupplier()
                .jdbcUrl(spec.url())
                .connectionProviderClassName(spec.driver())
                .autoCommit(spec.autoCommit());
        if (spec.user() != null) {
            factory.principal(new NamePrincipal(spec.user()));
        }
        if (spec.password() != null) {
            factory.credential(new SimplePassword(spec.password()));
        }
        AgroalConnectionPoolConfigurationSupplier config = new AgroalConnectionPoolConfigurationSupplier()
                .connectionFactoryConfiguration(factory)
                .initialSize(spec.minimum())
                .minSize(spec.minimum())
                .maxSize(spec.maximum())
                .acquisitionTimeout(spec.connectionTimeout());
        if (spec.maxLifetime() != null) {
            config.maxLifetime(spec.maxLifetime());
        }
        if (spec.equal()) {
            config.connectionValidator(ConnectionValidator.defaultValidator()).idleValidationTimeout(spec.grace());
        }
        AgroalDataSource pool = AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier()
                .connectionPoolConfiguration(config)
                .metricsEnabled(spec.observed()));
        return PoolUnderTest.of(pool, () -> spec.observed() ? counts(pool.getMetrics()) : Counts.UNKNOWN, pool::close);
    }

    private static Counts counts(AgroalDataSourceMetrics metrics) {
        int active = (int) metrics.activeCount();
        int idle = (int) metrics.availableCount();
        return new Counts(active + idle, active, idle, (int) metrics.awaitingCount());
    }
}
