package dev.weir.internal.waiting;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The slots of a large pool by groups of 64, each with a word of marks: a scan passes over slots that are not marked. So
 * it does not look at each of a thousand connections that are held, before it finds or does not find one that is idle.
 *
 * <p><b>Each idle slot is marked</b>, but for a moment; a slot that is not idle may be marked too. Whoever makes a slot IDLE
 * reads its mark after that, and sets it if it is missing. A scan that takes a mark off looks at the slot after that
 * (Dekker's pattern): either the first sees that the mark is gone, or the second sees IDLE. The second then sets the mark
 * again and takes the slot itself. So a scan of somebody who waits may miss an idle slot only while another scan is about to
 * take it, and whoever took it looks at the queue when it gives it back: {@link WaitQueue} may count on a scan as if
 * it looked at all slots. A slot that is too stale to be taken, or that an Error kept from being marked, is left to the Keeper,
 * see {@link Slots#markIdle}.
 *
 * <p>Marks come off seldom: of slots that come and go many times a second they would only be set again. So a scan leaves
 * the first {@value #LEFT_MARKED} that it met in vain as they are.
 */
final class SlotGroups {
    private static final int LEFT_MARKED = 8;

    /** Copy on write; written under the lock of {@link Slots}. */
    private volatile Group[] groups = {};

    /** Gives a slot its place; under the lock of {@link Slots}. All or nothing, whatever is thrown. */
    void add(Slot slot) {
        for (Group group : groups) {
            if (group.used != -1L) {
                group.add(slot);
                return;
            }
        }
        Group[] more = Arrays.copyOf(groups, groups.length + 1);
        Group added = new Group(groups.length);
        more[groups.length] = added;
        added.add(slot);
        groups = more;
    }

    /** Takes an idle slot that proved alive at {@code freshAfter} or later; null if none was met. Begins at the last one. */
    @Nullable
    Slot tryAcquire(long freshAfter, @Nullable Slot last) {
        Group[] all = groups;
        int begin = begin(all, last);
        int inVain = 0;
        for (int i = 0, at = begin / Group.SIZE; i < all.length; i++, at++) {
            Group group = all[at < all.length ? at : at - all.length];
            int from = i == 0 ? begin % Group.SIZE : 0;
            for (long left = Long.rotateRight(group.marks, from); left != 0; left &= left - 1) {
                int place = (from + Long.numberOfTrailingZeros(left)) % Group.SIZE;
                Slot slot = group.slots.get(place);
                if ((slot == null || !slot.isAvailable()) && inVain++ >= LEFT_MARKED) {
                    slot = group.unmark(place);
                }
                if (slot != null && slot.lastUsed() >= freshAfter && slot.tryAcquire()) {
                    return slot;
                }
            }
        }
        return null;
    }

    /** The number of the place at which a scan begins that met this slot in vain. */
    private static int begin(Group[] all, @Nullable Slot last) {
        if (last != null) {
            Group its = last.group;
            if (its != null && its.first < all.length * Group.SIZE) {
                return its.first + last.place;
            }
        }
        return Slots.start(all.length * Group.SIZE);
    }

    /** Whether {@link #tryAcquire} would find one now. */
    boolean anyAvailable(long freshAfter) {
        for (Group group : groups) {
            for (long left = group.marks; left != 0; left &= left - 1) {
                Slot slot = group.slots.get(Long.numberOfTrailingZeros(left));
                if (slot != null && slot.isAvailable() && slot.lastUsed() >= freshAfter) {
                    return true;
                }
            }
        }
        return false;
    }

    /** See {@link Slots#checkStale}. */
    void checkStale(int atMost, long freshAfter, long now, @Nullable Slot last, ObjLongConsumer<Slot> start) {
        Group[] all = groups;
        int begin = begin(all, last);
        int missing = atMost;
        for (int i = 0, at = begin / Group.SIZE; i < all.length; i++, at++) {
            Group group = all[at < all.length ? at : at - all.length];
            int from = i == 0 ? begin % Group.SIZE : 0;
            for (long left = Long.rotateRight(group.marks, from); left != 0; left &= left - 1) {
                if (missing == 0) {
                    return;
                }
                Slot slot = group.slots.get((from + Long.numberOfTrailingZeros(left)) % Group.SIZE);
                if (slot != null && slot.lastUsed() < freshAfter && slot.tryCheck()) {
                    start.accept(slot, now);
                    missing--;
                }
            }
        }
    }

    /** Up to 64 slots. */
    static final class Group {
        static final int SIZE = Long.SIZE;

        private static final AtomicLongFieldUpdater<Group> MARKS =
                AtomicLongFieldUpdater.newUpdater(Group.class, "marks");

        private volatile long marks;

        /** Written under the lock of {@link Slots}. */
        private final AtomicReferenceArray<@Nullable Slot> slots = new AtomicReferenceArray<>(SIZE);

        /** Which places are taken. Guarded by the lock of {@link Slots}. */
        private long used;

        /** The number of the slot in the first place. */
        private final int first;

        Group(int index) {
            this.first = index * SIZE;
        }

        /** After the slot is written nothing is called: an Error finds it in, or out with its place free. */
        private void add(Slot slot) {
            int place = Long.numberOfTrailingZeros(~used);
            slots.set(place, slot);
            used |= 1L << place;
            slot.place = place;
            slot.group = this;
        }

        /** Of a slot that is RETIRED, and so never IDLE again; under the lock of {@link Slots}. The mark may stay. */
        void remove(int place) {
            slots.set(place, null);
            used &= ~(1L << place);
        }

        /** The slot in this place is IDLE, or was a moment ago. */
        void mark(int place) {
            long bit = 1L << place;
            for (long before = marks; (before & bit) == 0; before = marks) {
                if (MARKS.compareAndSet(this, before, before | bit)) {
                    return;
                }
            }
        }

        /**
         * Returns the slot if it is IDLE after all, and marked again. The place may have another slot meanwhile, which counted
         * on the mark: what is looked at is the place.
         */
        private @Nullable Slot unmark(int place) {
            long bit = 1L << place;
            for (long before = marks; (before & bit) != 0; before = marks) {
                if (MARKS.compareAndSet(this, before, before & ~bit)) {
                    break;
                }
            }
            Slot now = slots.get(place);
            if (now == null || !now.isAvailable()) {
                return null;
            }
            mark(place);
            return now;
        }
    }
}
