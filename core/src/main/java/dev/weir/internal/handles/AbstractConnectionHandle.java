package dev.weir.internal.handles;

import dev.weir.internal.sessions.Baseline;
import dev.weir.internal.sessions.Session;
import dev.weir.internal.slots.LoanRecord;
import dev.weir.internal.slots.SeenLoan;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.text.SqlText;
import java.io.IOException;
import java.sql.ClientInfoStatus;
import java.sql.Connection;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** The methods of a connection that the generator does not write: life, properties, unwrapping; and what its streams ask. */
public abstract class AbstractConnectionHandle extends LoanHandle {
    /** Beside the bits of Session, and nothing to restore: auto-commit is not now as the pool lends it. */
    private static final int OTHER_AUTO_COMMIT = 1 << (2 * Session.AGAIN_SHIFT);

    /** Written once, before anybody else has this handle; null where its user has it. */
    private @Nullable LoanOwner owner;

    AbstractConnectionHandle(Slot slot) {
        super(slot);
    }

    // The owner of the loan.

    final @Nullable LoanOwner owner() {
        return owner;
    }

    /** The user of this loan has the connection of this owner instead. */
    public final void ownedBy(@Nullable LoanOwner above) {
        owner = above;
    }

    /** The connection that the user has. */
    final Connection shown() {
        return owner == null ? this : owner.connection();
    }

    /** A statement or a result set was closed. */
    final void closedOne() {
        if (owner != null) {
            owner.closed();
        }
    }

    /** Whether the connection that the user has is open, though the loan may have ended. */
    final boolean isShownOpen() {
        return owner == null ? isLive() : owner.isOpen();
    }

    @Override
    final SQLException closedException() {
        return owner == null || !owner.isGivenBack()
                ? super.closedException()
                : new SQLException("ended, " + name() + " was given back since (poolMode transaction)", "HY010");
    }

    final void checkWorks(String sql) throws SQLException {
        checkWorks();
        if (owner != null) {
            owner.runs(sql);
        }
        slot.lastSqlOf = loanWord;
        slot.lastSql = SqlText.cut(sql);
    }

    final void writesRow() {
        markWork();
        if (owner != null) {
            owner.writesRow();
        }
    }

    /**
     * Also true once a failure said that the connection is gone, as the driver's own is closed then. Code that closes only
     * connections that are open does not call close() any more, so this ends the loan.
     */
    @Override
    public final boolean isClosed() {
        if (slot.isDead() && isLive()) {
            close();
        }
        return !isLive();
    }

    @Override
    public final boolean isValid(int seconds) throws SQLException {
        if (!isLive()) {
            return false;
        }
        markWork();
        boolean valid;
        try {
            valid = physical.isValid(seconds);
        } catch (Throwable e) {
            throw callFailed(e);
        }
        if (!valid && isLive()) {
            slot.lender.foundDead(slot);
        }
        return valid;
    }

    /**
     * A savepoint ends with its transaction. Where nobody knows of one, because auto-commit is on and the driver cannot tell,
     * it is released with the loan.
     */
    final Savepoint trackedSavepoint(Savepoint savepoint) throws SQLException {
        if (owner != null) {
            int ignored = owner.valueMade(); // nothing else need tell of a transaction yet
        }
        if (!slot.session.endsTransactions()) {
            track(new Temporary((ConnectionHandle) this, savepoint, () -> releaseQuietly(savepoint)));
        }
        return savepoint;
    }

    /** One that the driver does not know any more is no fault of the connection. */
    private void releaseQuietly(Savepoint savepoint) {
        try {
            physical.releaseSavepoint(savepoint);
        } catch (SQLException e) {
            // gone with a transaction that we were not told of
        }
    }

    /** This savepoint, if it was to be released with the loan, is released. */
    final void forget(@Nullable Savepoint savepoint) {
        for (Tracked node = open; node != null; node = node.next) {
            if (savepoint != null && node instanceof Temporary made && made.isOf(savepoint)) {
                node.markClosed();
            }
        }
    }

    // Notes of what the loan does, for the Keeper's looks; see SeenLoan.noted(). While nobody asks, each is the read of
    // a plain boolean. None asks the driver, whose getters may take a lock that a statement of another thread holds:
    // auto-commit is what the user set last, and else the pool's.

    /** Before a call that the server may have to answer; an execution is noted by {@link #runs}. */
    final void noteCall() {
        if (slot.lender.measures) {
            note(SeenLoan.IN_DRIVER);
        }
    }

    /** After an execution, or such a call, whether it failed or not. */
    final void noteAnswer() {
        if (slot.lender.measures) {
            note(isAutoCommit() ? SeenLoan.BETWEEN : SeenLoan.IN_TRANSACTION);
        }
    }

