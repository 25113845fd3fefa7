package dev.weir.lab.workload;

import dev.weir.lab.stub.BareDataSource;
import java.sql.Connection;
import java.sql.SQLException;

/** A pool that never lends anything. */
public final class BrokenDataSource extends BareDataSource {
    @Override
    public Connection getConnection() throws SQLException {
        throw new SQLException("broken, as it is meant to be", "08001");
    }
}
