package dev.weir;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The one scheduled thread of a pool: the coarse clock, what hangs, what is too old, too many, too few, too long idle or
 * too long held.
 *
 * <p>A pass does what is due and says when the next is; between passes the thread is parked. While the pool is busy a pass
 * comes every tick; while somebody waits and more connections could be opened, as often as the Sizer asks; when
 * nothing was acquired for a second the clock rests, and the thread sleeps until the next lifetime, keepalive or surplus,
 * so that a sleeping application is not woken.
 *
 * <p>All fields but the few volatile ones belong to the Keeper's thread (or to the test that calls {@link #pass} instead).
 */
final class Keeper implements Runnable {
    private static final System.Logger LOG = System.getLogger("dev.weir");
    private static final long QUIET_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long HOUSEKEEPING_PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_PEAK_GRAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ConnectionPool pool;
    private final Settings settings;
    private final PoolClock clock;
    private final Slots slots;
    private final Checker checker;
    private final Holders holders;
    private final Thread thread;

    /** Connections past their planned age whose replacement is being opened, the oldest first. */
    private final Queue<Slot> beingReplaced = new ConcurrentLinkedQueue<>();

    private volatile boolean stopped;
    private volatile boolean sweep;
    private volatile boolean replan;
    private volatile boolean houseKeepingAsked;

    /** Until when the thread means to park; Long.MAX_VALUE while a pass runs, so that a nudge always causes another. */
    private volatile long parkedUntil = Long.MAX_VALUE;

    private long lastAcquires = -1;
    private long lastBusyNanos;
    private long tickedNanos = Long.MIN_VALUE / 2;
    private long houseKeepingDueNanos;

    /** Per grain of time, the most in use at once; {start, most}, the oldest first. */
    private final ArrayDeque<long[]> peaks = new ArrayDeque<>();

    /** In use at each tick of the last second: the least of them is what a short spike does not raise. */
    private final int[] recentInUse = new int[10];

    private int recentAt;

    Keeper(ConnectionPool pool, Checker checker, Holders holders, Helpers helpers) {
        this.pool = pool;
        this.settings = pool.settings;
        this.clock = pool.clock;
        this.slots = pool.slots;
        this.checker = checker;
        this.holders = holders;
        this.thread = helpers.newThread("keeper", this);
    }

