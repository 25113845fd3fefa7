package dev.weir.internal.engine;

import dev.weir.PoolStats;
import dev.weir.internal.drivers.ConnectFailure;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.waiting.PoolClock;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a pool says when it has no connection to give: how long, how many, who holds the longest and what they run, and the
 * last failure to open, which is also the cause. Made on the thread that throws it; never with a secret in it.
 */
final class Refusals {
    private final Settings settings;
    private final PoolClock clock;
    private final PoolState state;
    private final Loans loans;
    private final Supplier<PoolStats> stats;
    private final Supplier<@Nullable ConnectFailure> lastFailure;

    /**
     * @param stats counts the connections of the pool
     * @param lastFailure gives the last failure to open one, if any
     */
    Refusals(
            Settings settings,
            PoolClock clock,
            PoolState state,
            Loans loans,
            Supplier<PoolStats> stats,
            Supplier<@Nullable ConnectFailure> lastFailure) {
        this.settings = settings;
        this.clock = clock;
        this.state = state;
        this.loans = loans;
        this.stats = stats;
        this.lastFailure = lastFailure;
    }

    SQLException timedOut(long waitedNanos) {
        PoolStats s = stats.get();
        Events.acquireTimedOut(
                settings.poolName(), waitedNanos, s.inUse(), s.idle(), s.waiting(), s.opening(), s.closing());
        String longest = loans.longest(clock.now());
        return transientFailure(
                "no connection within " + millis(waitedNanos) + " ms (connectionTimeout: "
                        + millis(settings.connectionTimeoutNanos()) + " ms)"
                        + (state.isSuspended() ? ", the pool is suspended" : "") + counts(s)
                        + (longest == null ? "" : "; longest: " + longest),
                lastFailure.get());
    }

    SQLException interrupted(long waitedNanos) {
        return transientFailure("interrupted after waiting " + millis(waitedNanos) + " ms" + counts(), null);
    }

    SQLException tooManyWaiters(int maximum) {
        return transientFailure(
                maximum + " threads wait already (maximumWaiters: " + maximum + ")" + counts(), lastFailure.get());
    }

    SQLException notStarted(long waitedNanos) {
        return transientFailure(
                "could not open the first connection within " + millis(waitedNanos) + " ms (initializationFailTimeout: "
                        + millis(settings.initializationFailTimeoutNanos()) + " ms)" + counts(),
                lastFailure.get());
    }

    SQLException refused(ConnectFailure failure) {
        return transientFailure("the database refuses the pool's user", failure);
    }

    /** The pool has ended: it was closed, or could not be started. */
    SQLException closed() {
        long startedFor = state.startFailedAfterNanos();
        if (startedFor >= 0) {
            return notStarted(startedFor);
        }
        return new SQLNonTransientConnectionException("pool '" + settings.poolName() + "' is closed", "08003");
    }

    /** {@code ": maximum 60, total 10, ..."}. */
    String counts() {
        return counts(stats.get());
    }

    private String counts(PoolStats s) {
        return ": maximum " + settings.maximumPoolSize() + ", total " + s.total() + ", in use " + s.inUse() + ", idle "
                + s.idle() + ", waiting " + s.waiting() + ", opening " + s.opening() + ", closing "
                + s.closing();
    }

    private SQLException transientFailure(String message, @Nullable ConnectFailure failure) {
        String described = "";
        Throwable cause = null;
        if (failure != null) {
            cause = failure.cause();
            described =
                    "; last failure to open " + millis(clock.now() - failure.atNanos()) + " ms ago: " + failure.text();
        }
        return new SQLTransientConnectionException(
                "pool '" + settings.poolName() + "': " + message + described, "08001", cause);
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
