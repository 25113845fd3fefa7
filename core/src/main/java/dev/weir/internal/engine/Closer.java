package dev.weir.internal.engine;

import dev.weir.RetireReason;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.text.Log;
import dev.weir.internal.waiting.Slot;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Closes physical connections on helper threads, and keeps the place of each until that has come to its end.
 *
 * <p>To close a connection takes no more than to test it, so validationTimeout is the bound of both. A close that hangs
 * for longer is aborted, on another helper, and its place is free when the abort has returned: the socket is gone then,
 * and with it the session. Of a driver whose abort hangs too no more is expected.
 *
 * <p>The list is intrusive, so that a place is never lost for want of memory: what is allocated is allocated before a
 * slot leaves the others, and the step from live to closing is a few assignments.
 */
final class Closer {
    /**
     * After this long a connection that no helper has taken is offered again: an Error kept it from being handed over.
     */
    private static final long OFFER_AGAIN_NANOS = 250_000_000L;

    /** The time that the abort of a close that hangs may take, once it has begun; its place is free then in any case. */
    private static final long GRACE_NANOS = 50_000_000L;

    private static final long NOT_BEGUN = Long.MIN_VALUE;

    private static final Executor HERE = new Here();

    private final PoolState pool;
    private final HelperThreads helpers;
    private final LongConsumer onDue;
    private final Runnable onEnd;

    /** Guards the account of places: what is below, and what the {@link Opener} counts. */
    final Object account = new Object();

    // Guarded by account.
    private @Nullable Closing first;
    private int count;

    /** Of slots that lost their place. An atomic one allocates nothing when it counts. */
    private final Map<RetireReason, AtomicLong> retired = new EnumMap<>(RetireReason.class);

    /**
     * @param onDue called when a close begins, with the time at which the next look at it is due
     * @param onEnd called after each close, on the thread that closed
     */
    Closer(PoolState pool, HelperThreads helpers, LongConsumer onDue, Runnable onEnd) {
        this.pool = pool;
        this.helpers = helpers;
        this.onDue = onDue;
        this.onEnd = onEnd;
        for (RetireReason reason : RetireReason.values()) {
            retired.put(reason, new AtomicLong());
        }
    }

    /** How many slots were retired, by the reason; called with the account's monitor held. */
    Map<RetireReason, Long> retired() {
        Map<RetireReason, Long> counts = new EnumMap<>(RetireReason.class);
        retired.forEach((reason, count) -> counts.put(reason, count.get()));
        return Map.copyOf(counts);
    }

    /** How many places are kept by connections that are being closed; called with the account's monitor held. */
    int count() {
        return count;
    }

    /**
     * Moves a retired slot from live to closing, counts it, and closes its connection on a helper; false if that was done.
     * A thread that sees that the connection is gone sees that it is counted.
     *
     * @param broken whether to abort it first, so that closing it waits for no network
     */
    boolean close(Slot slot, RetireReason reason, boolean broken) {
        AtomicLong retiredSoFar = retired.get(reason);
        Closing closing = new Closing(slot.physical, slot.session.given(), broken, pool.now());
        synchronized (account) {
            if (!pool.slots.remove(slot)) {
                return false;
            }
            link(closing);
            if (retiredSoFar != null) {
                retiredSoFar.incrementAndGet();
            }
        }
        if (broken) {
            helpers.executeFirst(closing); // it waits for no network, and threads may wait for its place
        } else {
            helpers.execute(closing);
        }
        onDue.accept(closing.dueNanos());
        return true;
    }

    /**
     * Gives a connection that never was a slot a place of its own while it is closed, by the thread that runs what this
     * returns: the place of its connect may be free from now on.
     *
     * @param given the password that a CredentialsProvider gave for it
     */
    Runnable take(@Nullable Connection physical, @Nullable String given) {
        if (physical == null) {
            return () -> {};
        }
        Closing closing;
        try {
            closing = new Closing(physical, given, false, pool.now());
        } catch (Throwable e) { // no memory
            closeQuietly(physical, given, false, pool.settings);
            throw e;
        }
        synchronized (account) {
            link(closing);
        }
        onDue.accept(closing.dueNanos());
        return closing;
    }

    private void link(Closing closing) {
        closing.next = first;
        first = closing;
        count++;
    }

