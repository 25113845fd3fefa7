package dev.weir.cli.tune;

import org.jspecify.annotations.Nullable;

/**
 * What was measured at one number of connections and threads.
 *
 * @param connections that were open, or in the pool
 * @param threads that ran the statement again and again
 * @param throughput executions that succeeded, per second
 * @param meanMillis time of one execution, the wait for a connection included
 * @param p50Millis its median
 * @param p99Millis its 99th percentile
 * @param executions how many succeeded in the time that counts
 * @param errors how many failed
 * @param gaveUp threads that did not work to the end: their connection broke, they got none, or they never came back
 * @param failure what one of them said, without secrets, or null
 */
record Point(
        int connections,
        int threads,
        double throughput,
        double meanMillis,
        double p50Millis,
        double p99Millis,
        long executions,
        long errors,
        int gaveUp,
        @Nullable String failure) {
    private static final double TOLERATED_ERRORS = 0.01;

    /**
     * Whether so many executions failed, or so few succeeded, that the point says nothing about speed; or it was not so many
     * threads and connections that it was measured with.
     */
    boolean isUnsound() {
        return executions == 0 || gaveUp > 0 || errors > TOLERATED_ERRORS * (double) (executions + errors);
    }
}
