package dev.weir.internal.keeping;

import dev.weir.RetireReason;
import dev.weir.internal.observing.Events;
import dev.weir.internal.observing.Listeners;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.text.Log;
import dev.weir.internal.working.Close;
import dev.weir.internal.working.Job;
import dev.weir.internal.working.Workers;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The way in which a connection loses its place. Its slot is condemned: it is not lent again. It is retired: by its
 * owner, by the thread that condemned it if it was idle, or by the Keeper. Then it leaves the other slots, a job closes
 * its connection, and the place is free when that has come to its end.
 *
 * <pre>
 *   reason      decided in                                            by
 *   FAULT       Faults: a call, or its cleaning, says it is gone      the thread that uses it
 *               LoanHandle: a driver threw what is no SQLException
 *               Returning: its holder aborts it
 *   INVALID     Test, Faults: it failed its test, or tests mislead    the test; the Keeper in Testing, if it hangs
 *   UNCLEAN     Faults: it could not be cleaned, or not begin a loan  the thread that uses it
 *               ReturnWatch: its close() hangs                        the Keeper
 *               here: an Error left it without an owner               the Keeper
 *   RECLAIMED   LeakScan: its handle was lost                         the Keeper
 *   AGE         Ages, ServerName; Opening: its replacement is there   the Keeper
 *   SURPLUS     Ages, Opening: more than needed                       the Keeper
 *               ConnectionPool: the maximum was lowered               the operator
 *   EVICTED     ConnectionPool                                        the operator
 *   CLOSED      Ending, Connect, Faults: the pool ends                the Keeper, a job
 * </pre>
 *
 * <p>The first reason counts. One that was condemned and cannot be cleaned keeps the reason it was condemned for. All fields are
 * the Keeper's.
 */
public final class Retiring {
    /** The time that the abort of a close that hangs may take; its place is free then in any case. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Fewer connections in a minute, retired for one reason, are not worth a warning. */
    private static final long CHURN_AT_LEAST = 10;

    private final PoolState pool;
    private final Workers workers;
    private final Listeners listeners;
    private final RetryGate gate;
    private final ArrayList<Close> closing = new ArrayList<>();
    private final Map<RetireReason, Churn> churns = new EnumMap<>(RetireReason.class);

    public Retiring(PoolState pool, Workers workers, Listeners listeners, RetryGate gate) {
        this.pool = pool;
        this.workers = workers;
        this.listeners = listeners;
        this.gate = gate;
    }

    /** Begins to close what is retired, and ends what hangs in its close; returns when to look again. */
    long closeRetired(long now) {
        for (Slot slot : pool.slots.all()) {
            if (slot.tryRetireStranded()) {
                slot.noteTakenAway(RetireReason.UNCLEAN, null);
                workers.say(() -> Log.log(
                        Level.WARNING,
                        "pool ''{0}'': an Error cut off the work on {1}; it is closed",
                        pool.name(),
                        slot));
            } else if (slot.isCondemned()) {
                boolean ignored = slot.tryRetire(Slot.IDLE) || slot.tryRetire(Slot.UNTESTED);
            }
        }
        long next = Long.MAX_VALUE;
        next = Math.min(next, closeThose(true, now)); // they wait for no network, and threads may wait for their places
        next = Math.min(next, closeThose(false, now));
        return Math.min(next, endHung(now));
    }

    /** Whether it is aborted, so that nothing waits for the network. A close() may also commit a lost loan. */
    private static boolean isAborted(Slot slot) {
        return slot.isTakenAway() || isTrouble(slot.retireReason());
    }

    /**
     * Whether the connection failed or its handle was lost: it does not go for its age, for an operator, or as one too
     * many.
     */
    private static boolean isTrouble(RetireReason reason) {
        return reason == RetireReason.FAULT || reason == RetireReason.INVALID || reason == RetireReason.RECLAIMED;
    }

    private long closeThose(boolean aborted, long now) {
        long next = Long.MAX_VALUE;
        for (Slot slot : pool.slots.all()) {
            if (slot.state() != Slot.RETIRED || isAborted(slot) != aborted) {
                continue;
            }
            if (hasRoom(now)) {
                close(slot, now);
            } else {
                next = now + Job.SLOW_NANOS / 2;
            }
        }
        return next;
    }

    private boolean hasRoom(long now) {
        int slow = 0;
        int hung = 0;
        for (Close close : closing) {
            slow += close.isSlow(now) ? 1 : 0;
            hung += close.abort != null ? 1 : 0;
        }
        return closing.size() - slow < Job.AT_ONCE && closing.size() - hung < Job.AT_MOST;
    }

