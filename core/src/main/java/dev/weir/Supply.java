package dev.weir;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

/**
 * How many connections there are: demand meets supply here. Asked whenever one of the two changed, and by the Keeper's timer
 * while anybody waits.
 *
 * <p>One evaluation at a time: who finds the lock taken goes on, and what the other did not see the timer does. Connects are
 * reserved under the lock, so that the next evaluation counts them, and started after it, since starting runs user code.
 */
final class Supply {
    private static final long EVALUATE_AT_MOST_EVERY_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private final ConnectionPool pool;
    private final Settings settings;
    private final PoolClock clock;
    private final Slots slots;
    private final WaitQueue queue;
    private final Holders holders;
    private final Opener opener;

    /** Before those of {@link Holders}, {@link Opener}, {@link WaitQueue}; never held across driver or user code. */
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by lock.
    private final Sizer sizer = new Sizer();

    private final LongConsumer holding = sizer::holding; // linked before a crowd is there to wait for that
    private long evaluatedNanos = Long.MIN_VALUE / 2;

    Supply(ConnectionPool pool, Holders holders, Opener opener) {
        this.pool = pool;
        this.settings = pool.settings;
        this.clock = pool.clock;
        this.slots = pool.slots;
        this.queue = pool.queue;
        this.holders = holders;
        this.opener = opener;
    }

    /** A place became free, or a connection: those who wait may be better served now. */
    void changed() {
        if (queue.sizeVolatile() > 0 || slots.live() < settings.minimumPoolSize()) {
            replenish(clock.now());
        }
    }

    /** Starts as many connects as the waiters are worth, and as the minimum lacks. */
    void replenish(long now) {
        if (pool.isClosed() || pool.isSuspended() || !lock.tryLock()) {
            return;
        }
        List<Opener.Attempt> reserved;
        try {
            int wanted = 0;
            int waiting = queue.sizeVolatile();
            if (waiting > 0 && (slots.live() == 0 || now - evaluatedNanos >= EVALUATE_AT_MOST_EVERY_NANOS)) {
                evaluatedNanos = now;
                wanted = worthOpening(now, waiting, opener.opening());
            }
            reserved = opener.reserve(wanted, settings.minimumPoolSize(), now);
        } finally {
            lock.unlock();
        }
        opener.start(reserved);
    }

    private int worthOpening(long now, int waiting, int opening) {
        holders.observe(now, holding);
        return sizer.opensWanted(
                now,
                slots.live(),
                opening,
                settings.maximumPoolSize(),
                settings.acquireIncrement(),
                waiting,
                queue.headSinceNanos());
    }

    /** A loan that had to be waited for ended after so long; left out if somebody evaluates just now. */
    void held(long heldNanos, long now) {
        if (lock.tryLock()) {
            try {
                sizer.held(heldNanos, now);
            } finally {
                lock.unlock();
            }
        }
    }

    void connected(long tookNanos) {
        lock.lock();
        try {
            sizer.connected(tookNanos);
        } finally {
            lock.unlock();
        }
    }

    void sampleArrivals(long acquires, long now) {
        lock.lock();
        try {
            sizer.arrivals(acquires, now);
        } finally {
            lock.unlock();
        }
    }

    /** Retires what is above a lowered maximum: idle ones now, of those in use as many as remain when they come home. */
    void shrinkTo(int maximum) {
        int surplus = slots.live() - maximum;
        for (Slot slot : slots.all()) {
            surplus -= slot.isCondemned() ? 1 : 0;
        }
        for (Slot slot : slots.all()) {
            if (surplus > 0 && slot.isAvailable()) {
                pool.condemn(slot, RetireReason.SURPLUS);
                surplus--;
            }
        }
        for (Slot slot : slots.all()) {
            if (surplus > 0 && slot.state() != Slot.RETIRED && !slot.isCondemned()) {
                pool.condemn(slot, RetireReason.SURPLUS);
                surplus--;
            }
        }
    }
}
