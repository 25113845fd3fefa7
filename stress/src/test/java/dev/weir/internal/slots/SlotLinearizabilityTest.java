package dev.weir.internal.slots;

import dev.weir.Linearizability;
import dev.weir.RetireReason;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/** P1: the word of a slot behaves as if each of its transitions were made at one moment, whoever makes them. */
class SlotLinearizabilityTest {

    @Test
    void slotIsLinearizableUnderModelChecking() {
        Linearizability.modelCheck(OneSlot.class, OneSlotInOrder.class, 30);
    }

    @Test
    void slotIsLinearizableUnderStress() {
        Linearizability.stress(OneSlot.class, OneSlotInOrder.class);
    }

    /** Lent once to begin with. Anyone may try to end any loan, by its number, also one that is over or yet to come. */
    @Param(name = "loan", gen = IntGen.class, conf = "1:2")
    public static class OneSlot {
        private final Slot slot = Parts.inUse();

        @Operation
        public boolean tryAcquire() {
            return slot.tryAcquire();
        }

        @Operation
        public boolean releaseUntouched(@Param(name = "loan") int loan) {
            return slot.releaseUntouched(word(loan));
        }

        @Operation
        public boolean claim(@Param(name = "loan") int loan) {
            return slot.claim(word(loan));
        }

        @Operation
        public boolean isLive(@Param(name = "loan") int loan) {
            return slot.isLive(word(loan));
        }

        @Operation
        public boolean tryTest() {
            return slot.tryTest();
        }

        @Operation
        public boolean endTest() {
            return slot.endTest();
        }

        @Operation
        public boolean retireReturning() {
            return slot.tryRetire(Slot.RETURNING);
        }

        @Operation
        public boolean expel() {
            return slot.tryRetire(Slot.IN_USE);
        }

        @Operation
        public int condemn() {
            return slot.condemn(RetireReason.EVICTED);
        }

        @Operation
        public int state() {
            return slot.state();
        }

        private static long word(int loan) {
            return ((long) loan << Slot.STAMP_SHIFT) | Slot.IN_USE;
        }
    }

    /** The same, one after the other. */
    public static class OneSlotInOrder {
        private int state = Slot.IN_USE;
        private int loans = 1;
        private boolean condemned;

        public boolean tryAcquire() {
            if (state != Slot.IDLE || condemned) {
                return false;
            }
            state = Slot.IN_USE;
            loans++;
            return true;
        }

        public boolean releaseUntouched(int loan) {
            return !condemned && isLive(loan) && move(Slot.IN_USE, Slot.IDLE);
        }

        public boolean claim(int loan) {
            return isLive(loan) && move(Slot.IN_USE, Slot.RETURNING);
        }

        public boolean isLive(int loan) {
            return state == Slot.IN_USE && loans == loan;
        }

        public boolean tryTest() {
            return !condemned && move(Slot.IDLE, Slot.TESTING);
        }

        public boolean endTest() {
            return move(Slot.TESTING, Slot.RETURNING);
        }

        public boolean retireReturning() {
            return move(Slot.RETURNING, Slot.RETIRED);
        }

        public boolean expel() {
            return move(Slot.IN_USE, Slot.RETIRED);
        }

        public int condemn() {
            condemned = true;
            return state;
        }

        public int state() {
            return state;
        }

        private boolean move(int from, int to) {
            if (state != from) {
                return false;
            }
            state = to;
            return true;
        }
    }
}
