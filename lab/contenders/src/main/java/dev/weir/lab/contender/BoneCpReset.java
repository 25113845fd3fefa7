package dev.weir.lab.contender;

import com.jolbox.bonecp.ConnectionHandle;
import com.jolbox.bonecp.hooks.AbstractConnectionHook;
import java.sql.Connection;
import java.sql.SQLException;

/** Ends the transaction of the last user and resets auto-commit, when a connection comes back to BoneCP. */
final class BoneCpReset extends AbstractConnectionHook {
    private final boolean autoCommit;

    BoneCpReset(boolean autoCommit) {
        this.autoCommit = autoCommit;
    }

    @Override
    public void onCheckIn(ConnectionHandle handle) {
        Connection connection = handle.getInternalConnection();
        try {
            Sessions.rollBack(connection);
            connection.clearWarnings();
            connection.setAutoCommit(autoCommit);
        } catch (SQLException e) {
            throw new IllegalStateException("reset failed", e);
        }
    }
}
