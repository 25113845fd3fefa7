package dev.weir;

import dev.weir.spi.FailureClass;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Opens physical connections, each on a thread of its own, and keeps the account of places: live + opening + closing never
 * exceeds the maximum. A place is given back whatever happens to the connect: an exception, an Error, a hang.
 *
 * <p><b>After a failure</b> one connect at a time probes; success opens the gate again. The pause before the next probe is
 * drawn from the upper half of a bound, so that pools which failed together do not return together:
 *
 * <pre>
 *   somebody waits        acquireRetryDelay / 10                a probe costs little, and the recovery is theirs; who
 *                                                               starts the pool waits too
 *   nobody waits          acquireRetryDelay                     for the first acquireRetries such failures
 *                         doubling from there, at most 30 s     given up until somebody needs it, or the Keeper fills
 *   authentication        acquireRetryDelay, doubling from the first failure, at most 30 s, whoever waits
 * </pre>
 *
 * <p>Whether one more is worth opening is the {@link Sizer}'s question, not asked here.
 */
final class Opener {
    private static final System.Logger LOG = System.getLogger("dev.weir");
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final int FAILURES_REMEMBERED = 10;

    /** What a connect that failed left behind. */
    record Failure(Throwable cause, FailureClass kind, long atNanos, Instant at) {}

    private final ConnectionPool pool;
    private final Settings settings;
    private final ConnectionSource source;
    private final PoolClock clock;
    private final Slots slots;
    private final Helpers helpers;

    /** Guards the account below; a leaf lock but for that of {@link Slots}. Never held across driver code. */
    private final ReentrantLock lock = new ReentrantLock();

    private final AtomicLong ids = new AtomicLong();

    // Guarded by lock.
    private final Set<Attempt> attempts = new HashSet<>();
    private final Set<Closing> closings = new HashSet<>();
    private int abandoned;
    private int failures;
    private int unwaitedFailures;
    private long probeAtNanos;
    private @Nullable Failure lastFailure;
    private final ArrayDeque<Failure> recentFailures = new ArrayDeque<>(); // the newest first
    private long opened;
    private long openFailed;
    private boolean closed;

    Opener(ConnectionPool pool, ConnectionSource source, PoolClock clock, Slots slots, Helpers helpers) {
        this.pool = pool;
        this.settings = pool.settings;
        this.source = source;
        this.clock = clock;
        this.slots = slots;
        this.helpers = helpers;
    }

    /** Starts up to {@code wanted} connects, as many as places and acquireIncrement allow; returns how many. */
    int open(int wanted, long now) {
        List<Attempt> reserved = reserve(wanted, 0, now);
        start(reserved);
        return reserved.size();
    }

    /** Starts the connects that are missing to so many connections, live and opening; returns how many. */
    int fillTo(int total, long now) {
        List<Attempt> reserved = reserve(0, total, now);
        start(reserved);
        return reserved.size();
    }

    /**
     * Takes places for up to {@code wanted} connects, or as many as are missing to {@code total} live and opening if that is
     * more. They count as opening from now on.
     */
    List<Attempt> reserve(int wanted, int total, long now) {
        List<Attempt> reserved = new ArrayList<>();
        lock.lock();
        try {
            int missing = total - slots.live() - attempts.size();
            int n = Math.min(Math.max(wanted, missing), allowed(now));
            for (int i = 0; i < n; i++) {
                Attempt attempt = new Attempt(now);
                attempts.add(attempt);
                reserved.add(attempt);
            }
        } finally {
            lock.unlock();
        }
        return reserved;
    }

    void start(List<Attempt> reserved) {
        for (Attempt attempt : reserved) {
            attempt.start();
        }
    }

    private int allowed(long now) {
        if (closed || (failures > 0 && now < probeAtNanos)) {
            return 0;
        }
        int parallel = failures > 0 ? 1 : settings.acquireIncrement();
        // Connects that were abandoned hold a thread, and perhaps a backend, until the driver gives them up. However
        // many they are, one probe at a time goes on, or the pool would never notice that the database is back.
        int places = places();
        int room = attempts.isEmpty() ? Math.max(Math.min(1, places), places - abandoned) : places - abandoned;
        return Math.min(parallel - attempts.size(), room);
    }

    private int places() {
        return settings.maximumPoolSize() - slots.live() - attempts.size() - closings.size();
    }

    /** Somebody waits: a long pause that was chosen while nobody did is cut short. */
    void hurry(long now) {
        lock.lock();
        try {
            Failure failure = lastFailure;
            if (failures > 0 && failure != null && failure.kind() != FailureClass.AUTHENTICATION) {
                probeAtNanos = Math.min(probeAtNanos, Math.max(now, failure.atNanos() + waitedForPause()));
            }
        } finally {
            lock.unlock();
        }
    }

    /** When the next probe may start; Long.MAX_VALUE if nothing failed. */
    long probeAtNanos() {
        lock.lock();
        try {
            return failures > 0 ? probeAtNanos : Long.MAX_VALUE;
        } finally {
            lock.unlock();
        }
    }

