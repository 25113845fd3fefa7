package dev.weir.internal.lending;

import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.observing.Events;
import dev.weir.internal.observing.Listeners;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.shared.Places;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.shared.Refusals;
import dev.weir.internal.shared.Starting;
import dev.weir.internal.shared.TimeHistogram;
import dev.weir.internal.slots.Inbox;
import dev.weir.internal.slots.LoanTrace;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.slots.Slots;
import dev.weir.internal.slots.WaitQueue;
import dev.weir.internal.slots.Waiter;
import dev.weir.internal.sources.ConnectFailure;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The way of a thread to a connection.
 *
 * <p>An acquire that finds a fresh idle slot is one scan, one CAS and one allocation. All else is the slow path: the thread joins
 * the queue, tells the Keeper, which may have a connection tested or opened for it, and parks until it is handed a slot, is woken to
 * compete for one, or its deadline passes. It never touches the network, unless {@code requestBoundaries} calls the driver's
 * beginRequest().
 */
public final class Acquiring {
    /** So many are given to a test by one scan, but the last of a wait; then whoever needs a connection waits in the queue. */
    private static final int MOST_REFUSED = 3;

    private final Slots slots;
    private final PoolClock clock;
    private final Settings settings;
    private final WaitQueue queue;
    private final PoolState pool;
    private final Listeners listeners;
    private final Refusals refusals;
    private final Starting starting;
    private final Places places;

    /** Whether a loan begins with more than its handle. Plain: an acquire may see a change late. */
    private boolean beginsWithMore;

    private final LongAdder timedOut = new LongAdder();
    private final LongAdder notLent = new LongAdder();
    private final TimeHistogram waits = new TimeHistogram();

    /**
     * The greatest number of acquires that was reported: between the acquire of a slot and its note as not lent, one
     * too many is counted.
     */
    private final AtomicLong acquiresTold = new AtomicLong();

    public Acquiring(PoolState pool, Listeners listeners, Refusals refusals, Starting starting) {
        this.pool = pool;
        this.settings = pool.settings;
        this.clock = pool.clock;
        this.slots = pool.slots;
        this.queue = pool.queue;
        this.places = pool.places;
        this.listeners = listeners;
        this.refusals = refusals;
        this.starting = starting;
        settingsChanged();
    }

    public void settingsChanged() {
        beginsWithMore = settings.requestBoundaries() || settings.leakDetectionThresholdNanos() > 0;
    }

    /**
     * Lends a connection.
     *
     * <p>Between the CAS that takes a slot and the handle no Error may lose the slot: not one call stands between the
     * CAS and the {@code try}, nor in what catches.
     *
     * @param spentNanos how much of its time the caller has spent on making the pool
     * @throws SQLException within connectionTimeout, if there is none to be had, the pool is closed or the thread
     *     interrupted
     */
    public ConnectionHandle acquire(long spentNanos) throws SQLException {
        Slot slot = scan(clock.freshAfter());
        if (slot == null) {
            slot = acquireSlowly(spentNanos);
        }
        try {
            return lend(slot);
        } catch (Throwable e) {
            slot.stranded = slot.word; // unless it was retired, when the driver refused the loan
            throw e;
        }
    }

    /**
     * Takes an idle slot that is fresh, and whose server is silent; null if none was met. One that is stale by the exact
     * time, as after the whole process stood still, or was spoken to, is tested before it is lent, by a worker, while this
     * thread looks for another.
     *
     * <p>As in {@link #acquire(long)}, no call stands between the CAS and the {@code try}.
     */
    @Nullable
    public Slot scan(long freshAfter) {
        return scan(freshAfter, MOST_REFUSED);
    }

    private @Nullable Slot scan(long freshAfter, int mostRefused) {
        long from = freshAfter;
        for (int refused = 0; refused < mostRefused; refused++) {
            Slot slot = slots.tryAcquire(from);
            if (slot == null) {
                return null;
            }
            long loanWord =
                    (slot.word & ~(Slot.STATE | Slot.CONDEMNED)) | Slot.IN_USE; // though it was retired meanwhile
            try {
                boolean fresh = slot.outpacesServers() || isFreshNow(slot);
                if (fresh && (slot.sockets == null || !slot.isSpokenTo())) {
                    return slot;
                }
                testFirst(slot, loanWord);
                if (!fresh) {
                    from = Math.max(from, clock.freshAfterExactly(clock.now()));
                }
            } catch (Throwable e) {
                if ((slot.word ^ loanWord) >>> Slot.STAMP_SHIFT == 0) {
                    slot.stranded = loanWord;
                }
                throw e;
            }
        }
        return null;
    }

    /** By the exact time; if the coarse one is late, the others see it from now on. */
    private boolean isFreshNow(Slot slot) {
        long now = clock.now();
        boolean fresh = clock.isFresh(slot.aliveAt(), now);
        if (!fresh) {
            clock.catchUp(now);
        }
        return fresh;
    }

