package dev.weir.internal.engine;

import dev.weir.Configured;
import dev.weir.PoolConfig;
import dev.weir.PoolStats;
import dev.weir.RetireReason;
import dev.weir.internal.lending.Returning;
import dev.weir.internal.observing.Listeners;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.slots.Inbox;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.slots.WaitQueue;
import dev.weir.internal.working.Job;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One life of a pool in a {@link SimulatedWorld}: its real parts, users, an operator, and a database that fails, under settings
 * drawn from the seed; and what must be true of it, asked after each step.
 *
 * <p>Times of trouble alternate with quiet ones, in which all that the trouble left must come to its end: nobody who waits
 * is left without a connection, and no place is lost.
 */
final class Simulation {
    private static final long SECOND = 1_000_000_000L;
    private static final long MILLI = 1_000_000L;

    /** Longer than any call of the driver hangs, any pause after a failure, and any time of the settings. */
    private static final long QUIET = 200 * SECOND;

    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    final SimulatedWorld world;
    final SimulatedServer server;
    final Settings settings;
    final ConnectionPool pool;
    private final SimulatedWorkers workers;
    private final SplittableRandom random;
    private final List<SimulatedUser> users = new ArrayList<>();
    private final long busy;

    /** Users come again at once. */
    private final boolean rush;

    private final Inbox inbox = new Inbox() {
        @Override
        public void nudge(long atNanos) {
            super.nudge(atNanos);
            if (isTold()) {
                wakeKeeper();
            }
            world.heldUp(30);
        }
    };

    // The Keeper.
    private boolean keeperRuns;
    private boolean keeperPermit;
    private SimulatedWorld.@Nullable Event keeperParked;
    private long keeperTurns;
    private long keeperDueAt;

    // The model.
    private boolean suspended;
    private long suspendedAt;
    private boolean closed;
    private boolean quiet;
    private boolean deserted;
    private long lent;
    private long timedOut;
    private long refusedInQuiet;

    /** Places that are taken at most: the maximum, or what was taken when it was lowered and is not given back yet. */
    private int mostPlaces;

    /** So many users have joined the queue. */
    private long joins;

    Simulation(SimulatedWorld world) {
        this.world = world;
        this.random = world.random;
        world.check = this::check;
        server = new SimulatedServer(world);
        server.look = this::look;
        workers = new SimulatedWorkers(world, server, () -> keeperTurns);
        rush = random.nextInt(4) == 0;
        busy = rush ? 200_000 : random.nextInt(4) == 0 ? 50 * MILLI : 3 * MILLI;
        PoolConfig config = SimulatedSettings.draw(world);
        settings = Configured.settings(config, "simulated");
        mostPlaces = settings.maximumPoolSize();
        pool = new ConnectionPool(
                settings,
                server,
                this::ticks,
                new Listeners(config.listeners()),
                workers,
                null,
                null,
                inbox,
                new SplittableRandom(random.nextLong()));
        for (int i = 1 + random.nextInt(12); i > 0; i--) {
            users.add(new SimulatedUser(this, world, i));
        }
    }

    // -------------------------------------------------------------------- run

    /** A life of about so many steps; returns how many connections it lent. */
    long live(long steps) throws SQLException {
        world.note("a pool begins: " + settings.maximumPoolSize() + " at most");
        if (settings.initializationFailTimeoutNanos() < 0 && random.nextBoolean()) {
            pool.start();
        }
        long end = world.steps() + steps;
        users.forEach(user -> user.goOn(pause()));
        operate();
        while (world.steps() < end && !pool.state.isClosed()) {
            long trouble = Math.min(end, world.steps() + 500 + random.nextInt(3_000));
            while (world.steps() < trouble && !pool.state.isClosed()) {
                step();
            }
            if (!pool.state.isClosed() && random.nextInt(3) == 0) {
                quieten();
            }
        }
        end();
        return lent;
    }

    private void step() {
        boolean more = world.step();
        if (world.failure() != null) {
            throw new AssertionError(world.failure());
        }
        world.require(more, "nothing happens any more");
    }

    private void runFor(long nanos) {
        long until = world.now() + nanos;
        SimulatedWorld.Event ignored = world.after(nanos, () -> {});
        while (world.now() < until) {
            step();
        }
    }

    /** The time for which a user does something else. */
    long pause() {
        if (quiet) {
            return world.time(100_000, 20 * MILLI);
        }
        if (random.nextInt(200) == 0) {
            return world.time(0, 90 * SECOND);
        }
        return rush ? random.nextInt(2_000) : world.time(1_000, 10 * busy);
    }

