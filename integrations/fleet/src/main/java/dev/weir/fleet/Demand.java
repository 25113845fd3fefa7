package dev.weir.fleet;

import dev.weir.PoolStats;

/** The most that a pool could have used lately, in use and waited for. Thread-safe. */
final class Demand {
    /** Looks that are remembered. */
    static final int LONG = 80;

    /** Looks that count while places are short: what was wanted before that is no reason to withhold a place. */
    static final int SHORT = 2;

    private final int[] seen = new int[LONG]; // guarded by this
    private int next; // guarded by this

    synchronized void seen(PoolStats stats) {
        seen[next] = stats.inUse() + stats.waiting();
        next = (next + 1) % LONG;
    }

    /** The peak of so many last looks, up to {@link #LONG}. */
    synchronized int peak(int looks) {
        int peak = 0;
        for (int i = 1; i <= looks; i++) {
            peak = Math.max(peak, seen[(next - i + LONG) % LONG]);
        }
        return peak;
    }
}
