package dev.weir.internal.keeping;

import dev.weir.RetireReason;
import dev.weir.internal.observing.Events;
import dev.weir.internal.observing.Listeners;
import dev.weir.internal.sessions.Failures;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.shared.Refusals;
import dev.weir.internal.slots.Inbox;
import dev.weir.internal.slots.Lender;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.slots.SeenLoan;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.sources.ConnectFailure;
import dev.weir.internal.sources.ConnectionSource;
import dev.weir.internal.text.Log;
import dev.weir.internal.working.Connect;
import dev.weir.internal.working.Job;
import dev.weir.internal.working.Workers;
import dev.weir.spi.FailureClass;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Whether and when a connection is opened: for the minimum, for the threads that wait ({@link Sizer}), and
 * in place of an ageing one; as far as there is a place, and {@link RetryGate} lets it try. All fields are the Keeper's.
 *
 * <p>live + opening + closing never exceeds the maximum. A connect that has taken connectTimeout is given up, and its place is
 * free, but it has a thread, and perhaps a backend, until the driver gives it up. However many these are, one connect at a
 * time goes on, or the pool would never notice that the database is back.
 */
public final class Opening {
    private static final long EVALUATE_AT_MOST_EVERY_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PoolState pool;
    private final ConnectionSource source;
    private final Workers workers;
    private final Lender lender;
    private final Listeners listeners;
    private final Refusals refusals;
    private final Retiring retiring;
    private final Need need;
    private final RetryGate gate;
    private final ServerName serverName;
    private final Sizer sizer = new Sizer();
    private final List<Connect> underWay = new ArrayList<>();
    private final ArrayList<Connect> givenUp = new ArrayList<>();
    private long ids;
    private long servedNanos = Long.MIN_VALUE / 2;

    /** The last refusal of the credentials. */
    private @Nullable ConnectFailure lastRefusal;

    /** A refusal that those who wait are to meet; not before the start was decided. */
    private @Nullable ConnectFailure refusalDue;

    public Opening(
            PoolState pool,
            ConnectionSource source,
            Workers workers,
            Lender lender,
            Listeners listeners,
            Refusals refusals,
            Retiring retiring,
            Need need,
            RetryGate gate,
            ServerName serverName) {
        this.pool = pool;
        this.source = source;
        this.workers = workers;
        this.lender = lender;
        this.listeners = listeners;
        this.refusals = refusals;
        this.retiring = retiring;
        this.need = need;
        this.gate = gate;
        this.serverName = serverName;
    }

    // ------------------------------------------------------------ how connects end

    /** Sees what came of connects, and gives up those whose time is over; returns when to look again. */
    long endConnects(long now) {
        if (pool.inbox.take(Inbox.OPERATOR_ACTED)) {
            gate.tryAgain(now);
        }
        if (pool.inbox.take(Inbox.PROVED)) {
            gate.connectionProved();
        }
        if (pool.inbox.take(Inbox.REFUSAL_MET)) {
            gate.shortenPause(pool.slots.live(), now);
        }
        long next = Long.MAX_VALUE;
        for (Connect connect : List.copyOf(underWay)) {
            long due = connect.startedNanos + pool.settings.connectTimeoutNanos();
            if (connect.isEnded()) {
                underWay.remove(connect);
                end(connect, now);
            } else if (due <= now || pool.isClosed()) {
                giveUp(connect, now);
            } else {
                next = Math.min(next, Math.max(due, now + Job.SLOW_NANOS));
            }
        }
        int hung = 0;
        for (Connect connect : List.copyOf(givenUp)) {
            long due = connect.startedNanos + pool.settings.connectTimeoutNanos();
            if (connect.isOver()) {
                givenUp.remove(connect);
                closeLeftOver(connect, now);
                pool.slots.abandoned(-1); // after it is counted as closing: the next start counts what this one has
            } else if (due <= now) {
                hung++;
            } else {
                next = Math.min(next, due);
            }
        }
        pool.connects.hungConnects = hung;
        publish(now);
        return next;
    }

