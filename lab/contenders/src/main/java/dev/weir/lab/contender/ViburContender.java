package dev.weir.lab.contender;

import java.sql.Connection;
import java.util.List;
import org.vibur.dbcp.ViburDBCPDataSource;

/** Vibur. Strictly first come, first served by default. */
final class ViburContender implements Contender {

    @Override
    public String name() {
        return "vibur";
    }

    @Override
    public Class<?> type() {
        return ViburDBCPDataSource.class;
    }

    @Override
    public Terms terms(Profile profile) {
        return new Terms(profile == Profile.EQUAL ? "after 1 s idle" : "after some seconds idle", Terms.NO_COUNTS);
    }

    @Override
    public List<String> limits(Profile profile) {
        return profile == Profile.EQUAL
                ? List.of(
                        "tests what was idle for one second, which is its smallest step",
                        "does not roll back on close: a hook of ours does, which costs a call for each",
                        "does not close statements: those of a closed connection still work, on a connection that is another's",
                        "read-only and isolation are reset to read-write and read committed, which it must be told",
                        "catalog, schema, holdability, network timeout, client info and type map are not reset")
                : List.of("tests what was idle for seconds; does not reset, roll back or close statements");
    }

    @Override
    public boolean agesInSeconds() {
        return false;
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
            pool.setConnectionIdleLimitInSeconds((int) Math.ceil(spec.grace().toMillis() / 1e3));
            pool.setValidateTimeoutInSeconds(spec.validationSeconds());
            pool.setDefaultReadOnly(false);
            pool.setDefaultTransactionIsolationIntValue(Connection.TRANSACTION_READ_COMMITTED);
            pool.setResetDefaultsAfterUse(true);
            pool.getConnHooks().addOnClose((connection, takenNanos) -> Sessions.rollBack(connection));
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
