package dev.weir.internal.slots;

/** When the replacement of a connection is due, and when it must go. Planned before the slot is published; then the Keeper's. */
public final class Lifetime {
    private final long openedNanos;
    private long replaceAtNanos = Long.MAX_VALUE;
    private long expiresAtNanos = Long.MAX_VALUE;

    Lifetime(long openedNanos) {
        this.openedNanos = openedNanos;
    }

    /** Plans by maxLifetime (0: never) less up to a fortieth, so that not all go at once; a twentieth before, it is replaced. */
    public void plan(long maxNanos, double jitter) {
        expiresAtNanos = maxNanos == 0 ? Long.MAX_VALUE : openedNanos + maxNanos - (long) (maxNanos / 40.0 * jitter);
        replaceAtNanos = maxNanos == 0 ? Long.MAX_VALUE : expiresAtNanos - maxNanos / 20;
    }

    /** Brings forward when it is replaced, and when it goes; a time that is earlier already stays. */
    public void bringForward(long replaceAt, long expiresAt) {
        replaceAtNanos = Math.min(replaceAtNanos, replaceAt);
        expiresAtNanos = Math.min(expiresAtNanos, expiresAt);
    }

    /** When its replacement is due; Long.MAX_VALUE: never. */
    public long replaceAt() {
        return replaceAtNanos;
    }

    /** When it must go; Long.MAX_VALUE: never. */
    public long expiresAt() {
        return expiresAtNanos;
    }
}
