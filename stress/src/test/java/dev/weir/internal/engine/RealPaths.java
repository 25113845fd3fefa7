package dev.weir.internal.engine;

import dev.weir.Configured;
import dev.weir.PoolStats;
import dev.weir.RetireReason;
import dev.weir.internal.drivers.ConnectFailure;
import dev.weir.internal.drivers.Session;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.waiting.Parts;
import dev.weir.internal.waiting.PoolClock;
import dev.weir.internal.waiting.Slot;
import dev.weir.internal.waiting.Slots;
import dev.weir.internal.waiting.WaitQueue;
import dev.weir.spi.Ticker;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
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

    /** Closes nothing: there is nothing to close. */
    private static final HelperThreads HELPERS = new HelperThreads("stress") {
        @Override
        public void execute(Runnable job) {}

        @Override
        void executeFirst(Runnable job) {}
    };

    public final WaitQueue queue;
    public final Slots slots = new Slots();
    final Returning returning;
    private final Retirement retirement;
    private final PoolClock clock;
    private final PoolState state;
    private final LoanTimer timer;

    /** Who retired the slot that was retired last. */
    private volatile @Nullable Thread retiredBy;

    /** With slots of {@link Parts}, or with none. */
    public RealPaths(Slot... all) {
        clock = new PoolClock(STANDS_STILL, HOUR_NANOS, 1);
        clock.tick(0);
        queue = new WaitQueue(clock);
        state = new PoolState(SETTINGS, clock, slots, queue);
        timer = new LoanTimer(clock, (heldNanos, now) -> {});
        Closer closer = new Closer(state, HELPERS, due -> retiredBy = Thread.currentThread(), () -> {});
        retirement = new Retirement(state, closer, timer, LISTENERS, () -> {}, (slot, now) -> {});
        returning = new Returning(state, retirement, timer, LISTENERS, now -> {}, (slot, now) -> {}, () -> {});
        for (Slot slot : all) {
            slots.add(slot);
        }
    }

    /** One more connection, as it comes from the opener: to a waiter at once, or idle. */
    @SuppressWarnings({"NullAway", "DataFlowIssue"}) // nothing under test touches the driver
    void open() {
        Slot slot = new Slot(returning, null, SESSION, 1, 0);
        slots.add(slot);
        returning.circulate(slot, true);
    }

    private static Session session() {
        try {
            return Session.prepare(RealPool.connect(), SETTINGS, null);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    Acquiring acquiring() {
        Loans loans = new Loans(SETTINGS, slots, heldNanos -> {});
        Refusals refusals = new Refusals(state, loans, new NoFacts());
        return new Acquiring(SETTINGS, clock, slots, queue, state, loans, timer, LISTENERS, refusals, new NoHelp());
    }

    private static final class NoFacts implements Refusals.Facts {
        @Override
        public PoolStats stats() {
            return new PoolStats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Map.of(), Map.of(), 0, null, null);
        }

        @Override
        public @Nullable ConnectFailure lastFailure() {
            return null;
        }

        @Override
        public long oldestConnectNanos() {
            return Long.MAX_VALUE;
        }
    }

    /** A slot that its owner cleaned comes home; true if that ended in retiring it. */
    public boolean release(Slot slot) {
        returning.release(slot, false);
        return isRetiredByMe();
    }

    /** A slot that was tested goes on; true if that ended in retiring it. */
    public boolean circulate(Slot slot) {
        returning.circulate(slot, true);
        return isRetiredByMe();
    }

    /** A slot comes home whose user did nothing; true if that ended in retiring it. */
    public boolean releaseUntouched(Slot slot, long held) {
        returning.releaseUntouched(slot, held);
        return isRetiredByMe();
    }

    /** An operator wants this slot gone; true if it was idle, and so retired here. */
    public boolean condemn(Slot slot) {
        retirement.condemn(slot, RetireReason.EVICTED);
        return isRetiredByMe();
    }

    /** The end of the pool takes a slot from its holder; true if it had one. */
    public boolean expel(Slot slot) {
        return retirement.expelHolder(slot);
    }

    private boolean isRetiredByMe() {
        return retiredBy == Thread.currentThread();
    }

    /** Nobody opens, and nothing else is under way that a waiter could hope for. */
    private static final class NoHelp implements Acquiring.Help {
        @Override
        public void test(Slot slot, long now) {}

        @Override
        public void wakeClock(long now) {}

        @Override
        public void beginPool(long sinceNanos) {}

        @Override
        public void demand(long now) {}

        @Override
        public @Nullable ConnectFailure refusal(long now) {
            return null;
        }

        @Override
        public long ownWorkNanos(long sinceNanos, long untilNanos, long now) {
            return 0;
        }

        @Override
        public void refusedAtTimeout(long now) {}
    }
}
