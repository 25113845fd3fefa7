package dev.weir.lab.contender;

import com.jolbox.bonecp.BoneCPConfig;
import com.jolbox.bonecp.BoneCPDataSource;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** BoneCP, which is no longer maintained. It cannot test a connection before it is lent, only while it lies idle. */
final class BoneCpContender implements Contender {

    @Override
    public String name() {
        return "bonecp";
    }

    @Override
    public Class<?> type() {
        return BoneCPDataSource.class;
    }

    @Override
    public Terms terms(Profile profile) {
        return new Terms(profile == Profile.EQUAL ? "never; idle ones each second" : Terms.NEVER, Terms.NO_COUNTS);
    }

    @Override
    public List<String> limits(Profile profile) {
        return profile == Profile.EQUAL
                ? List.of(
                        "cannot test a connection before it is lent: idle ones are tested every second instead",
                        "its own reset rolls back in auto-commit mode too, which drivers refuse: a hook of ours resets instead",
                        "isolation, holdability, network timeout, client info and type map are not reset",
                        "closed handles are not all dead: some statements and result sets still unwrap to the driver's")
                : List.of("connections are not tested before they are lent, statements are not closed");
    }

    @Override
    public PoolUnderTest open(PoolSpec spec) throws SQLException {
        BoneCPConfig config = new BoneCPConfig();
        config.setJdbcUrl(spec.url());
        config.setUsername(spec.user() == null ? "" : spec.user());
        config.setPassword(spec.password() == null ? "" : spec.password());
        config.setPartitionCount(1);
        config.setMinConnectionsPerPartition(spec.minimum());
        config.setMaxConnectionsPerPartition(spec.maximum());
        config.setConnectionTimeout(spec.connectionTimeout().toMillis(), TimeUnit.MILLISECONDS);
        config.setDefaultAutoCommit(spec.autoCommit());
        config.setDisableJMX(true);
        // Without it BoneCP asks the metadata for tables.
        config.setConnectionTestStatement(spec.testQuery());
        if (spec.retryDelay() != null) {
            config.setAcquireRetryDelay(spec.retryDelay().toMillis(), TimeUnit.MILLISECONDS);
        }
        if (spec.maxLifetime() != null) {
            config.setMaxConnectionAge(spec.maxLifetime().toMillis(), TimeUnit.MILLISECONDS);
        }
        if (spec.idleTimeout() != null) {
            config.setIdleMaxAge(spec.idleTimeout().toMillis(), TimeUnit.MILLISECONDS);
        }
        if (spec.equal()) {
            config.setIdleConnectionTestPeriod(1, TimeUnit.SECONDS);
            config.setConnectionHook(new BoneCpReset(spec.autoCommit()));
            config.setCloseOpenStatements(true);
        }
        BoneCPDataSource pool = new BoneCPDataSource(config);
        pool.setDriverClass(spec.driver());
        return PoolUnderTest.of(pool, () -> counts(pool), pool::close);
    }

    private static Counts counts(BoneCPDataSource pool) {
        if (pool.getPool() == null) {
            return new Counts(0, 0, 0, -1);
        }
        int total = pool.getPool().getTotalCreatedConnections();
        int active = pool.getTotalLeased();
        return new Counts(total, active, pool.getPool().getTotalFree(), -1);
    }
}