    private void end(Connect connect, long now) {
        pool.connects.anyEnded = true;
        switch (connect.outcome()) {
            case NOT_LOGGED_IN -> {
                pool.slots.connectFailed(false);
                gate.notLoggedIn(now);
                ConnectFailure refusal = lastRefusal;
                if (refusal != null) {
                    pool.connects.lastFailure = refusal;
                    refusalDue = refusal;
                }
            }
            case OPENED -> {
                Throwable error = connect.cause(); // of the pool's own work: it counts, or it would make a storm
                if (error == null) {
                    opened(connect, now);
                } else {
                    noteFailure(connect, error, connect.failure());
                }
            }
            case UNWANTED -> {
                closeLeftOver(connect, now);
                pool.slots.connectFailed(false);
                gate.connectSucceeded();
            }
            case FAILED -> {
                closeLeftOver(connect, now);
                Throwable cause = connect.cause();
                failed(
                        connect,
                        cause == null
                                ? new SQLException("the thread of a connect ended before its connect did", "08001")
                                : cause,
                        connect.failure());
            }
        }
    }

    private void opened(Connect connect, long now) {
        int failures = gate.failures();
        gate.connectSucceeded();
        sizer.connected(connect.tookNanos(), now);
        Slot replaced = connect.replaced;
        if (replaced != null) {
            pool.condemn(replaced, RetireReason.AGE);
        } else {
            need.notePeak(now, need.staying()); // somebody needed it: the pool needs as many as it has
        }
        Slot slot = connect.slot();
        if (slot != null && need.staying() > pool.settings.maximumPoolSize()) { // lowered while it was added
            pool.condemn(slot, RetireReason.SURPLUS);
        }
        if (failures > 0) {
            workers.say(() -> Log.log(
                    Level.INFO, "pool ''{0}'': connections open again after {1} failures", pool.name(), failures));
        }
    }

    /** All that needs memory comes before the decision: without any left, it is given up at a later turn. */
    private void giveUp(Connect connect, long now) {
        long millis = TimeUnit.NANOSECONDS.toMillis(PoolClock.elapsed(now, connect.startedNanos));
        String message = "the connect did not end within " + millis + " ms and was given up";
        SQLException late = new SQLTimeoutException(message, "08001");
        givenUp.ensureCapacity(givenUp.size() + 1);
        if (!connect.decide()) {
            return; // it ends at this moment, and is seen at the next turn
        }
        underWay.remove(connect);
        givenUp.add(connect);
        pool.slots.abandoned(1);
        connect.interrupt();
        pool.connects.anyEnded = true;
        failed(connect, late, null);
    }

    private void closeLeftOver(Connect connect, long now) {
        Connection physical = connect.leftOver();
        if (physical != null) {
            retiring.close(physical, connect.given(), now);
        }
    }

    /** {@code known}: its text, where the job has found that out. */
    private void failed(Connect connect, Throwable cause, @Nullable ConnectFailure known) {
        boolean poolClosed = pool.isClosed(); // its end is no failure of the database
        pool.slots.connectFailed(!poolClosed);
        if (!poolClosed) {
            noteFailure(connect, cause, known);
        }
    }

    private void noteFailure(Connect connect, Throwable cause, @Nullable ConnectFailure known) {
        ConnectFailure failure = known != null
                ? known
                : connect.failureOf(
                        cause, cause instanceof SQLException e ? Failures.classify(e, null) : FailureClass.OTHER);
        gate.connectFailed(
                failure.kind(), connect.as, isWaitedFor(), pool.slots.live(), pool.slots.acquires(), failure.atNanos());
        pool.connects.failed(failure);
        tell(connect, cause, failure);
        if (failure.kind() == FailureClass.AUTHENTICATION) {
            lastRefusal = failure;
            refusalDue = failure;
        }
    }

    private boolean isWaitedFor() {
        return pool.queue.sizeVolatile() > 0 || pool.startWaits();
    }

