package dev.weir.internal.engine;

import dev.weir.Configured;
import dev.weir.RetireReason;
import dev.weir.internal.lending.Acquiring;
import dev.weir.internal.lending.Returning;
import dev.weir.internal.observing.Listeners;
import dev.weir.internal.sessions.Session;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.shared.Faults;
import dev.weir.internal.shared.Holders;
import dev.weir.internal.shared.LoanWatch;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.shared.Refusals;
import dev.weir.internal.shared.Starting;
import dev.weir.internal.slots.Inbox;
import dev.weir.internal.slots.Parts;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.slots.Slots;
import dev.weir.internal.slots.WaitQueue;
import dev.weir.spi.Ticker;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The ways of a slot to a user and home again, the engine's own, on connections that lead nowhere: acquiring, the queue,
 * returning, retiring. There is no Keeper, which would make good what a wake-up lost, and no opener.
 */
public final class RealPaths {
    private static final Settings SETTINGS = Configured.settings(RealPool.config(8), "stress");

    /** Of every slot: the driver's side of none is under test. */
    public static final Session SESSION = session();

    private static final Listeners LISTENERS = new Listeners(List.of());
    private static final long HOUR_NANOS = 3_600_000_000_000L;
    private static final Ticker STANDS_STILL = () -> 0L;
    private static final RandomGenerator RANDOM =
            () -> ThreadLocalRandom.current().nextLong();

    public final WaitQueue queue;
    public final Slots slots = new Slots();
    final Returning returning;
    private final PoolState state;

    /** The thread that told the Keeper something: here, that it retired a slot. */
    private volatile @Nullable Thread retirementCause;

    /** With slots of {@link Parts}, or with none. */
    public RealPaths(Slot... all) {
        PoolClock clock = new PoolClock(STANDS_STILL, HOUR_NANOS, 1);
        clock.tick(0);
        queue = new WaitQueue(clock);
        Inbox inbox = new Inbox() {
            @Override
            public void nudge(long atNanos) {
                retirementCause = Thread.currentThread();
            }
        };
        state = new PoolState(SETTINGS, clock, slots, queue, inbox, RANDOM, null, null);
        state.phase.set(PoolState.Phase.STARTED);
        returning = new Returning(state, new Faults(state), LISTENERS);
        for (Slot slot : all) {
            slots.add(slot);
        }
    }

    /** One more connection, as it comes from the opener: to a waiter at once, or idle. */
    @SuppressWarnings({"NullAway", "DataFlowIssue"}) // nothing under test touches the driver
    void open() {
        Slot slot = new Slot(returning, null, SESSION, 1, 0, null);
        slots.add(slot);
        state.passOn(slot, true);
    }

    private static Session session() {
        try {
            return Session.prepare(RealPool.connect(), SETTINGS, null);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    Acquiring acquiring() {
        Refusals refusals = new Refusals(state, new Holders(state), new LoanWatch(state, LISTENERS, returning));
        Starting starting = new Starting(state, refusals);
        return new Acquiring(state, LISTENERS, refusals, starting);
    }

    /** A slot that its owner cleaned comes home; true if that ended in retiring it. */
    public boolean release(Slot slot) {
        returning.release(slot, false);
        return isRetiredByMe();
    }

    /** A slot that was tested goes on; true if that ended in retiring it. */
    public boolean circulate(Slot slot) {
        state.passOn(slot, true);
        return isRetiredByMe();
    }

    /** A slot comes home whose user did nothing; true if that ended in retiring it. */
    public boolean releaseUntouched(Slot slot, long held) {
        returning.releaseUntouched(slot, held);
        return isRetiredByMe();
    }

    /** An operator wants this slot gone; true if it was idle, and so retired here. */
    public boolean condemn(Slot slot) {
        state.condemn(slot, RetireReason.EVICTED);
        return isRetiredByMe();
    }

    /** The end of the pool takes a slot from its holder; true if it had one. */
    public boolean expel(Slot slot) {
        return slot.tryRetire(Slot.IN_USE);
    }

    private boolean isRetiredByMe() {
        return retirementCause == Thread.currentThread();
    }
}
