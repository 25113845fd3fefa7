package dev.weir;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/** Keeps the hot word of one slot off the cache lines of whatever the collector puts before it. */
@SuppressWarnings("unused") // the fields are there for the room they take
abstract class SlotPadding {
    private long p0;
    private long p1;
    private long p2;
    private long p3;
    private long p4;
    private long p5;
    private long p6;
    private long p7;
}

/**
 * One physical connection and the word that says who owns it.
 *
 * <p>The word is {@code stamp << 4 | condemned | state}. The stamp counts the acquires of this slot, so the word
 * {@code IN_USE | stamp} names one acquire and no other, ever: it is the capability that a handle holds, and a handle is
 * alive exactly as long as the slot's word equals it. There is no second flag that could disagree.
 *
 * <pre>
 *            tryAcquire: stamp + 1                claim                      release
 *   IDLE ---------------------------&gt; IN_USE --------------&gt; RETURNING ----------------&gt; IDLE
 *    |  ^                              |  |                      |  |
 *    |  |          releaseUntouched    |  +- claim (abort)       |  +- hand-off: stamp + 1 --&gt; IN_USE
 *    |  +------------------------------+                         |
 *    |  |                                                        +-- retire ---&gt; RETIRED
 *    |  +---- checked ----+
 *    +-- tryCheck --&gt; CHECKING -- retire --&gt; RETIRED        IDLE -- tryRetire --&gt; RETIRED
 * </pre>
 *
 * <p>CONDEMNED may be set beside any state by anyone (a failure in use, an operator); a condemned slot cannot be acquired,
 * does not match the fast release, and is retired by whoever owns it next. It does not end the life of a handle.
 *
 * <p>Ownership: every field below the word is written only by the thread that moved the word out of IDLE, and is published
 * by the release that moves it on (each is a CAS or a volatile store of the word, each acquire is a CAS of it).
 */
final class Slot extends SlotPadding {
    static final int IDLE = 0;
    static final int IN_USE = 1;
    static final int CHECKING = 2;
    static final int RETURNING = 3;
    static final int RETIRED = 4;

    static final long STATE = 7;
    static final long CONDEMNED = 8;
    static final int STAMP_SHIFT = 4;
    private static final long ONE_ACQUIRE = 1L << STAMP_SHIFT;

    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(Slot.class, "word", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile long word = RETURNING; // whoever opened it owns it until the first release

    final ConnectionPool pool;
    final Connection physical;
    final Session session;

    /** Counts the connections of this pool, from 1; what logs and events call the connection. */
    final long id;

    final long openedNanos;

    // Guarded by ownership.
    /** The coarse time at which the connection last answered: opened, checked, or came back used. Read by scans, racily. */
    long lastUsedNanos;

    /** The coarse time of the current acquire; the exact one where the acquire had to wait. */
    long acquiredNanos;

    @Nullable
    Thread holder;

    /** The SQL the current or last holder prepared or executed last; for the dump and leak messages. */
    @Nullable
    String lastSql;

    Slot(ConnectionPool pool, Connection physical, Session session, long id, long openedNanos) {
        this.pool = pool;
        this.physical = physical;
        this.session = session;
        this.id = id;
        this.openedNanos = openedNanos;
        this.lastUsedNanos = openedNanos;
        this.acquiredNanos = openedNanos;
    }

    static int stateOf(long word) {
        return (int) (word & STATE);
    }

    long wordVolatile() {
        return word;
    }

    /** IDLE to IN_USE, for the caller; false if someone else was faster or the slot is not to be had. */
    boolean tryAcquire() {
        long w = word;
        return (w & (STATE | CONDEMNED)) == IDLE && WORD.compareAndSet(this, w, w + ONE_ACQUIRE + IN_USE);
    }

    /** What the handle of the current acquire holds; called by the owner. */
    long held() {
        return word & ~CONDEMNED;
    }

    /** Whether the acquire that this word names still owns the slot. */
    boolean isLive(long held) {
        return (word & ~CONDEMNED) == held;
    }

    /**
     * IN_USE to RETURNING, for exactly one of all who try with the word of this acquire, at once or ever: close(), abort()
     * and the end of the pool all come through here.
     */
    boolean claim(long held) {
        for (; ; ) {
            long w = word;
            if ((w & ~CONDEMNED) != held) {
                return false;
            }
            if (WORD.compareAndSet(this, w, w - IN_USE + RETURNING)) {
                return true;
            }
        }
    }

    /** IN_USE straight to IDLE, the claim and the release in one; false if not owned by this acquire, or condemned. */
    boolean releaseUntouched(long held) {
        return WORD.compareAndSet(this, held, held - IN_USE);
    }
}
