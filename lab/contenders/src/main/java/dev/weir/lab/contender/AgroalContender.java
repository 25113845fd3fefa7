package dev.weir.lab.contender;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.AgroalDataSourceMetrics;
import io.agroal.api.AgroalPoolInterceptor;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.ConnectionValidator;
import io.agroal.api.configuration.supplier.AgroalConnectionFactoryConfigurationSupplier;
import io.agroal.api.configuration.supplier.AgroalConnectionPoolConfigurationSupplier;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Agroal. Its counts are those of its metrics, which are off unless they are asked for. */
final class AgroalContender implements Contender {
    @Override
    public String name() {
        return "agroal";
    }

    @Override
    public Class<?> type() {
        return io.agroal.pool.DataSource.class;
    }

    @Override
    public Terms terms(Profile profile) {
        return new Terms(profile == Profile.EQUAL ? Terms.IDLE : Terms.NEVER, Terms.NO_COUNTS);
    }

    @Override
    public List<String> limits(Profile profile) {
        return profile == Profile.EQUAL
                ? List.of(
                        "does not roll back on close: an interceptor of ours does, which costs a call for each",
                        "catalog, schema, client info and type map are not reset",
                        "where auto-commit is on by default, its reset commits what was left open",
                        "metadata that outlives its connection still works, and so does abort",
                        "who asks while the first connections are made may wait until the timeout: nobody is let in before")
                : List.of("connections are not tested before they are lent");
    }

    @Override
    public PoolUnderTest open(PoolSpec spec) throws SQLException {
        AgroalConnectionFactoryConfigurationSupplier factory = new AgroalConnectionFactoryConfigurationSupplier()
                .jdbcUrl(spec.url)
                .connectionProviderClassName(spec.driver)
                .autoCommit(spec.autoCommit);
        if (spec.user != null) {
            factory.principal(new NamePrincipal(spec.user));
        }
        if (spec.password != null) {
            factory.credential(new SimplePassword(spec.password));
        }
        AgroalConnectionPoolConfigurationSupplier config = new AgroalConnectionPoolConfigurationSupplier()
                .connectionFactoryConfiguration(factory)
                .initialSize(spec.minimum())
                .minSize(spec.minimum())
                .maxSize(spec.maximum())
                .acquisitionTimeout(spec.connectionTimeout);
        if (spec.retryDelay != null) {
            config.establishmentRetryInterval(spec.retryDelay);
        }
        if (spec.maxLifetime != null) {
            config.maxLifetime(spec.maxLifetime);
        }
        if (spec.idleTimeout != null) {
            config.reapTimeout(spec.idleTimeout);
        }
        if (spec.isEqual()) {
            config.connectionValidator(ConnectionValidator.defaultValidator());
            config.exceptionSorter(AgroalContender::isFatal);
            if (spec.grace.isZero()) {
                config.validateOnBorrow(true);
            } else {
                config.idleValidationTimeout(spec.grace);
            }
        }
        AgroalDataSource pool = AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier()
                .connectionPoolConfiguration(config)
                .metricsEnabled(true));
        if (spec.isEqual()) {
            pool.setPoolInterceptors(List.of(new RollbackOnReturn()));
        }
        awaitMinimum(pool, spec);
        pool.getConfiguration().setMetricsEnabled(spec.observed);
        return new PoolUnderTest(pool, () -> spec.observed ? counts(pool.getMetrics()) : Counts.UNKNOWN, pool);
    }

    /**
     * Lets it make its first connections before anybody asks: a getConnection meanwhile may wait until its timeout, though
     * there are idle ones. What it cannot make in that time is left to it.
     */
    private static void awaitMinimum(AgroalDataSource pool, PoolSpec spec) {
        long end = System.nanoTime() + spec.connectionTimeout.toNanos();
        while (pool.getMetrics().availableCount() < spec.minimum()
                && System.nanoTime() < end
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    /** Ends the transaction of the last user, before Agroal resets auto-commit and so would commit it. */
    private static final class RollbackOnReturn implements AgroalPoolInterceptor {
        @Override
        public void onConnectionReturn(Connection connection) {
            try {
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                }
            } catch (SQLException e) {
                // It is broken, which the sorter or the next test finds; thrown from here, Agroal would lose its place.
            }
        }
    }

    /** After which a connection is not kept: its own sorter for PostgreSQL does not know of a server that is stopped. */
    private static boolean isFatal(SQLException failure) {
        String state = failure.getSQLState();
        return state != null && (state.startsWith("08") || state.startsWith("57P0"));
    }

    private static Counts counts(AgroalDataSourceMetrics metrics) {
        int active = (int) metrics.activeCount();
        return new Counts(active + (int) metrics.availableCount(), active);
    }
}
