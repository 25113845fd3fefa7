package dev.weir.internal.keeping;

import dev.weir.RetireReason;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.slots.Slot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Keeps the connections of a pool in order: those too old, too many, or too long idle. All fields are the Keeper's. */
public final class Ages {
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PoolState pool;
    private final Testing testing;
    private final Opening opening;
    private final Need need;

    public Ages(PoolState pool, Testing testing, Opening opening, Need need) {
        this.pool = pool;
        this.testing = testing;
        this.opening = opening;
        this.need = need;
    }

    /** Retires, replaces and keeps alive what is due; returns when to look again. */
    long maintain(long now) {
        if (pool.isClosed()) {
            return Long.MAX_VALUE;
        }
        int needed = need.needed(now);
        long next = Math.min(retireSurplus(needed, now), renewOld(needed, now));
        return Math.min(next, keepAlive(now));
    }

    /** The limits of age changed. */
    void planAnew() {
        for (Slot slot : pool.slots.all()) {
            slot.lifetime.plan(pool.settings.maxLifetimeNanos(), pool.random.nextDouble());
        }
    }

    /** Retires what is more than the pool needs; first what is near its age. */
    private long retireSurplus(int needed, long now) {
        int surplus = need.staying() - opening.unseen() - needed;
        if (surplus > 0) {
            Slot[] idle = Arrays.stream(pool.slots.all())
                    .filter(Slot::isIdle)
                    .sorted(Comparator.comparing((Slot slot) -> slot.lifetime.replaceAt() > now)
                            .thenComparingLong(Slot::aliveAt))
                    .toArray(Slot[]::new);
            for (int i = 0; i < Math.min(surplus, idle.length); i++) {
                pool.condemn(idle[i], RetireReason.SURPLUS);
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
            if (slot.lifetime.expiresAt() <= now) {
                pool.condemn(slot, RetireReason.AGE);
            } else if (slot.lifetime.replaceAt() > now) {
                next = Math.min(next, slot.lifetime.replaceAt());
                lasting += slot.isCondemned() ? 0 : 1;
            } else if (!slot.isCondemned()) {
                next = Math.min(next, slot.lifetime.expiresAt());
                old.add(slot);
            }
        }
        Set<Slot> beingReplaced = old.isEmpty() ? Set.of() : opening.beingReplaced();
        old.removeAll(beingReplaced);
        lasting += beingReplaced.size();
        if (old.size() > 1) {
            old.sort(Comparator.comparingLong(slot -> slot.lifetime.expiresAt()));
        }
        for (Slot slot : old.subList(0, Math.max(0, Math.min(old.size(), needed - lasting)))) {
            opening.replace(slot, now); // no place now: again at the next pass
            next = Math.min(next, now + PERIOD_NANOS);
        }
        return next;
    }

    private long keepAlive(long now) {
        long period = pool.settings.keepaliveTimeNanos();
        if (period == 0 || !testing.testUsedBefore(now - period, now)) {
            return Long.MAX_VALUE;
        }
        long oldest = now;
        for (Slot slot : pool.slots.all()) {
            if (slot.state() == Slot.IDLE) {
                oldest = Math.min(oldest, slot.aliveAt());
            }
        }
        return oldest + period + 1;
    }
}
