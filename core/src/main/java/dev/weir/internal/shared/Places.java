package dev.weir.internal.shared;

import dev.weir.PlaceStats;
import dev.weir.internal.observing.LoanEvents;
import dev.weir.internal.slots.LoanRecord;
import dev.weir.internal.slots.Place;
import dev.weir.internal.slots.Slot;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where connections are acquired, by samples: an acquire notes a few frames of its stack if there is time left for it.
 *
 * <p>A stack takes microseconds, a hundred of them before the code is compiled, and how many depends on the machine and the depth.
 * So each sample is timed, and the Keeper hands out time, not a number: with each tick {@value #SHARE} parts of a thousand of it,
 * and as much once more for loans that waited, so that none of these is missed for the others. At 20 us a stack that is enough for
 * 200 loans a second and as many that waited; at a million a second one in thousands is sampled. The pool as a whole spends
 * less than a hundredth of one thread on it, at any rate, and as long as nothing is left an acquire reads one field.
 *
 * <p>The fields are plain: two threads that sample at once may spend the same time twice, or close again what was just handed
 * out, for the one tick.
 */
public final class Places {
    /** In a thousand; the first sample of a tick is taken whatever it costs. */
    private static final int SHARE = 4;

    private static final int MOST_PLACES = 100;

    private static final String OTHERS = "others";

    private final LongSupplier nanos;
    private final Map<String, Place> byName = new ConcurrentHashMap<>();
    private final TimeHistogram uses = new TimeHistogram();

    // Racy, see above.
    /** Whether the next loan is sampled. Read by every acquire. */
    public boolean open;

    /** Whether the next loan that waited is. */
    public boolean openForWaits;

    private long leftNanos;
    private long leftForWaitsNanos;

    /** {@code nanos}: a clock of real time, whatever the ticker of the pool is. */
    Places(LongSupplier nanos) {
        this.nanos = nanos;
        List<StackTraceElement> ignored = UserFrames.here(
                UserFrames.OF_A_PLACE); // loads what it needs, so that no user's thread does at the end of its stack
        Place loaded = new Place(OTHERS); // so does this
        loaded.acquired(0);
        loaded.returned(0);
        new TimeHistogram().add(0); // and this
        handOut(0);
    }

    /** A tick of the clock has passed. By the Keeper. */
    public void handOut(long tickNanos) {
        leftNanos = tickNanos * SHARE / 1_000;
        leftForWaitsNanos = leftNanos;
        openForWaits = true;
        open = true;
    }

    /** Notes where this loan is acquired, and for a recording how it goes on; of one that waited that is noted already. */
    public void note(Slot slot) {
        if (open && !isOfThisLoan(slot, slot.sampled)) {
            sample(slot, slot.wordOfLoan(), 0);
        }
        record(slot, 0);
    }

    /** As {@link #note}, of a loan that waited for so long. */
    public void noteWaited(Slot slot, long waitedNanos) {
        if (open || openForWaits) {
            sample(slot, slot.wordOfLoan(), waitedNanos);
        }
        record(slot, waitedNanos);
    }

    /** Only of a loan that notes what it does: else its times would say that it did nothing. */
    private static void record(Slot slot, long waitedNanos) {
        if (slot.lender.measures && LoanEvents.areLoansRecorded() && slot.record() == null) {
            Place.Loan sampled = slot.sampled;
            List<StackTraceElement> frames =
                    sampled != null && isOfThisLoan(slot, sampled) ? sampled.frames() : List.of();
            slot.setRecord(new LoanRecord(LoanEvents.beginLoan(), waitedNanos, frames));
            slot.acquiredNanos = slot.acquiredNanos == 0 ? Slot.SAMPLED : slot.acquiredNanos; // its return looks
        }
    }

    /**
     * Samples this loan, which was just acquired by the current thread, and waited for so long; one that waited on the account of
     * those as long as there is something left on it. It may throw: the loan is not sampled then.
     */
    void sample(Slot slot, long loanWord, long waitedNanos) {
        try {
            long begun = nanos.getAsLong();
            take(slot, loanWord, waitedNanos, begun, open);
            long took = nanos.getAsLong() - begun;
            if (waitedNanos > 0 && openForWaits) {
                leftForWaitsNanos -= took;
                openForWaits = leftForWaitsNanos > 0;
            } else {
                leftNanos -= took;
                open = leftNanos > 0;
            }
        } catch (Throwable e) { // what it cost is not known: the next tick tries again, and not each acquire
            open = false;
            openForWaits = false;
            throw e;
        }
    }

    private void take(Slot slot, long loanWord, long waitedNanos, long begun, boolean ofAll) {
        List<StackTraceElement> frames = UserFrames.here(UserFrames.OF_A_PLACE);
        if (!frames.isEmpty()) {
            Place place = placeOf(UserFrames.nameOf(frames));
            place.acquired(waitedNanos);
            slot.sampled = new Place.Loan(loanWord, frames, place, begun, ofAll);
            if (slot.acquiredNanos == 0) {
                slot.acquiredNanos = Slot.SAMPLED; // so that its return looks for the sample
            }
        }
    }

    /** A loan that was sampled is returned. By its owner. */
    public void returned(Slot slot) {
        Place.Loan sampled = slot.sampled;
        slot.sampled = null;
        if (sampled != null && isOfThisLoan(slot, sampled)) {
            long held = nanos.getAsLong() - sampled.sinceNanos();
            sampled.place().returned(held);
            if (sampled.ofAll()) {
                uses.add(held);
            }
        }
    }

    /** An Error at the end of a loan may have left its sample behind. */
    private static boolean isOfThisLoan(Slot slot, Place.@Nullable Loan sampled) {
        return sampled != null && Slot.isOfOneLoan(slot.wordVolatile(), sampled.loanWord());
    }

    Place placeOf(String name) {
        Place known = byName.get(name);
        if (known != null) {
            return known;
        }
        Place made = new Place(byName.size() < MOST_PLACES ? name : OTHERS);
        Place before = byName.putIfAbsent(made.name, made); // an Error within computeIfAbsent breaks the map for ever
        return before == null ? made : before;
    }

    /** As {@link dev.weir.PoolMXBean#getUses}. */
    public long[] uses() {
        return uses.counts();
    }

    /** The places, those whose loans were held the longest in all first. */
    public List<PlaceStats> stats() {
        return byName.values().stream()
                .map(place -> new PlaceStats(
                        place.name,
                        place.loans(),
                        Duration.ofNanos(place.heldNanos()),
                        Duration.ofNanos(place.waitedNanos()),
                        Duration.ofNanos(place.longestNanos())))
                .sorted(Comparator.comparing(PlaceStats::held).reversed().thenComparing(PlaceStats::place))
                .toList();
    }
}
