package dev.weir.internal.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * How many connections there are: demand meets supply here. Asked whenever one of the two changed, and by the Keeper's
 * timer while anybody waits.
 *
 * <p>One evaluation at a time: who finds one under way goes on, and what the other did not see the timer does. Connects
 * are reserved before it ends, so that the next evaluation counts them, and started after it, since starting runs user
 * code.
 */
final class Supply implements LoanTimer.Holds {
    private static final long EVALUATE_AT_MOST_EVERY_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
    private static final VarHandle EVALUATING;

    static {
        try {
            EVALUATING = MethodHandles.lookup().findVarHandle(Supply.class, "evaluating", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final PoolState pool;
    private final Loans loans;
    private final Opener opener;

    /**
     * Holds, connects and arrivals seen so far; guarded by its own monitor, except the ages of holds, which belong to the evaluation under way.
     */
    private final Sizer sizer = new Sizer();

    private final LongConsumer holding = new Holding(sizer);

    /**
     * An evaluation is under way. Begun by CAS, and ended by a plain assignment, which no lack of stack can prevent.
     */
    private volatile boolean evaluating;

    // Written by the evaluation under way.
    private long evaluatedNanos = Long.MIN_VALUE / 2;

    private int wantedAtOnce;

    Supply(PoolState pool, Loans loans, Opener opener) {
        this.pool = pool;
        this.loans = loans;
        this.opener = opener;
    }

    /** A place became free, or a connection: those who wait may be better served now. */
    void replenishIfWanted() {
        if (isWanted()) {
            replenish(pool.now());
        }
    }

    private boolean isWanted() {
        return pool.queue.sizeVolatile() > 0 || pool.slots.live() < pool.settings.minimumPoolSize();
    }

    /**
     * Starts as many connects as the waiters are worth, and as the minimum lacks.
     *
     * @return false if another thread is at it, which may not have counted its connects yet
     */
    boolean replenish(long now) {
        int reserved = reserve(now);
        if (reserved > 0) {
            opener.start();
        }
        return reserved >= 0;
    }

    /** As {@link #replenishIfWanted()}, by a connect that is over, whose thread makes one of those that are missing. */
    void replenishByConnect() {
        if (isWanted()) {
            opener.start(reserve(pool.now()) - 1);
        }
    }

    /** Returns how many connects are to be started; less than 0 if another thread is at it. */
    private int reserve(long now) {
        if (!pool.isLending()) {
            return 0;
        }
        if (!EVALUATING.compareAndSet(this, false, true)) {
            return -1;
        }
        try {
            int wanted = 0;
            int atOnce = 0;
            int waiting = pool.queue.sizeVolatile();
            if (waiting > 0 && (pool.slots.live() == 0 || now - evaluatedNanos >= EVALUATE_AT_MOST_EVERY_NANOS)) {
                evaluatedNanos = now;
                wanted = worthOpening(now, waiting, opener.opening());
                atOnce = wantedAtOnce;
            }
            return opener.reserve(wanted, pool.settings.minimumPoolSize(), atOnce, now);
        } finally {
            evaluating = false;
        }
    }

    private int worthOpening(long now, int waiting, int opening) {
        loans.observe(now, holding);
        long headSinceNanos = pool.queue.headSinceNanos();
        long lent = pool.slots.acquires();
        boolean well = opener.gate.isWell(pool.clock.suspectBefore(), now);
        long oldest = opening > 0 ? opener.oldestSinceNanos() : Long.MAX_VALUE;
        synchronized (sizer) {
            sizer.waiting(waiting, lent, now);
            sizer.connects(well, oldest, pool.settings.acquireSurge());
            int wanted = sizer.opensWanted(
                    now,
                    pool.slots.live(),
                    opening,
                    pool.settings.maximumPoolSize(),
                    pool.settings.acquireIncrement(),
                    waiting,
                    headSinceNanos,
                    pool.settings.connectionTimeoutNanos());
            wantedAtOnce = sizer.mostAtOnce(pool.settings.acquireIncrement());
            return wanted;
        }
    }

    /** The Keeper found the queue empty. */
    void nobodyWaits(long now) {
        long lent = pool.slots.acquires();
        synchronized (sizer) {
            sizer.waiting(0, lent, now);
        }
    }

    /** A loan that had to be waited for ended after so long; left out if another thread evaluates just now. */
    @Override
    public void loanEnded(long heldNanos, long now) {
        if (!evaluating) {
            synchronized (sizer) {
                sizer.loanEnded(heldNanos, now);
            }
        }
    }

    void connected(long tookNanos, long now) {
        synchronized (sizer) {
            sizer.connected(tookNanos, now);
        }
    }

    void sampleArrivals(long acquires, long now) {
        synchronized (sizer) {
            sizer.arrivals(acquires, now);
        }
    }

    /** Tells the sizer the ages of the holds; a class, which is loaded before a crowd is there to wait for it. */
    private record Holding(Sizer sizer) implements LongConsumer {
        @Override
        public void accept(long ageNanos) {
            sizer.holding(ageNanos);
        }
    }
}
