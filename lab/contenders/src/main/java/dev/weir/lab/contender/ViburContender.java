package dev.weir.lab.contender;

import java.util.List;
import org.vibur.dbcp.ViburDBCPDataSource;

/** Vibur. Strictly first come, first served by default. */
final class ViburContender implements Contender {

    @Override
    public String name() {
        return "vibur";
    }

    @Override
    public String version() {
        return Jars.versionOf(ViburDBCPDataSource.class);
    }

    @Override
    public List<String> limits(Profile profile) {
        return profile == Profile.EQUAL
                ? List.of(
                        "tests what was idle for one second, which is its smallest step",
                        "does not roll back on close",
                        "schema, holdability, network timeout, client info and type map are not reset")
                : List.of("tests what was idle for several seconds; does not reset or roll back");
    }

    @Override
    public PoolUnderTest open(PoolSpec spec) {
        ViburDBCPDataSource pool = new ViburDBCPDataSource();
        pool.setJdbcUrl(spec.url());
        pool.setDriverClassName(spec.driver());
        pool.setUsername(spec.user() == null ? "" : spec.user());
        pool.setPassword(spec.password() == null ? "" : spec.password());
        pool.setPoolInitialSize(spec.minimum());
        pool.setPoolMaxSize(spec.maximum());
        pool.setConnectionTimeoutInMs(spec.connectionTimeout().toMillis());
        pool.setDefaultAutoCommit(spec.autoCommit());
        pool.setEnableJMX(false);
        if (spec.retryDelay() != null) {
            pool.setAcquireRetryDelayInMs(spec.retryDelay().toMillis());
        }
        if (spec.equal()) {
            pool.setConnectionIdleLimitInSeconds(spec.grace().isZero() ? 0 : 1);
            pool.setValidateTimeoutInSeconds(
                    Math.max(1, (int) spec.validationTimeout().toSeconds()));
            pool.setResetDefaultsAfterUse(true);
            pool.setClearSQLWarnings(true);
        }
        pool.start();
        return PoolUnderTest.of(pool, () -> counts(pool), pool::close);
    }

    private static Counts counts(ViburDBCPDataSource pool) {
        int total = pool.getPool().createdTotal();
        int active = pool.getPool().taken();
        return new Counts(total, active, total - active, -1);
    }
}
