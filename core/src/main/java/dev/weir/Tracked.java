package dev.weir;

import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * A statement, or a result set without a statement of ours, that must be closed with its connection: a node of the
 * intrusive stack that {@link AbstractConnectionHandle} owns.
 */
abstract class Tracked extends AbstractHandle {

    // Mutable; written in plain mode, see AbstractConnectionHandle for why that suffices.
    /** The node below; it only ever moves on towards older nodes, past closed ones. */
    @Nullable
    Tracked next;

    /** Set before the physical object is closed, and never taken back. */
    boolean closed;

    /**
     * Counts executions, in steps of two. A result set remembers the count it was made under and is dead under any other, so
     * that one compare tells of its own close (which remembers an odd count), of its statement's next execution, of its
     * statement's close and, as every open statement is marked closed then, of its connection's.
     */
    int epoch;

    Tracked(ConnectionHandle connection) {
        super(connection);
    }

    /** Closes the driver's object. */
    abstract void closePhysical() throws SQLException;

    /** A result set of this owner was closed by its user. */
    abstract void resultClosed() throws SQLException;

    /** What {@link java.sql.ResultSet#getStatement()} of a result set of this owner answers; never the driver's own. */
    @Nullable
    abstract Statement statement() throws SQLException;

    final void nextEpoch() {
        epoch += 2;
    }

    final void markClosed() {
        closed = true;
        nextEpoch();
    }
}
