package dev.weir.internal.handles;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * The owner of a loan whose handle its user does not see: the user has a connection above it, which may give the loan back before
 * it is closed. Its methods are called by the threads of the user, and never by the pool's own.
 */
public abstract class LoanOwner {
    /** The connection that statements and metadata name as theirs. */
    protected abstract Connection connection();

    /** A text is about to run, or is prepared to. */
    protected abstract void runs(String sql) throws SQLException;

    /** A row is about to be written through a result set. */
    protected abstract void writesRow();

    /** A large object, an array or the like was read or made; returns what to say when it is freed. */
    protected abstract int valueMade();

    protected abstract void valueFreed(int made);

    /** A statement or a result set was closed. */
    protected abstract void closed();

    /** Whether the loan was given back before the user closed his connection, which he has not. */
    protected abstract boolean isGivenBack();

    /** Whether the user has not closed his connection; the loan may have ended. */
    protected abstract boolean isOpen();
}
