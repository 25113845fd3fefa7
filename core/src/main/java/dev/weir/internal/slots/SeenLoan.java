package dev.weir.internal.slots;

/**
 * A loan that the Keeper has seen, and since when. An acquire takes no clock for this: the Keeper looks every tick while the pool
 * is busy, so the time is exact to a tick, and never too long. Each loan has one of its own, so that another thread that looks,
 * racily, sees the time of one loan.
 */
public final class SeenLoan {
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

    /** It is being returned; since when, at least. By the Keeper. */
    public long returningSince(long nowNanos) {
        returningSinceNanos = Math.min(returningSinceNanos, nowNanos);
        return returningSinceNanos;
    }
}
