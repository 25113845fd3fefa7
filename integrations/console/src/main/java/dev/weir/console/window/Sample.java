package dev.weir.console.window;

import dev.weir.console.window.PoolView.Rates;
import dev.weir.console.window.PoolView.Uses;
import dev.weir.console.window.PoolView.Waits;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The counts of a pool at one look, to be compared with those of another. */
record Sample(
        long upMillis,
        int inUse,
        int waiting,
        long acquired,
        long timedOut,
        long opened,
        long openFailed,
        long retired,
        List<Long> waits,
        List<Long> uses) {
    private static final double NANOS_PER_MILLI = 1e6;

    /** Whether this is the same pool later, and not another one of its name. */
    boolean follows(Sample before) {
        return upMillis > before.upMillis
                && acquired >= before.acquired
                && timedOut >= before.timedOut
                && opened >= before.opened
                && openFailed >= before.openFailed
                && retired >= before.retired
                && noneFell(waits, before.waits)
                && noneFell(uses, before.uses);
    }

    /** A pool of another version may count other things. */
    private static boolean noneFell(List<Long> now, List<Long> before) {
        return now.size() == before.size() && Arrays.stream(minus(now, before)).noneMatch(change -> change < 0);
    }

    double seconds(Sample before) {
        return Math.max(1, upMillis - before.upMillis) / 1e3;
    }

    Rates since(Sample before) {
        double seconds = seconds(before);
        return new Rates(
                seconds,
                (acquired - before.acquired) / seconds,
                (opened - before.opened) / seconds,
                (retired - before.retired) / seconds,
                timedOut - before.timedOut,
                openFailed - before.openFailed);
    }

    /** Null if nothing was acquired. */
    @Nullable
    Waits waitsSince(Sample before) {
        long[] counts = minus(waits, before.waits);
        long waited = Arrays.stream(counts).sum();
        long all = Math.max(waited, acquired - before.acquired + timedOut - before.timedOut);
        return all == 0
                ? null
                : new Waits(
                        100.0 * waited / all,
                        percentile(counts, all - waited, all, 0.5),
                        percentile(counts, all - waited, all, 0.99));
    }

    /** Null if no sampled loan was returned. */
    @Nullable
    Uses usesSince(Sample before) {
        long[] counts = minus(uses, before.uses);
        long all = Arrays.stream(counts).sum();
        return all == 0 ? null : new Uses(percentile(counts, 0, all, 0.5), percentile(counts, 0, all, 0.99));
    }

    private static long[] minus(List<Long> now, List<Long> before) {
        long[] counts = new long[now.size()];
        Arrays.setAll(counts, i -> now.get(i) - before.get(i));
        return counts;
    }

    /**
     * Between the bounds of its bucket as if those in it were spread evenly, and so not less than 1 us; those that did not wait come
     * first, with 0.
     */
    static double percentile(long[] counts, long notWaited, long all, double part) {
        double rank = part * all;
        double below = notWaited;
        if (rank <= below) {
            return 0;
        }
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0 && rank <= below + counts[i]) {
                return (bound(i) + (bound(i + 1) - bound(i)) * (rank - below) / counts[i]) / NANOS_PER_MILLI;
            }
            below += counts[i];
        }
        return bound(counts.length) / NANOS_PER_MILLI;
    }

    /** In nanoseconds, as {@link dev.weir.PoolMXBean#getWaits} has it. */
    private static double bound(int i) {
        return Math.scalb(i % 2 == 0 ? 1.0 : 1.5, 10 + i / 2);
    }
}
