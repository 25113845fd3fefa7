package dev.weir.internal.slots;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.openjdk.jcstress.infra.results.J_Result;

/**
 * The next owner finds in the plain fields of a slot what the last one left there. Each way out of ownership is a
 * release, each way in an acquire, of the same word. {@code -1}: the second did not get the slot.
 */
public class SlotPublicationStress {
    private static final long LEFT = 42;

    /** Through setIdleVolatile and tryAcquire. */
    @JCStressTest
    @Outcome(id = "-1", expect = ACCEPTABLE, desc = "not yet IDLE")
    @Outcome(id = "42", expect = ACCEPTABLE, desc = "write; IDLE; acquire; read")
    @Outcome(expect = FORBIDDEN, desc = "IDLE overtook the write: the next user starts from the state before the last")
    @State
    public static class ReleaseAcquire {
        private final Slot slot = Parts.returning();

        @Actor
        public void release() {
            slot.acquiredNanos = LEFT;
            slot.setIdleVolatile();
        }

        @Actor
        public void acquire(J_Result r) {
            r.r1 = slot.tryAcquire() ? slot.acquiredNanos : -1;
        }
    }

    /** Through releaseUntouched and tryAcquire. */
    @JCStressTest
    @Outcome(id = "-1", expect = ACCEPTABLE, desc = "not yet IDLE")
    @Outcome(id = "42", expect = ACCEPTABLE, desc = "write; IDLE; acquire; read")
    @Outcome(expect = FORBIDDEN, desc = "IDLE overtook the write")
    @State
    public static class UntouchedAcquire {
        private final Slot slot = Parts.inUse();
        private final long held = slot.wordOfLoan();

        @Actor
        public void release() {
            slot.acquiredNanos = LEFT;
            slot.releaseUntouched(held);
        }

        @Actor
        public void acquire(J_Result r) {
            r.r1 = slot.tryAcquire() ? slot.acquiredNanos : -1;
        }
    }

    /** Through the hand-off and granted(). */
    @JCStressTest
    @Outcome(id = "-1", expect = ACCEPTABLE, desc = "not yet granted")
    @Outcome(id = "42", expect = ACCEPTABLE, desc = "write; hand-off; granted; read")
    @Outcome(expect = FORBIDDEN, desc = "the grant overtook the write")
    @State
    public static class HandOffGranted {
        private final WaitQueue queue = Parts.queue();
        private final Slot slot = Parts.returning();
        private final Waiter waiter = Parts.queued(queue, Parts.impatient());

        @Actor
        public void release() {
            slot.acquiredNanos = LEFT;
            queue.release(slot, true);
        }

        @Actor
        public void wake(J_Result r) {
            r.r1 = Parts.isGranted(waiter) ? slot.acquiredNanos : -1;
        }
    }

    /** Of the slot itself: a waiter that was granted one reads its own loan's word: (word it holds, word in force). */
    @JCStressTest
    @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "not yet granted")
    @Outcome(id = "17, 17", expect = ACCEPTABLE, desc = "stamp 1, IN_USE: hand-off; granted; read")
    @Outcome(
            expect = FORBIDDEN,
            desc = "granted before the slot was its own: the handle is born dead, or someone else's")
    @State
    public static class HandOffWord {
        private final WaitQueue queue = Parts.queue();
        private final Slot slot = Parts.returning();
        private final Waiter waiter = Parts.queued(queue, Parts.impatient());

        @Actor
        public void release() {
            queue.release(slot, true);
        }

        @Actor
        public void wake(JJ_Result r) {
            boolean granted = Parts.isGranted(waiter);
            r.r1 = granted ? slot.wordOfLoan() : -1;
            r.r2 = granted ? slot.wordVolatile() : -1;
        }
    }

    /** Through the hand-over to a test and back, to the Keeper who takes the slot from a claim. */
    @JCStressTest
    @Outcome(id = "-1", expect = ACCEPTABLE, desc = "not yet under test")
    @Outcome(id = "42", expect = ACCEPTABLE, desc = "write; RETURNING->TESTING; TESTING->RETURNING; read")
    @Outcome(expect = FORBIDDEN, desc = "the test began before its owner had let go")
    @State
    public static class CheckBeginEnd {
        private final Slot slot = Parts.returning();

        @Actor
        public void begin() {
            slot.acquiredNanos = LEFT;
            slot.beginTest();
        }

        @Actor
        public void end(J_Result r) {
            r.r1 = slot.endTest() ? slot.acquiredNanos : -1;
        }
    }
}
