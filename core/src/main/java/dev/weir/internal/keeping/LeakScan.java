package dev.weir.internal.keeping;

import dev.weir.RetireReason;
import dev.weir.internal.observing.Events;
import dev.weir.internal.observing.Listeners;
import dev.weir.internal.shared.Holding;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.slots.LoanTrace;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.slots.SeenLoan;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.text.Log;
import dev.weir.internal.working.Workers;
import java.lang.System.Logger.Level;
import java.lang.ref.Reference;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Finds connections that are held for too long, or were lost by their users. All is the Keeper's. */
public final class LeakScan {
    /** While a loan is traced, how often to look whether its handle was collected. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PoolState pool;
    private final Workers workers;
    private final Listeners listeners;

    /** Those that were reported as leaked, and not returned so far. */
    private final Set<SeenLoan> reported = new HashSet<>();

    public LeakScan(PoolState pool, Workers workers, Listeners listeners) {
        this.pool = pool;
        this.workers = workers;
        this.listeners = listeners;
    }

    /** Takes back what is lost, and reports each hold longer than the threshold, once; returns when the next would pass it. */
    long findLeaks(long now) {
        for (Reference<?> lost = pool.unreachable.poll(); lost != null; lost = pool.unreachable.poll()) {
            reclaim((LoanTrace) lost, now);
        }
        reportReturned(now);
        long threshold = pool.settings.leakDetectionThresholdNanos();
        if (threshold == 0) {
            return Long.MAX_VALUE;
        }
        long next = Long.MAX_VALUE;
        for (Slot slot : pool.slots.all()) {
            long word = slot.wordVolatile();
            SeenLoan loan = slot.see(word, now);
            if (loan != null) {
                next = Math.min(next, now + LOOK_NANOS);
                if (now - loan.sinceNanos < threshold) {
                    next = Math.min(next, loan.sinceNanos + threshold);
                } else if (reported.add(loan)) {
                    report(slot, word, now);
                }
            }
        }
        return next;
    }

    /**
     * Takes back a connection whose handle was collected before it was closed. There is no mistaking it for one in use:
     * without the handle no thread can use it. Not where the driver's own object was unwrapped, which needs no handle.
     *
     * <p>Its open statements are known to the lost handle alone, so the connection is closed and its place is free.
     */
    private void reclaim(LoanTrace trace, long now) {
        Slot slot = trace.slot;
        if (trace.unwrapped || !slot.isLive(trace.loanWord)) {
            return;
        }
        Holding lost = new Holding(slot, trace.loanWord, now);
        reported.removeIf(loan -> loan.slot == slot); // it was not returned
        if (slot.claim(trace.loanWord)) {
            pool.places.returned(slot);
            boolean ignored = pool.retire(slot, RetireReason.RECLAIMED, null); // no listener is called here
            workers.say(() -> Log.log(
                    Level.WARNING,
                    "pool ''{0}'': reclaimed {1}; no thread could reach its handle any more, and it was never closed;"
                            + " acquired at{2}",
                    pool.name(),
                    lost.inWords(pool.settings),
                    Holding.stack(trace.acquiredAt())));
        }
    }

    private void reportReturned(long now) {
        for (Iterator<SeenLoan> loans = reported.iterator(); loans.hasNext(); ) {
            SeenLoan loan = loans.next();
            if (loan.isOf(loan.slot.wordVolatile())) {
                continue;
            }
            loans.remove();
            if (!loan.slot.isTakenAway()) { // else it was taken from its holder
                workers.say(() -> Log.log(
                        Level.INFO,
                        "pool ''{0}'': {1}, reported as leaked, was returned after {2} ms",
                        pool.name(),
                        loan.slot,
                        TimeUnit.NANOSECONDS.toMillis(PoolClock.elapsed(now, loan.sinceNanos))));
            }
        }
    }

    private void report(Slot slot, long word, long now) {
        Holding leaked = new Holding(slot, word, now);
        Thread holder = leaked.thread;
        String at = Holding.stack(leaked.acquiredAt());
        String stack = holder == null ? "" : Holding.stack(holder.getStackTrace());
        workers.say(() -> Log.log(
                Level.WARNING,
                "pool ''{0}'': leak? {1}{2}{3}",
                pool.name(),
                leaked.inWords(pool.settings),
                at.isEmpty() ? "" : "; acquired at" + at,
                System.lineSeparator() + whereIsThread(holder, stack)));
        String name = holder == null ? "unknown" : Holding.nameOf(holder);
        Events.leaked(pool.name(), slot.id, slot.sessionId, name, leaked.heldNanos, at, stack);
        listeners.later(workers, pool.name(), listener -> listener.leaked(leaked.heldNanos));
    }

    private static String whereIsThread(@Nullable Thread holder, String stack) {
        if (holder == null) {
            return "its thread is not known";
        }
        return stack.isEmpty() ? "its thread has ended" : "its thread is now at" + stack;
    }
}
