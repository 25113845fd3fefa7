package dev.weir.internal.shared;

import dev.weir.RetireReason;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.slots.Inbox;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.slots.Slots;
import dev.weir.internal.slots.WaitQueue;
import dev.weir.internal.sources.ConnectFailure;
import java.lang.ref.ReferenceQueue;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The ground of every part of a pool: its settings, clock, slots, queue and the Keeper's inbox; the steps of a slot that
 * any owner may take; whether the pool lends; and what the Keeper says to all.
 *
 * <p>A pool may be suspended for a time, and closed for good. While it does not lend nothing is fresh for its clock, so that
 * every acquire takes the slow path and meets the reason there, and its queue serves no thread.
 */
public final class PoolState {
    /**
     * The phase of a pool. A start is decided by one step out of STARTING, before a caller is served or refused: by the first
     * connect that succeeds, when time is up, or by close(). Out of FAILED and CLOSED no step leads.
     */
    public enum Phase {
        NEW,
        STARTING,
        STARTED,
        FAILED,
        CLOSED
    }

    /**
     * A start that failed.
     *
     * @param afterNanos how long it took
     * @param counts the counts of the pool at its end
     */
    public record FailedStart(long afterNanos, String counts) {}

    public final Settings settings;
    public final PoolClock clock;
    public final Slots slots;
    public final WaitQueue queue;
    public final Inbox inbox;
    public final ConnectHistory connects = new ConnectHistory();
    public final Pins pins;
    public final Places places = new Places(System::nanoTime);

    /** Spreads what pools that began or failed together would do together. Any thread may draw. */
    public final RandomGenerator random;

    /**
     * The pools of all starts of one data source that failed and are not gone; perhaps this one among them. They open nothing
     * any more, but a driver may hold on to its connects for as long as it likes: they count, so that the maximum holds over
     * all starts. One list for all, or each pool would keep the one before it in memory.
     */
    public final List<PoolState> failedStarts;

    public final AtomicReference<Phase> phase = new AtomicReference<>(Phase.NEW);

    /** Counted down when the phase is neither NEW nor STARTING any more. */
    final CountDownLatch startDecided = new CountDownLatch(1);

    /** The traces of loans whose handles were collected; also of loans that ended, while the slot was not lent again. */
    public final ReferenceQueue<Connection> unreachable = new ReferenceQueue<>();

    /** Runs on a worker once the pool lends. */
    public final @Nullable Runnable onceLending;

    /** Counted down when the end is over: no connection is left, or none is waited for any more. */
    public final CountDownLatch ended = new CountDownLatch(1);

    /** Orders suspend, resume and close among themselves. */
    private final Object lock = new Object();

    /** Written under the lock. */
    private volatile boolean suspended;

    /** Written before the phase is FAILED. */
    public volatile @Nullable FailedStart failedStart;

    // ------------------------------------------------- what the Keeper says to all

    /** The last connect that failed in the starts before this one. */
    private final @Nullable ConnectFailure failureBefore;

    /** The Keeper has looked at least once what the minimum lacks. */
    public volatile boolean minimumSeen;

    /** The time to look again whether more connections are worth opening for those who wait. */
    public volatile long serveAgainNanos = Long.MIN_VALUE / 2;

    /** The number of connections that the server allows; 0 while that is not known. */
    public volatile int serverMaximum;

    /**
     * The length of the timed loan that ended last, while threads waited and more could be opened; 0 once it was seen.
     */
    public final AtomicLong lastHeldNanos = new AtomicLong();

    /** {@code failed}: that of the start before, if there was one. */
    public PoolState(
            Settings settings,
            PoolClock clock,
            Slots slots,
            WaitQueue queue,
            Inbox inbox,
            RandomGenerator random,
            @Nullable PoolState failed,
            @Nullable Runnable onceLending) {
        this.settings = settings;
        this.pins = new Pins(settings);
        this.clock = clock;
        this.slots = slots;
        this.queue = queue;
        this.inbox = inbox;
        this.random = random;
        this.onceLending = onceLending;
        if (failed == null) {
            failedStarts = new CopyOnWriteArrayList<>();
            failureBefore = null;
            return;
        }
        failedStarts = failed.failedStarts;
        failedStarts.removeIf(PoolState::isGone);
        failedStarts.add(failed);
        Slots.Counts counts = failed.slots.counts();
        slots.countFrom(counts.begun(), counts.opened());
        ConnectFailure last = failed.anyFailure();
        failureBefore = last == null
                ? null
                : new ConnectFailure(
                        last.cause(), last.text(), last.kind(), clock.now() - failed.now() + last.atNanos(), last.at());
    }

    /** Its Keeper has ended it, and no connect of it is left. */
    private boolean isGone() {
        return ended.getCount() == 0 && slots.unfinished() == 0;
    }

