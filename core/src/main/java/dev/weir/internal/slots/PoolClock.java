package dev.weir.internal.slots;

import dev.weir.spi.Ticker;

/**
 * The time of one pool, in nanoseconds since it was made, and the coarse copy of it that spares the path a clock.
 *
 * <p>While the pool is busy the Keeper writes the time here every {@link #periodNanos}. An acquire compares a slot's last use
 * with {@link #freshAfter}, one value that folds in everything that may forbid lending without a test: the time idle, the
 * suspicion after a failure, a clock that stands still because the pool is quiet, a pool that is suspended or closed, or that
 * tests before every hand-out. In the last four cases nothing is fresh, so that every acquire takes the slow path and meets the reason there.
 *
 * <p>The coarse time lags the true one by at most a period while the clock ticks, and {@link #freshAfter} is ahead by a
 * period, so that a connection is tested up to a period early. It lags by more if the Keeper's thread is late, or the whole
 * process stood still: nothing in memory tells of that, so an acquire asks {@link #isFresh} too, which takes the true time.
 */
public final class PoolClock {
    private static final long NOTHING_IS_FRESH = Long.MAX_VALUE;

    private final Ticker ticker;
    private final long origin;
    private final long systemOrigin;
    private final long validateAfterIdleNanos;
    private final long periodNanos;
    private final Object lock = new Object();

    private volatile long coarse;
    private volatile long freshAfter = NOTHING_IS_FRESH;

    // Guarded by lock.
    private volatile boolean ticking; // read by anybody
    private boolean barred;
    private long suspectBefore;

    public PoolClock(Ticker ticker, long validateAfterIdleNanos, long periodNanos) {
        this.ticker = ticker;
        this.origin = ticker.nanos();
        this.systemOrigin = System.nanoTime();
        this.validateAfterIdleNanos = validateAfterIdleNanos;
        this.periodNanos = periodNanos;
    }

    /** The exact time; that of the system where the user's ticker throws. Never throws. */
    public long now() {
        try {
            return ticker.nanos() - origin;
        } catch (Throwable e) {
            return System.nanoTime() - systemOrigin;
        }
    }

    /**
     * The time from one reading to another, as it is told to people. It is 0 where the later reading has the lesser
     * value: another thread noted its own meanwhile, or a user's ticker went back.
     */
    public static long elapsed(long now, long since) {
        return Math.max(0, now - since);
    }

    public long coarse() {
        return coarse;
    }

    /** A slot may be lent untested if it was last used at this time or later. */
    public long freshAfter() {
        return freshAfter;
    }

    /**
     * As {@link #freshAfter}, to the nanosecond: neither early by a period nor late with the Keeper, and though the
     * clock rests. For a last look, which may take a lock.
     */
    public long freshAfterExactly(long now) {
        synchronized (lock) {
            boolean mayBeFresh = !barred && validateAfterIdleNanos > 0;
            return mayBeFresh ? Math.max(now - validateAfterIdleNanos, suspectBefore) : NOTHING_IS_FRESH;
        }
    }

    /** Whether what was last used then may be lent untested now, by the exact time. */
    public boolean isFresh(long lastUsed, long now) {
        return now - lastUsed <= validateAfterIdleNanos;
    }

    /** The coarse time was found to be late. */
    public void catchUp(long now) {
        synchronized (lock) {
            if (ticking) { // else the Keeper sleeps, and nothing is fresh
                publish(now);
            }
        }
    }

    public long periodNanos() {
        return periodNanos;
    }

    /** The clock goes (again) and it is now. */
    public void tick(long now) {
        synchronized (lock) {
            ticking = true;
            publish(now);
        }
    }

    /** The pool is quiet: the clock may stand still until an acquire on the slow path starts it. */
    public void rest() {
        synchronized (lock) {
            ticking = false;
            publish(now());
        }
    }

    /** A connection that was last used before this time has to be tested before it is lent. */
    public void suspect(long before) {
        synchronized (lock) {
            suspectBefore = Math.max(suspectBefore, before);
            publish(now());
        }
    }

    /** Nothing may be lent until this is lifted: the pool is suspended, or closed. */
    public void bar(boolean on) {
        synchronized (lock) {
            barred = on;
            publish(now());
        }
    }

    public long suspectBefore() {
        synchronized (lock) {
            return suspectBefore;
        }
    }

    public boolean isTicking() {
        return ticking;
    }

    private void publish(long now) {
        coarse = now;
        boolean mayBeFresh = ticking && !barred && validateAfterIdleNanos > 0;
        long fresh = now - validateAfterIdleNanos + periodNanos;
        freshAfter = mayBeFresh ? Math.max(fresh, suspectBefore) : NOTHING_IS_FRESH;
    }
}
