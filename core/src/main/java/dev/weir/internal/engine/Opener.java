package dev.weir.internal.engine;

import dev.weir.OpenFailure;
import dev.weir.RetireReason;
import dev.weir.internal.drivers.ConnectFailure;
import dev.weir.internal.drivers.ConnectionSource;
import dev.weir.internal.drivers.Failures;
import dev.weir.internal.text.Log;
import dev.weir.internal.waiting.PoolClock;
import dev.weir.internal.waiting.Slot;
import dev.weir.internal.waiting.Slots;
import dev.weir.spi.Credentials;
import dev.weir.spi.FailureClass;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Opens physical connections and keeps the account of places: live + opening + closing never exceeds the maximum. A
 * place is given back even if the connect fails ({@link Connector}). The attempts are an intrusive list, so that no
 * lack of memory or stack parts an attempt from its place; what an Error cut off all the same (an attempt that was
 * reserved and never started, a thread that died) {@link #look} mends.
 *
 * <p>After a failure one connect at a time probes, when {@link RetryGate} says; success opens the gate again. Connections that
 * the minimum lacks since some were lost, and nobody waits for, come one at a time. Whether one more is worth
 * opening is the {@link Sizer}'s question, not asked here.
 */
public final class Opener {
    private static final int FAILURES_REMEMBERED = 10;

    private final PoolState pool;
    private final Strays strays;
    private final Closer closer;
    private final Connector.Outcome outcome;
    private final Connector connector;
    private final Account account = new Account();

    /** When connects may be tried. */
    final RetryGate gate;

    /** Guards the account below, as what the closer counts; a leaf lock except that of {@link Slots}. Never held across driver code. */
    private final Object lock;

    // Guarded by lock.
    private Connector.@Nullable Attempt first;
    private int opening;
    private int abandoned;
    private @Nullable ConnectFailure lastFailure;

    /** The last refusal of the credentials. */
    private @Nullable ConnectFailure lastRefusal;

    private final ArrayDeque<ConnectFailure> recentFailures = new ArrayDeque<>(); // the newest first
    private long begun;
    private long opened;
    private long openFailed;
    private boolean closed;

    Opener(
            PoolState pool,
            ConnectionSource source,
            HelperThreads helpers,
            Strays strays,
            Closer closer,
            Connector.Outcome outcome) {
        this.pool = pool;
        this.strays = strays;
        this.begun = strays.begun();
        this.opened = strays.opened();
        this.closer = closer;
        this.lock = closer.account;
        this.outcome = outcome;
        this.gate = new RetryGate(pool.settings);
        this.connector =
                new Connector(pool.settings, source, pool.clock, pool.slots, helpers, closer, account, outcome);
    }

    /** Starts the connect of what is to replace this slot, if there is a place for it. */
    void replace(Slot slot, long now) {
        reserve(1, 0, 0, slot, now);
        start();
    }

    /** The slots whose replacements are being opened. */
    Set<Slot> beingReplaced() {
        Set<Slot> slotsReplaced = new HashSet<>();
        synchronized (lock) {
            for (Connector.Attempt attempt = first; attempt != null; attempt = attempt.next) {
                Slot slot = attempt.replaced;
                if (slot != null && !attempt.givenUp) {
                    slotsReplaced.add(slot);
                }
            }
        }
        return slotsReplaced;
    }

    /** Starts the connects that are missing to so many connections; returns when others may follow the first of all. */
    long fillTo(int total, long now) {
        reserve(0, total, 0, now);
        start();
        synchronized (lock) {
            return gate.othersFollowAtNanos();
        }
    }

    /**
     * Takes places for up to {@code wanted} connects, or as many as are missing to {@code total} live and opening if
     * that is more; returns how many. They count as opening from now on, and are to be started by {@link #start()}.
     * {@code atOnce}: so many may be under way for those who wait.
     */
    int reserve(int wanted, int total, int atOnce, long now) {
        return reserve(wanted, total, atOnce, null, now);
    }

    private int reserve(int wanted, int total, int atOnce, @Nullable Slot replaced, long now) {
        int reserved = 0;
        int straysHolding = strays.holding(); // read before, since theirs is a lock like this one; they only grow fewer
        int straysGivenUp = strays.physical() - straysHolding;
        long lostAt = pool.clock.suspectBefore();
        synchronized (lock) {
            int missing = gate.filling(total, pool.slots.live(), opening, now);
            int usual = pool.settings.acquireIncrement();
            int most =
                    Math.max(Math.min(missing, usual - opening), Math.min(wanted, Math.max(usual, atOnce) - opening));
            int n = Math.min(most, allowed(now, lostAt, straysHolding, straysGivenUp));
            for (; reserved < n; reserved++) {
                gate.connectBegins(now);
                Connector.Attempt attempt = connector.attempt(replaced, now);
                attempt.next = first;
                attempt.listed = true;
                first = attempt;
                opening++;
                begun++;
            }
        }
        return reserved;
    }

    /** Starts what is reserved, by whomever; what this thread has no stack for is left to the Keeper. */
    void start() {
        start(Integer.MAX_VALUE);
    }

    /** As {@link #start()}, so many at most; a connect that is over makes the others on its thread. */
    void start(int most) {
        boolean able = true;
        for (int i = 0; i < most && able; i++) {
            Connector.Attempt attempt = account.takeReserved();
            if (attempt == null) {
                return;
            }
            try {
                able = attempt.start();
            } catch (Throwable e) {
                attempt.stranded = e;
                throw e;
            }
        }
    }

    /** The attempt is over: it holds no place any more. */
    private void unlist(Connector.Attempt attempt) {
        synchronized (lock) {
            if (!attempt.listed) {
                return;
            }
            Connector.Attempt before = null;
            for (Connector.Attempt at = first; at != attempt && at != null; at = at.next) {
                before = at;
            }
            if (before == null) {
                first = attempt.next;
            } else {
                before.next = attempt.next;
            }
            attempt.listed = false;
            if (attempt.givenUp) {
                abandoned--;
            } else {
                opening--;
            }
        }
    }

    /** How many connects the places and the gate allow. */
    private int allowed(long now, long lostAt, int straysHolding, int straysGivenUp) {
        if (closed || gate.isShut(now)) {
            return 0;
        }
        int atOnce = gate.mostAtOnce(lostAt, oldest(), now);
        int places = pool.settings.maximumPoolSize() - pool.slots.live() - opening - closer.count() - straysHolding;
        int left = places - abandoned - straysGivenUp;
        // Connects that were abandoned hold a thread, and perhaps a backend, until the driver gives them up. However
        // many they are, one probe at a time goes on, or the pool would never notice that the database is back.
        boolean probes = opening == 0 && straysHolding == 0;
        int most = probes ? Math.max(Math.min(1, places), left) : left;
        return Math.min(atOnce - opening, most);
    }

    /**
     * The refusal that an acquire should meet at once instead of waiting: who we are was refused, and we have nothing.
     */
    @Nullable
    ConnectFailure refusal(long now) {
        synchronized (lock) {
            int live = pool.slots.live();
            if (live == 0) {
                gate.shortenPause(live, now);
            }
            ConnectFailure failure = lastFailure;
            boolean refused = gate.failures() > 0
                    && failure != null
                    && failure.kind() == FailureClass.AUTHENTICATION
                    && gate.isShut(now)
                    && live == 0;
            return refused ? failure : null;
        }
    }

    @Nullable
    ConnectFailure lastFailure() {
        synchronized (lock) {
            return lastFailure;
        }
    }

    /** The last failures, the newest first. */
    public List<OpenFailure> recentFailures() {
        List<ConnectFailure> recent;
        synchronized (lock) {
            recent = List.copyOf(recentFailures);
        }
        return recent.stream()
                .map(failure -> new OpenFailure(failure.at(), failure.kind(), failure.text()))
                .toList();
    }

    /** Live connections, and those that are being opened or closed or were abandoned while they hung. */
    public int physical() {
        synchronized (lock) {
            return pool.slots.live() + opening + closer.count() + abandoned;
        }
    }

    /** Of one moment; closing, as of the public stats, and begun, with those of failed starts. */
    record Counts(
            int live,
            int opening,
            int closing,
            long begun,
            long opened,
            long openFailed,
            Map<RetireReason, Long> retired) {}

    Counts counts() {
        int closingBefore = strays.physical();
        synchronized (lock) {
            int closing = closingBefore + closer.count() + abandoned;
            return new Counts(pool.slots.live(), opening, closing, begun, opened, openFailed, closer.retired());
        }
    }

    /**
     * As {@link #physical}, less the connects that have had connectTimeout and hang: they are not waited for any more.
     */
    int holding() {
        long hungSince = pool.now() - pool.settings.connectTimeoutNanos();
        synchronized (lock) {
            int hung = 0;
            for (Connector.Attempt attempt = first; attempt != null; attempt = attempt.next) {
                hung += attempt.givenUp && attempt.startedNanos <= hungSince ? 1 : 0;
            }
            return pool.slots.live() + opening + closer.count() + abandoned - hung;
        }
    }

    /** When the first connect of all was handed to the driver; Long.MAX_VALUE if none was yet. */
    long firstConnectNanos() {
        return connector.firstConnectNanos();
    }

    /** When the oldest of the connects under way was handed to the driver; Long.MAX_VALUE if none was. */
    long oldestSinceNanos() {
        synchronized (lock) {
            return oldest();
        }
    }

    private long oldest() {
        long oldest = Long.MAX_VALUE;
        for (Connector.Attempt attempt = first; attempt != null; attempt = attempt.next) {
            oldest = attempt.givenUp ? oldest : Math.min(oldest, attempt.startedNanos);
        }
        return oldest;
    }

    int opening() {
        synchronized (lock) {
            return opening;
        }
    }

    /** Connects, abandoned or not, and closes of connections that have not come to their end. */
    int unfinished() {
        synchronized (lock) {
            return opening + abandoned + closer.count();
        }
    }

    /**
     * Gives up connects that are older than connectTimeout, and mends the others; returns when the next will be due.
     */
    long look(long now) {
        start();
        long next = Long.MAX_VALUE;
        for (Connector.Attempt attempt : underWay()) {
            long due = attempt.startedNanos + pool.settings.connectTimeoutNanos();
            if (attempt.isLost()) {
                attempt.endLost(now);
            } else if (due <= now) {
                attempt.abandon(now);
            } else {
                next = Math.min(next, due);
            }
        }
        return Math.min(next, closer.look(now));
    }

    /** The pool ends: what is being closed is aborted. */
    void abortClosing() {
        closer.abortAll(pool.now());
    }

    private List<Connector.Attempt> underWay() {
        List<Connector.Attempt> attempts = new ArrayList<>(0);
        synchronized (lock) {
            for (Connector.Attempt attempt = first; attempt != null; attempt = attempt.next) {
                attempts.add(attempt);
            }
        }
        return attempts;
    }

    /** No connect is started any more; those under way are abandoned, and closed should they still succeed. */
    void shutDown(long now) {
        synchronized (lock) {
            closed = true;
        }
        for (Connector.Attempt attempt : underWay()) {
            attempt.abandon(now);
        }
    }

    /** Returns how many failed in a row; 0 if the pool is closed, whose end is no failure of the database. */
    private int note(Connector.Attempt attempt, ConnectFailure failure) {
        boolean somebodyWaits = outcome.isWaitedFor();
        long lent = pool.slots.acquires();
        synchronized (lock) {
            if (!attempt.givenUp) {
                unlist(attempt);
            }
            if (closed) {
                return 0;
            }
            openFailed++;
            lastFailure = failure;
            lastRefusal = failure.kind() == FailureClass.AUTHENTICATION ? failure : lastRefusal;
            gate.connectFailed(failure.kind(), attempt.as, somebodyWaits, pool.slots.live(), lent, failure.atNanos());
            recentFailures.addFirst(failure);
            if (recentFailures.size() > FAILURES_REMEMBERED) {
                recentFailures.removeLast();
            }
            return gate.failures();
        }
    }

    /** The places, as a connect at its end sees them. */
    private final class Account implements Connector.Account {
        @Override
        public Connector.@Nullable Attempt takeReserved() {
            synchronized (lock) {
                Connector.Attempt attempt = first;
                while (attempt != null && attempt.taken) {
                    attempt = attempt.next;
                }
                if (attempt != null) {
                    attempt.taken = true;
                }
                return attempt;
            }
        }

        @Override
        public void startLater(Connector.Attempt attempt) {
            synchronized (lock) {
                attempt.taken = false;
            }
        }

        @Override
        public void giveUp(Connector.Attempt attempt) {
            synchronized (lock) {
                boolean started = attempt.taken;
                attempt.taken = true;
                if (started && attempt.listed) {
                    attempt.givenUp = true;
                    opening--;
                    abandoned++;
                }
            }
        }

        @Override
        public boolean mayLogIn(Credentials as, long now) {
            return gate.mayLogIn(as, now);
        }

        @Override
        public void notLoggedIn(Connector.Attempt attempt, long now) {
            ConnectFailure refusal;
            boolean over;
            synchronized (lock) {
                unlist(attempt);
                gate.notLoggedIn(now);
                refusal = lastRefusal;
                lastFailure = refusal;
                over = closed;
            }
            if (over) {
                outcome.abandonedEnded();
            } else if (refusal != null) {
                outcome.stillRefused(refusal);
            }
        }

        @Override
        public void connectFailed(Connector.Attempt attempt, Throwable cause, long now) {
            String given = attempt.given();
            FailureClass kind = cause instanceof SQLException e
                    ? Failures.classify(e, pool.settings, null, given)
                    : FailureClass.OTHER;
            ConnectFailure failure = new ConnectFailure(
                    pool.settings.redacted(cause, given), pool.settings.textOf(cause, given), kind, now, Instant.now());
            int inARow = note(attempt, failure);
            if (inARow == 0) {
                outcome.abandonedEnded();
                return;
            }
            String sqlState = Failures.sqlState(failure.cause());
            long tookNanos = PoolClock.elapsed(now, attempt.startedNanos);
            Events.openFailed(pool.name(), tookNanos, sqlState, failure.text());
            if (inARow == 1 || inARow == pool.settings.acquireRetries() + 1) {
                String message = "pool '" + pool.name() + "': could not open a connection (" + inARow
                        + " in a row, SQLState " + sqlState + ", " + pool.slots.live() + " live): " + failure.text();
                if (cause instanceof SQLException) {
                    Log.log(Level.WARNING, message);
                } else {
                    Log.log(Level.WARNING, message, failure.cause()); // of no database: the stack says of whom
                }
            }
            outcome.openFailed(failure, tookNanos);
        }

        /**
         * False if the pool was closed, or the maximum lowered, meanwhile: the attempt is over when its connection is
         * closed.
         */
        @Override
        public boolean connectSucceeded(Connector.Attempt attempt, Slot slot) {
            int before;
            synchronized (lock) {
                before = gate.failures();
                gate.connectSucceeded();
                if (closed || pool.slots.live() >= pool.settings.maximumPoolSize()) {
                    return false;
                }
                pool.slots.add(slot); // all or nothing; the place passes from the attempt to the slot
                unlist(attempt);
                opened++;
            }
            if (before > 0) {
                Log.log(Level.INFO, "pool ''{0}'': connections open again after {1} failures", pool.name(), before);
            }
            return true;
        }

        @Override
        public void release(Connector.Attempt attempt) {
            unlist(attempt);
        }
    }
}
