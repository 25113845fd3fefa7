package dev.weir.internal.keeping;

import dev.weir.internal.settings.Settings;
import dev.weir.internal.working.Connect;
import dev.weir.spi.Credentials;
import dev.weir.spi.FailureClass;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * When the next connect may be tried after one that brought nothing. The pause is drawn from the upper half of a bound,
 * so that pools which failed together do not return together:
 *
 * <pre>
 *   a thread waits                acquireRetryDelay / 10         a probe costs little, and the recovery is theirs; the
 *                                                                thread that starts the pool waits too
 *   ... and it helps nobody       acquireRetryDelay / 10         doubling to acquireRetryDelay
 *   no thread waits               acquireRetryDelay              for the first acquireRetries such failures
 *                                 doubling from there, at most 30 s
 *   the credentials are refused   acquireRetryDelay              doubling from the first refusal, at most 30 s; 4 s while
 *                                                                threads come and ask
 * </pre>
 *
 * <p>A database may lock an account out after some failed logins, so refused credentials are tried at most 20 times a
 * minute, besides those that were under way together at first. Where a CredentialsProvider gives them, it is asked while
 * threads come, each acquireRetryDelay, and what it gives is tried at once if it differs from what was refused. One such
 * try for each pause: a provider that gives another answer each time, a signed token, is held to the pauses as well.
 *
 * <p>A probe helps nobody while live connections serve the queue, which would only be served a little sooner: the
 * server says that it is full, or loans went on since the last failure. Nor do connections help that are of no use:
 * that died, or turned out to be read-only, before anybody had used them with success. Such a connect counts as no
 * success, and so many in a row as one failure as were opened before it was known. The doubling begins anew when
 * something changes: a connection that was of use, a place that a close left at the server, no live connection left, an
 * operator's act.
 *
 * <p>When a server fails and is back, many pools open connections at once, and each connect takes its share of the
 * server's processors. So what a pool lost of its minimum it fills with one connect at a time, or one a second while they
 * hang: the connects for which threads wait, in this pool and in others, are done sooner. Those begin alone as well, and
 * each that succeeds lets one more go at a time. At the start, and when an operator raises the minimum, it fills as many
 * at a time as it may, but for the first connect of all.
 *
 * <p>All fields are the Keeper's.
 */
public final class RetryGate {
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** The longest pause after refused credentials while threads come and ask. */
    private static final long LONGEST_REFUSED_NANOS = TimeUnit.SECONDS.toNanos(4);

    /** The time for which a connect keeps the next one from filling the minimum. */
    private static final long HANGS_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** So long after a connection was found dead, or a connect failed, each connect that succeeds lets one more go at a time. */
    private static final long RECOVERS_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * The first connect of all, and the first after a loss or a failure, goes alone for so long. After a loss or a
     * failure each that succeeds lets one more go at a time, unless the oldest has taken so long. A connect is work for
     * the processors of both sides. Where it waits for these, five that begin together end together, none before the
     * time of five. Those who are served already wait with them. The first of all may also have the driver's classes to
     * load. Where it waits for the network, the others lose this much.
     */
    private static final long HEAD_START_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** So long after the last failure or loss the database is taken for well. */
    private static final long WELL_AFTER_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Settings settings;
    private final RandomGenerator random;

    private int failures;
    private int unwaitedFailures;

    /** Failures in a row that live connections made bearable. */
    private int refused;

    /** Connections in a row that were of no use. */
    private int useless;

    /** The minimum that was last there; 0 before. */
    private int filledTo;

    private boolean failedSinceFilled;
    private long filledAtNanos;

    /** The first connect of all has begun. */
    private boolean begun;

    private long begunNanos;

    private FailureClass kind = FailureClass.OTHER;

    /** The number of refusals of credentials since a connect succeeded; those refused last, if a provider gave them. */
    private int refusals;

    private @Nullable Credentials refusedAs;

    /** Those refused last were others than those before: the provider is not asked again before the pause is over. */
    private boolean othersRefused;

    private long refusedAtNanos;

    /** When what was refused may be tried again. */
    private long loginAtNanos;

