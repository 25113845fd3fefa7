package dev.weir.cli.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.cli.shared.Stop;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** A pool of HikariCP's, set up as the pool of the spike is, to be shown beside it. */
final class Beside implements AutoCloseable {
    private final HikariDataSource pool;

    Beside(DataSource source, int idle, int most, Duration timeout) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setMinimumIdle(idle);
        config.setMaximumPoolSize(most);
        config.setConnectionTimeout(timeout.toMillis());
        config.setPoolName("demo-beside");
        pool = new HikariDataSource(config);
    }

    DataSource dataSource() {
        return pool;
    }

    /** Waits until the pool is filled; false if asked to stop meanwhile. */
    boolean awaitIdle(int idle, Duration limit, Stop stop) throws DemoFailure {
        long deadline = System.nanoTime() + limit.toNanos();
        while (pool.getHikariPoolMXBean().getIdleConnections() < idle) {
            if (System.nanoTime() > deadline) {
                throw new DemoFailure("HikariCP's pool was not filled within "
                        + TimeUnit.NANOSECONDS.toSeconds(limit.toNanos()) + " s");
            }
            if (stop.await(Duration.ofMillis(5))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        pool.close();
    }
}
