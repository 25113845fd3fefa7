package dev.weir.lab.workload.down;

import dev.weir.lab.workload.Users;
import dev.weir.lab.workload.Users.Request;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What users saw from the moment on that the database went away.
 *
 * @param requests all that ended after that moment, and when it came back
 * @param struckNanos when it went away
 * @param backNanos when it was back
 * @param usualRate requests served in a nanosecond before
 */
record Recovery(List<Request> requests, long struckNanos, long backNanos, double usualRate) {
    private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final double FULL = 0.8;

    /** Milliseconds from the return to the end of the first request that was served after it; NaN if none was. */
    double firstSuccessMillis() {
        return requests.stream()
                .filter(request -> request.served() && request.endNanos() >= backNanos)
                .mapToLong(Request::endNanos)
                .min()
                .stream()
                .mapToDouble(first -> (first - backNanos) / 1e6)
                .findFirst()
                .orElse(Double.NaN);
    }

    /**
     * Milliseconds from the return to the end of the first tenth of a second, of those that begin after it, in which users
     * were served at 0.8 of the usual rate; NaN if there is none.
     */
    double fullRateMillis() {
        long[] served = requests.stream()
                .filter(Request::served)
                .mapToLong(Request::endNanos)
                .filter(end -> end >= backNanos)
                .sorted()
                .toArray();
        long last = served.length == 0 ? 0 : served[served.length - 1];
        int from = 0;
        int to = 0;
        for (long begin = backNanos; begin + WINDOW_NANOS <= last; begin += STEP_NANOS) {
            while (served[from] < begin) {
                from++;
            }
            while (to < served.length && served[to] < begin + WINDOW_NANOS) {
                to++;
            }
            if (to - from >= FULL * usualRate * WINDOW_NANOS) {
                return (begin + WINDOW_NANOS - backNanos) / 1e6;
            }
        }
        return Double.NaN;
    }

    double longestGetMillis() {
        return requests.stream().mapToLong(Request::getNanos).max().orElse(0) / 1e6;
    }

    int count(Users.Result outcome) {
        return (int) requests.stream()
                .filter(request -> request.outcome() == outcome)
                .count();
    }
}
