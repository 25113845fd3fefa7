package dev.weir.internal.keeping;

import dev.weir.internal.shared.Faults;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.working.Job;
import dev.weir.internal.working.Test;
import dev.weir.internal.working.Workers;
import java.sql.SQLTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides which connections are tested, and when: those that an acquire or a return found doubtful, those that threads wait for and
 * that lay idle for long, those under suspicion since another died, and those that are kept alive. All fields are the Keeper's.
 */
public final class Testing {
    /** The time that a driver may take beyond the time it was given before we stop believing in it. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** A test that has not answered after this long no longer counts as help for those who wait. */
    private static final long UNPROMISING_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final PoolState pool;
    private final Workers workers;
    private final Faults faults;
    private final List<Test> underWay = new ArrayList<>();

    /** All that was idle and used before this time has been tested. */
    private long suspectsTested;

    public Testing(PoolState pool, Workers workers, Faults faults) {
        this.pool = pool;
        this.workers = workers;
        this.faults = faults;
    }

    /** Retires what hangs in its test, and tests what was found doubtful; returns when to look again. */
    long testDue(long now) {
        underWay.removeIf(test -> test.isOver() || test.slot.state() == Slot.RETIRED);
        for (Test test : underWay) {
            if (pool.isClosed()) {
                test.end(new SQLTimeoutException("the pool was closed during the test", "08006"));
            } else if (dueNanos(test) <= now) {
                test.end(new SQLTimeoutException("the test did not end in time", "08006"));
            }
        }
        long next = Long.MAX_VALUE;
        for (Slot slot : pool.slots.all()) {
            if (slot.state() == Slot.UNTESTED && !slot.isCondemned()) {
                if (hasRoom(now) && slot.beginTest()) {
                    start(slot, null, now);
                } else {
                    next = Math.min(next, now + Job.SLOW_NANOS / 2); // one under way may be slow by then
                }
            }
        }
        testSuspects(now);
        for (Test test : underWay) { // those that were just started too
            long due = dueNanos(test);
            next = due > now ? Math.min(next, due) : next;
        }
        return next;
    }

    private long dueNanos(Test test) {
        return test.startedNanos + pool.settings.validationTimeoutNanos() + GRACE_NANOS;
    }

    private boolean hasRoom(long now) {
        int slow = 0;
        for (Test test : underWay) {
            slow += test.isSlow(now) ? 1 : 0;
        }
        return underWay.size() - slow < Job.AT_ONCE && underWay.size() < Job.AT_MOST;
    }

    private void testSuspects(long now) {
        long suspectBefore = pool.clock.suspectBefore();
        if (suspectBefore > suspectsTested && testUsedBefore(suspectBefore, now)) {
            suspectsTested = suspectBefore;
        }
    }

    /**
     * Tests idle slots last used before this time, at most acquireIncrement at once. False if some remain: the end of each
     * test causes a turn, and so the next test.
     */
    public boolean testUsedBefore(long usedBefore, long now) {
        boolean all = true;
        for (Slot slot : pool.slots.all()) {
            if (slot.aliveAt() >= usedBefore || !slot.isIdle()) {
                continue;
            }
            if (underWay.size() < pool.settings.acquireIncrement() && slot.tryTest()) {
                start(slot, null, now);
            } else {
                all = false;
            }
        }
        return all;
    }

    /** Starts tests of idle slots that are not fresh, until as many as {@code wanted} are under way and promising. */
    void testStale(int wanted, long now) {
        int missing = wanted;
        for (Test test : underWay) {
            missing -= now - test.startedNanos < UNPROMISING_NANOS ? 1 : 0;
        }
        long freshAfter = pool.clock.freshAfter();
        while (missing > 0 && hasRoom(now)) {
            Slot slot = pool.slots.tryTest(freshAfter);
            if (slot == null) {
                return;
            }
            start(slot, null, now);
            missing--;
        }
    }

    /** Tests a slot that is TESTING, and asks it something more if there is a question. */
    void start(Slot slot, Test.@Nullable Question question, long now) {
        Test test = null;
        try {
            test = new Test(pool, faults, slot, question, now);
            underWay.add(test);
            workers.execute(test);
        } catch (Throwable noThread) { // or memory, which says nothing of the connection: again at a later turn
            underWay.remove(test);
            boolean ignored = slot.endTest() && slot.askTest();
            throw noThread;
        }
    }
}
