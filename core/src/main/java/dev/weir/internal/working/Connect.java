package dev.weir.internal.working;

import dev.weir.RetireReason;
import dev.weir.internal.observing.Events;
import dev.weir.internal.observing.Listeners;
import dev.weir.internal.sessions.Failures;
import dev.weir.internal.sessions.Session;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.slots.Lender;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.sockets.WatchedSockets;
import dev.weir.internal.sources.ConnectFailure;
import dev.weir.internal.sources.ConnectionSource;
import dev.weir.internal.text.Log;
import dev.weir.spi.Credentials;
import dev.weir.spi.FailureClass;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Opens one connection. It has a place since before it began. If it succeeds, the place passes to its slot, and the slot to
 * whoever waits; else the Keeper, which sees how it ended, has what it brought closed, and frees the place.
 */
public final class Connect extends Job {
    /** The outcome of a connect. */
    public enum Outcome {
        OPENED,
        FAILED,
        /** The pool was closed, or its maximum lowered, meanwhile. */
        UNWANTED,
        /** The credentials are still those that the database refused, and were not tried. */
        NOT_LOGGED_IN
    }

    private static final long ONCE_IN_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** The ageing slot that it replaces; null if none. */
    public final @Nullable Slot replaced;

    private final ConnectionSource source;
    private final RefusedLogin refused;
    private final Lender lender;
    private final Listeners listeners;
    public final long id;
    private final Set<InetAddress> serverAddresses;

    // Written before it is over, and read after that.
    public volatile @Nullable Credentials as;
    private volatile @Nullable Connection physical;
    private @Nullable Session session;
    private @Nullable WatchedSockets sockets;
    private long sessionId;
    private volatile @Nullable Throwable cause;
    private volatile @Nullable ConnectFailure failure;
    private volatile @Nullable Slot slot;
    private volatile Outcome outcome = Outcome.FAILED;
    private volatile long tookNanos;

    /** Credentials that are not to be tried yet. */
    public record RefusedLogin(@Nullable Credentials as, long untilNanos) {
        public static final RefusedLogin NONE = new RefusedLogin(null, Long.MIN_VALUE);

        boolean isOf(Credentials answer, long now) {
            return now < untilNanos && answer.equals(as);
        }
    }

    public Connect(
            PoolState pool,
            ConnectionSource source,
            Lender lender,
            Listeners listeners,
            long id,
            @Nullable Slot replaced,
            RefusedLogin refused,
            Set<InetAddress> serverAddresses,
            long startedNanos) {
        super(pool, startedNanos);
        this.source = source;
        this.lender = lender;
        this.listeners = listeners;
        this.id = id;
        this.replaced = replaced;
        this.refused = refused;
        this.serverAddresses = serverAddresses;
    }

    @Override
    boolean begins() {
        boolean wanted = !isDecided();
        if (wanted && pool.connects.firstBegunNanos == Long.MAX_VALUE) {
            pool.connects.firstBegunNanos = pool.now();
        }
        return wanted;
    }

    @Override
    public void call() {
        try {
            session = open();
        } catch (Throwable e) { // an Error too must not cost the place
            noteFailure(e);
        }
    }

    @Override
    public void finish() {
        Session opened = session;
        Connection connection = physical;
        if (decide() && opened != null && connection != null) {
            publish(connection, opened);
        }
    }

    private void noteFailure(Throwable e) {
        cause = e;
        FailureClass kind = e instanceof SQLException sql
                ? Failures.classify(sql, pool.settings, null, given())
                : FailureClass.OTHER;
        failure = failureOf(e, kind);
    }

    /** The text of this failure, without secrets. */
    public ConnectFailure failureOf(Throwable e, FailureClass kind) {
        String given = given();
        return new ConnectFailure(
                pool.settings.redacted(e, given), pool.settings.textOf(e, given), kind, pool.now(), Instant.now());
    }

