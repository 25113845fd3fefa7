package dev.weir.internal.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.RetireReason;
import dev.weir.internal.handles.ConnectionHandle;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;
import org.openjdk.jcstress.infra.results.ZZI_Result;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/**
 * P1, P5, P7 of the whole pool: its own acquire, with its await and its park, against its own ways home, abort and
 * close.
 *
 * <p>Nobody makes good a wake-up that is lost, see {@link RealPool}: a thread that is not woken throws at its deadline,
 * seconds later.
 */
public class PoolStress {

    /** A handle that touched nothing is closed while a thread acquires: (served, idle afterwards). */
    @JCStressTest
    @Outcome(
            id = "true, 0",
            expect = ACCEPTABLE,
            desc = "found at once, by the scan in the queue, when woken, or handed over")
    @Outcome(id = "false, 1", expect = FORBIDDEN, desc = "parked, and not woken: timed out beside an idle connection")
    @Outcome(expect = FORBIDDEN, desc = "the connection is lost")
    @State
    public static class CloseAcquire {
        private final RealPool real = new RealPool(1);
        private final ConnectionHandle handle = real.acquire();

        @Actor
        public void close() {
            handle.close();
        }

        @Actor
        public void acquire(ZI_Result r) {
            r.r1 = real.tryAcquire() != null;
        }

        @Arbiter
        public void after(ZI_Result r) {
            r.r2 = real.idle();
        }
    }

    /** The same for a connection that was used, which is cleaned before it comes home. */
    @JCStressTest
    @Outcome(
            id = "true, 0",
            expect = ACCEPTABLE,
            desc = "found at once, by the scan in the queue, when woken, or handed over")
    @Outcome(id = "false, 1", expect = FORBIDDEN, desc = "parked, and not woken: timed out beside an idle connection")
    @Outcome(expect = FORBIDDEN, desc = "the connection is lost")
    @State
    public static class CloseUsedAcquire {
        private final RealPool real = new RealPool(1);
        private final ConnectionHandle handle = real.acquire();

        public CloseUsedAcquire() {
            RealPool.use(handle);
        }

        @Actor
        public void close() {
            handle.close();
        }

        @Actor
        public void acquire(ZI_Result r) {
            r.r1 = real.tryAcquire() != null;
        }

        @Arbiter
        public void after(ZI_Result r) {
            r.r2 = real.idle();
        }
    }

    /**
     * The thread that gives it back wants it again at once, as another does: (first served, second served, idle
     * afterwards).
     */
    @JCStressTest
    @Outcome(id = "true, true, 1", expect = ACCEPTABLE, desc = "one after the other")
    @Outcome(
            id = {"true, false, 1", "false, true, 1", "false, false, 1"},
            expect = FORBIDDEN,
            desc = "parked, and not woken: timed out beside an idle connection")
    @Outcome(expect = FORBIDDEN, desc = "the connection is lost")
    @State
    public static class CloseAcquireAcquire {
        private final RealPool real = new RealPool(1);
        private final ConnectionHandle handle = real.acquire();

        @Actor
        public void first(ZZI_Result r) {
            handle.close();
            r.r1 = real.acquireAndClose();
        }

        @Actor
        public void second(ZZI_Result r) {
            r.r2 = real.acquireAndClose();
        }

        @Arbiter
        public void after(ZZI_Result r) {
            r.r3 = real.idle();
        }
    }

    /** One gives back, and is interrupted before it can wait again; another acquires: (served, idle afterwards). */
    @JCStressTest
    @Outcome(
            id = "true, 0",
            expect = ACCEPTABLE,
            desc = "whatever became of the one that was interrupted, it is served")
    @Outcome(id = "false, 1", expect = FORBIDDEN, desc = "the wake-up left with the one that was interrupted")
    @Outcome(expect = FORBIDDEN, desc = "the connection is lost")
    @State
    public static class InterruptedAcquire {
        private final RealPool real = new RealPool(1);
        private final ConnectionHandle handle = real.acquire();

        @Actor
        public void interrupted() {
            handle.close();
            Thread.currentThread().interrupt();
            real.acquireAndClose();
            boolean ignored = Thread.interrupted();
        }

        @Actor
        public void acquire(ZI_Result r) {
            r.r1 = real.tryAcquire() != null;
        }

        @Arbiter
        public void after(ZI_Result r) {
            r.r2 = real.idle();
        }
    }

    /** The pool is resumed while a thread acquires: (served, idle afterwards). */
    @JCStressTest
    @Outcome(id = "true, 0", expect = ACCEPTABLE, desc = "resumed, and found or woken")
    @Outcome(id = "false, 1", expect = FORBIDDEN, desc = "parked in a pool that lends again, and not woken")
    @Outcome(expect = FORBIDDEN, desc = "the connection is lost")
    @State
    public static class ResumeAcquire {
        private final RealPool real = new RealPool(1);

        public ResumeAcquire() {
            real.pool.suspend();
        }

        @Actor
        public void resume() {
            real.pool.resume();
        }

        @Actor
        public void acquire(ZI_Result r) {
            r.r1 = real.tryAcquire() != null;
        }

        @Arbiter
        public void after(ZI_Result r) {
            r.r2 = real.idle();
        }
    }

