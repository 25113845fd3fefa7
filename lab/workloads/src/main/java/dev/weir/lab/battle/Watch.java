package dev.weir.lab.battle;

import dev.weir.lab.contender.PoolUnderTest;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Looks at a pool a hundred times a second, from the moment on that the measured part begins. */
final class Watch implements AutoCloseable {
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final PoolUnderTest pool;
    private final SlowSource physical;
    private final long fromNanos;
    private final Thread thread = new Thread(this::run, "battle-watch");
    private volatile boolean over;

    // Written by the thread, read when it has ended.
    private long looks;
    private long inUse;
    private long openedBefore = -1;

    Watch(PoolUnderTest pool, SlowSource physical, long fromNanos) {
        this.pool = pool;
        this.physical = physical;
        this.fromNanos = fromNanos;
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        while (!over) {
            LockSupport.parkNanos(this, PERIOD_NANOS);
            if (System.nanoTime() >= fromNanos) {
                look();
            }
        }
    }

    private void look() {
        if (openedBefore < 0) {
            openedBefore = physical.opened();
        }
        int active = pool.counts().active();
        if (active >= 0) {
            looks++;
            inUse += active;
        }
    }

    private void end() throws InterruptedException {
        over = true;
        LockSupport.unpark(thread);
        thread.join();
    }

    /** Ends the looking; how many connections were in use on average, NaN if the pool cannot tell. */
    double meanInUse() throws InterruptedException {
        end();
        return looks == 0 ? Double.NaN : (double) inUse / looks;
    }

    /** Ends the looking; how many connections were opened since the measured part began. */
    long openedMeasured() throws InterruptedException {
        end();
        return openedBefore < 0 ? 0 : physical.opened() - openedBefore;
    }

    @Override
    public void close() {
        over = true;
    }
}