    private void tell(Connect connect, Throwable cause, ConnectFailure failure) {
        int inARow = gate.failures();
        String sqlState = Failures.sqlState(failure.cause());
        long tookNanos = PoolClock.elapsed(failure.atNanos(), connect.startedNanos);
        Events.openFailed(pool.name(), tookNanos, sqlState, failure.text());
        if (inARow == 1 || inARow == pool.settings.acquireRetries() + 1) {
            String message = "pool '" + pool.name() + "': could not open a connection (" + inARow
                    + " in a row, SQLState " + sqlState + ", " + pool.slots.live() + " live): " + failure.text();
            if (cause instanceof SQLException) {
                workers.say(() -> Log.log(Level.WARNING, message));
            } else {
                workers.say(() -> Log.log(
                        Level.WARNING, message, failure.cause())); // not of the database: the stack says where from
            }
        }
        listeners.later(workers, pool.name(), listener -> listener.openFailed(tookNanos, failure.kind()));
    }

    /** Without a live connection nobody is to wait for credentials that were refused; returns when to look again. */
    long refuse() {
        ConnectFailure refusal = refusalDue;
        refusalDue = null;
        if (refusal != null && pool.slots.live() == 0) {
            pool.queue.failAll(() -> refusals.refused(refusal));
        }
        return Long.MAX_VALUE;
    }

    private void publish(long now) {
        ConnectFailure failure = pool.connects.lastFailure;
        boolean refused = gate.failures() > 0
                && failure != null
                && failure.kind() == FailureClass.AUTHENTICATION
                && gate.isShut(now);
        pool.connects.refusedUntilNanos = refused ? gate.probeAtNanos() : Long.MIN_VALUE;
        pool.connects.oldestConnectNanos = oldest();
    }

    /** The number of connections whose connects have not been seen to end: the need for them is not noted yet. */
    int unseen() {
        int unseen = 0;
        for (Slot slot : pool.slots.all()) {
            unseen += underWay.stream().anyMatch(connect -> connect.id == slot.id) ? 1 : 0;
        }
        return unseen;
    }

    boolean isOpening() {
        return !underWay.isEmpty();
    }

    // --------------------------------------------------------- for those who wait

    /** Opens the connections that are worth it for those who wait; returns when to look again. */
    long serve(long now) {
        int waiting = pool.queue.sizeVolatile();
        long held = pool.lastHeldNanos.getAndSet(0);
        if (held > 0) {
            sizer.loanEnded(held, now);
        }
        if (waiting == 0) {
            sizer.waiting(0, pool.slots.acquires(), now);
            return Long.MAX_VALUE;
        }
        if (!pool.isLending() || pool.slots.live() >= pool.settings.maximumPoolSize()) {
            return Long.MAX_VALUE; // the ticks suffice: only a return can help
        }
        gate.shortenPause(pool.slots.live(), now);
        long again = servedNanos + EVALUATE_AT_MOST_EVERY_NANOS;
        if (pool.slots.live() > 0 && now < again) {
            return again;
        }
        servedNanos = now;
        pool.serveAgainNanos = now + Sizer.LOOK_MIN_NANOS;
        int worth = worthOpening(now, waiting);
        int usual = pool.settings.acquireIncrement();
        int forThem = Math.min(worth, Math.max(usual, sizer.mostAtOnce(usual)) - underWay.size());
        int ignored = open(Math.max(missing(pool.settings.minimumPoolSize(), now), forThem), null, now);
        long lookAgain = now + Sizer.lookAgainNanos(now - Math.min(now, pool.queue.headSinceNanos()));
        long probeAt = gate.probeAtNanos();
        return probeAt > now ? Math.min(lookAgain, probeAt) : lookAgain;
    }

    private int worthOpening(long now, int waiting) {
        for (Slot slot : pool.slots.all()) {
            SeenLoan loan = slot.see(slot.wordVolatile(), now);
            if (loan != null) {
                sizer.holding(PoolClock.elapsed(now, loan.sinceNanos));
            }
        }
        boolean well = gate.isWell(pool.clock.suspectBefore(), now);
        sizer.waiting(waiting, pool.slots.acquires(), now);
        sizer.connects(well, oldest(), pool.settings.acquireSurge());
        return sizer.opensWanted(
                now,
                pool.slots.live(),
                underWay.size(),
                pool.settings.maximumPoolSize(),
                pool.settings.acquireIncrement(),
                waiting,
                pool.queue.headSinceNanos(),
                pool.settings.connectionTimeoutNanos());
    }

