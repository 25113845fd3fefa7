package dev.weir.internal.engine;

import dev.weir.internal.working.Close;
import dev.weir.internal.working.Connect;
import dev.weir.internal.working.Job;
import dev.weir.internal.working.Test;
import dev.weir.internal.working.Workers;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a pool in a {@link Simulation}: a job is an event when a thread comes to it, one when its driver answers, and
 * one when it says what came of it.
 */
final class SimulatedWorkers extends Workers {
    private final SimulatedWorld world;
    private final SimulatedServer server;

    /** Jobs that have not come to their end. */
    private int underWay;

    private int aborts;
    private long refusedAt = Long.MIN_VALUE / 2;

    /** The thread of the Keeper was started. */
    boolean keeperBegan;

    /** Sessions that came when their connects were given up: each has a place of its own until it is closed. */
    private final List<SimulatedServer.Session> late = new ArrayList<>();

    private final LongSupplier keeperTurns;

    SimulatedWorkers(SimulatedWorld world, SimulatedServer server, LongSupplier keeperTurns) {
        super("simulated", null);
        this.keeperTurns = keeperTurns;
        this.world = world;
        this.server = server;
    }

    int underWay() {
        return underWay;
    }

    /** Aborts of hung closes, whose places may be free before they end. */
    int aborts() {
        return aborts;
    }

    /** So many turns of the Keeper may pass until the thread that closed a connection has said so. */
    private static final int MOST_TURNS = 10;

    /**
     * The number of places that late sessions take beyond the maximum. The Keeper may not have seen yet that one is
     * gone.
     */
    int late() {
        late.removeIf(session -> session.closed && keeperTurns.getAsLong() > session.goneAtTurn + MOST_TURNS);
        return late.size();
    }

    /** No thread could be made a moment ago: the Keeper tries again after a second. */
    boolean isShortOfThreads() {
        return world.now() - refusedAt < 2_000_000_000L;
    }

    @Override
    public void execute(Runnable job) {
        if (!server.healed && world.chance(500)) {
            refusedAt = world.now();
            throw new OutOfMemoryError("unable to create native thread");
        }
        if (job instanceof Test test) {
            SimulatedServer.of(test.slot.physical).testedSince = test.startedNanos;
        }
        underWay++;
        aborts += job instanceof Close.Abort ? 1 : 0;
        boolean keptBack = !server.healed && world.chance(60);
        world.after(keptBack ? world.time(0, 3_000_000_000L) : world.wakeUp(), () -> begin(job));
        world.heldUp(10);
    }

    private void begin(Runnable work) {
        if (!(work instanceof Job job)) {
            work.run();
            underWay--;
            return;
        }
        boolean calls = job.begin();
        world.note("job begins: " + name(job));
        if (job instanceof Close close) {
            SimulatedServer.Session session = SimulatedServer.of(close.physical);
            session.closes++;
            world.require(session.closes == 1, session + " is closed a second time");
        }
        if (calls) {
            long takes = job instanceof Close.Abort ? world.wakeUp() : server.callTakes();
            call(job, takes);
        } else {
            finish(job);
        }
    }

    /** A call that hangs ends when its connection is closed. */
    private void call(Job job, long takes) {
        SimulatedServer.Session session = sessionOf(job);
        SimulatedWorld.Event answer = world.after(takes, () -> answer(job));
        if (session != null && !session.closed) {
            session.whenClosed.add(() -> {
                if (answer.cancel()) {
                    world.after(world.wakeUp(), () -> answer(job));
                }
            });
        }
    }

    private void answer(Job job) {
        world.actor = job;
        try {
            job.call();
        } catch (Exception e) {
            throw new AssertionError("a job threw", e);
        }
        world.note("job has its answer: " + name(job));
        if (world.chance(3)) {
            world.after(world.wakeUp(), () -> finish(job));
        } else {
            finish(job);
        }
    }

    private void finish(Job job) {
        heard(job);
        job.finish();
        job.leave();
        if (job instanceof Close close) {
            SimulatedServer.of(close.physical).goneAtTurn = keeperTurns.getAsLong();
        }
        underWay--;
        aborts -= job instanceof Close.Abort ? 1 : 0;
    }

    /** An answer of the driver proves something when the pool hears of it. */
    private void heard(Job job) {
        Connection opened = job instanceof Connect connect ? connect.leftOver() : null;
        if (opened != null) {
            SimulatedServer.of(opened).provedAt = world.now();
            SimulatedServer.of(opened).releasedAt = world.now();
            if (job.isDecided()) {
                late.add(SimulatedServer.of(opened));
            }
        } else if (job instanceof Test test) {
            SimulatedServer.Session tested = SimulatedServer.of(test.slot.physical);
            tested.testHeard();
            tested.releasedAt = world.now();
            tested.returnedAt = Long.MIN_VALUE;
        }
    }

    private static SimulatedServer.@Nullable Session sessionOf(Job job) {
        return job instanceof Test test
                ? SimulatedServer.of(test.slot.physical)
                : job instanceof Close close ? SimulatedServer.of(close.physical) : null;
    }

    private static String name(Job job) {
        SimulatedServer.Session session = sessionOf(job);
        return job.getClass().getSimpleName() + (session == null ? "" : " of " + session);
    }

    @Override
    public Thread newKeeper(Runnable keeper) {
        return new Thread(keeper, "weir-simulated-keeper") {
            @Override
            @SuppressWarnings("UnsynchronizedOverridesSynchronized") // it starts nothing
            public void start() {
                keeperBegan = true;
            }
        };
    }
}
