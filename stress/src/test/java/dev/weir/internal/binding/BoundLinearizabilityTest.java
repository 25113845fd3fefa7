package dev.weir.internal.binding;

import dev.weir.Linearizability;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** P1: calls on a binding, and the one thread that is alone with it, exclude each other as if each step were made at one moment. */
@Tag("thorough")
class BoundLinearizabilityTest {

    @Test
    void phaseIsLinearizableUnderModelChecking() {
        Linearizability.modelCheck(Phase.class, PhaseInOrder.class, 30);
    }

    @Test
    void phaseIsLinearizableUnderStress() {
        Linearizability.stress(Phase.class, PhaseInOrder.class);
    }

    /** Bound to begin with, for a call that is done. Each thread ends only what it began. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    public static class Phase {
        private final Bound bound;
        private final int[] calls = new int[8];
        private final boolean[] alone = new boolean[8];

        @SuppressWarnings({"NullAway", "DataFlowIssue"}) // nothing under test asks the connection
        public Phase() {
            bound = new Bound(null);
            bound.opened(null);
            bound.leave();
        }

        @Operation
        public boolean enter(@Param(name = "thread") int thread) {
            boolean entered = bound.enter() == null;
            calls[thread] += entered ? 1 : 0;
            return entered;
        }

        @Operation
        public void leave(@Param(name = "thread") int thread) {
            if (calls[thread] > 0) {
                calls[thread]--;
                bound.leave();
            }
        }

        @Operation
        public boolean isAlone(@Param(name = "thread") int thread) {
            boolean won = bound.isAlone();
            alone[thread] |= won;
            return won;
        }

        @Operation
        public void goesOn(@Param(name = "thread") int thread) {
            if (alone[thread]) {
                alone[thread] = false;
                bound.goesOn(0);
            }
        }
    }

    /** The same, one after the other. */
    public static class PhaseInOrder {
        private static final int NOBODY = -1;
        private final int[] calls = new int[8];
        private int all;
        private int alone = NOBODY;

        public boolean enter(int thread) {
            boolean entered = alone == NOBODY;
            calls[thread] += entered ? 1 : 0;
            all += entered ? 1 : 0;
            return entered;
        }

        public void leave(int thread) {
            if (calls[thread] > 0) {
                calls[thread]--;
                all--;
            }
        }

        public boolean isAlone(int thread) {
            boolean won = all == 0 && alone == NOBODY;
            alone = won ? thread : alone;
            return won;
        }

        public void goesOn(int thread) {
            alone = alone == thread ? NOBODY : alone;
        }
    }
}
