package dev.weir.internal.engine;

import dev.weir.RetireReason;
import dev.weir.internal.drivers.Baseline;
import dev.weir.internal.drivers.Failures;
import dev.weir.internal.drivers.Session;
import dev.weir.internal.text.Log;
import dev.weir.internal.waiting.PoolClock;
import dev.weir.internal.waiting.Slot;
import dev.weir.spi.FailureClass;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjLongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How a connection loses its place: why slots are condemned and retired, and what one failure says of the other
 * connections.
 *
 * <p>The thread that moves a slot to RETIRED gives its connection to the {@link Closer}, once; the place is free when
 * that has closed it. {@link #repair} does the rest where an Error came in between.
 */
final class Retirement {
    /** A slot that seems to have no owner for this long is taken back. */
    private static final long UNOWNED_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** The role of the server is asked for at most so often, however many writes are refused. */
    private static final long ROLE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** A connection that is found dead so long after its test may have died since, and says nothing of tests. */
    private static final long JUST_TESTED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Tests are found misleading at most so often: a user's own SQL may raise what looks like a connection's death. */
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Fewer connections in a minute, retired for one reason, are not worth a warning. */
    private static final long CHURN_AT_LEAST = 10;

    /** Some session could write when it was opened. */
    private volatile boolean hadWriter;

    private volatile long roleSuspectedNanos = Long.MIN_VALUE / 2;

    /** When a connection was found dead in use that had just passed its test. */
    private volatile long testsMisledNanos = Long.MIN_VALUE / 2;

    private final PoolState pool;
    private final Closer closer;
    private final LoanTimer timer;
    private final Listeners listeners;
    private final Runnable testSuspects;
    private final ObjLongConsumer<Slot> onUseless;
    private final Map<RetireReason, Churn> churns = new EnumMap<>(RetireReason.class);

    /**
     * @param testSuspects tests the idle connections under suspicion
     * @param onUseless called for a connection that failed before any user had used it with success, with the time
     */
    Retirement(
            PoolState pool,
            Closer closer,
            LoanTimer timer,
            Listeners listeners,
            Runnable testSuspects,
            ObjLongConsumer<Slot> onUseless) {
        this.pool = pool;
        this.closer = closer;
        this.timer = timer;
        this.listeners = listeners;
        this.testSuspects = testSuspects;
        this.onUseless = onUseless;
        for (RetireReason reason : RetireReason.values()) {
            churns.put(reason, new Churn());
        }
    }

    // ----------------------------------------------------------------- retire

    /** A claimed slot is given up; its physical connection is closed by a helper thread. Never throws. */
    void retire(Slot slot, RetireReason reason, @Nullable Throwable cause) {
        if (slot.tryRetire(Slot.RETURNING)) {
            long usedNanos = -1;
            try {
                usedNanos = slot.acquiredNanos == 0 ? -1 : timer.endLoan(slot);
            } catch (Throwable e) {
                // A loan less is timed.
            }
            closeRetired(slot, reason, cause, isBroken(reason));
            try {
                if (usedNanos >= 0) {
                    listeners.used(pool.name(), usedNanos);
                }
            } catch (Throwable e) {
                // It is closed, even if nobody could be told.
            }
        }
    }

    /** Whether to abort the connection; that also ends the transaction of a loan that was lost, which close() may commit. */
    private static boolean isBroken(RetireReason reason) {
        return reason == RetireReason.FAULT || reason == RetireReason.INVALID || reason == RetireReason.RECLAIMED;
    }

    /** A slot that was condemned is given up by its owner, who may just have made it IDLE. */
    void retireCondemned(Slot slot) {
        retireIfIdle(slot);
        retire(slot, reasonOf(slot), null);
    }

    /**
     * A claimed slot that could not be cleaned is given up. If it is dead, its siblings are put under suspicion, once.
     */
    void retireFailed(Slot slot, Throwable failure) {
        RetireReason known = slot.condemnedFor();
        boolean gone = isGone(slot, failure);
        retire(slot, gone ? RetireReason.FAULT : known == null ? RetireReason.UNCLEAN : known, failure);
        if (gone && known != RetireReason.FAULT) {
            diedInUse(slot);
        } else if ("25006".equals(Failures.sqlState(failure))) {
            suspectRole(slot);
        }
    }

    /** A test that began at this time failed: what proved alive since then is not under suspicion. */
    void retireInvalid(Slot slot, Throwable failure, long testedSinceNanos) {
        boolean closed = pool.isClosed(); // then the test may have been cut short for that
        retire(slot, closed ? RetireReason.CLOSED : RetireReason.INVALID, failure);
        if (!closed) {
            suspectUsedBefore(testedSinceNanos);
            noteUse(slot);
        }
    }

    /**
     * The holder aborts: a claimed slot is given up, its physical connection is aborted on this executor. That is no
     * news of its siblings, since a holder aborts what takes too long for him, unless the driver knew already that the
     * connection was gone, or finds out while it aborts.
     */
    void abort(Slot slot, Executor executor) throws SQLException {
        boolean gone = false;
        try {
            gone = slot.session.isKnownDead();
            slot.physical.abort(executor);
        } catch (SQLException | RuntimeException | AbstractMethodError e) {
            gone |= isGone(slot, e);
            if (!Baseline.isNotSupported(e)) { // it is closed all the same
                throw e;
            }
        } finally {
            retire(slot, RetireReason.FAULT, null);
            if (gone) {
                suspectUsedBefore(pool.now());
            }
        }
    }

    /**
     * A return that hangs: the connection is taken from it and aborted, which ends what it hangs in.
     *
     * @param locked whether another thread keeps it out of the driver, which says nothing of the server
     */
    void cutOffReturn(Slot slot, long returning, long sinceNanos, boolean locked) {
        if (!slot.tryRetireFrom(returning)) {
            return;
        }
        String why = locked
                ? "another thread is inside its driver, and holds the lock"
                : "returnTimeout: " + TimeUnit.NANOSECONDS.toMillis(pool.settings.returnTimeoutNanos()) + " ms";
        String message = "was not cleaned within "
                + TimeUnit.NANOSECONDS.toMillis(PoolClock.elapsed(pool.now(), sinceNanos)) + " ms (" + why + ")";
        closeRetired(slot, RetireReason.UNCLEAN, new SQLTimeoutException(message, "08006"), true);
        if (!locked && !pool.isClosed()) {
            suspectUsedBefore(sinceNanos);
        }
        Thread holder = slot.holder;
        Log.log(
                Level.WARNING,
                "pool ''{0}'': {1} {2} and is aborted; it is in close() of thread ''{3}''",
                pool.name(),
                slot,
                message,
                holder == null ? "?" : holder.getName());
    }

    /** At the end of the pool: a slot that is still in use is taken from its holder; true if it was. */
    boolean expelHolder(Slot slot) {
        boolean wasInUse = slot.tryRetire(Slot.IN_USE);
        if (wasInUse) {
            closeRetired(slot, RetireReason.CLOSED, null, true);
        }
        return wasInUse;
    }

    /** Bars a slot from being lent again; it goes now if it is idle, else when its owner is done. */
    void condemn(Slot slot, RetireReason reason) {
        if (slot.condemn(reason) == Slot.IDLE) {
            retireIfIdle(slot);
        }
    }

    /**
     * Retires what is above a lowered maximum: idle ones now, of those in use as many as remain when they come home.
     */
    void shrinkTo(int maximum) {
        int surplus = pool.slots.live() - maximum;
        for (Slot slot : pool.slots.all()) {
            surplus -= slot.isCondemned() ? 1 : 0;
        }
        for (Slot slot : pool.slots.all()) {
            if (surplus > 0 && slot.isAvailable()) {
                condemn(slot, RetireReason.SURPLUS);
                surplus--;
            }
        }
        for (Slot slot : pool.slots.all()) {
            if (surplus > 0 && slot.state() != Slot.RETIRED && !slot.isCondemned()) {
                condemn(slot, RetireReason.SURPLUS);
                surplus--;
            }
        }
    }

    private void retireIfIdle(Slot slot) {
        if (slot.tryRetire(Slot.IDLE)) {
            closeRetired(slot, reasonOf(slot), null, false);
        }
    }

    private static RetireReason reasonOf(Slot slot) {
        RetireReason reason = slot.condemnedFor();
        return reason == null ? RetireReason.FAULT : reason;
    }

    /** The place first; listeners come last, and nothing that they throw gets out of here. */
    private void closeRetired(Slot slot, RetireReason reason, @Nullable Throwable cause, boolean broken) {
        try {
            if (closer.close(slot, reason, broken)) {
                tellRetired(slot, reason, cause);
            }
        } catch (Throwable e) {
            // A slot that is retired and still among the others is the Keeper's, see repair().
        }
    }

    private void tellRetired(Slot slot, RetireReason reason, @Nullable Throwable cause) {
        long ageNanos = PoolClock.elapsed(pool.now(), slot.openedNanos);
        Events.retired(pool.name(), slot.id, reason, ageNanos);
        if (Log.isLoggable(Level.DEBUG)) {
            String why = cause == null ? "" : ": " + textOf(slot, reason, cause);
            Log.log(Level.DEBUG, "pool ''{0}'': {1} retired ({2}){3}", pool.name(), slot, reason, why);
        }
        listeners.retired(pool.name(), reason, ageNanos);
        if (isTrouble(reason)) {
            tellChurn(slot, reason, cause);
        }
    }

    /** Not by age, nor by an operator, nor for being too many. */
    private static boolean isTrouble(RetireReason reason) {
        return isBroken(reason) || reason == RetireReason.UNCLEAN;
    }

    /**
     * A pool that opens a connection for each loan works, and is slow for no reason that shows. More than two for each place
     * is more than the loss of a server costs.
     */
    private void tellChurn(Slot slot, RetireReason reason, @Nullable Throwable cause) {
        Churn churn = churns.get(reason);
        long most = Math.max(CHURN_AT_LEAST, 2L * pool.settings.maximumPoolSize());
        long sinceNanos = churn == null ? -1 : churn.passes(most, pool.now());
        if (sinceNanos >= 0) {
            Log.log(
                    Level.WARNING,
                    "pool ''{0}'': {1} connections were retired within {2} ms ({3}); the last: {4}{5}",
                    pool.name(),
                    most + 1,
                    TimeUnit.NANOSECONDS.toMillis(sinceNanos),
                    reason,
                    slot,
                    cause == null ? "" : ", " + textOf(slot, reason, cause));
        }
    }

    /** How many connections were retired for one reason, in a minute that begins with the first. Its monitor is a leaf. */
    private static final class Churn {
        // Guarded by this.
        private long begunNanos;
        private long count;

        /** One more; if so many are passed with it, in how much time, else -1: once in each minute. */
        synchronized long passes(long most, long now) {
            if (count == 0 || now - begunNanos >= MINUTE_NANOS) {
                begunNanos = now;
                count = 0;
            }
            count++;
            return count == most + 1 ? PoolClock.elapsed(now, begunNanos) : -1;
        }
    }

    /** A test that failed quotes what the pool ran; anything else may quote what a user ran. */
    private String textOf(Slot slot, RetireReason reason, Throwable cause) {
        String given = slot.session.given();
        return reason == RetireReason.INVALID
                ? pool.settings.textOf(cause, given)
                : pool.settings.textWithoutLiterals(cause, given);
    }

    /**
     * Takes back, by the Keeper, what an Error took from its owner in the middle of the owner's work: a slot that
     * nobody can lend, return or test any more. Its connection is in an unknown state, and closed. Returns when to look
     * again.
     *
     * @param isTested whether a test of a slot is under way
     */
    long repair(Predicate<Slot> isTested, long now) {
        long next = Long.MAX_VALUE;
        for (Slot slot : pool.slots.all()) {
            if (slot.tryRetireStranded()) {
                closeRetired(slot, RetireReason.UNCLEAN, null, true);
                Log.log(
                        Level.WARNING,
                        "pool ''{0}'': an Error cut off the work on {1}; it is closed",
                        pool.name(),
                        slot);
            } else if (slot.isCondemned()) {
                retireIfIdle(slot);
            }
            if (!isUnowned(slot, isTested)) {
                slot.unownedSinceNanos = Long.MAX_VALUE;
            } else if (slot.unownedSinceNanos == Long.MAX_VALUE) {
                slot.unownedSinceNanos = now;
                next = now + UNOWNED_NANOS;
            } else if (now - slot.unownedSinceNanos >= UNOWNED_NANOS
                    && (slot.state() == Slot.RETIRED || slot.tryRetire(Slot.CHECKING))) {
                closeRetired(slot, RetireReason.UNCLEAN, null, true);
            }
        }
        return next;
    }

    /** In a state that its owner ends at once, or under a test that was never begun. */
    private static boolean isUnowned(Slot slot, Predicate<Slot> isTested) {
        int state = slot.state();
        return state == Slot.RETIRED || (state == Slot.CHECKING && !isTested.test(slot));
    }

    // --------------------------------------------------------------- failures

    /** A driver call on this slot threw: classify, and condemn the slot if it is gone. */
    void callFailed(Slot slot, SQLException failure) {
        FailureClass kind = Failures.classify(failure, pool.settings, slot.session);
        if (kind == FailureClass.DISCONNECT) {
            foundDead(slot);
        } else if (kind == FailureClass.READ_ONLY && (slot.session.isWriter() || hadWriter)) {
            condemn(slot, RetireReason.FAULT);
            noteUse(slot);
            suspectRole(slot);
        }
    }

    /** A session was opened. A pool whose sessions never could write is meant to read, and keeps them when a write is refused. */
    void noteRole(Session session) {
        if (session.isWriter() && !hadWriter) {
            hadWriter = true;
        }
    }

    /** This session could write and cannot any more: each other one is asked whether it still can before it is lent. */
    private void suspectRole(Slot slot) {
        long now = pool.now();
        if (slot.session.isWriter() && now - roleSuspectedNanos >= ROLE_NANOS) {
            roleSuspectedNanos = now;
            for (Slot other : pool.slots.all()) {
                other.roleSuspected = true;
            }
            suspectUsedBefore(now);
        }
    }

    /** The connection of this slot, which is in use, is gone. */
    void foundDead(Slot slot) {
        slot.dead = true;
        condemn(slot, RetireReason.FAULT); // its user may have given it back meanwhile
        diedInUse(slot);
    }

    private void diedInUse(Slot slot) {
        long now = pool.now();
        if (slot.acquitted && now - slot.lastUsed() < JUST_TESTED_NANOS && now - testsMisledNanos >= MINUTE_NANOS) {
            testsMisledNanos = now;
        }
        suspectUsedBefore(now);
        noteUse(slot);
    }

    /** A slot passed its test: it is acquitted if another died lately, since it proved alive itself. */
    void testPassed(Slot slot) {
        long now = pool.now();
        long suspect = pool.clock.suspectBefore();
        slot.acquitted |= slot.lastUsed() < suspect && now - suspect < MINUTE_NANOS;
        slot.distrusted = false;
        slot.setLastUsed(now);
    }

    /**
     * Whether it proves nothing that this slot passes a test: another had passed its own, and was dead at its next use, as
     * with HSQLDB's isValid() after SHUTDOWN. Of those opened since then a test is trusted again, so that each connection goes
     * but once for this.
     */
    boolean isMisledAbout(Slot slot) {
        long misled = testsMisledNanos;
        return slot.openedNanos < misled && slot.lastUsed() < misled;
    }

    /** Whether this failure, or one suppressed in it, says that the connection is gone. Never throws. */
    private boolean isGone(Slot slot, Throwable failure) {
        try {
            boolean gone = isDisconnect(slot, failure);
            for (Throwable another : failure.getSuppressed()) {
                gone |= isDisconnect(slot, another);
            }
            return gone;
        } catch (Throwable e) { // of a failure whose own methods fail
            return false;
        }
    }

    private boolean isDisconnect(Slot slot, Throwable failure) {
        return failure instanceof SQLException sql
                && Failures.classify(sql, pool.settings, slot.session) == FailureClass.DISCONNECT;
    }

    /** The connection of this slot is no good: was it ever? */
    private void noteUse(Slot slot) {
        if (!slot.proved) {
            onUseless.accept(slot, pool.now());
        }
    }

    /**
     * One connection died: every connection that last proved alive before this time is tested before it is lent, and at
     * once if it is idle. A connection in use, or coming home, has proved nothing until it is tested.
     */
    private void suspectUsedBefore(long nanos) {
        pool.clock.suspect(nanos);
        for (Slot slot : pool.slots.all()) {
            if (Slot.isHeld(slot.wordVolatile())) {
                slot.distrusted = true;
            }
        }
        testSuspects.run();
    }
}
