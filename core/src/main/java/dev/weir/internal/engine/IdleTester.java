package dev.weir.internal.engine;

import dev.weir.internal.drivers.Session;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.waiting.PoolClock;
import dev.weir.internal.waiting.Slot;
import dev.weir.internal.waiting.Slots;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Tests connections on helper threads, so that no user's thread waits for a network that may be a black hole.
 *
 * <p>A slot under test is CHECKING. Its test ends in one of two ways, decided once by the flag of the {@link Check}:
 * the driver answered, and the slot goes back to work or is retired; or the time is up, even if the driver promised
 * otherwise about its own timeout, and the Keeper retires it, which aborts the socket under the hung test. The tests
 * under way are an intrusive list: an Error while one is started leaves either none, or one that the Keeper will end.
 */
final class IdleTester {
    /** The time that a driver may take beyond the time it was given before we stop believing in it. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** A test that has not answered after this long no longer counts as help for those who wait. */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** When more suspects are tested, where there are more than may be at once. */
    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Gets the outcome of tests. */
    interface Outcome {
        /** A slot, which its tester owns now, is alive. */
        void testPassed(Slot slot);

        /** A slot, which its tester owns now, failed the test that was started at this time. */
        void testFailed(Slot slot, Throwable failure, long startedNanos);
    }

    /** Asks something of a connection that passed its test. */
    @FunctionalInterface
    interface Question {
        /** Throws what the test failed with, if the connection is not as before. */
        void ask(Session session) throws SQLException;
    }

    private final Settings settings;
    private final PoolClock clock;
    private final Slots slots;
    private final HelperThreads helpers;
    private final LongConsumer nudgeKeeper;
    private final Outcome outcome;

    private volatile boolean suspectsDue;

    /** Guards the list of tests; a leaf. */
    private final Object lock = new Object();

    // Guarded by lock.
    private @Nullable Check first;
    private int underWay;

    private final Starter starter = new Starter();

    /** {@code nudgeKeeper}: makes the Keeper's next pass come at this time at the latest. */
    IdleTester(
            Settings settings,
            PoolClock clock,
            Slots slots,
            HelperThreads helpers,
            LongConsumer nudgeKeeper,
            Outcome outcome) {
        this.settings = settings;
        this.clock = clock;
        this.slots = slots;
        this.helpers = helpers;
        this.nudgeKeeper = nudgeKeeper;
        this.outcome = outcome;
    }

    /** Starts tests of idle slots that are not fresh, until as many as {@code wanted} are under way and promising. */
    void checkStale(int wanted, long now) {
        int missing = wanted - promising(now);
        if (missing <= 0) {
            return;
        }
        long freshAfter = clock.freshAfter();
        slots.checkStale(missing, freshAfter, now, starter);
    }

    /** A class, which is loaded before a crowd is there to wait for it. */
    private final class Starter implements ObjLongConsumer<Slot> {
        @Override
        public void accept(Slot slot, long now) {
            start(slot, now);
        }
    }

    /** Every idle connection that is under suspicion is to be tested. */
    void testSuspects() {
        suspectsDue = true;
        nudgeKeeper.accept(clock.now());
    }

    /** Tests them if that is due, by the Keeper; returns when to look again. */
    long testSuspectsIfDue(long now) {
        if (!suspectsDue) {
            return Long.MAX_VALUE;
        }
        suspectsDue = false;
        if (checkUsedBefore(clock.suspectBefore(), settings.acquireIncrement(), now) > 0) {
            suspectsDue = true;
            return now + SOON_NANOS;
        }
        return Long.MAX_VALUE;
    }

    /** Tests idle slots last used before this time, at most so many at once; returns how many remain to be tested. */
    int checkUsedBefore(long usedBefore, int atOnce, long now) {
        int room = atOnce - underWay();
        int remain = 0;
        for (Slot slot : slots.all()) {
            if (slot.lastUsed() >= usedBefore || !slot.isAvailable()) {
                continue;
            }
            if (room > 0 && slot.tryCheck()) {
                start(slot, now);
                room--;
            } else {
                remain++;
            }
        }
        return remain;
    }

