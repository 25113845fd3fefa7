package dev.weir.internal.waiting;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** P5: no hint hides an idle slot from a thread that needs it, nor keeps a wake-up from it. */
public class SlotHintStress {
    /** Takes nothing, however fresh a slot is, and clears the hints of what is not idle. */
    private static final long NOTHING = Long.MAX_VALUE;

    /** A slot of a hinted pool that is in use, and may come home. */
    private abstract static class Hinted {
        final Slot slot = Parts.inUse();
        final Slots slots = new Slots(0);
        final WaitQueue queue = Parts.queue();
        final long held = slot.wordOfLoan();

        Hinted() {
            slots.wake(queue);
            slots.add(slot);
        }

        final void release() {
            if (slot.releaseUntouched(held) && queue.sizeVolatile() > 0) {
                queue.signal(true);
            }
        }
    }

    /** A slot comes home while two scans find nothing: the next one finds it. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "the hint says that there may be one")
    @Outcome(
            id = "false",
            expect = FORBIDDEN,
            desc = "the release saw the hint set, a scan cleared it and did not look again: the slot is idle for ever")
    @State
    public static class ReleaseClearClear extends Hinted {
        @Actor
        public void comesHome() {
            release();
        }

        @Actor
        public void scan() {
            slots.tryAcquire(NOTHING);
        }

        @Actor
        public void scanToo() {
            slots.tryAcquire(NOTHING);
        }

        @Arbiter
        public void next(Z_Result r) {
            r.r1 = slots.tryAcquire(Parts.ANY) != null;
        }
    }

    /** The same while a thread joins and scans: (found by its scan, woken). */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "IDLE; join; scan finds it")
    @Outcome(
            id = "false, true",
            expect = ACCEPTABLE,
            desc = "join; the scan misses it; the release or the other scan wakes")
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "the wake-up is one too many")
    @Outcome(
            id = "false, false",
            expect = FORBIDDEN,
            desc =
                    "the release saw size 0 and the hint set; the other scan cleared it; the waiter saw it clear; nobody woke it")
    @State
    public static class ReleaseClearJoin extends Hinted {
        private final Waiter waiter = Parts.patient();

        @Actor
        public void comesHome() {
            release();
        }

        @Actor
        public void scan() {
            slots.tryAcquire(NOTHING);
        }

        @Actor
        public void acquire(ZZ_Result r) {
            queue.join(waiter, 0);
            queue.awake(waiter);
            r.r1 = slots.tryAcquire(Parts.ANY) != null;
        }

        @Arbiter
        public void parked(ZZ_Result r) {
            r.r2 = waiter.woken;
        }
    }
}
