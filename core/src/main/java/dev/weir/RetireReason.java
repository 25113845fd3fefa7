package dev.weir;

/** The reason for which the pool closed a physical connection. */
public enum RetireReason {
    /** It reached {@code maxLifetime}. */
    AGE,
    /** It was more than the pool needed in the last {@code idleTimeout}, or more than a lowered maximum allows. */
    SURPLUS,
    /** A failure in use said that it is gone, or its holder aborted it. */
    FAULT,
    /** It did not pass the test before it was lent, or a keepalive. */
    INVALID,
    /** It could not be brought back to a clean state at close, or not within {@code returnTimeout}. */
    UNCLEAN,
    /** No thread could reach its handle any more, so none could ever close it; found with {@code leakDetectionThreshold}. */
    RECLAIMED,
    /** An operator evicted it. */
    EVICTED,
    /** The pool was closed. */
    CLOSED
}