    private void close(Slot slot, long now) {
        Close close = new Close(pool, slot.physical, slot.session.given(), isAborted(slot), now);
        closing.ensureCapacity(closing.size() + 1); // no memory is needed once the place is taken
        if (!pool.slots.closeBegins(slot)) {
            return;
        }
        start(close);
        RetireReason reason = slot.retireReason();
        if (!slot.wasUseful() && (reason == RetireReason.INVALID || reason == RetireReason.FAULT)) {
            gate.connectionUseless(slot.openedNanos, now);
        }
        tell(slot, reason, now);
    }

    /** Has a connection closed that never was in a slot, or whose place is not its own any more. */
    void close(Connection physical, @Nullable String given, long now) {
        Close close = new Close(pool, physical, given, false, now);
        closing.ensureCapacity(closing.size() + 1);
        pool.slots.closeBegins();
        start(close);
    }

    private void start(Close close) {
        closing.add(close); // should there be no thread for it, its time runs out, and it is aborted
        workers.executeSurely(close);
    }

    private long endHung(long now) {
        long next = Long.MAX_VALUE;
        for (int i = closing.size() - 1; i >= 0; i--) {
            Close close = closing.get(i);
            long due = close.startedNanos + pool.settings.validationTimeoutNanos();
            Close.Abort abort = close.abort;
            if (close.isOver() || (abort != null && (abort.isOver() || abort.isBegunFor(GRACE_NANOS, now)))) {
                closing.remove(i);
                pool.slots.closed();
                gate.placeLeft(now);
            } else if (abort != null) {
                next = Math.min(next, now + GRACE_NANOS);
            } else if (due <= now) {
                abort(close, now);
                next = Math.min(next, now + GRACE_NANOS);
            } else {
                next = Math.min(next, due);
            }
        }
        return next;
    }

    /** The pool ends: a connection that is being closed is aborted. */
    void abortAll(long now) {
        closing.forEach(close -> abort(close, now));
    }

    private void abort(Close close, long now) {
        if (close.abort == null) {
            Close.Abort abort = new Close.Abort(close, now);
            close.abort = abort;
            workers.executeSurely(abort);
        }
    }

    private void tell(Slot slot, RetireReason reason, long now) {
        Throwable cause = slot.retirementCause();
        long ageNanos = PoolClock.elapsed(now, slot.openedNanos);
        Events.retired(pool.name(), slot.id, slot.sessionId, reason, ageNanos);
        if (Log.isLoggable(Level.DEBUG)) {
            String why = cause == null ? "" : ": " + textOf(slot, reason, cause);
            workers.say(
                    () -> Log.log(Level.DEBUG, "pool ''{0}'': {1} retired ({2}){3}", pool.name(), slot, reason, why));
        }
        listeners.later(workers, pool.name(), listener -> listener.retired(reason, ageNanos));
        if (isTrouble(reason) || reason == RetireReason.UNCLEAN) {
            tellChurn(slot, reason, cause, now);
        }
    }

    /**
     * A pool that opens a connection for each loan works, and is slow for no reason that shows. More than two for each place
     * is more than the loss of a server costs.
     */
    private void tellChurn(Slot slot, RetireReason reason, @Nullable Throwable cause, long now) {
        Churn churn = churns.computeIfAbsent(reason, one -> new Churn());
        long most = Math.max(CHURN_AT_LEAST, 2L * pool.settings.maximumPoolSize());
        if (now - churn.begunNanos >= MINUTE_NANOS || churn.count == 0) {
            churn.begunNanos = now;
            churn.count = 0;
        }
        churn.count++;
        if (churn.count == most + 1) {
            long millis = TimeUnit.NANOSECONDS.toMillis(PoolClock.elapsed(now, churn.begunNanos));
            workers.say(() -> Log.log(
                    Level.WARNING,
                    "pool ''{0}'': {1} connections were retired within {2} ms ({3}); the last: {4}{5}",
                    pool.name(),
                    most + 1,
                    millis,
                    reason,
                    slot,
                    cause == null ? "" : ", " + textOf(slot, reason, cause)));
        }
    }

    /** The number of connections that were retired for one reason, in a minute that begins with the first. */
    private static final class Churn {
        long begunNanos;
        long count;
    }

    /** A test that failed quotes what the pool ran; anything else may quote what a user ran. */
    private String textOf(Slot slot, RetireReason reason, Throwable cause) {
        String given = slot.session.given();
        return reason == RetireReason.INVALID
                ? pool.settings.textOf(cause, given)
                : pool.settings.textWithoutLiterals(cause, given);
    }
}
