package dev.weir;

import dev.weir.spi.FailureClass;
import dev.weir.spi.Ticker;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The engine: lends connections, takes them back, and decides what becomes of each.
 *
 * <p>An acquire that finds a fresh idle slot is one scan, one CAS and one allocation. All else is the slow path: the thread
 * joins the queue, sets in motion whatever may bring a connection sooner (a test of one that lay idle, an opening), and
 * parks until it is handed a slot, is woken to compete for one, or its deadline passes. It never touches the network.
 *
 * <p>Lock order: that of {@link Supply} before those of {@link Holders}, {@link Opener}, {@link WaitQueue}; {@code Opener}
 * before {@link Slots}; none is held across driver or user code.
 */
final class ConnectionPool {
    private static final System.Logger LOG = System.getLogger("dev.weir");

    /** So many loans of each connection are timed for listeners in each tick: enough to miss none where the time matters. */
    static final int TIMED_EACH_TICK = 64;

    final Settings settings;
    final PoolClock clock;
    final Slots slots = new Slots();
    final WaitQueue queue;
    final Keeper keeper;
    final Opener opener;
    final Supply supply;
    final Lifecycle lifecycle;
    final Listeners listeners;

    private final Checker checker;
    private final Holders holders;
    private final Refusals refusals;

    /** Orders suspend, resume and close among themselves. */
    private final ReentrantLock operations = new ReentrantLock();

    private final LongAdder timedOut = new LongAdder();
    private final LongAdder notLent = new LongAdder();

    /** The greatest number of acquires that was told: between the acquire of a slot and its note as not lent, one too many is counted. */
    private final AtomicLong acquiresTold = new AtomicLong();

    private final Map<RetireReason, LongAdder> retired = new EnumMap<>(RetireReason.class);
    private volatile boolean suspended;
    private volatile boolean closed;

    ConnectionPool(Settings settings, ConnectionSource source, Ticker ticker) {
        this(settings, source, ticker, new Listeners(settings.config().listeners()));
    }

    ConnectionPool(Settings settings, ConnectionSource source, Ticker ticker, Listeners listeners) {
        this(
                settings,
                source,
                ticker,
                listeners,
                new Helpers(settings.poolName(), settings.config().threadFactory()));
    }

    ConnectionPool(Settings settings, ConnectionSource source, Ticker ticker, Listeners listeners, Helpers helpers) {
        this.settings = settings;
        this.listeners = listeners;
        long idle = settings.validateAfterIdleNanos();
        long period =
                Math.min(Math.max(idle / 5, TimeUnit.MILLISECONDS.toNanos(10)), TimeUnit.MILLISECONDS.toNanos(100));
        clock = new PoolClock(ticker, idle, period, () -> !listeners.isEmpty());
        queue = new WaitQueue(clock);
        holders = new Holders(settings, slots);
        checker = new Checker(this, clock, slots, helpers);
        opener = new Opener(this, source, clock, slots, helpers);
        supply = new Supply(this, holders, opener);
        refusals = new Refusals(this, holders);
        keeper = new Keeper(this, checker, holders, helpers);
        lifecycle = new Lifecycle(this, checker, refusals, helpers);
        for (RetireReason reason : RetireReason.values()) {
            retired.put(reason, new LongAdder());
        }
    }

    // ---------------------------------------------------------------- acquire

    /**
     * Lends a connection.
     *
     * @throws SQLException within connectionTimeout, if there is none to be had, the pool is closed or the thread interrupted
     */
    ConnectionHandle acquire() throws SQLException {
        Slot slot = slots.tryAcquire(clock.freshAfterOpaque());
        if (slot == null) {
            slot = acquireSlowly(0);
        }
        return lend(slot);
    }

    /** As {@link #acquire()}, for a caller that has spent part of its time on starting the pool. */
    ConnectionHandle acquire(long spentNanos) throws SQLException {
        Slot slot = slots.tryAcquire(clock.freshAfterOpaque());
        return lend(slot != null ? slot : acquireSlowly(spentNanos));
    }

    private ConnectionHandle lend(Slot slot) {
        if (slot.timedTick != clock.timingTickOpaque()) {
            beginTiming(slot);
        }
        Thread thread = Thread.currentThread();
        if (slot.holder != thread) {
            holders.holderChanged(slot, thread);
        }
        return new ConnectionHandle(slot);
    }

