package dev.weir.spi;

import dev.weir.RetireReason;

/**
 * Is called when something happens in a pool: for metrics and traces. A method does nothing unless it is overridden.
 * All times are in nanoseconds, of the pool's {@link Ticker}, and not negative.
 *
 * <p>Any thread may call any method, many at once; none is called while the pool holds a lock, but one that blocks
 * delays the thread it is called on, which is named at each method. What a listener throws is logged once for each
 * listener, and changes nothing in the pool.
 *
 * <p>No method is called for each acquire that did not wait, so that it costs nothing: those are told by their number, a
 * tick later. Over the life of a pool {@link #acquireWaited} and {@link #acquiredAtOnce} tell each acquire that got a
 * connection once, and {@link #used} stands for each loan once; a listener sees those that came after it was added.
 */
public interface PoolListener {

    /**
     * An acquire had to wait, and got a connection. Called on the thread that acquires, before it has the connection.
     *
     * @param waitedNanos from the moment that no connection was to be had until one was
     */
    default void acquireWaited(long waitedNanos) {}

    /**
     * So many acquires got a connection without waiting, since this was called last. Called on a thread of the pool's own, at
     * most once a tick of the pool's clock (100 ms, or a fifth of a {@code validateAfterIdle} below 500 ms), and when the
     * pool is closed. The next call waits for the end of this one.
     *
     * @param acquires how many; at least 1
     */
    default void acquiredAtOnce(long acquires) {}

    /**
     * An acquire got no connection within {@code connectionTimeout}. Called on the thread that acquires, before it
     * throws. It is not called for an acquire that failed for another reason (interrupted, refused, pool closed).
     *
     * @param waitedNanos how long it waited
     */
    default void acquireTimedOut(long waitedNanos) {}

    /**
     * A timed loan came to its end, and the connection is free for others. Called on the thread that gave it back; where it
     * stands for several and took less than 100 ms, with the acquires that did not wait.
     *
     * <p>Loans are sampled where they are many: timed is each one that had to wait, and of the others the first 64 of
     * each connection in each tick of the pool's clock (100 ms, or a fifth of a {@code validateAfterIdle} below 500
     * ms). A connection that is lent less than 640 times a second has every loan timed. Loans that the close of the
     * pool cut off are not told.
     *
     * @param usedNanos how long the connection was on loan, until it was cleaned
     * @param loans how many loans this one stands for: itself and those of the same connection that were not timed
     *     since the last one that was; at least 1
     */
    default void used(long usedNanos, long loans) {}

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
     * A physical connect failed, or was given up at {@code connectTimeout}. Called on the thread that connected, or on
     * the pool's own when it gave the connect up.
     *
     * @param tookNanos from the decision to open it until it failed
     * @param kind what the failure means; what it said, without secrets, is in {@code PoolStats.lastOpenFailure()}
     */
    default void openFailed(long tookNanos, FailureClass kind) {}

    /**
     * The pool gave a physical connection up; it is closed about now. Called on whichever thread found that it has to
     * go: a user's, or one of the pool's.
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
