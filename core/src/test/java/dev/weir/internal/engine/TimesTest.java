package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.observing.Notes;
import dev.weir.internal.shared.Holders;
import dev.weir.internal.shared.LoanWatch;
import dev.weir.internal.shared.Refusals;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.slots.Waiter;
import dev.weir.testkit.StubDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** P8: no time that the pool tells is negative, whichever thread noted its beginning, and whatever a ticker does. */
class TimesTest {
    private static final String NEGATIVE = "-\\d+ ms";

    @Test
    void noTimeIsNegativeThoughTheTickerGoesBack() throws SQLException {
        Notes told = new Notes();
        Duration back = Duration.ofSeconds(3);
        try (SteppedPool stepped = SteppedPool.of(b -> b.addListener(told)
                .connectionTimeout(Duration.ofMillis(50))
                .leakDetectionThreshold(Duration.ofSeconds(1)))) {
            Connection held = stepped.acquireHelped();
            stepped.run(Duration.ofSeconds(2)); // a leak is reported
            stepped.goBack(back);
            assertThat(stepped.pool.dump()).contains("held for 0 ms").doesNotContainPattern(NEGATIVE);
            assertThat(stepped.pool.held()).noneMatch(one -> one.heldFor().isNegative());
            stepped.db.fail(StubDatabase.CONNECT, "08001");
            Throwable failed = catchThrowable(stepped::acquireHelped);
            stepped.goBack(back);
            Throwable failedBefore = catchThrowable(stepped::acquire);
            assertThat(List.of(failed, failedBefore))
                    .allSatisfy(e -> assertThat(e.getMessage())
                            .contains("no connection within")
                            .doesNotContainPattern(NEGATIVE));
            held.close();
            stepped.goBack(Duration.ofHours(1)); // to before it was opened
            stepped.pool.evictAll();
            stepped.run(Duration.ofSeconds(1));
            assertThat(stepped.log.text()).contains("leak?").doesNotContainPattern(NEGATIVE);
        }
        assertThat(told.times).isNotEmpty().allSatisfy(time -> assertThat(time).isNotNegative());
    }

    /** It is handed to the driver by another thread, which may have read the clock later. */
    @Test
    void aConnectThatBeganAfterTheRefusalReadTheClockIsUnderWayForNoTime() {
        try (SteppedPool stepped = SteppedPool.of(b -> b)) {
            ConnectionPool pool = stepped.pool;
            pool.state.connects.oldestConnectNanos =
                    pool.clock.now() + Duration.ofMillis(2).toNanos();
            Refusals refusals = new Refusals(
                    pool.state, new Holders(pool.state), new LoanWatch(pool.state, pool.listeners, pool.returning));
            assertThat(refusals.timedOut(1).getMessage()).contains("oldest connect under way for 0 ms");
        }
    }

    /** A look takes the stack of each thread that waits and holds: of a thousand that time out, each would take a thousand. */
    @Test
    void ofThreadsThatTimeOutTogetherOneLooksForThoseThatNest() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.maximumPoolSize(1))) {
            ConnectionPool pool = stepped.pool;
            Refusals refusals = new Refusals(
                    pool.state, new Holders(pool.state), new LoanWatch(pool.state, pool.listeners, pool.returning));
            AtomicInteger stacks = new AtomicInteger();
            Thread nesting = new Thread(() -> {}) {
                @Override
                public StackTraceElement[] getStackTrace() {
                    if (stacks.incrementAndGet() == 1) { // another thread times out meanwhile
                        assertThat(refusals.timedOut(1).getMessage()).doesNotContain("waiting threads hold");
                    }
                    return super.getStackTrace();
                }
            };
            ConnectionHandle held = stepped.acquireHelped();
            held.slot.holder = nesting;
            long now = pool.clock.now();
            Waiter waiter = new Waiter(nesting, now, now + Duration.ofDays(1).toNanos());
            assertThat(pool.queue.join(waiter, 0)).isTrue();
            assertThat(refusals.timedOut(1).getMessage()).contains("1 of 2 waiting threads hold a connection already");
            assertThat(refusals.timedOut(1).getMessage()).contains("1 of 2 waiting threads hold a connection already");
            assertThat(stacks).hasValue(1);
            stepped.ticker.advance(Duration.ofSeconds(1));
            assertThat(refusals.timedOut(1).getMessage()).contains("1 of 2 waiting threads hold a connection already");
            assertThat(stacks).as("what was seen a second ago is old").hasValue(2);
            assertThat(pool.queue.leave(waiter, false)).isTrue();
            held.close();
        }
    }

    @Test
    void noTimeBetweenTwoReadingsIsNegative() {
        assertThat(PoolClock.elapsed(5, 3)).isEqualTo(2);
        assertThat(PoolClock.elapsed(3, 5)).isZero();
        assertThat(PoolClock.elapsed(0, Long.MAX_VALUE)).isZero();
    }
}
