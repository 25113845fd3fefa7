package dev.weir.internal.engine;

import dev.weir.internal.settings.Settings;
import dev.weir.internal.waiting.Slot;
import dev.weir.internal.waiting.Slots;

/**
 * Sees to it that no user's close() waits for the network for ever: what it rolls back, resets and closes has returnTimeout.
 *
 * <p>A return costs no clock: the Keeper notes when it first saw one, so that the time is exact to its tick, and never too
 * short. No return is missed: its owner moves the word and then reads whether the clock goes, and wakes the Keeper if not; a
 * Keeper that lets the clock rest does so before it looks here.
 */
final class ReturnWatch {
    private final Settings settings;
    private final Slots slots;
    private final Retirement retirement;

    ReturnWatch(Settings settings, Slots slots, Retirement retirement) {
        this.settings = settings;
        this.slots = slots;
        this.retirement = retirement;
    }

    /** Cuts off the returns that hang; returns when the next would be due. By the Keeper. */
    long look(long now) {
        long next = Long.MAX_VALUE;
        for (Slot slot : slots.all()) {
            long word = slot.wordVolatile();
            if (Slot.stateOf(word) != Slot.RETURNING || !Slot.isHeld(word)) {
                slot.returningStamp = -1;
                continue;
            }
            long stamp = word >>> Slot.STAMP_SHIFT;
            if (slot.returningStamp != stamp) {
                slot.returningStamp = stamp;
                slot.returningSinceNanos = now;
            }
            long due = slot.returningSinceNanos + settings.returnTimeoutNanos();
            if (due <= now) {
                retirement.cutOffReturn(slot, word, slot.returningSinceNanos);
            } else {
                next = Math.min(next, due);
            }
        }
        return next;
    }
}
