package dev.weir.internal.binding;

import dev.weir.internal.binding.Wanted.Property;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.sessions.SessionState;
import dev.weir.internal.sessions.TransactionState;
import dev.weir.internal.slots.Slot;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A user's connection that has one of the database from the first call that needs one; until it is closed, or until nothing holds it
 * any more. Between two of them it keeps what its user set: the properties of JDBC, and the settings that SQL text set.
 *
 * <p>Its state is null while it has none, a {@link Bound} from the moment that a thread sets about to get one, and {@link
 * #CLOSED} for good. The thread that puts the Bound there acquires the connection, with no lock; other threads that come
 * meanwhile wait for its latch, within {@code connectionTimeout}. A close() or abort() waits for nobody: the thread that
 * binds finds that its Bound is no longer the state, and gives the loan back.
 *
 * <p>The loan is an ordinary one. All that was made of it dies with it, by the word of its slot, so that nothing of this user
 * reaches the next.
 */
abstract class AbstractBinding implements Connection {
    private static final Object CLOSED = new Object();

    /** So many connections that turn out to be dead are replaced while one is bound. */
    private static final int MOST_DEAD = 3;

    private static final AtomicLong USERS = new AtomicLong();

    final Binder binder;

    /** The user of this, for the state that texts leave on a session. */
    private final long number = USERS.incrementAndGet();

    private final AtomicReference<@Nullable Object> state = new AtomicReference<>();
    final Wanted wanted = new Wanted();

    // Written by the thread that is alone with a Bound, and published with it.
    /** The values of the settings that texts of this user set. */
    Map<String, String> kept = Map.of();

    /** The values that the application asked for at this binding, besides. */
    private Map<String, String> hooked = Map.of();

    volatile @Nullable SQLWarning warnings;

    /** A loan that is not prepared yet: in the mode in which it begins with this. */
    private volatile @Nullable ConnectionHandle ahead;

    /** The loan, from its beginning to its end; to end it twice does nothing. */
    private volatile @Nullable ConnectionHandle last;

    AbstractBinding(Binder binder) {
        this.binder = binder;
    }

    /** Before anybody has this: takes the connection, and sends nothing. */
    final void acquireAhead() throws SQLException {
        ConnectionHandle lent = binder.acquire();
        last = lent;
        ahead = lent;
    }

    /** The binding for one call, which {@link #leave} ends; made if there is none. */
    final Bound enter() throws SQLException {
        for (; ; ) {
            Bound bound = enterIfBound();
            if (bound != null) {
                return bound;
            }
            Bound mine = new Bound(this);
            if (state.compareAndSet(null, mine)) {
                try {
                    return bind(mine);
                } catch (Throwable e) {
                    mine.isLost = true; // if the stack ended at the very call
                    throw e;
                }
            }
        }
    }

    /** As {@link #enter}, or null if there is none. */
    final @Nullable Bound enterIfBound() throws SQLException {
        long deadline = 0; // hardly ever is there anything to wait for
        for (; ; ) {
            Object now = state.get();
            if (!(now instanceof Bound bound)) {
                checkOpen();
                return null;
            }
            CountDownLatch turn = bound.enter();
            if (turn == null) {
                return bound;
            }
            if (bound.isLost) {
                letGo(bound);
            } else {
                deadline = deadline != 0 ? deadline : System.nanoTime() + binder.timeoutNanos();
                await(turn, deadline);
            }
        }
    }

    /** For another thread that binds this connection, or gives it back. */
    private void await(CountDownLatch turn, long deadline) throws SQLException {
        long left = deadline - System.nanoTime();
        try {
            if (!turn.await(left, TimeUnit.NANOSECONDS)) {
                throw new SQLTransientConnectionException(
                        "pool '" + binder.poolName()
                                + "': another thread still binds this connection, or gives it back, after connectionTimeout",
                        "08001");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException(
                    "pool '" + binder.poolName() + "': interrupted while another thread bound this connection",
                    "08001",
                    e);
        }
    }

    private Bound bind(Bound mine) throws SQLException {
        try {
            warnings = null;
            ConnectionHandle lent = prepared(settings());
            lent.ownedBy(mine);
            mine.opened(lent);
        } catch (Throwable e) {
            letGo(mine);
            throw e;
        }
        if (state.get() != mine) { // closed meanwhile
            mine.handle().close();
            throw closedException();
        }
        return mine;
    }

    /** An Error met the thread that was alone with it: the loan is left to the Keeper, and no thread waits for that one any more. */
    private void letGo(Bound bound) {
        strand();
        boolean ignored = state.compareAndSet(bound, null);
        bound.isOver();
    }

    private void strand() {
        ConnectionHandle lent = last;
        if (lent != null
                && lent != ahead
                && (lent.slot.word ^ lent.loanWord) >>> Slot.STAMP_SHIFT == 0) { // it is of this loan still
            lent.slot.stranded = lent.loanWord;
        }
    }

    private Map<String, String> settings() {
        hooked = binder.sessionState();
        if (hooked.isEmpty()) {
            return kept;
        }
        Map<String, String> all = new LinkedHashMap<>(hooked);
        all.putAll(kept);
        return all;
    }

    /** A connection as this user left his last one; of those that turn out to be dead nothing was seen by him. */
    private ConnectionHandle prepared(Map<String, String> settings) throws SQLException {
        for (int dead = 0; ; dead++) {
            ConnectionHandle first = ahead;
            ahead = null; // nobody else takes it: this thread binds alone
            ConnectionHandle lent = first == null ? binder.acquire() : first;
            last = lent;
            try {
                if (binder.looksAtTexts()) {
                    lent.slot.session.state.have(lent, settings, number);
                }
                wanted.applyTo(lent);
                return lent;
            } catch (SQLException e) { // what was changed is known to be unknown, and set back
                boolean gone = lent.slot.isDead() || !isSound(lent);
                lent.close();
                last = null;
                if (!gone || dead >= MOST_DEAD) {
                    throw e;
                }
            }
        }
    }

    /** Whether only what the user wants failed: a session that cannot be as it was opened would fail for everybody. */
    private boolean isSound(ConnectionHandle lent) {
        return !binder.looksAtTexts() || sweep(lent);
    }

    /** The call is done. */
    final void leave(Bound bound) {
        bound.leave();
        mayGiveBack(bound);
    }

    /** Gives the loan back if nothing holds it. */
    final void mayGiveBack(Bound bound) {
        while (binder.givesBack && !bound.isHeld() && bound.isAlone()) {
            try {
                boolean held = bound.isHeldForCertain(); // again: now nothing can be added
                if (state.get() != bound) { // closed: that thread ends the loan
                    bound.isOver();
                    return;
                }
                if (!held && isKept(bound)) {
                    giveBack(bound);
                    return;
                }
                bound.goesOn(0);
                if (!held) {
                    return;
                }
            } catch (Throwable e) {
                bound.isLost = true; // first: the call may find no stack
                letGo(bound);
                throw e;
            }
        }
    }

    /** Reads what this user's texts set, to have it again; false if something holds the session that only the server knows. */
    private boolean isKept(Bound bound) {
        try {
            if (!bound.handle().isLive() || bound.handle().slot.isDead()) {
                return true;
            }
            boolean locked = bound.isLocked();
            if (!locked && !bound.names.isEmpty()) {
                keep(bound);
            }
            if (!bound.handle().getAutoCommit() && bound.state().transaction().isOpen()) {
                bound.handle().rollback(); // of the questions
            }
            return !locked;
        } catch (SQLException | RuntimeException e) {
            bound.pin("settings that could not be read", null);
            return false;
        }
    }

    private void keep(Bound bound) throws SQLException {
        Map<String, String> now = new LinkedHashMap<>(kept);
        Map<String, String> read = bound.state().read(bound.handle(), bound.names);
        for (String name : bound.names) {
            String value = read.get(name);
            boolean hooks = !kept.containsKey(name) && Objects.equals(value, hooked.get(name));
            if (value == null || hooks) {
                now.remove(name);
            } else {
                now.put(name, value);
            }
        }
        bound.state().learnt(read, bound.names);
        kept = now;
        wanted.forget(bound.names);
    }

    private void giveBack(Bound bound) {
        ConnectionHandle handle = bound.handle();
        try {
            warnings = handle.isLive() ? handle.getWarnings() : null;
        } catch (SQLException e) {
            warnings = null; // of a connection that has failed
        }
        if (binder.leavesNothing()) {
            sweep(handle, bound);
        }
        bound.givenBack = true;
        handle.close();
        last = null; // its session is not kept in memory
        boolean ignored = state.compareAndSet(bound, null);
        bound.isOver();
    }

    /** Whether it has a connection of the database, or sets about to get one. */
    final boolean isBound() {
        return state.get() instanceof Bound;
    }

    final void checkOpen() throws SQLException {
        if (state.get() == CLOSED) {
            throw closedException();
        }
    }

    private SQLException closedException() {
        return new SQLException("connection of pool '" + binder.poolName() + "' is closed", "08003");
    }

    @Override
    public final void close() {
        try {
            Object before = state.getAndSet(CLOSED);
            ConnectionHandle lent = before instanceof Bound bound ? bound.lent() : last;
            if (lent != null) { // else the thread that binds it finds this closed
                if (before instanceof Bound bound && (bound.mustBeSwept() || binder.leavesNothing())) {
                    sweep(lent, bound);
                    if (lent.hasOpen()) {
                        lent.cannotRestore(); // a text of another thread may have run since
                    }
                }
                lent.close();
            }
        } catch (Throwable e) {
            strand();
            throw e;
        }
    }

    final boolean isEnded() {
        return state.get() == CLOSED;
    }

    /** At once, since locks, notifications and temporary tables cost others while the connection is idle. */
    private static void sweep(ConnectionHandle lent, Bound bound) {
        bound.sweeps();
        boolean ignored = sweep(lent);
    }

    /** False if that failed: then the connection ends with the loan. */
    private static boolean sweep(ConnectionHandle lent) {
        try {
            if (lent.isLive() && !lent.slot.isDead()) {
                SessionState session = lent.slot.session.state;
                if (session.transaction() != TransactionState.IDLE) {
                    try (Statement statement = lent.createStatement()) {
                        statement.execute("ROLLBACK"); // also of one that BEGIN as text began
                    }
                }
                session.sweep(lent);
            }
            return true;
        } catch (SQLException | RuntimeException e) {
            lent.cannotRestore();
            return false;
        }
    }

    @Override
    public final void abort(@Nullable Executor executor) throws SQLException {
        if (executor == null) {
            throw new SQLException("abort: no executor given", "22023");
        }
        Object before = state.getAndSet(CLOSED);
        ConnectionHandle bound = before instanceof Bound now ? now.lent() : null;
        ConnectionHandle lent = bound == null ? last : bound;
        if (lent != null) {
            lent.abort(executor);
        }
    }

    /** Of a mode that gives back only at the end also true once the connection is dead, as in the mode {@code session}. */
    @Override
    public final boolean isClosed() {
        Object now = state.get();
        ConnectionHandle lent = !binder.givesBack && now instanceof Bound bound ? bound.lent() : null;
        return now == CLOSED || (lent != null && lent.isClosed());
    }

    /** Without a connection there is nothing to commit; unless JDBC forbids the call. */
    @Override
    public final void commit() throws SQLException {
        end(Connection::commit);
    }

    @Override
    public final void rollback() throws SQLException {
        end(Connection::rollback);
    }

    /** A call of the connection. */
    interface Call {
        void on(Connection connection) throws SQLException;
    }

    /** An answer of the connection. */
    interface Question<T> {
        T to(Connection connection) throws SQLException;
    }

    /** Asks the connection, which is bound for it if need be. */
    final <T> T ask(Question<T> question) throws SQLException {
        Bound bound = enter();
        try {
            return question.to(bound.handle());
        } finally {
            leave(bound);
        }
    }

    private void end(Call call) throws SQLException {
        checkOpen();
        if (!isBound() && !isAutoCommit()) {
            return;
        }
        Bound bound = enter();
        try {
            call.on(bound.handle());
        } finally {
            bound.transactionEnded();
            leave(bound);
        }
    }

    final boolean isAutoCommit() {
        Property autoCommit = Property.AUTO_COMMIT;
        return Boolean.TRUE.equals(
                wanted.has(autoCommit) ? wanted.get(autoCommit) : binder.constants.get(autoCommit.name()));
    }

    /** Calls the connection that this has now; does nothing if it has none. */
    final void onBound(Call call) throws SQLException {
        Bound bound = enterIfBound();
        if (bound != null) {
            try {
                call.on(bound.handle());
            } finally {
                leave(bound);
            }
        }
    }

    /** The text of the connection that it has now, or that it has none. */
    @Override
    public final String toString() {
        Object now = state.get();
        ConnectionHandle lent = now instanceof Bound bound ? bound.lent() : null;
        return "connection of pool '" + binder.poolName() + "', "
                + (lent != null ? "has " + lent : now == CLOSED ? "closed" : "has none of the database");
    }
}
