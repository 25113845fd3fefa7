package dev.weir.internal.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.internal.slots.Parts;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.slots.Slots;
import dev.weir.internal.slots.WaitQueue;
import dev.weir.internal.slots.Waiter;
import java.sql.SQLException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Suspending, resuming and closing: nobody is left waiting, and no connection is left open. */
public class WaitQueueEndStress {

    private static SQLException closed() {
        return new SQLException("closed");
    }

    /** The pool is closed as a thread joins: (failed by the close, saw it closed itself). */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "join; read open; closed; failAll finds it")
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "join; closed; read closed; failAll finds it")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "closed; failAll finds nobody; join; read closed")
    @Outcome(
            id = "false, false",
            expect = FORBIDDEN,
            desc = "joined behind failAll, and read open: waits for a pool that is gone")
    @State
    public static class FailAllJoin {
        private final WaitQueue queue = Parts.queue();
        private final Waiter waiter = Parts.patient();
        private volatile boolean closed;

        @Actor
        public void close() {
            closed = true;
            queue.failAll(WaitQueueEndStress::closed);
        }

        @Actor
        public void acquire(ZZ_Result r) {
            queue.join(waiter, 0);
            r.r2 = closed;
        }

        @Arbiter
        public void after(ZZ_Result r) {
            r.r1 = Parts.isFailed(waiter);
        }
    }

    /** The pool is closed as a waiter times out: (failed, left, no thread waits). */
    @JCStressTest
    @Outcome(id = "true, false, true", expect = ACCEPTABLE, desc = "failed; leave is refused, granted() throws")
    @Outcome(id = "false, true, true", expect = ACCEPTABLE, desc = "left; failAll finds nobody")
    @Outcome(expect = FORBIDDEN, desc = "counted out twice (size -1: releases no longer see waiters), or not at all")
    @State
    public static class FailAllLeave {
        private final WaitQueue queue = Parts.queue();
        private final Waiter waiter = Parts.queued(queue, Parts.patient());

        @Actor
        public void close() {
            queue.failAll(WaitQueueEndStress::closed);
        }

        @Actor
        public void timeOut(ZZZ_Result r) {
            r.r2 = queue.leave(waiter, false);
        }

        @Arbiter
        public void after(ZZZ_Result r) {
            r.r1 = Parts.isFailed(waiter);
            r.r3 = queue.sizeVolatile() == 0;
        }
    }

    /** The pool is closed as a slot is handed to a waiter: (failed, granted, the slot is retired in the end). */
    @JCStressTest
    @Outcome(id = "true, false, true", expect = ACCEPTABLE, desc = "failed; the slot found nobody, and was retired")
    @Outcome(
            id = "false, true, true",
            expect = ACCEPTABLE,
            desc = "granted; condemned in use; retired when it came home")
    @Outcome(
            id = "true, true, true",
            expect = FORBIDDEN,
            desc = "two outcomes: the waiter throws, and the slot is in use by nobody")
    @Outcome(expect = FORBIDDEN, desc = "a waiter without an outcome, or a connection left open")
    @State
    public static class CloseRelease {
        private final Slot slot = Parts.returning();
        private final RealPaths paths = new RealPaths(slot);
        private final WaitQueue queue = paths.queue;
        private final Waiter waiter = Parts.queued(queue, Parts.impatient());

        @Actor
        public void close() {
            queue.pause(true);
            queue.failAll(WaitQueueEndStress::closed);
            paths.condemn(slot);
        }

        @Actor
        public void release() {
            paths.release(slot);
        }

        @Arbiter
        public void after(ZZZ_Result r) {
            r.r1 = Parts.isFailed(waiter);
            r.r2 = Parts.isGranted(waiter);
            if (r.r2 && slot.claim(slot.wordOfLoan())) {
                paths.release(slot);
            }
            r.r3 = slot.state() == Slot.RETIRED;
        }
    }

    /**
     * The pool is closed as a connection comes home untouched: (retired by its user, by the close, lent afterwards).
     */
    @JCStressTest
    @Outcome(id = "true, false, false", expect = ACCEPTABLE, desc = "condemned in use; its user retires it")
    @Outcome(id = "false, true, false", expect = ACCEPTABLE, desc = "IDLE; the close retires it")
    @Outcome(expect = FORBIDDEN, desc = "closed twice, or left open by a closed pool, or lent by it")
    @State
    public static class CloseUntouched {
        private final Slot slot = Parts.inUse();
        private final RealPaths paths = new RealPaths(slot);
        private final WaitQueue queue = paths.queue;
        private final long held = slot.wordOfLoan();

        @Actor
        public void release(ZZZ_Result r) {
            r.r1 = paths.releaseUntouched(slot, held);
        }

        @Actor
        public void close(ZZZ_Result r) {
            queue.pause(true);
            queue.failAll(WaitQueueEndStress::closed);
            r.r2 = paths.condemn(slot);
        }

        @Arbiter
        public void after(ZZZ_Result r) {
            r.r3 = slot.tryAcquire();
        }
    }

    /** The pool is resumed as a slot comes home: (granted, woken). */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "resumed; the head is due: hand-off")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "IDLE while paused; resumed; woken")
    @Outcome(
            id = "false, false",
            expect = FORBIDDEN,
            desc = "IDLE while paused, and the resume woke nobody: waits beside an idle slot")
    @Outcome(expect = FORBIDDEN, desc = "granted, and still marked: no other is woken in its place")
    @State
    public static class ResumeRelease {
        private final WaitQueue queue = Parts.queue();
        private final Slot slot = Parts.returning();
        private final Waiter waiter = Parts.queued(queue, Parts.impatient());

        public ResumeRelease() {
            queue.pause(true);
        }

        @Actor
        public void resume() {
            queue.pause(false);
            queue.signal(false);
        }

        @Actor
        public void release() {
            queue.release(slot, false);
        }

        @Arbiter
        public void after(ZZ_Result r) {
            r.r1 = Parts.isGranted(waiter);
            r.r2 = waiter.woken;
        }
    }

    /** The pool is resumed as a thread, which found it suspended, is about to park: (found by its scan, woken). */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "resumed; join; read resumed; scan finds the slot")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "join; read suspended; resumed; woken")
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "join; resumed; scan finds the slot; woken once too often")
    @Outcome(
            id = "false, false",
            expect = FORBIDDEN,
            desc = "read suspended, and the resume found nobody: waits beside an idle slot")
    @State
    public static class ResumeJoin {
        private final WaitQueue queue = Parts.queue();
        private final Slots slots = Parts.slots(Parts.idle());
        private final Waiter waiter = Parts.patient();
        private volatile boolean suspended = true;

        public ResumeJoin() {
            queue.pause(true);
        }

        @Actor
        public void resume() {
            suspended = false;
            queue.pause(false);
            queue.signal(false);
        }

        @Actor
        public void acquire(ZZ_Result r) {
            queue.join(waiter, 0);
            queue.clearWoken(waiter);
            r.r1 = !suspended && slots.tryAcquire(Parts.ANY) != null;
        }

        @Arbiter
        public void after(ZZ_Result r) {
            r.r2 = waiter.woken;
        }
    }
}
