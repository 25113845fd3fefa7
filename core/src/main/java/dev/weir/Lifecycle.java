package dev.weir;

import dev.weir.spi.FailureClass;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** How a pool begins, and how it ends. */
final class Lifecycle {
    private static final System.Logger LOG = System.getLogger("dev.weir");

    /** How long close() waits for what was aborted, once everything is. */
    private static final long LAST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ConnectionPool pool;
    private final Settings settings;
    private final PoolClock clock;
    private final Slots slots;
    private final Checker checker;
    private final Refusals refusals;
    private final Helpers helpers;
    private final CountDownLatch firstOutcome = new CountDownLatch(1);
    private final CountDownLatch firstOpened = new CountDownLatch(1);

    /** Whether somebody waits in {@link #start}, and not in the queue. */
    private volatile boolean startWaits;

    /** Who waits in {@link #close}, to be unparked when something ends. */
    private volatile @Nullable Thread closer;

    Lifecycle(ConnectionPool pool, Checker checker, Refusals refusals, Helpers helpers) {
        this.pool = pool;
        this.settings = pool.settings;
        this.clock = pool.clock;
        this.slots = pool.slots;
        this.checker = checker;
        this.refusals = refusals;
        this.helpers = helpers;
    }

    /**
     * Starts the Keeper and the first connects, and waits for the first of them as initializationFailTimeout says.
     *
     * @throws SQLException if that time passed, or trying again would not help; the pool is closed then
     */
    void start() throws SQLException {
        pool.keeper.start();
        long timeout = settings.initializationFailTimeoutNanos();
        if (timeout < 0) {
            return;
        }
        long now = clock.now();
        clock.tick(now);
        startWaits = timeout > 0;
        pool.opener.fillTo(Math.max(1, settings.minimumPoolSize()), now);
        boolean opened;
        try {
            if (timeout == 0) {
                firstOutcome.await(settings.connectionTimeoutNanos(), TimeUnit.NANOSECONDS);
                return;
            }
            opened = awaitFirst(now + timeout);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
            throw refusals.interrupted(clock.now() - now);
        } finally {
            startWaits = false;
        }
        if (!opened) {
            SQLException failure = pool.isClosed() ? refusals.closed() : refusals.notStarted(clock.now() - now);
            close();
            throw failure;
        }
    }

    private boolean awaitFirst(long deadline) throws InterruptedException {
        firstOutcome.await(deadline - clock.now(), TimeUnit.NANOSECONDS);
        Opener.Failure failure = pool.opener.lastFailure();
        if (failure != null && firstOpened.getCount() > 0 && isForGood(failure)) {
            return false;
        }
        return firstOpened.await(deadline - clock.now(), TimeUnit.NANOSECONDS) && !pool.isClosed();
    }

    /** Trying again would not help: who we are was refused, or the driver lacks what the settings ask of it. */
    private static boolean isForGood(Opener.Failure failure) {
        return failure.kind() == FailureClass.AUTHENTICATION
                || (failure.cause() instanceof SQLException e && "0A000".equals(e.getSQLState()));
    }

    /** Whether somebody waits for the first connection. */
    boolean startWaits() {
        return startWaits;
    }

    /** A connect ended, one way or the other. */
    void tried() {
        firstOutcome.countDown();
    }

    void opened() {
        firstOutcome.countDown();
        firstOpened.countDown();
    }

    /** Something that close() may wait for came to its end. */
    void ended() {
        LockSupport.unpark(closer);
    }

    /**
     * Ends the pool: waiters fail now, idle connections go now, those in use get closeTimeout to come home and are aborted
     * then. Returns when no thread and no connection of the pool is left, or a second after the last abort if a driver
     * does not let go. The second call does nothing.
     */
    void close() {
        if (!pool.endLending()) {
            return;
        }
        closer = Thread.currentThread();
        long now = clock.now();
        pool.queue.failAll(refusals::closed);
        pool.opener.shutDown(now);
        opened(); // nobody waits for the start any more
        pool.keeper.stop();
        for (Slot slot : slots.all()) {
            pool.condemn(slot, RetireReason.CLOSED);
        }
        checker.abandonAll();
        boolean interrupted = awaitEnd(now + settings.closeTimeoutNanos(), false);
        for (Slot slot : slots.all()) {
            expel(slot);
        }
        long deadline = clock.now() + (interrupted ? 0 : LAST_WAIT_NANOS);
        interrupted |= awaitEnd(deadline, true);
        closer = null;
        interrupted |= endThreads(deadline);
        int left = slots.live() + pool.opener.unfinished();
        if (left > 0) {
            LOG.log(Level.WARNING, "pool ''{0}'': closed, but {1} connections did not end", name(), left);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Waits until no slot is left, nor anything that is being opened or closed; true if the thread was interrupted, which ends
     * the patience.
     */
    private boolean awaitEnd(long deadline, boolean unfinishedToo) {
        while (slots.live() > 0 || (unfinishedToo && pool.opener.unfinished() > 0)) {
            long left = deadline - clock.now();
            if (left <= 0) {
                return false;
            }
            LockSupport.parkNanos(this, left);
            if (Thread.interrupted()) {
                return true;
            }
        }
        return false;
    }

    private void expel(Slot slot) {
        if (pool.expel(slot)) {
            LOG.log(Level.WARNING, "pool ''{0}'': closing; {1} is still in use and is aborted", name(), slot);
        } else if (slot.state() == Slot.RETURNING || slot.state() == Slot.CHECKING) {
            helpers.execute(() -> pool.closeQuietly(slot.physical, true));
        }
    }

    private boolean endThreads(long deadline) {
        try {
            pool.keeper.join(Math.max(0, deadline - clock.now()));
            if (!helpers.shutDown(Math.max(0, deadline - clock.now()))) {
                LOG.log(Level.WARNING, "pool ''{0}'': closed, but a driver still blocks a helper thread", name());
            }
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    private String name() {
        return settings.poolName();
    }
}