    /** The refusal that an acquire should meet at once instead of waiting: who we are was refused, and we have nothing. */
    @Nullable
    Failure refusal(long now) {
        lock.lock();
        try {
            Failure failure = lastFailure;
            boolean refused = failures > 0
                    && failure != null
                    && failure.kind() == FailureClass.AUTHENTICATION
                    && now < probeAtNanos
                    && slots.live() == 0;
            return refused ? failure : null;
        } finally {
            lock.unlock();
        }
    }

    @Nullable
    Failure lastFailure() {
        lock.lock();
        try {
            return lastFailure;
        } finally {
            lock.unlock();
        }
    }

    /** The last failures, the newest first. */
    List<OpenFailure> recentFailures() {
        List<Failure> recent;
        lock.lock();
        try {
            recent = List.copyOf(recentFailures);
        } finally {
            lock.unlock();
        }
        return recent.stream()
                .map(failure -> new OpenFailure(
                        failure.at(),
                        failure.kind(),
                        settings.redacted(failure.cause().toString())))
                .toList();
    }

    /** Live connections, and those that are being opened or closed or were abandoned while they hung. */
    int physical() {
        lock.lock();
        try {
            return slots.live() + attempts.size() + closings.size() + abandoned;
        } finally {
            lock.unlock();
        }
    }

    int opening() {
        lock.lock();
        try {
            return attempts.size();
        } finally {
            lock.unlock();
        }
    }

    /** Connects, abandoned or not, and closes of connections that have not come to their end. */
    int unfinished() {
        lock.lock();
        try {
            return attempts.size() + abandoned + closings.size();
        } finally {
            lock.unlock();
        }
    }

    long opened() {
        lock.lock();
        try {
            return opened;
        } finally {
            lock.unlock();
        }
    }

    long openFailed() {
        lock.lock();
        try {
            return openFailed;
        } finally {
            lock.unlock();
        }
    }

    /** Gives up connects that are older than connectTimeout; returns when the next will be. */
    long abandonHung(long now) {
        List<Attempt> hung = new ArrayList<>();
        long next = Long.MAX_VALUE;
        lock.lock();
        try {
            for (Attempt attempt : attempts) {
                long due = attempt.startedNanos + settings.connectTimeoutNanos();
                if (due <= now) {
                    hung.add(attempt);
                } else {
                    next = Math.min(next, due);
                }
            }
            for (Closing closing : List.copyOf(closings)) {
                if (closing.dueNanos <= now) {
                    closings.remove(closing);
                } else {
                    next = Math.min(next, closing.dueNanos);
                }
            }
        } finally {
            lock.unlock();
        }
        for (Attempt attempt : hung) {
            attempt.abandon(now);
        }
        return next;
    }

    /** Moves a retired slot from live to closing, and closes its connection on a helper; its place is free when that ends. */
    void close(Slot slot, Runnable closePhysical) {
        Closing closing = new Closing(clock.now() + settings.closeTimeoutNanos());
        lock.lock();
        try {
            slots.remove(slot);
            closings.add(closing);
        } finally {
            lock.unlock();
        }
        helpers.execute(() -> {
            try {
                closePhysical.run();
            } finally {
                lock.lock();
                try {
                    closings.remove(closing);
                } finally {
                    lock.unlock();
                }
                pool.lifecycle.ended();
                pool.supply.changed();
            }
        });
    }

    /** No connect is started any more; those under way are abandoned, and closed should they still succeed. */
    void shutDown(long now) {
        List<Attempt> underWay;
        lock.lock();
        try {
            closed = true;
            underWay = List.copyOf(attempts);
        } finally {
            lock.unlock();
        }
        for (Attempt attempt : underWay) {
            attempt.abandon(now);
        }
    }

    private long waitedForPause() {
        return settings.acquireRetryDelayNanos() / 10;
    }

    /** The pause after so many failures that nobody waited for, the last of this kind. */
    private long pause(FailureClass kind) {
        long delay = settings.acquireRetryDelayNanos();
        int free = kind == FailureClass.AUTHENTICATION ? 1 : settings.acquireRetries();
        int doublings = unwaitedFailures - free;
        long bound = doublings <= 0 ? delay : delay << Math.min(doublings, 20);
        return Math.min(bound, Math.max(delay, LONGEST_PAUSE_NANOS));
    }

    private static long jittered(long bound) {
        return bound <= 1 ? bound : ThreadLocalRandom.current().nextLong(bound / 2, bound + 1);
    }

    private void failed(Attempt attempt, Throwable cause, long now) {
        FailureClass kind = cause instanceof SQLException e ? pool.classify(e) : FailureClass.OTHER;
        Failure failure = new Failure(cause, kind, now, Instant.now());
        int inARow = note(attempt, failure);
        if (inARow == 0) {
            pool.lifecycle.ended();
            return;
        }
        String sqlState = cause instanceof SQLException e ? e.getSQLState() : null;
        Events.openFailed(settings.poolName(), now - attempt.startedNanos, sqlState, settings.redact(cause.toString()));
        if (inARow == 1 || inARow == settings.acquireRetries() + 1) {
            LOG.log(
                    Level.WARNING,
                    "pool ''{0}'': could not open a connection ({1} in a row, SQLState {2}, {3} live): {4}",
                    settings.poolName(),
                    inARow,
                    sqlState,
                    slots.live(),
                    settings.redact(cause.toString()));
        }
        pool.openFailed(failure, now - attempt.startedNanos);
    }

