package dev.weir.internal.engine;

import dev.weir.PoolStats;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.waiting.Slot;
import dev.weir.internal.waiting.Waiter;
import dev.weir.testkit.Fault;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.StubSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One pool and what must be true of it, changed by one random operation at a time on one thread. The model knows who holds
 * which session, which sessions must never be lent again, and the counts; everything else it asks and compares.
 *
 * <p>Threads that wait are played: a {@link Waiter} joins the queue, and later looks, is found served, or gives up, in the
 * steps in which {@code Acquiring.acquire} does so.
 */
final class PoolModel implements AutoCloseable {
    private static final int MOST = 6;
    private static final int MOST_WAITERS = 4;

    private final SplittableRandom random;
    private final SteppedPool stepped;
    private final ConnectionPool pool;
    private final StubDatabase db;

    private final List<ConnectionHandle> live = new ArrayList<>();
    private final List<ConnectionHandle> dead = new ArrayList<>();
    private final List<Waiter> waiters = new ArrayList<>();
    private final List<Fault> faults = new ArrayList<>();

    /** Sessions that were evicted, aborted, failed or could not be cleaned: nobody may meet them again. */
    private final Set<StubSession> barred = Collections.newSetFromMap(new IdentityHashMap<>());

    /** Sessions that were lent to a holder who was told that they are gone. */
    private final Set<StubSession> broken = Collections.newSetFromMap(new IdentityHashMap<>());

    private final Deque<String> history = new ArrayDeque<>();
    private long acquired;
    private long timedOut;
    private boolean suspended;

    /** The maximum, or what was taken when it was lowered and is not given back yet, connects under way among it. */
    private int mostPlaces = MOST;

    PoolModel(long seed) {
        random = new SplittableRandom(seed);
        stepped = SteppedPool.of(builder -> builder.maximumPoolSize(4)
                .minimumPoolSize(random.nextInt(3))
                .acquireIncrement(1 + random.nextInt(3))
                .connectionTimeout(Duration.ofMillis(1))
                .validateAfterIdle(Duration.ofMillis(random.nextInt(4) == 0 ? 0 : 500))
                .maxLifetime(Duration.ofMinutes(30))
                .idleTimeout(Duration.ofMinutes(5))
                .keepaliveTime(Duration.ofMinutes(random.nextInt(3)))
                .closeTimeout(Duration.ofDays(300))
                .autoCommit(true));
        pool = stepped.pool;
        db = stepped.db;
    }

    long acquired() {
        return acquired;
    }

    void step() throws SQLException {
        int before = db.openNow();
        try {
            operate(random.nextInt(100));
            check(before);
        } catch (Throwable e) {
            throw new AssertionError(e + "\n  last operations: " + history + "\n  " + pool.dump(), e);
        }
    }

    private void operate(int dice) throws SQLException {
        if (dice < 30) {
            acquire();
        } else if (dice < 44) {
            closeLive();
        } else if (dice < 50) {
            touchDead();
        } else if (dice < 60) {
            use();
        } else if (dice < 61) {
            loseLive();
        } else if (dice < 72) {
            runJobs();
        } else if (dice < 84) {
            moveTime();
        } else if (dice < 92) {
            wait(random.nextInt(3));
        } else {
            manage(dice - 92);
        }
    }

    /** Some of the work that waits, in any order, or all of it. */
    private void runJobs() {
        note("run jobs");
        if (random.nextBoolean()) {
            stepped.helpers.runAll();
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            stepped.helpers.run(random.nextInt(Math.max(1, stepped.helpers.pending())));
        }
    }

    // ---------------------------------------------------------------- acquire

    private void acquire() throws SQLException {
        boolean helped = random.nextInt(4) != 0;
        if (helped && random.nextInt(4) != 0) {
            stepped.helpers.runAll();
            pickUp();
        }
        boolean certain = !suspended && waiters.isEmpty() && (freshIdle() || (helped && soundIdle()));
        note(helped ? "acquire helped" : "acquire");
        ConnectionHandle handle;
        try {
            handle = helped ? stepped.acquireHelped() : stepped.acquire();
        } catch (SQLException e) {
            require("08001".equals(e.getSQLState()), "a refusal has SQLState 08001, not " + e.getSQLState());
            require(!certain, "an idle connection was not lent: " + e.getMessage());
            if (e.getMessage().contains("no connection within")) {
                timedOut++;
            }
            return;
        }
        lent(handle);
    }

