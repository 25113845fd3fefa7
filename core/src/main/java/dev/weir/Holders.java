package dev.weir;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Who holds which connection since when, and for too long.
 *
 * <p>An acquire takes no clock for this. Each look at the slots notes the acquire (its stamp) that has each of them; a slot
 * that is still held under the same stamp at a later look has been held at least since the first. The Keeper looks every
 * 100 ms while the pool is busy, and whoever starts to wait looks too, so a time held is exact to that grain and never too
 * long. The holder's stack is taken from its thread only when a threshold has passed.
 */
final class Holders {
    private static final System.Logger LOG = System.getLogger("dev.weir");
    private static final int LONGEST_SQL = 200;

    private final Settings settings;
    private final Slots slots;

    /** Guards the observed fields of the slots; held while scanning them, never across driver or user code. */
    private final ReentrantLock lock = new ReentrantLock();

    private volatile boolean leakSeen;

    Holders(Settings settings, Slots slots) {
        this.settings = settings;
        this.slots = slots;
    }

    /** Called by an acquire that finds another thread's name on its slot: the sample of acquires whose site is recorded. */
    void holderChanged(Slot slot, Thread holder) {
        slot.holder = holder;
        if (leakSeen && settings.leakDetectionThresholdNanos() > 0) {
            slot.acquireSite = new Throwable("acquired here");
            slot.acquireSiteStamp = slot.acquires();
        }
    }

    /** Looks at the slots, and tells how long each of those in use has been held. */
    void observe(long now, LongConsumer ages) {
        List<String> returned = new ArrayList<>(0);
        lock.lock();
        try {
            for (Slot slot : slots.all()) {
                if (observe(slot, now, returned)) {
                    ages.accept(now - slot.observedSinceNanos);
                }
            }
        } finally {
            lock.unlock();
        }
        for (String message : returned) { // a log handler may be anyone's code: not under the lock
            LOG.log(Level.INFO, message);
        }
    }

    void observe(long now) {
        observe(now, age -> {});
    }

    private boolean observe(Slot slot, long now, List<String> returned) {
        long word = slot.wordVolatile();
        int state = Slot.stateOf(word);
        boolean held = state == Slot.IN_USE || state == Slot.RETURNING;
        long stamp = word >>> Slot.STAMP_SHIFT;
        if (slot.leakReported && !(held && stamp == slot.observedStamp)) {
            slot.leakReported = false;
            returned.add("pool '" + settings.poolName() + "': " + slot + ", reported as leaked, came home after "
                    + millis(now - slot.observedSinceNanos) + " ms");
        }
        if (!held) {
            slot.observedStamp = -1;
        } else if (slot.observedStamp != stamp) {
            slot.observedStamp = stamp;
            slot.observedSinceNanos = now;
        }
        return held;
    }

    /** Reports each hold longer than the threshold, once; returns when the next would pass it. */
    long reportLeaks(long now) {
        long threshold = settings.leakDetectionThresholdNanos();
        if (threshold == 0) {
            return Long.MAX_VALUE;
        }
        long next = Long.MAX_VALUE;
        observe(now);
        for (Slot slot : slots.all()) {
            String report = null;
            lock.lock();
            try {
                if (slot.observedStamp >= 0 && !slot.leakReported && slot.state() == Slot.IN_USE) {
                    long due = slot.observedSinceNanos + threshold;
                    if (due <= now) {
                        slot.leakReported = true;
                        report = describe(slot, now);
                    } else {
                        next = Math.min(next, due);
                    }
                }
            } finally {
                lock.unlock();
            }
            if (report != null) {
                leakSeen = true;
                report(slot, report, now);
            }
        }
        return next;
    }

    private void report(Slot slot, String description, long now) {
        Thread holder = slot.holder;
        String stack = holder == null ? "" : stack(holder.getStackTrace());
        Throwable site = slot.acquireSite;
        String acquired = site != null && slot.acquireSiteStamp == slot.acquires()
                ? System.lineSeparator() + "acquired at" + stack(site.getStackTrace())
                : "";
        LOG.log(
                Level.WARNING,
                "pool ''{0}'': leak? {1}; its thread is now at{2}{3}",
                settings.poolName(),
                description,
                stack.isEmpty() ? " its end (no stack)" : stack,
                acquired);
        String name = holder == null ? "unknown" : holder.getName();
        Events.leaked(settings.poolName(), slot.id, name, now - slot.observedSinceNanos, stack + acquired);
    }

    /** One line for each connection that is held, the longest first. */
    String dump(long now) {
        observe(now);
        lock.lock();
        try {
            return Arrays.stream(slots.all())
                    .filter(slot -> slot.observedStamp >= 0)
                    .sorted((a, b) -> Long.compare(a.observedSinceNanos, b.observedSinceNanos))
                    .map(slot -> describe(slot, now))
                    .collect(Collectors.joining(System.lineSeparator()));
        } finally {
            lock.unlock();
        }
    }

    /** What is held, the longest first; the stacks are taken when the lock is free again. */
    List<HeldConnection> held(long now) {
        observe(now);
        List<HeldConnection> held = new ArrayList<>();
        List<Thread> holders = new ArrayList<>();
        lock.lock();
        try {
            Arrays.stream(slots.all())
                    .filter(slot -> slot.observedStamp >= 0)
                    .sorted((a, b) -> Long.compare(a.observedSinceNanos, b.observedSinceNanos))
                    .forEach(slot -> {
                        Thread holder = slot.holder;
                        Duration heldFor = Duration.ofNanos(now - slot.observedSinceNanos);
                        String name = holder == null ? null : holder.getName();
                        held.add(new HeldConnection(slot.id, heldFor, name, lastSql(slot), List.of()));
                        holders.add(holder == null ? Thread.currentThread() : holder);
                    });
        } finally {
            lock.unlock();
        }
        for (int i = 0; i < held.size(); i++) {
            HeldConnection one = held.get(i);
            if (one.thread() != null) {
                held.set(i, one.withStack(List.of(holders.get(i).getStackTrace())));
            }
        }
        return List.copyOf(held);
    }

    /** Who has held a connection the longest, in words; null if none is held. */
    @Nullable
    String longest(long now) {
        observe(now);
        lock.lock();
        try {
            Slot longest = null;
            for (Slot slot : slots.all()) {
                if (slot.observedStamp >= 0
                        && (longest == null || slot.observedSinceNanos < longest.observedSinceNanos)) {
                    longest = slot;
                }
            }
            return longest == null ? null : describe(longest, now);
        } finally {
            lock.unlock();
        }
    }

    private String describe(Slot slot, long now) {
        Thread holder = slot.holder;
        String sql = lastSql(slot);
        return slot + " held for " + millis(now - slot.observedSinceNanos) + " ms by "
                + (holder == null ? "an unknown thread" : "thread '" + holder.getName() + "'")
                + (sql == null ? "" : ", last SQL: " + sql);
    }

    private @Nullable String lastSql(Slot slot) {
        String sql = settings.redact(slot.lastSql);
        return sql == null || sql.length() <= LONGEST_SQL ? sql : sql.substring(0, LONGEST_SQL) + "...";
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
