package dev.weir.internal.slots;

import dev.weir.internal.sockets.WatchedSockets;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The known life of a connection: when it last proved alive, and the doubts about it since. The superclass of
 * {@link Slot}, and so one object with it, as each acquire and each return reads both.
 *
 * <p>The owner of the slot writes, and the word of the slot publishes. Where any thread may write, the method says so; then the
 * note is racy, a late value costs one test, one question or one user more who meets a dead connection, and a field of its own
 * keeps it from erasing another.
 */
public abstract class Health extends Padded {
    /** The last use of one that proved nothing: it is tested before it is lent. So far from both ends that no difference overflows. */
    public static final long NEVER_PROVED = Long.MIN_VALUE / 2;

    private static final AtomicLongFieldUpdater<Health> ALIVE =
            AtomicLongFieldUpdater.newUpdater(Health.class, "aliveNanos"); // see WORD in Slot

    /** The sockets that can be looked at while it is idle; null if nothing can. */
    public final @Nullable WatchedSockets sockets;

    /**
     * When the connection last proved alive: opened, tested, or came back used and answering. Written by the owner, through ALIVE
     * without the fence of a volatile write; scanned by anyone.
     */
    volatile long aliveNanos;

    /**
     * The throwable that cut a call into the driver off, see {@code LoanHandle.noteDriverError}; never taken back. Here and not in the
     * handle, which is allocated for each acquire and has no room left in its 40 bytes.
     */
    public @Nullable Throwable driverError;

    private @Nullable LoanRecord record;
    private boolean useful;
    private boolean distrusted;
    private boolean acquitted;
    private boolean dead;
    private boolean roleSuspected;

    Health(long openedNanos, @Nullable WatchedSockets sockets) {
        this.aliveNanos = openedNanos;
        this.sockets = sockets;
    }

    /** What a flight recording is told of the loan at its end; null if none asks. */
    public @Nullable LoanRecord record() {
        return record;
    }

    public void setRecord(@Nullable LoanRecord loan) {
        record = loan;
    }

    public long aliveAt() {
        return aliveNanos;
    }

    public void setAliveAt(long nanos) {
        if (aliveNanos != nanos) { // many loans end in one tick of the coarse clock
            ALIVE.lazySet(this, nanos);
        }
    }

    /** Whether the server has said something unasked, so that the connection is to be tested before it is lent. */
    public boolean isSpokenTo() {
        WatchedSockets watched = sockets;
        return watched != null && !watched.isSilent();
    }

    /** It is returned cleaned; returns whether that proves it alive. {@code used}: it spoke with the server in its loan. */
    public boolean noteReturn(boolean used, long nanos) {
        if (distrusted) {
            distrusted = false;
            setAliveAt(NEVER_PROVED);
            return false;
        }
        if (used) {
            setAliveAt(nanos);
            acquitted = false;
        }
        return used;
    }

    /** A user had a use for it; returns whether for the first time. */
    public boolean noteUseful() {
        boolean first = !useful;
        if (first) {
            useful = true;
        }
        return first;
    }

    /** Whether ever a user had a use for it. */
    public boolean wasUseful() {
        return useful;
    }

    /**
     * A return proves nothing, until something was executed since: another connection died while this one was in use, or a
     * call on this one threw. By any thread.
     */
    public void distrust() {
        distrusted = true;
    }

    public boolean isDistrusted() {
        return distrusted;
    }

    /** Something is executed now, which answers or throws. By the thread that uses it. */
    public void trustAgain() {
        if (distrusted) {
            distrusted = false;
        }
    }

    /** It passed its test; {@code suspected}: after another died. */
    public void passedTest(boolean suspected, long nanos) {
        acquitted |= suspected;
        distrusted = false;
        setAliveAt(nanos);
    }

    /** Whether it was under suspicion, passed its test, and no user has proved it since. By any thread. */
    public boolean isAcquitted() {
        return acquitted;
    }

    /** A failure in use said that it is gone. By any thread. */
    public void foundDead() {
        dead = true;
    }

    public boolean isDead() {
        return dead;
    }

    /** Another connection met a server that only reads now: the next test asks whether this one's does. By any thread. */
    public void suspectRole() {
        roleSuspected = true;
    }

    /** Whether its test is to ask for the role of the server, once. */
    public boolean takeRoleSuspicion() {
        boolean was = roleSuspected;
        if (was) {
            roleSuspected = false; // not blindly: that could erase a suspicion that comes meanwhile
        }
        return was;
    }
}
