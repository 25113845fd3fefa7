package dev.weir.internal.engine;

import dev.weir.HeldConnection;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.text.Log;
import dev.weir.internal.waiting.Slot;
import dev.weir.internal.waiting.Slots;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Who holds which connection since when, and for too long.
 *
 * <p>An acquire takes no clock for this. Each look at the slots notes the acquire (its stamp) that has each of them; a
 * slot that is still held under the same stamp at a later look has been held at least since the first. The Keeper looks
 * every 100 ms while the pool is busy, and a thread that starts to wait looks too, so a time held is exact to that
 * grain and never too long. The holder's stack is taken from its thread only when a threshold has passed.
 */
final class Loans {

    private final Settings settings;
    private final Slots slots;

    /** Guards the observed fields of the slots; held while scanning them, never across driver or user code. */
    private final Object lock = new Object();

    /** Messages that are yet to be logged; guarded by the lock. */
    private final List<String> leaksReturned = new ArrayList<>(0);

    private volatile boolean leakSeen;

    Loans(Settings settings, Slots slots) {
        this.settings = settings;
        this.slots = slots;
    }

    /**
     * Called by an acquire that finds another thread's name on its slot: the sample of acquires whose site is recorded.
     */
    void holderChanged(Slot slot, Thread holder) {
        slot.holder = holder;
        if (leakSeen && settings.leakDetectionThresholdNanos() > 0) {
            slot.acquireSite = new Throwable("acquired here");
            slot.acquireSiteStamp = slot.acquires();
        }
    }

    /** Looks at the slots, and tells how long each of those in use has been held. Calls no foreign code. */
    void observe(long now, LongConsumer ages) {
        synchronized (lock) {
            for (Slot slot : slots.all()) {
                if (observe(slot, now)) {
                    ages.accept(now - slot.observedSinceNanos);
                }
            }
        }
    }

    void observe(long now) {
        observe(now, age -> {});
    }

    private boolean observe(Slot slot, long now) {
        long word = slot.wordVolatile();
        boolean held = Slot.isHeld(word);
        long stamp = word >>> Slot.STAMP_SHIFT;
        if (slot.leakReported && !(held && stamp == slot.observedStamp)) {
            slot.leakReported = false;
            leaksReturned.add("pool '" + settings.poolName() + "': " + slot
                    + ", reported as leaked, was returned after " + millis(now - slot.observedSinceNanos) + " ms");
        }
        if (!held) {
            slot.observedStamp = -1;
            slot.forgetLoan();
        } else if (slot.observedStamp != stamp) {
            slot.observedStamp = stamp;
            slot.observedSinceNanos = now;
        }
        return held;
    }

    /** Logs which of the connections that were reported as leaked were returned; by the Keeper. */
    void reportReturned() {
        List<String> messages;
        synchronized (lock) {
            if (leaksReturned.isEmpty()) {
                return;
            }
            messages = List.copyOf(leaksReturned);
            leaksReturned.clear();
        }
        for (String message : messages) {
            Log.log(Level.INFO, message);
        }
    }

    /** Reports each hold longer than the threshold, once; returns when the next would pass it. */
    long reportLeaks(long now) {
        reportReturned();
        long threshold = settings.leakDetectionThresholdNanos();
        if (threshold == 0) {
            return Long.MAX_VALUE;
        }
        long next = Long.MAX_VALUE;
        observe(now);
        for (Slot slot : slots.all()) {
            Held leaked = null;
            synchronized (lock) {
                if (slot.observedStamp >= 0 && !slot.leakReported && Slot.isHeld(slot.wordVolatile())) {
                    long due = slot.observedSinceNanos + threshold;
                    if (due <= now) {
                        slot.leakReported = true;
                        leaked = new Held(slot);
                    } else {
                        next = Math.min(next, due);
                    }
                }
            }
            if (leaked != null) {
                leakSeen = true;
                report(leaked, now);
            }
        }
        return next;
    }

    private void report(Held leaked, long now) {
        Slot slot = leaked.slot;
        Thread holder = leaked.holder;
        String stack = holder == null ? "" : stack(holder.getStackTrace());
        Throwable site = slot.acquireSite;
        String acquired = site != null && slot.acquireSiteStamp == slot.acquires()
                ? System.lineSeparator() + "acquired at" + stack(site.getStackTrace())
                : "";
        Log.log(
                Level.WARNING,
                "pool ''{0}'': leak? {1}; its thread is now at{2}{3}",
                settings.poolName(),
                describe(leaked, now),
                stack.isEmpty() ? " its end (no stack)" : stack,
                acquired);
        String name = holder == null ? "unknown" : holder.getName();
        Events.leaked(settings.poolName(), slot.id, name, now - leaked.sinceNanos, stack + acquired);
    }

    /**
     * What the slot says of its loan at one moment; put into words when the lock is free again, which may take a while.
     */
    private static final class Held {
        final Slot slot;
        final long sinceNanos;
        final @Nullable Thread holder;
        final @Nullable String lastSql;
        final boolean returning;

        Held(Slot slot) {
            this.slot = slot;
            this.sinceNanos = slot.observedSinceNanos;
            this.holder = slot.holder;
            this.lastSql = slot.lastSqlOf >>> Slot.STAMP_SHIFT == slot.observedStamp ? slot.lastSql : null;
            this.returning = slot.state() == Slot.RETURNING;
        }
    }

    /** What is held, the longest first. */
    private List<Held> look(long now) {
        observe(now);
        List<Held> held = new ArrayList<>();
        synchronized (lock) {
            for (Slot slot : slots.all()) {
                if (slot.observedStamp >= 0) {
                    held.add(new Held(slot));
                }
            }
        }
        held.sort((a, b) -> Long.compare(a.sinceNanos, b.sinceNanos));
        return held;
    }

    /** One line for each connection that is held, the longest first. */
    String dump(long now) {
        return look(now).stream().map(held -> describe(held, now)).collect(Collectors.joining(System.lineSeparator()));
    }

    /** What is held, the longest first, with the stacks of the holders. */
    List<HeldConnection> held(long now) {
        return look(now).stream().map(held -> withStack(held, now)).toList();
    }

    private HeldConnection withStack(Held held, long now) {
        Thread holder = held.holder;
        return new HeldConnection(
                held.slot.id,
                Duration.ofNanos(now - held.sinceNanos),
                holder == null ? null : holder.getName(),
                settings.shownSql(held.lastSql),
                holder == null ? List.of() : List.of(holder.getStackTrace()));
    }

    /** Who has held a connection the longest, in words; null if none is held. */
    @Nullable
    String longest(long now) {
        observe(now);
        Held longest = null;
        synchronized (lock) {
            for (Slot slot : slots.all()) {
                if (slot.observedStamp >= 0 && (longest == null || slot.observedSinceNanos < longest.sinceNanos)) {
                    longest = new Held(slot);
                }
            }
        }
        return longest == null ? null : describe(longest, now);
    }

    private String describe(Held held, long now) {
        Thread holder = held.holder;
        String sql = settings.shownSql(held.lastSql);
        return held.slot + " held for " + millis(now - held.sinceNanos) + " ms by "
                + (holder == null ? "an unknown thread" : "thread '" + holder.getName() + "'")
                + (held.returning ? ", now in close()" : "")
                + (sql == null ? "" : ", last SQL: " + sql);
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    private static String stack(StackTraceElement[] frames) {
        return Arrays.stream(frames)
                .map(frame -> System.lineSeparator() + "    at " + frame)
                .collect(Collectors.joining());
    }
}
