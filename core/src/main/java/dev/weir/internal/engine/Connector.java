package dev.weir.internal.engine;

import dev.weir.internal.drivers.ConnectFailure;
import dev.weir.internal.drivers.ConnectionSource;
import dev.weir.internal.drivers.Session;
import dev.weir.internal.drivers.WatchedSockets;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.text.Log;
import dev.weir.internal.waiting.PoolClock;
import dev.weir.internal.waiting.Slot;
import dev.weir.internal.waiting.Slots;
import dev.weir.spi.Credentials;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The way of one connect: its thread, the driver, the slot; and its end by whoever gave it up. A connect that is under
 * way has a thread of its own; one that brought a connection lends its thread to the next, so that a pool is not filled
 * by a thread for each connection. At its end, by an exception, an Error or a hang, it gives its place back to the
 * account once.
 */
final class Connector {

    /** Keeps the places that connects take. */
    interface Account {
        /** Takes a connect that has its place and that nobody has started; null if there is none. */
        @Nullable
        Attempt takeReserved();

        /** The connect was not started after all; somebody else is to start it. */
        void startLater(Attempt attempt);

        /** The connect is given up: it holds no place any more, but a thread and perhaps a backend. */
        void giveUp(Attempt attempt);

        /** Whether to log in with these; false if the database refused them, and it is too early to ask it again. */
        boolean mayLogIn(Credentials as, long now);

        /** The connect ended without a login; it holds no place any more unless it was given up. */
        void notLoggedIn(Attempt attempt, long now);

        /** The connect failed, and holds no place any more unless it was given up. */
        void connectFailed(Attempt attempt, Throwable cause, long now);

        /** Passes the place from the connect to the slot; false if the pool has no place for it any more. */
        boolean connectSucceeded(Attempt attempt, Slot slot);

        /** The connect holds nothing any more. */
        void release(Attempt attempt);
    }

    /** Is told what came of connects, and makes slots of the connections that they brought. */
    interface Outcome {
        /** Whether a thread waits for a connection, in the queue or for the start of the pool. */
        boolean isWaitedFor();

        /** Makes a slot of a new connection; it is not among the others yet. */
        Slot newSlot(Connection physical, @Nullable WatchedSockets sockets, Session session, long id, long openedNanos);

        /** A new connection, owned by its opener, is among the others; it may take the place of one of them. */
        void connectionOpened(Slot slot, @Nullable Slot replaced, long tookNanos);

        /** A connect brought a connection that nobody wants any more. */
        void openedInVain();

        void openFailed(ConnectFailure failure, long tookNanos);

        /** A connect ended without a login: the credentials are still those that the database refused. */
        void stillRefused(ConnectFailure refusal);

        /** A connect ended that held no place any more, or whose pool is closed. */
        void abandonedEnded();
    }

    private final Settings settings;
    private final ConnectionSource source;
    private final PoolClock clock;
    private final Slots slots;
    private final HelperThreads helpers;
    private final Closer closer;
    private final Account account;
    private final Outcome outcome;
    private final AtomicLong ids = new AtomicLong();

    /** The last answer of the CredentialsProvider: where it fails itself, that may be what its failure quotes. */
    private volatile @Nullable Credentials lastGiven;

    /** When the first connect of all was handed to the driver. */
    private volatile long firstConnectNanos = Long.MAX_VALUE;

    Connector(
            Settings settings,
            ConnectionSource source,
            PoolClock clock,
            Slots slots,
            HelperThreads helpers,
            Closer closer,
            Account account,
            Outcome outcome) {
        this.settings = settings;
        this.source = source;
        this.clock = clock;
        this.slots = slots;
        this.helpers = helpers;
        this.closer = closer;
        this.account = account;
        this.outcome = outcome;
    }

    /** A connect that is not started yet; {@code replaced}: the slot whose age is why, or null. */
    Attempt attempt(@Nullable Slot replaced, long now) {
        return new Attempt(replaced, now);
    }

    /** When the first connect of all was handed to the driver; Long.MAX_VALUE if none was yet. */
    long firstConnectNanos() {
        return firstConnectNanos;
    }

    /** One connect. The flag says that its outcome is decided: by its own end, or by whoever abandoned it first. */
    final class Attempt implements Runnable {
        final long startedNanos;
        private final AtomicBoolean decided = new AtomicBoolean();

        /** The slot whose age is why; null if it is not for age. */
        final @Nullable Slot replaced;

        /**
         * Made by {@link #start}, since a factory of the user's may be asked for it, or lent by the connect before: null
         * until then.
         */
        private volatile @Nullable Thread thread;

        /** The answer of the CredentialsProvider for it; null before, and where there is none. */
        volatile @Nullable Credentials as;

        /** The Error that cut off its start or its end; null if none did. */
        volatile @Nullable Throwable stranded;

        // Guarded by the monitor of the account.
        @Nullable
        Attempt next;

        boolean listed;

        /** Somebody starts it, or did, or nobody may any more. */
        boolean taken;

        /** Abandoned: it holds no place, but a thread and perhaps a backend. */
        boolean givenUp;

        Attempt(@Nullable Slot replaced, long startedNanos) {
            this.replaced = replaced;
            this.startedNanos = startedNanos;
        }

