package dev.weir.internal.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Tells the listeners what is too frequent to be told one by one: the acquires that did not wait, and the loans that one
 * timed loan stands for. Once a tick, by a helper, and never two at a time: a listener that records each of them takes its
 * time, which is neither a user's nor the Keeper's.
 */
final class Tally {
    /** A loan of this length is told by its own thread, however many it stands for. */
    private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Of loans that stand for others no more are kept; what the rest stand for, the next one does. */
    private static final int MOST_KEPT = 1_000;

    private final String poolName;
    private final Listeners listeners;
    private final Executor helpers;

    private final Queue<Sample> samples = new ConcurrentLinkedQueue<>();
    private final AtomicInteger kept = new AtomicInteger();
    private final LongAdder carried = new LongAdder();

    /** Whether a helper tells, or is about to. */
    private final AtomicBoolean telling = new AtomicBoolean();

    /** How many acquires that did not wait were told, or had nobody to be told to; of who has set {@link #telling}. */
    private long told;

    Tally(String poolName, Listeners listeners, Executor helpers) {
        this.poolName = poolName;
        this.listeners = listeners;
        this.helpers = helpers;
    }

    private record Sample(long usedNanos, long loans) {}

    /** Called by the thread that gave the connection back, when it is free again. */
    void loanEnded(long usedNanos, long loans) {
        if (loans == 1 || usedNanos >= LONG_NANOS) {
            listeners.used(poolName, usedNanos, loans);
        } else if (kept.get() < MOST_KEPT) {
            kept.incrementAndGet();
            samples.add(new Sample(usedNanos, loans + carried.sumThenReset()));
        } else {
            carried.add(loans);
        }
    }

    /**
     * A step of the Keeper.
     *
     * @param atOnce how many acquires so far did not wait; it never is too high
     */
    void look(long atOnce) {
        if (telling.get() || (atOnce <= told && kept.get() == 0) || !telling.compareAndSet(false, true)) {
            return;
        }
        boolean handedOn = false;
        try {
            if (listeners.isEmpty()) {
                told = Math.max(told, atOnce);
                forget();
            } else {
                helpers.execute(() -> tellAndEnd(atOnce));
                handedOn = true;
            }
        } finally {
            if (!handedOn) {
                telling.set(false);
            }
        }
    }

    /** The pool is closed: tells the rest on this thread, unless a helper is about it. */
    void conclude(long atOnce) {
        if (telling.compareAndSet(false, true)) {
            tellAndEnd(atOnce);
        }
    }

    private void tellAndEnd(long atOnce) {
        try {
            long more = atOnce - told;
            if (more > 0) {
                told = atOnce;
                listeners.acquiredAtOnce(poolName, more);
            }
            for (Sample sample = samples.poll(); sample != null; sample = samples.poll()) {
                kept.decrementAndGet();
                listeners.used(poolName, sample.usedNanos, sample.loans);
            }
        } finally {
            telling.set(false);
        }
    }

    private void forget() {
        while (samples.poll() != null) {
            kept.decrementAndGet();
        }
        carried.reset();
    }
}