    private void testFirst(Slot slot, long loanWord) {
        if (slot.claim(loanWord)) {
            notLent.increment();
            if (slot.askTest()) {
                pool.nudge();
            }
        }
    }

    public ConnectionHandle lend(Slot slot) throws SQLException {
        Thread thread = Thread.currentThread();
        if (slot.holder != thread) {
            slot.holder = thread;
        }
        if (slot.acquiredNanos == 0 && !listeners.isEmpty()) { // else it waited, and was told
            try {
                slot.acquiredNanos = Math.max(1, clock.now()); // 0 is for a loan that is not timed
                listeners.acquired(settings.poolName(), 0);
            } catch (Throwable e) {
                // The connection is lent, even if nobody could be told.
            }
        }
        if (places.open || slot.lender.measures) {
            try {
                places.note(slot);
            } catch (Throwable e) {
                // The connection is lent, even if it is not known where.
            }
        }
        ConnectionHandle handle = ConnectionHandle.lent(slot);
        if (beginsWithMore) {
            beginWithMore(handle);
        }
        return handle;
    }

    private void beginWithMore(ConnectionHandle handle) throws SQLException {
        if (settings.leakDetectionThresholdNanos() > 0) {
            handle.slot.trace = new LoanTrace(handle, handle.slot, handle.loanWord, pool.unreachable);
        }
        if (settings.requestBoundaries()) {
            handle.beginLoan();
        }
    }

    private Slot acquireSlowly(long spentNanos) throws SQLException {
        long now = clock.now();
        Slot slot = scanAwake(now);
        if (slot != null) {
            return slot;
        }
        Waiter waiter = new Waiter(Thread.currentThread(), now, now - spentNanos + settings.connectionTimeoutNanos());
        join(waiter);
        try {
            slot = await(waiter, spentNanos);
        } catch (RuntimeException | Error e) { // out here, since the stack may end at the very call
            waiter.gone = true;
            queue.someGone = true;
            if (waiter.outcome instanceof Slot granted) {
                granted.stranded = granted.word;
            }
            throw e;
        }
        try {
            noteWait(slot, waiter);
        } catch (Throwable e) {
            // The connection is lent, even if a listener failed.
        }
        return slot;
    }

    /**
     * For a connection that is not acquired yet.
     *
     * @throws SQLException if the pool is closed
     */
    public void checkOpen() throws SQLException {
        if (pool.isClosed()) {
            throw refusals.closed();
        }
    }

    /** As the first scan, once the clock goes. */
    @Nullable
    public Slot scanAwake(long now) throws SQLException {
        checkOpen();
        pool.wakeClock(now);
        return scan(clock.freshAfter());
    }

    public void join(Waiter waiter) throws SQLException {
        int maximum = settings.maximumWaiters();
        if (!queue.join(waiter, maximum)) {
            throw refusals.tooManyWaiters(maximum);
        }
    }

    public void noteWait(Slot slot, Waiter waiter) {
        long got = clock.now();
        long waited = Math.max(1, got - waiter.sinceNanos); // 0 is for those that did not wait
        slot.acquiredNanos = Math.max(1, got);
        waits.add(waited);
        listeners.acquired(settings.poolName(), waited);
        Events.acquireWaited(settings.poolName(), waited, queue.sizeVolatile());
        places.noteWaited(slot, waited);
    }

    /**
     * Until the waiter, which is queued, has a slot or a reason to give up. Between the look at the outcome and the
     * park no lock is taken: waiting for it would use up the permit of an unpark that belongs to the outcome.
     *
     * <p>An Error (no memory for a thread, no stack left) may strike at any call. The code that catches it, here and in the
     * caller, assigns and calls nothing: the slot that this thread has or is being given is left to the Keeper, and the
     * waiter to the queue.
     */
    private Slot await(Waiter waiter, long spentNanos) throws SQLException {
        try {
            starting.begin(waiter.sinceNanos - spentNanos); // in the queue, so that the first connection is handed over
            for (; ; ) {
                long parkNanos = step(waiter, spentNanos);
                Slot found = waiter.found;
                if (found != null) {
                    return found;
                }
                if (parkNanos > 0) {
                    LockSupport.parkNanos(this, parkNanos);
                }
            }
        } catch (RuntimeException | Error e) {
            Slot slot = waiter.found;
            if (slot != null) {
                slot.stranded = slot.word;
            }
            throw e;
        }
    }