    /** One of the first loans of this slot in a tick of the clock: its time is taken, if anybody listens. */
    private void beginTiming(Slot slot) {
        long tick = clock.timingTickOpaque();
        if (tick == PoolClock.NOT_TIMING) {
            slot.timingTick = tick;
            slot.timedTick = tick;
            return;
        }
        if (slot.timingTick == PoolClock.NOT_TIMING) {
            slot.timedStamp = slot.acquires() - 1; // what was lent before, nobody listened to
        }
        if (slot.timingTick != tick) {
            slot.timingTick = tick;
            slot.timingsLeft = TIMED_EACH_TICK;
        }
        slot.acquiredNanos = clock.now();
        if (--slot.timingsLeft == 0) {
            slot.timedTick = tick;
        }
    }

    private Slot acquireSlowly(long spentNanos) throws SQLException {
        long now = clock.now();
        checkOpen();
        keeper.wakeClock(now);
        Slot slot = slots.tryAcquire(clock.freshAfterOpaque());
        if (slot != null) {
            return slot;
        }
        Waiter waiter = new Waiter(Thread.currentThread(), now, now - spentNanos + settings.connectionTimeoutNanos());
        int maximum = settings.maximumWaiters();
        if (!queue.join(waiter, maximum)) {
            throw refusals.tooManyWaiters(maximum);
        }
        try {
            slot = await(waiter, spentNanos);
        } catch (RuntimeException | Error e) { // no memory for a thread, say: nobody may be handed a slot for us now
            if (!queue.leave(waiter, false)) {
                putBackGranted(waiter);
            }
            throw e;
        }
        long got = clock.now();
        slot.timedForSizer = settings.maximumPoolSize() > slots.live();
        if (slot.timedForSizer || slot.timingTick != PoolClock.NOT_TIMING) {
            slot.acquiredNanos = got;
        }
        Events.acquireWaited(name(), got - now, queue.sizeVolatile());
        listeners.acquireWaited(name(), got - now);
        return slot;
    }

    /**
     * Until the waiter, which is queued, has a slot or a reason to give up. Between the look at the outcome and the park no
     * lock is taken: waiting for it would use up the permit of an unpark that belongs to the outcome.
     */
    private Slot await(Waiter waiter, long spentNanos) throws SQLException {
        boolean asked = false;
        for (; ; ) {
            queue.awake(waiter);
            Slot granted = waiter.granted();
            if (granted != null) {
                return granted;
            }
            Slot slot = closed || suspended ? null : slots.tryAcquire(clock.freshAfterOpaque());
            if (slot != null) {
                if (queue.leave(waiter, true)) {
                    return passOn(slot);
                }
                putBack(slot); // the outcome was decided meanwhile
                continue;
            }
            long now = clock.now();
            Opener.Failure refusal = asked ? null : opener.refusal(now);
            boolean interrupted = Thread.currentThread().isInterrupted();
            if (refusal != null || closed || interrupted || now >= waiter.deadlineNanos) {
                if (queue.leave(waiter, false)) {
                    throw gaveUp(waiter, now, now - waiter.sinceNanos + spentNanos, refusal);
                }
            } else if (asked) {
                LockSupport.parkNanos(this, waiter.deadlineNanos - now);
                asked = false;
            } else {
                asked = true; // and scan once more: what this set in motion may be done
                demand(now);
            }
        }
    }

    private SQLException gaveUp(Waiter waiter, long now, long waitedNanos, Opener.@Nullable Failure refusal) {
        if (closed) {
            return refusals.closed();
        }
        if (now >= waiter.deadlineNanos) {
            timedOut.increment();
            listeners.acquireTimedOut(name(), waitedNanos);
            return refusals.timedOut(waitedNanos);
        }
        return refusal != null ? refusals.refused(refusal) : refusals.interrupted(waitedNanos);
    }

    /** Sets in motion what may bring a slot to a thread that is about to park. */
    private void demand(long now) {
        keeper.wakeClock(now); // again: it may have gone to rest before it could see that somebody waits
        if (suspended) {
            return;
        }
        checker.checkStale(queue.sizeVolatile(), now);
        if (slots.live() < settings.maximumPoolSize()) {
            opener.hurry(now);
            supply.replenish(now);
            keeper.watch(now);
        }
    }

