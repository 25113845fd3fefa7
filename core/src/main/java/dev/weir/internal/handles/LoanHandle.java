package dev.weir.internal.handles;

import dev.weir.RetireReason;
import dev.weir.internal.sessions.Baseline;
import dev.weir.internal.sessions.Session;
import dev.weir.internal.slots.LoanRecord;
import dev.weir.internal.slots.LoanTrace;
import dev.weir.internal.slots.SeenLoan;
import dev.weir.internal.slots.Slot;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One loan of a physical connection: its life, its open statements, and what must be undone when it ends.
 *
 * <p><b>Life.</b> The handle lives while its slot's word is the one it was made under. There is no closed flag here
 * that could disagree with the slot. The thread that moves the word on (close, abort, the end of the pool) ends every
 * handle that was reached from this one at the same moment.
 *
 * <p><b>Open statements</b> are an intrusive stack (Treiber's), newest on top. A statement is pushed by one CAS;
 * closing it only sets a flag in the node, and flagged nodes are left out by later pushes:
 *
 * <ul>
 *   <li>The head only changes by push; a node is pushed once, so a head that is the same object is the same stack, less
 *       some closed nodes (no ABA).
 * <li>{@code next} is written by the pusher before the CAS that publishes the node; later writes, in plain mode by any
 *     pusher, only move it to an older node past closed ones. Racing writers each write a right answer, and a reader
 *     that sees an old one meets more closed nodes than needed. Every older node was published before, by its own push.
 *   <li>{@code closed} is set in plain mode. A thread that misses it closes a statement twice, which JDBC defines as a no-op.
 *   <li>Every push skips closed nodes at the top, which keeps the usual open-use-close at one node. When statements
 *     overlap, closed ones may stay below open ones, so after as many such pushes as the last sweep left nodes (at
 *     least {@value #SWEEP_AT_LEAST}) one push sweeps the whole stack. The stack is thus at most about twice the
 *     statements open at one time, plus {@value #SWEEP_AT_LEAST}, at a constant cost for each push.
 * </ul>
 *
 * <p><b>A statement opened while the connection is closed</b> by another thread (Dekker's pattern): the opener pushes
 * by CAS and then reads the word; the closer moves the word by CAS and then reads the stack. Both CAS are full fences,
 * so at least one of the two sees the other: the closer closes the statement, or the opener does and throws. This holds
 * for the fast return too, which looks at the stack again after the release.
 *
 * <p><b>Marks.</b> {@code used} and {@code work} are only ever set by calls, so racing plain stores lose nothing;
 * only commit and rollback take {@code work} back, where no rows are left to be read, and a user who runs statements
 * while another thread commits on the same connection has no defined transaction to lose. {@code changed} is a set of
 * bits and changed atomically, but rarely.
 */
public abstract class LoanHandle implements Connection {
    private static final int SWEEP_AT_LEAST = 8;
    private static final byte UNUSED = 0;
    static final byte USED = 1;

    /** Not used so far, but the driver got beginRequest(), and has to get endRequest(). */
    private static final byte IN_REQUEST = 2;

    private static final AtomicReferenceFieldUpdater<LoanHandle, @Nullable Tracked> OPEN =
            AtomicReferenceFieldUpdater.newUpdater(LoanHandle.class, Tracked.class, "open"); // see WORD in Slot
    private static final VarHandle CHANGED;

    static {
        try {
            CHANGED = MethodHandles.lookup().findVarHandle(LoanHandle.class, "changed", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public final Slot slot;
    public final Connection physical;
    public final long loanWord;

    // Mutable.
    /** Top of the stack of open statements; CAS through OPEN. */
    volatile @Nullable Tracked open;

    /** Bits of {@link Session}: the properties to be restored; atomic OR through CHANGED. */
    int changed;

    /** Pushes onto an open statement until the next sweep. */
    private short sweepIn = SWEEP_AT_LEAST;

    /** Something was called that may have spoken with the server. */
    byte used;

    /** A transaction may be open. */
    boolean work;

    LoanHandle(Slot slot) {
        this.slot = slot;
        this.physical = slot.physical;
        this.loanWord = slot.wordOfLoan();
    }

    /** Calls the driver's beginRequest(). If that fails, the connection is not lent. */
    public final void beginLoan() throws SQLException {
        used = IN_REQUEST;
        try {
            slot.session.beginRequest();
        } catch (Throwable e) {
            if (slot.claim(loanWord)) {
                slot.lender.retireFailed(slot, e);
            }
            throw e;
        }
    }

    /** As {@link Slot#isLive}, in one call. */
    public final boolean isLive() {
        return (slot.word & ~Slot.CONDEMNED) == loanWord;
    }

    final void checkOpen() throws SQLException {
        if (!isLive()) {
            throw closedException();
        }
    }

    final void checkWorks() throws SQLException {
        checkOpen();
        markWork();
    }

    /** Whether a statement, or a result set without one, is open. */
    public final boolean hasOpen() {
        Tracked node = open;
        while (node != null && (node.closed || node instanceof Temporary)) {
            node = node.next;
        }
        return node != null;
    }

    /** Whether its user holds the driver's own object, or changed what cannot be set back. */
    public final boolean isTouched() {
        return (changed & (Session.UNWRAPPED | Session.UNRESTORABLE | Session.SHARDING)) != 0;
    }

    /** The end of the pool cancels it, should it still run then; and it answers or throws, whatever went before. */
    final void runs(Statement statement) {
        slot.statement = statement;
        slot.trustAgain();
        if (slot.lender.measures) {
            LoanRecord.note(slot, loanWord, SeenLoan.IN_DRIVER);
        }
    }

    /**
     * Marks a property before it is set. A second change marks it again, so that a refusal takes back its own mark
     * only.
     */
    final void checkChanges(int bit) throws SQLException {
        checkWorks();
        int before = (int) CHANGED.getAndBitwiseOr(this, bit);
        if ((before & bit) != 0) {
            CHANGED.getAndBitwiseOr(this, bit | (bit << Session.AGAIN_SHIFT));
        }
    }

    /** A failure to set a property; one that the driver does not have was not changed. */
    final SQLException notChanged(int bit, Throwable failure) {
        unmarkIfRefused(bit, failure);
        return callFailed(failure);
    }

    final void unmarkIfRefused(int bit, Throwable failure) {
        if (Baseline.isNotSupported(failure)) {
            int now = changed;
            while ((now & (bit << Session.AGAIN_SHIFT)) == 0 && !CHANGED.compareAndSet(this, now, now & ~bit)) {
                now = (int) CHANGED.getVolatile(this);
            }
        }
    }

    final <S extends SQLException> S callFailed(S failure) {
        boolean ourReadOnly = "25006".equals(failure.getSQLState())
                && ((changed & (Session.READ_ONLY | Session.UNWRAPPED)) != 0 || slot.session.isReadOnlyByDefault());
        if (!ourReadOnly && !(failure instanceof SQLFeatureNotSupportedException) && isLive()) {
            used = USED;
            slot.distrust(); // after any failure
            slot.lender.callFailed(slot, failure);
        }
        return failure;
    }

    /**
     * The exception to throw for one of the driver: an SQLException, once the pool has seen it, as it is. All
     * else goes on as it is from here, see {@link #connectionBroken}.
     */
    final SQLException callFailed(Throwable failure) {
        if (failure instanceof SQLException known) {
            return callFailed(known);
        }
        throw connectionBroken(failure);
    }

    /**
     * Throws what a call into the driver threw, once it is noted; declared to return so that callers can say 'throw'.
     */
    final RuntimeException connectionBroken(Throwable failure) {
        noteDriverError(failure);
        throw LoanHandle.<RuntimeException>asItIs(failure);
    }

    /**
     * A call into the driver ended with an Error or a RuntimeException: out of memory, out of stack, a class that is
     * missing, a bug. Any of them may have cut the call off between a request and its answer, and the next user would
     * read that answer as his own; a test would not find it out, as it reads some answer too. So the connection is not
     * lent again. Two of them say that nothing was done: the driver has no such method.
     *
     * <p>Two stores and no call: this also has to work where the stack is about to end.
     */
    final void noteDriverError(Throwable failure) {
        if (!(failure instanceof UnsupportedOperationException || failure instanceof AbstractMethodError)) {
            used = USED;
            slot.driverError = failure;
        }
    }

    @SuppressWarnings("unchecked") // T is unchecked where this is called, and no cast is compiled for it
    private static <T extends Throwable> RuntimeException asItIs(Throwable failure) throws T {
        throw (T) failure;
    }

    final void markWork() {
        used = USED;
        work = true;
    }

    /** The user is about to hold the driver's own object, and may do anything with it. */
    final void unwraps() {
        markWork();
        LoanTrace trace = slot.trace;
        if (trace != null && trace.loanWord == loanWord) {
            trace.unwrapped = true;
        }
        CHANGED.getAndBitwiseOr(this, Session.UNWRAPPED);
    }

    /** Something cannot be brought back to what it was: the connection is retired at the end of the loan. */
    public final void cannotRestore() {
        used = USED;
        CHANGED.getAndBitwiseOr(this, Session.UNRESTORABLE);
    }

    SQLException closedException() {
        return new SQLException("connection is closed: " + name(), "08003");
    }

    final void track(Tracked node) throws SQLException {
        Tracked ignored = tracked(node);
    }

    /** Lists it as open, and returns it. */
    final <H extends Tracked> H tracked(H node) throws SQLException {
        Tracked head;
        do {
            head = open;
            node.next = head == null ? null : firstOpen(head);
        } while (!OPEN.compareAndSet(this, head, node));
        if (!isLive()) {
            throw openedTooLate(node);
        }
        return node;
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
        SQLException dead = closedException();
        try {
            node.closePhysical();
        } catch (SQLException e) {
            dead.addSuppressed(e);
        }
        return dead;
    }

    /** Closes all that is open, and returns the first failure, with the others suppressed in it. */
    private @Nullable Throwable closeOpen() {
        Throwable failure = null;
        for (Tracked node = open; node != null; node = node.next) {
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

    // The end of the loan.

    /**
     * Gives the connection back, cleaned; throws nothing but an Error of the pool's own work. If it cannot be cleaned it is retired instead. Of any number of
     * calls, at once or late, one does something.
     */
    @Override
    public final void close() {
        try {
            if (used == UNUSED && open == null) {
                slot.lender.releaseUntouched(slot, loanWord);
                if (open != null) {
                    closeOpen();
                }
            } else if (slot.claim(loanWord)) {
                giveBack();
            }
        } catch (Throwable e) { // of the pool's own, with no memory or no stack: the Keeper takes the connection back
            if ((slot.word ^ loanWord) >>> Slot.STAMP_SHIFT == 0) { // it is of this loan still
                slot.stranded = loanWord;
            }
            throw e;
        }
    }

    private void giveBack() {
        Thread thread = Thread.currentThread();
        if (slot.holder != thread) {
            slot.holder = thread; // its return is watched
        }
        slot.lender.watchReturn(slot);
        Throwable driverError = slot.driverError;
        if (driverError != null) {
            endOpen(); // no more calls of the driver: its state is unknown
            slot.lender.retire(slot, RetireReason.FAULT, driverError);
            return;
        }
        Throwable failure = closeOpen();
        try {
            if (slot.isCondemned()) {
                slot.session.rollback(
                        changed, work); // a retired connection is not restored, but some drivers commit at close
            } else {
                slot.session.clean(changed, work);
            }
        } catch (Throwable e) {
            failure = firstOf(failure, e);
        }
        if (failure == null) {
            slot.lender.release(slot, used == USED);
        } else {
            slot.lender.retireFailed(slot, failure);
        }
    }

    @Override
    public final void abort(@Nullable Executor executor) throws SQLException {
        if (executor == null) {
            throw new SQLException("abort: no executor given", "22023");
        }
        try {
            if (slot.claim(loanWord)) {
                endOpen();
                slot.lender.abort(slot, executor);
            }
        } catch (Throwable e) {
            if ((slot.word ^ loanWord) >>> Slot.STAMP_SHIFT == 0) {
                slot.stranded = loanWord;
            }
            throw e;
        }
    }

    /** Ends what is open here. The driver's objects go with the connection. */
    private void endOpen() {
        for (Tracked node = OPEN.getAndSet(this, null); node != null; node = node.next) {
            node.markClosed();
        }
    }

    final void markChanged(int bits) {
        CHANGED.getAndBitwiseOr(this, bits);
    }

    final void unmarkChanged(int bits) {
        CHANGED.getAndBitwiseAnd(this, ~bits);
    }

    /** The user ended the transaction: no work is left, unless rows are. */
    final void transactionEnded() {
        work = mayReadOn();
    }

    /**
     * Whether rows are left to be read, of a cursor held over the end of the transaction: to read on opens another one,
     * of which nothing here is told, because rows are read without a look at the connection.
     */
    private boolean mayReadOn() {
        for (Tracked node = open; node != null; node = node.next) {
            if (!node.closed && node.hasOpenResult()) {
                return true;
            }
        }
        return false;
    }

    /** The name of this connection in messages. */
    final String name() {
        return "connection #" + slot.id + " of pool " + slot.lender.poolName();
    }
}