    private void lent(ConnectionHandle handle) {
        acquired++;
        require(!suspended, "lent while suspended");
        StubSession session = stepped.session(handle);
        note("got " + session.id());
        for (ConnectionHandle other : live) {
            require(stepped.session(other) != session, session + " is behind two live handles");
        }
        require(!barred.contains(session), session + " was given up, and is lent again");
        require(!session.isClosed(), session + " is closed, and is lent");
        require(session.transaction() == StubSession.Transaction.NONE, session + " is lent inside a transaction");
        require(session.autoCommit() && session.openStatements() == 0, session + " is lent as its last user left it");
        live.add(handle);
    }

    private boolean freshIdle() {
        pool.state.wakeClock(pool.clock.now());
        long freshAfter = pool.clock.freshAfter();
        if (freshAfter == Long.MAX_VALUE) {
            return false;
        }
        freshAfter += 5_000_000; // the look itself takes time
        for (Slot slot : pool.slots.all()) {
            if (slot.state() == Slot.IDLE && !slot.isCondemned() && slot.lastUsed() >= freshAfter) {
                return true;
            }
        }
        return false;
    }

    private boolean soundIdle() {
        if (stepped.helpers.pending() > 0) {
            return false;
        }
        for (Slot slot : pool.slots.all()) {
            if (slot.state() == Slot.IDLE
                    && !slot.isCondemned()
                    && SteppedPool.session(slot).isOpen()) {
                return faults.isEmpty();
            }
        }
        return false;
    }

    // ------------------------------------------------------- waiters, played

    private void wait(int what) throws SQLException {
        if (waiters.isEmpty() || (what == 0 && waiters.size() < MOST_WAITERS)) {
            note("wait");
            long now = pool.clock.now();
            Waiter waiter = new Waiter(Thread.currentThread(), now, Long.MAX_VALUE);
            require(pool.queue.join(waiter, 0), "an unlimited queue refuses nobody");
            waiters.add(waiter);
            return;
        }
        Waiter waiter = waiters.get(random.nextInt(waiters.size()));
        note(what == 1 ? "waiter looks" : "waiter gives up");
        pool.queue.awake(waiter);
        if (served(waiter)) {
            return;
        }
        Slot slot = what == 1 && !suspended ? pool.slots.tryAcquire(pool.clock.freshAfter()) : null;
        if (slot != null || what == 2) {
            require(pool.queue.leave(waiter, slot != null), "who has no outcome can leave");
            waiters.remove(waiter);
            if (slot != null) {
                lent(ConnectionHandle.lent(slot));
            }
        }
    }

    private boolean served(Waiter waiter) throws SQLException {
        Slot granted;
        try {
            granted = waiter.granted();
        } catch (SQLException e) {
            boolean who = e.getCause() instanceof SQLException cause && "28P01".equals(cause.getSQLState());
            require(who, "refused without need: " + e);
            waiters.remove(waiter);
            return true;
        }
        if (granted == null) {
            return false;
        }
        waiters.remove(waiter);
        require(!pool.queue.leave(waiter, false), "who was served has left already");
        lent(ConnectionHandle.lent(granted));
        return true;
    }

    /** Served waiters pick up what they were given, as threads that were woken do. */
    private void pickUp() throws SQLException {
        for (Waiter waiter : List.copyOf(waiters)) {
            served(waiter);
        }
    }

    // ------------------------------------------------- what holders may do

    private @Nullable ConnectionHandle anyLive() {
        return live.isEmpty() ? null : live.get(random.nextInt(live.size()));
    }

    private void closeLive() throws SQLException {
        ConnectionHandle handle = anyLive();
        if (handle == null) {
            return;
        }
        StubSession session = stepped.session(handle);
        int how = random.nextInt(10);
        note((how == 0 ? "abort " : how == 1 ? "fail rollback, close " : "close ") + session.id());
        if (how == 0) {
            handle.abort(Runnable::run);
            barred.add(session);
        } else if (how == 1
                && session.isOpen()
                && !broken.contains(session)
                && session.transaction() != StubSession.Transaction.FAILED) {
            handle.setAutoCommit(false);
            execute(handle, "INSERT");
            try (Fault rollback = db.fail("Connection.rollback", "40001")) {
                handle.close();
            }
            barred.add(session);
        } else {
            handle.close();
        }
        if (broken.contains(session)) {
            barred.add(session);
        }
        live.remove(handle);
        dead.add(handle);
        if (dead.size() > 50) {
            dead.remove(random.nextInt(dead.size()));
        }
    }

