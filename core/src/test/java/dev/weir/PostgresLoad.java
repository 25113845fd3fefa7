package dev.weir;

import static dev.weir.PostgresShared.SOON;
import static dev.weir.PostgresShared.execute;

import dev.weir.testkit.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** Threads that acquire, run one statement and give back, over and over, until closed; they remember what they saw. */
public final class PostgresLoad implements AutoCloseable {
    private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** One failure that a user saw. */
    public record Failed(boolean acquiring, SQLException cause) {}

    private final DataSource pool;
    private final String sql;
    private final List<Thread> threads = new ArrayList<>();
    private final Queue<Long> done = new ConcurrentLinkedQueue<>();
    private final Queue<Failed> failed = new ConcurrentLinkedQueue<>();
    private final AtomicLong longestAcquireNanos = new AtomicLong();
    private final long startedNanos = System.nanoTime();
    private volatile boolean stopped;

    public PostgresLoad(DataSource pool, int threads, String sql) {
        this.pool = pool;
        this.sql = sql;
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(this::run, "load-" + i);
            thread.setDaemon(true);
            this.threads.add(thread);
            thread.start();
        }
    }

    private void run() {
        while (!stopped) {
            boolean acquiring = true;
            long begun = System.nanoTime();
            try {
                Connection connection;
                try {
                    connection = pool.getConnection();
                } finally {
                    longestAcquireNanos.accumulateAndGet(System.nanoTime() - begun, Math::max);
                }
                acquiring = false;
                try (connection) {
                    execute(connection, sql);
                }
                done.add(System.nanoTime());
            } catch (SQLException e) {
                failed.add(new Failed(acquiring, e));
            }
        }
    }

    int done() {
        return done.size();
    }

    /** Waits until so many more have been served from now on. */
    public void awaitMore(int count) {
        int target = done.size() + count;
        Await.await(() -> target + " served, not " + done.size() + ", failed: " + failed, SOON, () -> done() >= target);
    }

    public List<Failed> failed() {
        return List.copyOf(failed);
    }

    public long failedAcquiring() {
        return failed.stream().filter(Failed::acquiring).count();
    }

    public long failedUsing() {
        return failed.stream().filter(failure -> !failure.acquiring()).count();
    }

    public long longestAcquireMillis() {
        return TimeUnit.NANOSECONDS.toMillis(longestAcquireNanos.get());
    }

    /** Milliseconds from this time to the first success after it. */
    public long millisToFirstSuccess(long sinceNanos) {
        long first = done.stream()
                .mapToLong(Long::longValue)
                .filter(at -> at >= sinceNanos)
                .min()
                .orElseThrow();
        return TimeUnit.NANOSECONDS.toMillis(first - sinceNanos);
    }

    /** Milliseconds from this time to the end of the first window of 100 ms that has 0.8 of the usual rate; -1 if none. */
    public long millisToFullRate(long sinceNanos, long faultNanos) {
        double usual = count(startedNanos, faultNanos) / (double) (faultNanos - startedNanos);
        long now = System.nanoTime();
        for (long from = sinceNanos; from + WINDOW_NANOS <= now; from += WINDOW_NANOS / 10) {
            if (count(from, from + WINDOW_NANOS) >= 0.8 * usual * WINDOW_NANOS) {
                return TimeUnit.NANOSECONDS.toMillis(from + WINDOW_NANOS - sinceNanos);
            }
        }
        return -1;
    }

    private long count(long fromNanos, long toNanos) {
        return done.stream().filter(at -> at >= fromNanos && at < toNanos).count();
    }

    @Override
    public void close() {
        stopped = true;
        for (Thread thread : threads) {
            try {
                thread.join(SOON.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
