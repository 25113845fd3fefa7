package dev.weir.cli.demo;

import dev.weir.cli.shared.Stop;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Threads that read accounts and move money until they are told to stop. Of five requests four read; one in twenty of the
 * others is careless: it takes money, then closes its connection without a commit, and leaves it to the pool to undo that.
 */
final class Load {
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(20);
    private static final int JOIN_SECONDS = 15;

    private final Meter meter;
    private final Accounts accounts;
    private final Stop stop;
    private final List<Thread> threads = new ArrayList<>();
    private final LongAdder reads = new LongAdder();
    private final LongAdder transfers = new LongAdder();
    private final LongAdder forgotten = new LongAdder();
    private volatile boolean over;

    Load(Meter meter, Accounts accounts, Stop stop) {
        this.meter = meter;
        this.accounts = accounts;
        this.stop = stop;
    }

    void start(int count) {
        for (int i = 1; i <= count; i++) {
            Thread thread = new Thread(this::work, "load-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    /** Ends the load and waits for its threads; returns how many did not end. */
    int end() {
        over = true;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(JOIN_SECONDS);
        boolean interrupted = false;
        int left = 0;
        for (Thread thread : threads) {
            try {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
            } catch (InterruptedException e) {
                interrupted = true;
            }
            left += thread.isAlive() ? 1 : 0;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return left;
    }

    private void work() {
        while (!over && !stop.isRequested()) {
            try {
                request();
            } catch (SQLException e) {
                meter.failed(e);
                stop.await(PAUSE_AFTER_FAILURE);
            }
        }
    }

    private void request() throws SQLException {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        try (Connection connection = meter.acquire()) {
            if (random.nextInt(5) > 0) {
                long start = System.nanoTime();
                accounts.read(connection, random.nextInt(Accounts.COUNT));
                meter.queried(System.nanoTime() - start);
                reads.increment();
            } else {
                transfer(connection, random);
            }
        }
    }

    private void transfer(Connection connection, ThreadLocalRandom random) throws SQLException {
        // The lower id first: two transfers in opposite directions would wait for each other's row for ever.
        int first = random.nextInt(Accounts.COUNT - 1);
        int second = random.nextInt(first + 1, Accounts.COUNT);
        int amount = random.nextInt(-10, 11);
        accounts.take(connection, first, amount);
        if (random.nextInt(20) == 0) {
            forgotten.increment();
            return;
        }
        accounts.add(connection, second, amount);
        connection.commit();
        transfers.increment();
    }

    long reads() {
        return reads.sum();
    }

    long transfers() {
        return transfers.sum();
    }

    long forgotten() {
        return forgotten.sum();
    }
}