    /** Connections and connects of failed starts before this one, those included that are not waited for any more. */
    public int physicalBefore() {
        return before().mapToInt(state -> state.slots.unfinished()).sum();
    }

    /** Those of them that hold a place: without the connects that are older than connectTimeout. */
    public int holdingBefore() {
        return before().mapToInt(state -> state.slots.unfinished() - state.connects.hungConnects)
                .sum();
    }

    private Stream<PoolState> before() {
        return failedStarts.stream().filter(state -> state != this);
    }

    public String name() {
        return settings.poolName();
    }

    public long now() {
        return clock.now();
    }

    /** Makes the Keeper's next turn come now. */
    public void nudge() {
        inbox.nudge(now());
    }

    /** The clock goes from now on. */
    public void wakeClock(long now) {
        if (!clock.isTicking()) {
            inbox.nudge(now); // shows that there is stack for the second: a clock that ticks needs the Keeper awake
            clock.tick(now);
            inbox.nudge(now);
        }
    }

    // ------------------------------------------------------------ steps of a slot

    /**
     * Passes an owned slot on: to a thread that waits, as {@link WaitQueue#release} says, or to lie idle; a condemned one is
     * retired.
     */
    public void passOn(Slot slot, boolean directly) {
        if (queue.sizeVolatile() == 0) {
            makeIdle(slot);
        } else if (queue.release(slot, directly)) {
            retireCondemned(slot);
        }
    }

    public void makeIdle(Slot slot) {
        if (slot.setIdleVolatile()) {
            retireCondemned(slot);
        } else if (queue.sizeVolatile() > 0) {
            queue.signal(true);
        }
    }

    /** A claimed slot is given up: the Keeper has its connection closed. False if it was taken from its owner before. */
    public boolean retire(Slot slot, RetireReason reason, @Nullable Throwable cause) {
        slot.noteRetirement(reason, cause);
        boolean retired = slot.tryRetire(Slot.RETURNING);
        if (retired) {
            try {
                nudge();
            } catch (Throwable e) {
                // The Keeper sees it at its next turn.
            }
        }
        return retired;
    }

    /** A slot that was condemned is given up by its owner, who may just have made it IDLE. */
    public void retireCondemned(Slot slot) {
        if (slot.tryRetire(Slot.IDLE) || slot.tryRetire(Slot.RETURNING)) {
            nudge();
        }
    }

    /** Bars a slot from being lent again; it goes now if it is idle, else when its owner is done. */
    public void condemn(Slot slot, RetireReason reason) {
        if (slot.condemn(reason) == Slot.IDLE && slot.tryRetire(Slot.IDLE)) {
            nudge();
        }
    }

    // ------------------------------------------------------------- does it lend?

    public boolean isSuspended() {
        return suspended;
    }

    /** Whether nothing is lent or opened any more: it was closed, or could not be started. */
    public boolean isClosed() {
        Phase now = phase.get();
        return now == Phase.FAILED || now == Phase.CLOSED;
    }

    public boolean isLending() {
        return !suspended && !isClosed();
    }

    /** The start has come to this; false if it was decided before. */
    public boolean decideStart(Phase outcome) {
        if (!phase.compareAndSet(Phase.STARTING, outcome)) {
            return false;
        }
        startDecided.countDown();
        nudge();
        return true;
    }

    /** Whether the start opens a first connection, whatever the minimum is. */
    public boolean startOpens() {
        return phase.get() == Phase.STARTING && settings.initializationFailTimeoutNanos() >= 0;
    }

    /** Whether the start waits for the first connection, perhaps with no thread in the queue. */
    public boolean startWaits() {
        return phase.get() == Phase.STARTING && settings.initializationFailTimeoutNanos() > 0;
    }

    /** The failure that an acquire should meet at once instead of waiting; null to wait. */
    @Nullable
    public ConnectFailure refusal(long now) {
        return now < connects.refusedUntilNanos && slots.live() == 0 ? connects.lastFailure : null;
    }

    /** The last connect that failed, in this start or in one before. */
    @Nullable
    ConnectFailure anyFailure() {
        ConnectFailure own = connects.lastFailure;
        return own == null ? failureBefore : own;
    }

    /** From now on nothing is lent; returns the phase before. */
    public Phase close() {
        Phase was = phase.getAndUpdate(now -> now == Phase.FAILED ? now : Phase.CLOSED);
        synchronized (lock) {
            queue.pause(true);
            clock.bar(true);
        }
        startDecided.countDown();
        return was;
    }

    public void suspend() {
        synchronized (lock) {
            suspended = true;
            queue.pause(true);
            clock.bar(true);
        }
    }

    /** Lends again; false if the pool is closed. */
    public boolean resume() {
        synchronized (lock) {
            if (isClosed()) {
                return false;
            }
            suspended = false;
            clock.bar(false);
            queue.pause(false);
            return true;
        }
    }
}
