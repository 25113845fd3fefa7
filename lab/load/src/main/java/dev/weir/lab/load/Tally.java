package dev.weir.lab.load;

import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Counts requests. One that was begun is served, refused, or neither, and then it failed: none counts twice. Thread-safe.
 */
final class Tally {
    private final ConcurrentHistogram times = new ConcurrentHistogram(3);
    private final LongAdder inTime = new LongAdder();
    private final LongAdder non200 = new LongAdder();
    private final LongAdder begun = new LongAdder();

    void served(long nanos, boolean isInTime) {
        times.recordValue(Math.max(0, nanos));
        if (isInTime) {
            inTime.increment();
        }
    }

    void refused() {
        non200.increment();
    }

    /** As the generator itself counts. */
    void begun(long requests) {
        begun.add(requests);
    }

    LoadResult result(LoadSpec spec) {
        double seconds = (double) spec.countedMillis() / 1e3;
        long due = spec.rate() == 0 ? begun.sum() : Math.round(spec.rate() * seconds);
        Histogram all = times.copy();
        return new LoadResult(
                inTime.sum(),
                all.getMean() / 1e3,
                all.getStdDeviation() / 1e3,
                micros(all, 50),
                micros(all, 90),
                micros(all, 99),
                micros(all, 99.9),
                (double) all.getMaxValue() / 1e3,
                non200.sum(),
                Math.max(0, begun.sum() - all.getTotalCount() - non200.sum()),
                Math.max(0, due - begun.sum()),
                (double) due / seconds,
                (double) inTime.sum() / seconds);
    }

    private static double micros(Histogram times, double percentile) {
        return (double) times.getValueAtPercentile(percentile) / 1e3;
    }
}
