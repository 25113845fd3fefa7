package dev.weir.lab.contender;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.apache.tomcat.jdbc.pool.DataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;
import org.apache.tomcat.jdbc.pool.interceptor.ConnectionState;
import org.apache.tomcat.jdbc.pool.interceptor.StatementFinalizer;

/** Tomcat's pool. By default it neither tests, resets, rolls back nor closes statements: its interceptors do. */
final class TomcatContender implements Contender {
    @Override
    public String name() {
        return "tomcat";
    }

    @Override
    public Class<?> type() {
        return DataSource.class;
    }

    @Override
    public Terms terms(Profile profile) {
        return new Terms(profile == Profile.EQUAL ? Terms.IDLE : Terms.NEVER, "loans, each");
    }

    @Override
    public List<String> limits(Profile profile) {
        return profile == Profile.EQUAL
                ? List.of(
                        "rolls back only where auto-commit is off by default: else the reset of auto-commit commits",
                        "read-only and isolation are reset to read-write and read committed, which it must be told",
                        "catalog, schema, holdability, network timeout, client info and type map are not reset",
                        "metadata that outlives its connection still works",
                        "closed statements and result sets still unwrap to the driver's")
                : List.of("connections are not tested, reset nor rolled back, statements are not closed");
    }

    @Override
    public PoolUnderTest open(PoolSpec spec) throws SQLException {
        PoolProperties config = new PoolProperties();
        config.setUrl(spec.url());
        config.setDriverClassName(spec.driver());
        config.setUsername(spec.user());
        config.setPassword(spec.password());
        config.setInitialSize(spec.minimum());
        config.setMinIdle(spec.minimum());
        config.setMaxActive(spec.maximum());
        config.setMaxIdle(spec.maximum());
        config.setMaxWait(Math.toIntExact(spec.connectionTimeout().toMillis()));
        config.setDefaultAutoCommit(spec.autoCommit());
        config.setJmxEnabled(false);
        if (spec.maxLifetime() != null) {
            config.setMaxAge(spec.maxLifetime().toMillis());
        }
        if (spec.idleTimeout() != null) {
            config.setMinEvictableIdleTimeMillis(
                    Math.toIntExact(spec.idleTimeout().toMillis()));
            config.setTimeBetweenEvictionRunsMillis(1_000);
        }
        if (spec.equal()) {
            config.setTestOnBorrow(true);
            config.setValidationInterval(spec.grace().toMillis());
            config.setValidationQueryTimeout(spec.validationSeconds());
            config.setRollbackOnReturn(true);
            config.setDefaultReadOnly(false);
            config.setDefaultTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            config.setUseDisposableConnectionFacade(true);
            config.setJdbcInterceptors(ConnectionState.class.getName() + ";" + StatementFinalizer.class.getName());
        }
        DataSource pool = new DataSource(config);
        pool.createPool();
        return PoolUnderTest.of(
                pool,
                () -> new Counts(pool.getSize(), pool.getActive(), pool.getIdle(), pool.getWaitCount()),
                () -> pool.close(true));
    }
}
