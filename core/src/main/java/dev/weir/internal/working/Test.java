package dev.weir.internal.working;

import dev.weir.RetireReason;
import dev.weir.internal.sessions.Session;
import dev.weir.internal.shared.Faults;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.slots.Slot;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Tests the connection of a slot that is TESTING. The slot itself says who decides: it leaves TESTING by the end of its
 * test, which passes it on or retires it, or by the Keeper, which retires it when the time is up and so has the socket
 * aborted under the test.
 */
public final class Test extends Job {
    /** Asks something of a connection that passed its test. */
    @FunctionalInterface
    public interface Question {
        /** Throws what the test failed with, if the connection is not as before. */
        void ask(Session session) throws SQLException;
    }

    public final Slot slot;
    private final Faults faults;
    private final @Nullable Question question;

    private @Nullable Throwable failure;

    /** A word of the loan after which it is tested. */
    private final long word;

    public Test(PoolState pool, Faults faults, Slot slot, @Nullable Question question, long startedNanos) {
        super(pool, startedNanos);
        this.faults = faults;
        this.slot = slot;
        this.question = question;
        this.word = slot.wordVolatile();
    }

    @Override
    public void call() {
        try {
            slot.session.validate(pool.settings, pool.settings.validationTimeoutNanos());
            if (slot.takeRoleSuspicion()) {
                slot.session.checkRole();
            }
            if (question != null) {
                question.ask(slot.session);
            }
        } catch (Throwable e) { // an Error too must not cost the slot
            failure = e;
        }
    }

    @Override
    public void finish() {
        end(failure);
    }

    /** It ended, with this failure or none: by itself, or by the Keeper. */
    public void end(@Nullable Throwable failed) {
        if (!decide() || !slot.endTest()) { // decided, it may be another test that has the slot now
            return;
        }
        boolean ended = false;
        try {
            if (failed != null) {
                faults.testFailed(slot, failed, startedNanos);
            } else if (slot.isCondemned()) {
                pool.retireCondemned(slot);
            } else if (faults.isMisledAbout(slot)) {
                boolean ignored = pool.retire(slot, RetireReason.INVALID, null);
            } else {
                faults.testPassed(slot);
                // Not to be looked at again before it is lent: a server that says something all the time would have it
                // tested for ever.
                pool.passOn(slot, slot.sockets != null);
            }
            ended = true;
        } finally {
            if (!ended) {
                slot.stranded = word; // unless it was passed on or retired before
            }
        }
    }
}
