package dev.weir.cli.demo;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/** Fifty requests that come in one moment, each with a query of two milliseconds. */
final class Spike {
    static final int REQUESTS = 50;
    static final Duration QUERY = Duration.ofMillis(2);
    private static final int LIMIT_SECONDS = 30;

    private final Meter meter;
    private final boolean sleepInServer;
    private final CyclicBarrier together = new CyclicBarrier(REQUESTS, () -> start = System.nanoTime());
    private final CountDownLatch done = new CountDownLatch(REQUESTS);
    private final AtomicLongArray doneAt = new AtomicLongArray(REQUESTS);
    private volatile long start;

    /** {@code sleepInServer}: the database has pg_sleep; else the two milliseconds pass in the client. */
    Spike(Meter meter, boolean sleepInServer) {
        this.meter = meter;
        this.sleepInServer = sleepInServer;
    }

    /** Runs the spike; returns when each request was done after its start, in order, in nanoseconds. */
    long[] run() throws DemoFailure {
        for (int i = 0; i < REQUESTS; i++) {
            int number = i;
            Thread thread = new Thread(() -> request(number), "spike-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        try {
            if (!done.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new DemoFailure(
                        done.getCount() + " requests of the spike were not done within " + LIMIT_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DemoFailure("interrupted in the spike", e);
        }
        long[] times = new long[REQUESTS];
        Arrays.setAll(times, i -> Math.max(0, doneAt.get(i) - start));
        Arrays.sort(times);
        return times;
    }

    private void request(int number) {
        try {
            together.await(LIMIT_SECONDS, TimeUnit.SECONDS);
            try (Connection connection = meter.acquire();
                    Statement statement = connection.createStatement()) {
                if (sleepInServer) {
                    statement.execute("SELECT pg_sleep(0.002)");
                } else {
                    LockSupport.parkNanos(QUERY.toNanos());
                }
            }
        } catch (SQLException e) {
            meter.failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (BrokenBarrierException | TimeoutException e) {
            meter.failed(new SQLException("the threads of the spike did not start together", e));
        } finally {
            doneAt.set(number, System.nanoTime());
            done.countDown();
        }
    }
}
