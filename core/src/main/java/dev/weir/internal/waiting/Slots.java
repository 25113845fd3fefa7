package dev.weir.internal.waiting;

import java.util.Arrays;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The slots of a pool: a copy-on-write array that is scanned without a lock.
 *
 * <p>Each thread first looks at the slot that was last found by one of its stripe, which its id points to: threads that come
 * again find the slot, and the cache line, they had. A scan that finds nothing proves nothing: a slot may have become idle
 * behind it. A thread that must not miss one queues first and scans again (see {@link WaitQueue}).
 */
public final class Slots {
    /** A power of two: threads that run at once, on as many cores, seldom share one. */
    private static final int STRIPES = 64;

    private static final Slot[] NONE = {};

    /** Guards the writes of {@link #slots} and the counts; held for array copies only, never across driver code. */
    private final Object lock = new Object();

    private volatile Slot[] slots = NONE;

    private final Hint[] hints = new Hint[STRIPES];

    // Guarded by lock.
    private long acquiresOfRemoved;

    public Slots() {
        for (int i = 0; i < STRIPES; i++) {
            hints[i] = new Hint();
        }
    }

    /** The array in force; never written to. */
    public Slot[] all() {
        return slots;
    }

    public int live() {
        return slots.length;
    }

    /** Takes an idle slot that proved alive at {@code freshAfter} or later; null if none was met. */
    public @Nullable Slot tryAcquire(long freshAfter) {
        Hint hint = hints[(int) Thread.currentThread().getId() & (STRIPES - 1)]; // no call of our own: see LoanHandle
        Slot last = hint.slot;
        if (last != null && last.lastUsedNanos >= freshAfter && last.tryAcquire()) {
            return last;
        }
        Slot met = scan(freshAfter);
        if (met != null) { // it is taken: no call may stand here, for an Error would leave it without an owner
            hint.slot = met;
            if ((met.word & Slot.STATE) == Slot.RETIRED) {
                hint.slot = null;
            }
        }
        return met;
    }

    private @Nullable Slot scan(long freshAfter) {
        Slot[] all = slots;
        int n = all.length;
        if (n == 0) {
            return null;
        }
        int start = start(n);
        for (int i = start; i < n; i++) {
            Slot slot = all[i];
            if (slot.lastUsed() >= freshAfter && slot.tryAcquire()) {
                return slot;
            }
        }
        for (int i = 0; i < start; i++) {
            Slot slot = all[i];
            if (slot.lastUsed() >= freshAfter && slot.tryAcquire()) {
                return slot;
            }
        }
        return null;
    }

    /**
     * Has idle slots that did not prove alive since {@code freshAfter} checked, at most so many: each is in CHECKING when
     * {@code start} gets it, with {@code now}. First comes the one that this thread would have taken.
     */
    public void checkStale(int atMost, long freshAfter, long now, ObjLongConsumer<Slot> start) {
        Slot last = hints[start(STRIPES)].slot;
        int missing = atMost;
        if (missing > 0 && last != null && last.lastUsed() < freshAfter && last.tryCheck()) {
            start.accept(last, now);
            missing--;
        }
        Slot[] all = slots;
        int n = all.length;
        for (int i = 0, at = n == 0 ? 0 : start(n); i < n && missing > 0; i++, at++) {
            Slot slot = all[at < n ? at : at - n];
            if (slot.lastUsed() < freshAfter && slot.tryCheck()) {
                start.accept(slot, now);
                missing--;
            }
        }
    }

    /** Whether {@link #tryAcquire} would find one now. */
    public boolean anyAvailable(long freshAfter) {
        for (Slot slot : slots) {
            if (slot.isAvailable() && slot.lastUsed() >= freshAfter) {
                return true;
            }
        }
        return false;
    }

    public int count(int state) {
        int count = 0;
        for (Slot slot : slots) {
            if (slot.state() == state) {
                count++;
            }
        }
        return count;
    }

    /**
     * How many slots are in which state. A slot that moves meanwhile is counted once, so that together they are never more than
     * there are.
     *
     * @param inUse those that a user holds, or that are being cleaned after use; one that was just opened is neither
     * @param idle those that could be lent, at once or after a test
     */
    public record Counts(int inUse, int idle) {}

    /** Counts both in one pass. */
    public Counts counts() {
        int inUse = 0;
        int idle = 0;
        for (Slot slot : slots) {
            long word = slot.wordVolatile();
            if (Slot.isHeld(word)) {
                inUse++;
            } else if (Slot.stateOf(word) == Slot.IDLE) {
                idle++;
            }
        }
        return new Counts(inUse, idle);
    }

    /** Those that a user holds, or that are being cleaned after use; one that was just opened is neither. */
    public int inUse() {
        int count = 0;
        for (Slot slot : slots) {
            if (Slot.isHeld(slot.wordVolatile())) {
                count++;
            }
        }
        return count;
    }

    /** Where the scans of this thread begin. */
    public static int start(int n) {
        return (int) (Thread.currentThread().getId() & Integer.MAX_VALUE) % n;
    }

    public boolean contains(Slot slot) {
        return Arrays.asList(slots).contains(slot);
    }

    public void add(Slot slot) {
        synchronized (lock) {
            Slot[] before = slots;
            Slot[] after = Arrays.copyOf(before, before.length + 1);
            after[before.length] = slot;
            slots = after;
        }
    }

    /** Removes a retired slot; false if it is not, or no longer, among them. All or nothing, whatever is thrown. */
    public boolean remove(Slot slot) {
        synchronized (lock) {
            Slot[] before = slots;
            int at = Arrays.asList(before).indexOf(slot);
            if (at < 0) {
                return false;
            }
            forget(slot);
            Slot[] after = new Slot[before.length - 1];
            System.arraycopy(before, 0, after, 0, at);
            System.arraycopy(before, at + 1, after, at, after.length - at);
            long acquires = slot.acquires(); // and no call from here on
            acquiresOfRemoved += acquires;
            slots = after;
            return true;
        }
    }

    /**
     * Takes a RETIRED slot out of the hints, which would keep its connection in memory. A thread that writes a hint looks at the word
     * after that, and this looks at the hints after the word (Dekker's pattern): one of them sees the other.
     */
    private void forget(Slot gone) {
        for (Hint hint : hints) {
            if (hint.slot == gone) {
                hint.slot = null;
            }
        }
    }

    /** How often any slot of this pool was acquired, those gone included. */
    public long acquires() {
        synchronized (lock) {
            long sum = acquiresOfRemoved;
            for (Slot slot : slots) {
                sum += slot.acquires();
            }
            return sum;
        }
    }

    /** The slot that a thread of this stripe found last: it may be held, stale or gone. Racy. On a cache line of its own. */
    private static final class Hint extends Padded {
        volatile @Nullable Slot slot;
    }
}
