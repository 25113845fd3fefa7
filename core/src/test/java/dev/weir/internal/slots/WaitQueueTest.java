package dev.weir.internal.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.RetireReason;
import dev.weir.internal.engine.SteppedPool;
import dev.weir.testkit.ManualTicker;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The waiters that releases serve, one release at a time: no thread really waits here. */
class WaitQueueTest {
    private static final Duration PATIENCE = Duration.ofNanos(WaitQueue.PATIENCE_NANOS);

    private final ManualTicker ticker = new ManualTicker();
    private final PoolClock clock = new PoolClock(ticker::getAsLong, 0, 1);
    private final WaitQueue queue = new WaitQueue(clock);
    private final SteppedPool slots =
            SteppedPool.of(builder -> builder.maximumPoolSize(8).minimumPoolSize(8));

    @AfterEach
    void close() {
        slots.close();
    }

    private Waiter join() {
        Waiter waiter = new Waiter(Thread.currentThread(), clock.now(), Long.MAX_VALUE);
        assertThat(queue.join(waiter, 0)).isTrue();
        return waiter;
    }

    /** A slot that somebody cleaned and is about to release. */
    private Slot returning() throws SQLException {
        Slot slot = slots.acquireHelped().slot;
        assertThat(slot.claim(slot.wordOfLoan())).isTrue();
        return slot;
    }

    private void retake(Slot slot) {
        assertThat(slot.tryAcquire()).isTrue();
        assertThat(slot.claim(slot.wordOfLoan())).isTrue();
    }

    private boolean release(Slot slot) {
        return queue.release(slot, false);
    }

    @Test
    void aReleaseWithNobodyWaitingMakesTheSlotIdle() throws SQLException {
        Slot slot = returning();
        assertThat(release(slot)).isFalse();
        assertThat(slot.state()).isEqualTo(Slot.IDLE);
    }

    @Test
    void whoHasJustComeIsWokenToCompete() throws SQLException {
        Waiter first = join();
        Slot slot = returning();
        assertThat(release(slot)).isFalse();
        assertThat(slot.state()).isEqualTo(Slot.IDLE);
        assertThat(first.woken).isTrue();
        assertThat(first.granted()).isNull();
        assertThat(queue.sizeVolatile()).isEqualTo(1);
    }

    @Test
    void whoHasBornEnoughIsHandedTheNextSlot() throws SQLException {
        Waiter first = join();
        Slot slot = returning();
        for (int i = 0; i < 100; i++) {
            assertThat(release(slot)).isFalse();
            assertThat(first.granted())
                    .as("not after %d releases in no time", i)
                    .isNull();
            retake(slot);
        }
        ticker.advance(PATIENCE);
        assertThat(release(slot)).isFalse();
        assertThat(first.granted()).isSameAs(slot);
        assertThat(slot.state()).isEqualTo(Slot.IN_USE);
        assertThat(queue.sizeVolatile()).isZero();
    }

    @Test
    void aNewSlotIsHandedOverAtOnce() throws SQLException {
        Waiter first = join();
        Slot slot = returning();
        assertThat(queue.release(slot, true)).isFalse();
        assertThat(first.granted()).isSameAs(slot);
    }

    /** Else a message says that the thread before still holds it, and, where that waits again, that it holds one already. */
    @Test
    void aSlotIsHeldByTheThreadItWasHandedToBeforeThatRuns() throws SQLException {
        Slot slot = returning();
        slot.holder = Thread.currentThread();
        Thread next = new Thread(() -> {}, "not running yet");
        assertThat(queue.join(new Waiter(next, clock.now(), Long.MAX_VALUE), 0)).isTrue();
        join();
        assertThat(queue.release(slot, true)).isFalse();
        assertThat(slot.state()).isEqualTo(Slot.IN_USE);
        assertThat(slot.holder).isSameAs(next);
    }

