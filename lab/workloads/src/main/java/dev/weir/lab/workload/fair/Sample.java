package dev.weir.lab.workload.fair;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * One measurement. The percentiles count every wait that ended in the measurement with its whole length, and every wait still
 * in flight at its end with the length it had by then: a thread that is never served must not vanish from them.
 *
 * @param nanos length of the measurement
 * @param cpuNanos processor time of the whole JVM meanwhile
 * @param completed waits that ended with a connection
 * @param closes how long each giving back took: some pools let those wait who return a connection
 * @param both the wait of a request and its giving back together: what the pool took from it, wherever it let it wait
 * @param inFlight waits that had not ended
 * @param served completions of each thread
 * @param totalOfFirstHalf completions of all threads in the first half of the measurement
 * @param failures acquires that threw
 * @param lastFailure what one of them said, or null
 */
record Sample(
        long nanos,
        long cpuNanos,
        Histogram completed,
        Histogram closes,
        Histogram both,
        Histogram inFlight,
        List<Long> served,
        long totalOfFirstHalf,
        long failures,
        @Nullable String lastFailure) {

    static Sample of(
            long nanos,
            long cpuNanos,
            Histogram completed,
            Histogram closes,
            Histogram both,
            Histogram inFlight,
            long totalOfFirstHalf,
            List<Client> clients) {
        long[] served = clients.stream().mapToLong(Client::completions).toArray();
        return new Sample(
                nanos,
                cpuNanos,
                completed,
                closes,
                both,
                inFlight,
                Arrays.stream(served).boxed().toList(),
                totalOfFirstHalf,
                clients.stream().mapToLong(Client::failures).sum(),
                clients.stream()
                        .map(Client::lastFailure)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null));
    }

    Histogram all() {
        Histogram all = new Histogram(completed);
        all.add(inFlight);
        return all;
    }

    /** Completions of all threads. */
    long total() {
        return served.stream().mapToLong(Long::longValue).sum();
    }

    /** Completions of the luckiest thread. */
    long most() {
        return served.stream().mapToLong(Long::longValue).max().orElse(0);
    }

    /** Completions of the unluckiest thread. */
    long least() {
        return served.stream().mapToLong(Long::longValue).min().orElse(0);
    }

    /** Threads that were not served at all. */
    long unserved() {
        return served.stream().filter(count -> count == 0).count();
    }
}
