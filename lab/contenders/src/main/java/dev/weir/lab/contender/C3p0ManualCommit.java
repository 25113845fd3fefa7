package dev.weir.lab.contender;

import com.mchange.v2.c3p0.AbstractConnectionCustomizer;
import java.sql.Connection;
import java.sql.SQLException;

/** Lends c3p0's connections without auto-commit, for which it has no setting. Made by c3p0 by its name. */
public final class C3p0ManualCommit extends AbstractConnectionCustomizer {

    /** For c3p0. */
    public C3p0ManualCommit() {}

    @Override
    public void onCheckOut(Connection connection, String token) throws SQLException {
        connection.setAutoCommit(false);
    }
}
