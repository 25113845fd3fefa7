package dev.weir;

import dev.weir.internal.drivers.ConnectionSource;
import dev.weir.internal.drivers.Sources;
import dev.weir.internal.engine.Acquiring;
import dev.weir.internal.engine.ConnectionPool;
import dev.weir.internal.engine.Listeners;
import dev.weir.internal.engine.PoolState;
import dev.weir.internal.engine.Strays;
import dev.weir.internal.engine.Workers;
import dev.weir.internal.settings.Configuration;
import dev.weir.internal.settings.Durations;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.settings.Settings;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A pool of connections, as a DataSource. It starts at the first {@link #getConnection()}, or at {@link #start}, and
 * ends at {@link #close}, for good. Thread-safe.
 *
 * <p>Settings come from a {@link PoolConfig} or from {@link Properties}, or are set as bean properties before the
 * start. A wrong value is refused at once with an IllegalArgumentException, what contradicts when the pool starts. Once
 * it is started, the settings that may change while it runs take effect at once; the setters of the others throw
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

    /** Lends, while the pool runs: all that getConnection() reads. Written under the lock. */
    private volatile @Nullable Acquiring lending;

    private final Object lock = new Object(); // never held while driver or user code runs, nor while the pool works

    // guarded by the lock
    private final PoolConfig.Builder builder;
    private @Nullable Start start; // under way or done; null: not started, or the start failed
    private @Nullable String generatedName;
    private boolean closed;

    /** The connects that earlier starts have left behind. */
    private final Strays strays = new Strays();

    /** One attempt to start. Its pool begins to open when the first caller waits in its queue. */
    private final class Start implements PoolState.Observer {
        final Settings settings;

        /** The pool, as soon as it is made; there is a driver to load for that. */
        final CompletableFuture<ConnectionPool> made = new CompletableFuture<>();

        /** Takes it out of JMX; done when the pool lends. */
        final CompletableFuture<Optional<Runnable>> mbean = new CompletableFuture<>();

        // guarded by the lock
        @Nullable
        ConnectionPool pool;

        Start(Settings settings) {
            this.settings = settings;
        }

        @Override
        public void started() {
            synchronized (lock) {
                lending = closed || pool == null ? null : pool.acquiring;
            }
        }

        /** No user waits for JMX: it is slow in a JVM that has not used it before. */
        @Override
        public void run() {
            ConnectionPool shown;
            synchronized (lock) {
                shown = closed ? null : pool;
            }
            Optional<Runnable> leave = Optional.empty();
            try {
                if (shown != null) {
                    shown.logStarted();
                    leave = shown.settings.registerMbeans() ? Optional.of(inJmx(shown)) : leave;
                }
            } finally {
                mbean.complete(leave);
            }
        }

        /** For a caller that looks for the pool in JMX after the start; a pool that is not there yet runs all the same. */
        void awaitRegistration() {
            try {
                mbean.get(1, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException e) { // it is told in the log, or comes later
            }
        }

        @Override
        public void startFailed() {
            synchronized (lock) {
                if (start == this && !closed) {
                    start = null;
                }
                if (pool != null) {
                    strays.add(pool);
                }
            }
        }
    }

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

    /** The caller waits for the start in the queue of the pool, as anybody waits for a connection. */
    private Connection firstConnection() throws SQLException {
        long begun = System.nanoTime();
        ConnectionPool pool = joinStart().made.join();
        return pool.acquiring.acquire(System.nanoTime() - begun);
    }

    /**
     * Starts the pool, unless it is started: opens connections as {@code initializationFailTimeout} says. If it fails
     * it may be tried again; what a driver then still holds counts among the connections of the next attempt.
     *
     * @throws SQLException if the configuration is wrong, no connection could be opened, or the pool is closed
     */
    public void start() throws SQLException {
        if (lending == null) {
            Start attempt = joinStart();
            attempt.made.join().start();
            attempt.awaitRegistration();
        }
    }

    /** The start that is under way, or was made. Its pool is made: by this thread, or by the one that came first. */
    private Start joinStart() throws SQLException {
        Start attempt;
        boolean mine = false;
        synchronized (lock) {
            requireOpen();
            attempt = start;
            if (attempt == null) {
                attempt = new Start(new Settings(checkedConfig().configuration(), nameForStart()));
                start = attempt;
                mine = true;
            }
        }
        if (mine) {
            make(attempt);
        } else {
            await(attempt);
        }
        return attempt;
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

    private void make(Start attempt) throws SQLException {
        try {
            ConnectionPool pool = newPool(attempt);
            synchronized (lock) {
                requireOpen();
                attempt.pool = pool;
            }
            attempt.made.complete(pool);
        } catch (SQLException | RuntimeException | Error e) {
            attempt.startFailed(); // so that it may be tried again
            attempt.made.completeExceptionally(e);
            throw e;
        }
    }

    private ConnectionPool newPool(Start attempt) throws SQLException {
        Settings settings = attempt.settings;
        try {
            Configuration config = settings.config();
            ConnectionSource source = Sources.of(config, configuring.get());
            Workers workers = new Workers(settings.poolName(), config.threadFactory());
            return new ConnectionPool(settings, source, config.ticker(), listeners, workers, strays, attempt);
        } catch (IllegalArgumentException e) {
            throw notConfigured(settings.redacted(e));
        } catch (SQLException | RuntimeException e) { // of a driver, which may quote the url
            Throwable clean = settings.redacted(e);
            throw clean instanceof SQLException failure
                    ? failure
                    : new SQLNonTransientConnectionException(settings.textOf(e, null), "08001", clean);
        }
    }

    private static void await(Start attempt) throws SQLException {
        String name = attempt.settings.poolName();
        long timeoutNanos = attempt.settings.connectionTimeoutNanos();
        try {
            attempt.made.get(2 * timeoutNanos, TimeUnit.NANOSECONDS); // work of that thread, as in Life.workNanos
        } catch (TimeoutException e) {
            throw new SQLTransientConnectionException(
                    "pool '" + name + "': still loads its driver after "
                            + Durations.format(Duration.ofNanos(2 * timeoutNanos)) + "; no connection is open",
                    "08001");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException(
                    "pool '" + name + "': interrupted while it was being made", "08001", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SQLException failure) {
                throw new SQLTransientConnectionException(
                        failure.getMessage(), failure.getSQLState(), failure.getErrorCode(), failure);
            }
            throw new SQLTransientConnectionException(
                    "pool '" + name + "': could not be made",
                    "08001",
                    attempt.settings.redacted(Objects.requireNonNull(e.getCause())));
        }
    }

    private void requireOpen() throws SQLException {
        if (closed) {
            throw new SQLNonTransientConnectionException(name() + " is closed", "08003");
        }
    }

    /**
     * Closes the pool for good: it lends nothing any more, waiting threads fail at once, and connections in use get
     * {@code closeTimeout} to come home before they are aborted. Does nothing the second time.
     */
    @Override
    public void close() {
        Start attempt;
        boolean first;
        synchronized (lock) {
            first = !closed;
            closed = true;
            lending = null;
            attempt = start;
        }
        ConnectionPool pool = poolOrNull(); // no other one comes after this
        try {
            if (attempt != null) {
                CompletableFuture<Void> unused =
                        attempt.mbean.thenAccept(leave -> leave.ifPresent(Runnable::run)); // now, or when it is there
            }
            if (pool != null) {
                pool.close();
            }
            strays.awaitEnd();
        } finally {
            if (first) {
                listeners.closed(getPoolName());
            }
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
        ConnectionPool pool = poolOrNull();
        return pool == null ? PoolStats.ofNone(strays.physical(), strays.begun(), strays.opened()) : pool.stats();
    }

    /** Returns who holds what, since when, running what, one line a connection; empty before the pool is started. */
    public String dump() {
        ConnectionPool pool = poolOrNull();
        return pool == null ? "" : pool.dump();
    }

    /**
     * Returns how many sockets the pool may have open: its connections, and those that are being opened or closed. 0
     * some time after {@link #suspend} and {@link #evictAll}, when what was in use has come home.
     */
    public int physicalConnections() {
        ConnectionPool pool = poolOrNull();
        return strays.physical() + (pool == null ? 0 : pool.physical());
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
        ConnectionPool pool = poolOrNull();
        return pool == null ? List.of() : pool.recentFailures();
    }

    /** Returns whether the pool is started and not closed; suspended or not. */
    public boolean isRunning() {
        return lending != null;
    }

    /** Returns whether {@link #suspend} was called, and {@link #resume} was not. */
    public boolean isSuspended() {
        ConnectionPool pool = lending == null ? null : poolOrNull();
        return pool != null && pool.isSuspended();
    }

    /**
     * Lends nothing until {@link #resume}; who asks waits, within connectionTimeout.
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
     * Closes all connections: the idle ones now, those in use when they come home.
     *
     * @throws IllegalStateException if the pool does not run
     */
    public void evictAll() {
        running().evictAll();
    }

    private ConnectionPool running() {
        ConnectionPool pool = lending == null ? null : poolOrNull();
        if (pool == null) {
            throw new IllegalStateException(name() + (isClosed() ? " is closed" : " is not started"));
        }
        return pool;
    }

    @Override
    @Nullable
    ConnectionPool poolOrNull() {
        synchronized (lock) {
            return start == null ? null : start.pool;
        }
    }

    /** Returns the name in messages, JMX and events; where none is set, one is generated by the start, or by this. */
    @Override
    public String getPoolName() {
        synchronized (lock) {
            return start == null ? nameForStart() : start.settings.poolName();
        }
    }

    @Override
    @Nullable
    Object value(Setting setting) {
        synchronized (lock) {
            return start == null ? builder.peek().get(setting) : start.settings.get(setting);
        }
    }

    @Override
    boolean replace(Setting setting, @Nullable Object expected, @Nullable Object value) {
        ConnectionPool pool;
        synchronized (lock) {
            if (start == null && !closed) {
                if (expected != null && !expected.equals(value(setting))) {
                    return false;
                }
                builder.require(setting, value);
                return true;
            }
            if (start == null || closed) {
                throw new IllegalStateException(setting.settingName() + ": cannot be changed, the pool is closed");
            }
            if (!start.settings.replace(setting, expected, value)) {
                return false;
            }
            pool = start.pool;
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
            return start == null ? builder.build() : new PoolConfig(start.settings.config());
        }
    }

    @Override
    Configuration inForce() {
        synchronized (lock) {
            return start == null ? builder.peek() : start.settings.config();
        }
    }

    @Override
    PoolConfig.Builder configure(String name) {
        synchronized (lock) {
            if (start != null || closed) {
                throw new IllegalStateException(name + ": cannot be changed once the pool is started");
            }
            return builder;
        }
    }

    /** Returns the name of the pool and whether it runs. */
    @Override
    public String toString() {
        String state = lending != null ? "running" : isClosed() ? "closed" : "not started";
        return "WeirDataSource[" + name() + ", " + state + "]";
    }
}
