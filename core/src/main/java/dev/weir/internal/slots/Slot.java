package dev.weir.internal.slots;

import dev.weir.RetireReason;
import dev.weir.internal.sessions.Session;
import dev.weir.internal.sockets.WatchedSockets;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One physical connection and the word that says who owns it.
 *
 * <p>The word is {@code stamp << 4 | condemned | state}. The stamp counts the acquires of this slot, so the word
 * {@code IN_USE | stamp} names one acquire and no other, ever: it is the capability that a handle holds, and a handle is
 * alive exactly as long as the slot's word, less CONDEMNED, equals it. There is no second flag that could disagree.
 *
 * <pre>
 *            tryAcquire: stamp + 1                claim                      release
 *   IDLE ---------------------------&gt; IN_USE --------------&gt; RETURNING ----------------&gt; IDLE
 *    |  ^                              |  |                      |  |
 *    |  |          releaseUntouched    |  +- claim (abort)       |  +- hand-off: stamp + 1 --&gt; IN_USE
 *    |  |                              +- tryRetire (pool ends)  +- askTest --&gt; UNTESTED -- beginTest --&gt; TESTING
 *    |  +------------------------------+                         |
 *    |  |                                                        +-- tryRetire --&gt; RETIRED
 *    |  |
 *    +-- tryTest --&gt; TESTING -- endTest --&gt; RETURNING
 *    +-- tryRetire --&gt; RETIRED                                   (so from UNTESTED)
 *
 * Only the Keeper moves a slot to TESTING, and it gives it to one test; RETIRED is for ever, and the Keeper has the
 * connection closed.
 * </pre>
 *
 * <p>CONDEMNED may be set beside any state by anyone (a failure in use, an operator); a condemned slot cannot be acquired,
 * does not match the fast release, and is retired by whoever owns it next. It does not end the life of a handle.
 *
 * <p>An Error may strike an owner at any call, and leave the slot without one. All that the owner then still can do is to assign
 * {@link #stranded}; the rest is the Keeper's.
 *
 * <p>Ownership: a field without a word of its own on this is written only by the thread that moved the word out of IDLE, and is
 * published by the release that moves it on (each is a CAS or a volatile store of the word, each acquire is a CAS of it).
 */
public final class Slot extends Health {
    public static final int IDLE = 0;
    public static final int IN_USE = 1;
    public static final int TESTING = 2;
    public static final int RETURNING = 3;
    public static final int RETIRED = 4;
    public static final int UNTESTED = 5;

    public static final long STATE = 7;
    public static final long CONDEMNED = 8;
    public static final int STAMP_SHIFT = 4;
    private static final long ONE_ACQUIRE = 1L << STAMP_SHIFT;

    /** No loan that speaks with a server is shorter. */
    private static final long SHORTEST_LOAN_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    // On the path, updaters: interpreted, each is half the calls of a VarHandle; compiled, they are the same.
    private static final AtomicLongFieldUpdater<Slot> WORD = AtomicLongFieldUpdater.newUpdater(Slot.class, "word");

    private static final VarHandle CONDEMNED_FOR;
    private static final VarHandle RETIRED_FOR;
    private static final VarHandle STRANDED;
    private static final VarHandle HOLDER;
    private static final VarHandle LAST_SQL;
    private static final VarHandle TRACE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STRANDED = lookup.findVarHandle(Slot.class, "stranded", long.class);
            CONDEMNED_FOR = lookup.findVarHandle(Slot.class, "condemnedFor", RetireReason.class);
            RETIRED_FOR = lookup.findVarHandle(Slot.class, "retiredFor", RetireReason.class);
            HOLDER = lookup.findVarHandle(Slot.class, "holder", Thread.class);
            LAST_SQL = lookup.findVarHandle(Slot.class, "lastSql", String.class);
            TRACE = lookup.findVarHandle(Slot.class, "trace", LoanTrace.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Read directly where an Error was caught: there no call may stand. Written through WORD alone. */
    public volatile long word = RETURNING; // its Connect owns it until the first release

    private volatile @Nullable RetireReason condemnedFor;

    /**
     * Some word of the loan in which an Error took the slot from its owner; 0 if none did. A plain assignment by the owner,
     * which cannot fail however little stack or memory is left; the Keeper retires the slot if that loan still has it.
     */
    public volatile long stranded;

    public final Lender lender;
    public final Connection physical;
    public final Session session;

    /** Counts the connections of this pool, from 1; the name of the connection in logs and events. */
    public final long id;

    public final long openedNanos;
    public final Lifetime lifetime;

    /** To which addresses the name of the server led when it was opened; empty if not known. Written before it is lent. */
    public Set<InetAddress> serverAddresses = Set.of();

    // Guarded by ownership; the holder and its SQL are also read, racily, by the dump and the leak scan.
    /** The thread that last acquired the slot, or gives it back; forgotten some time after the loan. */
    public @Nullable Thread holder;

    /** The beginning of what was last prepared or executed; forgotten some time after the loan. */
    public @Nullable String lastSql;

    /** The acquire that {@link #lastSql} belongs to, as its handle holds it. */
    public long lastSqlOf;

    /** The loan, and what it does, see {@link SeenLoan#noted}; only while {@link Lender#measures}. */
    public long doing;

    /** The statement last executed, until it is closed: the driver's object, which keeps no handle alive. */
    public @Nullable Statement statement;

    /** Exact time of the current acquire where the loan is timed, else 0. */
    public long acquiredNanos;

    /** Where the current acquire was made, while leakDetectionThreshold is above 0; forgotten some time after the loan. */
    public @Nullable LoanTrace trace;

    /**
     * The reason why it is RETIRED, if not the one it was condemned for; the failure; and whether its owner was not
     * done.
     */
    private volatile @Nullable RetireReason retiredFor;

    private @Nullable Throwable retirementCause;
    private boolean takenAway;

    /** The word after more acquires since the last tick of the clock than a server can have answered. The Keeper's; racy. */
    private long outpacedFrom = TimeUnit.MILLISECONDS.toNanos(100) / SHORTEST_LOAN_NANOS * ONE_ACQUIRE;

    /** The loan that the Keeper saw last; null if none. The Keeper's; racy. */
    private @Nullable SeenLoan seen;

    public Slot(
            Lender lender,
            Connection physical,
            Session session,
            long id,
            long openedNanos,
            @Nullable WatchedSockets sockets) {
        super(openedNanos, sockets);
        this.lender = lender;
        this.physical = physical;
        this.session = session;
        this.id = id;
        this.openedNanos = openedNanos;
        this.lifetime = new Lifetime(openedNanos);
    }

    /** A tick of the clock, of this period. By the Keeper. */
    public void ticked(long periodNanos) {
        outpacedFrom = word + periodNanos / SHORTEST_LOAN_NANOS * ONE_ACQUIRE;
    }

    /**
     * Whether its loans since the last tick are so many that they cannot have spoken with a server: then an acquire has the
     * coarse time alone. All others read the exact one, so that a connection that died while the whole process stood still is
     * not taken for fresh; and all reads together take a thousandth of the time.
     */
    public boolean outpacesServers() {
        return word > outpacedFrom;
    }

    public static int stateOf(long word) {
        return (int) (word & STATE);
    }

    /** Whether these words are of one acquire, in whatever state. */
    public static boolean isOfOneLoan(long word, long another) {
        return (word ^ another) >>> STAMP_SHIFT == 0;
    }

    /** Whether a user has it, or is giving it back; one that was just opened is nobody's yet. */
    public static boolean isHeld(long word) {
        int state = stateOf(word);
        return state == IN_USE || (state == RETURNING && word >>> STAMP_SHIFT > 0);
    }

    public long wordVolatile() {
        return word;
    }

    /** IDLE to IN_USE, for the caller; false if someone else was faster or the slot is not to be had. */
    public boolean tryAcquire() {
        long w = word;
        return (w & (STATE | CONDEMNED)) == IDLE && WORD.compareAndSet(this, w, w + ONE_ACQUIRE + IN_USE);
    }

    /** The word that the handle of the current acquire holds; called by the owner. */
    public long wordOfLoan() {
        // If the pool was closed under the acquire the word says RETIRED, and the handle is dead from the start.
        return (word & ~(STATE | CONDEMNED)) | IN_USE;
    }

    /** Whether the acquire that this word names still owns the slot. */
    public boolean isLive(long loanWord) {
        return (word & ~CONDEMNED) == loanWord;
    }

    /**
     * IN_USE to RETURNING, for exactly one of all who try with the word of this acquire, at once or ever: close() and
     * abort(). The end of the pool retires a slot in use by {@link #tryRetire}; of the two one wins.
     */
    public boolean claim(long loanWord) {
        for (; ; ) {
            long w = word;
            if ((w & ~CONDEMNED) != loanWord) {
                return false;
            }
            if (WORD.compareAndSet(this, w, w - IN_USE + RETURNING)) {
                return true;
            }
        }
    }

    /** IN_USE straight to IDLE, the claim and the release in one; false if not owned by this acquire, or condemned. */
    public boolean releaseUntouched(long loanWord) {
        return WORD.compareAndSet(this, loanWord, loanWord - IN_USE);
    }

    /**
     * RETURNING to IDLE, by the owner; true if the slot was condemned meanwhile, and so can only be retired, or
     * was retired already.
     */
    public boolean setIdleVolatile() {
        for (; ; ) {
            long w = word;
            if ((w & STATE) == RETIRED) {
                return true;
            }
            if (WORD.compareAndSet(this, w, w & ~STATE)) {
                return (w & CONDEMNED) != 0;
            }
        }
    }

    /** RETURNING to IN_USE, for the waiter the owner gives it to; false if condemned: the owner must retire it. */
    boolean tryHandOff() {
        for (; ; ) {
            long w = word;
            if ((w & CONDEMNED) != 0 || (w & STATE) == RETIRED) {
                return false;
            }
            if (WORD.compareAndSet(this, w, (w & ~STATE) + ONE_ACQUIRE + IN_USE)) {
                return true;
            }
        }
    }

    /** IDLE to TESTING, for the Keeper. */
    public boolean tryTest() {
        long w = word;
        return (w & (STATE | CONDEMNED)) == IDLE && WORD.compareAndSet(this, w, w + TESTING);
    }

    /** RETURNING to UNTESTED, by the owner: the Keeper is to have it tested. */
    public boolean askTest() {
        return casState(RETURNING, UNTESTED);
    }

    /** UNTESTED to TESTING, for the Keeper. */
    public boolean beginTest() {
        return casState(UNTESTED, TESTING);
    }

    /** TESTING to RETURNING: the test keeps the slot, unless the Keeper took it from one that hung. */
    public boolean endTest() {
        return casState(TESTING, RETURNING);
    }

    /** From this state to RETIRED, whether condemned or not; true for the one who then has to close the connection. */
    public boolean tryRetire(int from) {
        return casState(from, RETIRED);
    }

    private boolean casState(int from, int to) {
        for (; ; ) {
            long w = word;
            if ((w & STATE) != from) {
                return false;
            }
            if (WORD.compareAndSet(this, w, w - from + to)) {
                return true;
            }
        }
    }

    /**
     * To RETIRED, if an Error left it without an owner: it was not acquired since, and neither lies idle nor is tested. True
     * for the one who closes it.
     */
    public boolean tryRetireStranded() {
        long mark = stranded;
        if (mark == 0) {
            return false;
        }
        long loan = mark & ~(STATE | CONDEMNED);
        boolean retired = tryRetireFrom(loan | IN_USE) || tryRetireFrom(loan | RETURNING);
        STRANDED.compareAndSet(this, mark, 0L);
        return retired;
    }

    /** To RETIRED, if this is still its word, condemned or not: nobody else's acquire is met. */
    public boolean tryRetireFrom(long seen) {
        long mark = seen & ~CONDEMNED;
        return WORD.compareAndSet(this, mark, (mark & ~STATE) | RETIRED)
                || WORD.compareAndSet(this, mark | CONDEMNED, (mark & ~STATE) | CONDEMNED | RETIRED);
    }

    /**
     * Bars the slot from being lent again, for this reason if it is the first; returns the state it was in, so that the
     * caller retires it if that was IDLE and its owner does so otherwise.
     */
    public int condemn(RetireReason reason) {
        CONDEMNED_FOR.compareAndSet(this, null, reason);
        for (; ; ) {
            long w = word;
            if (WORD.compareAndSet(this, w, w | CONDEMNED)) {
                return stateOf(w);
            }
        }
    }

    /** Whether a scan that acquires or tests could take it; it may be stale. */
    public boolean isIdle() {
        return (word & (STATE | CONDEMNED)) == IDLE;
    }

    public boolean isCondemned() {
        return (word & CONDEMNED) != 0;
    }

    public @Nullable RetireReason condemnedFor() {
        return condemnedFor;
    }

    /**
     * The reason why it is retired, if not the one it was condemned for. By its owner before it retires it, or by the
     * Keeper, which may take it from that owner at the same time: the first note counts.
     */
    public void noteRetirement(RetireReason reason, @Nullable Throwable cause) {
        if (RETIRED_FOR.compareAndSet(this, null, reason)) {
            retirementCause = cause;
        }
    }

    /** It is taken from an owner who is not done, so that it is aborted, and not closed. By the Keeper. */
    public void noteTakenAway(RetireReason reason, @Nullable Throwable cause) {
        noteRetirement(reason, cause);
        takenAway = true;
    }

    public boolean isTakenAway() {
        return takenAway;
    }

    /** With which failure it was RETIRED; null if with none. */
    public @Nullable Throwable retirementCause() {
        return retirementCause;
    }

    /** The reason why it is RETIRED. */
    public RetireReason retireReason() {
        RetireReason why = retiredFor;
        RetireReason condemned = condemnedFor;
        return why != null ? why : condemned != null ? condemned : RetireReason.FAULT;
    }

    public int state() {
        return stateOf(word);
    }

    /** The number of times that the slot was acquired. */
    public long acquires() {
        return word >>> STAMP_SHIFT;
    }

    /**
     * Forgets who last held the slot and what they ran, if it is idle: a connection keeps neither a thread that gave it back,
     * with the class loader behind it, nor its text. That the return does not do it spares the next loan of the same thread,
     * with the same text, two stores of a reference.
     *
     * <p>An acquire moves the word and then reads the field, to write it if it is another's; this takes the field and then
     * reads the word (Dekker's pattern). Either the acquire sees the null, or this sees the acquire and takes the null back,
     * unless the acquire has written its own by then.
     */
    void forgetLoan() {
        long w = word;
        if ((w & STATE) == IDLE) {
            LoanTrace ended = trace;
            if (ended != null && ended.loanWord >>> STAMP_SHIFT <= w >>> STAMP_SHIFT) { // not that of an acquire since
                TRACE.compareAndSet(this, ended, null); // each is another object: nor is that of a later one met
            }
            forget(HOLDER, holder, w);
            forget(LAST_SQL, lastSql, w);
        }
    }

    private void forget(VarHandle field, @Nullable Object before, long idle) {
        if (before != null && field.compareAndSet(this, before, null) && word != idle) {
            field.compareAndSet(this, null, before);
        }
    }

    /** The loan of this word of the slot; null if nobody holds it, and then the last one is forgotten. By the Keeper. */
    public @Nullable SeenLoan see(long current, long now) {
        if (!isHeld(current)) {
            seen = null;
            forgetLoan();
        } else if (seen == null || !seen.isOf(current)) {
            seen = new SeenLoan(this, current, now);
        }
        return seen;
    }

    /** Since when it is held with this word, as far as the Keeper has seen it; this time if it has not. By anyone. */
    public long heldSince(long current, long now) {
        SeenLoan loan = seen;
        return loan != null && loan.isOf(current) ? loan.sinceNanos : now;
    }

    @Override
    public String toString() {
        return "connection " + id;
    }
}
