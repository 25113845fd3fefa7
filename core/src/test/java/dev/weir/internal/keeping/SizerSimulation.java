package dev.weir.internal.keeping;

import dev.weir.internal.slots.Waiter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A pool in virtual time: arrivals, holds and connects are events, the clock jumps from one to the next, the queue is
 * strictly first come, first served. It asks its strategy what to open when the engine would: on enqueue, when a connect
 * ends, and on the timer of {@link Sizer#lookAgainNanos} while anybody waits.
 */
final class SizerSimulation {
    static final long MS = 1_000_000L;
    private static final long TICK = 100 * MS;
    private static final long TIMEOUT = 5_000 * MS;
    private static final long MIN_PAUSE = MS / 2;

    /** The rule that says how many connects to start now. */
    interface Strategy {
        int opens(SizerSimulation pool);
    }

    /** One connect for each waiter, as many at once as there are waiters and acquireIncrement allows. */
    static final Strategy EAGER = pool -> Math.min(
            Math.min(pool.acquireIncrement, pool.limit - pool.live) - pool.pending, pool.queue.size() - pool.pending);

    /** One creator, which pauses 30 ms after each connection (HikariCP 7: PoolEntryCreator). */
    static final Strategy HIKARI = pool -> pool.pending == 0
                    && pool.now >= pool.lastConnectedAt + 30 * MS
                    && !pool.queue.isEmpty()
                    && pool.live < pool.limit
            ? 1
            : 0;

    /** A rule by means, with every age and arrival known exactly. */
    static final Strategy DESIGN = SizerSimulation::opensByDesign;

    static final Strategy SIZER = SizerSimulation::opensBySizer;

    private record Event(long at, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
        }
    }

    private record Waiter(long since, long hold, @Nullable Runnable next) {}

    /** A hold. Its age is counted, as in the engine, from the first look that saw it: never too long. */
    private static final class Hold {
        final long since;
        final boolean waited;
        final @Nullable Runnable next;
        long seenAt = -1;

        Hold(long since, boolean waited, @Nullable Runnable next) {
            this.since = since;
            this.waited = waited;
            this.next = next;
        }

        long age(long now) {
            if (seenAt < 0) {
                seenAt = now;
            }
            return now - seenAt;
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final ArrayDeque<Waiter> queue = new ArrayDeque<>();
    private final PriorityQueue<Long> underWay = new PriorityQueue<>();
    private final List<Hold> holds = new ArrayList<>();
    private final Sizer sizer = new Sizer();
    private final Strategy strategy;
    private final int limit;
    private final int acquireIncrement;
    private final LongSupplier connectNanos;

    private long now;
    private long order;
    private int live;
    private int pending;
    private long lastConnectedAt = Long.MIN_VALUE / 2;
    private long evaluatedAt = Long.MIN_VALUE / 2;
    private boolean timerRuns;
    private boolean tickerRuns;

    // The reference rule's own means.
    private final ArrayDeque<Long> lastSecond = new ArrayDeque<>();
    private double meanConnect = 50 * MS;
    private double meanHold;
    private int backstopStep = 1;

    // The measurements.
    private long acquires;
    private int opened;
    private int peakPending;
    private long lastServedAt;
    private final List<Long> waits = new ArrayList<>();

    SizerSimulation(Strategy strategy, int live, int limit, int acquireIncrement, LongSupplier connectNanos) {
        this.strategy = strategy;
        this.live = live;
        this.limit = limit;
        this.acquireIncrement = acquireIncrement;
        this.connectNanos = connectNanos;
    }

    static SizerSimulation of(Strategy strategy, int live, int limit, int acquireIncrement, long connectMillis) {
        SizerSimulation pool = new SizerSimulation(strategy, live, limit, acquireIncrement, () -> connectMillis * MS);
        for (int i = 0; i < live; i++) { // the fill has told what a connect takes
            pool.learnConnect(connectMillis * MS);
        }
        return pool;
    }

    /** Tells the strategy that holds lasted this long until just before then. */
    SizerSimulation knownHold(long atMillis, long holdMillis) {
        at(atMillis * MS, () -> learnHold(holdMillis * MS));
        return this;
    }

    /** {@code count} acquires at one moment. */
    SizerSimulation burst(long atMillis, int count, long holdMillis) {
        for (int i = 0; i < count; i++) {
            at(atMillis * MS, () -> acquire(holdMillis * MS));
        }
        return this;
    }

    /** Acquires at random, exponentially distributed times, {@code perSecond} growing evenly from one to the other. */
    SizerSimulation poisson(
            long seed, long fromMillis, long toMillis, double perSecondFirst, double perSecondLast, LongSupplier hold) {
        SplittableRandom random = new SplittableRandom(seed);
        double end = toMillis * MS;
        double span = end - fromMillis * MS;
        double t = fromMillis * MS;
        while (true) {
            double share = (t - fromMillis * MS) / span;
            double perNano = (perSecondFirst + (perSecondLast - perSecondFirst) * share) / 1e9;
            t += -Math.log(1 - random.nextDouble()) / perNano;
            if (t >= end) {
                return this;
            }
            at((long) t, () -> acquire(hold.getAsLong()));
        }
    }

    /** So many threads that acquire, hold and give back, over and over; the last acquires come just before the end. */
    SizerSimulation loop(long fromMillis, long toMillis, int threads, LongSupplier hold) {
        Runnable[] next = new Runnable[1];
        next[0] = () -> {
            if (now < toMillis * MS) {
                acquire(hold.getAsLong(), next[0]);
            }
        };
        for (int i = 0; i < threads; i++) {
            at(fromMillis * MS, next[0]);
        }
        return this;
    }

    SizerSimulation run() {
        for (Event e = events.poll(); e != null; e = events.poll()) {
            now = e.at;
            e.action.run();
        }
        return this;
    }

    int opened() {
        return opened;
    }

    int peakPending() {
        return peakPending;
    }

    double meanWaitMillis() {
        return waits.stream().mapToLong(Long::longValue).average().orElse(0) / MS;
    }

    double waitMillis(double quantile) {
        long[] sorted = waits.stream().mapToLong(Long::longValue).sorted().toArray();
        return sorted[(int) Math.min(sorted.length - 1L, (long) (quantile * sorted.length))] / (double) MS;
    }

    double lastOpenedMillis() {
        return lastConnectedAt / (double) MS;
    }

    double lastServedMillis() {
        return lastServedAt / (double) MS;
    }

    @Override
    public String toString() {
        return String.format(
                "opened %2d (at most %2d at once), wait mean %6.1f p50 %6.1f p99 %7.1f max %7.1f ms, last served at %7.1f ms",
                opened,
                peakPending,
                meanWaitMillis(),
                waitMillis(0.5),
                waitMillis(0.99),
                waitMillis(1),
                lastServedMillis());
    }

    private void at(long time, Runnable action) {
        events.add(new Event(time, order++, action));
    }

    private void acquire(long hold) {
        acquire(hold, null);
    }

    private void acquire(long hold, @Nullable Runnable next) {
        acquires++;
        if (strategy == DESIGN) {
            lastSecond.add(now);
        }
        startTicker();
        if (queue.isEmpty() && holds.size() < live) {
            lend(now, hold, false, next);
            return;
        }
        queue.add(new Waiter(now, hold, next));
        evaluateRarely();
        startTimer();
    }

    private void lend(long since, long hold, boolean waited, @Nullable Runnable next) {
        waits.add(now - since);
        lastServedAt = now;
        Hold held = new Hold(now, waited, next);
        holds.add(held);
        at(now + hold, () -> release(held));
    }

    private void release(Hold held) {
        holds.remove(held);
        if (held.waited) {
            learnHold(now - held.since);
        }
        handOff();
        Runnable next = held.next;
        if (next != null) {
            next.run();
        }
    }

    private void handOff() {
        Waiter head = queue.poll();
        if (head != null) {
            lend(head.since, head.hold, true, head.next);
        }
    }

    private void connected(long took) {
        pending--;
        live++;
        opened++;
        lastConnectedAt = now;
        learnConnect(took);
        handOff();
        evaluate();
        if (strategy == HIKARI) {
            at(now + 30 * MS, this::evaluate);
        }
    }

    /** Tells the strategy that a connect took this long, just before the beginning. */
    SizerSimulation learnedConnect(long tookNanos) {
        learnConnect(tookNanos);
        return this;
    }

    private void learnConnect(long took) {
        sizer.connected(took, now);
        meanConnect += 0.25 * (took - meanConnect);
    }

    private void learnHold(long held) {
        sizer.loanEnded(held, now);
        meanHold = meanHold == 0 ? held : meanHold + 0.2 * (held - meanHold);
    }

    private void evaluateRarely() {
        if (now - evaluatedAt >= MIN_PAUSE) {
            evaluate();
        }
    }

    private void evaluate() {
        evaluatedAt = now;
        int opens = strategy.opens(this);
        for (int i = 0; i < opens; i++) {
            pending++;
            long took = connectNanos.getAsLong();
            long since = now;
            underWay.add(since);
            at(now + took, () -> {
                underWay.remove(since);
                connected(took);
            });
        }
        peakPending = Math.max(peakPending, pending);
    }

    private void startTimer() {
        if (!timerRuns) {
            timerRuns = true;
            at(now + Sizer.lookAgainNanos(0), this::timer);
        }
    }

    private void timer() {
        if (queue.isEmpty()) {
            sizer.waiting(0, acquires, now);
            timerRuns = false;
            return;
        }
        evaluate();
        Waiter head = head();
        at(now + Sizer.lookAgainNanos(head == null ? 0 : now - head.since), this::timer);
    }

    /** Counts arrivals every 100 ms while the pool is busy, like the engine's tick; stops when it is idle. */
    private void startTicker() {
        if (!tickerRuns) {
            tickerRuns = true;
            sizer.arrivals(acquires, now);
            at(now + TICK, this::tick);
        }
    }

    private void tick() {
        sizer.arrivals(acquires, now);
        sizer.waiting(queue.size(), acquires - queue.size(), now);
        if (holds.isEmpty() && queue.isEmpty()) {
            tickerRuns = false;
            return;
        }
        holds.forEach(hold -> hold.age(now));
        at(now + TICK, this::tick);
    }

    private @Nullable Waiter head() {
        return queue.peek();
    }

    private int opensBySizer() {
        Waiter head = head();
        for (Hold hold : holds) {
            sizer.holding(hold.age(now));
        }
        sizer.waiting(queue.size(), acquires - queue.size(), now);
        sizer.connects(true, underWay.isEmpty() ? Long.MAX_VALUE : underWay.peek(), 8);
        return sizer.opensWanted(
                now, live, pending, limit, acquireIncrement, queue.size(), head == null ? 0 : head.since, TIMEOUT);
    }

    private int opensByDesign() {
        Waiter head = head();
        int room = Math.min(acquireIncrement - pending, limit - live - pending);
        if (head == null || room <= 0) {
            return 0;
        }
        if (live == 0) {
            return Math.min(room, Math.max(0, queue.size() - pending));
        }
        lastSecond.removeIf(at -> now - at > 1_000 * MS);
        double age = holds.stream().mapToLong(h -> now - h.since).average().orElse(0);
        double s = Math.max(1, Math.max(meanHold, age));
        double left = Math.max(0, queue.size() + lastSecond.size() / 1e9 * meanConnect - live * meanConnect / s);
        int opens = 0;
        for (double n = live + pending; opens < room && left * left * s / (2 * n * (n + 1)) >= meanConnect; n++) {
            opens++;
        }
        if (opens == 0 && pending == 0 && now - head.since >= meanConnect / 2) {
            opens = Math.min(room, backstopStep);
            backstopStep = Math.min(4, 2 * backstopStep);
        }
        return opens;
    }
}
