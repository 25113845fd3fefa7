package dev.weir.lab.battle.shop;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * Another company's system, asked over the network: it answers after a time of its own, between half of the mean and one and
 * a half of it. The caller draws that time, so that it is the same for every pool.
 */
public final class Downstream {
    private final long meanNanos;

    public Downstream(Duration mean) {
        meanNanos = mean.toNanos();
    }

    /** Asks and waits for the answer; an interrupt ends the wait early. */
    public void ask(RandomGenerator random) {
        long answerAt = System.nanoTime() + drawn(meanNanos, random);
        for (long left = answerAt - System.nanoTime(); left > 0; left = answerAt - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
        }
    }

    /** A time between half of the mean and one and a half of it. */
    public static long drawn(long meanNanos, RandomGenerator random) {
        return meanNanos / 2 + (meanNanos == 0 ? 0 : random.nextLong(meanNanos));
    }
}
