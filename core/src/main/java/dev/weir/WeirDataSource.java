package dev.weir;

import dev.weir.internal.binding.Binder;
import dev.weir.internal.engine.ConnectionPool;
import dev.weir.internal.lending.Acquiring;
import dev.weir.internal.observing.Listeners;
import dev.weir.internal.settings.Configuration;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.settings.Settings;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A pool of connections, as a DataSource. It starts at the first {@link #getConnection()}, or at {@link #start}, and
 * ends at {@link #close}, for good. Thread-safe.
 *
 * <p>Settings come from a {@link PoolConfig} or from {@link Properties}, or are set as bean properties before the
 * start. A wrong value is refused at once with an IllegalArgumentException, and a contradiction when the pool starts.
 * Once it is started, the settings that may change while it runs take effect at once; the setters of the others throw
 * IllegalStateException. The class is not final for the sake of proxies, and is not made for inheritance.
 *
 * <pre>{@code
 * try (WeirDataSource pool = new WeirDataSource(config);
 *         Connection connection = pool.getConnection()) {
 *     ...
 * }
 * }</pre>
 */
public class WeirDataSource extends ConfiguredDataSource implements AutoCloseable {
    private static final AtomicInteger POOLS = new AtomicInteger();

    /** All that getConnection() reads: a pool that has lent goes on until it is closed, and refuses callers itself then. */
    private volatile @Nullable Acquiring lending;

    /** As {@link #lending}, in the modes in which getConnection() takes no connection of the database; else null. */
    private volatile @Nullable Binder binder;

    private final Object lock = new Object(); // never held while driver or user code runs, nor while the pool works

    // guarded by the lock
    private final PoolConfig.Builder builder;
    private @Nullable Start start; // the last; see current()
    private @Nullable String generatedName;
    private boolean closed;

    /** A pool that is yet to be configured by its setters. */
    public WeirDataSource() {
        super(new Listeners(List.of()));
        this.builder = PoolConfig.builder();
    }

    /** A pool of this configuration; it opens nothing yet. */
    public WeirDataSource(PoolConfig config) {
        super(new Listeners(config.listeners()));
        this.builder = config.toBuilder();
    }

    /**
     * A pool configured by properties, see {@link PoolConfig#from}; it opens nothing yet.
     *
     * @throws IllegalArgumentException if anything in them is wrong, with every fault in its message
     */
    public WeirDataSource(Properties properties) {
        this(PoolConfig.from(properties));
    }

    /**
     * Lends a connection, and starts the pool before the first one. It returns or throws within {@code
     * connectionTimeout}; the time until the first connect of all is handed to the driver, in which classes are loaded,
     * comes on top where it is needed.
     *
     * @throws SQLTransientConnectionException if there was none in time; its SQLState is 08001, its cause the last
     *     failure to open one
     * @throws SQLException if the pool is closed (SQLState 08003), its configuration wrong, or its start failed
     */
    @Override
    public Connection getConnection() throws SQLException {
        Acquiring acquiring = lending;
        return acquiring != null ? acquiring.acquire(0) : firstConnection();
    }

    /**
     * The caller waits for the start in the queue of the pool, as anybody waits for a connection. Where users have connections of
     * the binder each of them comes here.
     */
    private Connection firstConnection() throws SQLException {
        Binder known = binder;
        if (known != null) {
            return known.connection();
        }
        long begun = System.nanoTime();
        Start joined = joinStart();
        ConnectionPool pool = joined.await();
        Binder made = joined.binder();
        if (made != null) {
            return unbound(pool, made);
        }
        Acquiring acquiring = pool.acquiring;
        Connection connection = acquiring.acquire(System.nanoTime() - begun);
        lending = acquiring; // no call: it could cost the connection
        return connection;
    }

    /** The first call for a connection of the database starts the pool; a start that failed leads to the next. */
    private Connection unbound(ConnectionPool pool, Binder made) throws SQLException {
        if (pool.isRunning()) {
            made.start();
            binder = made;
        }
        return made.connection();
    }

    /**
     * Starts the pool, unless it is started: opens connections as {@code initializationFailTimeout} says. If it fails
     * it may be tried again; connects that a driver then still has count among the connections of the next attempt.
     *
     * @throws SQLException if the configuration is wrong, no connection could be opened, or the pool is closed
     */
    public void start() throws SQLException {
        if (!isRunning()) {
            Start attempt = joinStart();
            attempt.await().start();
            attempt.awaitRegistration();
        }
    }

    /** The start that is under way or done; null if there was none, or it failed. With the lock held. */
    private @Nullable Start current() {
        return start == null || start.hasFailed() ? null : start;
    }

    /** The start that is under way or done; this thread makes its pool, unless another came first. */
    private Start joinStart() throws SQLException {
        Start joined;
        boolean mine = false;
        synchronized (lock) {
            requireOpen();
            joined = current();
            if (joined == null) {
                ConnectionPool failed = start == null ? null : start.lastPool();
                joined = new Start(new Settings(checkedConfig().configuration(), nameForStart()), failed);
                start = joined;
                mine = true;
            }
        }
        if (mine) {
            make(joined);
        }
        return joined;
    }

    private PoolConfig checkedConfig() throws SQLException {
        try {
            return builder.build();
        } catch (IllegalArgumentException e) {
            throw notConfigured(e);
        }
    }

    private String nameForStart() {
        Object name = builder.peek().get(Setting.POOL_NAME);
        if (name == null && generatedName == null) {
            generatedName = "weir-" + POOLS.incrementAndGet();
        }
        return name != null ? (String) name : Objects.requireNonNull(generatedName);
    }

    private void make(Start mine) throws SQLException {
        try {
            ConnectionPool pool = mine.newPool(listeners, configuring.get());
            synchronized (lock) {
                requireOpen();
                mine.made(pool);
            }
        } catch (SQLException | RuntimeException | Error e) {
            mine.failed(e); // and it may be tried again
            throw e;
        }
    }

    private void requireOpen() throws SQLException {
        if (closed) {
            throw new SQLNonTransientConnectionException(name() + " is closed", "08003");
        }
    }

    /**
     * Closes the pool for good: it lends nothing any more, waiting threads fail at once, and connections in use get
     * {@code closeTimeout} to be returned before they are aborted. Does nothing the second time.
     */
    @Override
    public void close() {
        Start last;
        synchronized (lock) {
            if (closed) {
                return;
            }
            closed = true;
            last = start;
        }
        ConnectionPool pool = lastOrNull(); // no other one comes after this
        try {
            if (last != null) {
                last.leaveJmx();
            }
            if (pool != null) {
                pool.close();
            }
        } finally {
            listeners.closed(getPoolName());
        }
    }

    /** Returns whether {@link #close} was called. */
    public boolean isClosed() {
        synchronized (lock) {
            return closed;
        }
    }

    /** Returns the counts of the pool; before it is started all are zero, except what a failed start left behind. */
    public PoolStats stats() {
        ConnectionPool pool = lastOrNull();
        return pool == null ? PoolStats.NONE : pool.stats();
    }

    /** Returns who holds what, since when, running what, one line a connection; empty before the pool is started. */
    public String dump() {
        ConnectionPool pool = poolOrNull();
        return pool == null ? "" : pool.dump();
    }

    /**
     * Returns how many sockets the pool may have open: its connections, and those that are being opened or closed. 0
     * some time after {@link #suspend} and {@link #evictAll}, when the connections in use have been returned.
     */
    public int physicalConnections() {
        ConnectionPool pool = lastOrNull();
        return pool == null ? 0 : pool.physical();
    }

    /**
     * Returns what is in use, the longest held first, with the stacks of the holders; empty before the pool is started.
     */
    public List<HeldConnection> held() {
        ConnectionPool pool = poolOrNull();
        return pool == null ? List.of() : pool.held();
    }

    /** Returns the last ten connects that failed, the newest first; also those from before the database was back. */
    public List<OpenFailure> openFailures() {
        ConnectionPool pool = lastOrNull();
        return pool == null ? List.of() : pool.recentFailures();
    }

    /** Returns whether the pool is started and not closed; suspended or not. */
    public boolean isRunning() {
        return runningOrNull() != null;
    }

    /** Returns whether {@link #suspend} was called, and {@link #resume} was not. */
    public boolean isSuspended() {
        ConnectionPool pool = runningOrNull();
        return pool != null && pool.isSuspended();
    }

    /**
     * Lends nothing until {@link #resume}; an acquire waits, within connectionTimeout.
     *
     * @throws IllegalStateException if the pool does not run
     */
    public void suspend() {
        running().suspend();
    }

    /**
     * Lends again.
     *
     * @throws IllegalStateException if the pool does not run
     */
    public void resume() {
        running().resume();
    }

    /**
     * Closes the connections that are idle now.
     *
     * @throws IllegalStateException if the pool does not run
     */
    public void evictIdle() {
        running().evictIdle();
    }

    /**
     * Closes all connections: the idle ones now, those in use when they are returned.
     *
     * @throws IllegalStateException if the pool does not run
     */
    public void evictAll() {
        running().evictAll();
    }

    private ConnectionPool running() {
        ConnectionPool pool = runningOrNull();
        if (pool == null) {
            throw new IllegalStateException(name() + (isClosed() ? " is closed" : " is not started"));
        }
        return pool;
    }

    private @Nullable ConnectionPool runningOrNull() {
        ConnectionPool pool = poolOrNull();
        return pool != null && pool.isRunning() ? pool : null;
    }

    private @Nullable ConnectionPool lastOrNull() {
        synchronized (lock) {
            return start == null ? null : start.lastPool();
        }
    }

    @Override
    @Nullable
    ConnectionPool poolOrNull() {
        synchronized (lock) {
            Start now = current();
            return now == null ? null : now.pool();
        }
    }

    /** Returns the name in messages, JMX and events; where none is set, one is generated by the start, or by this. */
    @Override
    public String getPoolName() {
        synchronized (lock) {
            Start now = current();
            return now == null ? nameForStart() : now.settings.poolName();
        }
    }

    @Override
    @Nullable
    Object value(Setting setting) {
        synchronized (lock) {
            Start now = current();
            return now == null ? builder.peek().get(setting) : now.settings.get(setting);
        }
    }

    @Override
    boolean replace(Setting setting, @Nullable Object expected, @Nullable Object value) {
        ConnectionPool pool;
        synchronized (lock) {
            Start now = current();
            if (now == null && !closed) {
                if (expected != null && !expected.equals(value(setting))) {
                    return false;
                }
                builder.require(setting, value);
                return true;
            }
            if (now == null || closed) {
                throw new IllegalStateException(setting.settingName() + ": cannot be changed, the pool is closed");
            }
            if (!now.settings.replace(setting, expected, value)) {
                return false;
            }
            pool = now.pool();
        }
        if (pool != null) {
            pool.settingsChanged();
        }
        return true;
    }

    /**
     * Returns the configuration in force; before the start, that which the pool would start with.
     *
     * @throws IllegalArgumentException if the pool is not started and anything is wrong, with every fault in its
     *     message
     */
    public PoolConfig config() {
        synchronized (lock) {
            Start now = current();
            return now == null ? builder.build() : new PoolConfig(now.settings.config());
        }
    }

    @Override
    Configuration inForce() {
        synchronized (lock) {
            Start now = current();
            return now == null ? builder.peek() : now.settings.config();
        }
    }

    @Override
    PoolConfig.Builder configure(String name) {
        synchronized (lock) {
            if (current() != null || closed) {
                throw new IllegalStateException(name + ": cannot be changed once the pool is started");
            }
            return builder;
        }
    }

    /** Returns the name of the pool and whether it runs. */
    @Override
    public String toString() {
        String state = isRunning() ? "running" : isClosed() ? "closed" : "not started";
        return "WeirDataSource[" + name() + ", " + state + "]";
    }
}