    /**
     * Tests a slot that the caller has in CHECKING. It has its full time, however little those have who wait for it.
     */
    void start(Slot slot, long now) {
        start(slot, now, null);
    }

    /** The same, and asks the session something more before it goes back to work. */
    void start(Slot slot, long now, @Nullable Question question) {
        Check check = new Check(slot, now, settings.validationTimeoutNanos(), question);
        link(check);
        helpers.execute(check);
    }

    private void link(Check check) {
        synchronized (lock) {
            check.next = first;
            first = check;
            underWay++;
        }
    }

    private int underWay() {
        synchronized (lock) {
            return underWay;
        }
    }

    private List<Check> checks() {
        List<Check> checks = new ArrayList<>(0);
        synchronized (lock) {
            for (Check check = first; check != null; check = check.next) {
                checks.add(check);
            }
        }
        return checks;
    }

    private void remove(Check check) {
        synchronized (lock) {
            Check before = null;
            for (Check at = first; at != null; before = at, at = at.next) {
                if (at == check) {
                    if (before == null) {
                        first = at.next;
                    } else {
                        before.next = at.next;
                    }
                    underWay--;
                    return;
                }
            }
        }
    }

    /** Whether a test of this slot is under way. */
    boolean isChecking(Slot slot) {
        synchronized (lock) {
            for (Check check = first; check != null; check = check.next) {
                if (check.slot == slot) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Retires slots whose test hangs; returns when the next would be due. */
    long abandonHung(long now) {
        long next = Long.MAX_VALUE;
        for (Check check : checks()) {
            if (check.dueNanos > now) {
                next = Math.min(next, check.dueNanos);
            } else {
                check.endTest(new SQLTimeoutException("the test did not end in time", "08006"));
            }
        }
        return next;
    }

    /** The pool ends: all connections under test are retired now. */
    void abandonAll() {
        for (Check check : checks()) {
            check.endTest(new SQLTimeoutException("the pool was closed during the test", "08006"));
        }
    }

    private int promising(long now) {
        int count = 0;
        synchronized (lock) {
            for (Check check = first; check != null; check = check.next) {
                count += now - check.startedNanos < SLOW_NANOS ? 1 : 0;
            }
        }
        return count;
    }

    private final class Check implements HelperThreads.Job {
        final Slot slot;
        final long startedNanos;
        final long timeoutNanos;
        final long dueNanos;

        /** The word of the slot once the test is over. */
        private final long returning;

        private final @Nullable Question question;

        private final AtomicBoolean decided = new AtomicBoolean();

        @Nullable
        Check next; // guarded by lock

        Check(Slot slot, long startedNanos, long timeoutNanos, @Nullable Question question) {
            this.slot = slot;
            this.startedNanos = startedNanos;
            this.timeoutNanos = timeoutNanos;
            this.question = question;
            this.dueNanos = startedNanos + timeoutNanos + GRACE_NANOS;
            this.returning = (slot.wordVolatile() & ~(Slot.STATE | Slot.CONDEMNED)) | Slot.RETURNING;
        }

        @Override
        public boolean isGivenUp() {
            return decided.get();
        }

        @Override
        public void run() {
            Throwable failure = null;
            try {
                slot.session.validate(settings, timeoutNanos);
                if (slot.roleSuspected) {
                    slot.roleSuspected = false;
                    slot.session.checkRole();
                }
                if (question != null) {
                    question.ask(slot.session);
                }
            } catch (Throwable e) { // an Error too must not cost the slot
                failure = e;
            }
            endTest(failure);
        }

        void endTest(@Nullable Throwable failure) {
            if (!decided.compareAndSet(false, true)) {
                return;
            }
            remove(this);
            if (!slot.endCheck()) {
                return;
            }
            boolean ended = false;
            try {
                if (failure == null) {
                    outcome.testPassed(slot);
                } else {
                    outcome.testFailed(slot, failure, startedNanos);
                }
                ended = true;
            } finally {
                if (!ended) {
                    slot.stranded = returning; // unless it was passed on or retired before
                }
            }
        }
    }
}
