package dev.weir.internal.working;

import dev.weir.internal.shared.PoolState;
import dev.weir.internal.text.Log;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A call into a driver, on a worker's thread, with a deadline. Its outcome is decided once: by its own end, or by the
 * Keeper, which gives it up when its time is over, even if the driver promised otherwise about its own timeout. Nobody waits
 * for a job that was given up; its thread lives as long as the driver keeps it.
 */
public abstract class Job implements Runnable {
    /** One that takes longer than this is taken for slow, and takes no room from the others of its kind. */
    public static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** So many of one kind are under way at a time, without the slow ones: mostly they wait for an answer. */
    public static final int AT_ONCE = Math.max(8, 2 * Runtime.getRuntime().availableProcessors());

    /** So many in all, without those that were given up. */
    public static final int AT_MOST = 4 * AT_ONCE;

    final PoolState pool;
    public final long startedNanos;
    private final AtomicBoolean decided = new AtomicBoolean();

    /** When a worker came to it; Long.MAX_VALUE before. */
    private volatile long begunNanos = Long.MAX_VALUE;

    /** It runs no more. */
    private volatile boolean over;

    /** The thread that runs it; guarded by this, so that an interrupt meets no other job. */
    private @Nullable Thread runner;

    public Job(PoolState pool, long startedNanos) {
        this.pool = pool;
        this.startedNanos = startedNanos;
    }

    /** Whether the driver is still to be called. */
    boolean begins() {
        return true;
    }

    /** Calls the driver. */
    public abstract void call() throws Exception;

    /** Says what came of it, which counts if it {@link #decide decides}. */
    public void finish() {}

    @Override
    public final void run() {
        try {
            if (begin()) {
                call();
            }
            finish();
        } catch (Throwable e) {
            Log.log(Level.WARNING, "pool '" + pool.name() + "': a job failed", pool.settings.redacted(e));
        } finally {
            leave();
        }
    }

    /** A worker comes to it. */
    public final boolean begin() {
        synchronized (this) {
            runner = Thread.currentThread();
        }
        begunNanos = pool.now();
        return begins();
    }

    /** The worker is done with it. */
    public final void leave() {
        synchronized (this) {
            runner = null;
        }
        boolean ignored = Thread.interrupted(); // left behind by a driver, or of the Keeper
        over = true;
        pool.nudge();
    }

    /** Decides it: true for the first that calls this. */
    public final boolean decide() {
        return !decided.get() && decided.compareAndSet(false, true);
    }

    public final boolean isDecided() {
        return decided.get();
    }

    /** It has ended, or will never run. */
    public final boolean isOver() {
        return over;
    }

    public final void interrupt() {
        synchronized (this) {
            if (runner != null) {
                runner.interrupt();
            }
        }
    }

    /** Whether a worker came to it so long ago. */
    public final boolean isBegunFor(long nanos, long now) {
        long begun = begunNanos;
        return begun < Long.MAX_VALUE && now - begun >= nanos;
    }

    public final boolean isSlow(long now) {
        return now - startedNanos >= SLOW_NANOS;
    }
}
