package dev.weir.internal.engine;

import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.lending.Acquiring;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.slots.WaitQueue;
import dev.weir.internal.slots.Waiter;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A user of the pool in a {@link Simulation}: acquires, uses, returns, over and over. It waits by the steps of
 * {@link Acquiring#step}, and where a thread would park it stays until somebody unparks it, or its time is up.
 */
final class SimulatedUser {
    private final Simulation simulation;
    private final SimulatedWorld world;
    private final int number;
    private final Thread thread;

    private @Nullable ConnectionHandle handle;
    private @Nullable ConnectionHandle stale;
    private SimulatedServer.@Nullable Session session;

    // While it waits.
    @Nullable
    Parking waiter;

    private long begunAt;

    /** When its last step began. */
    private long lookedAt;

    private int idleBefore;

    private boolean permit;
    private boolean interrupted;
    private SimulatedWorld.@Nullable Event parked;

    /** So many steps in a row neither parked nor found anything. */
    private int spins;

    /** The number of its place in the queue; the greatest if it did not wait. */
    private long place = Long.MAX_VALUE;

    private long joinedAt;

    /** The most others that it, or one of those ahead of it, joined behind. */
    private int farthest;

    /** Since it joined: connections that others took who joined later or not at all, and those that were handed over. */
    private int overtaken;

    private int handedOver;

    /** While it waited the pool was suspended, and served nobody. */
    private boolean passedBy;

    /** The waiter of its own thread; to unpark it is an event. */
    final class Parking extends Waiter {
        /** When it was handed a slot. */
        long grantedAt = Long.MAX_VALUE;

        Parking(long sinceNanos, long deadlineNanos) {
            super(thread, sinceNanos, deadlineNanos);
        }

        boolean isGranted() {
            return outcome instanceof Slot;
        }

        @Override
        protected void unpark() {
            if (outcome instanceof Slot granted && grantedAt == Long.MAX_VALUE) {
                grantedAt = world.now();
                simulation.tookInTurn(SimulatedUser.this, true, SimulatedServer.of(granted.physical));
            }
            wake();
            world.heldUp(20);
        }
    }

    SimulatedUser(Simulation simulation, SimulatedWorld world, int number) {
        this.simulation = simulation;
        this.world = world;
        this.number = number;
        this.thread = new Thread("user " + number); // never started: for messages
    }

    boolean isWaiting() {
        return waiter != null;
    }

    /** Whether it stands in the queue. */
    boolean isUndecided() {
        Parking own = waiter;
        return own != null && own.outcome == null;
    }

    boolean isParked() {
        return parked != null;
    }

    boolean isGranted() {
        Parking own = waiter;
        return own != null && own.isGranted();
    }

    boolean isHolding() {
        return handle != null;
    }

    /** Whether this connection is its own: from the acquire to the first step of the return. */
    boolean holds(SimulatedServer.Session one) {
        ConnectionHandle own = handle;
        return own != null && session == one && own.slot.isLive(own.loanWord);
    }

    void goOn(long afterNanos) {
        world.after(afterNanos, this::acquire);
    }

    // ---------------------------------------------------------------- acquire

    private void acquire() {
        if (simulation.isDeserted()) {
            return;
        }
        world.actor = this;
        world.note(this + " acquires");
        begunAt = world.now();
        lookedAt = simulation.pool.clock.now();
        place = Long.MAX_VALUE;
        try {
            Acquiring acquiring = simulation.pool.acquiring;
            Slot slot = acquiring.scan(simulation.pool.clock.freshAfter());
            if (slot == null) {
                slot = acquiring.scanAwake(simulation.pool.clock.now());
            }
            if (slot == null) {
                join(acquiring);
            } else {
                simulation.tookInTurn(this, false, SimulatedServer.of(slot.physical));
                lent(slot, null);
            }
        } catch (SQLException e) {
            refused(e);
        }
        if (waiter != null) {
            world.after(world.random.nextInt(20_000), this::look);
        }
    }

    private void join(Acquiring acquiring) throws SQLException {
        long now = simulation.pool.clock.now();
        Parking own = new Parking(now, now + simulation.settings.connectionTimeoutNanos());
        int ahead = simulation.pool.queue.sizeVolatile();
        acquiring.join(own);
        farthest = Math.max(ahead, simulation.farthest());
        place = simulation.nextPlace();
        joinedAt = world.now();
        overtaken = 0;
        handedOver = 0;
        passedBy = simulation.isSuspended();
        spins = 0;
        permit = false;
        waiter = own;
        simulation.pool.starting.begin(now);
    }

    private void look() {
        Parking own = Objects.requireNonNull(waiter);
        world.actor = this;
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        long parkNanos = 0;
        try {
            for (int i = 1 + world.random.nextInt(3); i > 0 && parkNanos == 0 && own.found == null; i--) {
                lookedAt = simulation.pool.clock.now();
                idleBefore = simulation.idle(lookedAt);
                parkNanos = Math.max(0, simulation.pool.acquiring.step(own, 0)); // as await has it
                spins = parkNanos == 0 ? spins + 1 : 0;
                world.require(spins < 8, this + " looks again and again, and does not park");
            }
            Slot found = own.found;
            if (found != null) {
                if (!own.isGranted()) {
                    simulation.tookInTurn(this, false, SimulatedServer.of(found.physical));
                }
                waiter = null;
                lent(found, own);
                return;
            }
        } catch (SQLException e) {
            waiter = null;
            refused(e);
            return;
        } finally {
            interrupted = interrupted && waiter != null && !Thread.interrupted();
            boolean ignored = Thread.interrupted();
        }
        if (parkNanos == 0) {
            world.after(world.random.nextInt(3_000), this::look);
        } else {
            park(own, parkNanos);
        }
    }

    private void park(Parking own, long nanos) {
        long dueAt = own.firstDeadlineNanos + simulation.beginningSince(own.sinceNanos);
        world.require(lookedAt + nanos <= dueAt, this + " means to wait longer than connectionTimeout");
        if (permit) {
            permit = false;
            world.after(world.wakeUp(), this::look);
            return;
        }
        boolean spurious = world.chance(30);
        long early = world.chance(2) ? nanos - Math.min(nanos, world.random.nextInt(2_000_000)) : world.time(0, nanos);
        parked = world.after(spurious ? early : nanos + world.wakeUp(), () -> {
            parked = null;
            look();
        });
    }

    private void wake() {
        SimulatedWorld.Event sleep = parked;
        if (sleep == null) {
            permit = true;
        } else {
            boolean ignored = sleep.cancel();
            parked = null;
            world.after(world.wakeUp(), this::look);
        }
    }

    void interrupt() {
        if (waiter != null) {
            world.note("interrupt " + this);
            interrupted = true;
            wake();
        }
    }

    /** Whether it stands in the queue still. */
    private boolean isQueued() {
        Parking own = waiter;
        return own != null && own.queued;
    }

    /** The most others that it, or one of those ahead of it, joined behind; 0 if it does not wait. */
    int farthest() {
        return isQueued() ? farthest : 0;
    }

    /** The pool is suspended, or resumed. */
    void suspended() {
        passedBy = true;
    }

    /**
     * Somebody took this connection, or was handed it. The bound is that of {@link WaitQueue}, but for the hand-overs:
     * those that happened count, and one before.
     */
    void seesTaken(SimulatedUser taker, boolean directly, SimulatedServer.Session taken) {
        if (!isQueued() || taker == this) {
            return;
        }
        handedOver += directly ? 1 : 0;
        if (passedBy || taker.place < place || taken.releasedAt < joinedAt + WaitQueue.PATIENCE_NANOS) {
            return;
        }
        overtaken++;
        int most = farthest / 4 + 1 + 2 * (handedOver + 1);
        world.require(
                overtaken <= most,
                this + " was overtaken " + overtaken + " times, " + farthest
                        + " were ahead of it or of one of them, and " + handedOver + " connections were handed over");
    }

    private void refused(SQLException e) {
        String message = String.valueOf(e.getMessage());
        world.note(this + " is refused: " + e.getSQLState());
        if (message.contains("no connection within")) {
            simulation.timedOut(this, begunAt, idleBefore);
        } else {
            simulation.refused(this, message);
        }
        goOn(simulation.pause());
    }

    // -------------------------------------------------------------------- use

    private void lent(Slot slot, @Nullable Parking waited) throws SQLException {
        SimulatedServer.Session own = SimulatedServer.of(slot.physical);
        long at = waited == null || waited.grantedAt == Long.MAX_VALUE ? world.now() : waited.grantedAt;
        simulation.checkLent(this, own, at, lookedAt, waited != null && waited.isGranted());
        Acquiring acquiring = simulation.pool.acquiring;
        if (waited != null) {
            acquiring.noteWait(slot, waited);
        }
        ConnectionHandle lent = acquiring.lend(slot);
        handle = lent;
        session = own;
        own.holder = this;
        own.answeredAt = Long.MIN_VALUE;
        world.note(this + " has " + own);
        world.after(simulation.holds(), this::use);
    }

    private void use() {
        world.actor = this;
        ConnectionHandle own = Objects.requireNonNull(handle);
        SimulatedServer.Session lent = Objects.requireNonNull(session);
        int dice = world.random.nextInt(100);
        boolean failing = !simulation.server.healed;
        if (dice < 25) {
            giveBack(own, lent);
        } else if (failing && dice < 27) {
            abort(own, lent);
        } else {
            String sql = !failing || dice < 92
                    ? "WORK"
                    : dice < 96 ? "FAIL" : dice == 96 ? "LOSE" : dice == 97 ? "BREAK" : "WORK";
            execute(own, lent, sql);
            if (world.chance(2)) {
                giveBack(own, lent);
            } else {
                world.after(simulation.holds(), this::use);
            }
        }
    }

    private void execute(ConnectionHandle own, SimulatedServer.Session lent, String sql) {
        boolean alive = own.slot.isLive(own.loanWord);
        world.note(this + " executes " + sql);
        try (Statement statement = own.createStatement()) {
            boolean ignored = statement.execute(sql);
            lent.answeredAt = world.now();
            lent.doubtful = false;
        } catch (SQLException e) {
            if (!alive) {
                world.require("08003".equals(e.getSQLState()), "a handle that was ended says so: " + e);
            } else if ("08006".equals(e.getSQLState())) {
                lent.bar("it was found dead");
                simulation.server.suspectBefore = world.now();
            } else {
                lent.doubtful = true;
            }
        } catch (IllegalStateException e) {
            lent.bar("its driver broke");
        }
    }

    private void giveBack(ConnectionHandle own, SimulatedServer.Session lent) {
        if (own.slot.isLive(own.loanWord)) {
            lent.proves = lent.answeredAt > Long.MIN_VALUE
                    && !lent.doubtful
                    && lent.answeredAt >= simulation.server.suspectBefore;
            if (lent.doubtful) {
                lent.provedAt = Long.MIN_VALUE / 2; // its last call failed: it is to be tested first
            }
            lent.provesIfAnswered();
            lent.releasedAt = world.now();
            lent.returnedAt = world.now();
        }
        world.note(this + " gives back " + lent);
        boolean proves = lent.proves && !own.slot.isDistrusted() && own.slot.isLive(own.loanWord);
        long coarse = simulation.pool.clock.coarse();
        long steps = world.steps();
        end(own, lent, own::close);
        boolean alone = steps == world.steps() && own.slot.state() != Slot.RETIRED;
        world.require(!proves || !alone || own.slot.aliveAt() >= coarse, "the return of " + lent + " proves nothing");
    }

    private void abort(ConnectionHandle own, SimulatedServer.Session lent) {
        world.note(this + " aborts " + lent);
        lent.bar("it was aborted");
        end(own, lent, () -> own.abort(Runnable::run));
    }

    private interface End {
        void end() throws SQLException;
    }

    private void end(ConnectionHandle own, SimulatedServer.Session lent, End call) {
        stale = own;
        try {
            call.end();
        } catch (SQLException e) {
            world.require(simulation.mayFail(e), "a return threw " + e);
        }
        handle = null;
        session = null;
        if (lent.holder == this) {
            lent.holder = null;
        }
        goOn(simulation.pause());
    }

    /** A handle that was closed does nothing, whatever is called. */
    void touchStale() {
        ConnectionHandle own = stale;
        if (own == null || own == handle) {
            return;
        }
        long calls = simulation.server.calls();
        long word = own.slot.wordVolatile();
        try {
            switch (world.random.nextInt(3)) {
                case 0 -> own.close();
                case 1 -> own.abort(Runnable::run);
                default -> throw new AssertionError("a closed handle made " + own.createStatement());
            }
        } catch (SQLException e) {
            world.require("08003".equals(e.getSQLState()), "a closed handle says so: " + e);
        }
        world.require(
                calls == simulation.server.calls() && word == own.slot.wordVolatile(),
                "a closed handle touched its connection");
    }

    @Override
    public String toString() {
        return "user " + number;
    }
}
