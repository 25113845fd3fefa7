package dev.weir;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.sql.CallableStatement;
import java.sql.ClientInfoStatus;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One loan of a physical connection: its life, its open statements, and what must be undone when it ends.
 *
 * <p><b>Life.</b> The handle lives while its slot's word is the one it was made under. There is no closed flag here that
 * could disagree with the slot. Whoever moves the word on (close, abort, the end of the pool) ends every handle that was
 * reached from this one at the same moment.
 *
 * <p><b>Open statements</b> are an intrusive stack (Treiber's), newest on top. A statement is pushed by one CAS; closing it
 * only sets a flag in the node, and flagged nodes are left out by later pushes:
 *
 * <ul>
 *   <li>The head only changes by push; a node is pushed once, so a head that is the same object is the same stack, less
 *       some closed nodes (no ABA).
 *   <li>{@code next} is written by the pusher before the CAS that publishes the node; later writes, in plain mode by any
 *       pusher, only move it to an older node past closed ones. Racing writers each write a right answer, and a reader
 *       that sees an old one meets more closed nodes than needed. Every older node was published before, by its own push.
 *   <li>{@code closed} is set in plain mode. Who misses it closes a statement twice, which JDBC defines as a no-op.
 *   <li>Every push skips closed nodes at the top, which keeps the usual open-use-close at one node. When statements
 *       overlap, closed ones may stay below open ones, so after as many such pushes as the last sweep left nodes (at least
 *       {@value #SWEEP_AT_LEAST}) one push sweeps the whole stack. The stack is thus at most about twice the statements
 *       open at one time, plus {@value #SWEEP_AT_LEAST}, at a constant cost for each push.
 * </ul>
 *
 * <p><b>A statement opened while the connection is closed</b> by another thread (Dekker's pattern): the opener pushes by CAS
 * and then reads the word; the closer moves the word by CAS and then reads the stack. Both CAS are full fences, so at least
 * one of the two sees the other: the closer closes the statement, or the opener does and throws. This holds for the fast
 * way home too, which looks at the stack again after the release.
 *
 * <p><b>Marks.</b> {@code used} and {@code work} are only ever set to true by calls, so racing plain stores lose nothing;
 * only commit and rollback take {@code work} back, and a user who runs statements while another thread commits on the same
 * connection has no defined transaction to lose. {@code changed} is a set of bits and changed atomically, but rarely.
 */
abstract class AbstractConnectionHandle implements Connection {
    private static final int SWEEP_AT_LEAST = 8;
    private static final VarHandle OPEN;
    private static final VarHandle CHANGED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            OPEN = lookup.findVarHandle(AbstractConnectionHandle.class, "open", Tracked.class);
            CHANGED = lookup.findVarHandle(AbstractConnectionHandle.class, "changed", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Slot slot;
    final Connection physical;
    final long held;

    // Mutable.
    /** Top of the stack of open statements; CAS and volatile reads through OPEN. */
    private @Nullable Tracked open;

    /** Bits of {@link Session}: what must be restored; atomic OR through CHANGED. */
    private int changed;

    /** Pushes onto an open statement until the next sweep. */
    private short sweepIn = SWEEP_AT_LEAST;

    /** Something was called that may have spoken with the server. */
    private boolean used;

    /** A transaction may be open. */
    private boolean work;

    AbstractConnectionHandle(Slot slot) {
        this.slot = slot;
        this.physical = slot.physical;
        this.held = slot.held();
    }

    // What the generated methods call.

    final boolean isLive() {
        return slot.isLivePlain(held);
    }

    final void checkOpen() throws SQLException {
        if (!isLive()) {
            throw dead();
        }
    }

    final void checkWorks() throws SQLException {
        checkOpen();
        works();
    }

    final void checkPrepares(String sql) throws SQLException {
        checkOpen();
        works();
        lastSql(sql);
    }

    /**
     * Before a property is set: sees to it that its value is known. One that cannot be known cannot be restored; the
     * connection is then retired at the end of the loan.
     */
    final void checkChanges(int bit) throws SQLException {
        checkWorks();
        int before = (int) CHANGED.getAndBitwiseOr(this, bit);
        if (slot.session.knows(bit) || bit == Session.UNRESTORABLE) {
            return;
        }
        if ((before & bit) != 0) {
            cannotRestore(); // another thread is asking right now, or asking failed
        } else {
            slot.session.remember(bit);
        }
    }

    /** A failure to set a property; one that the driver does not have was not changed. */
    final SQLException notChanged(int bit, SQLException failure) {
        if (failure instanceof SQLFeatureNotSupportedException && (changed & Session.UNWRAPPED) == 0) {
            CHANGED.getAndBitwiseAnd(this, ~bit);
        }
        return failed(failure);
    }

    final <S extends SQLException> S failed(S failure) {
        boolean ourReadOnly = "25006".equals(failure.getSQLState())
                && ((changed & Session.READ_ONLY) != 0 || slot.session.isReadOnlyByDefault());
        if (!ourReadOnly && !(failure instanceof SQLFeatureNotSupportedException) && slot.isLive(held)) {
            slot.pool.failed(slot, failure);
        }
        return failure;
    }

    final void works() {
        used = true;
        work = true;
    }

    final void lastSql(String sql) {
        if (!sameObject(slot.lastSql, sql)) {
            slot.lastSql = sql;
        }
    }

    @SuppressWarnings(
            "ReferenceEquality") // a cheap test that spares the store for a constant; being wrong costs a store
    private static boolean sameObject(@Nullable Object a, @Nullable Object b) {
        return a == b;
    }

    /** The user is about to hold the driver's own object, and may do anything with it. */
    final void unwraps() {
        works();
        int before = (int) CHANGED.getAndBitwiseOr(this, Session.UNWRAPPED | Session.PROPERTIES);
        if ((before & Session.UNWRAPPED) == 0) {
            slot.session.remember(Session.PROPERTIES & ~before);
        }
    }

    /** Something cannot be brought back to what it was: the connection is retired at the end of the loan. */
    final void cannotRestore() {
        used = true;
        CHANGED.getAndBitwiseOr(this, Session.UNRESTORABLE);
    }

    final SQLException dead() {
        return new SQLException("connection is closed: " + this, "08003");
    }

    // Open statements.

    final StatementHandle opened(Statement statement) throws SQLException {
        StatementHandle handle = new StatementHandle((ConnectionHandle) this, statement);
        track(handle);
        return handle;
    }

    final PreparedStatementHandle opened(PreparedStatement statement) throws SQLException {
        PreparedStatementHandle handle = new PreparedStatementHandle((ConnectionHandle) this, statement);
        track(handle);
        return handle;
    }

    final CallableStatementHandle opened(CallableStatement statement) throws SQLException {
        CallableStatementHandle handle = new CallableStatementHandle((ConnectionHandle) this, statement);
        track(handle);
        return handle;
    }

    final void track(Tracked node) throws SQLException {
        Tracked head;
        do {
            head = (Tracked) OPEN.getVolatile(this);
            node.next = head == null ? null : firstOpen(head);
        } while (!OPEN.compareAndSet(this, head, node));
        if (!slot.isLive(held)) {
            throw openedTooLate(node);
        }
    }

    private @Nullable Tracked firstOpen(Tracked head) {
        Tracked top = skipClosed(head);
        if (top != null && --sweepIn < 0) {
            sweepIn = sweep(top);
        }
        return top;
    }

    private static @Nullable Tracked skipClosed(@Nullable Tracked from) {
        Tracked node = from;
        while (node != null && node.closed) {
            node = node.next;
        }
        return node;
    }

    /** Unlinks closed nodes, and returns after how many pushes to do so again. */
    private static short sweep(Tracked top) {
        int live = 0;
        for (Tracked node = top; node != null; node = node.next) {
            node.next = skipClosed(node.next);
            live++;
        }
        return (short) Math.max(SWEEP_AT_LEAST, Math.min(live, Short.MAX_VALUE));
    }

    private SQLException openedTooLate(Tracked node) {
        SQLException dead = dead();
        try {
            node.closePhysical();
        } catch (SQLException e) {
            dead.addSuppressed(e);
        }
        return dead;
    }

    /** Closes whatever is open, and returns the first failure, the others suppressed in it. */
    private @Nullable Throwable closeOpen() {
        Throwable failure = null;
        for (Tracked node = (Tracked) OPEN.getVolatile(this); node != null; node = node.next) {
            if (!node.closed) {
                try {
                    node.closePhysical();
                } catch (Throwable e) {
                    failure = firstOf(failure, e);
                }
            }
        }
        return failure;
    }

    private static Throwable firstOf(@Nullable Throwable first, Throwable next) {
        if (first == null) {
            return next;
        }
        if (first != next) {
            first.addSuppressed(next);
        }
        return first;
    }

    /** How many nodes the stack has, closed ones included; for tests. */
    final int trackedNodes() {
        int nodes = 0;
        for (Tracked node = (Tracked) OPEN.getVolatile(this); node != null; node = node.next) {
            nodes++;
        }
        return nodes;
    }

    /** The bits that are set, for tests. */
    final int changed() {
        return changed;
    }

    final boolean isUsed() {
        return used;
    }

    final boolean mayHaveWork() {
        return work;
    }

    // The end of the loan.

    /**
     * Gives the connection back, cleaned; never throws. If it cannot be cleaned it is retired instead. Of any number of
     * calls, at once or late, one does something.
     */
    @Override
    public final void close() {
        if (!used && open == null) {
            slot.pool.releaseUntouched(slot, held);
            if (OPEN.getVolatile(this) != null) {
                closeOpen();
            }
        } else if (slot.claim(held)) {
            giveBack();
        }
    }

    private void giveBack() {
        Throwable failure = closeOpen();
        boolean condemned = slot.isCondemned();
        try {
            if (condemned) {
                slot.session.rollback(
                        changed, work); // what is retired is not restored, but some drivers commit at close
            } else {
                slot.session.clean(changed, work);
            }
        } catch (Throwable e) {
            failure = firstOf(failure, e);
        }
        if (failure == null || condemned) {
            slot.pool.release(slot, used);
        } else {
            slot.pool.retire(slot, RetireReason.UNCLEAN, failure);
        }
    }

    @Override
    public final void abort(@Nullable Executor executor) throws SQLException {
        if (executor == null) {
            throw new SQLException("abort: no executor given", "22023");
        }
        if (slot.claim(held)) {
            for (Tracked node = (Tracked) OPEN.getAndSet(this, null); node != null; node = node.next) {
                node.markClosed(); // the driver's objects go with the connection; what reads rows here must end too
            }
            slot.pool.abort(slot, executor);
        }
    }

    @Override
    public final boolean isClosed() {
        return !slot.isLive(held);
    }

    @Override
    public final boolean isValid(int seconds) throws SQLException {
        if (!slot.isLive(held)) {
            return false;
        }
        works();
        try {
            return physical.isValid(seconds);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    // Transactions.

    @Override
    public final void commit() throws SQLException {
        checkWorks();
        try {
            physical.commit();
        } catch (SQLException e) {
            throw failed(e);
        }
        work = false;
    }

    @Override
    public final void rollback() throws SQLException {
        checkWorks();
        try {
            physical.rollback();
        } catch (SQLException e) {
            throw failed(e);
        }
        work = false;
    }

    @Override
    public final void rollback(@Nullable Savepoint savepoint) throws SQLException {
        checkWorks();
        try {
            physical.rollback(savepoint);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    // Properties that drivers hand out by reference, or that fail in their own way.

    /** The driver may return its own map, to be changed in place; so to read it is to change it. */
    @Override
    public final Map<String, Class<?>> getTypeMap() throws SQLException {
        checkOpen();
        works();
        try {
            Map<String, Class<?>> map = physical.getTypeMap();
            if (!slot.session.knows(Session.TYPE_MAP)) {
                slot.session.rememberTypeMap(map == null ? null : new HashMap<>(map));
            }
            CHANGED.getAndBitwiseOr(this, Session.TYPE_MAP);
            return map;
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** A copy: some drivers return the very object they keep their own state in. */
    @Override
    public final Properties getClientInfo() throws SQLException {
        checkWorks();
        try {
            return Session.copy(physical.getClientInfo());
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final String getClientInfo(String name) throws SQLException {
        checkWorks();
        try {
            return physical.getClientInfo(name);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final void setClientInfo(String name, @Nullable String value) throws SQLClientInfoException {
        checkClientInfo(name);
        try {
            physical.setClientInfo(name, value);
        } catch (SQLClientInfoException e) {
            throw failed(e);
        }
    }

    @Override
    public final void setClientInfo(Properties properties) throws SQLClientInfoException {
        checkClientInfo(properties.stringPropertyNames().toArray(String[]::new));
        try {
            physical.setClientInfo(properties);
        } catch (SQLClientInfoException e) {
            throw failed(e);
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

    // Wrapper.

    @Override
    public final <T> T unwrap(@Nullable Class<T> type) throws SQLException {
        checkOpen();
        return Handles.unwrap(this, this, physical, type);
    }

    @Override
    public final boolean isWrapperFor(@Nullable Class<?> type) throws SQLException {
        checkOpen();
        if (type == null) {
            return false;
        }
        try {
            return type.isInstance(this) || type.isInstance(physical) || physical.isWrapperFor(type);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final String toString() {
        return "connection #" + slot.id + " of pool " + slot.pool.settings.poolName();
    }
}
