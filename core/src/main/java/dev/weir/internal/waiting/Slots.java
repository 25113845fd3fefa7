package dev.weir.internal.waiting;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The slots of a pool: a copy-on-write array that is scanned without a lock.
 *
 * <p>Each thread starts its scan at the place its id points to, so that threads which come again find the slot, and the
 * cache line, they had. A scan that finds nothing proves nothing: a slot may have become idle behind it. Who must not miss
 * one queues first and scans again (see {@link WaitQueue}).
 *
 * <p>In a pool of more than {@value #FEW} slots a scan begins where the threads of its stripe last found one elsewhere: if
 * all but a few are held for long, these few are not looked for among all. That is a place to begin at, and no more: every
 * scan looks at all slots.
 */
public final class Slots {
    static final int FEW = 64;

    private static final int STRIPES = 64;

    /** So many numbers fill a cache line. */
    private static final int LINE = 16;

    private static final Slot[] NONE = {};

    /** Guards the writes of {@link #slots} and the counts; held for array copies only, never across driver code. */
    private final Object lock = new Object();

    private volatile Slot[] slots = NONE;

    /** For each stripe, a cache line apart, one more than the place; 0: none yet. Null while the slots are few. Racy. */
    private volatile int @Nullable [] found;

    // Guarded by lock.
    private long acquiresOfRemoved;

    /** The array in force; never written to. */
    public Slot[] all() {
        return slots;
    }

    public int live() {
        return slots.length;
    }

    /** Takes an idle slot that proved alive at {@code freshAfter} or later; null if none was met. */
    public @Nullable Slot tryAcquire(long freshAfter) {
        Slot[] all = slots;
        int n = all.length;
        if (n == 0) {
            return null;
        }
        if (n > FEW) {
            return tryAcquireOfMany(all, freshAfter);
        }
        int start = start(n);
        for (int i = start; i < n; i++) {
            Slot slot = all[i];
            if (slot.lastUsedOpaque() >= freshAfter && slot.tryAcquire()) {
                return slot;
            }
        }
        for (int i = 0; i < start; i++) {
            Slot slot = all[i];
            if (slot.lastUsedOpaque() >= freshAfter && slot.tryAcquire()) {
                return slot;
            }
        }
        return null;
    }

    private @Nullable Slot tryAcquireOfMany(Slot[] all, long freshAfter) {
        int n = all.length;
        int[] last = found;
        int stripe = last == null ? 0 : start(STRIPES) * LINE;
        int place = last == null ? 0 : last[stripe];
        int begin = place == 0 || place > n ? start(n) : place - 1;
        for (int i = 0, at = begin; i < n; i++, at++) {
            at = at < n ? at : 0;
            Slot slot = all[at];
            if (slot.lastUsedOpaque() >= freshAfter && slot.tryAcquire()) {
                if (last != null && i > 0) {
                    last[stripe] = at + 1;
                }
                return slot;
            }
        }
        return null;
    }

    /** Whether {@link #tryAcquire} would find one now. */
    public boolean anyAvailable(long freshAfter) {
        for (Slot slot : slots) {
            if (slot.isAvailable() && slot.lastUsedOpaque() >= freshAfter) {
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

    /** Those that could be lent at once, or in the millisecond that a probe takes. */
    public int idle() {
        int count = 0;
        for (Slot slot : slots) {
            int state = slot.state();
            if (state == Slot.IDLE || (state == Slot.CHECKING && slot.probed)) {
                count++;
            }
        }
        return count;
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
            if (after.length > FEW && found == null) {
                found = new int[STRIPES * LINE];
            }
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
            Slot[] after = new Slot[before.length - 1];
            System.arraycopy(before, 0, after, 0, at);
            System.arraycopy(before, at + 1, after, at, after.length - at);
            acquiresOfRemoved += slot.acquires();
            slots = after;
            return true;
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
}
