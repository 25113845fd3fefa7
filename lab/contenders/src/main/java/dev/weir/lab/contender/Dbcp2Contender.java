package dev.weir.lab.contender;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import org.apache.commons.dbcp2.BasicDataSource;
import org.apache.commons.dbcp2.PoolableConnection;
import org.apache.commons.pool2.impl.GenericObjectPool;

/** Commons DBCP 2. It has no time of grace: each connection is tested whenever it is lent, or never. */
final class Dbcp2Contender implements Contender {

    @Override
    public String name() {
        return "dbcp2";
    }

    @Override
    public Class<?> type() {
        return BasicDataSource.class;
    }

    @Override
    public Terms terms(Profile profile) {
        return new Terms(Terms.ALWAYS, "loans and their times, each");
    }

    @Override
    public List<String> limits(Profile profile) {
        return profile == Profile.EQUAL
                ? List.of(
                        "tests every connection that it lends: it knows no time of grace",
                        "read-only and isolation are reset to read-write and read committed, which it must be told",
                        "catalog, schema, holdability, network timeout, client info and type map are not reset",
                        "closed result sets still unwrap to the driver's")
                : List.of("tests every connection that it lends; what was changed is not reset");
    }

    @Override
    public PoolUnderTest open(PoolSpec spec) throws Exception {
        BasicDataSource pool = new BasicDataSource();
        pool.setUrl(spec.url());
        pool.setDriverClassName(spec.driver());
        pool.setUsername(spec.user());
        pool.setPassword(spec.password());
        pool.setInitialSize(spec.minimum());
        pool.setMinIdle(spec.minimum());
        pool.setMaxTotal(spec.maximum());
        pool.setMaxIdle(spec.maximum());
        pool.setMaxWait(spec.connectionTimeout());
        pool.setDefaultAutoCommit(spec.autoCommit());
        if (spec.maxLifetime() != null) {
            pool.setMaxConn(spec.maxLifetime());
        }
        if (spec.idleTimeout() != null) {
            pool.setMinEvictableIdle(spec.idleTimeout());
            pool.setDurationBetweenEvictionRuns(Duration.ofSeconds(1));
            pool.setNumTestsPerEvictionRun(spec.maximum());
        }
        if (spec.equal()) {
            pool.setTestOnBorrow(true);
            pool.setValidationQueryTimeout(spec.validationTimeout());
            pool.setRollbackOnReturn(true);
            pool.setAutoCommitOnReturn(true);
            pool.setDefaultReadOnly(false);
            pool.setDefaultTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
        if (spec.minimum() > 0) {
            pool.getLogWriter();
        }
        return PoolUnderTest.of(pool, () -> counts(pool), pool::close);
    }

    private static Counts counts(BasicDataSource pool) {
        GenericObjectPool<PoolableConnection> objects = pool.getConnectionPool();
        return objects == null
                ? new Counts(0, 0, 0, 0)
                : new Counts(
                        objects.getNumActive() + objects.getNumIdle(),
                        objects.getNumActive(),
                        objects.getNumIdle(),
                        objects.getNumWaiters());
    }
}
