package dev.weir.internal.engine;

import dev.weir.internal.drivers.ConnectFailure;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Connects that failed starts of one data source have left behind: each ended its own pool, but a driver may hold on to its
 * connects for as long as it likes. They count among the connections of the pool that comes next, so that the maximum holds
 * over all of them. Thread-safe; the counts only go down between two failures.
 */
public final class Strays {
    /** A pool whose start failed; it opens nothing any more. */
    interface EndedPool {
        /** Connections, and connects, that hold a place: they are being closed, or may still come. */
        int holding();

        /** All of them, and those connects that are older than connectTimeout and yet not over. */
        public int physical();

        /** Connects that it has begun, and those that were begun before it was made. */
        long begun();

        /** Of these, those that succeeded. */
        long opened();

        /** Why it could open nothing, as if it were of a pool whose clock says {@code now}. */
        @Nullable
        ConnectFailure lastFailureAsOf(long now);

        /** Waits, within bounds, until it has ended. */
        public void awaitEnd();
    }

    private final List<EndedPool> failedStarts = new CopyOnWriteArrayList<>();

    private volatile long begun; // as opened, written by who starts the pool, one at a time
    private volatile long opened;

    public void add(EndedPool pool) {
        begun = pool.begun(); // with those of the failed starts before it
        opened = pool.opened();
        failedStarts.removeIf(before -> before.physical() == 0);
        failedStarts.add(pool);
    }

    /** As {@link EndedPool#holding}, of all. */
    int holding() {
        int sum = 0;
        for (EndedPool pool : failedStarts) {
            sum += pool.holding();
        }
        return sum;
    }

    /** Connects that were begun in all of them. */
    public long begun() {
        return begun;
    }

    /** Of these, those that succeeded. */
    public long opened() {
        return opened;
    }

    /** As {@link EndedPool#physical}, of all. */
    public int physical() {
        int sum = 0;
        for (EndedPool pool : failedStarts) {
            sum += pool.physical();
        }
        return sum;
    }

    /** As {@link EndedPool#lastFailureAsOf}, of the last that failed. */
    @Nullable
    ConnectFailure lastFailureAsOf(long now) {
        return failedStarts.isEmpty()
                ? null
                : failedStarts.get(failedStarts.size() - 1).lastFailureAsOf(now);
    }

    /** Waits, within bounds, until the failed pools have ended. */
    public void awaitEnd() {
        for (EndedPool pool : failedStarts) {
            pool.awaitEnd();
        }
    }
}
