package dev.weir.lab.contender;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import javax.sql.DataSource;

/** HikariCP: tests what was idle for 500 ms by default, and resets auto-commit to true. */
final class HikariPool {
    private HikariPool() {}

    static Pooled open(DataSource physical, int size, Duration timeout) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(physical);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(size);
        config.setConnectionTimeout(timeout.toMillis());
        HikariDataSource pool = new HikariDataSource(config);
        return new Pooled(pool, pool::close);
    }
}
