package dev.weir.lab.contender;

import com.alibaba.druid.pool.DruidDataSource;
import java.sql.SQLException;
import java.util.List;

/** Druid. It tests what was idle for longer than the time between its rounds. */
final class DruidContender implements Contender {
    @Override
    public String name() {
        return "druid";
    }

    @Override
    public Class<?> type() {
        return DruidDataSource.class;
    }

    @Override
    public Terms terms(Profile profile) {
        return new Terms(profile == Profile.EQUAL ? Terms.IDLE : "after a minute idle", "loans, each");
    }

    @Override
    public List<String> limits(Profile profile) {
        return profile == Profile.EQUAL
                ? List.of(
                        "catalog, schema, network timeout, client info and type map are not reset",
                        "does not roll back what was done through unwrap, and knows no executeLargeUpdate",
                        "its own test begins a transaction that it does not end, and leaves its statement open",
                        "closed connections, statements and result sets still unwrap to the driver's")
                : List.of("tests what was idle for a minute");
    }

    @Override
    public PoolUnderTest open(PoolSpec spec) throws SQLException {
        DruidDataSource pool = new DruidDataSource();
        pool.setUrl(spec.url());
        pool.setDriverClassName(spec.driver());
        pool.setUsername(spec.user());
        pool.setPassword(spec.password());
        pool.setInitialSize(spec.minimum());
        pool.setMinIdle(spec.minimum());
        pool.setMaxActive(spec.maximum());
        pool.setMaxWait(spec.connectionTimeout().toMillis());
        pool.setDefaultAutoCommit(spec.autoCommit());
        if (spec.maxLifetime() != null) {
            pool.setPhyTimeoutMillis(spec.maxLifetime().toMillis());
        }
        if (spec.retryDelay() != null) {
            pool.setTimeBetweenConnectErrorMillis(spec.retryDelay().toMillis());
        }
        if (spec.idleTimeout() != null) {
            pool.setMinEvictableIdleTimeMillis(spec.idleTimeout().toMillis());
            pool.setTimeBetweenEvictionRunsMillis(1_000);
        }
        if (spec.equal()) {
            if (spec.grace().isZero()) {
                pool.setTestOnBorrow(true);
            } else {
                pool.setTestWhileIdle(true);
                pool.setTimeBetweenEvictionRunsMillis(spec.grace().toMillis());
            }
            pool.setValidationQuery(spec.testQuery());
            pool.setValidationQueryTimeout(spec.validationSeconds());
        }
        if (spec.minimum() > 0) {
            pool.init();
        }
        return PoolUnderTest.of(pool, () -> counts(pool), pool::close);
    }

    private static Counts counts(DruidDataSource pool) {
        int active = pool.getActiveCount();
        int idle = pool.getPoolingCount();
        return new Counts(active + idle, active, idle, pool.getWaitThreadCount());
    }
}
