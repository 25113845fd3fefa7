package dev.weir.internal.binding;

import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.handles.LoanOwner;
import dev.weir.internal.sessions.Effect;
import dev.weir.internal.sessions.SessionState;
import dev.weir.internal.sessions.TransactionState;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One time for which a user's connection has one of the database: the loan, and what holds it.
 *
 * <p>The phase is the number of calls that are on their way through the connection; or a latch, while one thread is alone
 * with it, to bind it or to give it back, so that no call meets a loan that is being given back. A call that comes
 * meanwhile waits for the latch, not for a lock. Calls on statements are not counted: an open statement holds the loan.
 */
final class Bound extends LoanOwner {
    private static final Integer NO_CALL = 0;
    private static final Effect WRITES = new Effect(Effect.Kind.LEAVES, Set.of(), "");

    private final AbstractBinding binding;

    /** An Integer or a CountDownLatch. */
    private final AtomicReference<Object> phase = new AtomicReference<>(new CountDownLatch(1));

    /** The thread that is alone with it to give it back: its texts are the pool's. */
    private volatile @Nullable Thread alone;

    /** Null until it is bound. */
    private volatile @Nullable ConnectionHandle lent;

    /** The number of values that were read or made since values were last {@link #ended}, and are not freed. */
    private final AtomicInteger values = new AtomicInteger();

    /** The number of times that all values ended. */
    private final AtomicInteger ended = new AtomicInteger();

    // Written by the calls of the user; read by the thread that is alone.
    /** The settings that texts may have changed. */
    final Set<String> names = new ConcurrentSkipListSet<>();

    /** The thread that was alone with it met an Error: nobody is to wait for it. */
    volatile boolean isLost;

    /** Nothing held it any more. */
    volatile boolean givenBack;

    private volatile boolean locks;

    /** A text ran since the user last ended a transaction; asked where auto-commit is off, and the driver tells of no transaction. */
    private volatile boolean worked;

    /** The server was asked since the last text: there is a transaction where the driver supposes one. */
    private volatile boolean asked;

    /** A text ran. */
    private volatile boolean ran;

    /** A text made what {@code LAST_INSERT_ID()} and its like tell. */
    private volatile boolean traced;

    private volatile @Nullable String pinned;

    /** The user ended the transaction, or tried to, on a connection that is dead. */
    private volatile boolean endedDead;

    Bound(AbstractBinding binding) {
        this.binding = binding;
    }

    /** Has the class initialized where there is stack enough: one that failed to be is lost for good. */
    static void load() {}

    // The calls on their way.

    /** By the thread that bound it, for the call it was bound for. */
    void opened(ConnectionHandle handle) {
        lent = handle;
        goesOn(1);
    }

    private Object phase() {
        return Objects.requireNonNull(phase.get());
    }

    /** Counts a call; null, or the latch to wait for while one thread is alone with it. */
    @Nullable
    CountDownLatch enter() {
        for (; ; ) {
            Object now = phase();
            if (now instanceof CountDownLatch turn) {
                return turn;
            }
            if (phase.compareAndSet(now, (Integer) now + 1)) {
                return null;
            }
        }
    }

    void leave() {
        for (; ; ) {
            Object now = phase();
            if (phase.compareAndSet(now, (Integer) now - 1)) {
                return;
            }
        }
    }

    /** To give it back: true for one thread, while no call is on its way. */
    boolean isAlone() {
        Thread mine = Thread.currentThread();
        boolean won = phase.get() == NO_CALL && phase.compareAndSet(NO_CALL, new CountDownLatch(1));
        if (won) { // no call from here to where an Error is caught
            alone = mine;
        }
        return won;
    }

    /** The texts of this thread are the pool's, for the rest of the loan. */
    void sweeps() {
        alone = Thread.currentThread();
    }

    /** The thread that was alone with it lets others in. */
    void goesOn(int calls) {
        CountDownLatch turn = (CountDownLatch) phase();
        alone = null;
        phase.set(calls);
        turn.countDown();
    }

    /** It is no more: those who wait look at the state of the connection again. */
    void isOver() {
        ((CountDownLatch) phase()).countDown();
    }

    /** The handle of the loan; null until it is bound. */
    @Nullable
    ConnectionHandle lent() {
        return lent;
    }

    /** The handle of the loan, for a call that is on its way. */
    ConnectionHandle handle() {
        return Objects.requireNonNull(lent);
    }

    // The things that hold it.

    SessionState state() {
        return handle().slot.session.state;
    }

    @Override
    protected Connection connection() {
        return (Connection) binding;
    }