    /** Returns how many failed in a row; 0 if the pool is closed, whose end is no failure of the database. */
    private int note(Attempt attempt, Failure failure) {
        lock.lock();
        try {
            attempts.remove(attempt);
            if (closed) {
                return 0;
            }
            openFailed++;
            failures++;
            lastFailure = failure;
            recentFailures.addFirst(failure);
            if (recentFailures.size() > FAILURES_REMEMBERED) {
                recentFailures.removeLast();
            }
            boolean somebodyWaits = pool.waiting() > 0 || pool.lifecycle.startWaits();
            boolean waitedFor = somebodyWaits && failure.kind() != FailureClass.AUTHENTICATION;
            unwaitedFailures += waitedFor ? 0 : 1;
            probeAtNanos = failure.atNanos() + jittered(waitedFor ? waitedForPause() : pause(failure.kind()));
            return failures;
        } finally {
            lock.unlock();
        }
    }

    /** False if the pool was closed, or the maximum lowered, meanwhile: the attempt is over when its connection is closed. */
    private boolean succeeded(Attempt attempt, Slot slot) {
        int before;
        lock.lock();
        try {
            before = failures;
            failures = 0;
            unwaitedFailures = 0;
            if (closed || slots.live() >= settings.maximumPoolSize()) {
                return false;
            }
            attempts.remove(attempt);
            opened++;
            slots.add(slot);
        } finally {
            lock.unlock();
        }
        if (before > 0) {
            LOG.log(Level.INFO, "pool ''{0}'': connections open again after {1} failures", settings.poolName(), before);
        }
        return true;
    }

    private void over(Attempt attempt) {
        lock.lock();
        try {
            attempts.remove(attempt);
        } finally {
            lock.unlock();
        }
        pool.lifecycle.ended();
    }

    /** A connection that is being closed, and until when its place is kept for that. */
    private static final class Closing {
        final long dueNanos;

        Closing(long dueNanos) {
            this.dueNanos = dueNanos;
        }
    }

    /** One connect. The flag says that its outcome is decided: by its own end, or by whoever abandoned it first. */
    final class Attempt implements Runnable {
        final long startedNanos;
        private final AtomicBoolean decided = new AtomicBoolean();

        /** Made by {@link #start}, since a factory of the user's may be asked for it: null until then. */
        private volatile @Nullable Thread thread;

        Attempt(long startedNanos) {
            this.startedNanos = startedNanos;
        }

        void start() {
            try {
                Thread own = helpers.newThread("open", this);
                thread = own;
                own.start();
            } catch (OutOfMemoryError noThread) {
                if (decide()) {
                    failed(this, noThread, clock.now());
                } else {
                    countAbandoned(-1);
                }
            }
        }

        private boolean decide() {
            return decided.compareAndSet(false, true);
        }

        @Override
        public void run() {
            Connection physical = null;
            Session session = null;
            Throwable failure = null;
            try {
                if (!decided.get()) {
                    physical = source.connect();
                    session = Session.prepare(physical, settings);
                }
            } catch (Throwable e) { // an Error too must not cost the place
                failure = e;
            }
            if (!decide()) {
                pool.closeQuietly(physical, false);
                countAbandoned(-1);
            } else if (physical == null || session == null) {
                pool.closeQuietly(physical, false);
                failed(
                        this,
                        failure == null ? new SQLException("the source gave no connection") : failure,
                        clock.now());
            } else {
                publish(physical, session);
            }
        }

        private void publish(Connection physical, Session session) {
            long now = clock.now();
            Slot slot = null;
            try {
                slot = new Slot(pool, physical, session, ids.incrementAndGet(), now);
                pool.keeper.plan(slot);
                if (succeeded(this, slot)) {
                    Events.opened(settings.poolName(), slot.id, now - startedNanos);
                    pool.opened(slot, now - startedNanos);
                } else {
                    pool.closeQuietly(physical, false);
                    over(this);
                    pool.openedInVain();
                }
            } catch (Throwable e) { // no memory, say: neither the place nor the connection may be lost
                if (slot != null && slots.contains(slot)) {
                    pool.retire(slot, RetireReason.FAULT, e);
                } else {
                    pool.closeQuietly(physical, false);
                    failed(this, e, now);
                }
            }
        }

        void abandon(long now) {
            if (!decide()) {
                return;
            }
            countAbandoned(1);
            long millis = TimeUnit.NANOSECONDS.toMillis(now - startedNanos);
            String message = "the connect did not end within " + millis + " ms and was given up";
            failed(this, new SQLTimeoutException(message, "08001"), now);
            Thread own = thread;
            if (own != null) {
                own.interrupt(); // the thread is this attempt's own: the interrupt can hit nothing else
            }
        }

        private void countAbandoned(int change) {
            lock.lock();
            try {
                abandoned += change;
            } finally {
                lock.unlock();
            }
            pool.lifecycle.ended();
        }
    }
}
