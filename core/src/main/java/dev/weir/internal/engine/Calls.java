package dev.weir.internal.engine;

import dev.weir.PoolStats;
import dev.weir.internal.drivers.ConnectFailure;
import dev.weir.internal.text.Log;
import dev.weir.internal.waiting.Slot;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of a pool call in those above them. One class for each kind of call, with a number, and not a lambda for each
 * call: the first connection waits for all of them, and a lambda that is new to the JVM takes a millisecond. See decision 16.
 *
 * <p>The parts are looked up in the pool when a call is made: some are made after those that call them.
 */
final class Calls {
    private final ConnectionPool pool;

    Calls(ConnectionPool pool) {
        this.pool = pool;
    }

    /** What each pass of the Keeper does. */
    final class Passes implements Keeper.Steps {
        private final HelperThreads helpers;
        private final ReturnWatch returns = new ReturnWatch(pool.settings, pool.slots, pool.retirement);
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
                "sweep",
                "sockets",
                "housekeeping",
                "leaks",
                "tally",
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
                case 0 -> pool.ticks.tickIfDue(now);
                case 1 -> pool.tidyQueue();
                case 2 -> pool.retirement.repair(isTested, now);
                case 3 -> returns.look(now);
                case 4 -> helpers.look(now);
                case 5 -> pool.serverName.look(now);
                case 6 -> pool.serverMaximum.look(now);
                case 7 -> pool.tester.testSuspectsIfDue(now);
                case 8 -> pool.watched ? pool.tester.probeSocketsIfDue(now) : Long.MAX_VALUE;
                case 9 -> pool.housekeeper.keepHouseIfDue(now);
                case 10 -> pool.findLeaks(now);
                case 11 -> pool.tell();
                case 12 -> pool.demand.serveWaiting(now);
                case 13 -> pool.housekeeper.fill(now);
                case 14 -> pool.lifecycle.conclude(now);
                case 15 -> pool.opener.look(now);
                case 16 -> pool.tester.abandonHung(now);
                case 17 -> pool.ticks.next(now);
                case 18 -> Log.prepare();
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
                case NUDGE -> pool.keeper.nudge(nanos);
                case WAKE_CLOCK -> pool.keeper.wakeClock(nanos);
                case CLOSE_BEGUN -> pool.closeBegun(nanos);
                default -> pool.listeners.leaked(pool.name(), nanos);
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
                case TEST -> pool.tester.start(slot, now);
                case USELESS -> pool.opener.connectionUseless(slot, now);
                default -> pool.housekeeper.renewFrom(slot, now);
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
                case PLACE_FREED -> pool.placeFreed();
                case TEST_SUSPECTS -> pool.tester.testSuspects();
                case PROVED -> pool.opener.connectionProved();
                default -> pool.keeper.nudge(pool.clock.now() + HelperThreads.SLOW_NANOS);
            }
        }
    }

    /** A question. */
    final class Whether implements BooleanSupplier {
        static final int SOMEBODY_LISTENS = 0;
        static final int START_WAITS = 1;

        private final int what;

        Whether(int what) {
            this.what = what;
        }

        @Override
        public boolean getAsBoolean() {
            return what == SOMEBODY_LISTENS ? !pool.listeners.isEmpty() : pool.lifecycle.startWaits();
        }
    }

    final class IsTested implements Predicate<Slot> {
        @Override
        public boolean test(Slot slot) {
            return pool.tester.isChecking(slot);
        }
    }

    final class Facts implements Refusals.Facts {
        @Override
        public PoolStats stats() {
            return pool.stats();
        }

        @Override
        public @Nullable ConnectFailure lastFailure() {
            return pool.lastFailure();
        }

        @Override
        public long oldestConnectNanos() {
            return pool.opener.oldestSinceNanos();
        }
    }
}
