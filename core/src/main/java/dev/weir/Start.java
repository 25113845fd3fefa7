package dev.weir;

import dev.weir.internal.binding.Binder;
import dev.weir.internal.engine.ConnectionPool;
import dev.weir.internal.observing.Listeners;
import dev.weir.internal.settings.Configuration;
import dev.weir.internal.settings.Durations;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.slots.Inbox;
import dev.weir.internal.sources.ConnectionSource;
import dev.weir.internal.sources.Sources;
import dev.weir.internal.working.Workers;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One start of a data source. It makes a pool, which begins to open when the first caller waits in its queue, and shows it in
 * JMX once it lends. A start that fails is over; the next one has its own settings and pool. Thread-safe.
 */
final class Start {
    final Settings settings;

    /**
     * The pool of an earlier start, which failed; null once this start has its own. Guarded by the lock of the data
     * source.
     */
    private @Nullable ConnectionPool before;

    /** The pool, as soon as it is made; there is a driver to load for that. */
    private final CompletableFuture<ConnectionPool> made = new CompletableFuture<>();

    /** Written before {@link #made} is complete. */
    private @Nullable Binder binder;

    /** Takes it out of JMX; done when the pool lends. */
    private final CompletableFuture<Runnable> mbean = new CompletableFuture<>();

    Start(Settings settings, @Nullable ConnectionPool before) {
        this.settings = settings;
        this.before = before;
    }

    /** The pool; null while it is not made. */
    @Nullable
    ConnectionPool pool() {
        return made.isDone() && !made.isCompletedExceptionally() ? made.join() : null;
    }

    /** The makers of the connections that users have, once the pool is made; null in the mode in which it lends them itself. */
    @Nullable
    Binder binder() {
        return binder;
    }

    /** The pool that was made last, by this start or by an earlier one; null if there was none. */
    @Nullable
    ConnectionPool lastPool() {
        ConnectionPool pool = pool();
        return pool == null ? before : pool;
    }

    boolean hasFailed() {
        ConnectionPool pool = pool();
        return pool == null ? made.isDone() : pool.isFailed();
    }

    /** Loads the driver, and makes the pool. One thread does, and says what came of it by the next two. */
    ConnectionPool newPool(Listeners listeners, @Nullable ClassLoader configuring) throws SQLException {
        try {
            Configuration config = settings.config();
            ConnectionSource source = Sources.of(config, configuring);
            Workers workers = new Workers(settings.poolName(), config.threadFactory());
            return new ConnectionPool(
                    settings,
                    source,
                    config.ticker(),
                    listeners,
                    workers,
                    before,
                    this::show,
                    new Inbox(),
                    () -> ThreadLocalRandom.current().nextLong());
        } catch (IllegalArgumentException e) {
            throw ConfiguredDataSource.notConfigured(settings.redacted(e));
        } catch (SQLException | RuntimeException e) { // of a driver, which may quote the url
            Throwable clean = settings.redacted(e);
            throw clean instanceof SQLException failure
                    ? failure
                    : new SQLNonTransientConnectionException(settings.textOf(e, null), "08001", clean);
        }
    }

    void made(ConnectionPool pool) {
        boolean lends =
                settings.poolMode().equals("session") && settings.config().sessionState() == null;
        binder = lends ? null : new Binder(pool.acquiring, settings, pool.state.pins);
        made.complete(pool);
        before = null; // or each pool would keep the one before it in memory
    }

    void failed(Throwable e) {
        made.completeExceptionally(e);
    }

    /** Waits until the pool is made. */
    ConnectionPool await() throws SQLException {
        String pool = "pool '" + settings.poolName() + "': ";
        long nanos = 2 * settings.connectionTimeoutNanos(); // work of that thread, as in Starting.workNanos
        try {
            return made.get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new SQLTransientConnectionException(
                    pool + "still loads its driver after " + Durations.format(Duration.ofNanos(nanos))
                            + "; no connection is open",
                    "08001");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException(pool + "interrupted while it was being made", "08001", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SQLException failure) {
                throw new SQLTransientConnectionException(
                        failure.getMessage(), failure.getSQLState(), failure.getErrorCode(), failure);
            }
            throw new SQLTransientConnectionException(
                    pool + "could not be made", "08001", settings.redacted(Objects.requireNonNull(e.getCause())));
        }
    }

    /** On a worker, once the pool lends: no user waits for JMX, which is slow in a JVM that has not used it before. */
    private void show() {
        ConnectionPool pool = made.join();
        Runnable leave = () -> {};
        try {
            if (pool.isRunning()) {
                pool.logStarted();
                leave = settings.registerMbeans() ? ConfiguredDataSource.inJmx(pool) : leave;
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

    /** Takes the pool out of JMX, now or when it is there. */
    void leaveJmx() {
        CompletableFuture<Void> unused = mbean.thenAccept(Runnable::run);
    }
}
