package dev.weir;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The counts of a pool at about one moment: each is exact. Total, opening, begun, opened, openFailed and retired are of one moment;
 * inUse and idle are of one pass that meets each connection once. Together with the others they are no atomic snapshot.
 *
 * @param total physical connections that exist, in any state
 * @param inUse connections that a user holds, or that are being cleaned after use
 * @param idle connections that could be lent at once
 * @param waiting threads that wait for a connection
 * @param opening connects under way
 * @param closing connections that are being closed, and connects that were given up and have not ended
 * @param acquired connections lent since the pool started
 * @param timedOut acquires that gave up at {@code connectionTimeout} since the pool started
 * @param begun connects that were begun since the data source was made, those under way and those of starts that failed
 *     included
 * @param opened of these, connects that succeeded and whose connections were taken into the pool
 * @param openFailed connects that failed since the pool started
 * @param retired connections closed since the pool started, by reason; every reason is a key
 * @param servers how many connections there are to each server, by its own account when they were opened: address or name,
 *     port, and {@code (standby)} if it only reads; without those whose server does not say
 * @param serverMaximum how many connections the server allows to all its clients together, to this user or to this database,
 *     whichever is less, without those it reserves for others; asked once, of PostgreSQL, MariaDB and MySQL, soon after the
 *     start; 0 if it is not known
 * @param lastOpenFailureAt when a connect last failed, or null if none did
 * @param lastOpenFailure what it said, without secrets, or null if none did
 * @param pinned how often a connection stayed with its user in the {@code poolMode} transaction though no transaction was open, by
 *     what held it; at most 50 reasons, and {@code others}
 * @param loanTimes where the time of loans went since the pool started, while it was measured; all zero if it never was
 * @param places where connections were acquired since the pool started, by samples that cost less than a hundredth of one thread's
 *     time; at most a hundred, and {@code others}; those whose loans were held the longest in all first
 * @param advice what would serve the pool better, a sentence each with its numbers and what to set, written once a minute; empty if
 *     all is well. Fewer connections are named after an hour at the earliest, at least twice as many as were seen in use at once and as
 *     many as can have been; more of them only where the loans were measured, and no more than the server allows
 */
public record PoolStats(
        int total,
        int inUse,
        int idle,
        int waiting,
        int opening,
        int closing,
        long acquired,
        long timedOut,
        long begun,
        long opened,
        long openFailed,
        Map<RetireReason, Long> retired,
        Map<String, Integer> servers,
        int serverMaximum,
        @Nullable Instant lastOpenFailureAt,
        @Nullable String lastOpenFailure,
        Map<String, Long> pinned,
        LoanTimes loanTimes,
        List<PlaceStats> places,
        List<String> advice) {

    /** Copies the lists. */
    public PoolStats {
        places = List.copyOf(places);
        advice = List.copyOf(advice);
    }

    /** Before the first start. */
    static final PoolStats NONE = new PoolStats(
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            Map.of(),
            Map.of(),
            0,
            null,
            null,
            Map.of(),
            LoanTimes.NONE,
            List.of(),
            List.of());
}
