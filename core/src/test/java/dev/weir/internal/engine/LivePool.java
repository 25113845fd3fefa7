package dev.weir.internal.engine;

import dev.weir.Configured;
import dev.weir.LogCapture;
import dev.weir.PoolConfig;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.observing.Listeners;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.slots.Inbox;
import dev.weir.internal.sources.ConnectionSource;
import dev.weir.internal.working.Workers;
import dev.weir.spi.Ticker;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.StubPhysical;
import dev.weir.testkit.StubSession;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A pool on a {@link StubDatabase} with its real threads, in real time; closed, it asserts that it left nothing behind. */
public final class LivePool implements AutoCloseable {
    /** An event that takes longer than this on a busy machine will never happen. */
    public static final Duration LIMIT = Duration.ofSeconds(15);

    private static final AtomicLong POOLS = new AtomicLong();

    public final StubDatabase db;
    public final LogCapture log = new LogCapture();
    public final Settings settings;
    public final ConnectionPool pool;

    private LivePool(StubDatabase db, PoolConfig.Builder builder, @Nullable ConnectionSource source) {
        this.db = db;
        PoolConfig config = builder.dataSource(db.dataSource()).build();
        settings = Configured.settings(config, "live" + POOLS.incrementAndGet());
        ConnectionSource plain = () -> db.dataSource().getConnection();
        pool = pool(settings, source == null ? plain : source, System::nanoTime);
    }

    /** With its own threads. */
    public static ConnectionPool pool(Settings settings, ConnectionSource source, Ticker ticker) {
        return pool(
                settings,
                source,
                ticker,
                new Workers(settings.poolName(), settings.config().threadFactory()),
                null);
    }

    public static ConnectionPool pool(
            Settings settings,
            ConnectionSource source,
            Ticker ticker,
            Workers workers,
            @Nullable ConnectionPool failed) {
        return new ConnectionPool(
                settings,
                source,
                ticker,
                new Listeners(settings.config().listeners()),
                workers,
                failed,
                null,
                new Inbox(),
                () -> ThreadLocalRandom.current().nextLong());
    }

    /** Not yet started. */
    public static LivePool of(StubDatabase db, UnaryOperator<PoolConfig.Builder> configure) {
        return of(db, configure, null);
    }

    public static LivePool of(
            StubDatabase db, UnaryOperator<PoolConfig.Builder> configure, @Nullable ConnectionSource source) {
        return new LivePool(db, configure.apply(PoolConfig.builder().minimumPoolSize(0)), source);
    }

    /** Started; the first connection is there unless initializationFailTimeout says otherwise. */
    public static LivePool started(UnaryOperator<PoolConfig.Builder> configure) throws SQLException {
        LivePool live = of(new StubDatabase(), b -> configure.apply(b.initializationFailTimeout(LIMIT)));
        live.pool.start();
        return live;
    }

    /** Acquires this many, and gives all of them back: so many are idle then. */
    public void warm(int connections) throws SQLException {
        List<Connection> held = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            held.add(pool.acquire());
        }
        for (Connection handle : held) {
            handle.close();
        }
        Await.await(() -> "warm: " + pool.stats(), LIMIT, () -> pool.stats().opening() == 0);
    }

    StubSession session(Connection handle) {
        return ((StubPhysical) ((ConnectionHandle) handle).physical).session();
    }

    public void awaitWaiting(int threads) {
        Await.await(() -> threads + " wait: " + pool.stats(), LIMIT, () -> pool.state.queue.sizeVolatile() >= threads);
    }

    /** Acquires on a thread of this name, which keeps what it gets. */
    public CompletableFuture<Connection> acquireOn(String thread) {
        return on(thread, pool::acquire);
    }

    /** Does this on a thread of its own. */
    public static <T> CompletableFuture<T> on(String thread, Callable<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Runnable job = () -> {
            try {
                result.complete(task.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        };
        Thread started = new Thread(job, thread);
        started.setDaemon(true);
        started.start();
        return result;
    }

    @Override
    public void close() {
        db.heal();
        pool.close();
        Await.await(() -> db.openNow() + " sessions are left", LIMIT, () -> db.openNow() == 0);
        ThreadsLeft.assertNone("weir-" + settings.poolName() + "-", LIMIT);
        db.close();
        log.close();
    }
}
