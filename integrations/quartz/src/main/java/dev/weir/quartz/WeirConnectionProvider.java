package dev.weir.quartz;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.quartz.utils.ConnectionProvider;

/**
 * Quartz's connections from a pool. Named as {@code org.quartz.dataSource.NAME.connectionProvider.class}, it makes a pool that
 * starts with the scheduler and ends with it; {@code org.quartz.dataSource.NAME.*} are the settings of the pool, by Weir's name or
 * Quartz's own: {@code driver}, {@code URL}, {@code user}, {@code password}, {@code maxConnections},
 * {@code validationQuery}. Made with a pool, it lends from that one and leaves it open. Thread-safe once it is initialized.
 *
 * <pre>{@code
 * DBConnectionManager.getInstance().addConnectionProvider("shop", new WeirConnectionProvider(pool));
 * }</pre>
 */
public final class WeirConnectionProvider extends TextSetters implements ConnectionProvider {
    private final Properties given = new Properties(); // for Quartz's thread, before initialize()
    private final boolean shared;
    private volatile @Nullable WeirDataSource pool;

    /** For Quartz, which sets the properties and then calls {@link #initialize}. */
    public WeirConnectionProvider() {
        shared = false;
    }

    /** Lends from this pool. Who made the pool closes it, after the scheduler's shutdown. */
    public WeirConnectionProvider(WeirDataSource pool) {
        this.pool = pool;
        shared = true;
    }

    /** Quartz gives null where a text is empty, and the properties in no order. */
    @Override
    void set(String name, @Nullable String value) {
        String text = value == null ? "" : value;
        Object other = given.putIfAbsent(name, text);
        if (other != null && !other.equals(text)) {
            throw new IllegalArgumentException(name + ": two values for one setting, by Quartz's name and by Weir's");
        }
    }

    /** Sets url, by Quartz's name. */
    public void setURL(@Nullable String value) {
        set("url", value);
    }

    /** Sets driverClassName, by Quartz's name. */
    public void setDriver(@Nullable String value) {
        set("driverClassName", value);
    }

    /** Sets username, by Quartz's name. */
    public void setUser(@Nullable String value) {
        set("username", value);
    }

    /** Sets connectionTestQuery, by Quartz's name. */
    public void setValidationQuery(@Nullable String value) {
        set("connectionTestQuery", value);
    }

    /** Sets maximumPoolSize, by Quartz's name. */
    public void setMaxConnections(@Nullable String value) {
        set("maximumPoolSize", value);
    }

    /**
     * Starts the pool; does nothing where the pool was given.
     *
     * @throws IllegalArgumentException if the configuration is wrong, with every fault in its message
     * @throws SQLException if no first connection could be opened, as {@code initializationFailTimeout} says
     */
    @Override
    public void initialize() throws SQLException {
        if (shared) {
            return;
        }
        WeirDataSource made = new WeirDataSource(PoolConfig.from(given));
        try {
            made.start();
        } catch (SQLException | RuntimeException e) {
            made.close();
            throw e;
        }
        pool = made;
    }

    /**
     * Lends a connection, as {@link WeirDataSource#getConnection()} does.
     *
     * @throws SQLException if there was none in time, or the pool is not initialized (SQLState 08003)
     */
    @Override
    public Connection getConnection() throws SQLException {
        WeirDataSource running = pool;
        if (running == null) {
            throw new SQLNonTransientConnectionException("the connection provider is not initialized", "08003");
        }
        return running.getConnection();
    }

    /** Closes the pool, unless it was given. Quartz calls it when the scheduler is shut down. */
    @Override
    public void shutdown() {
        WeirDataSource running = pool;
        if (running != null && !shared) {
            running.close();
        }
    }
}
