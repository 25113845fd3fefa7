package dev.weir.lab.workload.fair;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.HdrHistogram.AtomicHistogram;
import org.jspecify.annotations.Nullable;

/**
 * One thread of a load: acquire, hold, give back, again.
 *
 * <p>Its fields are written by its own thread alone, and volatile for the observer, who looks at them while it runs.
 */
final class Client implements Runnable {
    private final DataSource pool;
    private final Work work;
    private final Phase phase;
    private final Load load;
    private final AtomicHistogram waits;
    private final AtomicHistogram closes;
    private final AtomicHistogram both;

    private volatile long waitingSince;
    private volatile long completions;
    private volatile long failures;
    private volatile @Nullable String lastFailure;
    private volatile long residue;

    Client(
            DataSource pool,
            Work work,
            Phase phase,
            Load load,
            AtomicHistogram waits,
            AtomicHistogram closes,
            AtomicHistogram both) {
        this.pool = pool;
        this.work = work;
        this.phase = phase;
        this.load = load;
        this.waits = waits;
        this.closes = closes;
        this.both = both;
    }

    @Override
    public void run() {
        phase.arrive();
        while (!phase.isOver()) {
            once(System.nanoTime());
            between();
        }
    }

    /** The request is there from now on, whenever its thread comes to run; called before the threads are let go. */
    void begins(long now) {
        waitingSince = now;
    }

    @SuppressWarnings("ThreadPriorityCheck") // that a yield changes who is served is what is measured
    private void between() {
        switch (load.between()) {
            case NONE -> {}
            case YIELD -> Thread.yield();
            case THINK -> LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(load.thinkMicros()));
        }
    }

    private void once(long since) {
        waitingSince = since;
        try {
            Connection connection = pool.getConnection();
            long waited = System.nanoTime() - since;
            waitingSince = 0;
            residue = work.perform(residue + System.identityHashCode(connection));
            long closing = System.nanoTime();
            connection.close();
            if (phase.isMeasured()) {
                long closed = Math.max(0, System.nanoTime() - closing);
                waits.recordValue(Math.max(0, waited));
                closes.recordValue(closed);
                both.recordValue(Math.max(0, waited) + closed);
                long before = completions;
                completions = before + 1;
            }
        } catch (SQLException e) {
            waitingSince = 0;
            lastFailure = e.toString();
            if (phase.isMeasured()) {
                long before = failures;
                failures = before + 1;
            }
        }
    }

    long completions() {
        return completions;
    }

    @Nullable
    String lastFailure() {
        return lastFailure;
    }

    long failures() {
        return failures;
    }

    /** How long the wait in flight lasts already, or 0 if there is none. */
    long inFlight(long now) {
        long since = waitingSince;
        return since == 0 || since - now > 0 ? 0 : Math.max(1, now - since);
    }
}
