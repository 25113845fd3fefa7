package dev.weir.lab.contender;

import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.stone.beecp.BeeDataSource;
import org.stone.beecp.BeeDataSourceConfig;

/** BeeCP: takes what was used in the last 500 ms for alive by default, and tests the rest with isValid. */
final class BeePool {
    private BeePool() {}

    static Pooled open(DataSource physical, int size, Duration timeout) throws SQLException {
        BeeDataSourceConfig config = new BeeDataSourceConfig();
        config.setConnectionFactory(physical::getConnection);
        config.setInitialSize(size);
        config.setMaxActive(size);
        config.setMaxWait(timeout.toMillis());
        config.setAliveAssumeTime(500);
        config.setRegisterMbeans(false);
        config.setRegisterJvmHook(false);
        config.setForceRecycleBorrowedOnClose(true);
        config.setPrintRuntimeLogs(false);
        BeeDataSource pool = new BeeDataSource(config);
        return new Pooled(pool, pool::close);
    }
}
