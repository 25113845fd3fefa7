package dev.weir.internal.engine;

import dev.weir.RetireReason;
import dev.weir.internal.text.Log;
import dev.weir.internal.waiting.Slot;
import java.lang.System.Logger.Level;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** How a pool that lends no more comes to its end: its connections, its threads, and who waits for that. Run once. */
final class Shutdown {
    /** How long it waits for what it cancels: a driver may have to connect for it. */
    private static final long CANCEL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long it waits for what was aborted, once everything is. */
    private static final long LAST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PoolState pool;
    private final Keeper keeper;
    private final Opener opener;
    private final Retirement retirement;
    private final IdleTester tester;
    private final HelperThreads helpers;

    /** Counted down when the end is over. */
    private final CountDownLatch ended = new CountDownLatch(1);

    /** The thread that ends the pool, to be unparked when something ends. */
    private volatile @Nullable Thread closer;

    Shutdown(
            PoolState pool,
            Keeper keeper,
            Opener opener,
            Retirement retirement,
            IdleTester tester,
            HelperThreads helpers) {
        this.pool = pool;
        this.keeper = keeper;
        this.opener = opener;
        this.retirement = retirement;
        this.tester = tester;
        this.helpers = helpers;
    }

    /**
     * Idle connections go now, those in use get closeTimeout to come home. Then what still runs on them is cancelled, since
     * most servers would not notice that the connection is gone before it ends, and they are aborted. Returns their holders when no
     * thread and no connection of the pool is left, or a second after the last abort if a driver does not let go.
     */
    List<String> endPool() {
        closer = Thread.currentThread();
        long now = pool.now();
        opener.shutDown(now);
        keeper.nudge(now); // it goes on until the end: what hangs or was cut off is its business
        for (Slot slot : pool.slots.all()) {
            retirement.condemn(slot, RetireReason.CLOSED);
        }
        tester.abandonAll();
        boolean interrupted = awaitEnd(now + pool.settings.closeTimeoutNanos(), false);
        interrupted |= cancelRunning();
        List<String> expelled = new ArrayList<>(0);
        for (Slot slot : pool.slots.all()) {
            expel(slot, expelled);
        }
        long deadline = pool.now() + (interrupted ? 0 : LAST_WAIT_NANOS);
        interrupted |= awaitEnd(deadline - LAST_WAIT_NANOS / 2, true);
        opener.abortClosing(); // a driver whose close() waits for what it does, a test say, hears no more of the Keeper
        interrupted |= awaitEnd(deadline, true);
        keeper.stop();
        closer = null;
        interrupted |= endThreads(deadline);
        int left = pool.slots.live() + opener.unfinished();
        if (left > 0) {
            Log.log(Level.WARNING, "pool ''{0}'': closed, but {1} connections did not end", pool.name(), left);
        }
        ended.countDown();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return expelled;
    }

    /**
     * Waits until no slot is left, nor anything that is being opened or closed; true if the thread was interrupted,
     * which ends the patience.
     */
    private boolean awaitEnd(long deadline, boolean unfinishedToo) {
        while (pool.slots.live() > 0 || (unfinishedToo && opener.unfinished() > 0)) {
            long left = deadline - pool.now();
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

    /** On helpers, all at a time, since a driver may hang in it; true if the thread was interrupted meanwhile. */
    private boolean cancelRunning() {
        List<Statement> running = new ArrayList<>(0);
        for (Slot slot : pool.slots.all()) {
            Statement statement = slot.statement; // racy, of this loan or of one before: it may have ended by now
            if (statement != null && slot.state() == Slot.IN_USE) {
                running.add(statement);
            }
        }
        CountDownLatch cancelled = new CountDownLatch(running.size());
        AtomicBoolean over = new AtomicBoolean();
        for (Statement statement : running) {
            helpers.execute(new Cancel(statement, cancelled, over));
        }
        try {
            boolean ignored = cancelled.await(CANCEL_NANOS, TimeUnit.NANOSECONDS);
            return false;
        } catch (InterruptedException e) {
            return true;
        } finally {
            over.set(true);
        }
    }

    /** One that hangs takes no thread from the abort, which is all that ends it; one that comes too late is left out. */
    private record Cancel(Statement statement, CountDownLatch cancelled, AtomicBoolean over)
            implements HelperThreads.Job {
        @Override
        public boolean isGivenUp() {
            return over.get();
        }

        @Override
        public void run() {
            try {
                if (!over.get()) {
                    statement.cancel();
                }
            } catch (Throwable e) {
                // It has ended, or the driver cannot: its connection is aborted next.
            } finally {
                cancelled.countDown();
            }
        }
    }

    private void expel(Slot slot, List<String> expelled) {
        Thread holder = slot.holder;
        if (retirement.expelHolder(slot)) {
            String name = holder == null ? "an unknown thread" : "thread '" + holder.getName() + "'";
            Log.log(
                    Level.WARNING,
                    "pool ''{0}'': closing; {1} is still in use and is aborted; it is held by {2}",
                    pool.name(),
                    slot,
                    name);
            expelled.add(name);
        } else if (slot.state() == Slot.RETURNING || slot.state() == Slot.CHECKING) {
            helpers.execute(() -> Closer.closeQuietly(slot.physical, slot.session.given(), true, pool.settings));
        }
    }

    private boolean endThreads(long deadline) {
        try {
            keeper.join(Math.max(0, deadline - pool.now()));
            if (!helpers.shutDown(Math.max(0, deadline - pool.now()))) {
                Log.log(Level.WARNING, "pool ''{0}'': closed, but a driver still blocks a helper thread", pool.name());
            }
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    /** Something that the end may wait for came to its end. */
    void wake() {
        LockSupport.unpark(closer);
    }

    /** Waits, within bounds, until it is over. */
    void awaitEnd() {
        try {
            if (closer != Thread.currentThread()) { // a listener that hears of the end
                ended.await(pool.settings.closeTimeoutNanos() + 2 * LAST_WAIT_NANOS, TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
