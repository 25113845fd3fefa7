package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.RetireReason;
import dev.weir.internal.settings.Setting;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.StubSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The acts that an operator may do to a pool that runs: change nine settings, suspend, resume, evict. */
@Timeout(60)
class RuntimeChangesTest {

    private static List<Connection> acquire(SteppedPool stepped, int connections) throws SQLException {
        List<Connection> held = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            held.add(stepped.acquireHelped());
        }
        return held;
    }

    private static SteppedPool filled(int connections) {
        SteppedPool stepped = SteppedPool.of(
                b -> b.minimumPoolSize(connections).maximumPoolSize(10).acquireIncrement(10));
        stepped.run(Duration.ofMillis(1));
        stepped.change(Setting.MINIMUM_POOL_SIZE, 0);
        assertThat(stepped.total()).isEqualTo(connections);
        return stepped;
    }

    // ------------------------------------------------------ maximumPoolSize

    @Test
    void aLoweredMaximumTakesEffectAtOnceOnWhatIsIdleAndAtReturnOnTheRest() throws SQLException {
        try (SteppedPool stepped = filled(6)) {
            List<Connection> held = acquire(stepped, 4);
            stepped.change(Setting.MAXIMUM_POOL_SIZE, 3);
            assertThat(stepped.idle()).isZero();
            assertThat(stepped.total()).isEqualTo(4);
            for (Connection handle : held) {
                assertThat(handle.isClosed()).isFalse();
                handle.close();
            }
            stepped.run(Duration.ofMillis(1));
            assertThat(stepped.total()).isEqualTo(3);
            assertThat(stepped.retired(RetireReason.SURPLUS)).isEqualTo(3);
            assertThat(stepped.db.openNow()).isEqualTo(3);
        }
    }

    @Test
    void anotherChangeBeforeTheSurplusIsHomeDoesNotRetireMore() throws SQLException {
        try (SteppedPool stepped = filled(6)) {
            List<Connection> held = acquire(stepped, 6);
            stepped.change(Setting.MAXIMUM_POOL_SIZE, 4);
            stepped.change(Setting.ACQUIRE_INCREMENT, 3);
            stepped.change(Setting.ACQUIRE_RETRIES, 3);
            for (Connection handle : held) {
                handle.close();
            }
            stepped.run(Duration.ofMillis(1));
            assertThat(stepped.total()).isEqualTo(4);
        }
    }

    @Test
    void connectsUnderWayDoNotExceedAMaximumThatIsLoweredMeanwhile() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(5).maximumPoolSize(5).acquireIncrement(10))) {
            stepped.beginToFill();
            assertThat(stepped.helpers.pending()).isEqualTo(5);
            stepped.change(Setting.MINIMUM_POOL_SIZE, 0);
            stepped.change(Setting.MAXIMUM_POOL_SIZE, 2);
            stepped.run(Duration.ofMillis(1));
            assertThat(stepped.total()).isEqualTo(2);
            assertThat(stepped.db.openNow()).isEqualTo(2);
        }
    }

    @Test
    void aRaisedMaximumServesWhoWaits() throws Exception {
        try (LivePool live = LivePool.started(b -> b.maximumPoolSize(1).connectionTimeout(LivePool.LIMIT))) {
            Connection held = live.pool.acquire();
            CompletableFuture<Connection> waiter = live.acquireOn("waiter");
            live.awaitWaiting(1);
            live.settings.change(Setting.MAXIMUM_POOL_SIZE, 2);
            live.pool.settingsChanged();
            waiter.get(10, TimeUnit.SECONDS).close();
            held.close();
        }
    }

    // ------------------------------------------------------ the other eight

    @Test
    void aRaisedMinimumIsFilledAtOnceAndALoweredOneLeftToTheIdleTimeout() {
        try (SteppedPool stepped = filled(2)) {
            stepped.change(Setting.MINIMUM_POOL_SIZE, 5);
            stepped.run(Duration.ofMillis(1));
            assertThat(stepped.idle()).isEqualTo(5);
            stepped.change(Setting.MINIMUM_POOL_SIZE, 1);
            stepped.run(Duration.ofMinutes(9));
            assertThat(stepped.total()).isEqualTo(5);
            stepped.run(Duration.ofMinutes(2));
            assertThat(stepped.total()).isEqualTo(1);
        }
    }

    @Test
    void acquireIncrementTakesEffectAtOnce() {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(10).acquireIncrement(2))) {
            stepped.beginToFill();
            assertThat(stepped.pool.stats().opening()).isEqualTo(2);
            stepped.change(Setting.ACQUIRE_INCREMENT, 7);
            assertThat(stepped.pool.stats().opening()).isEqualTo(7);
        }
    }

    @Test
    void acquireRetriesAndItsDelayTakeEffectWithTheNextFailure() {
        try (SteppedPool stepped = SteppedPool.of(
                b -> b.minimumPoolSize(1).acquireRetries(1_000).acquireRetryDelay(Duration.ofMillis(100)))) {
            stepped.db.fail(StubDatabase.CONNECT, "08001");
            stepped.run(Duration.ofSeconds(10));
            assertThat(stepped.pool.stats().openFailed()).isBetween(95L, 205L);
            stepped.change(Setting.ACQUIRE_RETRY_DELAY, Duration.ofSeconds(1));
            stepped.run(Duration.ofSeconds(1));
            long before = stepped.pool.stats().openFailed();
            stepped.run(Duration.ofSeconds(10));
            assertThat(stepped.pool.stats().openFailed() - before).isBetween(9L, 21L);
            stepped.change(Setting.ACQUIRE_RETRIES, 0);
            stepped.run(Duration.ofSeconds(1));
            before = stepped.pool.stats().openFailed();
            stepped.run(Duration.ofSeconds(50));
            assertThat(stepped.pool.stats().openFailed() - before).isBetween(1L, 5L);
        }
    }

    @Test
    void connectionTimeoutTakesEffectWithTheNextAcquire() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.maximumPoolSize(1).connectionTimeout(Duration.ofSeconds(5)))) {
            Connection held = stepped.acquireHelped();
            stepped.change(Setting.CONNECTION_TIMEOUT, Duration.ofMillis(40));
            long start = stepped.now();
            assertThat(catchThrowable(stepped::acquireHelped)).hasMessageContaining("connectionTimeout: 40 ms");
            assertThat(Duration.ofNanos(stepped.now() - start)).isBetween(Duration.ofMillis(40), Duration.ofMillis(50));
            held.close();
        }
    }

    @Test
    void idleTimeoutTakesEffectAtOnce() {
        try (SteppedPool stepped = filled(5)) {
            stepped.run(Duration.ofMinutes(3));
            assertThat(stepped.total()).isEqualTo(5);
            stepped.change(Setting.IDLE_TIMEOUT, Duration.ofMinutes(1));
            stepped.run(Duration.ofMillis(1));
            assertThat(stepped.total()).isZero();
        }
    }

    @Test
    void maxLifetimeTakesEffectOnConnectionsThatAreOpen() {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(4).maxLifetime(Duration.ofMinutes(30)))) {
            stepped.run(Duration.ofSeconds(1));
            List<StubSession> first = stepped.db.openSessions();
            stepped.change(Setting.MAX_LIFETIME, Duration.ofMinutes(1));
            stepped.run(Duration.ofSeconds(50));
            assertThat(stepped.db.openSessions()).containsExactlyElementsOf(first);
            stepped.run(Duration.ofSeconds(12));
            assertThat(first).allMatch(StubSession::isClosed);
            assertThat(stepped.total()).isEqualTo(4);
            List<StubSession> second = stepped.db.openSessions();
            stepped.change(Setting.MAX_LIFETIME, Duration.ZERO);
            stepped.run(Duration.ofHours(3));
            assertThat(stepped.db.openSessions()).containsExactlyElementsOf(second);
        }
    }

    @Test
    void leakDetectionThresholdTakesEffectOnConnectionsThatAreHeld() throws SQLException {
        try (SteppedPool stepped = filled(1)) {
            Connection held = stepped.acquireHelped();
            stepped.run(Duration.ofSeconds(10));
            assertThat(stepped.log.warnings()).isEmpty();
            stepped.change(Setting.LEAK_DETECTION_THRESHOLD, Duration.ofSeconds(5));
            stepped.run(Duration.ofMillis(1));
            assertThat(stepped.log.warnings()).singleElement().asString().contains("leak?");
            held.close();
        }
    }

    // ------------------------------------------------------ suspend, resume

    @Test
    void aSuspendedPoolLendsNothingUntilItIsResumed() throws Exception {
        try (LivePool live = LivePool.started(b -> b.maximumPoolSize(2).connectionTimeout(LivePool.LIMIT))) {
            Connection held = live.pool.acquire();
            live.pool.suspend();
            List<CompletableFuture<Connection>> waiters = List.of(live.acquireOn("one"), live.acquireOn("two"));
            live.awaitWaiting(2);
            execute(held); // the holder of one may go on
            held.close();
            for (int i = 0; i < 3; i++) {
                live.pool.settingsChanged();
                live.pool.state.nudge();
            }
            assertThat(live.pool.state.queue.sizeVolatile()).isEqualTo(2);
            assertThat(live.pool.stats().inUse()).isZero();
            live.settings.change(Setting.CONNECTION_TIMEOUT, Duration.ofMillis(100));
            assertThatThrownBy(live.pool::acquire).hasMessageContaining("the pool is suspended");
            live.pool.resume();
            for (CompletableFuture<Connection> waiter : waiters) {
                Connection served = waiter.get(10, TimeUnit.SECONDS);
                execute(served);
                served.close();
            }
        }
    }

    @Test
    void p1SuspendedAndResumedByManyAtOnceAPoolIsWhatItSaysItIs() throws Exception {
        try (LivePool live = LivePool.started(b -> b.connectionTimeout(LivePool.LIMIT))) {
            for (int round = 0; round < 200; round++) {
                CompletableFuture<Boolean> suspend = LivePool.on("suspends", () -> {
                    live.pool.suspend();
                    return true;
                });
                live.pool.resume();
                suspend.get(10, TimeUnit.SECONDS);
                if (live.pool.isSuspended()) {
                    live.pool.resume();
                }
                live.pool.acquire().close();
            }
        }
    }

    private static void execute(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("SELECT");
        }
    }

    // ---------------------------------------------------------------- evict

    @Test
    void evictIdleClosesWhatIsIdleAndLeavesWhatIsInUse() throws SQLException {
        try (SteppedPool stepped = filled(5)) {
            List<Connection> held = acquire(stepped, 2);
            stepped.pool.evictIdle();
            stepped.pass();
            assertThat(stepped.total()).isEqualTo(2);
            assertThat(stepped.db.openNow()).isEqualTo(2);
            assertThat(stepped.retired(RetireReason.EVICTED)).isEqualTo(3);
            for (Connection handle : held) {
                handle.close();
            }
            assertThat(stepped.idle()).isEqualTo(2);
        }
    }

    @Test
    void evictAllClosesWhatIsInUseWhenItComesHome() throws SQLException {
        try (SteppedPool stepped = filled(5)) {
            List<Connection> held = acquire(stepped, 2);
            stepped.pool.evictAll();
            stepped.pass();
            assertThat(stepped.db.openNow()).isEqualTo(2);
            for (Connection handle : held) {
                execute(handle);
                handle.close();
                assertThatThrownBy(() -> execute(handle)).isInstanceOf(SQLException.class);
            }
            stepped.pass();
            assertThat(stepped.total()).isZero();
            assertThat(stepped.db.openNow()).isZero();
            assertThat(stepped.retired(RetireReason.EVICTED)).isEqualTo(5);
        }
    }

    @Test
    void whoWaitsWhileAllAreEvictedIsServedByANewConnection() throws Exception {
        try (LivePool live = LivePool.started(b -> b.maximumPoolSize(1).connectionTimeout(LivePool.LIMIT))) {
            Connection held = live.pool.acquire();
            StubSession evicted = live.session(held);
            CompletableFuture<Connection> waiter = live.acquireOn("waiter");
            live.awaitWaiting(1);
            live.pool.evictAll();
            held.close();
            Connection served = waiter.get(10, TimeUnit.SECONDS);
            assertThat(live.session(served)).isNotSameAs(evicted);
            served.close();
            Await.await("the old one is closed", LivePool.LIMIT, evicted::isClosed);
        }
    }

    @Test
    void theDumpSaysWhoHoldsWhatSinceWhen() throws SQLException {
        try (SteppedPool stepped = filled(2)) {
            Connection held = stepped.acquireHelped();
            execute(held);
            stepped.run(Duration.ofSeconds(3));
            assertThat(stepped.pool.dump())
                    .contains("pool 'stepped': maximum 10, total 2, in use 1, idle 1, waiting 0, opening 0")
                    .containsPattern("connection \\d held for (2[89]|3[01])\\d\\d ms by thread '"
                            + Thread.currentThread().getName() + "', last SQL: SELECT");
            held.close();
            assertThat(stepped.pool.dump()).doesNotContain("held for");
        }
    }
}
