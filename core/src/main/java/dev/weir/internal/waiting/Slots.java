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
 * <p><b>Hints.</b> To look at each of a thousand slots is to wait for a thousand cache lines. So the slots of a pool of more
 * than {@link #MOST_WITHOUT_HINTS} are in {@link Hints#GROUPS} groups, and a scan passes over a group whose bit in {@link Hints}
 * is clear. A slot keeps its group for life. Who makes a slot IDLE sets the bit afterwards, if it is clear. While connections
 * lie idle it is not, so that an acquire and a return write no hint, and share no line that is written.
 *
 * <p>A scan that finds no idle slot in a group clears the bit <em>and then looks at the whole group again</em>, by the table in
 * force. What it finds there it makes good as a release would: it sets the bit, then reads the size of the queue, and wakes a
 * waiter. (Also when it takes what it found: there may have been two.)
 *
 * <p>So no idle slot stays hidden, and no wake-up is lost. Say that a waiter joined, found the bit clear, and so missed a slot
 * that was IDLE before or became IDLE since.
 *
 * <ul>
 *   <li>If the release of the slot found the bit clear, it sets it after that look of the waiter's (the waiter would have
 *       seen it otherwise, or a later clearing, below) and reads the size of the queue after that: it sees the waiter.
 *   <li>If the release found the bit set, somebody cleared it after that, and looks at the group after he cleared it: he finds
 *       the slot IDLE, unless it was taken meanwhile. If he sets the bit before the look of the waiter's, the waiter sees it, or
 *       a later clearing, for which the same holds. If after, he reads the size of the queue still later, and sees the waiter.
 * </ul>
 *
 * All this is by volatile accesses, which have one order. A new slot is in the table before it is first IDLE, so who clears its
 * bit after that sees it there. Only an Error between the clearing and the second look can leave a bit clear: the Keeper,
 * which looks at each slot while anybody waits, sets it ({@link #anyAvailableOfAll}).
 */
public final class Slots {
    /** So many are looked at one by one: fewer cache lines than the hints would save. */
    static final int MOST_WITHOUT_HINTS = Hints.GROUPS;

    private static final Slot[] NONE = {};

    private final int mostWithoutHints;

    private final Hints hints = new Hints();

    /** Guards the writes of {@link #slots} and the counts; held for array copies only, never across driver code. */
    private final Object lock = new Object();

    private volatile Slot[] slots = NONE;

    /** The same slots by group; null while they are few. */
    private volatile @Nullable Table table;

    /** The waiters for what a scan finds at its second look; null where nobody waits for these slots. */
    private volatile @Nullable WaitQueue queue;

    // Guarded by lock.
    private long acquiresOfRemoved;

    /** The slots of group g are those from {@code begins[g]} to before {@code begins[g + 1]}. Never written to. */
    private static final class Table {
        final Slot[] all;
        final int[] begins;

        Table(Slot[] all, int[] begins) {
            this.all = all;
            this.begins = begins;
        }
    }

    public Slots() {
        this(MOST_WITHOUT_HINTS);
    }

    /** For tests of the hints on few slots. */
    Slots(int mostWithoutHints) {
        this.mostWithoutHints = mostWithoutHints;
    }

    /** Who waits for these slots, said once, before there are any. */
    public void wake(WaitQueue waiters) {
        queue = waiters;
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
        Slot[] all = slots;
        int n = all.length;
        Table byGroup = n > mostWithoutHints ? table : null; // null too if they have just become few
        if (byGroup != null) {
            return find(byGroup, freshAfter, true);
        }
        if (n == 0) {
            return null;
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

    /** Takes for a test an idle slot that last proved alive before {@code freshAfter}; null if none was met. */
    public @Nullable Slot tryCheckStale(long freshAfter) {
        Slot[] all = slots;
        int n = all.length;
        Table byGroup = n > mostWithoutHints ? table : null;
        if (byGroup != null) {
            return find(byGroup, freshAfter, false);
        }
        for (int i = 0, at = n == 0 ? 0 : start(n); i < n; i++, at++) {
            Slot slot = all[at < n ? at : at - n]; // first the one that this thread would have taken
            if (slot.lastUsedOpaque() < freshAfter && slot.tryCheck()) {
                return slot;
            }
        }
        return null;
    }

    /** Group by group, from that of the slot where the scans of this thread begin. */
    private @Nullable Slot find(Table now, long freshAfter, boolean fresh) {
        int start = start(now.all.length);
        Slot first = now.all[start];
        if (take(first, freshAfter, fresh)) {
            return first;
        }
        int home = Long.numberOfTrailingZeros(first.hint);
        for (long left = Long.rotateRight(hints.word, home); left != 0; left &= left - 1) {
            int group = (home + Long.numberOfTrailingZeros(left)) % Hints.GROUPS;
            Slot found = findIn(now, group, start, freshAfter, fresh);
            if (found == null && mend(group)) {
                found = findIn(now, group, start, freshAfter, fresh);
            }
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static boolean take(Slot slot, long freshAfter, boolean fresh) {
        boolean isFresh = slot.lastUsedOpaque() >= freshAfter;
        return isFresh == fresh && (fresh ? slot.tryAcquire() : slot.tryCheck());
    }

    private static @Nullable Slot findIn(Table now, int group, int start, long freshAfter, boolean fresh) {
        int begin = now.begins[group];
        int n = now.begins[group + 1] - begin;
        int at = n == 0 ? 0 : start % n;
        for (int i = 0; i < n; i++) {
            Slot slot = now.all[begin + at];
            if (take(slot, freshAfter, fresh)) {
                return slot;
            }
            at = at + 1 == n ? 0 : at + 1;
        }
        return null;
    }

    /**
     * Nothing was taken of this group: clears its hint if nothing of it is idle; true if a slot became idle meanwhile. See the
     * class comment.
     */
    private boolean mend(int group) {
        if (isAnyIdle(group)) {
            return false; // not for this scan: too old, or too young
        }
        long bit = 1L << group;
        hints.clearVolatile(bit);
        if (!isAnyIdle(group)) {
            return false;
        }
        hints.setVolatile(bit);
        WaitQueue waiters = queue;
        if (waiters != null && waiters.sizeVolatile() > 0) {
            waiters.signal(false);
        }
        return true;
    }

    /** By the table in force. */
    private boolean isAnyIdle(int group) {
        Table now = table;
        if (now == null) {
            return true; // they have become few: the hints wait for more
        }
        for (int i = now.begins[group]; i < now.begins[group + 1]; i++) {
            if (now.all[i].isAvailable()) {
                return true;
            }
        }
        return false;
    }

    /** Whether {@link #tryAcquire} would find one now. */
    public boolean anyAvailable(long freshAfter) {
        Table now = table;
        if (now == null) {
            return anyAvailable(slots, 0, slots.length, freshAfter);
        }
        for (long left = hints.word; left != 0; left &= left - 1) {
            int group = Long.numberOfTrailingZeros(left);
            if (anyAvailable(now.all, now.begins[group], now.begins[group + 1], freshAfter)) {
                return true;
            }
        }
        return false;
    }

    /** As {@link #anyAvailable}, without a hint; sets the hints that an Error left clear. */
    public boolean anyAvailableOfAll(long freshAfter) {
        boolean any = false;
        for (Slot slot : slots) {
            if (slot.isAvailable()) {
                slot.noteIdle();
                any |= slot.lastUsedOpaque() >= freshAfter;
            }
        }
        return any;
    }

    private static boolean anyAvailable(Slot[] all, int from, int to, long freshAfter) {
        for (int i = from; i < to; i++) {
            Slot slot = all[i];
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
            boolean few = before.length < mostWithoutHints; // then nobody looks at groups, whoever is in which
            slot.hint = 1L << (few ? before.length % Hints.GROUPS : smallestGroup(before));
            slot.hints = hints;
            table = sorted(after);
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
            Table sorted = sorted(after); // before the count: there may be no memory for it
            acquiresOfRemoved += slot.acquires();
            table = sorted;
            slots = after;
            return true;
        }
    }

    private static int smallestGroup(Slot[] all) {
        int[] sizes = sizes(all);
        int smallest = 0;
        for (int group = 1; group < Hints.GROUPS; group++) {
            smallest = sizes[group] < sizes[smallest] ? group : smallest;
        }
        return smallest;
    }

    private static int[] sizes(Slot[] all) {
        int[] sizes = new int[Hints.GROUPS];
        for (Slot slot : all) {
            sizes[Long.numberOfTrailingZeros(slot.hint)]++;
        }
        return sizes;
    }

    private @Nullable Table sorted(Slot[] all) {
        if (all.length <= mostWithoutHints) {
            return null;
        }
        int[] sizes = sizes(all);
        int[] begins = new int[Hints.GROUPS + 1];
        for (int group = 0; group < Hints.GROUPS; group++) {
            begins[group + 1] = begins[group] + sizes[group];
        }
        int[] next = begins.clone();
        Slot[] sorted = new Slot[all.length];
        for (Slot slot : all) {
            sorted[next[Long.numberOfTrailingZeros(slot.hint)]++] = slot;
        }
        return new Table(sorted, begins);
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
