package dev.weir.internal.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.Configured;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.waiting.PoolClock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** P12: no nudge of the real Keeper is lost between its look at what is due and its park. */
public class KeeperStress {
    private static final Settings SETTINGS = Configured.settings(RealPool.config(1), "stress");
    private static final long HOUR_NANOS = 3_600_000_000_000L;

    /** A Keeper's thread that never runs: the actor makes its passes. */
    private static final HelperThreads HELPERS = new HelperThreads("stress") {
        @Override
        Thread newThread(String kind, Runnable job) {
            return new Thread(job, kind);
        }
    };

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
        private final Keeper keeper = new Keeper(SETTINGS, new PoolClock(() -> 0L, 0, 1), HELPERS);
        private volatile boolean due;

        /** The Keeper's own thread. */
        private boolean done;

        public NudgePass() {
            keeper.setSteps(new DoIfDue());
        }

        private final class DoIfDue implements Keeper.Steps {
            @Override
            public String[] names() {
                return new String[] {"due"};
            }

            @Override
            public long take(int step, long now) {
                done |= due;
                return now + HOUR_NANOS;
            }
        }

        @Actor
        public void pass(ZZ_Result r) {
            long nanos = keeper.passAndPlan();
            r.r1 = keeper.mayPark(nanos) && !done;
        }

        @Actor
        public void nudge() {
            due = true;
            keeper.nudge(0);
        }

        @Arbiter
        public void unparked(ZZ_Result r) {
            r.r2 = !keeper.mayPark(1);
        }
    }
}
