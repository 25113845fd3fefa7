package dev.weir.cli.demo;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/** Acquires from a pool and keeps its own count of what came of it, to be held against the pool's. Thread-safe. */
final class Meter {
    private final DataSource pool;
    private final Recorder acquires = new Recorder(3);
    private final Recorder queries = new Recorder(3);
    private final LongAdder acquired = new LongAdder();
    private final LongAdder timedOut = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final AtomicReference<@Nullable SQLException> firstFailure = new AtomicReference<>();

    Meter(DataSource pool) {
        this.pool = pool;
    }

    Connection acquire() throws SQLException {
        long start = System.nanoTime();
        try {
            Connection connection = pool.getConnection();
            acquires.recordValue(Math.max(0, System.nanoTime() - start));
            acquired.increment();
            return connection;
        } catch (SQLTransientConnectionException e) {
            timedOut.increment();
            throw e;
        }
    }

    void queried(long nanos) {
        queries.recordValue(Math.max(0, nanos));
    }

    /** A request of the load did not succeed. */
    void failed(SQLException failure) {
        failed.increment();
        firstFailure.compareAndSet(null, failure);
    }

    Histogram takeAcquires() {
        return acquires.getIntervalHistogram();
    }

    Histogram takeQueries() {
        return queries.getIntervalHistogram();
    }

    long acquired() {
        return acquired.sum();
    }

    long timedOut() {
        return timedOut.sum();
    }

    long failures() {
        return failed.sum();
    }

    @Nullable
    SQLException firstFailure() {
        return firstFailure.get();
    }
}
