package dev.weir.lab.contender;

import java.sql.SQLException;
import java.util.List;
import org.stone.beecp.BeeConnectionPoolMonitorVo;
import org.stone.beecp.BeeDataSource;
import org.stone.beecp.BeeDataSourceConfig;

/** BeeCP. It takes what was used in the last 500 ms for alive by default, and tests the rest. */
final class BeeContender implements Contender {
    @Override
    public String name() {
        return "beecp";
    }

    @Override
    public Class<?> type() {
        return BeeDataSource.class;
    }

    @Override
    public Terms terms(Profile profile) {
        return new Terms(Terms.IDLE, Terms.NO_COUNTS);
    }

    @Override
    public List<String> limits(Profile profile) {
        return List.of(
                "does not shrink or fill up to a minimum: idle connections live for the idle timeout",
                "has no maximum lifetime",
                "holdability, client info and type map are not reset");
    }

    @Override
    public boolean agesInSeconds() {
        return false;
    }

    @Override
    public PoolUnderTest open(PoolSpec spec) throws SQLException {
        BeeDataSourceConfig config = new BeeDataSourceConfig();
        config.setJdbcUrl(spec.url());
        config.setDriverClassName(spec.driver());
        config.setUsername(spec.user());
        config.setPassword(spec.password());
        config.setInitialSize(spec.minimum());
        config.setMaxActive(spec.maximum());
        config.setMaxWait(spec.connectionTimeout().toMillis());
        config.setDefaultAutoCommit(spec.autoCommit());
        config.setRegisterMbeans(false);
        config.setRegisterJvmHook(false);
        config.setForceRecycleBorrowedOnClose(true);
        config.setPrintRuntimeLogs(false);
        if (spec.equal()) {
            config.setAliveAssumeTime(spec.grace().toMillis());
            config.setAliveTestTimeout(spec.validationSeconds());
        }
        BeeDataSource pool = new BeeDataSource(config);
        return PoolUnderTest.of(pool, () -> counts(pool), pool::close);
    }

    private static Counts counts(BeeDataSource pool) {
        try {
            BeeConnectionPoolMonitorVo monitor = pool.getPoolMonitorVo();
            return new Counts(
                    monitor.getIdleSize() + monitor.getBorrowedSize(),
                    monitor.getBorrowedSize(),
                    monitor.getIdleSize(),
                    monitor.getSemaphoreWaitingSize() + monitor.getTransferWaitingSize());
        } catch (SQLException e) {
            return Counts.UNKNOWN;
        }
    }
}
