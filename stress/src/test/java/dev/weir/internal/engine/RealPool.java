package dev.weir.internal.engine;

import dev.weir.Configured;
import dev.weir.PoolConfig;
import dev.weir.internal.binding.Binder;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.observing.Listeners;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.slots.Inbox;
import dev.weir.internal.working.Workers;
import dev.weir.spi.Ticker;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A whole pool on connections that lead nowhere: every line of its acquire, release, abort and close is at work. But the
 * Keeper's thread is not started, so that its next turn does not make good what a wake-up lost: a thread that tells it
 * something takes its turn itself, and does the jobs that come of it.
 */
final class RealPool {
    /** Far beyond what a thread that was woken needs: whoever throws after it was not woken. */
    static final Duration TIMEOUT = Duration.ofSeconds(2);

    final ConnectionPool pool;

    /** The number of times that the driver was told to close a connection, or to abort it. */
    private final AtomicInteger ended = new AtomicInteger();

    private final Binder binder;

    private final SharedSession session = new SharedSession(ended);

    /** A pool that has so many connections, idle, and is to have no more. */
    RealPool(int size) {
        this(size, System::nanoTime);
    }

    /** As {@link #RealPool(int)}, with a clock of its own: nobody's time is up where it stands still. */
    RealPool(int size, Ticker ticker) {
        this(size, ticker, "session");
    }

    /** A pool of one connection, which is given back between transactions. */
    static RealPool sharing() {
        RealPool real = new RealPool(1, System::nanoTime, "transaction");
        try {
            real.binder.start();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return real;
    }

    private RealPool(int size, Ticker ticker, String mode) {
        OnTheSpot keeper = new OnTheSpot();
        Settings settings = Configured.settings(config(size, mode), "stress");
        pool = new ConnectionPool(
                settings,
                () -> mode.equals("session") ? connect(ended) : session.connection(),
                ticker,
                new Listeners(List.of()),
                new JobsOnTheSpot(),
                null,
                null,
                keeper,
                new SplittableRandom(1));
        binder = new Binder(pool.acquiring, settings, pool.state.pins);
        pool.state.phase.set(PoolState.Phase.STARTED);
        int begun = pool.opening.open(size, null, pool.clock.now());
        keeper.takes(() -> pool.keeper.turn(pool.clock.now()));
        pool.state.nudge();
        if (idle() != size) {
            throw new IllegalStateException("not filled by " + begun + ": " + pool.dump());
        }
    }

    static PoolConfig config(int size) {
        return config(size, "session");
    }

    private static PoolConfig config(int size, String mode) {
        return PoolConfig.builder()
                .poolMode(mode)
                .url("jdbc:nowhere:")
                .poolName("stress")
                .minimumPoolSize(0)
                .maximumPoolSize(size)
                .acquireIncrement(size)
                .connectionTimeout(TIMEOUT)
                .closeTimeout(Duration.ZERO)
                .build();
    }

    /** A connection that leads nowhere. */
    static Connection connect() {
        return connect(new AtomicInteger());
    }

    private static Connection connect(AtomicInteger ended) {
        return (Connection) Proxy.newProxyInstance(
                RealPool.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("abort") || method.getName().equals("close")) {
                        ended.incrementAndGet();
                    }
                    return answer(method);
                });
    }

    private static @Nullable Object answer(Method method) {
        Class<?> type = method.getReturnType();
        if (type == boolean.class) {
            return !method.getName().equals("isClosed"); // valid, and in auto-commit
        }
        return type == int.class ? (Object) 0 : null;
    }

    /** The texts of the transaction that is open in a pool that shares its connection. */
    List<String> texts() {
        return session.texts();
    }

    /** A user's connection, which has one of the pool while it needs one. */
    Connection connection() {
        try {
            return binder.connection();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Lends a connection within {@link #TIMEOUT}, as the pool of an application would; null if it threw. */
    @Nullable
    ConnectionHandle tryAcquire() {
        try {
            return pool.acquire();
        } catch (SQLException e) {
            return null;
        }
    }

    /** As {@link #tryAcquire}, where there is one for certain. */
    ConnectionHandle acquire() {
        try {
            return pool.acquire();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    boolean acquireAndClose() {
        ConnectionHandle handle = tryAcquire();
        if (handle == null) {
            return false;
        }
        handle.close();
        return true;
    }

    /** Changes a property, which close() has to restore, and asks the driver something. */
    static void use(ConnectionHandle handle) {
        try {
            handle.setAutoCommit(false);
            handle.isValid(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The number of loans so far. */
    long loans() {
        return pool.stats().acquired();
    }

    int idle() {
        return pool.slots.counts().idle();
    }

    int live() {
        return pool.slots.live();
    }

    /** The number of connections that the pool gave up. */
    int retired() {
        return (int) pool.stats().retired().values().stream().mapToLong(n -> n).sum();
    }

    int ended() {
        return ended.get();
    }

    private static final class JobsOnTheSpot extends Workers {
        JobsOnTheSpot() {
            super("stress", null);
        }

        @Override
        public void execute(Runnable job) {
            job.run();
        }
    }

    /** One thread at a time takes the Keeper's turn; what is told meanwhile causes another, by the same thread. */
    private static final class OnTheSpot extends Inbox {
        private final AtomicBoolean turning = new AtomicBoolean();
        private volatile boolean again;
        private volatile @Nullable Runnable turn;

        void takes(Runnable keeperTurn) {
            turn = keeperTurn;
        }

        @Override
        public void nudge(long atNanos) {
            Runnable keeperTurn = turn;
            again = keeperTurn != null;
            while (keeperTurn != null && again && turning.compareAndSet(false, true)) {
                again = false;
                try {
                    keeperTurn.run();
                } finally {
                    turning.set(false);
                    LockSupport.unpark(
                            Thread.currentThread()); // the Keeper's locks are no thread's that is about to park
                }
            }
        }
    }
}
