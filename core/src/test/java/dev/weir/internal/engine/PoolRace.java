package dev.weir.internal.engine;

import dev.weir.Configured;
import dev.weir.PoolConfig;
import dev.weir.PoolStats;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.settings.Settings;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.StubPhysical;
import dev.weir.testkit.StubSession;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Threads that acquire, use, close, abort and break connections, close each other's a second time, and an operator who
 * resizes, evicts, suspends and kills meanwhile, for a while in real time. Each acquire enters the physical connection in a
 * map of owners and finds it empty there; at the end everything is where it belongs.
 */
@SuppressWarnings("ThreadPriorityCheck") // yields to mix the threads more
final class PoolRace {
    private static final int MOST = 5;
    private static final int USERS = 6;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final long seed;
    private final Duration time;
    private final StubDatabase db = new StubDatabase();
    private final Settings settings;
    private final ConnectionPool pool;
    private final String name;
    private final Map<Connection, Thread> owners = new ConcurrentHashMap<>();
    private final AtomicReference<Connection> lastClosed = new AtomicReference<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicLong acquired = new AtomicLong();

    PoolRace(long seed, Duration time) {
        this.seed = seed;
        this.time = time;
        name = "race" + Long.toHexString(seed);
        settings = Configured.settings(
                PoolConfig.builder()
                        .dataSource(db.dataSource())
                        .maximumPoolSize(MOST)
                        .minimumPoolSize(1)
                        .initializationFailTimeout(Duration.ofSeconds(30))
                        .connectionTimeout(Duration.ofMillis(50))
                        .acquireRetryDelay(Duration.ofMillis(20))
                        .validateAfterIdle(Duration.ofMillis(20))
                        .maxLifetime(Duration.ofMillis(300))
                        .keepaliveTime(Duration.ofMillis(50))
                        .build(),
                name);
        pool = LivePool.pool(settings, () -> db.dataSource().getConnection(), System::nanoTime);
    }

    void run() throws Exception {
        pool.start();
        long end = System.nanoTime() + time.toNanos();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i <= USERS; i++) {
            SplittableRandom random = new SplittableRandom(seed * 31 + i);
            boolean operator = i == USERS;
            Thread thread = new Thread(() -> race(end, random, operator), name + "-user-" + i);
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Throwable failed = failure.get();
        if (failed != null) {
            throw new AssertionError(failed + "\n  " + pool.dump(), failed);
        }
        settle();
    }

    private void race(long end, SplittableRandom random, boolean operator) {
        try {
            while (System.nanoTime() - end < 0 && failure.get() == null) {
                if (operator) {
                    operate(random);
                } else {
                    borrow(random);
                }
            }
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    private void borrow(SplittableRandom random) throws SQLException {
        Connection handle;
        try {
            handle = pool.acquire();
        } catch (SQLException e) {
            require("08001".equals(e.getSQLState()), "a refusal has SQLState 08001: " + e);
            return;
        }
        acquired.incrementAndGet();
        Connection physical = ((ConnectionHandle) handle).physical;
        Thread other = owners.putIfAbsent(physical, Thread.currentThread());
        require(other == null, physical + " is lent to two: also to " + other);
        StubSession session = ((StubPhysical) physical).session();
        require(session.transaction() == StubSession.Transaction.NONE, session + " is lent inside a transaction");
        try {
            use(handle, session, random);
        } finally {
            require(owners.remove(physical) == Thread.currentThread(), physical + " was lent again before its return");
            giveBack(handle, random);
        }
    }

    private static void use(Connection handle, StubSession session, SplittableRandom random) {
        try {
            switch (random.nextInt(8)) {
                case 0 -> execute(handle, "SELECT");
                case 1 -> {
                    handle.setAutoCommit(false);
                    execute(handle, "INSERT");
                }
                case 2 -> {
                    if (random.nextInt(8) == 0) {
                        execute(handle, "FAIL 08006");
                    }
                }
                case 3 -> {
                    if (random.nextInt(8) == 0) {
                        session.kill();
                    }
                }
                case 4 -> Thread.yield();
                default -> {
                    // held for no time at all
                }
            }
        } catch (SQLException e) {
            require(!handleIsDead(handle), "the handle died in use: " + e);
        }
    }

    /** Not isClosed(), which also ends the loan of a connection that died. */
    private static boolean handleIsDead(Connection handle) {
        ConnectionHandle loan = (ConnectionHandle) handle;
        return !loan.slot.isLive(loan.loanWord);
    }

    private static void execute(Connection handle, String sql) throws SQLException {
        try (Statement statement = handle.createStatement()) {
            statement.execute(sql);
        }
    }

    private void giveBack(Connection handle, SplittableRandom random) throws SQLException {
        if (random.nextInt(4) == 0) {
            lastClosed.set(handle); // from here on others close it too
        }
        if (random.nextInt(50) == 0) {
            handle.abort(Runnable::run);
        } else {
            handle.close();
        }
        require(handle.isClosed(), "closed, and alive");
        Connection stale = lastClosed.get();
        if (stale != null) {
            if (random.nextInt(4) == 0) {
                stale.abort(Runnable::run);
            } else {
                stale.close();
            }
        }
    }

    private void operate(SplittableRandom random) {
        switch (random.nextInt(8)) {
            case 0 -> {
                settings.change(Setting.MAXIMUM_POOL_SIZE, 1 + random.nextInt(MOST));
                pool.settingsChanged();
            }
            case 1 -> pool.evictIdle();
            case 2 -> pool.evictAll();
            case 3 -> {
                pool.suspend();
                Thread.yield();
                pool.resume();
            }
            case 4 -> {
                List<StubSession> open = db.openSessions();
                if (!open.isEmpty()) {
                    open.get(random.nextInt(open.size())).kill();
                }
            }
            case 5 -> db.failNext(StubDatabase.CONNECT, 1, () -> new SQLException("refused", "08001"));
            case 6 -> require(pool.dump().contains(name), "the dump names the pool");
            default -> pool.stats();
        }
        boolean ignored = Await.becomesTrue(Duration.ofMillis(random.nextInt(10)), () -> failure.get() != null);
    }

    private void settle() throws SQLException {
        db.heal();
        require(acquired.get() > 200, "only " + acquired + " acquires");
        settings.change(Setting.MAX_LIFETIME, Duration.ZERO);
        settings.change(Setting.MAXIMUM_POOL_SIZE, MOST);
        settings.change(Setting.MINIMUM_POOL_SIZE, MOST);
        pool.settingsChanged();
        Await.await(
                () -> "every place is back: " + pool.stats() + ", sessions " + db.openNow(),
                LIMIT,
                () -> pool.stats().total() == MOST && pool.stats().idle() == MOST && db.openNow() == MOST);
        // A connect that was given up may be closed a moment after its place was given to another; there are none here.
        require(db.maxOpenAtOnce() <= MOST, db.maxOpenAtOnce() + " sessions were open at once");
        PoolStats stats = pool.stats();
        require(stats.waiting() == 0 && stats.inUse() == 0, "nobody is there: " + stats);
        pool.close();
        require(db.openNow() == 0, db.openNow() + " sessions are left");
        require(pool.stats().total() == 0, "slots are left: " + pool.stats());
        ThreadsLeft.assertNone("weir-" + name, LIMIT);
        db.close();
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }
}