    /** A waiter found a slot by itself. The wake-up it may have had was for one slot; others may be idle too. */
    private Slot passOn(Slot slot) {
        if (queue.sizeVolatile() > 0 && slots.anyAvailable(clock.freshAfterOpaque())) {
            queue.signal(false);
        }
        return slot;
    }

    private void putBackGranted(Waiter waiter) {
        try {
            Slot granted = waiter.granted();
            if (granted != null) {
                putBack(granted);
            }
        } catch (SQLException decidedOtherwise) {
            // no slot: nothing to put back
        }
    }

    /** Acquired, but not lent: the waiter was given another meanwhile. */
    private void putBack(Slot slot) {
        if (slot.claim(slot.held())) {
            notLent.increment();
            release(slot, false);
        }
    }

    private void checkOpen() throws SQLException {
        if (closed) {
            throw refusals.closed();
        }
    }

    // ---------------------------------------------------------------- release

    /** A handle that touched nothing comes home. Does nothing unless {@code held} still owns the slot. */
    void releaseUntouched(Slot slot, long held) {
        if (queue.sizeVolatile() == 0 && slot.acquiredNanos == 0 && slot.releaseUntouched(held)) {
            if (queue.sizeVolatile() > 0) {
                queue.signal(true);
            }
        } else if (slot.claim(held)) {
            release(slot, false);
        }
    }

    /** A claimed slot, cleaned, comes home; {@code used}: it spoke with the server since it was lent. */
    void release(Slot slot, boolean used) {
        if (slot.acquiredNanos == 0) {
            comeHome(slot, used);
        } else {
            long usedNanos = endTiming(slot);
            long loans = slot.takeLoansSinceTimed();
            comeHome(slot, used);
            listeners.used(name(), usedNanos, loans);
        }
    }

    private void comeHome(Slot slot, boolean used) {
        if (used && !slot.distrusted) {
            slot.setLastUsedOpaque(clock.coarseOpaque());
        }
        slot.distrusted = false;
        if (slot.isCondemned()) {
            retire(slot, reasonOf(slot), null);
        } else if (queue.sizeVolatile() > 0 && slot.lastUsedOpaque() < clock.freshAfterOpaque()) {
            releaseStale(slot);
        } else {
            circulate(slot, false);
        }
    }

    private void releaseStale(Slot slot) {
        if (suspended || !slot.beginCheck()) {
            circulate(slot, false);
        } else {
            checker.start(slot, clock.now());
        }
    }

    /** Passes an owned slot on: to whoever waits, as {@link WaitQueue#release} says, or to lie idle. */
    private void circulate(Slot slot, boolean directly) {
        boolean condemned;
        if (queue.sizeVolatile() > 0) {
            condemned = queue.release(slot, directly);
        } else {
            condemned = slot.setIdleVolatile();
            if (!condemned && queue.sizeVolatile() > 0) {
                queue.signal(true);
            }
        }
        if (condemned) {
            retireIfIdle(slot);
            retire(slot, reasonOf(slot), null);
        }
    }

    /** Returns how long the loan took that now ends, and tells the sizer if it asked. */
    private long endTiming(Slot slot) {
        long now = clock.now();
        long heldNanos = now - slot.acquiredNanos;
        slot.acquiredNanos = 0;
        if (slot.timedForSizer) {
            slot.timedForSizer = false;
            supply.held(heldNanos, now);
        }
        return heldNanos;
    }

    // ----------------------------------------------------------------- retire

    /** A claimed slot is given up; its physical connection is closed by a helper thread. Never throws. */
    void retire(Slot slot, RetireReason reason, @Nullable Throwable cause) {
        if (slot.tryRetire(Slot.RETURNING)) {
            long usedNanos = slot.acquiredNanos == 0 ? -1 : endTiming(slot);
            gone(slot, reason, cause, reason == RetireReason.FAULT || reason == RetireReason.INVALID);
            if (usedNanos >= 0) {
                listeners.used(name(), usedNanos, slot.takeLoansSinceTimed());
            }
        }
    }

