package dev.weir.dropwizard;

import com.codahale.metrics.ExponentiallyDecayingReservoir;
import com.codahale.metrics.Histogram;
import java.util.concurrent.atomic.LongAdder;

/** How long connections were on loan, in milliseconds: of a sample of the loans, as the pool times them; it counts all. */
final class UsageHistogram extends Histogram {
    private final LongAdder loans = new LongAdder();

    UsageHistogram() {
        super(new ExponentiallyDecayingReservoir());
    }

    /** Adds one that was timed, and stands for so many. */
    void used(long millis, long standsFor) {
        update(millis);
        loans.add(standsFor);
    }

    @Override
    public long getCount() {
        return loans.sum();
    }
}
