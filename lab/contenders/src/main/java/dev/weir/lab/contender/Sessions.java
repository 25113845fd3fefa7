package dev.weir.lab.contender;

import java.sql.Connection;
import java.sql.SQLException;

/** What pools leave to their hooks. */
final class Sessions {
    private Sessions() {}

    /** Rolls back what was not committed. */
    static void rollBack(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
    }
}