    /** The holder aborts: a claimed slot is given up, its physical connection is aborted on this executor. */
    void abort(Slot slot, Executor executor) throws SQLException {
        try {
            slot.physical.abort(executor);
        } finally {
            retire(slot, RetireReason.FAULT, null);
        }
    }

    private void retireIfIdle(Slot slot) {
        if (slot.tryRetire(Slot.IDLE)) {
            gone(slot, reasonOf(slot), null, false);
        }
    }

    private void gone(Slot slot, RetireReason reason, @Nullable Throwable cause, boolean broken) {
        LongAdder count = retired.get(reason);
        if (count != null) {
            count.increment();
        }
        long ageNanos = clock.now() - slot.openedNanos;
        Events.retired(name(), slot.id, reason, ageNanos);
        if (LOG.isLoggable(Level.DEBUG)) {
            String why = cause == null ? "" : ": " + settings.redact(cause.toString());
            LOG.log(Level.DEBUG, "pool ''{0}'': {1} retired ({2}){3}", name(), slot, reason, why);
        }
        opener.close(slot, () -> closeQuietly(slot.physical, broken));
        keeper.retired(slot);
        lifecycle.ended();
        listeners.retired(name(), reason, ageNanos);
    }

    /** At the end of the pool: a slot that is still in use is taken from its holder; true if it was. */
    boolean expel(Slot slot) {
        boolean wasInUse = slot.tryRetire(Slot.IN_USE);
        if (wasInUse) {
            gone(slot, RetireReason.CLOSED, null, true);
        }
        return wasInUse;
    }

    private static RetireReason reasonOf(Slot slot) {
        RetireReason reason = slot.condemnedFor();
        return reason == null ? RetireReason.FAULT : reason;
    }

    /** Closes a physical connection; one that is broken is aborted first, so that closing it waits for no network. */
    void closeQuietly(@Nullable Connection physical, boolean broken) {
        if (physical == null) {
            return;
        }
        if (broken) {
            try {
                physical.abort(Runnable::run);
            } catch (Throwable e) {
                LOG.log(Level.DEBUG, "abort failed; close follows", e);
            }
        }
        try {
            physical.close();
        } catch (Throwable e) {
            LOG.log(Level.DEBUG, "close failed; the connection is given up", e);
        }
    }

    /** Bars a slot from being lent again; it goes now if it is idle, else when its owner is done. */
    void condemn(Slot slot, RetireReason reason) {
        if (slot.condemn(reason) == Slot.IDLE) {
            retireIfIdle(slot);
        }
    }

    // --------------------------------------------------------------- failures

    FailureClass classify(SQLException failure) {
        try {
            return Failures.classify(failure, settings.failureClassifier());
        } catch (RuntimeException | Error e) { // the user's classifier must not cost a place, nor hide the failure
            LOG.log(Level.ERROR, "pool '" + name() + "': the failure classifier threw", e);
            return Failures.classify(failure, null);
        }
    }

    /** A driver call on this slot threw: classify, and condemn the slot if it is gone. */
    void failed(Slot slot, SQLException failure) {
        FailureClass kind = classify(failure);
        if (kind == FailureClass.DISCONNECT || kind == FailureClass.READ_ONLY) {
            condemn(slot, RetireReason.FAULT); // its user may have given it back meanwhile
        }
        if (kind == FailureClass.DISCONNECT) {
            suspect(clock.now());
        }
    }

    /**
     * One connection died: whatever last proved alive before this time is tested before it is lent, and at once if it is
     * idle. What is in use has proved nothing until it is tested.
     */
    private void suspect(long before) {
        clock.suspect(before);
        for (Slot slot : slots.all()) {
            if (slot.state() == Slot.IN_USE) {
                slot.distrusted = true;
            }
        }
        keeper.sweep();
    }

    void checkPassed(Slot slot) {
        slot.endCheck();
        if (slot.isCondemned()) {
            retire(slot, reasonOf(slot), null);
            askForMore();
            return;
        }
        slot.setLastUsedOpaque(clock.now());
        circulate(slot, true);
    }