    /**
     * One step of a wait, which blocks on nothing: either the waiter has {@link Waiter#found} a slot, or it is to park for so
     * long, or to take the next step at once if that is 0.
     *
     * @throws SQLException if the waiter gives up
     */
    public long step(Waiter waiter, long spentNanos) throws SQLException {
        queue.clearWoken(waiter);
        Slot granted = granted(waiter);
        if (granted != null) {
            wakeIfAnotherIsIdle();
            waiter.found = granted;
            return 0;
        }
        long now = clock.now();
        boolean last = now >= waiter.deadlineNanos;
        long freshAfter = last ? clock.freshAfterExactly(now) : clock.freshAfter();
        waiter.found = pool.isLending() ? scan(freshAfter, last ? Integer.MAX_VALUE : MOST_REFUSED) : null;
        if (waiter.found != null) {
            if (queue.leave(waiter, true)) {
                wakeIfAnotherIsIdle();
            } else { // the outcome was decided meanwhile
                putBack(waiter);
            }
            return 0;
        }
        if (last && putOff(waiter, spentNanos, now)) {
            return 0;
        }
        ConnectFailure refusal = waiter.asked ? null : refusal(now);
        boolean interrupted = Thread.currentThread().isInterrupted();
        if (refusal != null || pool.isClosed() || interrupted || last) {
            if (queue.leave(waiter, false) && granted(waiter) == null) {
                throw gaveUp(waiter, now, PoolClock.elapsed(now, waiter.sinceNanos) + spentNanos, refusal);
            }
            return 0;
        }
        if (waiter.asked) {
            waiter.asked = false;
            return waiter.deadlineNanos - now;
        }
        waiter.asked = true; // and scan once more: the work that this set in motion may be done
        demand(now);
        return 0;
    }

    private @Nullable ConnectFailure refusal(long now) {
        ConnectFailure refusal = pool.refusal(now);
        if (refusal != null) {
            pool.inbox.say(Inbox.REFUSAL_MET);
            pool.nudge();
        }
        return refusal;
    }

    /**
     * Has the Keeper look whether a test or a connect may bring a slot to this thread, which is about to park. Of a crowd that
     * comes together not each wakes it for a turn of its own.
     */
    private void demand(long now) {
        if (pool.isSuspended()) {
            return;
        }
        pool.wakeClock(now); // again: it may have gone to rest before it could see the waiter
        if (slots.anyStale(clock.freshAfter())) {
            pool.inbox.nudge(now);
        } else if (slots.live() < settings.maximumPoolSize()) {
            pool.inbox.nudge(Math.max(now, pool.serveAgainNanos));
        }
    }

    /** The time of the waiter is up, unless the pool's own beginning took part of it: true if it has that part again. */
    private boolean putOff(Waiter waiter, long spentNanos, long now) {
        long due = waiter.firstDeadlineNanos;
        waiter.deadlineNanos = due + starting.workNanos(waiter.sinceNanos - spentNanos, due + spentNanos, now);
        return now < waiter.deadlineNanos;
    }

    /** The slot that the waiter was given; an Error of the giver may have left the waiter in the queue. */
    private @Nullable Slot granted(Waiter waiter) throws SQLException {
        Slot granted = waiter.granted();
        if (granted != null && waiter.queued) { // a racy look: to leave once too often does no harm
            boolean ignored = queue.leave(waiter, true);
        }
        return granted;
    }

    private SQLException gaveUp(Waiter waiter, long now, long waitedNanos, @Nullable ConnectFailure refusal) {
        if (pool.isClosed()) {
            return refusals.closed();
        }
        if (now >= waiter.deadlineNanos) {
            timedOut.increment();
            waits.add(waitedNanos);
            listeners.acquireTimedOut(settings.poolName(), waitedNanos);
            SQLException refused = refusals.timedOut(waitedNanos);
            starting.decide(now); // the time to start may be up as well: a refused caller may configure the pool anew
            return refused;
        }
        return refusal != null ? refusals.refused(refusal) : refusals.interrupted(waitedNanos);
    }

    /**
     * A waiter has a slot, and wakes the next if another is idle: a wake-up of its own was for one slot only, and if it was
     * handed this one, it stood for a wake-up until now.
     */
    private void wakeIfAnotherIsIdle() {
        if (queue.sizeVolatile() > 0 && slots.fresh(clock.freshAfter()) > 0) {
            queue.signal(false);
        }
    }

    /** Acquired, but not lent: the waiter was given another meanwhile. */
    private void putBack(Waiter waiter) {
        Slot slot = Objects.requireNonNull(waiter.found);
        waiter.found = null; // no call from here to the try
        long word = slot.word;
        try {
            if (slot.claim(slot.wordOfLoan())) {
                notLent.increment();
                slot.lender.release(slot, false);
            }
        } catch (Throwable e) {
            slot.stranded = word;
            throw e;
        }
    }

    /** The number of connections that were lent. */
    public long lent() {
        long lent = slots.acquires() - notLent.sum();
        long told = acquiresTold.get();
        while (told < lent && !acquiresTold.compareAndSet(told, lent)) {
            told = acquiresTold.get();
        }
        return Math.max(told, lent);
    }

    /** As {@link dev.weir.PoolMXBean#getWaits}. */
    public long[] waits() {
        return waits.counts();
    }

    /** The number of acquires that were refused because their time was up. */
    public long timedOut() {
        return timedOut.sum();
    }
}
