package dev.weir.internal.slots;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.internal.engine.RealPaths;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;
import org.openjdk.jcstress.infra.results.ZZZ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * P5: no wake-up is lost, no slot is lost, none is given twice.
 *
 * <p>Nobody parks here: a waiter's actor does what {@code Acquiring.await} does between two parks, and 'woken' is the
 * mark that a releaser sets together with the unpark. A waiter that parks without a slot and unmarked while a slot is IDLE
 * sleeps until its deadline: that is the lost wake-up.
 */
public class WaitQueueStress {

    /** A slot comes home untouched while a thread joins and scans: (found by its scan, woken or handed it). */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "IDLE; size 0; join; scan finds it")
    @Outcome(
            id = "false, true",
            expect = ACCEPTABLE,
            desc = "join; size 1; scan finds nothing; IDLE or hand-off; woken")
    @Outcome(
            id = "true, true",
            expect = ACCEPTABLE,
            desc = "join; IDLE; scan finds it; size 1: the wake-up is one too many")
    @Outcome(
            id = "false, false",
            expect = FORBIDDEN,
            desc = "scan read IN_USE before IDLE, the release read size 0 before join: both looked before they wrote")
    @State
    public static class ReleaseJoin {
        private final Slot slot = Parts.inUse();
        private final RealPaths paths = new RealPaths(slot);
        private final WaitQueue queue = paths.queue;
        private final Slots slots = paths.slots;
        private final long held = slot.wordOfLoan();
        private final Waiter waiter = Parts.patient();

        @Actor
        public void release() {
            paths.releaseUntouched(slot, held);
        }

        @Actor
        public void acquire(ZZ_Result r) {
            queue.join(waiter, 0);
            queue.clearWoken(waiter);
            r.r1 = slots.tryAcquire(Parts.ANY) != null;
        }

        @Arbiter
        public void parked(ZZ_Result r) {
            r.r2 = waiter.woken || Parts.isGranted(waiter);
        }
    }

    /** The same for a slot that was used: setIdleVolatile without the lock, when the release saw nobody wait. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "IDLE; size 0; join; scan finds it")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "join; scan finds nothing; IDLE; size 1; woken")
    @Outcome(
            id = "true, true",
            expect = ACCEPTABLE,
            desc = "join; IDLE; scan finds it; size 1: the wake-up is one too many")
    @Outcome(
            id = "false, false",
            expect = FORBIDDEN,
            desc = "size 0; join; scan reads RETURNING; IDLE; the release did not look again, or looked too early")
    @State
    public static class CirculateJoin {
        private final Slot slot = Parts.returning();
        private final RealPaths paths = new RealPaths(slot);
        private final WaitQueue queue = paths.queue;
        private final Slots slots = paths.slots;
        private final Waiter waiter = Parts.patient();

        @Actor
        public void release() {
            paths.release(slot);
        }

        @Actor
        public void acquire(ZZ_Result r) {
            queue.join(waiter, 0);
            queue.clearWoken(waiter);
            r.r1 = slots.tryAcquire(Parts.ANY) != null;
        }

        @Arbiter
        public void parked(ZZ_Result r) {
            r.r2 = waiter.woken || Parts.isGranted(waiter);
        }
    }

    /** The same for a waiter that was woken for a slot another took: (found by its scan, woken again). */
    @JCStressTest
    @Outcome(
            id = "true, false",
            expect = ACCEPTABLE,
            desc = "IDLE; still marked woken, no second wake-up; awake; scan finds it")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "awake; scan finds nothing; IDLE; woken again")
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "awake; IDLE; scan finds it; woken once too often")
    @Outcome(
            id = "false, false",
            expect = FORBIDDEN,
            desc =
                    "the release took the scan for one yet to come (woken), but it was over: awake must precede the scan")
    @State
    public static class ReleaseAwake {
        private final Slot slot = Parts.inUse();
        private final RealPaths paths = new RealPaths(slot);
        private final WaitQueue queue = paths.queue;
        private final Slots slots = paths.slots;
        private final long held = slot.wordOfLoan();
        private final Waiter waiter = Parts.queued(queue, Parts.patient());

        public ReleaseAwake() {
            queue.signal(false);
        }

        @Actor
        public void release() {
            paths.releaseUntouched(slot, held);
        }

        @Actor
        public void compete(ZZ_Result r) {
            queue.clearWoken(waiter);
            r.r1 = slots.tryAcquire(Parts.ANY) != null;
        }

        @Arbiter
        public void parked(ZZ_Result r) {
            r.r2 = waiter.woken;
        }
    }

    /** A slot is handed to the head as its time is up: (left, granted, state of the slot: 0 IDLE, 1 IN_USE). */
    @JCStressTest
    @Outcome(id = "true, false, 0", expect = ACCEPTABLE, desc = "leave; the release finds nobody: IDLE")
    @Outcome(
            id = "false, true, 1",
            expect = ACCEPTABLE,
            desc = "hand-off; leave is refused: the waiter has its slot after all")
    @Outcome(
            id = "true, true, 1",
            expect = FORBIDDEN,
            desc = "handed to one who threw a timeout: in use by nobody, for ever")
    @Outcome(
            id = "false, false, 0",
            expect = FORBIDDEN,
            desc = "leave refused without an outcome: waits on for a slot that is idle")
    @Outcome(expect = FORBIDDEN, desc = "the slot is lost")
    @State
    public static class ReleaseLeave {
        private final WaitQueue queue = Parts.queue();
        private final Slot slot = Parts.returning();
        private final Waiter waiter = Parts.queued(queue, Parts.impatient());

        @Actor
        public void release() {
            queue.release(slot, false);
        }

        @Actor
        public void timeOut(ZZI_Result r) {
            r.r1 = queue.leave(waiter, false);
        }

        @Arbiter
        public void after(ZZI_Result r) {
            r.r2 = Parts.isGranted(waiter);
            r.r3 = slot.state();
        }
    }

    /** A waiter finds one slot as it is handed another: (keeps the one found, granted, slots in use). */
    @JCStressTest
    @Outcome(id = "true, false, 1", expect = ACCEPTABLE, desc = "found; left; the other went IDLE")
    @Outcome(
            id = "false, true, 1",
            expect = ACCEPTABLE,
            desc = "found; handed the other; leave refused; the found one put back")
    @Outcome(id = "false, true, 2", expect = FORBIDDEN, desc = "one waiter holds two slots, and knows of one")
    @Outcome(id = "true, true, 2", expect = FORBIDDEN, desc = "left with one, and was handed one: that one is lost")
    @Outcome(expect = FORBIDDEN, desc = "a waiter without a slot beside an idle one")
    @State
    public static class ReleaseFound {
        private final Slot idle = Parts.idle();
        private final Slot coming = Parts.returning();
        private final RealPaths paths = new RealPaths(idle);
        private final WaitQueue queue = paths.queue;
        private final Slots slots = paths.slots;
        private final Waiter waiter = Parts.queued(queue, Parts.impatient());

        @Actor
        public void release() {
            queue.release(coming, false);
        }

        @Actor
        public void acquire(ZZI_Result r) {
            Slot found = slots.tryAcquire(Parts.ANY);
            if (queue.leave(waiter, true)) {
                r.r1 = true;
            } else if (found != null && found.claim(found.wordOfLoan())) {
                paths.release(found);
            }
        }

        @Arbiter
        public void after(ZZI_Result r) {
            r.r2 = Parts.isGranted(waiter);
            r.r3 = (idle.state() == Slot.IN_USE ? 1 : 0) + (coming.state() == Slot.IN_USE ? 1 : 0);
        }
    }

    /** Two slots come home for one waiter: (first handed over, second handed over, granted). */
    @JCStressTest
    @Outcome(
            id = {"true, false, true", "false, true, true"},
            expect = ACCEPTABLE,
            desc = "one handed over, the other IDLE")
    @Outcome(expect = FORBIDDEN, desc = "both handed to one waiter: one is lost; or none")
    @State
    public static class ReleaseRelease {
        private final WaitQueue queue = Parts.queue();
        private final Slot one = Parts.returning();
        private final Slot two = Parts.returning();
        private final Waiter waiter = Parts.queued(queue, Parts.impatient());

        @Actor
        public void first() {
            queue.release(one, false);
        }

        @Actor
        public void second() {
            queue.release(two, false);
        }

        @Arbiter
        public void after(ZZZ_Result r) {
            r.r1 = one.state() == Slot.IN_USE;
            r.r2 = two.state() == Slot.IN_USE;
            r.r3 = Parts.isGranted(waiter);
        }
    }

    /** The one who is woken times out: (it left, the other is woken). */
    @JCStressTest
    @Outcome(
            id = "true, true",
            expect = ACCEPTABLE,
            desc = "woken, left, passed on; or left before, and the other woken at once")
    @Outcome(
            id = "true, false",
            expect = FORBIDDEN,
            desc = "the wake-up left with the one who timed out; the slot lies idle")
    @Outcome(expect = FORBIDDEN, desc = "refused to leave, though nothing was handed over")
    @State
    public static class WokenLeaves {
        private final WaitQueue queue = Parts.queue();
        private final Slot slot = Parts.returning();
        private final Waiter head = Parts.queued(queue, Parts.patient());
        private final Waiter next = Parts.queued(queue, Parts.patient());

        @Actor
        public void release() {
            queue.release(slot, false);
        }

        @Actor
        public void timeOut(ZZ_Result r) {
            r.r1 = queue.leave(head, false);
        }

        @Arbiter
        public void after(ZZ_Result r) {
            r.r2 = next.woken;
        }
    }

    /**
     * One slot becomes IDLE for whoever competes as another, just tested or opened, is handed to the head, which looks for
     * the next when it runs: (head granted, next woken).
     */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "the idle slot has somebody on his way to it")
    @Outcome(
            id = "true, false",
            expect = FORBIDDEN,
            desc =
                    "head woken for the idle slot; head granted the other, and keeps others from being woken; the next parks beside an idle slot")
    @Outcome(expect = FORBIDDEN, desc = "the head was not served")
    @State
    public static class WokenGranted {
        private final WaitQueue queue = Parts.queue();
        private final Slot competedFor = Parts.returning();
        private final Slot handed = Parts.returning();
        private final Slots slots = Parts.slots(competedFor, handed);
        private final Waiter head = Parts.queued(queue, Parts.patient());
        private final Waiter next = Parts.queued(queue, Parts.patient());

        @Actor
        public void release() {
            queue.release(competedFor, false);
        }

        @Actor
        public void opened() {
            queue.release(handed, true);
        }

        @Arbiter
        public void after(ZZ_Result r) {
            r.r1 = Parts.isGranted(head);
            if (slots.fresh(Parts.ANY) > 0) {
                queue.signal(false);
            }
            r.r2 = next.woken;
        }
    }

    /** Two threads join where one may wait: (first joined, second joined, size is one). */
    @JCStressTest
    @Outcome(
            id = {"true, false, true", "false, true, true"},
            expect = ACCEPTABLE,
            desc = "the second to come is refused")
    @Outcome(expect = FORBIDDEN, desc = "more wait than may, or none does")
    @State
    public static class JoinJoin {
        private final WaitQueue queue = Parts.queue();

        @Actor
        public void first(ZZZ_Result r) {
            r.r1 = queue.join(Parts.patient(), 1);
        }

        @Actor
        public void second(ZZZ_Result r) {
            r.r2 = queue.join(Parts.patient(), 1);
        }

        @Arbiter
        public void after(ZZZ_Result r) {
            r.r3 = queue.sizeVolatile() == 1;
        }
    }
}