    void start() {
        thread.start();
    }

    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    void join(long nanos) throws InterruptedException {
        if (thread != Thread.currentThread()) {
            TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, nanos));
        }
    }

    @Override
    public void run() {
        while (!stopped) {
            long nanos = passAndPlan();
            if (nanos > 0 && !stopped) {
                LockSupport.parkNanos(this, nanos);
            }
        }
    }

    /** Makes a pass and plans the next, so that nudges know of it; returns for how long the thread may park. */
    long passAndPlan() {
        parkedUntil = Long.MAX_VALUE;
        long next;
        try {
            next = pass(clock.now());
        } catch (Throwable e) { // whatever a driver threw: the next pass may do better
            LOG.log(Level.ERROR, "pool '" + settings.poolName() + "': a pass of the keeper failed", e);
            next = clock.now() + HOUSEKEEPING_PERIOD_NANOS;
        }
        parkedUntil = next;
        return next - clock.now();
    }

    /** Makes the next pass come at this time at the latest. */
    void nudge(long atNanos) {
        if (atNanos < parkedUntil) {
            LockSupport.unpark(thread);
        }
    }

    /**
     * Somebody waits, and has just asked for what may help: the next look comes when the Sizer wants one. Not at once: of a
     * crowd that comes together each would wake the thread for a pass of its own.
     */
    void watch(long now) {
        nudge(now + Sizer.lookAgainNanos(0));
    }

    /** Called by an acquire on the slow path: the clock goes from now on. */
    void wakeClock(long now) {
        if (!clock.isTicking()) {
            clock.tick(now);
            nudge(now);
        }
    }

    /** Tests every idle connection that is under suspicion. */
    void sweep() {
        sweep = true;
        nudge(clock.now());
    }

    void settingsChanged() {
        replan = true;
        nudge(clock.now());
    }

    /** A connection was opened: the one that waits longest to be replaced may go, and the new one has an age to watch. */
    void opened() {
        Slot old = beingReplaced.poll();
        if (old != null) {
            pool.condemn(old, RetireReason.AGE);
        }
        houseKeepingAsked = true;
        nudge(clock.now());
    }

    /** A connection is gone, for whatever reason: it needs no replacement of its own. */
    void retired(Slot slot) {
        beingReplaced.remove(slot);
    }

    /** Between 0 and 1. */
    double jitter() {
        return ThreadLocalRandom.current().nextDouble();
    }

    /** Does what is due now; returns when the next pass is. Tests with a manual ticker call it themselves. */
    long pass(long now) {
        long next = now + TimeUnit.DAYS.toNanos(1);
        if (now - tickedNanos >= clock.periodNanos() || pool.queue.sizeVolatile() > 0) {
            tick(now);
        }
        if (sweep) {
            sweep = false;
            if (checker.checkUsedBefore(clock.suspectBefore(), settings.acquireIncrement(), now) > 0) {
                sweep = true;
                next = now + SOON_NANOS;
            }
        }
        if (replan || houseKeepingAsked || now >= houseKeepingDueNanos) {
            houseKeepingDueNanos = keepHouse(now);
        }
        next = Math.min(next, houseKeepingDueNanos);
        next = Math.min(next, holders.reportLeaks(now));
        next = Math.min(next, serveWaiting(now));
        next = Math.min(next, fill(now));
        next = Math.min(next, pool.opener.abandonHung(now)); // last, so that what this pass began is watched too
        next = Math.min(next, checker.abandonHung(now));
        return clock.isTicking() ? Math.min(next, tickedNanos + clock.periodNanos()) : next;
    }

    private void tick(long now) {
        long acquires = slots.acquires();
        boolean busy = acquires != lastAcquires || pool.queue.sizeVolatile() > 0 || pool.opener.opening() > 0;
        if (busy) {
            lastAcquires = acquires;
            lastBusyNanos = now;
        }
        if (now - lastBusyNanos < QUIET_AFTER_NANOS) {
            clock.tick(now);
            pool.supply.sampleArrivals(acquires, now);
        } else if (clock.isTicking()) {
            clock.rest();
        }
        if (now - tickedNanos >= clock.periodNanos()) {
            tickedNanos = now;
            holders.observe(now);
            int inUse = slots.inUse();
            recentInUse[recentAt] = inUse;
            recentAt = (recentAt + 1) % recentInUse.length;
            notePeak(now, pool.queue.sizeVolatile() > 0 ? slots.live() : inUse);
        }
    }

    // ------------------------------------------------------- those who wait

    private long serveWaiting(long now) {
        int waiting = pool.queue.sizeVolatile();
        if (waiting == 0) {
            return Long.MAX_VALUE;
        }
        if (!pool.isSuspended()) {
            checker.checkStale(waiting, now);
            if (slots.anyAvailable(clock.freshAfterOpaque())) {
                pool.queue.rouse();
            }
        }
        if (slots.live() >= settings.maximumPoolSize()) {
            return Long.MAX_VALUE; // the ticks suffice: only a return can help
        }
        pool.opener.hurry(now);
        pool.supply.replenish(now);
        long lookAgain = now + Sizer.lookAgainNanos(now - Math.min(now, pool.queue.headSinceNanos()));
        long probeAt = pool.opener.probeAtNanos();
        return probeAt > now ? Math.min(lookAgain, probeAt) : lookAgain;
    }

    private long fill(long now) {
        if (pool.isSuspended() || pool.isClosed()) {
            return Long.MAX_VALUE;
        }
        int target = target();
        pool.opener.fillTo(target, now);
        if (slots.live() >= target) {
            return Long.MAX_VALUE;
        }
        long probeAt = pool.opener.probeAtNanos();
        return probeAt > now && probeAt < Long.MAX_VALUE ? probeAt : now + HOUSEKEEPING_PERIOD_NANOS;
    }

    /**
     * How many connections there should be at least: the minimum, or minimumIdle more than a whole second had in use; and
     * one for who starts the pool, which waits for it and not in the queue.
     */
    private int target() {
        int least = Arrays.stream(recentInUse).min().orElse(0);
        int idle = settings.minimumIdle() == 0 ? 0 : least + settings.minimumIdle();
        int first = pool.lifecycle.startWaits() ? 1 : 0;
        return Math.min(settings.maximumPoolSize(), Math.max(settings.minimumPoolSize(), Math.max(first, idle)));
    }

    // ---------------------------------------------------------- housekeeping

    private long keepHouse(long now) {
        if (houseKeepingAsked) {
            houseKeepingAsked = false;
            notePeak(now, slots.live()); // what was just opened counts as needed
        }
        if (replan) {
            replan = false;
            for (Slot slot : slots.all()) {
                plan(slot);
            }
        }
        long next = now + TimeUnit.HOURS.toNanos(1);
        next = Math.min(next, renewOld(now));
        next = Math.min(next, retireSurplus(now));
        next = Math.min(next, keepAlive(now));
        return next;
    }

    /** When a connection has to be replaced, and when it must go: maxLifetime less up to a fortieth, so that not all go at once. */
    void plan(Slot slot) {
        long life = settings.maxLifetimeNanos();
        if (life == 0) {
            slot.replaceAtNanos = Long.MAX_VALUE;
            slot.expiresAtNanos = Long.MAX_VALUE;
        } else {
            long jitter = (long) (life / 40.0 * jitter());
            slot.expiresAtNanos = slot.openedNanos + life - jitter;
            slot.replaceAtNanos = slot.expiresAtNanos - life / 20;
        }
    }

    /** Opens replacements for connections near their age, and retires those at it. */
    private long renewOld(long now) {
        long next = Long.MAX_VALUE;
        for (Slot slot : slots.all()) {
            if (slot.expiresAtNanos <= now) {
                pool.condemn(slot, RetireReason.AGE);
            } else if (slot.replaceAtNanos <= now) {
                next = Math.min(next, slot.expiresAtNanos);
                if (!slot.isCondemned() && !beingReplaced.contains(slot)) {
                    replace(slot, now);
                    next = Math.min(next, now + HOUSEKEEPING_PERIOD_NANOS);
                }
            } else {
                next = Math.min(next, slot.replaceAtNanos);
            }
        }
        return next;
    }

    private void replace(Slot slot, long now) {
        beingReplaced.add(slot);
        if (pool.opener.open(1, now) == 0) {
            beingReplaced.remove(slot); // no place now: again at the next pass, at the latest when it expires
        }
    }

    /** Retires what is more than was in use at once, and more than the minimum, all through the last idleTimeout. */
    private long retireSurplus(long now) {
        long window = settings.idleTimeoutNanos();
        if (window == 0) {
            peaks.clear();
            return Long.MAX_VALUE;
        }
        int inUse = slots.inUse();
        int needed = Math.max(target(), Math.max(inUse, peak(now, window)) + settings.minimumIdle());
        int surplus = slots.live() - needed;
        if (surplus > 0) {
            Slot[] idle = Arrays.stream(slots.all())
                    .filter(slot -> slot.state() == Slot.IDLE && slot.openedNanos + window <= now)
                    .sorted(Comparator.comparingLong(Slot::lastUsedOpaque))
                    .toArray(Slot[]::new);
            for (int i = 0; i < Math.min(surplus, idle.length); i++) {
                pool.condemn(idle[i], RetireReason.SURPLUS);
            }
        }
        return slots.live() > target() ? now + peakGrain(window) : Long.MAX_VALUE;
    }

    private static long peakGrain(long window) {
        return Math.min(LONGEST_PEAK_GRAIN_NANOS, Math.max(1, window / 16));
    }

    /** So many were needed at this moment. */
    void notePeak(long now, int inUse) {
        long[] last = peaks.peekLast();
        if (last != null && now - last[0] < peakGrain(settings.idleTimeoutNanos())) {
            last[1] = Math.max(last[1], inUse);
        } else {
            peaks.addLast(new long[] {now, inUse});
        }
    }

    private int peak(long now, long window) {
        long grain = peakGrain(window);
        for (long[] oldest = peaks.peekFirst(); oldest != null && oldest[0] + grain + window <= now; ) {
            peaks.removeFirst();
            oldest = peaks.peekFirst();
        }
        return (int) peaks.stream().mapToLong(peak -> peak[1]).max().orElse(0);
    }

    private long keepAlive(long now) {
        long period = settings.keepaliveTimeNanos();
        if (period == 0) {
            return Long.MAX_VALUE;
        }
        int remain = checker.checkUsedBefore(now - period, settings.acquireIncrement(), now);
        if (remain > 0) {
            return now + SOON_NANOS;
        }
        long oldest = now;
        for (Slot slot : slots.all()) {
            if (slot.state() == Slot.IDLE) {
                oldest = Math.min(oldest, slot.lastUsedOpaque());
            }
        }
        return oldest + period + 1;
    }
}
