package dev.weir.internal.waiting;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * How every other thread tells the Keeper that there is something to decide: a time, one volatile write and an unpark. It
 * allocates nothing and takes no lock, so that a user's thread may do it anywhere. The work to decide the Keeper sees
 * in the slots, in the queue, and in the jobs that it gave away.
 *
 * <p>No word is lost, even if a turn of the Keeper uses up the permit of an unpark (a lock of a thread factory may): the word
 * is in {@link #told} before the unpark, and that is read after the plan was published, right before the park.
 */
public class Inbox {
    private volatile boolean told;

    /** Until when the Keeper means to park; Long.MAX_VALUE while a turn runs, so that a word always causes another. */
    private volatile long parkedUntil = Long.MAX_VALUE;

    private volatile @Nullable Thread keeper;

    /** The Keeper is this thread from now on. */
    public void belongsTo(Thread thread) {
        keeper = thread;
    }

    /** Makes the Keeper's next turn come at this time of the pool's clock at the latest. */
    public void nudge(long atNanos) {
        if (atNanos < parkedUntil) {
            told = true;
            LockSupport.unpark(keeper);
        }
    }

    /** A turn begins: news from now on causes another. */
    public void open() {
        parkedUntil = Long.MAX_VALUE;
        told = false;
    }

    /** The turn is over, and the next is to come at this time. */
    public void plan(long nextNanos) {
        parkedUntil = nextNanos;
    }

    /** Whether something was told since the last turn began. */
    public boolean isTold() {
        return told;
    }
}
