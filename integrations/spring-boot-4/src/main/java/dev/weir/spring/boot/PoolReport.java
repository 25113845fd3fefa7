package dev.weir.spring.boot;

import dev.weir.HeldConnection;
import dev.weir.LoanTimes;
import dev.weir.OpenFailure;
import dev.weir.PlaceStats;
import dev.weir.PoolStats;
import dev.weir.WeirDataSource;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One pool, as the endpoint shows it: what it does, what it is told to do, who holds what, what went wrong, and what took
 * long.
 */
record PoolReport(
        String name,
        String state,
        Counts counts,
        @Nullable FleetReport fleet,
        Map<String, Long> retired,
        Map<String, Integer> servers,
        Map<String, Long> pinned,
        Loans loans,
        List<Place> places,
        List<String> advice,
        Map<String, String> settings,
        List<Holder> holders,
        List<Failure> lastFailures,
        List<RecentEvents.Event> lastTimeouts,
        List<RecentEvents.Event> lastLongLoans,
        List<RecentEvents.Event> lastSlowConnects) {

    /** The counts of {@link PoolStats}. */
    record Counts(
            int total,
            int inUse,
            int idle,
            int waiting,
            int opening,
            int closing,
            long acquired,
            long timedOut,
            long opened,
            long openFailed) {}

    /** The {@link LoanTimes}. */
    record Loans(
            long measured,
            long beforeFirstStatementMillis,
            long inDriverMillis,
            long betweenTransactionsMillis,
            long idleInTransactionMillis,
            List<String> idlePlaces,
            int mostInUse,
            int neededForTransactions) {}

    /** The {@link PlaceStats}. */
    record Place(String place, long loans, long heldMillis, long waitedMillis, long longestMillis) {}

    /** A connection in use. */
    record Holder(
            long connection,
            long sessionId,
            Instant since,
            long heldMillis,
            String thread,
            String lastSql,
            List<String> stack,
            List<String> acquiredAt) {}

    /** A connect that failed. */
    record Failure(Instant at, String kind, String message) {}

    /**
     * Looks at a pool.
     *
     * @param fleet null if it is in none
     * @param shown what is shown as a setting's value, of its name and its value
     */
    static PoolReport of(
            WeirDataSource pool,
            @Nullable FleetReport fleet,
            RecentEvents recent,
            BinaryOperator<String> shown,
            boolean showSql) {
        PoolStats stats = pool.stats();
        Map<String, Long> retired = new TreeMap<>();
        stats.retired().forEach((reason, count) -> retired.put(reason.name(), count));
        Map<String, String> settings = new LinkedHashMap<>();
        pool.config().values().forEach((name, value) -> settings.put(name, shown.apply(name, value)));
        String name = pool.getPoolName();
        return new PoolReport(
                name == null ? "" : name,
                stateOf(pool),
                new Counts(
                        stats.total(),
                        stats.inUse(),
                        stats.idle(),
                        stats.waiting(),
                        stats.opening(),
                        stats.closing(),
                        stats.acquired(),
                        stats.timedOut(),
                        stats.opened(),
                        stats.openFailed()),
                fleet,
                retired,
                stats.servers(),
                stats.pinned(),
                loans(stats.loanTimes()),
                stats.places().stream().map(PoolReport::place).toList(),
                stats.advice(),
                settings,
                pool.held().stream().map(held -> holder(held, showSql)).toList(),
                pool.openFailures().stream().map(PoolReport::failure).toList(),
                recent.timeouts(),
                recent.longLoans(),
                recent.slowConnects());
    }

    private static Loans loans(LoanTimes times) {
        return new Loans(
                times.loans(),
                times.beforeFirstStatement().toMillis(),
                times.inDriver().toMillis(),
                times.betweenTransactions().toMillis(),
                times.idleInTransaction().toMillis(),
                times.idlePlaces(),
                times.mostInUse(),
                times.neededForTransactions());
    }

    private static Place place(PlaceStats place) {
        return new Place(
                place.place(),
                place.loans(),
                place.held().toMillis(),
                place.waited().toMillis(),
                place.longest().toMillis());
    }

    static String stateOf(WeirDataSource pool) {
        if (pool.isClosed()) {
            return "closed";
        }
        if (!pool.isRunning()) {
            return "not started";
        }
        return pool.isSuspended() ? "suspended" : "running";
    }

    private static Holder holder(HeldConnection held, boolean showSql) {
        return new Holder(
                held.id(),
                held.sessionId(),
                Instant.now().minus(held.heldFor()),
                held.heldFor().toMillis(),
                String.valueOf(held.thread()),
                showSql && held.lastSql() != null ? held.lastSql() : "",
                held.stack().stream().map(StackTraceElement::toString).toList(),
                held.acquiredAt().stream().map(StackTraceElement::toString).toList());
    }

    private static Failure failure(OpenFailure failure) {
        return new Failure(failure.at(), failure.kind().name(), failure.message());
    }
}
