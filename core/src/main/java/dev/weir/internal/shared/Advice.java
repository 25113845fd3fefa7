package dev.weir.internal.shared;

import dev.weir.internal.settings.Setting;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.slots.SeenLoan;
import dev.weir.internal.slots.Slots;
import dev.weir.internal.slots.Waiter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What would serve the pool better: with its numbers, and what to set. The Keeper adds up what it sees at each tick, and writes a
 * list once a minute, which is all that others read. It is silent when all is well, for the first five minutes (but for nested
 * acquires), while the pool does not lend or rests, and while connects fail, which the log tells. What is said of a maximum is not said in
 * the first five minutes of a new one.
 *
 * <p>What it said stays for five minutes after it was last so, lest it come and go; but fewer connections are named only while it is so.
 *
 * <p>It does not tell how many connections the database serves best ('8 serve as much as 20'): as long as nobody varies their
 * number, many in use are as likely the effect of slow statements as their cause. {@code weir tune} varies it.
 */
public final class Advice {
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** So many whole minutes are looked back. */
    private static final int MINUTES = 5;

    /** Fewer connections are not named before that, nor before so many loans. */
    private static final long SMALLER_AFTER_NANOS = TimeUnit.HOURS.toNanos(1);

    private static final long SMALLER_AFTER_LOANS = 10_000;

    /** A look that comes later than that, as after a pause of the JVM or a rest, tells no more of the time before it. */
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** So many waiters are looked at: they are of no other kind than the rest. */
    private static final int MOST_WAITERS = 100;

    /** Fewer loans tell no mean. */
    private static final int LEAST_LOANS = 100;

    /** Of less than this share of the time nobody gains by a change. */
    private static final double LITTLE = 0.01;

    // In an array of sums. Times are in nanoseconds; those of connections are multiplied by their number.
    private static final int TIME = 0;
    private static final int ACQUIRES = 1;
    private static final int IN_USE = 2;
    private static final int OPENING = 3;

    /** Threads waited for a connect. */
    private static final int CONNECT_AWAITED = 4;

    /** Threads waited, and all connections were in use: time, loans, and time in use. */
    private static final int FULL = 5;

    private static final int FULL_LOANS = 6;
    private static final int FULL_IN_USE = 7;

    /** Half of the maximum, or less, was in use. */
    private static final int HALF_LOANS = 8;

    private static final int HALF_IN_USE = 9;
    private static final int BEGUN = 10;
    private static final int FAILED = 11;

    /** The maximum. */
    private static final int ALLOWED = 12;

    /** From here on those of {@link LoanWatch}. */
    private static final int DOING = 13;

    /** From here on {@link Places#uses}. */
    private static final int USES = DOING + LoanWatch.SAMPLES + 1;

    /** The most urgent first. */
    private enum Rule {
        NESTED,
        CONNECTS,
        LOANS
    }

    private record Said(long atNanos, String text) {}

    private record Sheet(long atNanos, List<String> texts) {}

    private final PoolState pool;
    private final Settings settings;
    private final LoanWatch loans;
    private final Holders holders;

    /** Written by the Keeper, read by all. */
    private volatile Sheet written;

    // The Keeper's.
    private final Map<Rule, Said> said = new EnumMap<>(Rule.class);
    /** All sums at the ends of minutes, the oldest first. */
    private final Deque<long[]> marks = new ArrayDeque<>();

    private final long[] sums = new long[DOING];
    private long minuteNanos;
    private long nestedNanos;

    // As at the last look.
    private long lookedNanos;
    private long acquires;
    private int inUse;
    private int waiting;
    private int opening;
    private int live;

    // Since the start, or since the maximum was set.
    private int maximum;
    private long sinceNanos;
    private long acquiresBefore;
    /** The most in use at a look, and at least as many as were between two. */
    private int mostSeen;

    private int mostPossible;
    private boolean everNested;

