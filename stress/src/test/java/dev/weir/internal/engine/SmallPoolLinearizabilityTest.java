package dev.weir.internal.engine;

import dev.weir.Linearizability;
import dev.weir.RetireReason;
import dev.weir.internal.slots.Parts;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.slots.Slots;
import dev.weir.internal.slots.WaitQueue;
import dev.weir.internal.slots.Waiter;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** P1, P7: slots and queue together lend each connection once, lose none, and lend no condemned one. */
@Tag("thorough")
class SmallPoolLinearizabilityTest {

    @Test
    void smallPoolIsLinearizableUnderModelChecking() {
        Linearizability.modelCheck(SmallPool.class, SmallPoolInOrder.class, 15);
    }

    @Test
    void smallPoolIsLinearizableUnderStress() {
        Linearizability.stress(SmallPool.class, SmallPoolInOrder.class);
    }

    /**
     * Two slots to begin with. The answer of one scan ('none is idle') is no statement about one moment. So 'none' is
     * said here only if two looks in a row saw the same words: their stamps exclude that one came and went between.
     */
    @Param(name = "thread", gen = ThreadIdGen.class)
    public static class SmallPool {
        private final RealPaths paths = new RealPaths(Parts.idle(), Parts.idle());
        private final WaitQueue queue = paths.queue;
        private final Slots slots = paths.slots;

        @SuppressWarnings({"unchecked", "rawtypes"})
        private final Deque<Slot>[] held = new Deque[8];

        public SmallPool() {
            Arrays.setAll(held, i -> new ArrayDeque<>());
        }

        @Operation
        public boolean acquire(@Param(name = "thread") int thread) {
            Waiter waiter = Parts.patient();
            queue.join(waiter, 0);
            queue.clearWoken(waiter);
            Slot slot = take();
            if (!queue.leave(waiter, slot != null)) {
                throw new IllegalStateException("nobody hands over to one who is not due");
            }
            if (slot != null) {
                held[thread].push(slot);
            }
            return slot != null;
        }

        @Operation
        public boolean release(@Param(name = "thread") int thread) {
            Slot slot = held[thread].poll();
            if (slot == null || !slot.claim(slot.wordOfLoan())) {
                return false;
            }
            paths.returning.release(slot, false);
            return true;
        }

        @Operation
        public boolean releaseUntouched(@Param(name = "thread") int thread) {
            Slot slot = held[thread].poll();
            if (slot == null) {
                return false;
            }
            paths.returning.releaseUntouched(slot, slot.wordOfLoan());
            return true;
        }

        /** The connection that this thread holds broke. */
        @Operation
        public boolean condemn(@Param(name = "thread") int thread) {
            Slot slot = held[thread].peek();
            return slot != null && slot.condemn(RetireReason.FAULT) == Slot.IN_USE;
        }

        @Operation
        public void grow() {
            Slot slot = Parts.returning();
            slots.add(slot);
            paths.returning.release(slot, false);
        }

        /** Retires one idle slot, as an operator or a lowered maximum does. */
        @Operation
        public boolean shrink() {
            for (; ; ) {
                long[] before = words();
                for (Slot slot : slots.all()) {
                    if (slot.tryRetire(Slot.IDLE)) {
                        slots.closeBegins(slot);
                        return true;
                    }
                }
                if (noneIdle(before)) {
                    return false;
                }
            }
        }

        @Operation
        public int idle() {
            for (; ; ) {
                long[] before = words();
                int idle = 0;
                for (Slot slot : slots.all()) {
                    idle += slot.state() == Slot.IDLE ? 1 : 0;
                }
                if (Arrays.equals(before, words())) {
                    return idle;
                }
            }
        }

        private @Nullable Slot take() {
            for (; ; ) {
                long[] before = words();
                Slot slot = slots.tryAcquire(Parts.ANY);
                if (slot != null || noneIdle(before)) {
                    return slot;
                }
            }
        }

        private boolean noneIdle(long[] before) {
            return Arrays.stream(before).noneMatch(word -> Slot.stateOf(word) == Slot.IDLE)
                    && Arrays.equals(before, words());
        }

        private long[] words() {
            return Arrays.stream(slots.all()).mapToLong(Slot::wordVolatile).toArray();
        }
    }

    /** The same, one after the other; of each held connection only whether it is broken. */
    public static class SmallPoolInOrder {
        private int idle = 2;

        @SuppressWarnings({"unchecked", "rawtypes"})
        private final Deque<boolean[]>[] held = new Deque[8];

        public SmallPoolInOrder() {
            Arrays.setAll(held, i -> new ArrayDeque<>());
        }

        public boolean acquire(int thread) {
            if (idle == 0) {
                return false;
            }
            idle--;
            held[thread].push(new boolean[1]);
            return true;
        }

        public boolean release(int thread) {
            boolean[] broken = held[thread].poll();
            if (broken == null) {
                return false;
            }
            idle += broken[0] ? 0 : 1;
            return true;
        }

        public boolean releaseUntouched(int thread) {
            return release(thread);
        }

        public boolean condemn(int thread) {
            boolean[] broken = held[thread].peek();
            if (broken == null) {
                return false;
            }
            broken[0] = true;
            return true;
        }

        public void grow() {
            idle++;
        }

        public boolean shrink() {
            if (idle == 0) {
                return false;
            }
            idle--;
            return true;
        }

        public int idle() {
            return idle;
        }
    }
}
