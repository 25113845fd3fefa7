package dev.weir.internal.slots;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.RetireReason;
import dev.weir.internal.engine.RealPaths;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/**
 * P7: a condemned slot is never lent again, and exactly one retires it.
 *
 * <p>The condemner sets a bit and looks at the state beside it; the owner changes the state and looks at the bit. Both do it
 * in one atomic operation on one word, so that at least one sees the other. Result in each test: (retired by the owner, by
 * the condemner, and what the test says of the third).
 */
public class SlotCondemnStress {

    /** Condemned while it comes home untouched; third: lent afterwards. */
    @JCStressTest
    @Outcome(
            id = "true, false, false",
            expect = ACCEPTABLE,
            desc = "condemn; the fast release does not match; claim, retire")
    @Outcome(id = "false, true, false", expect = ACCEPTABLE, desc = "IDLE; condemn sees IDLE and retires")
    @Outcome(
            id = "false, false, false",
            expect = FORBIDDEN,
            desc = "condemn saw IN_USE, the release did not see the bit: never lent, never closed, its place lost")
    @Outcome(id = "true, true, false", expect = FORBIDDEN, desc = "closed twice, its place given back twice")
    @Outcome(expect = FORBIDDEN, desc = "a condemned slot was lent")
    @State
    public static class CondemnUntouched {
        private final Slot slot = Parts.inUse();
        private final RealPaths paths = new RealPaths(slot);
        private final long held = slot.wordOfLoan();

        @Actor
        public void close(ZZZ_Result r) {
            r.r1 = paths.releaseUntouched(slot, held);
        }

        @Actor
        public void condemn(ZZZ_Result r) {
            r.r2 = paths.condemn(slot);
        }

        @Arbiter
        public void next(ZZZ_Result r) {
            r.r3 = slot.tryAcquire();
        }
    }

    /** Condemned while its owner sets it idle; third: lent afterwards. */
    @JCStressTest
    @Outcome(
            id = "true, false, false",
            expect = ACCEPTABLE,
            desc = "condemn sees RETURNING; the owner sees the bit and retires")
    @Outcome(id = "false, true, false", expect = ACCEPTABLE, desc = "IDLE; condemn sees IDLE and retires")
    @Outcome(id = "false, false, false", expect = FORBIDDEN, desc = "each left it to the other: a slot nobody can have")
    @Outcome(id = "true, true, false", expect = FORBIDDEN, desc = "closed twice")
    @Outcome(expect = FORBIDDEN, desc = "a condemned slot was lent")
    @State
    public static class CondemnSetIdle {
        private final Slot slot = Parts.returning();
        private final RealPaths paths = new RealPaths(slot);

        @Actor
        public void release(ZZZ_Result r) {
            r.r1 = paths.release(slot);
        }

        @Actor
        public void condemn(ZZZ_Result r) {
            r.r2 = paths.condemn(slot);
        }

        @Arbiter
        public void next(ZZZ_Result r) {
            r.r3 = slot.tryAcquire();
        }
    }

    /** Condemned while it is handed to a waiter; third: retired by that waiter when it comes home. */
    @JCStressTest
    @Outcome(
            id = "true, false, false",
            expect = ACCEPTABLE,
            desc = "condemn; the hand-off is refused; the owner retires")
    @Outcome(
            id = "false, false, true",
            expect = ACCEPTABLE,
            desc = "handed off; condemn sees IN_USE; the waiter retires it")
    @Outcome(expect = FORBIDDEN, desc = "retired while in use, twice, or by nobody")
    @State
    public static class CondemnHandOff {
        private final Slot slot = Parts.returning();
        private final RealPaths paths = new RealPaths(slot);
        private final WaitQueue queue = paths.queue;
        private final Waiter waiter = Parts.queued(queue, Parts.impatient());

        @Actor
        public void release(ZZZ_Result r) {
            r.r1 = paths.circulate(slot);
        }

        @Actor
        public void condemn(ZZZ_Result r) {
            r.r2 = paths.condemn(slot);
        }

        @Arbiter
        public void next(ZZZ_Result r) {
            r.r3 = Parts.isGranted(waiter) && slot.claim(slot.wordOfLoan()) && paths.release(slot);
        }
    }

