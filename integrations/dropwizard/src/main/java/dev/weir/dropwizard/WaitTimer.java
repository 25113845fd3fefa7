package dev.weir.dropwizard;

import com.codahale.metrics.Clock;
import com.codahale.metrics.ExponentiallyDecayingReservoir;
import com.codahale.metrics.Snapshot;
import com.codahale.metrics.Timer;
import com.codahale.metrics.WeightedSnapshot;
import com.codahale.metrics.WeightedSnapshot.WeightedSample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How long acquires waited, those included that did not wait. The pool tells of those only how many they were, so that
 * they cost nothing: they are brought in when somebody reads, as waits of no time. In a snapshot their share is that of
 * about the last five minutes, of which the timed ones are a sample too.
 */
final class WaitTimer extends Timer {
    /** As often as a {@link com.codahale.metrics.Meter} makes its rates anew, at most. */
    private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** As a Timer has them that chooses for itself. */
    private static final int SAMPLES = 1_028;

    private static final double DECAY_PER_SECOND = 0.015;

    private static final int QUANTILES = 1_000;

    private final LongSupplier acquires;
    private final Clock clock;
    private final long start;

    // guarded by this
    private final Rates all = new Rates();
    private final Rates waits = new Rates();
    private long ticked;

    /**
     * Counts from now on.
     *
     * @param acquires how many there were until now, those that waited among them
     */
    WaitTimer(LongSupplier acquires, Clock clock) {
        super(new ExponentiallyDecayingReservoir(SAMPLES, DECAY_PER_SECOND, clock), clock);
        this.acquires = acquires;
        this.clock = clock;
        this.start = clock.getTick();
        this.ticked = start;
    }

    void waited(long nanos) {
        update(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public long getCount() {
        return acquires.getAsLong();
    }

    @Override
    public double getMeanRate() {
        double seconds = (clock.getTick() - start) / 1e9;
        return seconds > 0 ? getCount() / seconds : 0;
    }

    @Override
    public synchronized double getOneMinuteRate() {
        tick();
        return all.oneMinute;
    }

    @Override
    public synchronized double getFiveMinuteRate() {
        tick();
        return all.fiveMinutes;
    }

    @Override
    public synchronized double getFifteenMinuteRate() {
        tick();
        return all.fifteenMinutes;
    }

    /**
     * Under the lock. Both rates at the same moment, however long after the last: readers come once a minute, or never for an
     * hour.
     */
    private void tick() {
        long now = clock.getTick();
        if (now - ticked >= TICK_NANOS) {
            double seconds = (now - ticked) / 1e9;
            ticked = now;
            waits.tick(super.getCount(), seconds);
            all.tick(getCount(), seconds);
        }
    }

    @Override
    public Snapshot getSnapshot() {
        Snapshot timed = super.getSnapshot();
        double share = timed.size() == 0 ? 0 : shareOfWaits();
        List<WeightedSample> samples = new ArrayList<>(QUANTILES + 2);
        if (timed.size() > 0) {
            // The snapshot tells no weights; its quantiles are equally likely, and know that old waits count less.
            for (int i = 0; i < QUANTILES; i++) {
                samples.add(new WeightedSample((long) timed.getValue((i + 0.5) / QUANTILES), share / QUANTILES));
            }
            samples.add(new WeightedSample(timed.getMax(), 0));
        }
        if (share < 1 && getCount() > 0) {
            samples.add(new WeightedSample(0, 1 - share));
        }
        return new WeightedSnapshot(samples);
    }

    /** In 0..1; by the counts until there are rates, which is after five seconds. */
    private synchronized double shareOfWaits() {
        tick();
        double share = waits.fiveMinutes > 0 && all.fiveMinutes > 0
                ? waits.fiveMinutes / all.fiveMinutes
                : (double) super.getCount() / Math.max(1, getCount());
        return Math.min(1, share);
    }

    /**
     * Per second, each weighted towards the last so many minutes: with the intervals as they come, what a rate was before
     * counts {@code exp(-interval / minutes)}. The first interval is the rate.
     */
    private static final class Rates {
        private long counted;
        private boolean begun;
        private double oneMinute;
        private double fiveMinutes;
        private double fifteenMinutes;

        void tick(long count, double seconds) {
            double rate = Math.max(0, count - counted) / seconds;
            counted = Math.max(counted, count);
            oneMinute = towards(rate, oneMinute, seconds, 60);
            fiveMinutes = towards(rate, fiveMinutes, seconds, 300);
            fifteenMinutes = towards(rate, fifteenMinutes, seconds, 900);
            begun = true;
        }

        private double towards(double rate, double before, double seconds, double weighted) {
            return begun ? rate + (before - rate) * Math.exp(-seconds / weighted) : rate;
        }
    }
}