    void sampleArrivals(long acquires, long now) {
        sizer.arrivals(acquires, now);
    }

    // ---------------------------------------------------- the minimum, and for age

    /** Opens what is missing to the minimum; returns when to look again. */
    long fill(long now) {
        if (!pool.isLending() || pool.phase.get() == PoolState.Phase.NEW) {
            return Long.MAX_VALUE;
        }
        int target = need.least();
        int ignored = open(missing(target, now), null, now);
        pool.minimumSeen = true;
        if (pool.slots.live() >= target) {
            return Long.MAX_VALUE;
        }
        long probeAt = gate.probeAtNanos();
        long again = probeAt > now && probeAt < Long.MAX_VALUE ? probeAt : now + PERIOD_NANOS;
        long othersAt = gate.othersFollowAtNanos();
        return othersAt > now ? Math.min(othersAt, again) : again;
    }

    /** Opens what is to replace this slot, if there is a place for it. */
    void replace(Slot slot, long now) {
        int ignored = open(Math.min(1, pool.settings.acquireIncrement() - underWay.size()), slot, now);
    }

    /** The slots whose replacements are being opened. */
    Set<Slot> beingReplaced() {
        Set<Slot> slots = new HashSet<>();
        for (Connect connect : underWay) {
            if (connect.replaced != null) {
                slots.add(connect.replaced);
            }
        }
        return slots;
    }

    // ------------------------------------------------------------------------ open

    /** The number of connects that may begin of those that are missing to so many live connections. */
    private int missing(int total, long now) {
        int opening = underWay.size();
        int most = pool.settings.acquireIncrement() - opening;
        return Math.min(most, gate.filling(total, pool.slots.live(), opening, now));
    }

    /** Begins so many connects as far as it is allowed, in place of this slot if there is one; returns how many it began. */
    public int open(int wanted, @Nullable Slot replaced, long now) {
        int n = Math.max(0, Math.min(wanted, allowed(now)));
        for (int i = 0; i < n; i++) {
            begin(replaced, now);
        }
        return n;
    }

    /** The number of connects that the places and the gate allow. */
    private int allowed(long now) {
        if (pool.isClosed() || gate.isShut(now)) {
            return 0;
        }
        int opening = underWay.size();
        int holdingBefore = pool.holdingBefore();
        int atOnce = gate.mostAtOnce(pool.clock.suspectBefore(), oldest(), now);
        int places = pool.settings.maximumPoolSize() - pool.slots.taken() - holdingBefore;
        int left = places - givenUp.size() - (pool.physicalBefore() - holdingBefore);
        boolean probes = opening == 0 && holdingBefore == 0;
        int most = probes ? Math.max(Math.min(1, places), left) : left;
        return Math.min(atOnce - opening, most);
    }

    /** Since when the oldest connect is under way. */
    private long oldest() {
        long oldest = Long.MAX_VALUE;
        for (Connect connect : underWay) {
            oldest = Math.min(oldest, connect.startedNanos);
        }
        return oldest;
    }

    private void begin(@Nullable Slot replaced, long now) {
        Connect connect = new Connect(
                pool, source, lender, listeners, ++ids, replaced, gate.refusedLogin(), serverName.known(), now);
        gate.connectBegins(now);
        pool.connects.firstStartedNanos = Math.min(pool.connects.firstStartedNanos, now);
        underWay.add(connect);
        pool.slots.connectBegins();
        if (pool.isClosed()) { // read after the place was taken: the next start counts the places after this one failed
            underWay.remove(connect);
            pool.slots.connectFailed(false);
            return;
        }
        pool.connects.oldestConnectNanos = Math.min(pool.connects.oldestConnectNanos, now);
        try {
            workers.execute(connect);
        } catch (Throwable noThread) {
            underWay.remove(connect);
            pool.connects.anyEnded = true;
            failed(connect, noThread, null);
        }
    }
}
