package dev.weir.slick;

import com.typesafe.config.Config;
import dev.weir.WeirDataSource;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import scala.Option;
import slick.SlickException;
import slick.jdbc.JdbcDataSource;
import slick.jdbc.JdbcDataSourceFactory;

/**
 * Slick's connections from a pool that ends with the database. Slick finds it by {@code connectionPool =
 * "dev.weir.slick.WeirJdbcDataSource"}. Beside that stands every setting, by Weir's name, another pool's, or Slick's own.
 * Thread-safe.
 */
public final class WeirJdbcDataSource implements JdbcDataSource {
    /** For Slick, which looks for the field that a Scala object has. */
    public static final JdbcDataSourceFactory MODULE$ = WeirJdbcDataSource::forConfig;

    private final WeirDataSource pool;

    private WeirJdbcDataSource(WeirDataSource pool) {
        this.pool = pool;
    }

    private static WeirJdbcDataSource forConfig(
            Config config, @Nullable Driver driver, String name, ClassLoader loader) {
        if (driver != null) {
            throw new SlickException("a driver object has no use here: name its class in the configuration", null);
        }
        SlickSettings settings = new SlickSettings(config, name);
        WeirDataSource pool = new WeirDataSource(settings.toConfig());
        if (settings.startsAtOnce()) {
            try {
                pool.start();
            } catch (SQLException e) {
                pool.close();
                throw new SlickException(String.valueOf(e.getMessage()), e);
            }
        }
        return new WeirJdbcDataSource(pool);
    }

    /** Returns the pool. */
    public WeirDataSource pool() {
        return pool;
    }

    /** Lends a connection; throws SQLException, as {@link WeirDataSource#getConnection()} does. */
    @Override
    public Connection createConnection() {
        try {
            return pool.getConnection();
        } catch (SQLException e) {
            WeirJdbcDataSource.<RuntimeException>throwAsItIs(e);
            throw new AssertionError("not reached", e);
        }
    }

    /** Scala has no checked exceptions: who calls expects a SQLException. */
    @SuppressWarnings("unchecked")
    private static <T extends Exception> void throwAsItIs(SQLException e) throws T {
        throw (T) e;
    }

    @Override
    public void close() {
        pool.close();
    }

    /** Returns {@code maximumPoolSize}: Slick begins no more actions at a time that need a connection. */
    @Override
    public Option<Object> maxConnections() {
        return Option.apply(pool.getMaximumPoolSize());
    }
}