    @Test
    void p5WaitersAreServedInOrderOfComing() throws SQLException {
        List<Waiter> waiters = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            waiters.add(join());
        }
        Slot slot = returning();
        for (Waiter waiter : waiters) {
            assertThat(queue.release(slot, true)).isFalse();
            assertThat(waiter.granted()).isSameAs(slot);
            assertThat(slot.claim(slot.wordOfLoan())).isTrue();
        }
    }

    @Test
    void p5WhoJoinsBehindOthersIsOvertakenTwiceForEachOfThemAtMost() throws SQLException {
        int ahead = 40;
        int releases = releasesUntilTheLastIsServed(ahead, Duration.ZERO);
        assertThat(releases).isGreaterThan(2 * ahead).isLessThanOrEqualTo(3 * (ahead + 1));
    }

    @Test
    void p5WhereReleasesAreSlowItIsOvertakenByAQuarterMoreAtMost() throws SQLException {
        int ahead = 40;
        int releases = releasesUntilTheLastIsServed(ahead, Duration.ofNanos(WaitQueue.PICK_UP_NANOS));
        assertThat(releases).isGreaterThan(ahead).isLessThanOrEqualTo(ahead + ahead / 4 + 1);
    }

    @Test
    void aWaiterIsHandedNothingBeforeItHasWaitedForFourPickUps() throws SQLException {
        for (Duration wait : List.of(PATIENCE.minusNanos(1), PATIENCE)) {
            ticker.advance(Duration.ofSeconds(1)); // since the last hand-over
            Waiter waiter = join();
            Slot slot = returning();
            ticker.advance(wait);
            assertThat(release(slot)).isFalse();
            assertThat(waiter.granted() == slot).as("after %s", wait).isEqualTo(wait.equals(PATIENCE));
            boolean ignored = queue.leave(waiter, false);
        }
    }

    /**
     * The releases are of one slot. A thread that runs takes it, and brings it back after this time, before any waiter
     * has woken.
     */
    private int releasesUntilTheLastIsServed(int ahead, Duration hold) throws SQLException {
        for (int i = 0; i < ahead; i++) {
            join();
        }
        Waiter last = join();
        ticker.advance(Duration.ofNanos(WaitQueue.PATIENCE_NANOS));
        Slot slot = returning();
        int releases = 0;
        while (last.granted() == null) {
            ticker.advance(hold);
            assertThat(release(slot)).isFalse();
            releases++;
            assertThat(releases).isLessThan(10 * ahead);
            if (slot.state() == Slot.IDLE) {
                retake(slot);
            } else {
                assertThat(slot.claim(slot.wordOfLoan())).isTrue();
            }
        }
        assertThat(release(slot)).isFalse();
        return releases;
    }

    @Test
    void p5ThoseWhoGaveUpNoLongerHoldUpThoseBehindThem() throws SQLException {
        List<Waiter> impatient = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            impatient.add(join());
        }
        Waiter old = join();
        for (Waiter waiter : impatient) {
            assertThat(queue.leave(waiter, false)).isTrue();
        }
        Waiter young = join();
        ticker.advance(PATIENCE);
        Slot slot = returning();
        assertThat(release(slot)).isFalse();
        assertThat(old.granted()).isSameAs(slot);
        assertThat(slot.claim(slot.wordOfLoan())).isTrue();
        for (int i = 0; i <= WaitQueue.BARGED && young.granted() == null; i++) {
            assertThat(release(slot)).isFalse();
            if (slot.state() == Slot.IDLE) {
                retake(slot);
            }
        }
        assertThat(young.granted()).isSameAs(slot);
    }

    @Test
    void aSleeperThatWasWokenDoesNotKeepTheOthersFromBeingRoused() throws SQLException {
        List<Waiter> waiters = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            waiters.add(join());
        }
        for (int i = 0; i < 100; i++) {
            queue.signal(false);
        }
        long woken = waiters.stream().filter(waiter -> waiter.woken).count();
        assertThat(woken).isLessThan(100);
        queue.rouse();
        assertThat(waiters.stream().filter(waiter -> waiter.woken).count()).isEqualTo(woken + 1);
    }

    @Test
    void aWakeUpIsNotGivenTwiceToWhoHasNotYetLooked() throws SQLException {
        Waiter first = join();
        Slot slot = returning();
        release(slot);
        queue.clearWoken(first);
        assertThat(first.woken).isFalse();
        retake(slot);
        release(slot);
        assertThat(first.woken).isTrue();
    }

    @Test
    void aReleaseWakesNobodyWhileOneIsOnTheWayToLook() throws SQLException {
        Waiter first = join();
        Waiter second = join();
        Slot slot = returning();
        for (int i = 0; i < 200; i++) {
            assertThat(release(slot)).isFalse();
            assertThat(first.woken).isTrue();
            assertThat(second.woken).isEqualTo(Runtime.getRuntime().availableProcessors() > 3);
            retake(slot);
        }
        queue.clearWoken(first);
        assertThat(release(slot)).isFalse();
        assertThat(first.woken).as("it looked too early").isTrue();
    }

    @Test
    void whoLeavesPassesItsWakeUpOn() throws SQLException {
        Waiter first = join();
        Waiter second = join();
        release(returning());
        assertThat(first.woken).isTrue();
        assertThat(queue.leave(first, false)).isTrue();
        assertThat(second.woken).isTrue();
    }

    @Test
    void whoIsHandedASlotPassesItsWakeUpOn() throws SQLException {
        Waiter first = join();
        Waiter second = join();
        release(returning());
        assertThat(first.woken).isTrue();
        Slot tested = returning();
        assertThat(queue.release(tested, true)).isFalse();
        assertThat(first.granted()).isSameAs(tested);
        queue.signal(false); // as it does then, since a slot lies idle
        assertThat(second.woken).isTrue();
    }

    @Test
    void whoIsServedCannotLeaveAndWhoLeftIsNotServed() throws SQLException {
        Waiter first = join();
        Waiter second = join();
        Waiter third = join();
        assertThat(queue.leave(second, false)).isTrue();
        assertThat(queue.leave(second, false)).isFalse();
        Slot one = returning();
        queue.release(one, true);
        assertThat(queue.leave(first, false)).isFalse();
        Slot two = returning();
        queue.release(two, true);
        assertThat(first.granted()).isSameAs(one);
        assertThat(second.granted()).isNull();
        assertThat(third.granted()).isSameAs(two);
        assertThat(queue.sizeVolatile()).isZero();
    }

    @Test
    void allFailAtOnceEachWithAnExceptionOfItsOwn() {
        Waiter first = join();
        Waiter second = join();
        queue.failAll(() -> new SQLException("over", "08003"));
        assertThat(queue.sizeVolatile()).isZero();
        assertThat(queue.leave(first, false)).isFalse();
        List<Throwable> thrown = new ArrayList<>();
        for (Waiter waiter : List.of(first, second)) {
            assertThatThrownBy(waiter::granted).isInstanceOf(SQLException.class).satisfies(thrown::add);
        }
        assertThat(thrown.get(0)).isNotSameAs(thrown.get(1));
        assertThat(queue.headSinceNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whilePausedNobodyIsServedOrWoken() throws SQLException {
        Waiter first = join();
        ticker.advance(PATIENCE);
        queue.pause(true);
        Slot slot = returning();
        release(slot);
        queue.signal(false);
        assertThat(slot.state()).isEqualTo(Slot.IDLE);
        assertThat(first.woken).isFalse();
        retake(slot);
        queue.release(slot, true);
        assertThat(first.granted()).isNull();
        queue.pause(false);
        queue.signal(false);
        assertThat(first.woken).isTrue();
    }

    @Test
    void aFullQueueRefuses() {
        for (int i = 0; i < 3; i++) {
            assertThat(queue.join(new Waiter(Thread.currentThread(), clock.now(), Long.MAX_VALUE), 3))
                    .isTrue();
        }
        assertThat(queue.join(new Waiter(Thread.currentThread(), clock.now(), Long.MAX_VALUE), 3))
                .isFalse();
        assertThat(queue.sizeVolatile()).isEqualTo(3);
    }

    @Test
    void aCondemnedSlotIsGivenToNobody() throws SQLException {
        Waiter first = join();
        ticker.advance(PATIENCE);
        Slot slot = returning();
        slot.condemn(RetireReason.EVICTED);
        assertThat(release(slot)).isTrue();
        assertThat(first.granted()).isNull();
        assertThat(queue.sizeVolatile()).isEqualTo(1);
    }

    @Test
    void theAgeOfTheQueueIsThatOfItsHead() {
        long since = clock.now();
        Waiter first = join();
        ticker.advance(Duration.ofMillis(3));
        Waiter second = join();
        assertThat(queue.headSinceNanos()).isEqualTo(since);
        assertThat(queue.leave(first, false)).isTrue();
        assertThat(queue.headSinceNanos()).isEqualTo(second.sinceNanos);
    }
}
