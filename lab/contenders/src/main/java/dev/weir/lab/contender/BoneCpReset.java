package dev.weir.lab.contender;

import com.jolbox.bonecp.ConnectionHandle;
import com.jolbox.bonecp.hooks.AbstractConnectionHook;
import java.sql.Connection;
import java.sql.SQLException;

/** Ends the transaction of the last user and resets auto-commit, when a connection returns to BoneCP. */
public final class BoneCpReset extends AbstractConnectionHook {
    /** Made by BoneCP by its name. */
    public BoneCpReset() {}

    @Override
    public void onCheckIn(ConnectionHandle handle) {
        Connection connection = handle.getInternalConnection();
        try {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            connection.clearWarnings();
            connection.setAutoCommit(handle.getPool().getConfig().getDefaultAutoCommit());
        } catch (SQLException e) {
            throw new IllegalStateException("reset failed", e);
        }
    }
}
