package dev.weir.internal.engine;

import dev.weir.HeldConnection;
import dev.weir.RetireReason;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.text.Log;
import dev.weir.internal.waiting.LoanTrace;
import dev.weir.internal.waiting.PoolClock;
import dev.weir.internal.waiting.Slot;
import dev.weir.internal.waiting.Slots;
import java.lang.System.Logger.Level;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The holder of each connection, since when, and whether for too long.
 *
 * <p>An acquire takes no clock for this. Each look at the slots notes the acquire (its stamp) that has each of them; a
 * slot that is still held under the same stamp at a later look has been held at least since the first. The Keeper looks
 * every 100 ms while the pool is busy, and a thread that starts to wait looks too, so a time held is exact to that
 * grain and never too long. The holder's stack is taken from its thread only when a threshold has passed.
 */
final class Loans {

    private static final int FRAMES_IN_DUMP = 8;

    /** While a loan is traced, how often to look whether its handle was collected. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Settings settings;
    private final Slots slots;
    private final Listeners listeners;
    private final Workers workers;

    /** Guards the observed fields of the slots; held while scanning them, never across driver or user code. */
    private final Object lock = new Object();

    /** Messages that are yet to be logged; guarded by the lock. */
    private final List<String> leaksReturned = new ArrayList<>(0);

    /** The traces of loans whose handles were collected: of those that ended too, where the slot was not lent since. */
    private final ReferenceQueue<Connection> unreachable = new ReferenceQueue<>();

    Loans(Settings settings, Slots slots, Listeners listeners, Workers workers) {
        this.settings = settings;
        this.slots = slots;
        this.listeners = listeners;
        this.workers = workers;
    }

    /** Notes where a loan begins, by its thread, while leakDetectionThreshold is above 0. */
    void trace(ConnectionHandle handle) {
        if (settings.leakDetectionThresholdNanos() > 0) {
            handle.slot.trace = new LoanTrace(handle, handle.slot, handle.held, unreachable);
        }
    }

    /**
     * Takes back each connection whose handle was collected before it was closed. There is no mistaking it for one in use:
     * without the handle no thread can use it. Not where the driver's own object was unwrapped, which needs no handle.
     *
     * <p>Its open statements are known to the lost handle alone, so the connection is closed and its place is free.
     */
    private void reclaim(long now) {
        for (Reference<?> lost = unreachable.poll(); lost != null; lost = unreachable.poll()) {
            LoanTrace trace = (LoanTrace) lost;
            Slot slot = trace.slot;
            if (slot.unwrappedOf == trace.held || !slot.isLive(trace.held)) {
                continue;
            }
            Held leaked;
            synchronized (lock) {
                leaked = new Held(slot);
                slot.leakReported = false; // it was not returned
            }
            if (slot.claim(trace.held)) {
                try {
                    slot.lender.retire(slot, RetireReason.RECLAIMED, null);
                } catch (Throwable e) {
                    slot.stranded = trace.held - Slot.IN_USE + Slot.RETURNING;
                    throw e;
                }
                Log.log(
                        Level.WARNING,
                        "pool ''{0}'': reclaimed {1}; no thread could reach its handle any more, and it was never closed;"
                                + " acquired at{2}",
                        settings.poolName(),
                        describe(leaked, now),
                        stack(trace.acquiredAt()));
            }
        }
    }

    /** Looks at the slots, and tells how long each of those in use has been held. Calls no foreign code. */
    void observe(long now, @Nullable LongConsumer ages) {
        synchronized (lock) {
            for (Slot slot : slots.all()) {
                if (observe(slot, now) && ages != null) {
                    ages.accept(PoolClock.elapsed(now, slot.observedSinceNanos));
                }
            }
        }
    }

    void observe(long now) {
        observe(now, null);
    }

    private boolean observe(Slot slot, long now) {
        long word = slot.wordVolatile();
        boolean held = Slot.isHeld(word);
        long stamp = word >>> Slot.STAMP_SHIFT;
        if (slot.leakReported && !(held && stamp == slot.observedStamp)) {
            slot.leakReported = false;
            leaksReturned.add(
                    "pool '" + settings.poolName() + "': " + slot + ", reported as leaked, was returned after "
                            + millis(PoolClock.elapsed(now, slot.observedSinceNanos)) + " ms");
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

    /** Takes back what is lost, and reports each hold longer than the threshold, once; returns when the next would pass it. */
    long findLeaks(long now) {
        reclaim(now);
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
                if (slot.observedStamp >= 0) {
                    next = Math.min(next, now + LOOK_NANOS);
                }
            }
            if (leaked != null) {
                report(leaked, now);
            }
        }
        return next;
    }

