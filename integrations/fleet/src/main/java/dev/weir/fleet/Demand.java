package dev.weir.fleet;

import dev.weir.PoolStats;

/** The most that a pool could have used lately: in use and waited for, its peak since the renewal before the last. Thread-safe. */
final class Demand {
    // guarded by this
    private int peak;
    private int peakBefore;

    synchronized void seen(PoolStats stats) {
        peak = Math.max(peak, stats.inUse() + stats.waiting());
    }

    synchronized int peak() {
        return Math.max(peak, peakBefore);
    }

    /** A renewal has told it. */
    synchronized void told() {
        peakBefore = peak;
        peak = 0;
    }
}
