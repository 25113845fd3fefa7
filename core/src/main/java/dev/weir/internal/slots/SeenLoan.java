package dev.weir.internal.slots;

/**
 * A loan that the Keeper has seen, and since when. An acquire takes no clock for this: the Keeper looks every tick while the pool
 * is busy, so the time is exact to a tick, and never too long. Each loan has one of its own, so that another thread that looks,
 * racily, sees the time of one loan.
 */
public final class SeenLoan {
    /** Nothing was executed so far. */
    public static final int NOTHING_YET = 0;

    /** A call into the driver runs, or the connection is being cleaned. */
    public static final int IN_DRIVER = 1;

    /** No call runs, and a transaction is open. */
    public static final int IN_TRANSACTION = 2;

    /** No call runs, and no transaction is open. */
    public static final int BETWEEN = 3;

    /** The loan has ended. */
    public static final int OVER = -1;

    public final Slot slot;
    public final long sinceNanos;
    private final long word;

    /** When the Keeper first saw that it was being returned; Long.MAX_VALUE if it did not. The Keeper's. */
    private long returningSinceNanos = Long.MAX_VALUE;

    SeenLoan(Slot slot, long word, long nowNanos) {
        this.slot = slot;
        this.word = word;
        this.sinceNanos = nowNanos;
    }

    /** Whether this word is of it: the slot is held, by this acquire. */
    public boolean isOf(long current) {
        return Slot.isHeld(current) && Slot.isOfOneLoan(word, current);
    }

    /**
     * The news that the loan of this word, as its handle holds it, does this. The stamp and the news are one word, so that no news
     * is taken for that of another loan, and an acquire has nothing to clear.
     *
     * <p>The loan's threads assign it to {@link Slot#doing} plainly, and the Keeper reads it racily: one that comes late is what was
     * so an instant ago. A thread whose statement outlasts its loan, which another thread ended, may overwrite the news of the next
     * loan, which then counts as {@link #NOTHING_YET} until its next execution; so does a value that a JVM of 32 bits tears.
     */
    public static long noted(long loanWord, int doing) {
        return loanWord - Slot.IN_USE + doing;
    }

    /** Its work now, as far as it is noted; {@link #OVER} if it has ended, perhaps meanwhile. By the Keeper. */
    public int doing() {
        long current = slot.wordVolatile();
        long noted = slot.doing; // in whatever order the two are read: stamps only grow
        if (!isOf(current) || noted >>> Slot.STAMP_SHIFT > current >>> Slot.STAMP_SHIFT) {
            return OVER;
        }
        if (Slot.stateOf(current) == Slot.RETURNING) {
            return IN_DRIVER;
        }
        return Slot.isOfOneLoan(current, noted) ? Slot.stateOf(noted) : NOTHING_YET;
    }

    /** It is being returned; since when, at least. By the Keeper. */
    public long returningSince(long nowNanos) {
        returningSinceNanos = Math.min(returningSinceNanos, nowNanos);
        return returningSinceNanos;
    }
}
