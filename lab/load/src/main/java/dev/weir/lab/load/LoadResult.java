package dev.weir.lab.load;

/**
 * What came of it. Times are those of answers with status 200 to requests begun while it counted, also of those that came
 * in the grace; they begin when the request was due, not when a connection was free to send it.
 *
 * @param requests answered with status 200 while it counted
 * @param meanMicros mean of the times, microseconds
 * @param stdevMicros their standard deviation
 * @param p50Micros their median
 * @param p90Micros their 90th percentile
 * @param p99Micros their 99th percentile
 * @param p999Micros their 99.9th percentile
 * @param maxMicros the longest
 * @param non200 requests answered with another status
 * @param failed requests whose connection broke, or which were not answered in time
 * @param unsent requests that were due and never begun, as too many were under way (open loop)
 * @param offeredRate requests a second that were due; in a closed loop those that were begun
 * @param servedRate requests a second that were answered with status 200 while it counted
 */
public record LoadResult(
        long requests,
        double meanMicros,
        double stdevMicros,
        double p50Micros,
        double p90Micros,
        double p99Micros,
        double p999Micros,
        double maxMicros,
        long non200,
        long failed,
        long unsent,
        double offeredRate,
        double servedRate) {

    /** Returns how many requests were not answered as they should. */
    public long errors() {
        return non200 + failed + unsent;
    }
}
