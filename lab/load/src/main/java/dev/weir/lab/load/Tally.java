package dev.weir.lab.load;

import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Counts answers. Thread-safe. */
final class Tally {
    private final ConcurrentHistogram times = new ConcurrentHistogram(3);
    private final LongAdder inTime = new LongAdder();
    private final LongAdder non200 = new LongAdder();
    private final LongAdder begun = new LongAdder();
    private final LongAdder answered = new LongAdder();

    void served(long nanos, boolean isInTime) {
        times.recordValue(Math.max(0, nanos));
        if (isInTime) {
            inTime.increment();
        }
    }

    void refused() {
        non200.increment();
    }

    /** What the generator itself counted. */
    void counted(long requests, long responses) {
        begun.add(requests);
        answered.add(responses);
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
                Math.max(0, begun.sum() - answered.sum()),
                Math.max(0, due - begun.sum()),
                (double) due / seconds,
                (double) inTime.sum() / seconds);
    }

    private static double micros(Histogram times, double percentile) {
        return (double) times.getValueAtPercentile(percentile) / 1e3;
    }
}
