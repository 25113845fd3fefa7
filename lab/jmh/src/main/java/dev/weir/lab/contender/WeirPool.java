package dev.weir.lab.contender;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Weir: {@code validateAfterIdle} is 500 ms by default. */
final class WeirPool {
    private WeirPool() {}

    static Pooled open(DataSource physical, int size, Duration timeout) throws SQLException {
        WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .dataSource(physical)
                .maximumPoolSize(size)
                .minimumPoolSize(size)
                .connectionTimeout(timeout)
                .registerMbeans(false)
                .build());
        try {
            pool.start();
            return new Pooled(pool, pool::close);
        } catch (SQLException e) {
            pool.close();
            throw e;
        }
    }
}
