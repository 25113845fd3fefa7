package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Configured;
import dev.weir.RetireReason;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.slots.Waiter;
import dev.weir.testkit.Await;
import dev.weir.testkit.Fault;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.StubSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of a loan, or of a connection, has a bound of its own, whatever the driver does in it. */
@Timeout(60)
class BoundedEndTest {
    private static final Duration LIMIT = LivePool.LIMIT;
    private static final Duration BOUND = Duration.ofMillis(100);
    private static final Duration NEVER = Duration.ofHours(1);

    // ------------------------------------------------- the physical close

    private static SteppedPool stepped(int size) {
        SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(size)
                .maximumPoolSize(size)
                .closeTimeout(Duration.ZERO)
                .validationTimeout(BOUND));
        stepped.run(Duration.ofMillis(1));
        assertThat(stepped.total()).isEqualTo(size);
        return stepped;
    }

    private static void evictIdle(SteppedPool stepped) {
        stepped.pool.evictIdle();
        stepped.pool.keeper.turn(stepped.pool.clock.now());
    }

    @Test
    void aCloseThatHangsIsAbortedAtItsBoundAndThenItsPlaceIsFree() {
        try (SteppedPool stepped = stepped(1)) {
            StubSession session = stepped.db.sessions().get(0);
            evictIdle(stepped); // no worker comes to the end of the close
            stepped.ticker.advance(BOUND.minusMillis(1));
            stepped.pool.keeper.turn(stepped.pool.clock.now());
            assertThat(stepped.helpers.pending()).isEqualTo(1); // the close, and no abort yet
            assertThat(stepped.pool.stats().closing()).isEqualTo(1);
            assertThat(stepped.pool.stats().opening()).isZero();
            stepped.ticker.advance(Duration.ofMillis(1));
            stepped.pool.keeper.turn(stepped.pool.clock.now());
            assertThat(session.isClosed()).isFalse();
            assertThat(stepped.pool.stats().opening()).isZero(); // never more sessions than the maximum
            stepped.helpers.run(stepped.helpers.pending() - 1); // the abort
            assertThat(session.isClosed()).isTrue();
            stepped.pool.keeper.turn(stepped.pool.clock.now());
            assertThat(stepped.pool.stats().closing()).isZero();
            assertThat(stepped.pool.stats().opening()).isEqualTo(1);
        }
    }

    @Test
    void thePlaceIsFreeThoughTheAbortHangsToo() throws Exception {
        try (SteppedPool stepped = stepped(1);
                Fault hang = stepped.db.hangNext("Connection.abort", 1)) {
            evictIdle(stepped);
            stepped.ticker.advance(BOUND);
            stepped.pool.keeper.turn(stepped.pool.clock.now());
            CompletableFuture<Boolean> abort = LivePool.on("aborts", () -> {
                stepped.helpers.run(stepped.helpers.pending() - 1);
                return true;
            });
            hang.awaitWaiting(1, LIMIT);
            stepped.ticker.advance(Duration.ofMillis(50));
            stepped.pool.keeper.turn(stepped.pool.clock.now());
            assertThat(stepped.pool.stats().closing()).isZero();
            assertThat(stepped.pool.stats().opening()).isEqualTo(1);
            hang.release();
            abort.get(20, TimeUnit.SECONDS);
        }
    }

    /** On a machine so busy that no helper comes to the abort, the session is still there: its place is not free. */
    @Test
    void anAbortThatHasNotBegunKeepsThePlaceOfItsSession() {
        try (SteppedPool stepped = stepped(1)) {
            evictIdle(stepped);
            stepped.ticker.advance(BOUND);
            stepped.pool.keeper.turn(stepped.pool.clock.now());
            stepped.ticker.advance(Duration.ofMinutes(1));
            stepped.pool.keeper.turn(stepped.pool.clock.now());
            assertThat(stepped.db.openNow()).isEqualTo(1);
            assertThat(stepped.pool.stats().closing()).isEqualTo(1);
            assertThat(stepped.pool.stats().opening()).isZero();
        }
    }

    @Test
    void whatIsBeingClosedIsCountedWhereverThePoolIsCounted() {
        try (SteppedPool stepped = stepped(1)) {
            stepped.pool.evictIdle();
            assertThat(stepped.pool.dump()).contains("total 0, in use 0, idle 0, waiting 0, opening 0, closing 1");
            assertThat(Configured.mbean(stepped.pool).getClosing()).isEqualTo(1);
            assertThatThrownBy(stepped::acquire).hasMessageContaining("closing 1");
        }
    }

    /** A connect that failed halfway has a connection to close; that may hang as any other. */
    @Test
    void aCloseThatHangsAfterAFailedConnectDoesNotKeepItsPlace() throws Exception {
        StubDatabase db = new StubDatabase();
        db.failNext("Connection.clearWarnings", 1, () -> new SQLException("not today", "08006"));
        Fault hang = db.hangNext("Connection.close", 1);
        try (LivePool live = LivePool.of(
                db,
                b -> b.maximumPoolSize(1)
                        .validationTimeout(BOUND)
                        .acquireRetryDelay(Duration.ofMillis(20))
                        .connectionTimeout(LIMIT))) {
            live.pool.acquire().close();
            assertThat(db.opened()).isEqualTo(2);
            assertThat(db.maxOpenAtOnce()).isEqualTo(1);
            hang.release();
        }
    }

    // ----------------------------------------------------- the user's close

    private static void leaveWork(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        connection.createStatement().execute("INSERT 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Connection.rollback", "Statement.close", "Connection.setAutoCommit"})
    void aReturnThatHangsIsCutOffAndSaysSo(String method) throws Exception {
        try (LivePool live =
                LivePool.started(b -> b.maximumPoolSize(1).returnTimeout(BOUND).connectionTimeout(LIMIT))) {
            CompletableFuture<Void> user = LivePool.on("slow user", () -> {
                Connection held = live.pool.acquire();
                leaveWork(held);
                live.db.hangNext(method, 1);
                held.close();
                return null;
            });
            live.pool.acquire().close(); // another connection in the same place
            user.get(20, TimeUnit.SECONDS);
            Await.await(
                    "the Keeper says so, after all else",
                    LIMIT,
                    () -> live.log.warnings().stream()
                            .anyMatch(m -> m.contains("was not cleaned within")
                                    && m.contains("returnTimeout: 100 ms")
                                    && m.contains("slow user")));
            assertThat(live.pool.stats().retired()).containsEntry(RetireReason.UNCLEAN, 1L);
            assertThat(live.db.committed()).isEmpty();
            assertThat(live.db.maxOpenAtOnce()).isEqualTo(1);
        }
    }

    /** The Keeper sleeps when nothing was acquired for a second. */
    @Test
    void whoReturnsToAQuietPoolWakesTheKeeper() throws Exception {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(1).maximumPoolSize(1))) {
            stepped.run(Duration.ofMillis(1));
            for (boolean aborts : new boolean[] {false, true}) {
                Connection held = stepped.acquire();
                leaveWork(held);
                stepped.run(Duration.ofSeconds(5));
                assertThat(stepped.pool.clock.isTicking()).isFalse();
                if (aborts) {
                    held.abort(Runnable::run);
                } else {
                    held.close();
                }
                assertThat(stepped.pool.clock.isTicking()).isTrue();
            }
        }
    }

    /** The driver may answer just when its time is up: the connection is the Keeper's then, and nobody's. */
    @Test
    void aReturnThatWasCutOffGivesNothingBack() throws Exception {
        for (int waiting = 0; waiting <= 1; waiting++) {
            try (SteppedPool stepped = SteppedPool.of(b ->
                    b.minimumPoolSize(1).maximumPoolSize(1).returnTimeout(BOUND).connectionTimeout(NEVER))) {
                stepped.run(Duration.ofMillis(1));
                ConnectionHandle held = stepped.acquire();
                Slot slot = held.slot;
                assertThat(slot.claim(held.loanWord)).isTrue(); // close() has begun
                stepped.pass();
                stepped.ticker.advance(BOUND);
                Waiter waiter = new Waiter(Thread.currentThread(), stepped.pool.clock.now(), Long.MAX_VALUE);
                if (waiting == 1) {
                    assertThat(stepped.pool.queue.join(waiter, 0)).isTrue();
                }
                stepped.pool.keeper.turn(stepped.pool.clock.now());
                assertThat(slot.state()).isEqualTo(Slot.RETIRED);
                stepped.pool.returning.release(slot, true); // close() ends well all the same
                assertThat(slot.state()).isEqualTo(Slot.RETIRED);
                assertThat(waiter.granted()).isNull();
                assertThat(stepped.retired(RetireReason.UNCLEAN)).isEqualTo(1);
                stepped.pool.queue.leave(waiter, false);
            }
        }
    }

    /** It fails for the abort, which is no news of the server; and the reason that the Keeper noted stays. */
    @Test
    void aReturnThatFailsAfterItWasCutOffPutsNoOtherConnectionUnderSuspicion() throws Exception {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(1).maximumPoolSize(1).connectionTimeout(NEVER))) {
            stepped.run(Duration.ofMillis(1));
            ConnectionHandle held = stepped.acquire();
            Slot slot = held.slot;
            long suspectBefore = stepped.pool.clock.suspectBefore();
            assertThat(slot.claim(held.loanWord)).isTrue();
            assertThat(slot.tryRetireFrom(slot.wordVolatile()))
                    .isTrue(); // as for a thread that holds the driver's lock
            slot.noteTakenAway(RetireReason.UNCLEAN, null);
            stepped.pool.returning.retireFailed(slot, new SQLException("the socket was closed", "08006"));
            assertThat(stepped.pool.clock.suspectBefore()).isEqualTo(suspectBefore);
            stepped.pool.keeper.turn(stepped.pool.clock.now());
            assertThat(stepped.retired(RetireReason.UNCLEAN)).isEqualTo(1);
            assertThat(stepped.retired(RetireReason.FAULT)).isZero();
        }
    }

    @Test
    void aReturnHasItsFullTime() throws Exception {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(1).maximumPoolSize(1).returnTimeout(BOUND))) {
            stepped.run(Duration.ofMillis(1));
            for (int i = 0; i < 5; i++) { // each return anew, whatever was seen of the one before
                ConnectionHandle held = stepped.acquire();
                assertThat(held.slot.claim(held.loanWord)).isTrue();
                stepped.pass();
                stepped.ticker.advance(BOUND.minusMillis(1));
                stepped.pass();
                assertThat(held.slot.state()).isEqualTo(Slot.RETURNING);
                stepped.pool.returning.release(held.slot, true);
            }
            assertThat(stepped.retired(RetireReason.UNCLEAN)).isZero();
        }
    }

    @Test
    void aLoanThatHangsInCloseCountsAsHeld() throws Exception {
        try (LivePool live = LivePool.started(b -> b.maximumPoolSize(1).leakDetectionThreshold(BOUND))) {
            Fault hang = live.db.hang("Connection.rollback");
            CompletableFuture<Void> user = LivePool.on("in close", () -> {
                Connection held = live.pool.acquire();
                leaveWork(held);
                held.close();
                return null;
            });
            hang.awaitWaiting(1, LIMIT);
            Await.await(
                    "it is reported",
                    LIMIT,
                    () -> live.log.warnings().stream()
                            .anyMatch(m -> m.contains("leak?") && m.contains("thread 'in close', now in close()")));
            hang.release();
            user.get(20, TimeUnit.SECONDS);
        }
    }
}
