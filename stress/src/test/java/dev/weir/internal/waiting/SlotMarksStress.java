package dev.weir.internal.waiting;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * In a large pool a scan looks at the slots that are marked, and takes marks off those that are held: a slot that has become
 * IDLE is found by some scan all the same. All slots but one are held. That one, and the few before it whose marks a scan
 * leaves as they are, were idle once, and so are marked.
 */
public class SlotMarksStress {

    private static final int PLACE = 40;

    private static Slots manyHeld(int count) {
        Slots slots = new Slots();
        for (int i = 0; i < count; i++) {
            slots.add(Parts.inUse());
        }
        for (int i = PLACE - 8; i <= PLACE; i++) {
            Slot slot = slots.all()[i];
            slot.setIdleVolatile();
            slot.tryAcquire();
        }
        return slots;
    }

    private static boolean finds(Slots slots) {
        return slots.tryAcquire(Parts.ANY) != null;
    }

    /**
     * The scan takes the mark off in the moment in which the slot becomes IDLE.
     * Otherwise no scan finds an idle slot, or two do.
     */
    @JCStressTest
    @JCStressMeta(OneOfTwo.class)
    @State
    public static class ReleaseAgainstScan {
        private final Slots slots = manyHeld(Slots.FEW + 1);
        private final Slot slot = slots.all()[PLACE];

        @Actor
        public void release() {
            slot.releaseUntouched(slot.wordOfLoan());
        }

        @Actor
        public void scan(ZZ_Result r) {
            r.r1 = finds(slots);
        }

        @Arbiter
        public void next(ZZ_Result r) {
            r.r2 = finds(slots);
        }
    }

    /**
     * The scan found the slot that was in the place before, and takes the mark off in which the next one trusts.
     * Otherwise no scan finds an idle slot, or two do.
     */
    @JCStressTest
    @JCStressMeta(OneOfTwo.class)
    @State
    public static class NextInThePlaceAgainstScan {
        private final Slots slots = manyHeld(Slots.FEW + 1);
        private final Slot gone = slots.all()[PLACE];
        private final Slot next = Parts.returning();

        public NextInThePlaceAgainstScan() {
            gone.tryRetire(Slot.IN_USE);
        }

        @Actor
        public void replace() {
            slots.remove(gone);
            slots.add(next);
            next.setIdleVolatile();
        }

        @Actor
        public void scan(ZZ_Result r) {
            r.r1 = finds(slots);
        }

        @Arbiter
        public void next(ZZ_Result r) {
            r.r2 = finds(slots);
        }
    }

    /** The slots become many in the moment in which one becomes IDLE. Otherwise no scan finds an idle slot, or two do. */
    @JCStressTest
    @JCStressMeta(OneOfTwo.class)
    @State
    public static class ReleaseAgainstTheOneMore {
        private final Slots slots = manyHeld(Slots.FEW);
        private final Slot slot = slots.all()[PLACE];
        private final Slot last = Parts.inUse();

        @Actor
        public void release() {
            slot.releaseUntouched(slot.wordOfLoan());
        }

        @Actor
        public void add(ZZ_Result r) {
            slots.add(last);
            r.r1 = finds(slots);
        }

        @Arbiter
        public void next(ZZ_Result r) {
            r.r2 = finds(slots);
        }
    }

    /** Dekker's pattern with the queue: who waits has joined before it scans, who releases looks at the queue after. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "the scan got it, nobody was seen to wait")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "the waiter was seen")
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "both")
    @Outcome(expect = FORBIDDEN, desc = "a lost wake-up")
    @State
    public static class ReleaseAgainstJoin {
        private final Slots slots = manyHeld(Slots.FEW + 1);
        private final Slot slot = slots.all()[PLACE];
        private final WaitQueue queue = Parts.queue();

        @Actor
        public void release(ZZ_Result r) {
            slot.releaseUntouched(slot.wordOfLoan());
            r.r2 = queue.sizeVolatile() > 0;
        }

        @Actor
        public void join(ZZ_Result r) {
            queue.join(Parts.patient(), 0);
            r.r1 = finds(slots);
        }
    }

    /** Another scan takes the mark off meanwhile: it gets the slot itself, and looks at the queue when it gives it back. */
    @JCStressTest
    @Outcome(id = "false, false, false", expect = FORBIDDEN, desc = "a lost wake-up")
    @Outcome(expect = ACCEPTABLE, desc = "the waiter was seen, or one of the scans got it")
    @State
    public static class ReleaseAgainstJoinAndScan {
        private final Slots slots = manyHeld(Slots.FEW + 1);
        private final Slot slot = slots.all()[PLACE];
        private final WaitQueue queue = Parts.queue();

        @Actor
        public void release(ZZZ_Result r) {
            slot.releaseUntouched(slot.wordOfLoan());
            r.r1 = queue.sizeVolatile() > 0;
        }

        @Actor
        public void scan(ZZZ_Result r) {
            r.r2 = finds(slots);
        }

        @Actor
        public void join(ZZZ_Result r) {
            queue.join(Parts.patient(), 0);
            r.r3 = finds(slots);
        }
    }
}
