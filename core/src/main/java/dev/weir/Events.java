package dev.weir;

import org.jspecify.annotations.Nullable;

/** Stub: the pool's flight recorder events. */
final class Events {
    private Events() {}

    static void opened(String pool, long connectionId, long tookNanos) {}

    static void openFailed(String pool, long tookNanos, @Nullable String sqlState, @Nullable String message) {}

    static void retired(String pool, long connectionId, RetireReason reason, long ageNanos) {}

    static void acquireWaited(String pool, long waitedNanos, int waiting) {}

    static void acquireTimedOut(String pool, long waitedNanos, int inUse, int idle, int waiting, int opening) {}

    static void leaked(String pool, long connectionId, String holder, long heldNanos, String stack) {}
}
