package dev.weir.cli.tune;

import dev.weir.cli.shared.Target;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Threads that run the query again and again for a while; what ends in the last three quarters of it counts. A thread
 * whose connection broke gives up.
 */
final class Load {
    private static final double WARM_UP = 0.25;
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long PAUSE_AFTER_ERROR_MILLIS = 5;

    /** Where a thread gets its connection for one execution, and where it leaves it. */
    interface Lender {
        Connection take(int thread) throws SQLException;

        void giveBack(Connection connection) throws SQLException;
    }

    private final Query query;
    private final Target target;
    private final Lender lender;
    private final AtomicInteger rows;

    /**
     * Runs the query of this target.
     *
     * @param rows how many executions there were until now, so that the rows of parameters are used in turn
     */
    Load(Query query, Target target, Lender lender, AtomicInteger rows) {
        this.query = query;
        this.target = target;
        this.lender = lender;
        this.rows = rows;
    }

    /** Runs this many threads for this long, on connections of which there are so many. */
    Point run(int connections, int threads, Duration time) throws InterruptedException {
        long start = System.nanoTime();
        long counting = start + (long) (WARM_UP * (double) time.toNanos());
        long end = start + time.toNanos();
        List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Worker worker = new Worker(i, counting, end);
            workers.add(worker);
            worker.start();
        }
        try {
            for (Worker worker : workers) {
                join(worker, end + GRACE_NANOS);
            }
        } finally {
            workers.forEach(Worker::cancel);
        }
        for (Worker worker : workers) {
            // What still runs after that would use the next measurement's connection: it has given up.
            join(worker, end + 2 * GRACE_NANOS);
        }
        return summary(connections, workers, (double) (end - counting) / 1e9);
    }

    private static void join(Thread thread, long deadline) throws InterruptedException {
        thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
    }

    private static Point summary(int connections, List<Worker> workers, double seconds) {
        Histogram all = new Histogram(HIGHEST_NANOS, 3);
        long errors = 0;
        int gaveUp = 0;
        String failure = null;
        for (Worker worker : workers) {
            synchronized (worker) {
                all.add(worker.times);
                errors += worker.errors;
                gaveUp += worker.gaveUp ? 1 : 0;
                failure = failure == null ? worker.failure : failure;
            }
        }
        return new Point(
                connections,
                workers.size(),
                (double) all.getTotalCount() / seconds,
                all.getMean() / 1e6,
                (double) all.getValueAtPercentile(50) / 1e6,
                (double) all.getValueAtPercentile(99) / 1e6,
                all.getTotalCount(),
                errors,
                gaveUp,
                failure);
    }

    private final class Worker extends Thread {
        private final int index;
        private final long counting;
        private final long end;
        private volatile @Nullable PreparedStatement current;
        private volatile boolean cancelled;
        /** Also if it ends by what nobody expected. */
        private volatile boolean gaveUp = true;

        // guarded by this
        private final Histogram times = new Histogram(HIGHEST_NANOS, 3);
        private long errors;
        private @Nullable String failure;

        Worker(int index, long counting, long end) {
            super("tune-" + (index + 1));
            this.index = index;
            this.counting = counting;
            this.end = end;
            setDaemon(true);
        }

        @Override
        public void run() {
            boolean usable;
            do { // at least once, however late a busy machine lets it begin: a broken connection is found
                usable = once(rows.getAndIncrement());
            } while (usable && System.nanoTime() - end < 0);
            gaveUp = !usable;
        }

        /** Returns false if there is no use in going on. */
        private boolean once(int number) {
            long start = System.nanoTime();
            Connection connection = null;
            try {
                connection = lender.take(index);
                query.run(connection, number, statement -> current = statement);
                lender.giveBack(connection);
                record(start, System.nanoTime());
                return true;
            } catch (SQLException | RuntimeException e) {
                // What the end of the time cut off is not the database's failure.
                if (!cancelled) {
                    fail(e, query.rowOf(number));
                }
                return recover(connection);
            } finally {
                current = null;
            }
        }

        private synchronized void record(long start, long now) {
            if (now - counting >= 0 && now - end <= 0) {
                times.recordValue(Math.min(now - start, HIGHEST_NANOS));
            }
        }

        private synchronized void fail(Exception e, String row) {
            errors++;
            if (failure == null) {
                failure = target.explain(e) + (row.isEmpty() ? "" : " (" + row + ")");
            }
        }

        private boolean recover(@Nullable Connection connection) {
            if (connection == null) {
                return false;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(PAUSE_AFTER_ERROR_MILLIS);
                boolean valid = connection.isValid(1);
                lender.giveBack(connection);
                return valid;
            } catch (SQLException e) {
                return false;
            } catch (InterruptedException e) {
                interrupt();
                return false;
            }
        }

        void cancel() {
            PreparedStatement statement = current;
            if (statement != null && isAlive()) {
                cancelled = true;
                try {
                    statement.cancel();
                } catch (SQLException | RuntimeException e) {
                    // It ended meanwhile; or the driver cannot, and the thread is found still running.
                }
            }
        }
    }
}