        /** False if it is still to be started, by a thread that has more stack. */
        boolean start() {
            Thread own = null;
            try {
                own = helpers.newThread("open", this);
                thread = own;
                own.start();
            } catch (StackOverflowError e) {
                if (own == null || own.getState() == Thread.State.NEW) {
                    startLater();
                    return false;
                }
            } catch (Throwable noThread) {
                endLost(noThread, clock.now());
            }
            return true;
        }

        /** The caller's stack is used up, which says nothing of the connect: the Keeper starts it. */
        private void startLater() {
            thread = null;
            account.startLater(this);
        }

        /** Nothing came of it, and it holds no place any more. */
        private void releasePlace() {
            account.release(this);
            outcome.abandonedEnded();
        }

        /** The password to be kept out of what is said of this connect. */
        @Nullable
        String given() {
            Credentials known = as;
            known = known == null ? lastGiven : known;
            return known == null ? null : known.password();
        }

        private boolean decide() {
            return decided.compareAndSet(false, true);
        }

        @Override
        public void run() {
            Attempt own = this;
            while (own != null && own.runAlone()) {
                boolean ignored = Thread.interrupted(); // left behind by a driver
                own = account.takeReserved();
                if (own != null) {
                    own.thread = Thread.currentThread();
                }
            }
        }

        /** Whether it ended by itself, with a connection: nobody will interrupt its thread any more. */
        private boolean runAlone() {
            try {
                return connect();
            } catch (Throwable e) { // what was decided may not be carried out yet
                stranded = e;
                Log.log(
                        Level.WARNING,
                        "pool '" + settings.poolName() + "': the end of a connect failed",
                        settings.redacted(e, given()));
                return false;
            }
        }

        private boolean connect() {
            Connection physical = null;
            WatchedSockets sockets = null;
            Session session = null;
            Throwable failure = null;
            boolean loggedIn = true;
            try {
                if (!decided.get()) {
                    if (firstConnectNanos == Long.MAX_VALUE) {
                        firstConnectNanos = clock.now();
                    }
                    loggedIn = ask();
                    if (loggedIn) {
                        ConnectionSource.Opened opened = source.open(as);
                        physical = opened.connection();
                        sockets = opened.sockets();
                        session = Session.prepare(physical, settings, as == null ? null : given());
                    }
                }
            } catch (Throwable e) { // an Error too must not cost the place
                failure = e;
            }
            if (!decide()) {
                Runnable close = closer.take(physical, given());
                releasePlace();
                close.run();
            } else if (!loggedIn) {
                account.notLoggedIn(this, clock.now());
            } else if (physical == null || session == null) {
                Runnable close = closer.take(physical, given());
                account.connectFailed(
                        this,
                        failure == null ? new SQLException("the source gave no connection") : failure,
                        clock.now());
                close.run();
            } else {
                return publish(physical, sockets, session);
            }
            return false;
        }

        /** Asks for the credentials; false if they are not to be tried yet. */
        private boolean ask() throws SQLException {
            Credentials answer = source.credentials();
            as = answer;
            if (answer != null) {
                lastGiven = answer;
            }
            return answer == null || account.mayLogIn(answer, clock.now());
        }

        private boolean publish(Connection physical, @Nullable WatchedSockets sockets, Session session) {
            long now = startedNanos;
            Slot slot = null;
            try {
                now = clock.now();
                slot = outcome.newSlot(physical, sockets, session, ids.incrementAndGet(), now);
                if (account.connectSucceeded(this, slot)) {
                    long tookNanos = PoolClock.elapsed(now, startedNanos);
                    Events.connectionOpened(settings.poolName(), slot.id, tookNanos);
                    outcome.connectionOpened(slot, replaced, tookNanos);
                    return true;
                } else {
                    Runnable close = closer.take(physical, given());
                    releasePlace();
                    outcome.openedInVain();
                    close.run();
                }
            } catch (Throwable e) { // no memory, say: neither the place nor the connection may be lost
                if (slot != null && slots.contains(slot)) {
                    slot.stranded = Slot.RETURNING; // unless it was passed on before
                    account.connectFailed(this, e, now); // an Error that comes with each connect must not make a storm
                } else {
                    Runnable close = closer.take(physical, given());
                    account.connectFailed(this, e, now);
                    close.run();
                }
            }
            return false;
        }

        void abandon(long now) {
            if (!decide()) {
                return;
            }
            account.giveUp(this);
            long millis = TimeUnit.NANOSECONDS.toMillis(PoolClock.elapsed(now, startedNanos));
            String message = "the connect did not end within " + millis + " ms and was given up";
            account.connectFailed(this, new SQLTimeoutException(message, "08001"), now);
            Thread own = thread;
            if (own != null) {
                own.interrupt(); // the thread is this attempt's own: the interrupt can hit nothing else
            }
        }

        /** Whether it can never end by itself: an Error cut it off, or its thread died or never ran it. */
        boolean isLost() {
            Thread own = thread;
            return stranded != null || (own != null && own.getState() == Thread.State.TERMINATED);
        }

        void endLost(long now) {
            Throwable error = stranded;
            endLost(
                    error != null
                            ? error
                            : new SQLException("the thread of a connect ended before its connect did", "08001"),
                    now);
        }

        /** Ends an attempt that no thread will end; its place is free again. */
        private void endLost(Throwable reason, long now) {
            boolean undecided = decide();
            account.release(this);
            if (undecided || stranded != null) {
                account.connectFailed(this, reason, now);
            } else {
                outcome.abandonedEnded();
            }
        }
    }
}
