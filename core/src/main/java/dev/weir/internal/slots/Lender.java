package dev.weir.internal.slots;

import dev.weir.RetireReason;
import java.sql.SQLException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The part of the pool that a handle needs, and that its slot belongs to. It ends the loan, and is told what went wrong
 * in it.
 *
 * <p>A class, of which there is one implementation ({@code Returning}), and not an interface: the compiler then knows from the
 * class hierarchy where each call goes, and inlines it.
 */
public abstract class Lender {
    /**
     * Whether handles note in {@link Slot#doing} what their loans do. Written by the Keeper, and plain: a handle may see a change
     * late, and the loans that are out at a change are not counted.
     */
    public boolean measures;

    /** Ends a loan that touched nothing. Does nothing unless {@code loanWord} still owns the slot. */
    public abstract void releaseUntouched(Slot slot, long loanWord);

    /** Returns a claimed slot, cleaned; {@code used}: it spoke with the server since it was lent. */
    public abstract void release(Slot slot, boolean used);

    /** A claimed slot is given up; the Keeper has its physical connection closed. Never throws. */
    public abstract void retire(Slot slot, RetireReason reason, @Nullable Throwable cause);

    /** A claimed slot could not be cleaned, and is given up. */
    public abstract void retireFailed(Slot slot, Throwable failure);

    /** The holder aborts: a claimed slot is given up, and its physical connection is aborted on this executor. */
    public abstract void abort(Slot slot, Executor executor) throws SQLException;

    /** A user's thread is about to clean a claimed slot, or to abort it: the Keeper has to see it for as long as that takes. */
    public abstract void watchReturn(Slot slot);

    /** A driver call on this slot threw. */
    public abstract void callFailed(Slot slot, SQLException failure);

    /** The connection of this slot, which is in use, is gone. */
    public abstract void foundDead(Slot slot);

    public abstract String poolName();
}
