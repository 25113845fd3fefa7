package dev.weir.internal.slots;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.ref.ReferenceQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * P8: the notes of a slot on its loan are right, although whoever looks at an idle slot forgets the loan before.
 *
 * <p>The acquire moves the word and then reads the holder, and writes it only if it is another. The thread that forgets
 * takes the holder and then reads the word. Both steps are full fences, so that one sees the other. Result: (the
 * holder, the text is right).
 */
public class SlotForgetStress {
    private static final Thread FIRST = new Thread(() -> {}, "first");
    private static final Thread SECOND = new Thread(() -> {}, "second");

    private static Slot lentBeforeToFirst() {
        Slot slot = Parts.idle();
        slot.holder = FIRST;
        slot.lastSql = "SELECT";
        return slot;
    }

    @SuppressWarnings({"ReferenceEquality", "StringEquality"}) // as the handle asks
    private static void lend(Slot slot, Thread thread) {
        if (slot.tryAcquire() && slot.holder != thread) {
            slot.holder = thread;
        }
        if (slot.lastSql != "SELECT") {
            slot.lastSql = "SELECT";
        }
    }

    /** Lent again to the thread that had it before. */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "kept, taken back, or written anew")
    @Outcome(expect = FORBIDDEN, desc = "the acquire saw itself, and was forgotten after that")
    @State
    public static class LentToTheSame {
        private final Slot slot = lentBeforeToFirst();

        @Actor
        public void lend() {
            SlotForgetStress.lend(slot, FIRST);
        }

        @Actor
        public void forget() {
            slot.forgetLoan();
        }

        @Arbiter
        public void shown(ZZ_Result r) {
            r.r1 = slot.holder == FIRST;
            r.r2 = "SELECT".equals(slot.lastSql);
        }
    }

    /** Lent to another thread. */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "the new holder is written before or after")
    @Outcome(expect = FORBIDDEN, desc = "who forgets put the old holder back over the new one")
    @State
    public static class LentToAnother {
        private final Slot slot = lentBeforeToFirst();

        @Actor
        public void lend() {
            SlotForgetStress.lend(slot, SECOND);
        }

        @Actor
        public void forget() {
            slot.forgetLoan();
        }

        @Arbiter
        public void shown(ZZ_Result r) {
            r.r1 = slot.holder == SECOND;
            r.r2 = "SELECT".equals(slot.lastSql);
        }
    }

    /** Lent again, and traced. */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "only the trace of the loan before is forgotten")
    @Outcome(expect = FORBIDDEN, desc = "the trace of a loan that lasts is lost: nobody would notice that it leaks")
    @State
    public static class Traced {
        private final Slot slot = lentBeforeToFirst();
        private boolean own;

        public Traced() {
            slot.trace = traceOf(slot);
        }

        @SuppressWarnings({"NullAway", "DataFlowIssue"}) // nobody asks for the handle
        private static LoanTrace traceOf(Slot slot) {
            return new LoanTrace(null, slot, slot.wordVolatile(), new ReferenceQueue<>());
        }

        @Actor
        public void lend() {
            if (slot.tryAcquire()) {
                LoanTrace trace = traceOf(slot);
                slot.trace = trace;
                own = slot.trace == trace;
            }
        }

        @Actor
        public void forget() {
            slot.forgetLoan();
        }

        @Arbiter
        public void shown(ZZ_Result r) {
            LoanTrace trace = slot.trace;
            r.r1 = trace != null && trace.loanWord == slot.wordVolatile();
            r.r2 = own;
        }
    }
}
