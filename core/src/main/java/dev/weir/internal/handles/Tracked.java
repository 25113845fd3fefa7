package dev.weir.internal.handles;

import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * A statement, or a result set without a statement of ours, that must be closed with its connection: a node of the
 * intrusive stack that {@link LoanHandle} owns.
 */
abstract class Tracked extends AbstractHandle {

    // Mutable; written in plain mode, see LoanHandle for why that suffices.
    /** The node below; it only ever moves on towards older nodes, past closed ones. */
    @Nullable
    Tracked next;

    /** Set before the physical object is closed, and never taken back; the stack of open ones goes by it. */
    boolean closed;

    /** The newest of the result sets made since the last execution; the others hang on it, newest first. */
    @Nullable
    AbstractResultSetHandle results;

    Tracked(ConnectionHandle connection) {
        super(connection);
    }

    /** Ends this, and closes the driver's object if it is still open. */
    abstract void closePhysical() throws SQLException;

    /** The driver's object is not to be called any more. */
    abstract void forgetPhysical();

    /** A result set of this owner was closed by its user. */
    abstract void resultClosed() throws SQLException;

    /** The answer of {@link java.sql.ResultSet#getStatement()} of its result sets; never the driver's own. */
    @Nullable
    abstract Statement statement() throws SQLException;

    /** Whether a result set of the last execution was not closed. */
    final boolean hasOpenResult() {
        AbstractResultSetHandle result = results;
        while (result != null && result.isEnded()) {
            result = result.earlier;
        }
        return result != null;
    }

    /** Ends what the execution before brought. */
    final void endResults() {
        for (AbstractResultSetHandle result = results; result != null; result = result.earlier) {
            result.forgetPhysical();
        }
        results = null;
    }

    final void markClosed() {
        closed = true;
        endResults();
        forgetPhysical();
    }
}
