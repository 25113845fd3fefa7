package dev.weir;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a pool says when it has no connection to give: how long, how many, who holds the longest and what they run, and the
 * last failure to open, which is also the cause. Made on the thread that throws it; never with a secret in it.
 */
final class Refusals {
    private final ConnectionPool pool;
    private final Settings settings;
    private final Holders holders;

    Refusals(ConnectionPool pool, Holders holders) {
        this.pool = pool;
        this.settings = pool.settings;
        this.holders = holders;
    }

    SQLException timedOut(long waitedNanos) {
        PoolStats s = pool.stats();
        Events.acquireTimedOut(settings.poolName(), waitedNanos, s.inUse(), s.idle(), s.waiting(), s.opening());
        String longest = holders.longest(pool.clock.now());
        return transientFailure(
                "no connection within " + millis(waitedNanos) + " ms (connectionTimeout: "
                        + millis(settings.connectionTimeoutNanos()) + " ms)"
                        + (pool.isSuspended() ? ", the pool is suspended" : "") + counts(s)
                        + (longest == null ? "" : "; longest: " + longest),
                pool.opener.lastFailure());
    }

    SQLException interrupted(long waitedNanos) {
        return transientFailure("interrupted after waiting " + millis(waitedNanos) + " ms" + counts(), null);
    }

    SQLException tooManyWaiters(int maximum) {
        return transientFailure(
                maximum + " threads wait already (maximumWaiters: " + maximum + ")" + counts(),
                pool.opener.lastFailure());
    }

    SQLException notStarted(long waitedNanos) {
        return transientFailure(
                "could not open the first connection within " + millis(waitedNanos) + " ms (initializationFailTimeout: "
                        + millis(settings.initializationFailTimeoutNanos()) + " ms)",
                pool.opener.lastFailure());
    }

    SQLException refused(Opener.Failure failure) {
        return transientFailure("the database refuses the pool's user", failure);
    }

    SQLException closed() {
        return new SQLNonTransientConnectionException("pool '" + settings.poolName() + "' is closed", "08003");
    }

    /** {@code ": maximum 60, total 10, ..."}. */
    String counts() {
        return counts(pool.stats());
    }

    private String counts(PoolStats s) {
        return ": maximum " + settings.maximumPoolSize() + ", total " + s.total() + ", in use " + s.inUse() + ", idle "
                + s.idle() + ", waiting " + s.waiting() + ", opening " + s.opening();
    }

    private SQLException transientFailure(String message, Opener.@Nullable Failure failure) {
        String described = "";
        Throwable cause = null;
        if (failure != null) {
            cause = failure.cause();
            described = "; last failure to open " + millis(pool.clock.now() - failure.atNanos()) + " ms ago: "
                    + settings.redact(cause.toString());
        }
        return new SQLTransientConnectionException(
                "pool '" + settings.poolName() + "': " + message + described, "08001", cause);
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
