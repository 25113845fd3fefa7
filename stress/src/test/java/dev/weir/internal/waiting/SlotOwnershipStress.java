package dev.weir.internal.waiting;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZZ_Result;
import org.openjdk.jcstress.infra.results.ZZZ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** P1: of all who try to own a slot, or to end one loan of it, exactly one does. */
public class SlotOwnershipStress {

    /** Two acquires that meet at one idle slot. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "T1 cas IDLE->IN_USE; T2 read IN_USE or lost the cas")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "T2 cas IDLE->IN_USE; T1 read IN_USE or lost the cas")
    @Outcome(
            id = "true, true",
            expect = FORBIDDEN,
            desc = "both read IDLE, both wrote IN_USE: two users, one connection")
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "each made the other fail: an idle slot went to nobody")
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

    /** An acquire meets the Keeper, which takes the slot for a test. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "acquired; the test finds it gone")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "under test; the acquire finds it gone")
    @Outcome(expect = FORBIDDEN, desc = "lent while it is being tested, or had by neither")
    @State
    public static class AcquireCheck {
        private final Slot slot = Parts.idle();

        @Actor
        public void acquire(ZZ_Result r) {
            r.r1 = slot.tryAcquire();
        }

        @Actor
        public void check(ZZ_Result r) {
            r.r2 = slot.tryCheck();
        }
    }

    /** Two threads in close(), of a handle that was used. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "T1 claimed and cleans; T2 does nothing")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "T2 claimed and cleans; T1 does nothing")
    @Outcome(
            id = "true, true",
            expect = FORBIDDEN,
            desc = "both clean and release: the second gives away the next user's connection")
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "nobody cleans: the slot never comes home")
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

    /** close() of a handle that touched nothing meets abort(). */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "the abort claimed; the close does nothing")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "home untouched; the abort does nothing")
    @Outcome(
            id = "true, true",
            expect = FORBIDDEN,
            desc = "released to IDLE, then aborted as if still lent: the next user's")
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "the slot never comes home")
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

    /** Two threads in close(), of a handle that touched nothing. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "T1 released; T2 does nothing")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "T2 released; T1 does nothing")
    @Outcome(expect = FORBIDDEN, desc = "released twice, or never")
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

    /** The end of the pool expels a slot in use while its holder closes. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "claimed: the holder cleans and retires")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "expelled: the handle is dead")
    @Outcome(expect = FORBIDDEN, desc = "cleaned by its holder and closed under it, or left to nobody")
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
