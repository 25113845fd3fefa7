package dev.weir.internal.slots;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZZ_Result;
import org.openjdk.jcstress.infra.results.ZZZ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** P1: of all who try to own a slot, or to end one loan of it, exactly one does. */
public class SlotOwnershipStress {

    /** Two acquires that meet at one idle slot. Otherwise two users have one connection, or an idle slot went to nobody. */
    @JCStressTest
    @JCStressMeta(OneOfTwo.class)
    @State
    public static class AcquireAcquire {
        private final Slot slot = Parts.idle();

        @Actor
        public void first(ZZ_Result r) {
            r.r1 = slot.tryAcquire();
        }

        @Actor
        public void second(ZZ_Result r) {
            r.r2 = slot.tryAcquire();
        }
    }

    /**
     * An acquire meets the Keeper, which takes the slot for a test.
     * Otherwise it is lent while it is tested, or had by neither.
     */
    @JCStressTest
    @JCStressMeta(OneOfTwo.class)
    @State
    public static class AcquireCheck {
        private final Slot slot = Parts.idle();

        @Actor
        public void acquire(ZZ_Result r) {
            r.r1 = slot.tryAcquire();
        }

        @Actor
        public void check(ZZ_Result r) {
            r.r2 = slot.tryTest();
        }
    }

    /**
     * Two threads in close(), of a handle that was used.
     * Otherwise the second gives away the next user's connection, or the slot never comes home.
     */
    @JCStressTest
    @JCStressMeta(OneOfTwo.class)
    @State
    public static class ClaimClaim {
        private final Slot slot = Parts.inUse();
        private final long held = slot.wordOfLoan();

        @Actor
        public void first(ZZ_Result r) {
            r.r1 = slot.claim(held);
        }

        @Actor
        public void second(ZZ_Result r) {
            r.r2 = slot.claim(held);
        }
    }

    /**
     * close() of a handle that touched nothing meets abort().
     * Otherwise the abort hits the next user's loan, or the slot never comes home.
     */
    @JCStressTest
    @JCStressMeta(OneOfTwo.class)
    @State
    public static class ClaimUntouched {
        private final Slot slot = Parts.inUse();
        private final long held = slot.wordOfLoan();

        @Actor
        public void abort(ZZ_Result r) {
            r.r1 = slot.claim(held);
        }

        @Actor
        public void close(ZZ_Result r) {
            r.r2 = slot.releaseUntouched(held);
        }
    }

    /** Two threads in close(), of a handle that touched nothing. Otherwise it is released twice, or never. */
    @JCStressTest
    @JCStressMeta(OneOfTwo.class)
    @State
    public static class UntouchedUntouched {
        private final Slot slot = Parts.inUse();
        private final long held = slot.wordOfLoan();

        @Actor
        public void first(ZZ_Result r) {
            r.r1 = slot.releaseUntouched(held);
        }

        @Actor
        public void second(ZZ_Result r) {
            r.r2 = slot.releaseUntouched(held);
        }
    }

    /**
     * The end of the pool expels a slot in use while its holder closes.
     * Otherwise it is cleaned by its holder and closed under it, or left to nobody.
     */
    @JCStressTest
    @JCStressMeta(OneOfTwo.class)
    @State
    public static class ClaimExpel {
        private final Slot slot = Parts.inUse();
        private final long held = slot.wordOfLoan();

        @Actor
        public void close(ZZ_Result r) {
            r.r1 = slot.claim(held);
        }

        @Actor
        public void expel(ZZ_Result r) {
            r.r2 = slot.tryRetire(Slot.IN_USE);
        }
    }

    /** A handle is closed a second time, late, while the slot is lent again: (first close, next acquire, late close). */
    @JCStressTest
    @Outcome(
            id = "true, true, false, true",
            expect = ACCEPTABLE,
            desc = "close; acquire with a new stamp; the late close holds the old one and does nothing")
    @Outcome(id = "false, false, true, false", expect = ACCEPTABLE, desc = "the other close claimed before this one")
    @Outcome(
            id = "true, true, true, false",
            expect = FORBIDDEN,
            desc = "close; acquire; the late close claims the next user's loan (the word came round again)")
    @Outcome(expect = FORBIDDEN, desc = "one loan ended twice")
    @State
    public static class LateClaim {
        private final Slot slot = Parts.inUse();
        private final long first = slot.wordOfLoan();
        private long second = -1;

        @Actor
        public void closeAndLendAgain(ZZZZ_Result r) {
            r.r1 = slot.releaseUntouched(first);
            r.r2 = slot.tryAcquire();
            if (r.r2) {
                second = slot.wordOfLoan();
            }
        }

        @Actor
        public void closeLate(ZZZZ_Result r) {
            r.r3 = slot.claim(first);
        }

        @Arbiter
        public void next(ZZZZ_Result r) {
            r.r4 = slot.isLive(second);
        }
    }

    /** The same with two late closes without touching, on a slot that is lent again: (late, late, next still has it). */
    @JCStressTest
    @Outcome(id = "false, false, true", expect = ACCEPTABLE, desc = "both hold the word of a loan that is over")
    @Outcome(expect = FORBIDDEN, desc = "a late close released the next user's connection")
    @State
    public static class LateUntouched {
        private final Slot slot = Parts.inUse();
        private final long first = slot.wordOfLoan();
        private final long second;

        public LateUntouched() {
            slot.releaseUntouched(first);
            slot.tryAcquire();
            second = slot.wordOfLoan();
        }

        @Actor
        public void close(ZZZ_Result r) {
            r.r1 = slot.releaseUntouched(first);
        }

        @Actor
        public void abort(ZZZ_Result r) {
            r.r2 = slot.claim(first);
        }

        @Arbiter
        public void next(ZZZ_Result r) {
            r.r3 = slot.isLive(second);
        }
    }
}