    /** Aborts what hangs, and frees the places of what hangs all the same; returns when the next will be due. */
    long look(long now) {
        long next = Long.MAX_VALUE;
        boolean freed = false;
        for (Closing closing : underWay()) {
            long due = closing.dueNanos();
            if (now < due) {
                boolean waits = closing.waitsForHelper();
                if (waits && closing.sinceNanos + OFFER_AGAIN_NANOS <= now) {
                    helpers.execute(closing);
                }
                next = Math.min(next, waits ? Math.min(due, now + OFFER_AGAIN_NANOS) : due);
            } else if (now < closing.abort(now) + GRACE_NANOS) {
                next = Math.min(next, closing.abort(now) + GRACE_NANOS);
            } else {
                freed |= closing.releasePlace();
            }
        }
        if (freed) {
            onEnd.run();
        }
        return next;
    }

    /** Aborts whatever is being closed. */
    void abortAll(long now) {
        for (Closing closing : underWay()) {
            closing.abort(now);
        }
    }

    private List<Closing> underWay() {
        List<Closing> closings = new ArrayList<>(0);
        synchronized (account) {
            for (Closing closing = first; closing != null; closing = closing.next) {
                closings.add(closing);
            }
        }
        return closings;
    }

    private void unlink(Closing closing) {
        Closing before = null;
        for (Closing at = first; at != null; before = at, at = at.next) {
            if (at == closing) {
                if (before == null) {
                    first = at.next;
                } else {
                    before.next = at.next;
                }
                count--;
                return;
            }
        }
    }

    /** Closes a physical connection; one that is broken is aborted first, so that closing it waits for no network. */
    static void closeQuietly(@Nullable Connection physical, @Nullable String given, boolean broken, Settings settings) {
        if (physical == null) {
            return;
        }
        if (broken) {
            abortQuietly(physical, given, settings);
        }
        try {
            physical.close();
        } catch (Throwable e) {
            Log.log(System.Logger.Level.DEBUG, "close failed; the connection is aborted", settings.redacted(e, given));
            if (!broken) {
                abortQuietly(physical, given, settings);
            }
        }
    }

    private static void abortQuietly(Connection physical, @Nullable String given, Settings settings) {
        try {
            physical.abort(HERE);
        } catch (Throwable e) {
            Log.log(System.Logger.Level.DEBUG, "abort failed", settings.redacted(e, given));
        }
    }

    /** A class and not a method reference, which each of many helpers that come to it together would link. */
    private static final class Here implements Executor {
        @Override
        public void execute(Runnable command) {
            command.run();
        }
    }

    /** One connection that is being closed. */
    private final class Closing implements HelperThreads.Job {
        final Connection physical;
        final @Nullable String given;
        final boolean broken;
        final long sinceNanos;

        /** Aborted, or about to be: no thread is waited for that closes it. */
        private volatile boolean givenUp;

        /** When the abort began; {@link #NOT_BEGUN} before. */
        private volatile long abortBeganNanos = NOT_BEGUN;

        /** It has no place any more. */
        private volatile boolean placeReleased;

        // Guarded by account.
        private boolean begun;

        @Nullable
        Closing next;

        Closing(Connection physical, @Nullable String given, boolean broken, long sinceNanos) {
            this.physical = physical;
            this.given = given;
            this.broken = broken;
            this.sinceNanos = sinceNanos;
        }

        long dueNanos() {
            return sinceNanos + pool.settings.validationTimeoutNanos();
        }

        boolean waitsForHelper() {
            synchronized (account) {
                return !begun;
            }
        }

        /**
         * Its time is up: aborts it on another helper, once; returns when that began, or now if no helper has come to
         * it: its session is there until then, and keeps its place.
         */
        long abort(long now) {
            if (!givenUp) {
                helpers.execute(new Abort());
                givenUp = true;
            }
            long began = abortBeganNanos;
            return began == NOT_BEGUN ? now : began;
        }

        /** Frees the place; true if it was taken. */
        boolean releasePlace() {
            synchronized (account) {
                int before = count;
                unlink(this);
                placeReleased = true;
                return count < before;
            }
        }

        private void endClose() {
            if (releasePlace()) {
                onEnd.run();
            }
        }

        @Override
        public boolean isGivenUp() {
            return givenUp;
        }

        @Override
        public void run() {
            synchronized (account) {
                if (begun) {
                    return; // offered twice
                }
                begun = true;
            }
            try {
                closeQuietly(physical, given, broken, pool.settings);
            } finally {
                endClose();
            }
        }

        /** Ends a close that hangs. */
        private final class Abort implements HelperThreads.Job {
            @Override
            public boolean isGivenUp() {
                return placeReleased;
            }

            @Override
            public void run() {
                abortBeganNanos = pool.now();
                try {
                    abortQuietly(physical, given, pool.settings);
                } finally {
                    endClose();
                }
            }
        }
    }
}