    public Advice(PoolState pool, LoanWatch loans, Holders holders) {
        this.pool = pool;
        this.settings = pool.settings;
        this.loans = loans;
        this.holders = holders;
        this.lookedNanos = pool.now();
        this.nestedNanos = lookedNanos;
        this.written = new Sheet(lookedNanos, List.of());
    }

    /** A look, once a tick, by the Keeper. What was so at the look before counts until now. */
    public void look(long now) {
        long since = Math.max(0, now - lookedNanos);
        lookedNanos = now;
        boolean changed = maximum != settings.maximumPoolSize();
        addUp(Math.min(since, SECOND_NANOS));
        if (changed) {
            beginAnew(now);
        }
        if (waiting > 0 && now - nestedNanos >= SECOND_NANOS) {
            nestedNanos = now;
            lookForNested(now);
        }
        if (since >= MINUTE_NANOS) { // after a rest what was before it is old
            marks.clear();
        }
        boolean due = marks.isEmpty() || now - minuteNanos >= MINUTE_NANOS;
        if (due) {
            minuteNanos = now;
            mark();
        }
        if (due || changed) {
            written = new Sheet(now, advise(now));
        }
    }

    /** What is known of the maximum; the rest is as true of a new one, and a fleet may set one every few seconds. */
    private void beginAnew(long now) {
        maximum = settings.maximumPoolSize();
        sinceNanos = now;
        acquiresBefore = acquires;
        mostSeen = inUse;
        mostPossible = inUse;
        said.remove(Rule.LOANS);
    }

    private void addUp(long tick) {
        // Read before those in use: an acquire meanwhile counts twice, and none is missed.
        long acquiresNow = pool.slots.acquires();
        long more = acquiresNow - acquires;
        int liveNow = pool.slots.live();
        sums[TIME] += tick;
        sums[ACQUIRES] += more;
        sums[IN_USE] += inUse * tick;
        sums[OPENING] += opening * tick;
        sums[ALLOWED] += maximum * tick;
        if (waiting > 0 && inUse >= maximum) {
            sums[FULL] += tick;
            sums[FULL_LOANS] += more;
            sums[FULL_IN_USE] += inUse * tick;
        } else if (waiting > 0 && opening > 0) {
            sums[CONNECT_AWAITED] += tick;
        }
        if (2 * inUse <= maximum) {
            sums[HALF_LOANS] += more;
            sums[HALF_IN_USE] += inUse * tick;
        }
        mostPossible = (int) Math.max(mostPossible, Math.min(inUse + more, Math.max(live, liveNow)));
        acquires = acquiresNow;
        live = liveNow;
        inUse = pool.slots.held();
        waiting = pool.isLending() ? pool.queue.sizeVolatile() : 0;
        opening = pool.slots.opening();
        mostSeen = Math.max(mostSeen, inUse);
    }

    /**
     * A thread that has just taken a slot notes itself as its holder an instant later, and the one before it may be waiting again: so
     * the wait has to be some ticks old.
     */
    private void lookForNested(long now) {
        long old = 2 * pool.clock.periodNanos();
        String nested = holders.nestedInWords(pool.queue.first(MOST_WAITERS).stream()
                .filter(waiter -> PoolClock.elapsed(now, waiter.sinceNanos) >= old)
                .map(Waiter::thread)
                .toList());
        if (!nested.isEmpty()) {
            everNested = true;
            nested +=
                    ": use one connection a thread, and close it. Once all connections are held so, none of these threads goes on";
            said.put(Rule.NESTED, new Said(now, nested));
        }
    }

    private void mark() {
        long[] all = Arrays.copyOf(sums, USES + TimeHistogram.BUCKETS);
        Slots.Counts counts = pool.slots.counts();
        all[BEGUN] = counts.begun();
        all[FAILED] = counts.openFailed();
        System.arraycopy(loans.sums(), 0, all, DOING, USES - DOING);
        System.arraycopy(pool.places.uses(), 0, all, USES, TimeHistogram.BUCKETS);
        marks.add(all);
        if (marks.size() > MINUTES + 1) {
            marks.remove();
        }
    }

