package dev.weir.spi;

/**
 * The pool's source of time: nanoseconds that only ever grow, from an arbitrary origin, as {@link System#nanoTime()}
 * gives them. Implementations are called from any thread.
 */
@FunctionalInterface
public interface Ticker {

    /** Returns the time in nanoseconds; only differences of two readings mean anything. */
    long nanos();

    /** Returns the ticker that reads {@link System#nanoTime()}. */
    static Ticker system() {
        return System::nanoTime;
    }
}
