package dev.weir.fleet;

import java.sql.SQLException;
import java.util.function.IntSupplier;

/**
 * Decides how many connections each member of a fleet may have. A renewal is one atomic step: two renewals of a fleet
 * have the same effect as one after the other. An implementation stores the rows, tells the time, which is the same for
 * all members, and leaves the decision to a {@link Ledger}. Used by one thread at a time, and closed by {@link #close}
 * from another.
 */
public interface FleetBudget extends AutoCloseable {

    /**
     * Says what the member has and wants, and returns what it may have. It returns or throws within a few seconds,
     * whatever the network does; one that threw may still take effect later.
     *
     * @param standing tells how many connections of the member's pool were there when it made the claim, and are now; to be
     *     asked after the server has shown its sessions, where it does: what else it showed of the member may be ending
     * @throws FleetRefusedException if the member's options contradict those of the fleet; its start fails then
     * @throws SQLException if there was no answer, or the claim had no effect
     */
    Grant renew(Claim claim, IntSupplier standing) throws SQLException;

    /**
     * Takes the member out of the fleet; its connections are closed already.
     *
     * @throws SQLException if there was no answer; the member is then gone when its lease has ended
     */
    void leave(String instance) throws SQLException;

    /** Frees what this holds. A renewal that is under way may fail. */
    @Override
    void close();
}
