package dev.weir.spring.boot;

import dev.weir.spi.PoolListener;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The last of one pool's acquires that timed out, of its long loans, and of its slow connects. Thread-safe. */
final class RecentEvents implements PoolListener {
    /** How many of each are kept. */
    static final int KEPT = 20;

    private final Ring timeouts = new Ring();
    private final Ring longLoans = new Ring();
    private final Ring slowConnects = new Ring();
    private final long longLoanNanos;
    private final long slowConnectNanos;

    RecentEvents(Duration longLoan, Duration slowConnect) {
        longLoanNanos = longLoan.toNanos();
        slowConnectNanos = slowConnect.toNanos();
    }

    /** What took how long, and the thread that was told: whose acquire timed out, who returned, who opened. */
    record Event(Instant at, long millis, String thread) {}

    /** The lock is held for the change of a small array, and for nothing else. */
    private static final class Ring {
        private final Deque<Event> events = new ArrayDeque<>(KEPT);

        void add(long nanos) {
            Event event = new Event(
                    Instant.now(),
                    Duration.ofNanos(nanos).toMillis(),
                    Thread.currentThread().getName());
            synchronized (events) {
                if (events.size() == KEPT) {
                    events.removeFirst();
                }
                events.addLast(event);
            }
        }

        List<Event> all() {
            synchronized (events) {
                return List.copyOf(events);
            }
        }
    }

    @Override
    public void acquireTimedOut(long waitedNanos) {
        timeouts.add(waitedNanos);
    }

    @Override
    public void used(long usedNanos) {
        if (usedNanos >= longLoanNanos) {
            longLoans.add(usedNanos);
        }
    }

    @Override
    public void opened(long tookNanos) {
        if (tookNanos >= slowConnectNanos) {
            slowConnects.add(tookNanos);
        }
    }

    /** The oldest first, as the others. */
    List<Event> timeouts() {
        return timeouts.all();
    }

    List<Event> longLoans() {
        return longLoans.all();
    }

    List<Event> slowConnects() {
        return slowConnects.all();
    }
}
