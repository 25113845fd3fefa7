package dev.weir.internal.slots;

import dev.weir.internal.engine.RealPaths;

/** The engine's parts in the states that the tests start from, without a pool or a driver around them. */
public final class Parts {
    /** Any slot is fresh enough. */
    public static final long ANY = Long.MIN_VALUE;

    /** The moment at which a waiter began to wait so long ago that only the count of releases decides whether it is due. */
    static final long LONG_AGO = -2 * WaitQueue.PATIENCE_NANOS;

    private Parts() {}

    /** A slot that is still its opener's: RETURNING, never lent. */
    @SuppressWarnings({"NullAway", "DataFlowIssue"}) // nothing under test touches the pool or the driver
    public static Slot returning() {
        return new Slot(null, null, RealPaths.SESSION, 1, 0, null);
    }

    public static Slot idle() {
        Slot slot = returning();
        slot.setIdleVolatile();
        return slot;
    }

    public static Slot inUse() {
        Slot slot = idle();
        slot.tryAcquire();
        return slot;
    }

    public static Slots slots(Slot... all) {
        Slots slots = new Slots();
        for (Slot slot : all) {
            slots.add(slot);
        }
        return slots;
    }

    /** A queue whose clock stands at zero. */
    public static WaitQueue queue() {
        return new WaitQueue(new PoolClock(() -> 0L, 0, 1));
    }

    /** One that bears to be passed over for ever: it has waited for no time at all. */
    public static Waiter patient() {
        return new Waiter(Thread.currentThread(), 0, Long.MAX_VALUE);
    }

    /** One that is due as soon as it is passed over as often as its place in the queue says. */
    public static Waiter impatient() {
        return new Waiter(Thread.currentThread(), LONG_AGO, Long.MAX_VALUE);
    }

    public static Waiter queued(WaitQueue queue, Waiter waiter) {
        queue.join(waiter, 0);
        return waiter;
    }

    /** Whether the waiter was handed a slot; false also if it was failed. */
    public static boolean isGranted(Waiter waiter) {
        try {
            return waiter.granted() != null;
        } catch (java.sql.SQLException failed) {
            return false;
        }
    }

    public static boolean isFailed(Waiter waiter) {
        try {
            waiter.granted();
            return false;
        } catch (java.sql.SQLException failed) {
            return true;
        }
    }
}