    /** One thread aborts what another closes: (the handle is dead, retired, idle). */
    @JCStressTest
    @Outcome(id = "true, true, 0", expect = ACCEPTABLE, desc = "aborted, and given up once")
    @Outcome(id = "true, false, 1", expect = ACCEPTABLE, desc = "closed; the abort finds nothing to abort")
    @Outcome(expect = FORBIDDEN, desc = "lent again though aborted, given up twice, or by nobody")
    @State
    public static class AbortClose {
        private final RealPool real = new RealPool(1);
        private final ConnectionHandle handle = real.acquire();

        @Actor
        public void close() {
            handle.close();
        }

        @Actor
        public void abort() {
            PoolStress.abort(handle);
        }

        @Arbiter
        public void after(ZZI_Result r) {
            r.r1 = handle.isClosed();
            r.r2 = real.retired() == 1 && real.ended() > 0 && real.live() == 0;
            r.r3 = real.idle();
        }
    }

    /** A connection that was used is closed by two threads: (the handle is dead, none was given up, idle). */
    @JCStressTest
    @Outcome(id = "true, true, 1", expect = ACCEPTABLE, desc = "one cleaned and released, the other did nothing")
    @Outcome(expect = FORBIDDEN, desc = "released twice, or not at all")
    @State
    public static class CloseClose {
        private final RealPool real = new RealPool(1);
        private final ConnectionHandle handle = real.acquire();

        public CloseClose() {
            RealPool.use(handle);
        }

        @Actor
        public void first() {
            handle.close();
        }

        @Actor
        public void second() {
            handle.close();
        }

        @Arbiter
        public void after(ZZI_Result r) {
            r.r1 = handle.isClosed();
            r.r2 = real.retired() == 0 && real.ended() == 0;
            r.r3 = real.idle();
        }
    }

    /** The pool is closed while a connection comes home: (the handle is dead, given up once, live). */
    @JCStressTest
    @Outcome(
            id = "true, true, 0",
            expect = ACCEPTABLE,
            desc = "given up by who closed the handle, or by who closed the pool")
    @Outcome(expect = FORBIDDEN, desc = "left open by a pool that is closed, or given up twice")
    @State
    public static class EndClose {
        private final RealPool real = new RealPool(1);
        private final ConnectionHandle handle = real.acquire();

        @Actor
        public void end() {
            real.pool.close();
        }

        @Actor
        public void close() {
            handle.close();
        }

        @Arbiter
        public void after(ZZI_Result r) {
            r.r1 = handle.isClosed();
            r.r2 = real.retired() == 1 && real.ended() > 0;
            r.r3 = real.live();
        }
    }

    /** The pool is closed while a thread acquires what is idle: (no live handle, given up once, no thread waits). */
    @JCStressTest
    @Outcome(id = "true, true, true", expect = ACCEPTABLE, desc = "refused, or taken from the one that had it")
    @Outcome(expect = FORBIDDEN, desc = "lent by a pool that is closed, or left open")
    @State
    public static class EndAcquire {
        private final RealPool real = new RealPool(1);
        private @Nullable ConnectionHandle handle;

        @Actor
        public void end() {
            real.pool.close();
        }

        @Actor
        public void acquire() {
            handle = real.tryAcquire();
        }

        @Arbiter
        public void after(ZZZ_Result r) {
            r.r1 = handle == null || handle.isClosed();
            r.r2 = real.retired() == 1 && real.ended() > 0 && real.live() == 0;
            r.r3 = real.pool.state.queue.sizeVolatile() == 0;
        }
    }

    /** The pool is closed while a thread waits for what another has: (refused at once, the handle is dead, live). */
    @JCStressTest
    @Outcome(id = "true, true, 0", expect = ACCEPTABLE, desc = "failed by the close, or saw it")
    @Outcome(id = "false, true, 0", expect = FORBIDDEN, desc = "waited to its deadline for a pool that is gone")
    @Outcome(expect = FORBIDDEN, desc = "lent by a pool that is closed, or left open")
    @State
    public static class EndWait {
        private final RealPool real = new RealPool(1);
        private final ConnectionHandle handle = real.acquire();

        @Actor
        public void end() {
            real.pool.close();
        }

        @Actor
        public void acquire(ZZI_Result r) {
            try {
                real.pool.acquire().close();
            } catch (SQLException e) {
                r.r1 = "08003".equals(e.getSQLState());
            }
        }

        @Arbiter
        public void after(ZZI_Result r) {
            r.r2 = handle.isClosed();
            r.r3 = real.live();
        }
    }

    /**
     * One of two connections is condemned, and both come home, while a thread acquires: (served, given up once, live).
     */
    @JCStressTest
    @Outcome(id = "true, true, 1", expect = ACCEPTABLE, desc = "served with the other; the condemned one is given up")
    @Outcome(id = "true, true, 2", expect = ACCEPTABLE, desc = "and another is opened, as somebody waited")
    @Outcome(expect = FORBIDDEN, desc = "lent though condemned, given up twice, or never")
    @State
    public static class EvictAcquire {
        private final RealPool real = new RealPool(2);
        private final ConnectionHandle handle = real.acquire();
        private final ConnectionHandle other = real.acquire();

        @Actor
        public void close() {
            real.pool.state.condemn(handle.slot, RetireReason.EVICTED);
            handle.close();
            other.close();
        }

        @Actor
        public void acquire(ZZI_Result r) {
            r.r1 = real.acquireAndClose();
        }

        @Arbiter
        public void after(ZZI_Result r) {
            r.r2 = real.retired() == 1 && real.ended() > 0;
            r.r3 = real.live();
        }
    }

    private static void abort(ConnectionHandle handle) {
        try {
            handle.abort(Runnable::run);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