    /** The time for which a user holds a connection before it does something with it. */
    long holds() {
        return !quiet && random.nextInt(rush ? 3_000 : 300) == 0 ? world.time(0, 60 * SECOND) : world.time(1_000, busy);
    }

    boolean isDeserted() {
        return deserted;
    }

    /** Where a return asks for the time, outside of any lock, its thread may be held up. */
    private long ticks() {
        boolean returns = random.nextInt(6) == 0
                && STACK.walk(frames -> frames.filter(frame ->
                                !frame.getMethodName().equals("now") && frame.getDeclaringClass() != Simulation.class)
                        .limit(1)
                        .anyMatch(frame -> frame.getDeclaringClass() == Returning.class));
        if (returns) {
            heldUpByOperator();
        }
        return world.now();
    }

    /** Where the queue looks at the sockets of a connection that it is to hand over. */
    private void look() {
        boolean handsOver = random.nextInt(3) == 0
                && STACK.walk(
                        frames -> frames.limit(10).anyMatch(frame -> frame.getDeclaringClass() == WaitQueue.class));
        if (handsOver) {
            heldUpByOperator();
        }
    }

    /** This thread may be held up here, and meanwhile an operator may act. */
    private void heldUpByOperator() {
        if (!quiet && !deserted && random.nextInt(8) == 0) {
            SimulatedWorld.Event ignored = world.after(0, () -> act(random.nextInt(100)));
            world.heldUpBriefly(1);
        } else {
            world.heldUpBriefly(2);
        }
    }

    // ----------------------------------------------------------------- Keeper

    private void wakeKeeper() {
        SimulatedWorld.Event sleep = keeperParked;
        if (sleep != null && sleep.cancel()) {
            keeperParked = null;
            keeperIn(world.wakeUp());
        } else {
            keeperPermit = true;
            if (!keeperRuns && workers.keeperBegan && sleep == null) {
                keeperRuns = true;
                keeperIn(world.wakeUp());
            }
        }
    }

    private void keeperIn(long nanos) {
        boolean starved = !quiet && random.nextInt(400) == 0;
        SimulatedWorld.Event ignored = world.after(nanos + (starved ? world.time(0, SECOND) : 0), this::keep);
    }

    private void keep() {
        keeperRuns = true;
        if (pool.ending.isOver()) {
            return;
        }
        long begun = pool.clock.now();
        Slot[] before = pool.slots.all();
        long wentBefore = surplus(before);
        long staying = staying();
        long steps = world.steps();
        long nanos = pool.keeper.turnAndPlan();
        keeperTurns++;
        checkTurn(begun);
        long went = surplus(before) - wentBefore;
        world.require(
                went <= Math.max(0, staying - settings.minimumPoolSize()) || steps < world.steps(),
                "of " + staying + " went " + went + " as surplus, though the minimum is " + settings.minimumPoolSize());
        if (random.nextInt(4) == 0) {
            keeperPermit = false; // a lock used it up in the turn
        }
        keeperDueAt = world.now() + nanos;
        world.heldUp(5);
        boolean told = inbox.isTold() || nanos <= 0 || pool.ending.isOver();
        if (told || keeperPermit) {
            keeperPermit = false;
            keeperIn(told ? random.nextInt(5_000) : world.wakeUp());
        } else {
            keeperParked = world.after(nanos + world.wakeUp(), () -> {
                keeperParked = null;
                keep();
            });
        }
    }

    // -------------------------------------------------------------- operators

    private void operate() {
        if (deserted) {
            return;
        }
        if (!quiet) {
            act(random.nextInt(100));
        }
        SimulatedWorld.Event ignored = world.after(world.time(100_000, 60 * Math.max(MILLI, busy)), this::operate);
    }

    private void act(int dice) {
        if (dice < 30) {
            users.get(random.nextInt(users.size())).touchStale();
        } else if (dice < 40) {
            users.get(random.nextInt(users.size())).interrupt();
        } else if (dice < 60) {
            SimulatedServer.State[] all = SimulatedServer.State.values();
            server.state = random.nextInt(3) > 0 ? SimulatedServer.State.UP : all[random.nextInt(all.length)];
            world.note("the server is " + server.state);
        } else if (dice < 66) {
            kill(random.nextInt(3) == 0);
        } else if (dice < 72) {
            evict(random.nextBoolean());
        } else if (dice < 78) {
            resize(1 + random.nextInt(8));
        } else if (dice < 82) {
            suspend(true);
        } else if (dice < 92) {
            suspend(false);
        } else if (dice < 94) {
            world.note("the process stands still");
            world.standStill(world.time(MILLI, 20 * SECOND));
        } else if (dice < 96) {
            world.note("stats and dump");
            world.require(pool.dump().contains("simulated") && pool.held() != null, "no dump");
        } else {
            world.note("the server says something");
            for (Slot slot : pool.slots.all()) {
                SimulatedServer.of(slot.physical).speak();
            }
        }
    }

