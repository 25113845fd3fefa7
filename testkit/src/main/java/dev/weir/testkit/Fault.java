package dev.weir.testkit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A fault that a {@link StubDatabase} has on some of its calls, until it is used up or {@linkplain #release released}.
 * Thread-safe.
 */
public final class Fault implements AutoCloseable {

    /** The fate of a call. */
    enum Kind {
        HANG,
        FAIL,
        DELAY
    }

    private final StubFaults owner;
    private final String method;
    private final Kind kind;
    private final @Nullable Supplier<? extends @Nullable Throwable> failure;
    private final long delayNanos;
    private final AtomicInteger left;
    private final AtomicInteger hits = new AtomicInteger();
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile boolean released;

    Fault(
            StubFaults owner,
            String method,
            Kind kind,
            int times,
            @Nullable Supplier<? extends @Nullable Throwable> failure,
            long delayNanos) {
        this.owner = owner;
        this.method = method;
        this.kind = kind;
        this.left = new AtomicInteger(times);
        this.failure = failure;
        this.delayNanos = delayNanos;
    }

    /** Returns how many calls met this fault so far. */
    public int hits() {
        return hits.get();
    }

    /** Returns how many calls hang in this fault now. */
    public int waiting() {
        return waiting.get();
    }

    /**
     * Waits until at least this many calls hang in this fault.
     *
     * @param calls how many
     * @param limit how long to wait at most
     * @throws AssertionError if they do not come in time
     */
    public void awaitWaiting(int calls, Duration limit) {
        Await.await(() -> calls + " calls hang in " + this, limit, () -> waiting() >= calls);
    }

    /** Ends the fault: calls that hang go on, later ones do not meet it. */
    public void release() {
        released = true;
        owner.remove(this);
    }

    /** As {@link #release()}. */
    @Override
    public void close() {
        release();
    }

    @Override
    public String toString() {
        return kind + " of " + method + " (hits " + hits + ", waiting " + waiting + ")";
    }

    String method() {
        return method;
    }

    Kind kind() {
        return kind;
    }

    long delayNanos() {
        return delayNanos;
    }

    boolean isReleased() {
        return released;
    }

    /** Takes one of the times this fault is good for; false once there are none. */
    boolean take() {
        if (left.get() != Integer.MAX_VALUE && left.getAndDecrement() <= 0) {
            return false;
        }
        hits.incrementAndGet();
        return true;
    }

    void entered() {
        waiting.incrementAndGet();
    }

    void left() {
        waiting.decrementAndGet();
    }

    @Nullable
    Throwable failure() {
        if (failure == null) {
            throw new IllegalStateException(this + " has no failure");
        }
        return failure.get();
    }
}