    private long failedAtNanos;
    private boolean failedEver;

    /** There was a loss or a failure; when the last one was, and how many connects succeeded since. */
    private boolean troubled;

    private long troubleAtNanos;
    private int openedSince;
    private long uselessAtNanos;
    private long lentAtFailure;
    private long probeAtNanos;

    public RetryGate(Settings settings, RandomGenerator random) {
        this.settings = settings;
        this.random = random;
    }

    /** The number of connects that failed in a row. */
    int failures() {
        return failures;
    }

    boolean isShut(long now) {
        return isProbing() && now < probeAtNanos;
    }

    /** When the next probe may start; Long.MAX_VALUE if nothing failed. */
    long probeAtNanos() {
        return isProbing() ? probeAtNanos : Long.MAX_VALUE;
    }

    private boolean isProbing() {
        return failures > 0 || useless > 1;
    }

    /**
     * The number of connects that may start now to fill the minimum, which nobody waits for; less than 1: none.
     *
     * @param minimum how many connections there are to be, or 0 if that is not asked
     */
    int filling(int minimum, int live, int opening, long now) {
        if (minimum > 0 && live >= minimum) {
            filledTo = minimum;
            failedSinceFilled = false;
        }
        int missing = minimum - live - opening;
        boolean lost = minimum <= filledTo || failedSinceFilled;
        if (live == 0 && (!begun || now < othersFollowAtNanos())) {
            return Math.min(missing, 1 - opening);
        }
        if (!lost || missing <= 0) {
            return missing;
        }
        if (opening > 0 && now - filledAtNanos < HANGS_NANOS) {
            return 0;
        }
        filledAtNanos = now;
        return 1;
    }

    /** A connect has its place. */
    void connectBegins(long now) {
        if (!begun) {
            begun = true;
            begunNanos = now;
        }
    }

    /** When those after the first of all may be opened to fill the minimum; in the past if it has not begun. */
    long othersFollowAtNanos() {
        return begun ? begunNanos + HEAD_START_NANOS : Long.MIN_VALUE;
    }

    /**
     * A connect failed. {@code as}: the answer of a provider for it, or null; {@code lent}: how many loans there were since the
     * pool started.
     */
    void connectFailed(
            FailureClass failed, @Nullable Credentials as, boolean somebodyWaits, int live, long acquires, long now) {
        boolean served = live > 0 && (failed == FailureClass.TOO_MANY_CONNECTIONS || acquires > lentAtFailure);
        failures++;
        failedSinceFilled = true;
        kind = failed;
        failedEver = true;
        failedAtNanos = now;
        trouble(now);
        lentAtFailure = acquires;
        refused = served ? refused + 1 : 0;
        if (failed == FailureClass.AUTHENTICATION) {
            othersRefused = refusals > 0 && as != null && !as.equals(refusedAs);
            refusals++;
            refusedAs = as;
            refusedAtNanos = now;
            loginAtNanos = now + jittered(refusedPause());
            probeAtNanos = loginAtNanos;
        } else if (somebodyWaits) {
            probeAtNanos = now + jittered(waitedForPause());
        } else {
            unwaitedFailures++;
            probeAtNanos = now + jittered(unwaitedPause());
        }
    }

    /** The answer of a provider that is not to be tried before the pause after its refusal is over. */
    Connect.RefusedLogin refusedLogin() {
        return refusals == 0 ? Connect.RefusedLogin.NONE : new Connect.RefusedLogin(refusedAs, loginAtNanos);
    }

    /** A provider was asked, and gave what was refused. */
    void notLoggedIn(long now) {
        kind = FailureClass.AUTHENTICATION;
        failedAtNanos = now;
        probeAtNanos = loginAtNanos;
    }

    /**
     * The most connects that may be under way. {@code suspectBefore}: when a connection was last found dead, 0 if none
     * was. {@code oldest}: since when the oldest connect is under way.
     */
    int mostAtOnce(long suspectBefore, long oldest, long now) {
        if (isProbing()) {
            return 1;
        }
        if (suspectBefore > 0 && (!troubled || suspectBefore > troubleAtNanos)) {
            trouble(suspectBefore);
        }
        boolean recovers = troubled && now - troubleAtNanos < RECOVERS_NANOS && now - oldest < HEAD_START_NANOS;
        return recovers ? 1 + openedSince : Integer.MAX_VALUE;
    }