    private void kill(boolean all) {
        world.note(all ? "the server ends all sessions" : "the server ends sessions");
        for (Slot slot : pool.slots.all()) {
            if (all || random.nextInt(3) == 0) {
                SimulatedServer.Session session = SimulatedServer.of(slot.physical);
                session.killed = true;
                if (random.nextBoolean()) {
                    session.speak(); // a farewell
                }
            }
        }
    }

    private void evict(boolean idleOnly) {
        world.note(idleOnly ? "evict idle" : "evict all");
        Slot[] before = pool.slots.all();
        if (idleOnly) {
            pool.evictIdle();
        } else {
            pool.evictAll();
        }
        for (Slot slot : before) {
            if (!idleOnly || slot.isCondemned()) {
                SimulatedServer.of(slot.physical).bar("it was evicted");
            }
        }
    }

    private void resize(int maximum) {
        int minimum = random.nextInt(maximum + 1);
        world.note("resize " + minimum + ".." + maximum);
        settings.change(Setting.MINIMUM_POOL_SIZE, 0);
        settings.change(Setting.MAXIMUM_POOL_SIZE, maximum);
        settings.change(Setting.MINIMUM_POOL_SIZE, minimum);
        pool.settingsChanged();
    }

    private void suspend(boolean on) {
        if (on != suspended) {
            world.note(on ? "suspend" : "resume");
            suspended = on;
            users.forEach(SimulatedUser::suspended);
            if (on) {
                pool.suspend();
                suspendedAt = world.now();
            } else {
                pool.resume();
            }
        }
    }

    // -------------------------------------------------------------- the model

    /** So much of the wait of a user who came then was the pool's own beginning. */
    long beginningSince(long at) {
        long first = pool.state.connects.firstBegunNanos;
        long began = first == Long.MAX_VALUE ? pool.clock.now() : first;
        return Math.max(0, began - at);
    }

    /** This user took a connection, or was handed it, while others wait. */
    void tookInTurn(SimulatedUser taker, boolean directly, SimulatedServer.Session taken) {
        if (!closed) {
            users.forEach(user -> user.seesTaken(taker, directly, taken));
        }
    }

    long nextPlace() {
        return ++joins;
    }

    /** The most others that one of those who wait now joined behind. */
    int farthest() {
        return users.stream().mapToInt(SimulatedUser::farthest).max().orElse(0);
    }

    boolean isSuspended() {
        return suspended;
    }

    void checkLent(SimulatedUser user, SimulatedServer.Session session, long at, long lookedAt, boolean granted) {
        lent++;
        SimulatedUser holder = session.holder;
        world.require(holder == null || !holder.holds(session), session + " is behind two live handles");
        world.require(!session.isBarredFor(at), session + " is lent to " + user + ", though " + session.barred);
        world.require(!session.closed || closed, session + " is closed, and lent to " + user);
        long decidedAt = Math.min(at, lookedAt + world.now() - pool.clock.now());
        world.require(!suspended || decidedAt <= suspendedAt, session + " is lent while the pool is suspended");
        world.require(
                session.spokenAt >= (granted ? session.returnedAt : decidedAt),
                session + " is lent to " + user + ", though its server has spoken");
        long idle = at - session.provedAt;
        world.require(
                idle <= Math.max(settings.validateAfterIdleNanos(), 2 * MILLI),
                session + " is lent to " + user + " untested after " + idle + " ns");
        // A thread may be held up between an answer of the server and its note, and another between a death and its
        // note.
        world.require(
                session.provedAt + MILLI >= server.suspectBefore
                        || (granted ? Math.min(decidedAt, session.releasedAt) : decidedAt) <= server.suspectBefore,
                session + " is lent to " + user + " untested after another was found dead");
    }