    private List<String> advise(long now) {
        long[] lately = LoanWatch.minus(marks.getLast(), marks.getFirst());
        boolean fails = lately[FAILED] > 0;
        said.entrySet()
                .removeIf(one -> now - one.getValue().atNanos() >= MINUTES * MINUTE_NANOS
                        || (fails && one.getKey() != Rule.NESTED));
        boolean seen = marks.size() > MINUTES && !fails;
        if (seen) {
            say(now, Rule.CONNECTS, slowConnects(lately));
            say(now, Rule.LOANS, loans(now, lately));
        }
        if (said.containsKey(Rule.NESTED)) {
            said.remove(Rule.LOANS); // the code is to be mended first
        }
        List<String> texts =
                new ArrayList<>(said.values().stream().map(Said::text).toList());
        String smaller = seen && !everNested ? smaller(now, lately) : null;
        if (smaller != null) {
            texts.add(smaller);
        }
        return List.copyOf(texts);
    }

    private void say(long now, Rule rule, @Nullable String text) {
        if (text != null) {
            said.put(rule, new Said(now, text));
        }
    }

    private static @Nullable String slowConnects(long[] lately) {
        long mean = lately[OPENING] / Math.max(1, lately[BEGUN]);
        return lately[CONNECT_AWAITED] < LITTLE * lately[TIME] || mean < Refusals.SLOW_CONNECT_NANOS
                ? null
                : "a connect takes " + millis(mean) + " ms, and threads waited for one for "
                        + percent(lately[CONNECT_AWAITED], lately[TIME])
                        + " % of the time: look at name resolution, TLS and the server's authentication, and set"
                        + " minimumPoolSize so that connections are there before they are needed";
    }

    /**
     * Threads wait as all connections are in use, or most are in use and have nothing to do. More are named only while the database
     * has to do for nearly all of them.
     */
    private @Nullable String loans(long now, long[] lately) {
        boolean full = now - sinceNanos >= MINUTES * MINUTE_NANOS && lately[FULL] >= LITTLE * lately[TIME];
        long[] doing = Arrays.copyOfRange(lately, DOING, USES);
        boolean measured = doing[LoanWatch.SAMPLES] >= LoanWatch.SAMPLES_FOR_ADVICE;
        long total = LoanWatch.total(doing);
        long inDriver = doing[SeenLoan.IN_DRIVER];
        // A few loans that last, as of one that listens for notifications, or leads a cluster, are as they should be.
        boolean many = lately[ACQUIRES] >= LEAST_LOANS && 2 * lately[IN_USE] >= lately[ALLOWED];
        boolean idle = measured && (full ? 3 * inDriver < 2 * total : many && total > LoanWatch.OUT_TO_WORK * inDriver);
        if (!full && !idle) {
            return null;
        }
        String when = full
                ? "all " + maximum + " connections were in use and threads waited for "
                        + percent(lately[FULL], lately[TIME]) + " % of the time: "
                : "";
        return when
                + (idle
                        ? loans.shares(doing) + "; " + cure(doing)
                        : measured
                                ? more(lately, percent(inDriver, total))
                                : "measureLoans=true tells whether the database is at work for them");
    }

    private String cure(long[] doing) {
        boolean session = settings.poolMode().equals("session");
        long most = Math.max(
                doing[SeenLoan.IN_TRANSACTION], Math.max(doing[SeenLoan.NOTHING_YET], doing[SeenLoan.BETWEEN]));
        return most == doing[SeenLoan.IN_TRANSACTION]
                ? "nothing slow belongs before the commit"
                : most == doing[SeenLoan.NOTHING_YET]
                        ? "take the connection later" + (session ? ", or set poolMode=lazy" : "")
                        : "close it after each transaction"
                                + (loans.tellsOfTransactions() ? ", or set poolMode=transaction" : "");
    }

