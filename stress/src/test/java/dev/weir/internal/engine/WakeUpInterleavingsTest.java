package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.handles.ConnectionHandle;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * P1, P4, P5: acquire, return, eviction, timeout and the end of a pool without a Keeper, which would make good what a wake-up
 * lost, under controlled schedules. Nobody holds a connection for any time, so time passes only if a wake-up was lost.
 */
@EnabledIfSystemProperty(named = Interleavings.ITERATIONS, matches = "\\d+", disabledReason = "needs the profile fray")
class WakeUpInterleavingsTest {
    private static final long HALF_NANOS = RealPool.TIMEOUT.toNanos() / 2;

    /** A pool without threads takes a twentieth of the steps. */
    private static final int TIMES = 20;

    @Test
    void connectionThatComesHomeWakesWhoWaits() {
        Interleavings.explore("share", TIMES, () -> {
            Play play = new Play(2);
            Interleavings.together(play::use, play::lookAtOnly, play::useTwice, play::lookAtOnly);
            play.requireAllIdle(2);
        });
    }

    @Test
    void usedConnectionServesTwo() {
        Interleavings.explore("used", TIMES, () -> {
            Play play = new Play(1);
            Interleavings.together(play::use, play::use);
            play.requireAllIdle(1);
        });
    }

    @Test
    void untouchedConnectionServesTwo() {
        Interleavings.explore("untouched", TIMES, () -> {
            Play play = new Play(1);
            Interleavings.together(play::lookAtOnly, play::lookAtOnly);
            play.requireAllIdle(1);
        });
    }

    @Test
    void evictedConnectionIsClosedOnce() {
        Interleavings.explore("evict", TIMES, () -> {
            Play play = new Play(3);
            play.mayTimeOut = true; // the Keeper sees that more connections are worth opening
            Interleavings.together(play::use, play::lookAtOnly, play.real.pool::evictAll, play.real.pool::evictAll);
            long gone = play.real.pool.stats().opened() - play.real.live();
            assertThat(play.real.retired()).isEqualTo((int) gone).isGreaterThanOrEqualTo(3);
            assertThat(play.real.ended()).isEqualTo((int) gone);
            play.requireAllIdle(play.real.live());
        });
    }

    @Test
    void timeIsUpWhileTheConnectionComesHome() {
        Interleavings.explore("timeout", TIMES, () -> {
            Play play = new Play(1);
            play.mayTimeOut = true;
            ConnectionHandle held = play.real.acquire();
            Interleavings.together(
                    play::use,
                    () -> {
                        sleep(HALF_NANOS);
                        try (ConnectionHandle next = play.real.pool.acquire()) {
                            assertThat(next.isClosed()).isFalse();
                        }
                        assertThat(System.nanoTime() - play.begun).as("served").isLessThan(3 * HALF_NANOS);
                    },
                    () -> {
                        sleep(2 * HALF_NANOS);
                        held.close();
                    });
            play.requireAllIdle(1);
            assertThat(play.real.pool.stats().timedOut()).isEqualTo(play.refused.get());
        });
    }

    @Test
    void interruptedWaiterPassesItsWakeUpOn() {
        Interleavings.explore("interrupt", TIMES, () -> {
            Play play = new Play(1);
            ConnectionHandle held = play.real.acquire();
            Thread waiter = new Thread(() -> play.real.acquireAndClose());
            waiter.start();
            Interleavings.together(held::close, waiter::interrupt, play::use);
            waiter.join();
            play.requireAllIdle(1);
        });
    }

    @Test
    void endOfThePoolReleasesWhoWaits() {
        Interleavings.explore("close", TIMES, () -> {
            Play play = new Play(1);
            play.mayBeClosed = true;
            Interleavings.together(play::use, play::lookAtOnly, play.real.pool::close);
            assertThat(play.real.live()).isZero();
            assertThat(play.real.retired()).isEqualTo(1);
            assertThat(play.real.ended()).isPositive(); // the end may abort what is being cleaned
        });
    }

    /** Fray's time. */
    private static void sleep(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(nanos);
    }

    private static final class Play {
        final long begun = System.nanoTime();

        @SuppressWarnings("Convert2MethodRef") // a call of it is Fray's time, a reference to it is not
        final RealPool real;

        boolean mayTimeOut;
        boolean mayBeClosed;
        final AtomicInteger refused = new AtomicInteger();
        private final int[] holders = new int[8]; // plain: one thread runs at a time, and none is to come in here

        Play(int size) {
            real = new RealPool(size, () -> System.nanoTime());
        }

        void use() throws SQLException {
            hold(true);
        }

        void lookAtOnly() throws SQLException {
            hold(false);
        }

        void useTwice() throws SQLException {
            hold(true);
            hold(true);
        }

        private void hold(boolean used) throws SQLException {
            long begun = System.nanoTime();
            try (ConnectionHandle handle = real.pool.acquire()) {
                int id = (int) handle.slot.id;
                assertThat(++holders[id]).as("holders").isEqualTo(1);
                if (used) {
                    handle.isValid(1);
                }
                holders[id]--;
            } catch (SQLException e) {
                if (!mayTimeOut && !(mayBeClosed && real.pool.state.isClosed())) {
                    throw e;
                }
                refused.incrementAndGet();
            }
            if (!mayTimeOut) {
                assertThat(System.nanoTime() - begun).as("waited").isLessThan(HALF_NANOS);
            }
        }

        void requireAllIdle(int size) {
            assertThat(real.live()).isEqualTo(size);
            assertThat(real.idle()).isEqualTo(size);
            assertThat(real.pool.state.queue.sizeVolatile()).isZero();
        }
    }
}