    private void report(Held leaked, long now) {
        Slot slot = leaked.slot;
        Thread holder = leaked.holder;
        String at = stack(leaked.acquiredAt());
        String stack = holder == null ? "" : stack(holder.getStackTrace());
        Log.log(
                Level.WARNING,
                "pool ''{0}'': leak? {1}{2}{3}",
                settings.poolName(),
                describe(leaked, now),
                at.isEmpty() ? "" : "; acquired at" + at,
                System.lineSeparator() + whereIsThread(holder, stack));
        String name = holder == null ? "unknown" : holder.getName();
        long heldNanos = PoolClock.elapsed(now, leaked.sinceNanos);
        Events.leaked(settings.poolName(), slot.id, name, heldNanos, at, stack);
        listeners.later(workers, () -> listeners.leaked(settings.poolName(), heldNanos));
    }

    private static String whereIsThread(@Nullable Thread holder, String stack) {
        if (holder == null) {
            return "its thread is not known";
        }
        return stack.isEmpty() ? "its thread has ended" : "its thread is now at" + stack;
    }

    /**
     * The loan of a slot at one moment; put into words when the lock is free again, which may take a while.
     */
    private static final class Held {
        final Slot slot;
        final long sinceNanos;
        final @Nullable Thread holder;
        final @Nullable String lastSql;
        final boolean returning;
        private final @Nullable LoanTrace trace;

        Held(Slot slot) {
            this.slot = slot;
            this.sinceNanos = slot.observedSinceNanos;
            this.holder = slot.holder;
            this.lastSql = slot.lastSqlOf >>> Slot.STAMP_SHIFT == slot.observedStamp ? slot.lastSql : null;
            this.returning = slot.state() == Slot.RETURNING;
            LoanTrace now = slot.trace;
            this.trace = now != null && now.held >>> Slot.STAMP_SHIFT == slot.observedStamp ? now : null;
        }

        StackTraceElement[] acquiredAt() {
            return trace == null ? new StackTraceElement[0] : trace.acquiredAt();
        }
    }

    /** The loans, the longest first. */
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
        held.sort(Comparator.comparingLong(one -> one.sinceNanos));
        return held;
    }

    /** A line break and a line for each connection that is held, the longest first, and under it where it was acquired. */
    String dump(long now) {
        return look(now).stream()
                .map(held -> System.lineSeparator() + describe(held, now) + acquiredAt(held))
                .collect(Collectors.joining());
    }

    private static String acquiredAt(Held held) {
        StackTraceElement[] frames = held.acquiredAt();
        String shown = stack(Arrays.copyOf(frames, Math.min(frames.length, FRAMES_IN_DUMP)));
        return shown.isEmpty() ? "" : ", acquired at" + shown;
    }

    /** The loans, the longest first, with the stacks of the holders. */
    List<HeldConnection> held(long now) {
        return look(now).stream().map(held -> withStack(held, now)).toList();
    }

    private HeldConnection withStack(Held held, long now) {
        Thread holder = held.holder;
        return new HeldConnection(
                held.slot.id,
                Duration.ofNanos(PoolClock.elapsed(now, held.sinceNanos)),
                holder == null ? null : holder.getName(),
                settings.shownSql(held.lastSql),
                holder == null ? List.of() : List.of(holder.getStackTrace()),
                List.of(held.acquiredAt()));
    }

    /** Which of these waiting threads hold a connection, in their order. Holders are read racily. */
    List<Nested.Holder> nested(List<Thread> waiters) {
        Map<Thread, Long> connections = new HashMap<>();
        for (Slot slot : slots.all()) {
            Thread holder = slot.holder;
            if (holder != null && Slot.isHeld(slot.wordVolatile())) {
                connections.putIfAbsent(holder, slot.id);
            }
        }
        return waiters.stream()
                .filter(connections::containsKey)
                .map(thread -> new Nested.Holder(
                        thread.getId(),
                        thread.getName(),
                        Objects.requireNonNull(connections.get(thread)),
                        List.of(thread.getStackTrace())))
                .toList();
    }

    /**
     * The threads that wait for a connection while they hold another of this pool: if all connections are held so, none of
     * them goes on before another gives up.
     *
     * @param waiters how many threads wait
     */
    record Nested(long atNanos, int waiters, List<Holder> holders) {
        /** One of them; without the thread itself, which the pool must not keep. */
        record Holder(long threadId, String thread, long connection, List<StackTraceElement> stack) {
            String inWords() {
                return "thread '" + thread + "' waits and holds connection #" + connection;
            }
        }

        /** These and those who waited until now. */
        Nested with(List<Holder> more) {
            List<Holder> all = new ArrayList<>(holders);
            more.stream()
                    .filter(one -> holders.stream().noneMatch(known -> known.threadId == one.threadId))
                    .forEach(all::add);
            return new Nested(atNanos, waiters + 1, all);
        }

        String inWords() {
            return holders.size() + " of " + waiters
                    + " waiting threads hold a connection already (nested getConnection())";
        }
    }

    /** The thread that has held a connection the longest, in words; null if none is held. */
    @Nullable
    String longest(long now) {
        List<Held> held = look(now);
        return held.isEmpty() ? null : describe(held.get(0), now);
    }

    private String describe(Held held, long now) {
        Thread holder = held.holder;
        String sql = settings.shownSql(held.lastSql);
        return held.slot + " held for " + millis(PoolClock.elapsed(now, held.sinceNanos)) + " ms by "
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
