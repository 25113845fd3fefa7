package dev.weir.fleet.tests;

import dev.weir.WeirDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Threads that use a pool without a pause, as many as are wanted. For one thread that says how many. */
final class Users {
    private final WeirDataSource pool;
    private final String statement;
    private final AtomicLong served = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final List<Thread> threads = new ArrayList<>();
    private volatile int wanted;
    private volatile String lastFailure = "-";

    Users(WeirDataSource pool, String statement) {
        this.pool = pool;
        this.statement = statement;
    }

    /** Has so many threads use the pool, and returns when those that are too many have given back what they held. */
    void want(int count) throws InterruptedException {
        wanted = count;
        while (threads.size() > count) {
            threads.remove(threads.size() - 1).join();
        }
        while (threads.size() < count) {
            int number = threads.size();
            Thread thread = new Thread(() -> use(number), "user-" + number);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    void end() throws InterruptedException {
        want(0);
    }

    private void use(int number) {
        while (number < wanted) {
            try (Connection connection = pool.getConnection();
                    Statement one = connection.createStatement()) {
                one.execute(statement);
                served.incrementAndGet();
            } catch (SQLException e) {
                failed.incrementAndGet();
                lastFailure = e.getSQLState() + " " + e.getMessage();
            }
        }
    }

    long served() {
        return served.get();
    }

    long failed() {
        return failed.get();
    }

    String lastFailure() {
        return lastFailure;
    }
}
