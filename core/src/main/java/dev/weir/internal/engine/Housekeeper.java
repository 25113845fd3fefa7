package dev.weir.internal.engine;

import dev.weir.RetireReason;
import dev.weir.internal.waiting.Slot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the connections of a pool in order, by the Keeper: what is too old, too many, too few or too long idle.
 *
 * <p>All fields but the volatile ones are the Keeper's.
 */
final class Housekeeper {
    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PoolState pool;
    private final IdleTester tester;
    private final Opener opener;
    private final Retirement retirement;
    private final Need need;
    private final LongConsumer nudgeKeeper;

    private volatile boolean planDue;
    private volatile boolean housekeepingDue;
    private volatile boolean grown;

    private long housekeepingDueNanos;

    /** {@code nudgeKeeper}: makes the Keeper's next pass come at this time at the latest. */
    Housekeeper(
            PoolState pool,
            IdleTester tester,
            Opener opener,
            Retirement retirement,
            Need need,
            LongConsumer nudgeKeeper) {
        this.pool = pool;
        this.tester = tester;
        this.opener = opener;
        this.retirement = retirement;
        this.need = need;
        this.nudgeKeeper = nudgeKeeper;
    }

    /** Ages, limits or periods changed: what is due when is planned anew. */
    void planAnew() {
        planDue = true;
        nudgeKeeper.accept(pool.now());
    }

    /**
     * A connection was opened, and has an age to watch. Either it replaces one, which may go now, or somebody needed it: then
     * the pool needs as many as it has.
     */
    void noteOpened(@Nullable Slot replaced) {
        if (replaced == null) {
            grown = true;
        } else {
            retirement.condemn(replaced, RetireReason.AGE);
        }
        housekeepingDue = true;
        nudgeKeeper.accept(pool.now());
    }

    // ---------------------------------------------------------------- minimum

    /** Opens what is missing to the minimum. */
    long fill(long now) {
        if (!pool.isLending()) {
            return Long.MAX_VALUE;
        }
        int target = need.least();
        long othersAt = opener.fillTo(target, now);
        if (pool.slots.live() >= target) {
            return Long.MAX_VALUE;
        }
        long probeAt = opener.gate.probeAtNanos();
        long again = probeAt > now && probeAt < Long.MAX_VALUE ? probeAt : now + PERIOD_NANOS;
        return othersAt > now ? Math.min(othersAt, again) : again;
    }

    // ---------------------------------------------------------- housekeeping

    long keepHouseIfDue(long now) {
        if (planDue || housekeepingDue || now >= housekeepingDueNanos) {
            housekeepingDueNanos = now + PERIOD_NANOS; // should it fail
            housekeepingDueNanos = keepHouse(now);
        }
        return housekeepingDueNanos;
    }

    private long keepHouse(long now) {
        housekeepingDue = false;
        if (grown) {
            grown = false;
            need.notePeak(now, staying());
        }
        if (planDue) {
            planDue = false;
            for (Slot slot : pool.slots.all()) {
                plan(slot);
            }
        }
        int needed = need.needed(now);
        long next = now + TimeUnit.HOURS.toNanos(1);
        next = Math.min(next, retireSurplus(needed, now));
        next = Math.min(next, renewOld(needed, now));
        next = Math.min(next, keepAlive(now));
        return next;
    }

    /** Has a connection replaced from this time on, by the Keeper; it goes a second later at the latest. */
    void renewFrom(Slot slot, long nanos) {
        slot.replaceAtNanos = Math.min(slot.replaceAtNanos, nanos);
        slot.expiresAtNanos = Math.min(slot.expiresAtNanos, nanos + PERIOD_NANOS);
        housekeepingDue = true;
        nudgeKeeper.accept(pool.now());
    }

    /** When a connection has to be replaced, and when it must go: maxLifetime less up to a fortieth, so that not all go at once. */
    void plan(Slot slot) {
        long life = pool.settings.maxLifetimeNanos();
        if (life == 0) {
            slot.replaceAtNanos = Long.MAX_VALUE;
            slot.expiresAtNanos = Long.MAX_VALUE;
        } else {
            long jitter = (long) (life / 40.0 * ThreadLocalRandom.current().nextDouble());
            slot.expiresAtNanos = slot.openedNanos + life - jitter;
            slot.replaceAtNanos = slot.expiresAtNanos - life / 20;
        }
    }

    /** Connections that will not go as soon as their owners are done with them. */
    private int staying() {
        int staying = 0;
        for (Slot slot : pool.slots.all()) {
            staying += slot.isCondemned() ? 0 : 1;
        }
        return staying;
    }

    /** Retires what is more than the pool needs; first what is near its age. */
    private long retireSurplus(int needed, long now) {
        int surplus = staying() - needed;
        if (surplus > 0) {
            Slot[] idle = Arrays.stream(pool.slots.all())
                    .filter(Slot::isAvailable)
                    .sorted(Comparator.comparing((Slot slot) -> slot.replaceAtNanos > now)
                            .thenComparingLong(Slot::lastUsed))
                    .toArray(Slot[]::new);
            if (grown) {
                return now; // one of them may be so new that its need is not noted yet
            }
            for (int i = 0; i < Math.min(surplus, idle.length); i++) {
                retirement.condemn(idle[i], RetireReason.SURPLUS);
            }
        }
        long window = pool.settings.idleTimeoutNanos();
        return window > 0 && pool.slots.live() > need.least() ? now + Need.grainOf(window) : Long.MAX_VALUE;
    }

    /** Retires connections at their age, and opens replacements for those near it, as many as the pool needs. */
    private long renewOld(int needed, long now) {
        long next = Long.MAX_VALUE;
        int lasting = 0;
        List<Slot> old = new ArrayList<>();
        for (Slot slot : pool.slots.all()) {
            if (slot.expiresAtNanos <= now) {
                retirement.condemn(slot, RetireReason.AGE);
            } else if (slot.replaceAtNanos > now) {
                next = Math.min(next, slot.replaceAtNanos);
                lasting += slot.isCondemned() ? 0 : 1;
            } else if (!slot.isCondemned()) {
                next = Math.min(next, slot.expiresAtNanos);
                old.add(slot);
            }
        }
        Set<Slot> beingReplaced = old.isEmpty() ? Set.of() : opener.beingReplaced();
        old.removeAll(beingReplaced);
        lasting += beingReplaced.size();
        if (old.size() > 1) {
            old.sort(Comparator.comparingLong(slot -> slot.expiresAtNanos));
        }
        for (Slot slot : old.subList(0, Math.max(0, Math.min(old.size(), needed - lasting)))) {
            opener.replace(slot, now); // no place now: again at the next pass
            next = Math.min(next, now + PERIOD_NANOS);
        }
        return next;
    }

    private long keepAlive(long now) {
        long period = pool.settings.keepaliveTimeNanos();
        if (period == 0) {
            return Long.MAX_VALUE;
        }
        int remain = tester.checkUsedBefore(now - period, pool.settings.acquireIncrement(), now);
        if (remain > 0) {
            return now + SOON_NANOS;
        }
        long oldest = now;
        for (Slot slot : pool.slots.all()) {
            if (slot.state() == Slot.IDLE) {
                oldest = Math.min(oldest, slot.lastUsed());
            }
        }
        return oldest + period + 1;
    }
}
