package dev.weir.console.window;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a pool shows at one look, and since the look before. Times are in milliseconds, rates in seconds; what is not told is null.
 *
 * @param at when, by the clock of its JVM, since 1970
 * @param told whether it told holders, waiters and failures; the JMX agent refuses that to a user that may only read
 * @param loans where the time of loans went since the start, by the names of {@link dev.weir.LoanTimes}; all 0 if it was not measured
 * @param settings those that can be changed
 * @param advice what would serve the pool better, by its own account; empty if all is well
 * @param troubles what is wrong now, in words; empty if all is well
 */
public record PoolView(
        String name,
        String mode,
        long at,
        boolean suspended,
        Counts counts,
        Totals totals,
        @Nullable Rates rates,
        @Nullable Waits waits,
        @Nullable Uses uses,
        boolean told,
        List<Holder> holders,
        List<Waiter> waiters,
        List<Failure> failures,
        Map<String, Long> loans,
        List<String> idlePlaces,
        int mostInUse,
        int neededForTransactions,
        Map<String, Long> pinned,
        Map<String, Long> servers,
        Map<String, Object> settings,
        Trend trend,
        List<String> advice,
        List<String> troubles) {

    /** Now; {@code oldestConnect} is 0 if no connect is under way. */
    public record Counts(
            int maximum,
            int minimum,
            int total,
            int inUse,
            int idle,
            int waiting,
            int opening,
            int closing,
            long oldestConnect) {}

    /** Since the pool started. */
    public record Totals(long acquired, long timedOut, long opened, long openFailed, Map<String, Long> retired) {}

    /** A second, since the look before; the numbers of timeouts and failed connects are whole. */
    public record Rates(
            double seconds, double acquired, double opened, double retired, long timedOut, long openFailed) {}

    /**
     * Of acquires, over the last minute or since the first look.
     *
     * @param waitedPercent the share of those that waited at all
     * @param p50 half took no longer, those that did not wait included; within a third
     * @param p99 99 of 100 took no longer
     */
    public record Waits(double waitedPercent, double p50, double p99) {}

    /** How long connections were in use, of those returned over the last minute or since the first look, as far as they were sampled. */
    public record Uses(double p50, double p99) {}

    /**
     * A connection in use; {@code session} is the database's id of it, {@code doing} the {@link dev.weir.HeldConnection.Doing} of its
     * thread in small letters.
     */
    public record Holder(
            long connection,
            long heldFor,
            @Nullable String thread,
            @Nullable String session,
            @Nullable String sql,
            @Nullable String place,
            @Nullable String acquiredPlace,
            List<String> stack,
            List<String> acquiredAt,
            String doing) {}

    /** A thread that waits. */
    public record Waiter(
            String thread, long waited, @Nullable String place, List<String> stack) {}

    /** A connect that failed, and how long ago. */
    public record Failure(long ago, String kind, String message) {}

    /** One number a look, the newest last; the others but inUse and waiting have one less, as each counts since the look before; {@code p99} is of waits. */
    public record Trend(
            List<Long> at,
            List<Double> inUse,
            List<Double> waiting,
            List<Double> acquired,
            List<Double> timedOut,
            List<Double> p99,
            List<Double> useP99) {}
}