    /** After a commit or rollback that succeeded. */
    final void noteEnd() {
        if (slot.lender.measures) {
            note(SeenLoan.BETWEEN);
        }
    }

    /** After setAutoCommit(), which ends the transaction where it was off. */
    final void noteAutoCommit(boolean on) {
        if (slot.lender.measures) {
            if (on == slot.session.isAutoCommit()) {
                unmarkChanged(OTHER_AUTO_COMMIT);
            } else {
                markChanged(OTHER_AUTO_COMMIT);
            }
            if (on) {
                note(SeenLoan.BETWEEN);
            }
        }
    }

    private boolean isAutoCommit() {
        return slot.session.isAutoCommit() == ((changed & OTHER_AUTO_COMMIT) == 0);
    }

    /** Of a loan that has executed nothing all is {@link SeenLoan#NOTHING_YET}. */
    private void note(int doing) {
        if (Slot.isOfOneLoan(loanWord, slot.doing)) {
            LoanRecord.note(slot, loanWord, doing);
        }
    }

    // Properties that drivers hand out by reference, or that fail in their own way.

    /** The driver may return its own map, to be changed in place; so to read it is to change it. */
    @Override
    public final Map<String, Class<?>> getTypeMap() throws SQLException {
        checkOpen();
        markWork();
        try {
            Map<String, Class<?>> map = physical.getTypeMap();
            markChanged(Session.TYPE_MAP | (Session.TYPE_MAP << Session.AGAIN_SHIFT));
            return map;
        } catch (Throwable e) {
            throw callFailed(e);
        }
    }

    /** A copy: some drivers return the very object they keep their own state in. */
    @Override
    public final Properties getClientInfo() throws SQLException {
        checkWorks();
        try {
            return Baseline.copy(physical.getClientInfo());
        } catch (Throwable e) {
            throw callFailed(e);
        }
    }

    @Override
    public final void setClientInfo(String name, @Nullable String value) throws SQLClientInfoException {
        checkClientInfo(name);
        try {
            physical.setClientInfo(name, value);
        } catch (SQLClientInfoException e) {
            unmarkIfRefused(Session.CLIENT_INFO, e);
            throw callFailed(e);
        } catch (Throwable e) {
            unmarkIfRefused(Session.CLIENT_INFO, e);
            throw connectionBroken(e);
        }
    }

    /** One of several may have been set before another was refused. */
    @Override
    public final void setClientInfo(Properties properties) throws SQLClientInfoException {
        checkClientInfo(properties.stringPropertyNames().toArray(String[]::new));
        try {
            physical.setClientInfo(properties);
        } catch (SQLClientInfoException e) {
            if (properties.size() <= 1) {
                unmarkIfRefused(Session.CLIENT_INFO, e);
            }
            throw callFailed(e);
        } catch (Throwable e) {
            unmarkIfRefused(Session.CLIENT_INFO, e);
            throw connectionBroken(e);
        }
    }

    private void checkClientInfo(String... names) throws SQLClientInfoException {
        try {
            checkChanges(Session.CLIENT_INFO);
        } catch (SQLException dead) {
            Map<String, ClientInfoStatus> failed = new HashMap<>();
            for (String name : names) {
                failed.put(name, ClientInfoStatus.REASON_UNKNOWN);
            }
            throw new SQLClientInfoException(dead.getMessage(), dead.getSQLState(), failed);
        }
    }

    // Streams.

    /** Before a call on a stream, which for a large object speaks with the server. */
    final void checkStream() throws IOException {
        if (!isLive()) {
            throw deadStream();
        }
        markWork();
    }

    final IOException deadStream() {
        SQLException dead = closedException();
        return new IOException(dead.getMessage(), dead);
    }

    /** As {@link #callFailed(Throwable)}, for what a stream of the driver threw. */
    final IOException streamFailed(Throwable failure) {
        if (!(failure instanceof IOException known)) {
            throw connectionBroken(failure);
        }
        if (known.getCause() instanceof SQLException cause) {
            callFailed(cause);
        } else if (isLive()) {
            slot.distrust();
        }
        return known;
    }

    // Wrapper.

    @Override
    public final <T> T unwrap(@Nullable Class<T> type) throws SQLException {
        checkOpen();
        return Wrapping.unwrap(this, this, physical, type);
    }

    @Override
    public final boolean isWrapperFor(@Nullable Class<?> type) throws SQLException {
        checkOpen();
        return Wrapping.isWrapperFor(this, this, physical, type);
    }

    /** The driver's text too while this is on loan. */
    @Override
    public final String toString() {
        String own = name();
        if (!isLive()) {
            return own;
        }
        try {
            return physical + " [" + own + "]";
        } catch (Throwable e) {
            noteDriverError(e);
            return own;
        }
    }
}
