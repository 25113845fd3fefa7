package dev.weir.internal.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time, and all that happens in it: events, one after the other, in an order that follows from the seed alone.
 *
 * <p>Each stands for a thread that goes on. Where a thread could be held up in the middle, it calls {@link #heldUp}, and others
 * go on first: on the same stack, so that of two that are held up the later goes on before the earlier.
 */
final class SimulatedWorld {
    private static final int REMEMBERED = 50;

    /** So many may be held up at one time. */
    private static final int DEPTH = 4;

    final SplittableRandom random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Deque<String> last = new ArrayDeque<>();
    private long now = TimeUnit.HOURS.toNanos(1);
    private long sequence;
    private long steps;
    private long hash;
    private int depth;

    /** So many that are held up are so for a moment only. */
    private int brief;

    private @Nullable Throwable failure;

    /** The check that is made after each event. */
    Runnable check = () -> {};

    /** The actor whose thread goes on: a user, or null. */
    @Nullable
    Object actor;

    /** Something that goes on at a time. */
    static final class Event implements Comparable<Event> {
        private final long at;
        private final long order;
        private final Runnable step;
        private boolean done;

        Event(long at, long order, Runnable step) {
            this.at = at;
            this.order = order;
            this.step = step;
        }

        /** False if it has happened, or was cancelled before. */
        boolean cancel() {
            boolean ahead = !done;
            done = true;
            return ahead;
        }

        @Override
        public int compareTo(Event other) {
            return at == other.at ? Long.compare(order, other.order) : Long.compare(at, other.at);
        }
    }

    SimulatedWorld(long seed) {
        random = new SplittableRandom(seed);
    }

    long now() {
        return now;
    }

    long steps() {
        return steps;
    }

    /** The same for two runs in which the same happened. */
    long hash() {
        return hash;
    }

    /** Whether no thread is held up. */
    boolean isOutermost() {
        return depth == 0;
    }

    boolean chance(int oneOf) {
        return random.nextInt(oneOf) == 0;
    }

    /** Mostly near the least, seldom near the most. */
    long time(long least, long most) {
        double skewed = Math.pow(random.nextDouble(), 3);
        return least + (long) ((most - least) * skewed);
    }

    /** The time until a thread that may go on does. */
    long wakeUp() {
        int dice = random.nextInt(100);
        return dice < 85
                ? 1_000 + random.nextInt(30_000)
                : dice < 98 ? random.nextInt(300_000) : random.nextInt(5_000_000);
    }

    Event after(long nanos, Runnable step) {
        Event event = new Event(now + Math.max(0, nanos), sequence++, step);
        events.add(event);
        return event;
    }

    /** One thing more happens; false if there is nothing left. */
    boolean step() {
        Event next = events.poll();
        while (next != null && next.done) {
            next = events.poll();
        }
        if (next == null) {
            return false;
        }
        next.done = true;
        now = Math.max(now, next.at);
        steps++;
        Object before = actor;
        actor = null;
        try {
            next.step.run();
            check.run();
        } catch (RuntimeException | Error e) { // the engine, around a thread that is held up, must not swallow it
            failure = failure == null ? e : failure;
            throw e;
        } finally {
            actor = before;
        }
        return true;
    }

    /** When the next thing happens; Long.MAX_VALUE if nothing does. */
    private long nextAt() {
        while (!events.isEmpty() && events.peek().done) {
            events.poll();
        }
        return events.isEmpty() ? Long.MAX_VALUE : events.peek().at;
    }

    /** This thread may be held up here for a moment. */
    void heldUp(int oneOf) {
        if (depth < DEPTH && random.nextInt(oneOf) == 0) {
            long until = now + random.nextInt(100_000);
            depth++;
            try {
                for (int i = 1 + random.nextInt(3); i > 0 && nextAt() <= until && step(); i--) {}
            } finally {
                depth--;
            }
        }
    }

    /** As {@link #heldUp}, and what happens meanwhile takes no time. */
    void heldUpBriefly(int oneOf) {
        brief++;
        try {
            heldUp(oneOf);
        } finally {
            brief--;
        }
    }

    /** This thread is held up here so long, unless it may go on before; not at all where too many are. */
    void heldUpFor(long nanos, BooleanSupplier mayGoOn) {
        if (depth >= DEPTH || brief > 0) {
            return;
        }
        long until = now + nanos;
        depth++;
        try {
            while (!mayGoOn.getAsBoolean() && nextAt() <= until && step()) {}
        } finally {
            depth--;
        }
        if (!mayGoOn.getAsBoolean()) {
            now = Math.max(now, until);
        }
    }

    /** Nobody goes on for so long: the process stands still. */
    void standStill(long nanos) {
        now += brief > 0 ? 0 : nanos;
    }

    /** Nothing that was to happen does. */
    void forgetEvents() {
        events.clear();
    }

    void note(String what) {
        hash = 31 * (31 * hash + what.hashCode()) + now;
        last.addLast(now / 1_000 + " us: " + "  ".repeat(depth) + what);
        if (last.size() > REMEMBERED) {
            last.removeFirst();
        }
    }

    void require(boolean condition, String otherwise) {
        if (!condition) {
            AssertionError error = new AssertionError(otherwise);
            failure = failure == null ? error : failure;
            throw error;
        }
    }

    /** The first thing that went wrong. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    String lastEvents() {
        return String.join("\n    ", last);
    }
}
