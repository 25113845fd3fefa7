package dev.weir.internal.shared;

import dev.weir.RetireReason;
import dev.weir.internal.sessions.Failures;
import dev.weir.internal.slots.Slot;
import dev.weir.spi.FailureClass;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The meaning of a failure for its connection, and for the others. Called by the threads of users and of tests. */
public final class Faults {
    /** The role of the server is asked for at most so often, however many writes are refused. */
    private static final long ROLE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** A connection that is found dead so long after its test may have died since, and says nothing of tests. */
    private static final long JUST_TESTED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Tests are found misleading at most so often: a user's own SQL may raise what looks like a connection's death. */
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final PoolState pool;

    private volatile long roleSuspectedNanos = Long.MIN_VALUE / 2;

    /** When a connection was found dead in use that had just passed its test. */
    private volatile long testsMisledNanos = Long.MIN_VALUE / 2;

    public Faults(PoolState pool) {
        this.pool = pool;
    }

    /** A driver call on this slot threw: classify, and condemn the slot if it is gone. */
    public void callFailed(Slot slot, SQLException failure) {
        FailureClass kind = Failures.classify(failure, pool.settings, slot.session);
        if (kind == FailureClass.DISCONNECT) {
            foundDead(slot);
        } else if (kind == FailureClass.READ_ONLY && (slot.session.isWriter() || pool.connects.hadWriter)) {
            pool.condemn(slot, RetireReason.FAULT);
            suspectRoles(slot);
        }
    }

    /** The connection of this slot, which is in use, is gone. */
    public void foundDead(Slot slot) {
        slot.foundDead();
        pool.condemn(slot, RetireReason.FAULT); // its user may have given it back meanwhile
        diedInUse(slot);
    }

    /**
     * A claimed slot that could not be cleaned is given up. If it is dead, its siblings are put under suspicion, once.
     *
     * @return whether it was its owner's to give up
     */
    public boolean couldNotBeCleaned(Slot slot, Throwable failure) {
        RetireReason known = slot.condemnedFor();
        boolean gone = isGone(slot, failure);
        RetireReason reason = gone ? RetireReason.FAULT : known == null ? RetireReason.UNCLEAN : known;
        if (!pool.retire(slot, reason, failure)) {
            return false; // it was aborted under its owner, which is the failure
        }
        if (gone && known != RetireReason.FAULT) {
            diedInUse(slot);
        } else if ("25006".equals(Failures.sqlState(failure))) {
            suspectRoles(slot);
        }
        return true;
    }

    /**
     * The holder aborts, and may have met a failure in it. That is no news of the other connections, since a holder aborts
     * a call that takes too long for him, unless the driver knows that the connection was gone.
     */
    public void aborted(Slot slot, boolean knownDead, @Nullable Throwable failure) {
        if (knownDead || (failure != null && isGone(slot, failure))) {
            suspectUsedBefore(pool.now());
        }
    }

    // -------------------------------------------------------------------- tests

    /** A slot passed its test: it is acquitted if another died lately, since it proved alive itself. */
    public void testPassed(Slot slot) {
        long now = pool.now();
        long suspect = pool.clock.suspectBefore();
        slot.passedTest(slot.aliveAt() < suspect && now - suspect < MINUTE_NANOS, now);
    }

    /** A test that began at this time failed: a connection that proved alive since is not under suspicion. */
    public void testFailed(Slot slot, Throwable failure, long testedSinceNanos) {
        boolean closed = pool.isClosed(); // then the test may have been cut short for that
        boolean ignored = pool.retire(slot, closed ? RetireReason.CLOSED : RetireReason.INVALID, failure);
        if (!closed) {
            suspectUsedBefore(testedSinceNanos);
        }
    }

    /**
     * Whether a test that this slot passes proves nothing: another had passed its own, and was dead at its next use.
     * HSQLDB's isValid() is so after SHUTDOWN. Tests of connections that were opened since then are trusted again, so
     * that each connection goes but once for this.
     */
    public boolean isMisledAbout(Slot slot) {
        long misled = testsMisledNanos;
        return slot.openedNanos < misled && slot.aliveAt() < misled;
    }

    // ---------------------------------------------------------------- suspicion

    private void diedInUse(Slot slot) {
        long now = pool.now();
        if (slot.isAcquitted() && now - slot.aliveAt() < JUST_TESTED_NANOS && now - testsMisledNanos >= MINUTE_NANOS) {
            testsMisledNanos = now;
        }
        suspectUsedBefore(now);
    }

    /** This session could write and cannot any more: each other one is asked whether it still can before it is lent. */
    private void suspectRoles(Slot slot) {
        long now = pool.now();
        if (slot.session.isWriter() && now - roleSuspectedNanos >= ROLE_NANOS) {
            roleSuspectedNanos = now;
            for (Slot other : pool.slots.all()) {
                other.suspectRole();
            }
            suspectUsedBefore(now);
        }
    }

    /**
     * One connection died: every connection that last proved alive before this time is tested before it is lent, and at
     * once if it is idle. A connection in use, or being returned, has proved nothing until it is tested.
     */
    public void suspectUsedBefore(long nanos) {
        pool.clock.suspect(nanos);
        for (Slot slot : pool.slots.all()) {
            if (Slot.isHeld(slot.wordVolatile())) {
                slot.distrust();
            }
        }
        pool.nudge();
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
}
