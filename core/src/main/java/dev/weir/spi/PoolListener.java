package dev.weir.spi;

import dev.weir.RetireReason;

/**
 * Is called when something happens in a pool: for metrics and traces. A method does nothing unless it is overridden.
 * All times are in nanoseconds, of the pool's {@link Ticker}, and not negative.
 *
 * <p>Any thread may call any method, many at once; none is called while the pool holds a lock, but one that blocks
 * delays the thread it is called on, which is named at each method. A thread of the pool's own tells {@code leaked},
 * {@code openFailed} and {@code retired}, in their order. A listener that blocks there keeps them from itself alone.
 * Once a thousand wait for it, more are left out. An exception of a listener is logged once for each listener, and
 * changes nothing in the pool.
 *
 * <p>While a pool has a listener each acquire and each loan is told, and costs two readings of the clock; while it has none,
 * neither. Each event is told to the listeners that are there when it happens.
 */
public interface PoolListener {

    /**
     * An acquire got a connection. Called on the thread that acquires, before it has the connection: a listener that takes its
     * time keeps the connection from all, and one that borrows from the same pool needs another.
     *
     * @param waitedNanos from the moment that no connection was to be had until one was, at least 1; 0 if one was there
     */
    default void acquired(long waitedNanos) {}

    /**
     * An acquire got no connection within {@code connectionTimeout}. Called on the thread that acquires, before it
     * throws. It is not called for an acquire that failed for another reason (interrupted, refused, pool closed).
     *
     * @param waitedNanos how long it waited
     */
    default void acquireTimedOut(long waitedNanos) {}

    /**
     * A loan came to its end, and the connection is free for others. Called on the thread that gave it back. Loans that were
     * cut off, by the close of the pool or by {@code returnTimeout}, or whose handle was lost, are not told.
     *
     * @param usedNanos how long the connection was on loan, until it was cleaned
     */
    default void used(long usedNanos) {}

    /**
     * A loan has lasted longer than {@code leakDetectionThreshold}, and was reported in the log. Called once for a loan, on a
     * thread of the pool's own.
     *
     * @param heldNanos how long it has lasted at least
     */
    default void leaked(long heldNanos) {}

    /**
     * A physical connection was opened, prepared, and joined the pool. Called on the thread that opened it.
     *
     * @param tookNanos from the decision to open it until it was ready
     */
    default void opened(long tookNanos) {}

    /**
     * A physical connect failed, or was given up at {@code connectTimeout}. Called on a
     * thread of the pool's own.
     *
     * @param tookNanos from the decision to open it until it failed
     * @param kind the meaning of the failure; its message, without secrets, is in {@code PoolStats.lastOpenFailure()}
     */
    default void openFailed(long tookNanos, FailureClass kind) {}

    /**
     * The pool gave a physical connection up; it is closed about now. Called on a thread of
     * the pool's own.
     *
     * @param reason why
     * @param ageNanos since it was opened
     */
    default void retired(RetireReason reason, long ageNanos) {}

    /**
     * The pool was closed, for good: whatever shows it may go. Called once, on the thread that closes it, when all is done
     * or {@code closeTimeout} has passed; a connect that was given up before may still end after it.
     */
    default void closed() {}
}
