package dev.weir.internal.shared;

import dev.weir.LoanTimes;
import dev.weir.internal.observing.Events;
import dev.weir.internal.observing.Listeners;
import dev.weir.internal.observing.LoanEvents;
import dev.weir.internal.slots.Lender;
import dev.weir.internal.slots.SeenLoan;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.slots.Slots;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where the time of loans goes: sampled by the Keeper, as {@link LoanTimes} says, from what handles note in {@link Slot#doing}. No
 * user's thread looks at a clock for it, and the Keeper does not ask the driver, whose getters take locks that a running
 * statement holds.
 */
public final class LoanWatch {
    /** A timeout tells of this time and at most as much before, so that it says what is so now. */
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** A stack stops the holder, and on older JDKs all threads: after one there is none for a thousand times as long as it took. */
    private static final long STACK_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int STACKS_SHARE = 1_000;

    private static final long COUNTED_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int PLACES_KEPT = 60;

    /** So many samples are the least that shares are told of; of a hundred a share is right within a tenth. */
    private static final int LEAST_SAMPLES = 10;

    static final int SAMPLES_FOR_ADVICE = 100;

    private static final long SUM_UP_AFTER_NANOS = TimeUnit.MINUTES.toNanos(10);

    /** Of less than this an application has nothing to gain worth a line in its log. */
    static final int OUT_TO_WORK = 3;

    /** In an array of sums: the times by what {@link SeenLoan#doing} says come first; then acquires, and samples. */
    private static final int LOANS = 4;

    static final int SAMPLES = 5;

    private final PoolState pool;
    private final Listeners listeners;
    private final Lender lender;

    // Written by the Keeper. A sum is a new array each time, and none is changed once it is here.
    /** Since the start. */
    private volatile long[] sums = new long[6];

    /** As it was at the beginning of the window before this one; whoever needs both reads it first. */
    private volatile long[] sumsBefore = sums;

    /** The places of the last stacks, the commonest first. */
    private volatile List<String> idlePlaces = List.of();

    private volatile int mostInUse;

    /** Whether the driver tells of transactions, by a connection that the last look found in use. */
    private volatile boolean tells;

    // The Keeper's.
    private long[] atWindow = sums;
    private long windowNanos;
    private long measuredSince = Long.MIN_VALUE / 2;
    private long lastLookNanos;
    private long toldNanos = Long.MIN_VALUE / 2;
    private long lastAcquires;
    private long nextStackNanos;
    private final Deque<String> places = new ArrayDeque<>();
    private final long startedNanos;
    private boolean summedUp;

    public LoanWatch(PoolState pool, Listeners listeners, Lender lender) {
        this.pool = pool;
        this.listeners = listeners;
        this.lender = lender;
        this.startedNanos = pool.now();
        this.lastLookNanos = startedNanos;
        this.windowNanos = startedNanos;
        this.nextStackNanos = startedNanos;
        lender.measures = isAsked();
    }

    private boolean isAsked() {
        return pool.settings.measureLoans()
                || pool.settings.leakDetectionThresholdNanos() > 0
                || !listeners.isEmpty()
                || LoanEvents.areLoansRecorded();
    }

    /** A look at all loans, once a tick. By the Keeper; returns what is to be said in the log now, null for nothing. */
    public @Nullable String look(long now) {
        tellCounts(now);
        boolean asked = isAsked();
        if (asked != lender.measures) {
            begin(asked, now);
        }
        if (!asked) {
            return null;
        }
        SeenLoan idle = count(now, now - nextStackNanos >= 0);
        turnWindow(now);
        if (idle != null) {
            nextStackNanos = now + STACK_EVERY_NANOS;
            long begun = pool.now();
            notePlace(idle);
            nextStackNanos = Math.max(nextStackNanos, now + STACKS_SHARE * (pool.now() - begun));
        }
        return sumUp(now);
    }

    private void tellCounts(long now) {
        if (now - toldNanos >= COUNTED_EVERY_NANOS && LoanEvents.areCountsRecorded()) {
            toldNanos = now;
            Slots.Counts counts = pool.slots.counts();
            LoanEvents.counted(
                    pool.name(),
                    counts.inUse(),
                    counts.idle(),
                    pool.queue.sizeVolatile(),
                    counts.opening(),
                    pool.settings.maximumPoolSize());
        }
    }

    /**
     * From now on loans are measured, or are not. Of those that are out now nothing was noted: the look that follows sees them at
     * this time, and none of them counts. A loan that begins after that look finds {@link Lender#measures} as it is now.
     */
    private void begin(boolean asked, long now) {
        lender.measures = asked;
        measuredSince = now;
        lastLookNanos = now;
        lastAcquires = pool.slots.acquires();
        beginWindow(now, sums);
    }

    /**
     * Adds what is seen; returns, if it is to choose, one of those that idle in a transaction, by chance. A loan that was out at
     * the last look counts since then. One that is new counts for a tick, as others like it began and ended between two looks;
     * for no more, as the first loan after a rest wakes the Keeper itself.
     */
    private @Nullable SeenLoan count(long now, boolean choose) {
        long since = now - lastLookNanos; // a clock that goes back makes no tick
        long tick = Math.min(since, pool.clock.periodNanos());
        long[] next = sums.clone();
        SeenLoan idle = null;
        int idling = 0;
        int inUse = 0;
        Slot last = null;
        for (Slot slot : pool.slots.all()) {
            SeenLoan loan = slot.see(slot.wordVolatile(), now);
            int doing = loan == null || loan.sinceNanos <= measuredSince ? SeenLoan.OVER : loan.doing();
            if (loan == null || doing == SeenLoan.OVER) {
                continue;
            }
            next[doing] += loan.sinceNanos <= lastLookNanos ? since : tick;
            next[SAMPLES]++;
            inUse++;
            last = slot;
            if (choose && doing == SeenLoan.IN_TRANSACTION && pool.random.nextInt(++idling) == 0) {
                idle = loan;
            }
        }
        long acquires = pool.slots.acquires();
        next[LOANS] += acquires - lastAcquires;
        lastAcquires = acquires;
        lastLookNanos = now;
        sums = total(next) < 0 ? sums : next; // after 292 years of loans in all they stay as they are
        if (last != null) {
            mostInUse = Math.max(mostInUse, inUse);
            tells = pool.settings.poolMode().equals("session") && last.session.state.isKnown();
        }
        return idle;
    }

    private void turnWindow(long now) {
        long open = now - windowNanos;
        if (open >= WINDOW_NANOS) {
            long[] window = minus(sums, atWindow);
            beginWindow(now, open < 2 * WINDOW_NANOS ? atWindow : sums); // after a rest it would be old
            Events.loanTimes(pool.name(), times(window, List.of()));
            if (LoanEvents.areHeldRecorded()) {
                tellHeld(now);
            }
        }
    }

    /** A loan that does not end is in no other event. */
    private void tellHeld(long now) {
        for (Slot slot : pool.slots.all()) {
            long word = slot.wordVolatile();
            Holding loan = new Holding(slot, word, now);
            if (Slot.isHeld(word) && loan.heldNanos >= WINDOW_NANOS) {
                Thread thread = loan.thread;
                String at = Holding.stack(loan.acquiredAt());
                LoanEvents.loanHeld(
                        pool.name(),
                        slot.id,
                        slot.sessionId,
                        loan.heldNanos,
                        thread == null ? null : Holding.nameOf(thread),
                        pool.settings.shownSql(loan.lastSql),
                        at.isEmpty() ? null : at.strip());
            }
        }
    }

    private void beginWindow(long now, long[] before) {
        sumsBefore = before;
        atWindow = sums;
        windowNanos = now;
    }

    static long[] minus(long[] sums, long[] before) {
        long[] rest = sums.clone();
        Arrays.setAll(rest, i -> sums[i] - before[i]);
        return rest;
    }

    private void notePlace(SeenLoan loan) {
        Thread holder = loan.slot.holder;
        String place = holder == null ? null : placeOf(holder.getStackTrace());
        if (place != null && loan.isOf(loan.slot.wordVolatile()) && loan.doing() == SeenLoan.IN_TRANSACTION) {
            places.add(place);
            if (places.size() > PLACES_KEPT) {
                places.remove();
            }
            Comparator<String> byCount = Comparator.comparing(one -> -Collections.frequency(places, one));
            idlePlaces = places.stream().distinct().sorted(byCount).toList();
        }
    }

    /**
     * The user's frame on top, as {@code OrderView.render}; null if there is none, or if the thread is in a call of a handle, most
     * likely for rows.
     */
    static @Nullable String placeOf(StackTraceElement[] stack) {
        String place = null;
        for (StackTraceElement frame : stack) {
            String type = frame.getClassName();
            if (type.startsWith("dev.weir.internal.handles.")) {
                return null;
            }
            if (place == null && UserFrames.isUsers(frame)) {
                place = UserFrames.nameOf(frame);
            }
        }
        return place;
    }

    private @Nullable String sumUp(long now) {
        long[] all = sums;
        if (summedUp
                || all[SAMPLES] < SAMPLES_FOR_ADVICE
                || now - Math.max(startedNanos, measuredSince) < SUM_UP_AFTER_NANOS) {
            return null;
        }
        summedUp = true;
        return total(all) <= OUT_TO_WORK * all[SeenLoan.IN_DRIVER] ? null : sinceStart();
    }

    // By anyone.

    /** What was measured so far; whoever gets the array does not change it. */
    long[] sums() {
        return sums;
    }

    boolean tellsOfTransactions() {
        return tells;
    }

    public LoanTimes times() {
        return times(sums, idlePlaces);
    }

    private LoanTimes times(long[] sums, List<String> places) {
        return new LoanTimes(
                sums[LOANS],
                Duration.ofNanos(sums[SeenLoan.NOTHING_YET]),
                Duration.ofNanos(sums[SeenLoan.IN_DRIVER]),
                Duration.ofNanos(sums[SeenLoan.BETWEEN]),
                Duration.ofNanos(sums[SeenLoan.IN_TRANSACTION]),
                places,
                mostInUse,
                neededForTransactions(sums));
    }

    private int neededForTransactions(long[] sums) {
        if (!tells || sums[SAMPLES] < SAMPLES_FOR_ADVICE) {
            return 0;
        }
        long total = Math.max(1, TimeUnit.NANOSECONDS.toMillis(total(sums)));
        long used = mostInUse * TimeUnit.NANOSECONDS.toMillis(inTransactions(sums));
        return (int) Math.max(1, (used + total - 1) / total);
    }

    /** For the message of a timeout, of the last seconds; empty if too little was measured. */
    String lately() {
        long[] before = sumsBefore;
        long[] lately = minus(sums, before);
        if (lately[SAMPLES] < LEAST_SAMPLES) {
            return "";
        }
        long inDriver = lately[SeenLoan.IN_DRIVER];
        return 3 * inDriver < 2 * total(lately)
                ? shares(lately)
                : "for " + percent(lately, inDriver) + " % of the time on loan the database was at work";
    }

    /**
     * Of all that was measured since the start, in a sentence; null if that is too little. The mode that lends for a transaction
     * is named where it is to be had and would spare two of three connections.
     */
    public @Nullable String sinceStart() {
        long[] all = sums;
        if (all[SAMPLES] < LEAST_SAMPLES) {
            return null;
        }
        double loans = Math.max(1, all[LOANS]);
        int needed = neededForTransactions(all);
        boolean spares = needed > 0 && total(all) > OUT_TO_WORK * inTransactions(all);
        return "handles were out for " + millis(total(all) / loans) + " ms a loan, in use for "
                + millis(inTransactions(all) / loans)
                + (spares
                        ? ": with poolMode=transaction " + needed
                                + (needed == 1 ? " connection" : " connections") + " would do what " + mostInUse
                                + " do now"
                        : "")
                + "; " + shares(all);
    }

    private static String millis(double nanos) {
        return String.format(Locale.ROOT, nanos < 10e6 ? "%.1f" : "%.0f", nanos / 1e6);
    }

    private static long inTransactions(long[] sums) {
        return sums[SeenLoan.IN_DRIVER] + sums[SeenLoan.IN_TRANSACTION];
    }

    String shares(long[] sums) {
        List<String> places = idlePlaces;
        String place = places.isEmpty() ? "" : " (" + places.get(0) + ")";
        long nothing = percent(sums, total(sums) - sums[SeenLoan.IN_DRIVER]);
        StringJoiner shares = new StringJoiner(", ");
        addShare(shares, percent(sums, sums[SeenLoan.IN_TRANSACTION]), "idle in transactions" + place);
        addShare(shares, percent(sums, sums[SeenLoan.NOTHING_YET]), "before the first statement");
        addShare(shares, percent(sums, sums[SeenLoan.BETWEEN]), "between transactions");
        return "for " + nothing + " % of the time on loan the database had nothing to do: " + shares;
    }

    private static void addShare(StringJoiner shares, long percent, String what) {
        if (percent > 0) {
            shares.add(percent + " % " + what);
        }
    }

    private static long percent(long[] sums, long part) {
        return Math.round(100.0 * part / Math.max(1, total(sums)));
    }

    static long total(long[] sums) {
        return Arrays.stream(sums, 0, LOANS).sum();
    }
}
