package dev.weir.internal.engine;

import dev.weir.Configured;
import dev.weir.LogCapture;
import dev.weir.PoolConfig;
import dev.weir.RetireReason;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.observing.Listeners;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.sources.ConnectionSource;
import dev.weir.internal.sources.Sources;
import dev.weir.testkit.ManualTicker;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.StubPhysical;
import dev.weir.testkit.StubSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A pool on a {@link StubDatabase} in which nothing happens by itself: time stands still until it is moved, the Keeper
 * makes its passes and the helpers do their work when the test says so. A test that uses it from one thread is
 * deterministic.
 */
public final class SteppedPool implements AutoCloseable {
    /** More passes than this for one stretch of time are a Keeper that spins. */
    private static final int MOST_PASSES = 200_000;

    public final StubDatabase db;
    public final ManualTicker ticker = new ManualTicker();
    public final LogCapture log = new LogCapture();
    public final SteppedHelpers helpers = new SteppedHelpers();
    private final SteppedHelpers.Bell bell = new SteppedHelpers.Bell(helpers);
    public final Settings settings;
    public final ConnectionPool pool;

    private volatile long autoNanos;
    private final AtomicLong backNanos = new AtomicLong();
    private long passes;

    private SteppedPool(PoolConfig.Builder builder, StubDatabase.Likeness likeness) {
        db = new StubDatabase(likeness);
        PoolConfig config = builder.dataSource(db.dataSource())
                .initializationFailTimeout(Duration.ofMillis(-1))
                .build();
        settings = Configured.settings(config, "stepped");
        Listeners listeners = new Listeners(config.listeners());
        pool = new ConnectionPool(
                settings, source(config), this::nanos, listeners, helpers, null, null, bell, new SplittableRandom(1));
        bell.rings(() -> pool.keeper.turn(pool.clock.now()));
    }

    private ConnectionSource source(PoolConfig config) {
        if (settings.config().credentialsProvider() == null) {
            return () -> db.dataSource().getConnection();
        }
        try {
            return Sources.of(Configured.configuration(config), null);
        } catch (SQLException e) {
            throw new AssertionError("nothing is opened yet", e);
        }
    }

    /** A started pool; it has opened nothing yet. */
    public static SteppedPool of(UnaryOperator<PoolConfig.Builder> configure) {
        return of(StubDatabase.Likeness.GENERIC, configure);
    }

    static SteppedPool of(StubDatabase.Likeness likeness, UnaryOperator<PoolConfig.Builder> configure) {
        PoolConfig.Builder defaults = PoolConfig.builder().minimumPoolSize(0).keepaliveTime(Duration.ZERO);
        SteppedPool stepped = new SteppedPool(configure.apply(defaults), likeness);
        try {
            stepped.pool.start();
        } catch (SQLException e) {
            throw new AssertionError("to start waits for nothing here", e);
        }
        return stepped;
    }

    private long nanos() {
        if (autoNanos > 0) {
            ticker.advance(Duration.ofNanos(autoNanos));
            LockSupport.unpark(Thread.currentThread());
        }
        return ticker.getAsLong() - backNanos.get();
    }

    /** The ticker of the pool goes back once, as a bad one may; and as a time does that another thread has just noted. */
    void goBack(Duration by) {
        backNanos.addAndGet(by.toNanos());
    }

    long now() {
        return ticker.getAsLong();
    }

    /**
     * Acquires on this thread while nobody moves the clock: each look at it moves it by 100 us, so that a wait ends at
     * connectionTimeout.
     */
    public ConnectionHandle acquire() throws SQLException {
        autoNanos = 100_000;
        try {
            return pool.acquire();
        } finally {
            autoNanos = 0;
        }
    }

    /** Acquires while helpers work on the spot, so that whatever the wait sets in motion is done at once. */
    public ConnectionHandle acquireHelped() throws SQLException {
        helpers.inline(true);
        try {
            return acquire();
        } finally {
            helpers.inline(false);
        }
    }

    /** Passes of the Keeper alone, until the first connect does not keep back those that fill the minimum any more. */
    void beginToFill() {
        pool.keeper.turn(pool.clock.now());
        ticker.advance(Duration.ofMillis(50));
        pool.keeper.turn(pool.clock.now());
    }

    /** One pass of the Keeper, now, and all that comes of it. */
    public void pass() {
        pool.keeper.turn(pool.clock.now());
        if (helpers.runAll() > 0) {
            pool.keeper.turn(pool.clock.now()); // sees what came of them
            helpers.runAll();
        }
    }

    /** Lets this much time go by as it would: the Keeper passes when it means to, and helpers work at once. */
    public void run(Duration time) {
        long end = now() + time.toNanos();
        helpers.runAll();
        for (int i = 0; ; i++) {
            if (i > MOST_PASSES) {
                throw new AssertionError("the keeper spins: " + pool.dump());
            }
            passes++;
            long next = pool.keeper.turn(pool.clock.now());
            if (helpers.runAll() > 0) {
                continue; // each job nudges the Keeper
            }
            long left = end - now();
            if (left <= 0) {
                return;
            }
            long sleep = Math.max(1_000, next - pool.clock.now());
            ticker.advance(Duration.ofNanos(Math.min(left, sleep)));
        }
    }

    /** The number of passes that the Keeper has made in {@link #run}. */
    public long passes() {
        return passes;
    }

    public void change(Setting setting, @Nullable Object value) {
        settings.change(setting, value);
        pool.settingsChanged();
        pool.keeper.turn(pool.clock.now());
    }

    public StubSession session(Connection handle) {
        return ((StubPhysical) ((ConnectionHandle) handle).physical).session();
    }

    public static StubSession session(Slot slot) {
        return ((StubPhysical) slot.physical).session();
    }

    public int total() {
        return pool.stats().total();
    }

    public int idle() {
        return pool.stats().idle();
    }

    public long retired(RetireReason reason) {
        return pool.stats().retired().getOrDefault(reason, -1L);
    }

    /** Ends the pool; connections still in use are aborted at once, in stepped time. */
    @Override
    public void close() {
        db.heal();
        helpers.inline(true);
        helpers.runAll();
        if (pool.ending.beginEnd() != PoolState.Phase.CLOSED) {
            pool.ending.hurry();
            for (int i = 0; !pool.ending.isOver(); i++) {
                if (i > MOST_PASSES) {
                    throw new AssertionError("it does not end: " + pool.dump());
                }
                long next = pool.keeper.turn(pool.clock.now());
                ticker.advance(Duration.ofNanos(Math.max(1, next - pool.clock.now())));
            }
        }
        db.close();
        log.close();
    }
}