    private String more(long[] lately, long percentAtWork) {
        boolean told = lately[FULL_LOANS] >= LEAST_LOANS && lately[HALF_LOANS] >= LEAST_LOANS;
        long full = lately[FULL_IN_USE] / Math.max(1, lately[FULL_LOANS]);
        long half = lately[HALF_IN_USE] / Math.max(1, lately[HALF_LOANS]);
        if (told && full >= 2 * half) {
            return "a loan took " + millis(full) + " ms then, and " + millis(half)
                    + " ms while half of them or fewer were in use, so more connections would not help. Make the statements"
                    + " faster; ./weir tune measures how many connections the database serves best";
        }
        int allowed = pool.serverMaximum;
        int next = next(maximum, allowed);
        return "statements run for " + percentAtWork + " % of the loans' time, so make them faster"
                + (next > maximum
                        ? ", or, if they wait for no locks and the server has room, set maximumPoolSize=" + next
                        : allowed > 0 && allowed <= maximum
                                ? "; the server allows no more than " + allowed + " connections"
                                : "");
    }

    /**
     * A quarter more at most, and not more than the setting takes, nor than the server allows to all its clients together.
     *
     * @param allowed by the server; 0: not known
     */
    public static int next(int maximum, int allowed) {
        int most = (Integer) Objects.requireNonNull(Setting.MAXIMUM_POOL_SIZE.most());
        return Math.min(maximum + Math.max(1, maximum / 4), allowed == 0 ? most : Math.min(allowed, most));
    }

    /**
     * Twice as many as were in use at any look, and as many as can have been in use between two: those in use at the first, and all
     * that were acquired since, as far as there were connections. Both only grow, so it is said once, or not again. Short loans at a
     * high rate hide how many are in use at once: then nothing is said.
     */
    private @Nullable String smaller(long now, long[] lately) {
        int enough = Math.max(2 * mostSeen, mostPossible) + settings.minimumIdle();
        int minimum = settings.minimumPoolSize();
        if (now - sinceNanos < SMALLER_AFTER_NANOS
                || acquires - acquiresBefore < SMALLER_AFTER_LOANS
                || lately[CONNECT_AWAITED] >= LITTLE * lately[TIME]
                || 2 * enough > maximum) {
            return null;
        }
        String load = lately[ACQUIRES] < LEAST_LOANS
                ? ""
                : "a loan takes " + millis(lately[IN_USE] / lately[ACQUIRES]) + " ms"
                        + p99(Arrays.copyOfRange(lately, USES, lately.length)) + " at "
                        + number(lately[ACQUIRES] / (lately[TIME] / 1e9)) + "/s: "
                        + number((double) lately[IN_USE] / lately[TIME]) + " connections; ";
        return String.format(
                Locale.ROOT,
                "%s%d allowed, %d were ever busy in %d minutes:"
                        + " maximumPoolSize=%d is enough, if that was the busiest time%s",
                load,
                maximum,
                mostSeen,
                TimeUnit.NANOSECONDS.toMinutes(now - sinceNanos),
                enough,
                minimum > enough ? "; lower minimumPoolSize, now " + minimum + ", too" : "");
    }

    /** Of the loans that were sampled; empty if they are few. */
    private static String p99(long[] uses) {
        return Arrays.stream(uses).sum() < LEAST_LOANS ? "" : " (p99 " + millis(TimeHistogram.p99(uses)) + " ms)";
    }

    private static String millis(long nanos) {
        return number(nanos / 1e6);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.1f" : "%.0f", value);
    }

    private static long percent(long part, long all) {
        return Math.round(100.0 * part / Math.max(1, all));
    }

    // By anyone.

    /** What to do now, a sentence each, the most urgent first; empty if all is well. */
    public List<String> now() {
        Sheet last = written;
        return pool.isLending() && pool.now() - last.atNanos() < 2 * MINUTE_NANOS ? last.texts() : List.of();
    }
}
