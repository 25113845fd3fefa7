package dev.weir.lab.contender;

import dev.weir.lab.stub.StubDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import javax.sql.DataSource;

/**
 * A pool under comparison. All are set alike: a fixed number of connections, opened before the measurement; a connection
 * that was idle for 500 ms is tested before it is lent; auto-commit is on; nothing is registered with JMX. Everything else
 * is the pool's own default.
 */
public enum Contender {
    WEIR {
        @Override
        Pooled open(DataSource physical, int size, Duration timeout) throws SQLException {
            return WeirPool.open(physical, size, timeout);
        }
    },
    HIKARI {
        @Override
        Pooled open(DataSource physical, int size, Duration timeout) throws SQLException {
            return HikariPool.open(physical, size, timeout);
        }
    },
    BEECP {
        @Override
        Pooled open(DataSource physical, int size, Duration timeout) throws SQLException {
            return BeePool.open(physical, size, timeout);
        }
    },
    /** No pool, on connections of its own: the floor under all of them. Only for as many threads as connections. */
    RAW {
        @Override
        Pooled open(DataSource physical, int size, Duration timeout) {
            return new Pooled(StubDataSource.withoutPool(size), () -> {});
        }
    };

    /** The name in tables, files and options. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Contender named(String label) {
        return valueOf(label.toUpperCase(Locale.ROOT));
    }

    /** Opens this pool and waits until all its connections are there. */
    public final Pooled openFilled(DataSource physical, int size, Duration timeout) throws SQLException {
        Pooled pool = open(physical, size, timeout);
        try {
            pool.fill(size);
            return pool;
        } catch (SQLException | RuntimeException e) {
            pool.close();
            throw e;
        }
    }

    abstract Pooled open(DataSource physical, int size, Duration timeout) throws SQLException;
}
