package dev.weir.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Waits for a condition that nobody announces (the state of a thread, a counter of the system under test), up to a
 * deadline. This is the one place that polls: where the thing waited for can signal, use a latch instead.
 */
public final class Await {

    private static final long POLL_NANOS = 200_000L;

    private Await() {}

    /** A condition that may fail with any exception, which ends the wait. */
    @FunctionalInterface
    public interface Condition {

        /**
         * Returns true once that which is waited for has happened.
         *
         * @throws Exception whatever the test meets
         */
        boolean holds() throws Exception;
    }

    /**
     * Waits until the condition holds.
     *
     * @param what names the condition in the failure
     * @param limit how long to wait at most
     * @throws AssertionError if the condition does not hold in time, or fails
     */
    public static void await(String what, Duration limit, Condition condition) {
        await(() -> what, limit, condition);
    }

    /**
     * Waits until the condition holds.
     *
     * @param what describes, when asked after the deadline, what did not happen
     * @param limit how long to wait at most
     * @throws AssertionError if the condition does not hold in time, or fails
     */
    public static void await(Supplier<String> what, Duration limit, Condition condition) {
        if (!becomesTrue(limit, condition)) {
            throw new AssertionError("not within " + limit.toMillis() + " ms: " + what.get());
        }
    }

    /**
     * Waits until the condition holds and says whether it did.
     *
     * @param limit how long to wait at most
     * @return false if the condition did not hold in time
     * @throws AssertionError if the condition fails
     */
    public static boolean becomesTrue(Duration limit, Condition condition) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!holds(condition)) {
            if (System.nanoTime() - deadline >= 0) {
                return holds(condition);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        return true;
    }

    /**
     * Waits until the thread is blocked: parked, or waiting for a monitor or another thread.
     *
     * @param limit how long to wait at most
     * @throws AssertionError if it does not block in time
     */
    public static void blocked(Thread thread, Duration limit) {
        await(() -> thread + " blocks, it is " + thread.getState(), limit, () -> isBlocked(thread));
    }

    static boolean isBlocked(Thread thread) {
        return switch (thread.getState()) {
            case BLOCKED, WAITING, TIMED_WAITING -> true;
            default -> false;
        };
    }

    private static boolean holds(Condition condition) {
        try {
            return condition.holds();
        } catch (Exception e) {
            throw new AssertionError("the condition failed: " + e, e);
        }
    }
}
