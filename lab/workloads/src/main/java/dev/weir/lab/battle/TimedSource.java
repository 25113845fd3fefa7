package dev.weir.lab.battle;

import dev.weir.lab.stub.BareDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Over a pool: takes the time of every getConnection(). */
final class TimedSource extends BareDataSource {
    private static final int DIGITS = 3;

    private final DataSource target;
    private final Histogram took = new ConcurrentHistogram(DIGITS);
    private final AtomicLong fromNanos = new AtomicLong(Long.MAX_VALUE);

    TimedSource(DataSource target) {
        this.target = target;
    }

    /** Counts what begins at this time or later; nothing before this was called. */
    void countFrom(long nanos) {
        fromNanos.set(nanos);
    }

    @Override
    public Connection getConnection() throws SQLException {
        long begun = System.nanoTime();
        try {
            return target.getConnection();
        } finally {
            if (begun >= fromNanos.get()) {
                took.recordValue(System.nanoTime() - begun);
            }
        }
    }

    /** Of all so far, in nanoseconds. To be read when nobody gets a connection any more. */
    Histogram took() {
        return took;
    }
}