    /** Null if it brought none. */
    private @Nullable Session open() throws SQLException {
        Credentials answer = source.credentials();
        as = answer;
        pool.connects.lastGiven = answer == null ? pool.connects.lastGiven : answer;
        if (answer != null && refused.isOf(answer, pool.now())) {
            outcome = Outcome.NOT_LOGGED_IN;
            return null;
        }
        ConnectionSource.Opened opened = source.open(answer);
        physical = opened.connection();
        if (opened.connection() == null) {
            throw new SQLException("the source gave no connection");
        }
        Session session = Session.prepare(opened.connection(), pool.settings, given());
        sockets = opened.sockets();
        sessionId = idOf(session);
        return session;
    }

    /** For messages alone: no connect fails for it. */
    private static long idOf(Session session) {
        try {
            return session.state.sessionId();
        } catch (RuntimeException | Error e) {
            return 0;
        }
    }

    private void publish(Connection opened, Session session) {
        if (pool.isClosed()) {
            outcome = Outcome.UNWANTED;
            return;
        }
        Slot made;
        try {
            long now = pool.now();
            made = new Slot(lender, opened, session, id, now, sockets);
            made.serverAddresses = serverAddresses;
            made.sessionId = sessionId;
            made.lifetime.plan(pool.settings.maxLifetimeNanos(), pool.random.nextDouble());
            if (session.isWriter()) {
                pool.connects.hadWriter = true;
            }
            tookNanos = PoolClock.elapsed(now, startedNanos);
            if (!pool.slots.connected(made, pool.settings.maximumPoolSize())) {
                outcome = Outcome.UNWANTED;
                return;
            }
            outcome = Outcome.OPENED;
            slot = made; // from here on it has ended for the Keeper
            boolean lends = pool.decideStart(PoolState.Phase.STARTED) || pool.phase.get() == PoolState.Phase.STARTED;
            if (!lends) {
                pool.condemn(made, RetireReason.CLOSED);
            }
            pool.passOn(made, true);
        } catch (Throwable e) { // no memory, say: neither the place nor the connection may be lost
            Slot stranded = slot;
            if (stranded != null) { // first: the rest may find no memory
                stranded.stranded = Slot.RETURNING; // unless it was passed on before
            }
            noteFailure(e);
            return;
        }
        pool.nudge(); // before the listeners, which may take their time
        tellIfSlow(made);
        Events.connectionOpened(pool.name(), id, sessionId, tookNanos);
        listeners.connectionOpened(pool.name(), tookNanos);
    }

    /** In the log, once a minute at most, if a thread that waited for as long would be in it. */
    private void tellIfSlow(Slot made) {
        long threshold = pool.settings.waitWarningThresholdNanos();
        long now = pool.now();
        if (threshold > 0 && tookNanos >= threshold && now - pool.connects.slowSaidNanos >= ONCE_IN_NANOS) {
            pool.connects.slowSaidNanos = now;
            Log.log(
                    Level.INFO,
                    "pool '" + pool.name() + "': " + made + " took " + TimeUnit.NANOSECONDS.toMillis(tookNanos)
                            + " ms to open");
        }
    }

    /** The password that a CredentialsProvider gave for it, or gave last, which its failure may quote. */
    @Nullable
    public String given() {
        Credentials known = as == null ? pool.connects.lastGiven : as;
        return known == null ? null : known.password();
    }

    public Outcome outcome() {
        return outcome;
    }

    /** The slot that has its connection; null if none has. */
    @Nullable
    public Slot slot() {
        return slot;
    }

    /** The connection, if it brought one that is in no slot. */
    @Nullable
    public Connection leftOver() {
        return slot == null ? physical : null;
    }

    /** The failure as the driver threw it; and the failure as it is told. */
    @Nullable
    public Throwable cause() {
        return cause;
    }

    @Nullable
    public ConnectFailure failure() {
        return failure;
    }

    /** Its outcome is known; its thread may still tell listeners of it. */
    public boolean isEnded() {
        return slot != null || isOver();
    }

    public long tookNanos() {
        return tookNanos;
    }
}
