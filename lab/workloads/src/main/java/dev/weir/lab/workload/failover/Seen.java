package dev.weir.lab.workload.failover;

import dev.weir.lab.workload.Users.Request;
import dev.weir.lab.workload.Users.Result;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/**
 * What users saw of a failover. Times are from the moment at which the old primary was struck; the longest gap counts from
 * the moment at which the new one was ready, since no pool can write before.
 *
 * @param requests all that ended from the first moment on
 * @param struckNanos when the old primary was struck
 * @param readyNanos when the new one took writes and new connections led to it; the same, if it did before
 * @param endNanos when no more was looked at
 */
record Seen(List<Request> requests, long struckNanos, long readyNanos, long endNanos) {
    private static final String READ_ONLY = "25006";

    int failed() {
        return (int) requests.stream().filter(request -> !request.served()).count();
    }

    int failed(Result outcome) {
        return (int) requests.stream()
                .filter(request -> request.outcome() == outcome)
                .count();
    }

    /** Milliseconds until the last write failed; 0 if none did. */
    double lastFailureMillis() {
        return requests.stream()
                        .filter(request -> !request.served())
                        .mapToLong(request -> request.endNanos() - struckNanos)
                        .max()
                        .orElse(0)
                / 1e6;
    }

    /** The longest time in milliseconds without a good write since the new primary was ready. */
    double longestGapMillis() {
        return longestGapMillis(readyNanos);
    }

    /** The longest time in milliseconds without a good write since the old primary was struck. */
    double rawGapMillis() {
        return longestGapMillis(struckNanos);
    }

    private double longestGapMillis(long fromNanos) {
        long[] good = LongStream.concat(
                        requests.stream()
                                .filter(request -> request.served() && request.endNanos() >= fromNanos)
                                .mapToLong(Request::endNanos),
                        LongStream.of(endNanos))
                .sorted()
                .toArray();
        long longest = 0;
        long last = fromNanos;
        for (long end : good) {
            longest = Math.max(longest, end - last);
            last = end;
        }
        return longest / 1e6;
    }

    /**
     * How many writes were refused on connections that were lent after the first such refusal was known: the pool could have
     * known better. A write that was under way by then is not among them.
     */
    int readOnlyLentAgain() {
        OptionalLong known = requests.stream()
                .filter(Seen::isRefused)
                .mapToLong(Request::endNanos)
                .min();
        return known.isEmpty()
                ? 0
                : (int) requests.stream()
                        .filter(request -> isRefused(request) && request.gotNanos() > known.getAsLong())
                        .count();
    }

    private static boolean isRefused(Request request) {
        return request.outcome() == Result.FAILED_IN_USE && request.sqlState().equals(READ_ONLY);
    }
}