    @Override
    protected void runs(String sql) throws SQLException {
        if (alone == Thread.currentThread() || !binding.binder.looksAtTexts()) {
            return;
        }
        Effect effect = state().effectOf(sql);
        boolean ofAnother =
                (effect.trace() == Effect.Trace.READ && !traced) || (effect.trace() == Effect.Trace.LAST && !ran);
        if (ofAnother && binding.binder.givesBack) {
            throw new SQLException(
                    "what the statement before left (LAST_INSERT_ID(), ROW_COUNT(), SHOW WARNINGS) may be of another session"
                            + " (poolMode transaction): use getGeneratedKeys(), getWarnings(), or one transaction for both",
                    "HY010");
        }
        ran = true;
        worked = true;
        asked = false;
        traced |= effect.trace() == Effect.Trace.MADE;
        note(effect, sql);
    }

    @Override
    protected void writesRow() {
        if (binding.binder.looksAtTexts()) {
            state().mayLeave(WRITES);
        }
    }

    private void note(Effect effect, String sql) {
        if (effect.kind() == Effect.Kind.CLEAR) {
            return;
        }
        state().mayLeave(effect);
        names.addAll(effect.names());
        if (effect.kind() == Effect.Kind.LOCKS) {
            locks = true;
        } else if (effect.kind() == Effect.Kind.PINS) {
            pin(effect.reason(), sql);
        }
    }

    /** Whether a transaction is open, so that this setting, which is about to be changed, is to be read after it. */
    boolean noteInTransaction(String setting) {
        boolean open = binding.binder.givesBack
                && state().rollsBack()
                && state().transaction().isOpen();
        if (open) {
            state().mayLeave(new Effect(Effect.Kind.SETS, Set.of(setting), ""));
            names.add(setting);
        }
        return open;
    }

    /** Holds it until its user closes the connection. */
    void pin(String reason, @Nullable String sql) {
        if (pinned == null) {
            pinned = reason;
            if (binding.binder.givesBack) {
                binding.binder.pins.add(reason, sql);
            }
        }
    }

    @Override
    protected boolean isOpen() {
        return !binding.isEnded();
    }

    @Override
    protected boolean isGivenBack() {
        return givenBack && isOpen();
    }

    @Override
    protected int valueMade() {
        values.incrementAndGet();
        return ended.get();
    }

    @Override
    protected void valueFreed(int made) {
        if (made == ended.get()) {
            values.decrementAndGet();
            binding.mayGiveBack(this);
        }
    }

    /** Values live as long as their transaction, says JDBC: with auto-commit as long as the statement that used them. */
    private void endValues() {
        ended.incrementAndGet();
        values.set(0);
    }

    @Override
    protected void closed() {
        if (values.get() > 0 && binding.isAutoCommit() && !handle().hasOpen()) {
            endValues();
        }
        binding.mayGiveBack(this);
    }

    /** The user ended the transaction; on a dead connection that is the end of it, whatever the driver said. */
    void transactionEnded() {
        endValues();
        worked = false;
        asked = false;
        if (isDead()) {
            endedDead = true;
            names.clear();
            locks = false;
        }
    }

    private boolean isDead() {
        return handle().slot.isDead() || !handle().isLive();
    }

    /**
     * Whether anything of the user's holds it; a transaction that the driver only supposes does not. Costs no round trip. A
     * connection that is dead is held while its user would not hear that something is lost: an open transaction, settings that
     * were not read yet, locks.
     */
    boolean isHeld() {
        if (pinned != null || values.get() > 0 || handle().hasOpen()) {
            return true;
        }
        if (handle().isTouched()) {
            pin("unwrap", null);
            return true;
        }
        if (isDead()) {
            return !names.isEmpty() || locks || !(endedDead || binding.isAutoCommit());
        }
        TransactionState now = state().transaction();
        return now == TransactionState.UNKNOWN ? worked : now.isOpen() && (asked || !state().isSupposed(!worked));
    }

    /** As {@link #isHeld}, by the thread that is alone: asks the server where the driver only supposes a transaction. */
    boolean isHeldForCertain() {
        if (isHeld()) {
            return true;
        }
        if (handle().isLive() && !handle().slot.isDead() && state().isSupposed(!worked)) {
            try {
                state().ask(handle());
            } catch (SQLException | RuntimeException e) {
                // as seen below, if the connection is dead
            }
            asked = true;
        }
        return isHeld();
    }

    /** Whether the session holds a lock of its own; by the thread that is alone. */
    boolean isLocked() throws SQLException {
        if (locks) {
            locks = state().isLocked(handle());
        }
        return locks;
    }

    /** Whether its session holds, or may hold, what is in the way of others though nobody uses it. */
    boolean mustBeSwept() {
        return binding.binder.looksAtTexts() && (locks || pinned != null || handle().isTouched());
    }
}
