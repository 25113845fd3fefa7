package dev.weir.testkit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A clock in nanoseconds that stands still until it is moved. Thread-safe; a reading that happens after
 * {@link #advance} sees the new time.
 */
public final class ManualTicker implements LongSupplier {

    private final AtomicLong nanos;

    /** A clock that starts at an arbitrary origin close to the overflow of {@code long}, as real ones may. */
    public ManualTicker() {
        this(Long.MAX_VALUE - Duration.ofMinutes(1).toNanos());
    }

    /**
     * A clock that starts at the given reading.
     *
     * @param originNanos the first reading, in nanoseconds
     */
    public ManualTicker(long originNanos) {
        nanos = new AtomicLong(originNanos);
    }

    /** Returns the time in nanoseconds; only differences of two readings mean anything. */
    @Override
    public long getAsLong() {
        return nanos.get();
    }

    /**
     * Moves the clock forward.
     *
     * @param by how far
     * @return the new reading, in nanoseconds
     * @throws IllegalArgumentException if the duration is negative: the clocks this one stands for never go back
     */
    public long advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("by: " + by + " (expected: not negative)");
        }
        return nanos.addAndGet(by.toNanos());
    }
}
