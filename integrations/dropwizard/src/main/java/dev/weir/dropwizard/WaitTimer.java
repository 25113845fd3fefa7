package dev.weir.dropwizard;

import com.codahale.metrics.Meter;
import com.codahale.metrics.Snapshot;
import com.codahale.metrics.Timer;
import com.codahale.metrics.WeightedSnapshot;
import com.codahale.metrics.WeightedSnapshot.WeightedSample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * How long acquires waited, those included that did not wait. The pool tells of those only how many they were, so that
 * they cost nothing: they are brought in when somebody reads, as waits of no time. In a snapshot their share is that of the
 * last five minutes, of which the timed ones are a sample too.
 */
final class WaitTimer extends Timer {
    private final LongSupplier acquired;
    private final AtomicLong marked = new AtomicLong();
    private final Meter acquires = new Meter();

    WaitTimer(LongSupplier acquired) {
        this.acquired = acquired;
    }

    private Meter acquires() {
        long now = acquired.getAsLong();
        long before = marked.getAndAccumulate(now, Math::max);
        if (now > before) {
            acquires.mark(now - before);
        }
        return acquires;
    }

    void waited(long nanos) {
        update(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public long getCount() {
        return acquires().getCount();
    }

    @Override
    public double getMeanRate() {
        return acquires().getMeanRate();
    }

    @Override
    public double getOneMinuteRate() {
        return acquires().getOneMinuteRate();
    }

    @Override
    public double getFiveMinuteRate() {
        return acquires().getFiveMinuteRate();
    }

    @Override
    public double getFifteenMinuteRate() {
        return acquires().getFifteenMinuteRate();
    }

    @Override
    public Snapshot getSnapshot() {
        long[] waits = super.getSnapshot().getValues();
        double share = waits.length == 0 ? 0 : shareOfWaits();
        List<WeightedSample> samples = new ArrayList<>(waits.length + 1);
        for (long wait : waits) {
            samples.add(new WeightedSample(wait, share / waits.length));
        }
        if (share < 1 && getCount() > 0) {
            samples.add(new WeightedSample(0, 1 - share));
        }
        return new WeightedSnapshot(samples);
    }

    /** In 0..1; by the counts until there are rates, which is after five seconds. */
    private double shareOfWaits() {
        double all = acquires().getFiveMinuteRate();
        double waited = super.getFiveMinuteRate();
        double share = all > 0 && waited > 0 ? waited / all : (double) super.getCount() / Math.max(1, getCount());
        return Math.min(1, share);
    }
}