    /** Handles that were closed do nothing, whatever is called, and harm nobody. */
    private void touchDead() throws SQLException {
        if (dead.isEmpty()) {
            return;
        }
        ConnectionHandle handle = dead.get(random.nextInt(dead.size()));
        note("touch closed #" + handle.slot.id);
        switch (random.nextInt(3)) {
            case 0 -> handle.close();
            case 1 -> handle.abort(Runnable::run);
            default -> {
                try (Statement statement = handle.createStatement()) {
                    throw new AssertionError("a closed handle made " + statement);
                } catch (SQLException e) {
                    require("08003".equals(e.getSQLState()), "a closed handle says so: " + e);
                }
            }
        }
    }

    private void use() throws SQLException {
        ConnectionHandle handle = anyLive();
        if (handle == null) {
            return;
        }
        StubSession session = stepped.session(handle);
        note("use " + session.id());
        try {
            switch (random.nextInt(5)) {
                case 0 -> handle.setAutoCommit(false);
                case 1 -> execute(handle, "INSERT");
                case 2 -> handle.createStatement(); // left to close()
                case 3 -> execute(handle, "FAIL 22001");
                default -> execute(handle, "SELECT");
            }
        } catch (SQLException e) {
            if ("08006".equals(e.getSQLState())) {
                require(!session.isOpen(), session + " is sound, and failed with " + e);
                broken.add(session);
            }
        }
    }

