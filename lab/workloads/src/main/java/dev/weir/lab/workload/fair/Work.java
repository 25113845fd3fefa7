package dev.weir.lab.workload.fair;

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * What a thread does while it holds a connection.
 *
 * <p>Busy work is a fixed number of steps, found once so that they take the asked time on a free core. A loop that looks at
 * the clock instead would end early when its thread is preempted, as if the database had worked on in its stead; fixed work
 * pays for the lost core, as real work does.
 */
final class Work {
    private static final int CALIBRATIONS = 21;

    private final Load.Hold hold;
    private final long nanos;
    private final long steps;

    private Work(Load.Hold hold, long nanos, long steps) {
        this.hold = hold;
        this.nanos = nanos;
        this.steps = steps;
    }

    static Work parked(long nanos) {
        return new Work(Load.Hold.PARKED, nanos, 0);
    }

    /** Work of this length, as this machine is now; the fastest of several tries, as the others were disturbed. */
    static Work busy(long nanos) {
        long trial = 200_000;
        long seed = 1;
        long[] took = new long[CALIBRATIONS];
        for (int i = 0; i < CALIBRATIONS; i++) {
            long start = System.nanoTime();
            seed = compute(seed, trial);
            took[i] = System.nanoTime() - start;
        }
        Arrays.sort(took);
        long steps = Math.max(1, trial * nanos / Math.max(1, took[0]));
        return new Work(Load.Hold.BUSY, nanos, seed == 0 ? steps + 1 : steps);
    }

    /** Works for one hold; the result is to be kept by the caller, so that the work cannot be dropped. */
    long perform(long seed) {
        if (hold == Load.Hold.PARKED) {
            LockSupport.parkNanos(nanos);
            return seed + 1;
        }
        return compute(seed, steps);
    }

    long steps() {
        return steps;
    }

    private static long compute(long seed, long steps) {
        long x = seed | 1;
        for (long i = 0; i < steps; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }
}
