package dev.weir.internal.waiting;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The slots of a large pool by groups of 64, each with a word of marks: a scan passes over slots that are not marked. So
 * it does not look at each of a thousand connections that are held, before it finds or does not find one that is idle.
 *
 * <p><b>Each idle slot is marked</b>, once who made it idle has gone on; a slot that is not idle may be marked too.
 * Whoever makes a slot IDLE reads its mark after that, and sets it if it is missing. A scan that takes a mark off looks at the
 * slot after that, and sets the mark again if it is IDLE (Dekker's pattern): either the first sees that the mark is gone,
 * or the second sees IDLE. Whoever makes a slot IDLE goes on to read the size of the queue only then, so that
 * {@link WaitQueue} may count on a scan as if it looked at all slots. An Error between the two leaves a mark unset: the
 * Keeper sets it, see {@link Slots#markIdle}.
 *
 * <p>Marks come off seldom: of slots that come and go many times a second they would only be set again. So a scan leaves
 * the first {@value #LEFT_MARKED} that it met in vain as they are.
 */
final class SlotGroups {
    private static final int STRIPES = 64;

    /** So many numbers fill a cache line. */
    private static final int LINE = 16;

    private static final int LEFT_MARKED = 8;

    /** Copy on write; written under the lock of {@link Slots}. */
    private volatile Group[] groups = {};

    /** For each stripe, a cache line apart, one more than the number of the slot that was found last; 0: none yet. Racy. */
    private final int[] found = new int[STRIPES * LINE];

    /** Gives a slot its place; under the lock of {@link Slots}. */
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

    /** Takes an idle slot that proved alive at {@code freshAfter} or later; null if none was met. */
    @Nullable
    Slot tryAcquire(long freshAfter) {
        Group[] all = groups;
        int stripe = Slots.start(STRIPES) * LINE;
        int hint = found[stripe] - 1;
        int begin = hint >= 0 && hint < all.length * Group.SIZE ? hint : Slots.start(all.length * Group.SIZE);
        int inVain = 0;
        for (int i = 0, at = begin / Group.SIZE; i < all.length; i++, at++) {
            Group group = all[at < all.length ? at : at - all.length];
            int from = i == 0 ? begin % Group.SIZE : 0;
            for (long left = Long.rotateRight(group.marks, from); left != 0; left &= left - 1) {
                int place = (from + Long.numberOfTrailingZeros(left)) % Group.SIZE;
                Slot slot = group.at(place);
                if (slot == null || !slot.isAvailable()) {
                    if (inVain++ >= LEFT_MARKED) {
                        group.unmark(place);
                    }
                } else if (slot.lastUsedOpaque() >= freshAfter && slot.tryAcquire()) {
                    int number = group.first + place;
                    if (number != hint) {
                        found[stripe] = number + 1;
                    }
                    return slot;
                }
            }
        }
        return null;
    }

    /** Whether {@link #tryAcquire} would find one now. */
    boolean anyAvailable(long freshAfter) {
        for (Group group : groups) {
            for (long left = group.marks; left != 0; left &= left - 1) {
                Slot slot = group.at(Long.numberOfTrailingZeros(left));
                if (slot != null && slot.isAvailable() && slot.lastUsedOpaque() >= freshAfter) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Begins the check of an idle slot that did not prove alive since {@code freshAfter}; null if none was met. */
    @Nullable
    Slot tryCheck(long freshAfter) {
        Group[] all = groups;
        for (int i = 0, at = Slots.start(all.length); i < all.length; i++, at++) {
            Group group = all[at < all.length ? at : at - all.length];
            for (long left = group.marks; left != 0; left &= left - 1) {
                Slot slot = group.at(Long.numberOfTrailingZeros(left));
                if (slot != null && slot.lastUsedOpaque() < freshAfter && slot.tryCheck()) {
                    return slot;
                }
            }
        }
        return null;
    }

    /** Keeps the marks of one group off the cache lines of whatever the collector puts before them. */
    @SuppressWarnings("unused") // the fields are there for the room they take
    private abstract static class Padding {
        private long p0;
        private long p1;
        private long p2;
        private long p3;
        private long p4;
        private long p5;
        private long p6;
    }

    /** Up to 64 slots. */
    static final class Group extends Padding {
        static final int SIZE = Long.SIZE;

        private static final VarHandle MARKS;
        private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Slot[].class);

        static {
            try {
                MARKS = MethodHandles.lookup().findVarHandle(Group.class, "marks", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private volatile long marks;

        /** Written under the lock of {@link Slots}, through SLOT. */
        private final @Nullable Slot[] slots = new Slot[SIZE];

        /** Which places are taken. Guarded by the lock of {@link Slots}. */
        private long used;

        /** The number of the slot in the first place. */
        private final int first;

        Group(int index) {
            this.first = index * SIZE;
        }

        private void add(Slot slot) {
            int place = Long.numberOfTrailingZeros(~used);
            used |= 1L << place;
            SLOT.setVolatile(slots, place, slot);
            slot.joins(this, place);
        }

        /** Of a slot that is RETIRED, and so never IDLE again; under the lock of {@link Slots}. The mark may stay. */
        void remove(int place) {
            SLOT.setVolatile(slots, place, null);
            used &= ~(1L << place);
        }

        private @Nullable Slot at(int place) {
            return (Slot) SLOT.getVolatile(slots, place);
        }

        /** The slot in this place is IDLE, or was a moment ago. */
        void mark(int place) {
            long bit = 1L << place;
            if ((marks & bit) == 0) {
                long unused = (long) MARKS.getAndBitwiseOr(this, bit);
            }
        }

        /** The place may have another slot meanwhile, which counted on the mark: what is looked at is the place. */
        private void unmark(int place) {
            long unused = (long) MARKS.getAndBitwiseAnd(this, ~(1L << place));
            Slot now = at(place);
            if (now != null && now.isAvailable()) {
                mark(place);
            }
        }
    }
}