    /** What proved alive since this test began is not under suspicion. */
    void checkFailed(Slot slot, Throwable failure, long startedNanos) {
        slot.endCheck();
        retire(slot, RetireReason.INVALID, failure);
        if (!closed) {
            suspect(startedNanos);
            askForMore();
        }
    }

    /** A test that somebody may have hoped for brought nothing. */
    private void askForMore() {
        long now = clock.now();
        checker.checkStale(queue.sizeVolatile(), now);
        supply.replenish(now);
    }

    /** A connect ended with a connection that nobody wants any more. */
    void openedInVain() {
        lifecycle.tried();
        supply.changed();
    }

    void openFailed(Opener.Failure failure, long tookNanos) {
        lifecycle.tried();
        if (failure.kind() == FailureClass.AUTHENTICATION && slots.live() == 0) {
            queue.failAll(() -> refusals.refused(failure));
        }
        keeper.nudge(clock.now());
        listeners.openFailed(name(), tookNanos, failure.kind());
    }

    /** A new connection, owned by its opener, joins the others. */
    void opened(Slot slot, long tookNanos) {
        lifecycle.opened();
        supply.connected(tookNanos);
        keeper.opened();
        circulate(slot, true);
        if (closed) {
            condemn(slot, RetireReason.CLOSED);
        }
        supply.changed();
        listeners.opened(name(), tookNanos);
    }

    // -------------------------------------------------------------- operations

    int waiting() {
        return queue.sizeVolatile();
    }

    boolean isSuspended() {
        return suspended;
    }

    boolean isClosed() {
        return closed;
    }

    /** As {@link Lifecycle#start}. */
    void start() throws SQLException {
        lifecycle.start();
    }

    /** As {@link Lifecycle#close}. */
    void close() {
        lifecycle.close();
    }

    /** From now on nothing is lent; false if that was so already. */
    boolean endLending() {
        operations.lock();
        try {
            if (closed) {
                return false;
            }
            closed = true;
            queue.pause(true);
            clock.bar(true);
            return true;
        } finally {
            operations.unlock();
        }
    }

    void suspend() {
        operations.lock();
        try {
            suspended = true;
            queue.pause(true);
            clock.bar(true);
        } finally {
            operations.unlock();
        }
    }

    void resume() {
        operations.lock();
        try {
            if (closed) {
                return;
            }
            suspended = false;
            clock.bar(false);
            queue.pause(false);
        } finally {
            operations.unlock();
        }
        long now = clock.now();
        keeper.wakeClock(now);
        queue.signal(false);
        keeper.nudge(now);
        askForMore();
    }

    void evictIdle() {
        for (Slot slot : slots.all()) {
            if (slot.isAvailable()) {
                condemn(slot, RetireReason.EVICTED);
            }
        }
        keeper.nudge(clock.now());
    }

    void evictAll() {
        for (Slot slot : slots.all()) {
            condemn(slot, RetireReason.EVICTED);
        }
        keeper.nudge(clock.now());
    }

    /** The limits or periods in {@link #settings} changed. */
    void settingsChanged() {
        supply.shrinkTo(settings.maximumPoolSize());
        keeper.settingsChanged();
        supply.replenish(clock.now());
    }

    /** Who holds what, since when, running what; one line a connection. */
    String dump() {
        String held = holders.dump(clock.now());
        return "pool '" + name() + "'" + refusals.counts() + (held.isEmpty() ? "" : System.lineSeparator() + held);
    }

    /** Who holds what, the longest first. */
    List<HeldConnection> held() {
        return holders.held(clock.now());
    }

    PoolStats stats() {
        Opener.Failure failure = opener.lastFailure();
        Map<RetireReason, Long> reasons = new EnumMap<>(RetireReason.class);
        retired.forEach((reason, count) -> reasons.put(reason, count.sum()));
        return new PoolStats(
                slots.live(),
                slots.inUse(),
                slots.count(Slot.IDLE),
                queue.sizeVolatile(),
                opener.opening(),
                acquiresTold.accumulateAndGet(slots.acquires() - notLent.sum(), Math::max),
                timedOut.sum(),
                opener.opened(),
                opener.openFailed(),
                Map.copyOf(reasons),
                failure == null ? null : failure.at(),
                failure == null ? null : settings.redact(failure.cause().toString()));
    }

    private String name() {
        return settings.poolName();
    }
}
