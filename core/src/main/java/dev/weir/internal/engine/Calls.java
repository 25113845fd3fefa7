package dev.weir.internal.engine;

import dev.weir.internal.settings.Settings;
import dev.weir.internal.text.Log;
import dev.weir.internal.waiting.PoolClock;
import dev.weir.internal.waiting.Slot;
import dev.weir.internal.waiting.Slots;
import dev.weir.internal.waiting.WaitQueue;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;
import java.util.function.Predicate;

/**
 * Calls from parts of a pool to those above them. One class for each kind of call, with a number, and not a lambda for each
 * call: the first connection waits for all of them, and a lambda that is new to the JVM takes a millisecond. See decision 16.
 *
 * <p>The pool sets the parts here when all are made, since some are made after those that call them; before that no call
 * comes.
 */
@SuppressWarnings("NullAway.Init") // set by the pool
final class Calls {
    private final Settings settings;
    private final Slots slots;
    private final Listeners listeners;

    // Set once, before any thread of the pool starts.
    PoolClock clock;
    WaitQueue queue;
    Keeper keeper;
    IdleTester tester;
    Opener opener;
    Supply supply;
    Retirement retirement;
    Housekeeper housekeeper;
    Lifecycle lifecycle;
    Shutdown shutdown;
    Demand demand;
    Loans loans;
    Ticks ticks;
    ServerName serverName;
    ServerMaximum serverMaximum;

    Calls(Settings settings, Slots slots, Listeners listeners) {
        this.settings = settings;
        this.slots = slots;
        this.listeners = listeners;
    }

    /** The steps of each pass of the Keeper. */
    final class Passes implements Keeper.Steps {
        private final HelperThreads helpers;
        private final ReturnWatch returns = new ReturnWatch(settings, slots, retirement);
        private final Predicate<Slot> isTested = new IsTested();

        Passes(HelperThreads helpers) {
            this.helpers = helpers;
        }

        @Override
        public String[] names() {
            return new String[] {
                "clock",
                "queue",
                "repair",
                "returns", // after the clock: it may rest
                "helpers",
                "server name", // before the housekeeping, which it brings forward
                "server maximum",
                "suspects",
                "housekeeping",
                "leaks",
                "waiters",
                "minimum",
                "start",
                "connects", // late, so that what this pass began is watched too
                "tests",
                "ticks",
                "log"
            };
        }

        @Override
        public long take(int step, long now) {
            return switch (step) {
                case 0 -> ticks.tickIfDue(now);
                case 1 -> tidyQueue();
                case 2 -> retirement.repair(isTested, now);
                case 3 -> returns.look(now);
                case 4 -> helpers.look(now);
                case 5 -> serverName.look(now);
                case 6 -> serverMaximum.look(now);
                case 7 -> tester.testSuspectsIfDue(now);
                case 8 -> housekeeper.keepHouseIfDue(now);
                case 9 -> findLeaks(now);
                case 10 -> demand.serveWaiting(now);
                case 11 -> housekeeper.fill(now);
                case 12 -> lifecycle.conclude(now);
                case 13 -> opener.look(now);
                case 14 -> tester.abandonHung(now);
                case 15 -> ticks.next(now);
                case 16 -> Log.prepare();
                default -> throw new IllegalArgumentException("step: " + step);
            };
        }
    }

    /** A call with a time. */
    final class Nanos implements LongConsumer {
        static final int NUDGE = 0;
        static final int WAKE_CLOCK = 1;
        static final int CLOSE_BEGUN = 2;
        static final int LEAKED = 3;

        private final int what;

        Nanos(int what) {
            this.what = what;
        }

        @Override
        public void accept(long nanos) {
            switch (what) {
                case NUDGE -> keeper.nudge(nanos);
                case WAKE_CLOCK -> keeper.wakeClock(nanos);
                case CLOSE_BEGUN -> closeBegun(nanos);
                default -> listeners.leaked(settings.poolName(), nanos);
            }
        }
    }

    /** A call about a slot, with a time. */
    final class SlotAt implements ObjLongConsumer<Slot> {
        static final int TEST = 0;
        static final int USELESS = 1;
        static final int RENEW = 2;

        private final int what;

        SlotAt(int what) {
            this.what = what;
        }

        @Override
        public void accept(Slot slot, long now) {
            switch (what) {
                case TEST -> tester.start(slot, now);
                case USELESS -> opener.gate.connectionUseless(slot.openedNanos, now);
                default -> housekeeper.renewFrom(slot, now);
            }
        }
    }

    /** A call without more. */
    final class Then implements Runnable {
        static final int PLACE_FREED = 0;
        static final int TEST_SUSPECTS = 1;
        static final int PROVED = 2;
        static final int BACKLOG = 3;

        private final int what;

        Then(int what) {
            this.what = what;
        }

        @Override
        public void run() {
            switch (what) {
                case PLACE_FREED -> placeFreed();
                case TEST_SUSPECTS -> tester.testSuspects();
                case PROVED -> opener.gate.connectionProved();
                default -> keeper.nudge(clock.now() + HelperThreads.SLOW_NANOS);
            }
        }
    }

    final class StartWaits implements BooleanSupplier {
        @Override
        public boolean getAsBoolean() {
            return lifecycle.startWaits();
        }
    }

    final class IsTested implements Predicate<Slot> {
        @Override
        public boolean test(Slot slot) {
            return tester.isChecking(slot);
        }
    }

    private long findLeaks(long now) {
        loans.reclaim(now);
        return loans.reportLeaks(now);
    }

    private long tidyQueue() {
        queue.tidy();
        return Long.MAX_VALUE;
    }

    private void closeBegun(long dueNanos) {
        keeper.nudge(dueNanos);
        shutdown.wake();
    }

    private void placeFreed() {
        opener.gate.placeLeft(clock.now());
        shutdown.wake();
        supply.replenishIfWanted();
    }
}