    private void trouble(long at) {
        troubled = true;
        troubleAtNanos = at;
        openedSince = 0;
    }

    /** Whether no connect failed lately, and no connection was found dead; {@code suspectBefore}: when the last one was. */
    boolean isWell(long suspectBefore, long now) {
        boolean failedLately = failedEver && now - failedAtNanos < WELL_AFTER_NANOS;
        return failures == 0 && !failedLately && (suspectBefore <= 0 || now - suspectBefore >= WELL_AFTER_NANOS);
    }

    /** A connect succeeded; whether its connection is of use is not known yet. */
    void connectSucceeded() {
        openedSince++;
        failures = 0;
        unwaitedFailures = 0;
        refused = 0;
        refusals = 0;
        refusedAs = null;
        kind = FailureClass.OTHER; // an operator is heard again
    }

    /** A connection ended before it had been of use to anybody. */
    void connectionUseless(long openedNanos, long now) {
        if (useless > 0 && openedNanos - uselessAtNanos < 0) {
            return; // opened before the last one was known: as many at once say no more than one
        }
        useless++;
        uselessAtNanos = now;
        if (useless > 1) { // one may die anywhere, at any time
            long probeAt = now + jittered(waitedForPause());
            probeAtNanos = failures > 0 ? Math.max(probeAtNanos, probeAt) : probeAt;
        }
    }

    /** A connection was used, and returned in order. */
    void connectionProved() {
        useless = 0;
    }

    /** A connection was closed: the server may have a place. */
    void placeLeft(long now) {
        if (refused > 0 && useless == 0) {
            refused = 0;
            probeAtNanos = Math.min(probeAtNanos, now);
        }
    }

    /** An operator did something that may help. */
    void tryAgain(long now) {
        if (kind != FailureClass.AUTHENTICATION) {
            refused = 0;
            useless = 0;
            probeAtNanos = Math.min(probeAtNanos, now);
        }
    }

    /** A thread waits: a long pause that was chosen without a waiter, or while others served, is cut short. */
    void shortenPause(int live, long now) {
        if (failures == 0) {
            return;
        }
        refused = live == 0 ? 0 : refused;
        long probeAt = failedAtNanos + waitedForPause();
        if (kind == FailureClass.AUTHENTICATION) {
            loginAtNanos = Math.min(loginAtNanos, refusedAtNanos + Math.min(refusedPause(), LONGEST_REFUSED_NANOS));
            boolean asks = refusedAs != null && !othersRefused;
            probeAt = asks ? Math.min(loginAtNanos, failedAtNanos + settings.acquireRetryDelayNanos()) : loginAtNanos;
        }
        probeAtNanos = Math.min(probeAtNanos, Math.max(now, probeAt));
    }

    /** Doubles with each refusal, whoever waits. */
    private long refusedPause() {
        return doubled(settings.acquireRetryDelayNanos(), refusals - 1);
    }

    private long waitedForPause() {
        long delay = settings.acquireRetryDelayNanos();
        int doublings = Math.max(0, Math.max(refused, useless - 1) - 1);
        return Math.min(delay, (delay / 10) << Math.min(doublings, 4));
    }

    private long unwaitedPause() {
        return doubled(settings.acquireRetryDelayNanos(), unwaitedFailures - settings.acquireRetries());
    }

    /**
     * The delay, doubled so often, up to the longest pause. One that is longer already stays as it is: to double it
     * would overflow.
     */
    private static long doubled(long delay, int times) {
        return delay >= LONGEST_PAUSE_NANOS
                ? delay
                : Math.min(delay << Math.max(0, Math.min(times, 20)), LONGEST_PAUSE_NANOS);
    }

    private long jittered(long bound) {
        return bound <= 1 ? bound : random.nextLong(bound / 2, bound + 1);
    }
}
