package dev.weir;

import java.lang.invoke.MethodHandles;
import java.sql.SQLTimeoutException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Tests connections on helper threads, so that no user's thread waits for a network that may be a black hole.
 *
 * <p>A slot under test is CHECKING. Its test ends in one of two ways, decided once by the flag of the {@link Check}: the
 * driver answered, and the slot goes back to work or is retired; or the time is up, whatever the driver promised about its
 * own timeout, and the Keeper retires it, which aborts the socket under the hung test.
 */
final class Checker {
    /** What a driver may take beyond the time it was given before we stop believing in it. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** A test that has not answered after this long no longer counts as help for those who wait. */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    static {
        try {
            // The first test is often that of a crowd that comes after a quiet time: none of it should wait for a
            // class.
            MethodHandles.lookup().ensureInitialized(Check.class);
        } catch (IllegalAccessException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ConnectionPool pool;
    private final PoolClock clock;
    private final Slots slots;
    private final Helpers helpers;
    private final Set<Check> underWay = ConcurrentHashMap.newKeySet();

    Checker(ConnectionPool pool, PoolClock clock, Slots slots, Helpers helpers) {
        this.pool = pool;
        this.clock = clock;
        this.slots = slots;
        this.helpers = helpers;
    }

    /** Starts tests of idle slots that are not fresh, until as many as {@code wanted} are under way and promising. */
    void checkStale(int wanted, long now) {
        int missing = wanted - promising(now);
        if (missing <= 0) {
            return;
        }
        long freshAfter = clock.freshAfterOpaque();
        Slot[] all = slots.all();
        int n = all.length;
        for (int i = 0, at = n == 0 ? 0 : Slots.start(n); i < n && missing > 0; i++, at++) {
            Slot slot = all[at < n ? at : at - n]; // first the one that this thread would have taken
            if (slot.lastUsedOpaque() < freshAfter && slot.tryCheck()) {
                start(slot, now);
                missing--;
            }
        }
    }

    /** Tests idle slots last used before this time, at most so many at once; returns how many remain to be tested. */
    int checkUsedBefore(long usedBefore, int atOnce, long now) {
        int room = atOnce - underWay.size();
        int remain = 0;
        for (Slot slot : slots.all()) {
            if (slot.lastUsedOpaque() >= usedBefore || !slot.isAvailable()) {
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

    /** Tests a slot that the caller has in CHECKING. It has its full time, however little those have who wait for it. */
    void start(Slot slot, long now) {
        Check check = new Check(slot, now, pool.settings.validationTimeoutNanos());
        underWay.add(check);
        helpers.execute(check);
    }

    /** Retires slots whose test hangs; returns when the next would be due. */
    long abandonHung(long now) {
        long next = Long.MAX_VALUE;
        for (Check check : underWay) {
            if (check.dueNanos > now) {
                next = Math.min(next, check.dueNanos);
            } else {
                check.end(new SQLTimeoutException("the test did not end in time", "08006"));
            }
        }
        return next;
    }

    /** The pool ends: whatever is under test is retired now. */
    void abandonAll() {
        for (Check check : underWay) {
            check.end(new SQLTimeoutException("the pool was closed during the test", "08006"));
        }
    }

    private int promising(long now) {
        int count = 0;
        for (Check check : underWay) {
            if (now - check.startedNanos < SLOW_NANOS) {
                count++;
            }
        }
        return count;
    }

    private final class Check implements Runnable {
        final Slot slot;
        final long startedNanos;
        final long timeoutNanos;
        final long dueNanos;
        private final AtomicBoolean decided = new AtomicBoolean();

        Check(Slot slot, long startedNanos, long timeoutNanos) {
            this.slot = slot;
            this.startedNanos = startedNanos;
            this.timeoutNanos = timeoutNanos;
            this.dueNanos = startedNanos + timeoutNanos + GRACE_NANOS;
        }

        @Override
        public void run() {
            Throwable failure = null;
            try {
                slot.session.validate(pool.settings, timeoutNanos);
            } catch (Throwable e) { // an Error too must not cost the slot
                failure = e;
            }
            end(failure);
        }

        void end(@Nullable Throwable failure) {
            if (!decided.compareAndSet(false, true)) {
                return;
            }
            underWay.remove(this);
            if (failure == null) {
                pool.checkPassed(slot);
            } else {
                pool.checkFailed(slot, failure, startedNanos);
            }
        }
    }
}
