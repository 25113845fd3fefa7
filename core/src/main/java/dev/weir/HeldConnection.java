package dev.weir;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection in use, as the pool sees it: its holder may have returned it meanwhile.
 *
 * @param id counts the connections of the pool, from 1; the number that log messages and events show
 * @param sessionId the server's number of its session, as the driver was told it when it was opened: the process of PostgreSQL
 *     ({@code pg_stat_activity.pid}), the thread of MariaDB and MySQL ({@code CONNECTION_ID()}); 0 if the driver does not tell.
 *     Behind a pooler such as PgBouncer it is a number of the pooler's
 * @param heldFor how long at least; the pool looks every 100 ms while it is busy, so it may be that much longer
 * @param thread the name of the thread that acquired it, or null if that is not known
 * @param lastSql what was last prepared or executed, cut at 200 characters and at its first string
 *     literal or comment, with {@code ?} for numbers and without secrets; null if nothing was
 * @param stack where that thread is now; empty if it has ended or is not known
 * @param acquiredAt where it was acquired: from the caller of getConnection() on if {@code leakDetectionThreshold} was above 0
 *     then, else the first three frames of the application; empty if it was none of the loans that are sampled
 * @param doing what that thread does
 */
public record HeldConnection(
        long id,
        long sessionId,
        Duration heldFor,
        @Nullable String thread,
        @Nullable String lastSql,
        List<StackTraceElement> stack,
        List<StackTraceElement> acquiredAt,
        Doing doing) {
    /** What the thread that acquired a connection does now, as its stack says. */
    public enum Doing {
        /** It is in a call of the driver. */
        DATABASE,
        /** It is in other code of the application. */
        APPLICATION,
        /** It waits for another connection, of this pool or of another. */
        WAITS,
        /** The loan is ten seconds old or more, and the thread has ended, or has left the method that acquired and the one that called that. */
        LEAKED,
        /** That is not known. */
        UNKNOWN
    }
}
