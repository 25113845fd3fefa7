package dev.weir.internal.keeping;

import dev.weir.internal.shared.PoolState;
import dev.weir.internal.slots.Slot;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * The number of connections that a pool needs: by its settings, and by what was in use of late. All fields are the
 * Keeper's.
 */
public final class Need {
    private static final long TENTH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_GRAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final PoolState pool;
    /** Per grain of time, the most in use at once; {start, most}, the oldest first. */
    private final ArrayDeque<long[]> peaks = new ArrayDeque<>();

    /**
     * The least connections in use in each tenth of the last second; a short spike does not raise the least of these numbers.
     */
    private final int[] recentInUse = new int[10];

    private int recentAt;
    private long tenthNanos;

    public Need(PoolState pool) {
        this.pool = pool;
    }

    /** So many are in use at this tick; while a thread waits all connections are needed. */
    void noteTick(long now, int inUse, boolean somebodyWaits) {
        long tenths = (now - tenthNanos) / TENTH_NANOS;
        int least = Math.min(recentInUse[recentAt], inUse);
        if (tenths == 0) {
            recentInUse[recentAt] = least;
        } else {
            for (long left = Math.min(tenths, recentInUse.length); left > 1; left--) {
                nextTenth(least); // the Keeper was late, or at rest: not more than at both ends
            }
            nextTenth(inUse);
            tenthNanos = now;
        }
        notePeak(now, somebodyWaits ? pool.slots.live() : inUse);
    }

    private void nextTenth(int inUse) {
        recentAt = (recentAt + 1) % recentInUse.length;
        recentInUse[recentAt] = inUse;
    }

    /** So many were needed at this moment. */
    void notePeak(long now, int needed) {
        long[] last = peaks.peekLast();
        if (last != null && now - last[0] < grainOf(pool.settings.idleTimeoutNanos())) {
            last[1] = Math.max(last[1], needed);
        } else {
            peaks.addLast(new long[] {now, needed});
        }
    }

    /**
     * The least number of connections that there should be: the minimum, or minimumIdle more than a whole second had in
     * use. A start needs one at least: it waits for that, and not in the queue.
     */
    int least() {
        int least = recentInUse[0];
        for (int inUse : recentInUse) {
            least = Math.min(least, inUse);
        }
        int idle = pool.settings.minimumIdle() == 0 ? 0 : least + pool.settings.minimumIdle();
        int first = pool.startOpens() ? 1 : 0;
        return Math.min(
                pool.settings.maximumPoolSize(), Math.max(pool.settings.minimumPoolSize(), Math.max(first, idle)));
    }

    /**
     * The number of connections that the pool needs: {@link #least}, or minimumIdle more than were in use at once
     * within the last idleTimeout. A replacement for age is no need.
     */
    int needed(long now) {
        long window = pool.settings.idleTimeoutNanos();
        if (window == 0) {
            peaks.clear();
            return Integer.MAX_VALUE;
        }
        return Math.max(least(), Math.max(pool.slots.held(), peak(now, window)) + pool.settings.minimumIdle());
    }

    private int peak(long now, long window) {
        long grain = grainOf(window);
        for (long[] oldest = peaks.peekFirst(); oldest != null && oldest[0] + grain + window <= now; ) {
            peaks.removeFirst();
            oldest = peaks.peekFirst();
        }
        long most = 0;
        for (long[] peak : peaks) {
            most = Math.max(most, peak[1]);
        }
        return (int) most;
    }

    /** Connections that will not go as soon as their owners are done with them. */
    int staying() {
        int staying = 0;
        for (Slot slot : pool.slots.all()) {
            staying += slot.isCondemned() || slot.state() == Slot.RETIRED ? 0 : 1;
        }
        return staying;
    }

    /** The grain in which the time of a peak is known, within this window. */
    static long grainOf(long window) {
        return Math.min(LONGEST_GRAIN_NANOS, Math.max(1, window / 16));
    }
}