    /** Condemned while it is acquired; first: retired by who acquired it, when it comes home; third: acquired. */
    @JCStressTest
    @Outcome(
            id = "true, false, true",
            expect = ACCEPTABLE,
            desc = "acquired; condemn sees IN_USE; the holder retires it")
    @Outcome(id = "false, true, false", expect = ACCEPTABLE, desc = "condemn sees IDLE and retires; nothing to acquire")
    @Outcome(id = "false, true, true", expect = FORBIDDEN, desc = "retired under its new user")
    @Outcome(expect = FORBIDDEN, desc = "retired twice, or by nobody")
    @State
    public static class CondemnAcquire {
        private final Slot slot = Parts.idle();
        private final RealPaths paths = new RealPaths(slot);

        @Actor
        public void acquire(ZZZ_Result r) {
            r.r3 = slot.tryAcquire();
        }

        @Actor
        public void condemn(ZZZ_Result r) {
            r.r2 = paths.condemn(slot);
        }

        @Arbiter
        public void release(ZZZ_Result r) {
            r.r1 = r.r3 && slot.claim(slot.wordOfLoan()) && paths.release(slot);
        }
    }

    /** Condemned by an operator and by a failure at once; third: lent afterwards. */
    @JCStressTest
    @Outcome(
            id = {"true, false, false", "false, true, false"},
            expect = ACCEPTABLE,
            desc = "one cas IDLE->RETIRED")
    @Outcome(expect = FORBIDDEN, desc = "both saw IDLE and both closed it, or neither")
    @State
    public static class CondemnCondemn {
        private final Slot slot = Parts.idle();
        private final RealPaths paths = new RealPaths(slot);

        @Actor
        public void evict(ZZZ_Result r) {
            r.r1 = paths.condemn(slot);
        }

        @Actor
        public void fail(ZZZ_Result r) {
            r.r2 = paths.condemn(slot);
        }

        @Arbiter
        public void next(ZZZ_Result r) {
            r.r3 = slot.tryAcquire();
        }
    }

    /** Condemned while its test ends well; third: lent afterwards. */
    @JCStressTest
    @Outcome(
            id = "true, false, false",
            expect = ACCEPTABLE,
            desc = "condemn sees TESTING or RETURNING; the checker retires")
    @Outcome(id = "false, true, false", expect = ACCEPTABLE, desc = "checked, IDLE; condemn sees IDLE and retires")
    @Outcome(expect = FORBIDDEN, desc = "lent, retired twice, or retired by nobody")
    @State
    public static class CondemnCheck {
        private final Slot slot = Parts.idle();
        private final RealPaths paths = new RealPaths(slot);

        public CondemnCheck() {
            slot.tryTest();
        }

        @Actor
        public void pass(ZZZ_Result r) {
            slot.endTest();
            r.r1 = paths.circulate(slot);
        }

        @Actor
        public void condemn(ZZZ_Result r) {
            r.r2 = paths.condemn(slot);
        }

        @Arbiter
        public void next(ZZZ_Result r) {
            r.r3 = slot.tryAcquire();
        }
    }

    /** The end of the pool expels a slot that is condemned while its holder closes; third: lent afterwards. */
    @JCStressTest
    @Outcome(id = "true, false, false", expect = ACCEPTABLE, desc = "claimed, retired by the holder; nothing to expel")
    @Outcome(id = "false, true, false", expect = ACCEPTABLE, desc = "expelled; the close does nothing")
    @Outcome(expect = FORBIDDEN, desc = "closed twice, or never, or lent")
    @State
    public static class CondemnedExpel {
        private final Slot slot = Parts.inUse();
        private final RealPaths paths = new RealPaths(slot);
        private final long held = slot.wordOfLoan();

        public CondemnedExpel() {
            slot.condemn(RetireReason.CLOSED);
        }

        @Actor
        public void close(ZZZ_Result r) {
            r.r1 = paths.releaseUntouched(slot, held);
        }

        @Actor
        public void expel(ZZZ_Result r) {
            r.r2 = paths.expel(slot);
        }

        @Arbiter
        public void next(ZZZ_Result r) {
            r.r3 = slot.tryAcquire();
        }
    }
}
