package dev.weir.internal.handles;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Stands for the statement that a result set has not got: those of metadata and arrays, and cursors returned as values,
 * come from no statement of ours, yet must be closed with the connection.
 */
final class OrphanResult extends Tracked {
    private final ResultSet physical;
    private @Nullable StatementHandle statement;

    OrphanResult(ConnectionHandle connection, ResultSet physical) {
        super(connection);
        this.physical = physical;
    }

    @Override
    ResultSet physical() {
        return physical;
    }

    @Override
    void closePhysical() throws SQLException {
        markClosed();
        physical.close();
    }

    /** Its one result set is all that is called here, and has ended. */
    @Override
    void forgetPhysical() {}

    /** The driver closes its own statement with its result. */
    @Override
    void resultClosed() throws SQLException {
        markClosed();
        StatementHandle known = statement;
        if (known != null && known.isClosed()) {
            known.markClosed();
        }
    }

    @Override
    @Nullable
    Statement statement() throws SQLException {
        StatementHandle known = statement;
        if (known != null) {
            return known;
        }
        Statement internal = physical.getStatement();
        if (internal == null) {
            return null;
        }
        StatementHandle wrapped = connection.tracked(new StatementHandle(connection, internal));
        statement = wrapped;
        return wrapped;
    }
}
