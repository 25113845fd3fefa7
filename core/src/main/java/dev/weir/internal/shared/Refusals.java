package dev.weir.internal.shared;

import dev.weir.internal.observing.Events;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.slots.Slots;
import dev.weir.internal.sources.ConnectFailure;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The refusals of a pool that has no connection to give: how long, how many, who holds the longest and what they run, and the
 * last failure to open, which is also the cause. Made on the thread that throws it; never with a secret in it.
 */
public final class Refusals {
    /** Of so many threads that wait and hold a connection a timeout has the stacks. */
    private static final int STACKS_OF_NESTED = 5;

    /** So many of those that hold a connection the longest are named before anybody times out. */
    private static final int HOLDERS_NAMED = 3;

    /** A connect that takes this long is felt by whoever waits for it. */
    static final long SLOW_CONNECT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long NESTED_FOR_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final PoolState pool;
    private final Holders holders;
    private final LoanWatch loans;

    private volatile Holders.@Nullable Nested lastNested;

    /** When a thread that timed out last began to look for others. */
    private final AtomicLong nestedNanos;

    public Refusals(PoolState pool, Holders holders, LoanWatch loans) {
        this.pool = pool;
        this.holders = holders;
        this.loans = loans;
        this.nestedNanos = new AtomicLong(pool.now() - NESTED_FOR_NANOS);
    }

    public SQLException timedOut(long waitedNanos) {
        Slots.Counts s = pool.slots.counts();
        int waiting = pool.queue.sizeVolatile();
        Events.acquireTimedOut(pool.name(), waitedNanos, s.inUse(), s.idle(), waiting, s.opening(), s.closing());
        long now = pool.now();
        Holders.Nested nested =
                nested(now).with(holders.nested(List.of(Thread.currentThread()))); // it has left the queue
        SQLException refusal = transientFailure(
                "no connection within " + millis(waitedNanos) + " ms (connectionTimeout: "
                        + millis(pool.settings.connectionTimeoutNanos()) + " ms)"
                        + (pool.isSuspended() ? ", the pool is suspended" : "")
                        + why(nested.inWords(), s, holders.longest(1)),
                pool.anyFailure());
        for (Holders.Nested.Holder holder :
                nested.holders().subList(0, Math.min(nested.holders().size(), STACKS_OF_NESTED))) {
            SQLException place = new SQLException(holder.inWords()); // no failure: it carries a stack
            place.setStackTrace(holder.stack().toArray(StackTraceElement[]::new));
            refusal.addSuppressed(place);
        }
        return refusal;
    }

    /** For the log: a thread has waited for so long, and nobody is refused so far. {@code fails}: connects fail. By a worker. */
    public String waitsLong(long waitedNanos, boolean fails) {
        ConnectFailure failure = pool.anyFailure();
        String leaked = holders.leakedInWords();
        return "a thread has waited for a connection for " + millis(waitedNanos) + " ms (waitWarningThreshold: "
                + millis(pool.settings.waitWarningThresholdNanos()) + " ms, connectionTimeout: "
                + millis(pool.settings.connectionTimeoutNanos()) + " ms)"
                + why(
                        leaked.isEmpty() ? nestedNow().inWords() : leaked,
                        pool.slots.counts(),
                        areConnectsSlow() ? List.of() : holders.longest(HOLDERS_NAMED))
                + (fails && failure != null ? inWords(failure) : "");
    }

