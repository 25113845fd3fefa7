package dev.weir.internal.slots;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The way in which every other thread tells the Keeper of something to decide: a time, one volatile write and an
 * unpark. It allocates nothing and takes no lock, so that a user's thread may do it anywhere. The Keeper sees what
 * there is to decide in the slots, in the queue, and in the jobs that it gave away.
 *
 * <p>No word is lost, even if a turn of the Keeper uses up the permit of an unpark (a lock of a thread factory may): the word
 * is in {@link #told} before the unpark, and that is read after the plan was published, right before the park.
 */
public class Inbox {
    /** The words: an operator did something that may help connects. */
    public static final int OPERATOR_ACTED = 1;

    /** The limits or periods changed. */
    public static final int SETTINGS_CHANGED = 2;

    /** A connection was returned in order from its first use. */
    public static final int PROVED = 4;

    /** An acquire met a refusal of the credentials, instead of waiting. */
    public static final int REFUSAL_MET = 8;

    private static final AtomicIntegerFieldUpdater<Inbox> WORDS =
            AtomicIntegerFieldUpdater.newUpdater(Inbox.class, "words");

    /** The words that were said and not taken, through WORDS. */
    private volatile int words;

    private volatile boolean told;

    /** Until when the Keeper means to park; Long.MAX_VALUE while a turn runs, so that a word always causes another. */
    private volatile long parkedUntil = Long.MAX_VALUE;

    private volatile @Nullable Thread keeper;

    /**
     * Never taken: a stack that is too short for the unpark overflows here, before it. The unpark of a virtual thread
     * is Java code, and not to be cut off.
     */
    private final LeafLock stack = new LeafLock();

    /** The Keeper is this thread from now on. */
    public void belongsTo(Thread thread) {
        keeper = thread;
    }

    /** Makes the Keeper's next turn come at this time of the pool's clock at the latest. */
    public void nudge(long atNanos) {
        if (atNanos < parkedUntil) {
            stack.room();
            told = true;
            LockSupport.unpark(keeper);
        }
    }

    /** Leaves a word for the Keeper's next turn, which {@link #nudge} may bring sooner. */
    public void say(int word) {
        for (int said = words; (said & word) == 0; said = words) {
            if (WORDS.compareAndSet(this, said, said | word)) {
                return;
            }
        }
    }

    /** Takes a word, by the Keeper; false if it was not said. */
    public boolean take(int word) {
        for (int said = words; (said & word) != 0; said = words) {
            if (WORDS.compareAndSet(this, said, said & ~word)) {
                return true;
            }
        }
        return false;
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
