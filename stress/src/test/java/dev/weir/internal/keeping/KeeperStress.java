package dev.weir.internal.keeping;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.internal.slots.Inbox;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** P12: no nudge is lost between the look of the Keeper at what is due and its park. */
public class KeeperStress {
    /** Something falls due, and the Keeper is nudged for it, while it makes a pass: (it parks, it is unparked). */
    @JCStressTest
    @Outcome(id = "false, false", expect = ACCEPTABLE, desc = "due before the pass, which did it; nudged before it too")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "nudged during the pass; no park, but another pass")
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "the unpark comes after the look, so the park ends at once")
    @Outcome(
            id = "true, false",
            expect = FORBIDDEN,
            desc = "the pass did not see it, and the nudge read a plan that was over, or was taken back by the pass")
    @State
    public static class NudgePass {
        private static final long HOUR_NANOS = 3_600_000_000_000L;

        private final Inbox inbox = new Inbox();
        private volatile boolean due;

        /** The Keeper's own thread. */
        private boolean done;

        @Actor
        public void pass(ZZ_Result r) {
            inbox.open();
            done |= due;
            inbox.plan(HOUR_NANOS);
            r.r1 = !inbox.isTold() && !done;
        }

        @Actor
        public void nudge() {
            due = true;
            inbox.nudge(0);
        }

        @Arbiter
        public void unparked(ZZ_Result r) {
            r.r2 = inbox.isTold();
        }
    }
}
