package dev.weir.testkit.junit;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The holders of the watched connections, and the mistakes of the test that has a budget. Thread-safe. */
final class Holdings {
    static final Holdings ALL = new Holdings();

    /** The time for which another thread may still hold a connection when a test ends. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final Set<Held> held = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Trial trial;

    private Holdings() {}

    /** A connection from its acquire to its close. */
    static final class Held {
        private final Connection connection;
        private final Thread holder = Thread.currentThread();
        private final StackTraceElement[] acquiredAt = Stacks.ofCaller();
        private final CountDownLatch ended = new CountDownLatch(1);

        private Held(Connection connection) {
            this.connection = connection;
        }

        Connection connection() {
            return connection;
        }

        Thread holder() {
            return holder;
        }

        String acquired() {
            return "acquired by " + holder.getName() + Stacks.text(acquiredAt);
        }

        void end() {
            ALL.held.remove(this);
            ended.countDown();
        }

        private boolean endsWithin(long nanos) throws InterruptedException {
            return ended.await(nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** One test with a budget. */
    private static final class Trial {
        private final int budget;
        private final Set<Held> before;
        private final List<String> faults = new ArrayList<>();

        private Trial(int budget, Set<Held> before) {
            this.budget = budget;
            this.before = before;
        }

        synchronized void fault(String what) {
            faults.add(what);
        }

        synchronized List<String> faults() {
            return List.copyOf(faults);
        }
    }

    void begin(int budget) {
        trial = new Trial(budget, Set.copyOf(held));
    }

    /** Ends the test's account, closes what it leaked, and returns what it did wrong. */
    List<String> end() throws InterruptedException {
        Trial ending = trial;
        trial = null;
        if (ending == null) {
            return List.of();
        }
        long deadline = System.nanoTime() + GRACE.toNanos();
        for (Held one : held) {
            if (ending.before.contains(one)
                    || (one.holder != Thread.currentThread() && one.endsWithin(deadline - System.nanoTime()))) {
                continue;
            }
            ending.fault("a connection was not closed: " + one.acquired());
            one.end();
            try {
                one.connection.close();
            } catch (SQLException | RuntimeException e) {
                ending.fault("that connection could not be closed: " + e);
            }
        }
        return ending.faults();
    }

    /** To be called by the thread that acquires, before it does. */
    void aboutToAcquire() {
        Trial running = trial;
        if (running == null) {
            return;
        }
        List<Held> own = held.stream()
                .filter(one -> one.holder == Thread.currentThread())
                .toList();
        if (own.size() >= running.budget) {
            StringBuilder text = new StringBuilder(Thread.currentThread().getName())
                    .append(" acquires a connection while it holds ")
                    .append(own.size())
                    .append(" (budget: ")
                    .append(running.budget)
                    .append(")")
                    .append(Stacks.text(Stacks.ofCaller()));
            own.forEach(one -> text.append("\n  it holds one ").append(one.acquired()));
            running.fault(text.toString());
        }
    }

    Held acquired(Connection connection) {
        Held one = new Held(connection);
        held.add(one);
        return one;
    }

    /** Those that were acquired during the test. */
    List<Held> ofTest() {
        Trial running = trial;
        return running == null
                ? List.of()
                : held.stream().filter(one -> !running.before.contains(one)).toList();
    }

    void fault(String what) {
        Trial running = trial;
        if (running != null) {
            running.fault(what);
        }
    }
}
