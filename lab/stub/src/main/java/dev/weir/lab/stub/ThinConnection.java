package dev.weir.lab.stub;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The thinnest handles there can be: a connection, its prepared statements and their result sets, each an object of its own
 * that only passes calls on. Nothing is checked, tracked or marked. What they cost more than the driver alone is the price of
 * having handles, and so the floor under every pool whose handles die.
 */
final class ThinConnection extends UnsupportedConnection {
    private final Connection physical;

    ThinConnection(Connection physical) {
        this.physical = physical;
    }

    @Override
    public PreparedStatement prepareStatement(String sql) throws SQLException {
        return new ThinStatement(physical.prepareStatement(sql));
    }

    @Override
    public void close() throws SQLException {
        physical.close();
    }

    private static final class ThinStatement extends UnsupportedPreparedStatement {
        private final PreparedStatement physical;

        ThinStatement(PreparedStatement physical) {
            this.physical = physical;
        }

        @Override
        public void setInt(int index, int value) throws SQLException {
            physical.setInt(index, value);
        }

        @Override
        public ResultSet executeQuery() throws SQLException {
            return new ThinResultSet(physical.executeQuery());
        }

        @Override
        public void close() throws SQLException {
            physical.close();
        }
    }

    private static final class ThinResultSet extends UnsupportedResultSet {
        private final ResultSet physical;

        ThinResultSet(ResultSet physical) {
            this.physical = physical;
        }

        @Override
        public boolean next() throws SQLException {
            return physical.next();
        }

        @Override
        public int getInt(int column) throws SQLException {
            return physical.getInt(column);
        }

        @Override
        public void close() throws SQLException {
            physical.close();
        }
    }
}