    /** After a colon what is wrong, as far as that can be told; behind it the counts, and what else is known. */
    private String why(String stuck, Slots.Counts counts, List<String> longest) {
        boolean slow = areConnectsSlow();
        return Stream.of(
                        slow ? "connects are slow" : "",
                        stuck,
                        slow ? "" : loans.lately(),
                        counts(counts),
                        oldestConnect(),
                        longest.isEmpty() ? "" : "longest: " + String.join("; ", longest))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("; ", ": ", ""));
    }

    /** Whether there is a place and a connect that takes long, so that those who hold connections are not to blame. */
    private boolean areConnectsSlow() {
        return pool.slots.live() < pool.settings.maximumPoolSize()
                && pool.connects.underWayNanos(pool.now()) >= SLOW_CONNECT_NANOS;
    }

    /** For the dump, too; empty if no connect is under way. */
    public String oldestConnect() {
        long since = pool.connects.oldestConnectNanos;
        return since == Long.MAX_VALUE ? "" : "oldest connect under way for " + millisSince(since) + " ms";
    }

    /**
     * Threads that wait while holding a connection. Many may time out together: one of them looks for the others, which takes the
     * stack of each, and until it has, the rest know of none. Whoever claims the look first looks; a claim need not be given
     * back, as the next is due by the time alone.
     */
    private Holders.Nested nested(long now) {
        Holders.Nested known = lastNested;
        if (known != null && now - known.atNanos() < NESTED_FOR_NANOS) {
            return known;
        }
        long last = nestedNanos.get();
        if (now - last < NESTED_FOR_NANOS || !nestedNanos.compareAndSet(last, now)) {
            return new Holders.Nested(now, 0, List.of());
        }
        Holders.Nested found = nestedNow();
        lastNested = found;
        return found;
    }

    private Holders.Nested nestedNow() {
        List<Thread> waiters = pool.queue.threads();
        List<Holders.Nested.Holder> found = holders.nested(waiters);
        return new Holders.Nested(pool.now(), waiters.size(), found);
    }

    /** Lines for the dump: which threads wait for a connection while they hold another, with their stacks; empty if none do. */
    public String nested() {
        Holders.Nested nested = nestedNow();
        if (nested.holders().isEmpty()) {
            return "";
        }
        StringBuilder lines = new StringBuilder(System.lineSeparator()).append(nested.inWords());
        for (Holders.Nested.Holder holder : nested.holders()) {
            lines.append(System.lineSeparator()).append(holder.inWords());
            for (StackTraceElement frame : holder.stack()) {
                lines.append(System.lineSeparator()).append("    at ").append(frame);
            }
        }
        return lines.toString();
    }

    public SQLException interrupted(long waitedNanos) {
        return transientFailure("interrupted after waiting " + millis(waitedNanos) + " ms" + counts(), null);
    }

    public SQLException tooManyWaiters(int maximum) {
        return transientFailure(
                maximum + " threads wait already (maximumWaiters: " + maximum + ")" + counts(), pool.anyFailure());
    }

    SQLException notStarted(long waitedNanos) {
        return notStarted(waitedNanos, counts());
    }

    private SQLException notStarted(long waitedNanos, String counts) {
        return transientFailure(
                "could not open the first connection within " + millis(waitedNanos) + " ms (initializationFailTimeout: "
                        + millis(pool.settings.initializationFailTimeoutNanos()) + " ms)" + counts,
                pool.anyFailure());
    }

    public SQLException refused(ConnectFailure failure) {
        return transientFailure("the database refuses the pool's user", failure);
    }

    /** The pool has ended: it was closed, or could not be started. */
    public SQLException closed() {
        PoolState.FailedStart failed = pool.failedStart;
        if (failed != null && pool.phase.get() == PoolState.Phase.FAILED) {
            return notStarted(failed.afterNanos(), failed.counts());
        }
        return new SQLNonTransientConnectionException("pool '" + pool.name() + "' is closed", "08003");
    }

    /** {@code ": maximum 60, total 10, ..."}. */
    public String counts() {
        return ": " + counts(pool.slots.counts());
    }

    private String counts(Slots.Counts s) {
        return "maximum " + pool.settings.maximumPoolSize() + ", total " + s.live() + ", in use " + s.inUse()
                + ", idle "
                + s.idle() + ", waiting " + pool.queue.sizeVolatile() + ", opening " + s.opening() + ", closing "
                + (s.closing() + pool.physicalBefore());
    }

    private SQLException transientFailure(String message, @Nullable ConnectFailure failure) {
        return new SQLTransientConnectionException(
                "pool '" + pool.name() + "': " + message + (failure == null ? "" : inWords(failure)),
                "08001",
                failure == null ? null : failure.cause());
    }

    private String inWords(ConnectFailure failure) {
        return "; last failure to open " + millisSince(failure.atNanos()) + " ms ago: " + failure.text();
    }

    private long millisSince(long since) {
        return millis(PoolClock.elapsed(pool.now(), since));
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
