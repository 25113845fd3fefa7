package dev.weir.testkit;

import java.time.Duration;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The time of one call of a pool, and what the machine itself cost meanwhile. A sentinel thread parks for a moment, wakes
 * another and is woken by it, over and over, as a pool does on its slow path. The sum of its delays since the call was due is
 * what the machine may have cost the call; what the call took beyond that and beyond {@link #SLACK} is the pool's own.
 */
final class Timed {

    /**
     * The time that a call may take beyond its limit on a machine that does nothing else: its own work, and a pause.
     */
    static final Duration SLACK = Duration.ofMillis(50);

    /** However busy the machine is, a pool that is later than this and {@link #SLACK} is found out. */
    private static final long MOST_OF_THE_MACHINE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Thread caller = Thread.currentThread();
    private final SynchronousQueue<Boolean> ask = new SynchronousQueue<>();
    private final SynchronousQueue<Boolean> reply = new SynchronousQueue<>();
    private final long begunNanos = System.nanoTime();
    private final Duration allowed;
    private final long dueNanos;
    private volatile long roundBegunNanos = begunNanos;
    private volatile long delaysNanos;
    private volatile boolean ended;

    private Timed(Duration allowed) {
        this.allowed = allowed;
        this.dueNanos = begunNanos + allowed.toNanos();
    }

    /** Work with a result; it may throw anything. */
    @FunctionalInterface
    interface Job<T> {
        T run() throws Throwable;
    }

    /** A pool was late: a failure that is looked at again, since code that runs for the first time is slow. */
    static final class Late extends AssertionError {
        private static final long serialVersionUID = 1L;

        Late(String message) {
            super(message);
        }
    }

    /** Begins to take the time of a call that may take so long, until {@link #check}. */
    static Timed start(Duration allowed) {
        Timed timed = new Timed(allowed);
        startThread(timed::watch);
        startThread(timed::answer);
        return timed;
    }

    private static void startThread(Runnable work) {
        Thread thread = new Thread(work, Scene.THREAD_PREFIX + "sentinel");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Does the work, and checks how long it took, unless it fails.
     *
     * @throws Late if it took longer than it is allowed
     */
    static <T> T within(String what, Duration allowed, Job<T> work) throws Throwable {
        Timed timed = start(allowed);
        T result = work.run();
        timed.check(what);
        return result;
    }

    /**
     * Ends taking the time, and checks it.
     *
     * @throws Late if the call took longer than it is allowed
     */
    void check(String what) {
        long now = System.nanoTime();
        ended = true;
        long machineNanos = delaysNanos + delay(roundBegunNanos, now);
        long ofMachine = Math.min(MOST_OF_THE_MACHINE_NANOS, machineNanos);
        if (now - dueNanos > SLACK.toNanos() + ofMachine) {
            throw new Late(what + " took " + millis(now - begunNanos) + " ms, allowed were " + allowed.toMillis()
                    + " (the machine was " + millis(machineNanos) + " ms late)");
        }
    }

    /** How long a round took that should take a tick, as far as that was after the call was due. */
    private long delay(long begun, long now) {
        return Math.max(0, now - Math.max(begun + TICK_NANOS, dueNanos));
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    private void watch() {
        try {
            boolean goOn = true;
            long delays = 0;
            while (goOn) {
                long begun = System.nanoTime();
                roundBegunNanos = begun;
                LockSupport.parkNanos(TICK_NANOS);
                ask.put(!ended && caller.isAlive());
                goOn = reply.take();
                delays += delay(begun, System.nanoTime());
                delaysNanos = delays;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void answer() {
        try {
            boolean goOn = true;
            while (goOn) {
                goOn = ask.take();
                reply.put(goOn);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