    /**
     * {@code idleBefore}: how many lay idle when the user began its last look. It may miss those that became idle
     * meanwhile.
     */
    void timedOut(SimulatedUser user, long begunAt, int idleBefore) {
        timedOut++;
        long now = pool.clock.now();
        long waited = world.now() - begunAt;
        world.require(waited >= settings.connectionTimeoutNanos(), user + " is refused too early: " + waited + " ns");
        int ready = pool.state.isLending() ? Math.min(idleBefore, idle(now)) : 0;
        world.require(ready == 0 || !world.isOutermost(), user + " is refused, though " + ready + " lie idle");
        refusedInQuiet++;
    }

    int idle(long now) {
        return pool.slots.fresh(pool.clock.freshAfterExactly(now));
    }

    void refused(SimulatedUser user, String message) {
        boolean known = message.contains("is closed")
                || message.contains("interrupted after")
                || message.contains("threads wait already")
                || message.contains("refuses the pool's user")
                || message.contains("could not open the first connection");
        world.require(known, user + " is refused without need: " + message);
        refusedInQuiet++;
    }

    boolean mayFail(SQLException e) {
        return "08006".equals(e.getSQLState());
    }

    private void check() {
        int taken = pool.slots.taken();
        mostPlaces = Math.max(settings.maximumPoolSize(), Math.min(mostPlaces, taken));
        if (!world.isOutermost()) {
            return;
        }
        int places = mostPlaces + workers.late();
        world.require(taken <= places, taken + " places are taken, there may be " + places);
        int waiting = 0;
        int awake = 0;
        int held = 0;
        int granted = 0;
        for (SimulatedUser user : users) {
            waiting += user.isUndecided() ? 1 : 0;
            awake += user.isWaiting() && !user.isParked() ? 1 : 0;
            granted += user.isGranted() ? 1 : 0;
            held += user.isHolding() ? 1 : 0;
        }
        if (pool.queue.sizeVolatile() > 0 && awake == 0 && pool.state.isLending()) {
            // By the exact time too: where the coarse clock is late, the Keeper's next turn sees that the slot is to be
            // tested.
            long exactly = pool.clock.freshAfterExactly(pool.clock.now());
            int ready = pool.slots.fresh(Math.max(pool.clock.freshAfter(), exactly));
            world.require(ready == 0, ready + " lie idle, and of " + waiting + " who wait nobody is awake");
        }
        checkKeeper();
        if (world.steps() % 32 == 0) {
            checkCounts(waiting, held, granted);
        }
    }

    /** The outcome of a turn that began then: nothing hangs in a test or a return for longer than it may. */
    private void checkTurn(long begun) {
        for (Slot slot : pool.slots.all()) {
            SimulatedServer.Session session = SimulatedServer.of(slot.physical);
            long word = slot.wordVolatile();
            boolean hangs = Slot.stateOf(word) == Slot.TESTING
                    && begun - session.testedSince > settings.validationTimeoutNanos() + 100 * MILLI;
            world.require(!hangs, session + " hangs in its test since " + session.testedSince);
            if (Slot.stateOf(word) != Slot.RETURNING || !Slot.isHeld(word)) {
                session.returningSince = Long.MAX_VALUE;
                continue;
            }
            if (session.returningOf != word) {
                session.returningOf = word;
                session.returningSince = Long.MAX_VALUE;
            }
            session.returningSince = Math.min(session.returningSince, pool.clock.now());
            hangs = begun - session.returningSince > settings.returnTimeoutNanos();
            world.require(!hangs, session + " hangs in its return since " + session.returningSince);
        }
    }

    /** Connections that are to stay. */
    private long staying() {
        return Arrays.stream(pool.slots.all())
                .filter(slot -> !slot.isCondemned() && slot.state() != Slot.RETIRED)
                .count();
    }

    /** The number of these connections that go, or went, as one too many. */
    private static long surplus(Slot[] slots) {
        return Arrays.stream(slots)
                .filter(slot -> slot.condemnedFor() == RetireReason.SURPLUS)
                .count();
    }

    /** The Keeper was told of all that somebody left to it, unless no thread could be made. */
    private void checkKeeper() {
        if (keeperParked == null
                || world.now() >= keeperDueAt
                || inbox.isTold()
                || workers.underWay() >= Job.AT_ONCE
                || workers.isShortOfThreads()) {
            return;
        }
        for (Slot slot : pool.slots.all()) {
            boolean left = slot.state() == Slot.UNTESTED || slot.state() == Slot.RETIRED;
            world.require(!left, slot + " is left to the Keeper, which sleeps untold: state " + slot.state());
        }
    }

