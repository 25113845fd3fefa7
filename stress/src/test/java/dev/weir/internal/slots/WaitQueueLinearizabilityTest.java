package dev.weir.internal.slots;

import dev.weir.Linearizability;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * P5: the waiter that joined first is served first, one that left or was failed is not served, and each is told once.
 */
class WaitQueueLinearizabilityTest {

    @Test
    void queueIsLinearizableUnderModelChecking() {
        Linearizability.modelCheck(Queue.class, QueueInOrder.class, 12);
    }

    @Test
    void queueIsLinearizableUnderStress() {
        Linearizability.stress(Queue.class, QueueInOrder.class);
    }

    /** Each thread has at most one waiter at a time, as in the pool. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    public static class Queue {
        private static final int MAXIMUM = 3;
        private final WaitQueue queue = Parts.queue();
        private final @Nullable Waiter[] waiters = new Waiter[8];

        @Operation
        public boolean join(@Param(name = "thread") int thread) {
            if (waiters[thread] != null) {
                return false;
            }
            Waiter waiter = new Waiter(Thread.currentThread(), 100L + thread, Long.MAX_VALUE);
            boolean joined = queue.join(waiter, MAXIMUM);
            waiters[thread] = joined ? waiter : null;
            return joined;
        }

        /** Hands a slot over; false if nobody was there to take it. */
        @Operation
        public boolean handOff() {
            Slot slot = Parts.returning();
            queue.release(slot, true);
            return slot.state() == Slot.IN_USE;
        }

        /** A slot to compete for: a wake-up changes nothing in the order of service. */
        @Operation
        public void wake() {
            queue.signal(true);
        }

        @Operation
        public String leave(@Param(name = "thread") int thread) {
            Waiter waiter = waiters[thread];
            if (waiter == null) {
                return "not there";
            }
            waiters[thread] = null;
            queue.clearWoken(waiter);
            if (queue.leave(waiter, false)) {
                return "left";
            }
            return Parts.isGranted(waiter) ? "granted" : "failed";
        }

        @Operation
        public void failAll() {
            queue.failAll(() -> new SQLException("failed"));
        }

        @Operation
        public long head() {
            return queue.headSinceNanos();
        }
    }

    /** The same, one after the other. */
    public static class QueueInOrder {
        private final List<Integer> order = new ArrayList<>();
        private final Map<Integer, String> outcomes = new HashMap<>();

        public boolean join(int thread) {
            if (outcomes.containsKey(thread) || order.contains(thread) || order.size() >= Queue.MAXIMUM) {
                return false;
            }
            return order.add(thread);
        }

        public boolean handOff() {
            if (order.isEmpty()) {
                return false;
            }
            outcomes.put(order.remove(0), "granted");
            return true;
        }

        public void wake() {}

        public String leave(int thread) {
            if (order.remove((Integer) thread)) {
                return "left";
            }
            String outcome = outcomes.remove(thread);
            return outcome == null ? "not there" : outcome;
        }

        public void failAll() {
            order.forEach(thread -> outcomes.put(thread, "failed"));
            order.clear();
        }

        public long head() {
            return order.isEmpty() ? Long.MAX_VALUE : 100L + order.get(0);
        }
    }
}