    private static void execute(Connection handle, String sql) throws SQLException {
        try (Statement statement = handle.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The connection breaks in use: its holder sees it, and nobody else ever does. */
    private void loseLive() {
        ConnectionHandle handle = anyLive();
        if (handle == null) {
            return;
        }
        StubSession session = stepped.session(handle);
        note("lose " + session.id());
        if (random.nextBoolean()) {
            session.kill();
        }
        try {
            execute(handle, "FAIL 08006");
        } catch (SQLException e) {
            if ("08006".equals(e.getSQLState())) { // else its transaction had failed before
                broken.add(session);
            }
        }
    }

    // ------------------------------------------------------- time, operators

    private void moveTime() {
        long millis = switch (random.nextInt(12)) {
            case 0 -> 60_000L * (1 + random.nextInt(20));
            case 1, 2 -> 1_000L * (1 + random.nextInt(60));
            case 3, 4, 5, 6 -> random.nextInt(1_000);
            default -> random.nextInt(50);
        };
        note("time +" + millis + " ms");
        stepped.ticker.advance(Duration.ofMillis(millis));
        pool.keeper.turn(pool.clock.now());
    }

    private void manage(int what) {
        switch (what) {
            case 0 -> killIdle();
            case 1 -> {
                if (random.nextBoolean()) {
                    resize();
                }
            }
            case 2, 3 -> {
                note("resume");
                pool.resume();
                suspended = false;
            }
            case 4 -> {
                if (random.nextInt(3) == 0) {
                    note("suspend");
                    pool.suspend();
                    suspended = true;
                }
            }
            case 5 -> evict(true);
            case 6 -> evict(random.nextInt(3) != 0);
            default -> {
                if (random.nextInt(4) == 0) {
                    failConnects();
                }
            }
        }
    }

    private void killIdle() {
        note("kill idle");
        for (Slot slot : pool.slots.all()) {
            if (slot.state() == Slot.IDLE && random.nextBoolean()) {
                SteppedPool.session(slot).kill();
            }
        }
    }

    private void resize() {
        int maximum = 1 + random.nextInt(MOST);
        int minimum = random.nextInt(maximum + 1);
        note("resize " + minimum + ".." + maximum);
        stepped.settings.change(Setting.MINIMUM_POOL_SIZE, 0);
        stepped.settings.change(Setting.MAXIMUM_POOL_SIZE, maximum);
        stepped.settings.change(Setting.MINIMUM_POOL_SIZE, minimum);
        pool.settingsChanged();
    }

    private void evict(boolean idleOnly) {
        note(idleOnly ? "evict idle" : "evict all");
        for (Slot slot : pool.slots.all()) {
            if (!idleOnly || slot.state() == Slot.IDLE) {
                barred.add(SteppedPool.session(slot));
            }
        }
        if (idleOnly) {
            pool.evictIdle();
        } else {
            pool.evictAll();
        }
    }

    private void failConnects() {
        note("connects fail");
        int times = 1 + random.nextInt(3);
        faults.add(
                switch (random.nextInt(4)) {
                    case 0 -> db.failNext(StubDatabase.CONNECT, times, () -> new SQLException("refused", "08001"));
                    case 1 -> db.failNext(StubDatabase.CONNECT, times, () -> new SQLException("who?", "28P01"));
                    case 2 -> db.failNext(StubDatabase.CONNECT, times, () -> new IllegalStateException("driver"));
                    default -> db.failNext(StubDatabase.CONNECT, times, () -> new NoClassDefFoundError("driver"));
                });
    }

    // ------------------------------------------------------------ invariants

    private void check(int openBefore) throws SQLException {
        pickUp(); // what was handed over counts as in use at once
        PoolStats stats = pool.stats();
        int retirement = stats.total() + stats.opening() + stats.closing();
        mostPlaces = Math.max(stepped.settings.maximumPoolSize(), Math.min(mostPlaces, retirement));
        require(
                db.openNow() <= Math.max(openBefore, mostPlaces),
                db.openNow() + " sessions are open, " + openBefore + " were, there may be " + mostPlaces);
        int checking = pool.slots.count(Slot.CHECKING) + pool.slots.count(Slot.UNCHECKED);
        require(stats.total() == stats.inUse() + stats.idle() + checking, "counts do not add up: " + stats);
        require(stats.inUse() == live.size(), "in use " + stats.inUse() + ", held " + live.size());
        require(stats.waiting() == waiters.size(), "waiting " + stats.waiting() + ", really " + waiters.size());
        require(stats.acquired() == acquired, "acquired " + stats.acquired() + ", really " + acquired);
        require(stats.timedOut() == timedOut, "timed out " + stats.timedOut() + ", really " + timedOut);
        long retired =
                stats.retired().values().stream().mapToLong(Long::longValue).sum();
        require(stats.opened() - retired == stats.total(), "opened less retired is not what there is: " + stats);
        require(stats.opening() >= 0 && stats.opening() <= stepped.settings.acquireIncrement(), "opening: " + stats);
        checkHandles();
    }

    private void checkHandles() throws SQLException {
        Set<StubSession> held = new HashSet<>();
        for (ConnectionHandle handle : live) {
            StubSession session = stepped.session(handle);
            require(handle.slot.isLive(handle.loanWord), "the handle of " + session + " died without its holder");
            require(held.add(session), session + " is behind two live handles");
            require(!session.isClosed(), session + " was closed while in use");
        }
        for (ConnectionHandle handle : dead) {
            require(handle.isClosed(), "a closed handle lives again: " + handle);
        }
        for (Slot slot : pool.slots.all()) {
            boolean stuck = slot.isCondemned() && slot.state() == Slot.IDLE;
            require(!stuck, slot + " is condemned and idle: nobody will ever retire it");
        }
    }

    // -------------------------------------------------------------- the end

    /** All go home, all faults end: then every place must be there again, and none more. */
    void quiesce() throws SQLException {
        history.clear();
        note("quiesce");
        faults.forEach(Fault::release);
        faults.clear();
        pool.resume();
        suspended = false;
        for (Waiter waiter : List.copyOf(waiters)) {
            if (pool.queue.leave(waiter, false)) {
                waiters.remove(waiter);
            } else {
                served(waiter);
            }
        }
        while (!live.isEmpty()) {
            closeLive();
        }
        stepped.run(Duration.ofMinutes(2));
        stepped.settings.change(Setting.MAXIMUM_POOL_SIZE, MOST);
        stepped.settings.change(Setting.MINIMUM_POOL_SIZE, MOST);
        pool.settingsChanged();
        stepped.run(Duration.ofMinutes(2));
        PoolStats stats = pool.stats();
        require(stats.total() == MOST && stats.idle() == MOST, "a place was lost: " + stats);
        for (int i = 0; i < MOST; i++) {
            lent(stepped.acquireHelped()); // the test finds what was killed while it was idle
        }
        require(db.openNow() == MOST, db.openNow() + " sessions are open");
        check(db.openNow());
    }

    /** The pool ends with some in use: nothing is left. */
    void end() {
        stepped.close();
        require(live.stream().allMatch(ConnectionHandle::isClosed), "a handle outlives its pool");
        require(pool.stats().total() == 0, "slots are left: " + pool.stats());
        require(db.sessions().stream().allMatch(StubSession::isClosed), "sessions are left");
    }

    @Override
    public void close() {
        stepped.close();
    }

    private void note(String what) {
        history.addLast(what);
        if (history.size() > 25) {
            history.removeFirst();
        }
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }
}
