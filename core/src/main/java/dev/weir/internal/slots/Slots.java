package dev.weir.internal.slots;

import dev.weir.RetireReason;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
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

    /** Guards the writes of {@link #slots} and the counts; a leaf, held for array copies only. */
    private final Object lock = new Object();

    private volatile Slot[] slots = NONE;

    private final Hint[] hints = new Hint[STRIPES];

    // Guarded by lock. The account of places: live + opening + closing never exceeds the maximum.
    private long acquiresOfRemoved;
    private int opening;
    private int abandoned;
    private int closing;
    private long begun;
    private long opened;
    private long openFailed;
    private final Map<RetireReason, AtomicLong> retired = new EnumMap<>(RetireReason.class);

    public Slots() {
        for (RetireReason reason : RetireReason.values()) {
            retired.put(reason, new AtomicLong()); // it allocates nothing when it counts
        }
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
        if (last != null && last.aliveNanos >= freshAfter && last.tryAcquire()) {
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
            if (slot.aliveAt() >= freshAfter && slot.tryAcquire()) {
                return slot;
            }
        }
        for (int i = 0; i < start; i++) {
            Slot slot = all[i];
            if (slot.aliveAt() >= freshAfter && slot.tryAcquire()) {
                return slot;
            }
        }
        return null;
    }

    /** Moves an idle slot that did not prove alive since {@code freshAfter} to TESTING, for the Keeper; null if there is none. */
    public @Nullable Slot tryTest(long freshAfter) {
        for (Slot slot : slots) {
            if (slot.aliveAt() < freshAfter && slot.tryTest()) {
                return slot;
            }
        }
        return null;
    }

    /** Whether an idle slot has to be tested before it is lent. */
    public boolean anyStale(long freshAfter) {
        for (Slot slot : slots) {
            if (slot.isIdle() && slot.aliveAt() < freshAfter) {
                return true;
            }
        }
        return false;
    }

    /** The number of slots that {@link #tryAcquire} would find now. */
    public int fresh(long freshAfter) {
        int count = 0;
        for (Slot slot : slots) {
            count += slot.isIdle() && slot.aliveAt() >= freshAfter ? 1 : 0;
        }
        return count;
    }

    /** Those that a user holds, or that are being cleaned after use; one that was just opened is neither. */
    public int held() {
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

    public void add(Slot slot) {
        synchronized (lock) {
            Slot[] before = slots;
            Slot[] after = Arrays.copyOf(before, before.length + 1);
            after[before.length] = slot;
            slots = after;
        }
    }

    // ----------------------------------------------------------------- places

    /** The counts go on from those of pools before this one. */
    public void countFrom(long begunBefore, long openedBefore) {
        synchronized (lock) {
            begun = begunBefore;
            opened = openedBefore;
        }
    }

    /** A connect takes a place; by the Keeper. */
    public void connectBegins() {
        synchronized (lock) {
            opening++;
            begun++;
        }
    }

    /**
     * The place of a connect passes to its slot; false if so many are live, since the maximum was lowered. All or nothing,
     * whatever is thrown.
     */
    public boolean connected(Slot slot, int maximum) {
        synchronized (lock) {
            if (slots.length >= maximum) {
                return false;
            }
            add(slot);
            opening--;
            opened++;
            return true;
        }
    }

    /**
     * A connect failed, and its place is free.
     *
     * @param counts false if it is no failure of the database, but of a pool that is closed, or not even a login
     */
    public void connectFailed(boolean counts) {
        synchronized (lock) {
            opening--;
            openFailed += counts ? 1 : 0;
        }
    }

    /** A connect that was given up: its place is free, but it has a thread, and perhaps a backend. Taken back by -1. */
    public void abandoned(int by) {
        synchronized (lock) {
            abandoned += by;
        }
    }

    /** A connection that never was a slot keeps a place while it is closed. */
    public void closeBegins() {
        synchronized (lock) {
            closing++;
        }
    }

    /**
     * A RETIRED slot leaves, is counted, and its place is kept while its connection is closed; false if it is not among them.
     * All or nothing, whatever is thrown. A thread that sees that the connection is gone sees that it is counted.
     */
    public boolean closeBegins(Slot slot) {
        synchronized (lock) {
            Slot[] before = slots;
            int at = Arrays.asList(before).indexOf(slot);
            if (at < 0) {
                return false;
            }
            forget(slot);
            AtomicLong soFar = Objects.requireNonNull(retired.get(slot.retireReason()));
            Slot[] after = new Slot[before.length - 1];
            System.arraycopy(before, 0, after, 0, at);
            System.arraycopy(before, at + 1, after, at, after.length - at);
            long acquires = slot.acquires(); // and no call from here on
            acquiresOfRemoved += acquires;
            soFar.incrementAndGet();
            closing++;
            slots = after;
            return true;
        }
    }

    /** A connection is closed, or is not waited for any more: its place is free. */
    public void closed() {
        synchronized (lock) {
            closing--;
        }
    }

    /** Connects under way. */
    public int opening() {
        synchronized (lock) {
            return opening;
        }
    }

    /** Places that are taken. */
    public int taken() {
        synchronized (lock) {
            return slots.length + opening + closing;
        }
    }

    /** Connections, connects, given up or not, and closes, that have not come to their end; of one moment. */
    public int unfinished() {
        synchronized (lock) {
            return slots.length + opening + abandoned + closing;
        }
    }

    /**
     * All of one moment. A slot that moves meanwhile is counted once; a RETIRED one as closing.
     *
     * @param live connections, without those that are closing
     * @param inUse those that a user holds, or that are being cleaned after use; one that was just opened is neither
     * @param idle those that could be lent, at once or after a test
     */
    public record Counts(
            int live,
            int inUse,
            int idle,
            int opening,
            int closing,
            long begun,
            long opened,
            long openFailed,
            Map<RetireReason, Long> retired) {}

    public Counts counts() {
        synchronized (lock) {
            Map<RetireReason, Long> gone = new EnumMap<>(RetireReason.class);
            retired.forEach((reason, count) -> gone.put(reason, count.get()));
            int live = 0;
            int inUse = 0;
            int idle = 0;
            for (Slot slot : slots) {
                long word = slot.wordVolatile();
                boolean isRetired = Slot.stateOf(word) == Slot.RETIRED;
                if (isRetired) {
                    gone.merge(slot.retireReason(), 1L, Long::sum);
                }
                live += isRetired ? 0 : 1;
                inUse += Slot.isHeld(word) ? 1 : 0;
                idle += Slot.stateOf(word) == Slot.IDLE ? 1 : 0;
            }
            int closings = closing + abandoned + slots.length - live;
            return new Counts(live, inUse, idle, opening, closings, begun, opened, openFailed, Map.copyOf(gone));
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

    /** The number of acquires of all slots of this pool, those gone included. */
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
