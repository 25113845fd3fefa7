package dev.weir.lab.contender;

import org.vibur.dbcp.ViburDBCPDataSource;

/** Vibur with a hook that rolls back what the last user left open. */
public final class ViburWithRollback extends ViburDBCPDataSource {
    /** Made by its name. */
    public ViburWithRollback() {
        getConnHooks().addOnClose((connection, takenNanos) -> {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        });
    }
}
