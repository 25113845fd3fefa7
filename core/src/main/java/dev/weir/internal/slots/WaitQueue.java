package dev.weir.internal.slots;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads that wait for a slot, first come first, and what a release does for them.
 *
 * <p><b>First idea: a released slot goes to whoever runs.</b> It becomes IDLE, and one waiter is woken to compete for it, unless
 * {@link #MAX_WOKEN} that were woken have yet to come. To hand each slot to the head would be fair, and slow: the connection
 * idles while the head is being scheduled. So a waiter may be overtaken.
 *
 * <p><b>Second idea: a waiter is overtaken a counted number of times.</b> One that joins behind p others is <em>due</em> once p +
 * p/{@value #SLACK} + 1 slots were released; each waiter that gives up counts as one of them and its slack. A slot that is
 * released while the head is due is handed to the head, without becoming IDLE. That costs a <em>pick-up</em>: the time until the
 * thread of the head runs, a quarter of a millisecond where a processor is free. Two delays keep it rare: a waiter is not due in
 * its first {@value #PATIENCE_NANOS} ns, and the first {@value #BARGED} releases after a hand-over become IDLE, unless
 * {@value #PICK_UP_NANOS} ns have passed.
 *
 * <p>So a waiter behind p others, of whom none joined behind more than q, is overtaken at most q/{@value #SLACK} + 1 times (a
 * head keeps the slack of the queue it joined), and {@value #BARGED}(p + 1) times more where slots come back faster than threads
 * pick them up; its first {@value #PATIENCE_NANOS} ns not counted.
 *
 * <p><b>No wake-up is lost.</b> A waiter joins (size is written) and then scans the slots; a releaser makes its slot IDLE and
 * then reads the size, under the lock or, in {@code PoolState.makeIdle}, before {@link #signal}. So at least one sees the other.
 * A waiter that finds itself marked woken takes the mark off ({@link #clearWoken}) before it scans; a releaser that finds it
 * still marked therefore knows that a scan of it is yet to come, and need not wake another in its place. One that is marked after
 * it looked is unparked after that too, hence looks and scans again before it can park. A waiter that leaves the queue while
 * marked passes the wake-up on; one that got a slot wakes the next if another lies idle (see
 * {@code Acquiring.wakeIfAnotherIsIdle}).
 *
 * <p><b>An Error cannot break it.</b> A StackOverflowError may come from any call, so the lock is a {@link LeafLock},
 * which is not taken without stack enough to leave it, and what belongs together (a hand-over and its outcome, a waiter
 * and its two neighbours) is written without a call in between. The rest is mended by {@link #tidy}: a
 * waiter whose thread is gone, or was not unparked.
 *
 * <p><b>Cost.</b> Joining, leaving, timing out, being interrupted: O(1). No driver, user code or unpark under the lock.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // all writes of size are under the lock
public final class WaitQueue {
    /** The pick-up of a thread for which a processor is free, with what it has to find again in its caches. */
    static final long PICK_UP_NANOS = 250_000;

    /** Four of them: a thread that has waited for less would gain little by a hand-over, and the connection would lose as much. */
    public static final long PATIENCE_NANOS = 1_000_000;

    /**
     * The number of releases that become IDLE after a hand-over: other threads use them while the head is on its way.
     */
    static final int BARGED = 2;

    /** A waiter bears to be overtaken once for so many that came before it. Progress is counted in such parts of a release. */
    static final int SLACK = 4;

    /** The most waiters that may be on their way to compete at one time: more would only meet one another. */
    static final int MAX_WOKEN = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

    private final LeafLock lock = new LeafLock();
    private final PoolClock clock;

    /** Written under the lock, read by every release. */
    private volatile int size;

    // Guarded by lock.
    private int woken; // so many are marked

    /**
     * The count of slots that were released and of waiters that gave up, in parts of a release. One that gave up counts
     * for a release and its slack.
     */
    private long progress;

    private @Nullable Waiter head;
    private @Nullable Waiter tail;
    private boolean paused;
    private long mayHandOverAt; // in progress
    private long handedOverNanos;

    /** Those whose outcome is decided, but whom an Error kept from being unparked. Written under the lock. */
    private volatile @Nullable Waiter notUnparked;

    /** Some waiter is {@link Waiter#gone}; written by it, taken back by {@link #tidy}. */
    public volatile boolean someGone;

    public WaitQueue(PoolClock clock) {
        this.clock = clock;
    }

    public int sizeVolatile() {
        return size;
    }

    /** The threads that wait, in their order; a copy. */
    public List<Thread> threads() {
        return first(Integer.MAX_VALUE).stream().map(Waiter::thread).toList();
    }

    /** Those that wait, in their order, so many at most; a copy. */
    public List<Waiter> first(int most) {
        List<Waiter> all = new ArrayList<>(Math.min(size, most));
        lock.lock();
        try {
            for (Waiter waiter = head; waiter != null && all.size() < most; waiter = waiter.next) {
                all.add(waiter);
            }
        } finally {
            lock.unlock();
        }
        return all;
    }

    /** Joins at the end; false if {@code maximum} (0: any number) are there already. */
    public boolean join(Waiter waiter, int maximum) {
        lock.lock();
        try {
            int ahead = size;
            if (maximum > 0 && ahead >= maximum) {
                return false;
            }
            waiter.dueAt = progress + (SLACK + 1L) * ahead + SLACK;
            waiter.queued = true;
            waiter.previous = tail;
            if (tail == null) {
                head = waiter;
            } else {
                tail.next = waiter;
            }
            tail = waiter;
            size = ahead + 1;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Leaves, with a slot that the waiter found itself or with none; false if its outcome is already decided. */
    public boolean leave(Waiter waiter, boolean served) {
        Waiter heir = null;
        lock.lock();
        try {
            if (!waiter.queued) {
                return false;
            }
            heir = unlink(waiter);
            if (!served) {
                progress += SLACK + 1;
            }
        } finally {
            lock.unlock();
        }
        unpark(heir);
        return true;
    }

    /** The waiter is about to scan: from now on it may be woken again. */
    public void clearWoken(Waiter waiter) {
        if (!waiter.woken) { // it may be marked after this, and is unparked then
            return;
        }
        lock.lock();
        try {
            if (waiter.woken) {
                waiter.woken = false;
                waiter.slow = false;
                woken--;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Passes on a slot that its owner cleaned: to the head if it is due, or if the slot is new or was just tested, and so
     * is not to lie about ({@code directly}), else to IDLE, waking one to compete. True if the slot turned out to be
     * condemned: then it is still the caller's, or IDLE, and has to be retired.
     *
     * <p>A thread that takes an IDLE slot looks at its sockets. One that is to be handed over is looked at here, without the
     * lock; if its server has spoken it becomes IDLE, and the thread that takes it has it tested.
     */
    public boolean release(Slot slot, boolean directly) {
        return release(slot, directly, null);
    }

    /** {@code silent}: whether its server is, where the head was due and its sockets were looked at; else null. */
    private boolean release(Slot slot, boolean directly, @Nullable Boolean silent) {
        Waiter served = null;
        Waiter next = null;
        boolean condemned = false;
        boolean look = false;
        try {
            lock.lock();
            try {
                boolean spoken = Boolean.FALSE.equals(silent);
                progress += silent == null ? SLACK : 0;
                Waiter first = spoken || paused ? null : firstToServe();
                if (first != null && (directly || silent != null || isDue(first))) {
                    look = !directly && silent == null && slot.sockets != null;
                    long now =
                            directly ? handedOverNanos : clock.now(); // before the hand-over: no call stands within it
                    condemned = !look && !slot.tryHandOff();
                    if (!look && !condemned) {
                        served = first;
                        if (!directly) {
                            mayHandOverAt = progress + SLACK * (BARGED + 1);
                            handedOverNanos = now;
                        }
                        slot.holder = first.thread; // from the hand-over on, however late that thread runs
                        first.outcome = slot;
                        if (first.gone) { // read after the outcome was written; the waiter does it the other way round
                            slot.stranded = slot.word & ~Slot.CONDEMNED;
                        }
                        next = unlink(first);
                    }
                } else {
                    condemned = slot.setIdleVolatile();
                    next = condemned ? null : wakeNext(MAX_WOKEN);
                }
            } finally {
                lock.unlock();
            }
            unpark(served);
            unpark(next);
        } catch (Throwable e) {
            if (served != null) {
                lock.lock();
                try {
                    served.nextNotUnparked = notUnparked;
                    notUnparked = served;
                } finally {
                    lock.unlock();
                }
            }
            throw e;
        }
        return look ? release(slot, false, !slot.isSpokenTo()) : condemned;
    }

    /** The waiter that a slot is handed to: the head, once those are out of the way that wait no more. See also {@link #wakeNext}. */
    private @Nullable Waiter firstToServe() {
        Waiter first = head;
        while (first != null && (first.gone || first.outcome != null)) {
            unlink(first);
            first = head;
        }
        return first;
    }

    /** A slot became IDLE, by a release or otherwise: one waiter should come and look. */
    public void signal(boolean released) {
        wake(MAX_WOKEN, released);
    }

    /** A slot lies idle while they wait: one more is woken, even if those woken before have not come. */
    public void rouse() {
        wake(Integer.MAX_VALUE, false);
    }

    private void wake(int atMost, boolean released) {
        Waiter next;
        lock.lock();
        try {
            progress += released ? SLACK : 0;
            next = wakeNext(atMost);
        } finally {
            lock.unlock();
        }
        unpark(next);
    }

    /** While paused nobody is served or woken. */
    public void pause(boolean on) {
        lock.lock();
        try {
            paused = on;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the wait of all who wait now: each throws what this gives it, made on its own thread. */
    public void failAll(Supplier<SQLException> failure) {
        lock.lock();
        try {
            for (Waiter w = head; w != null; w = w.next) {
                w.outcome = w.outcome == null ? failure : w.outcome;
                w.queued = false;
                w.woken = false;
                w.nextNotUnparked = notUnparked;
                notUnparked = w;
            }
            head = null;
            tail = null;
            size = 0;
            woken = 0;
        } finally {
            lock.unlock();
        }
        unparkLate();
    }

    /**
     * Mends what an Error cut off, by the Keeper: takes out those who wait no more, and unparks those who should have been.
     * To unpark once too often does no harm.
     */
    public void tidy() {
        unparkLate();
        Waiter slow = null;
        lock.lock();
        try {
            firstToServe();
            boolean all = someGone;
            someGone = false;
            int left = woken;
            for (Waiter w = head; w != null && (all || left > 0); w = w.next) {
                if (w.gone) {
                    unlink(w);
                } else if (w.woken) {
                    slow = w.slow ? w : slow;
                    w.slow = true;
                    left--;
                }
            }
        } finally {
            lock.unlock();
        }
        unpark(slow);
    }

    private void unparkLate() {
        Waiter late = notUnparked;
        for (Waiter w = late; w != null; w = w.nextNotUnparked) {
            w.unpark();
        }
        lock.lock();
        try {
            notUnparked = late == notUnparked ? null : notUnparked;
        } finally {
            lock.unlock();
        }
    }

    /** When the longest waiting of all began to wait; Long.MAX_VALUE if no thread waits. */
    public long headSinceNanos() {
        lock.lock();
        try {
            return head == null ? Long.MAX_VALUE : head.sinceNanos;
        } finally {
            lock.unlock();
        }
    }

    /** Whether a slot that is released now is to be handed to the head. */
    private boolean isDue(Waiter first) {
        if (progress < first.dueAt) {
            return false;
        }
        long now = clock.now();
        return now - first.sinceNanos >= PATIENCE_NANOS
                && (progress >= mayHandOverAt || now - handedOverNanos >= PICK_UP_NANOS);
    }

    /**
     * The waiter that an idle slot wakes to compete for it: the first that is not awake yet. The order of service stands here and
     * in {@link #firstToServe}, which says which one a slot is handed to.
     */
    private @Nullable Waiter wakeNext(int atMost) {
        if (paused || woken >= atMost) {
            return null;
        }
        Waiter w = head;
        while (w != null && (w.woken || w.gone)) {
            w = w.next;
        }
        if (w != null) {
            w.woken = true;
            woken++;
        }
        return w;
    }

    /**
     * Takes a waiter out; returns the one to be woken in its place, if it was woken itself and leaves before it looked.
     */
    private @Nullable Waiter unlink(Waiter waiter) {
        Waiter before = waiter.previous;
        Waiter after = waiter.next;
        if (before == null) {
            head = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            tail = before;
        } else {
            after.previous = before;
        }
        waiter.queued = false;
        size--;
        if (!waiter.woken) {
            return null;
        }
        waiter.woken = false;
        woken--;
        return wakeNext(MAX_WOKEN);
    }

    private static void unpark(@Nullable Waiter waiter) {
        if (waiter != null) {
            waiter.unpark();
        }
    }
}