    private void checkCounts(int waiting, int held, int granted) {
        PoolStats stats = pool.stats();
        world.require(stats.waiting() == waiting, "waiting " + stats.waiting() + ", really " + waiting);
        world.require(stats.acquired() == lent + granted, "acquired " + stats.acquired() + ", really " + lent);
        world.require(stats.timedOut() == timedOut, "timed out " + stats.timedOut() + ", really " + timedOut);
        world.require(
                stats.inUse() <= held + granted && (closed || stats.inUse() == held + granted),
                "in use " + stats.inUse() + ", held " + held + ", handed over " + granted);
        long checking = slotsIn(Slot.TESTING) + slotsIn(Slot.UNTESTED);
        world.require(
                stats.total() == stats.inUse() + stats.idle() + checking + slotsIn(Slot.RETURNING),
                "counts do not add up: " + stats);
        long retired =
                stats.retired().values().stream().mapToLong(Long::longValue).sum();
        world.require(stats.opened() - retired == stats.total(), "opened less retired is not what there is: " + stats);
        int most = settings.acquireIncrement() * Math.max(1, settings.acquireSurge());
        world.require(stats.opening() <= most, stats.opening() + " connects at once, there may be " + most);
        long open = server.opened - server.closed;
        int may = pool.slots.unfinished() + workers.aborts();
        world.require(open <= may, open + " sessions are open, there may be " + may);
        for (Slot slot : pool.slots.all()) {
            boolean stuck = slot.isCondemned() && slot.state() == Slot.IDLE;
            world.require(!stuck, slot + " is condemned and idle");
        }
    }

    private long slotsIn(int state) {
        return Arrays.stream(pool.slots.all())
                .filter(slot -> slot.state() == state)
                .count();
    }

    // -------------------------------------------------------------- quiet times

    private void quieten() {
        world.note("quiet");
        quiet = true;
        server.healed = true;
        server.state = SimulatedServer.State.UP;
        suspend(false);
        deserted = true;
        runFor(QUIET);
        if (pool.state.isClosed()) {
            return; // its start came to nothing
        }
        // All is well: nobody is refused who waits for longer than a connect takes.
        settings.change(Setting.CONNECTION_TIMEOUT, Duration.ofSeconds(5));
        refusedInQuiet = 0;
        deserted = false;
        users.forEach(user -> user.goOn(pause()));
        runFor(SECOND / 5);
        deserted = true;
        int maximum = settings.maximumPoolSize();
        settings.change(Setting.MINIMUM_POOL_SIZE, maximum);
        pool.settingsChanged();
        runFor(QUIET);
        world.require(refusedInQuiet == 0 || settings.maximumWaiters() > 0, "somebody is refused in quiet times");
        long due = world.now() + 10 * SECOND;
        while (!isComplete(maximum)) { // one may just be replaced for its age
            world.require(
                    world.now() < due,
                    "a place was lost: " + pool.stats() + ", jobs " + workers.underWay() + ", sessions "
                            + (server.opened - server.closed));
            runFor(10 * MILLI);
        }
        deserted = false;
        quiet = false;
        server.healed = false;
        world.note("quiet no more");
        users.forEach(user -> user.goOn(pause()));
        operate();
    }

    private boolean isComplete(int maximum) {
        return pool.stats().idle() == maximum
                && pool.slots.taken() == maximum
                && workers.underWay() == 0
                && server.opened - server.closed == maximum;
    }

    /** The pool ends, with some in use, and nothing is left. */
    private void end() {
        world.note("close");
        closed = true;
        PoolState.Phase ignored = pool.ending.beginEnd();
        deserted = true;
        for (int i = random.nextInt(200); i > 0 && !pool.ending.isOver(); i--) {
            step();
        }
        server.healed = true;
        server.state = SimulatedServer.State.UP;
        quiet = true;
        long due = world.now() + QUIET + settings.closeTimeoutNanos();
        while (workers.keeperBegan && !pool.ending.isOver()) {
            world.require(world.now() < due, "the end does not come: " + pool.stats());
            step();
        }
        runFor(QUIET);
        world.require(server.opened == server.closed, (server.opened - server.closed) + " sessions are left");
        world.require(pool.slots.unfinished() == 0, "places are left: " + pool.stats());
        world.require(workers.underWay() == 0, workers.underWay() + " jobs are left");
        for (SimulatedUser user : users) {
            world.require(!user.isWaiting() && !user.isHolding(), user + " is left");
        }
        world.forgetEvents();
    }

    String describe() {
        return pool.dump();
    }
}
