package dev.weir.internal.engine;

import dev.weir.Linearizability;
import dev.weir.RetireReason;
import dev.weir.internal.lending.Acquiring;
import dev.weir.internal.slots.Slot;
import java.sql.SQLException;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * P5: the engine's own acquire, with its wait, against its own return: whoever waits for a connection that comes home
 * gets it. Time stands still and nobody looks after them, so a thread that missed its wake-up would wait for ever,
 * which Lincheck finds out.
 */
@Tag("thorough")
class AwaitLinearizabilityTest {

    @Test
    void whoeverWaitsForTheOnlyConnectionIsServed() {
        Linearizability.modelCheckWaits(Users.class, AlwaysServed.class, 2, 8);
    }

    @Test
    void whoeverWaitsBesideAnotherIsServed() {
        Linearizability.modelCheckWaits(Users.class, AlwaysServed.class, 3, 8);
    }

    /** The work of users with the only connection there is, from the acquire to the return. */
    public static class Users {
        private final RealPaths paths = new RealPaths();
        private final Acquiring acquiring = paths.acquiring();

        public Users() {
            paths.open();
        }

        @Operation
        public boolean touchNothing() throws SQLException {
            acquiring.acquire(0).close();
            return true;
        }

        @Operation
        public boolean use() throws SQLException {
            Slot slot = claim();
            paths.returning.release(slot, true);
            return true;
        }

        /** The connection breaks; another is opened in its place. */
        @Operation
        public boolean breakIt() throws SQLException {
            Slot slot = claim();
            slot.condemn(RetireReason.FAULT);
            paths.returning.release(slot, true);
            paths.open();
            return true;
        }

        private Slot claim() throws SQLException {
            Slot slot = acquiring.acquire(0).slot;
            if (!slot.claim(slot.wordOfLoan())) {
                throw new IllegalStateException("lent to another: " + slot);
            }
            return slot;
        }
    }

    /** One after the other no thread waits at all. */
    public static class AlwaysServed {
        public boolean touchNothing() {
            return true;
        }

        public boolean use() {
            return true;
        }

        public boolean breakIt() {
            return true;
        }
    }
}
