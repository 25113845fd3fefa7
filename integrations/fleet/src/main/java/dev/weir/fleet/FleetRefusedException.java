package dev.weir.fleet;

import java.sql.SQLNonTransientException;

/** A member does not fit into its fleet: its options contradict those of the others, or the database cannot have a fleet. A start is not tried again. */
public final class FleetRefusedException extends SQLNonTransientException {
    private static final long serialVersionUID = 1L;

    /** For implementations of {@link FleetBudget} too; the message names the option, its value and what is expected. */
    public FleetRefusedException(String message) {
        super(message, "F0000");
    }
}
