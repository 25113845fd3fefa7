package dev.weir.internal.slots;

import java.util.List;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** A place of the user's code that acquires connections, and what came of its loans, as far as they were sampled. */
public final class Place {
    /**
     * A loan that was sampled.
     *
     * @param loanWord the word of the loan, as its handle holds it
     * @param frames the first frames of the user's code
     * @param sinceNanos when it was sampled, by the clock of {@code Places}
     * @param ofAll whether any loan was sampled then, and not only one that waited
     */
    public record Loan(long loanWord, List<StackTraceElement> frames, Place place, long sinceNanos, boolean ofAll) {}

    public final String name;
    private final LongAdder loans = new LongAdder();
    private final LongAdder heldNanos = new LongAdder();
    private final LongAdder waitedNanos = new LongAdder();
    private final LongAccumulator longestNanos = new LongAccumulator(Math::max, 0);

    public Place(String name) {
        this.name = name;
    }

    public void acquired(long waited) {
        loans.increment();
        waitedNanos.add(waited);
    }

    public void returned(long held) {
        heldNanos.add(held);
        longestNanos.accumulate(held);
    }

    public long loans() {
        return loans.sum();
    }

    public long heldNanos() {
        return heldNanos.sum();
    }

    public long waitedNanos() {
        return waitedNanos.sum();
    }

    /** The longest loan that was returned. */
    public long longestNanos() {
        return longestNanos.get();
    }
}
