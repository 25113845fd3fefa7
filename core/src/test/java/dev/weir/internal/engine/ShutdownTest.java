package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.RetireReason;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.working.Job;
import dev.weir.testkit.Await;
import dev.weir.testkit.Fault;
import dev.weir.testkit.StubSession;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a pool: in time, whatever is under way, and nothing is left. */
@Timeout(60)
class ShutdownTest {
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(300);
    private static final Duration FOR_EVER = Duration.ofMinutes(5);

    /** Time that a busy machine, and the last look after what was aborted, may add. */
    private static final Duration SLACK = Duration.ofSeconds(5);

    private static Duration timed(Runnable task) {
        long start = System.nanoTime();
        task.run();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private static void assertNothingLeft(LivePool live) {
        assertThat(live.db.openNow()).isZero();
        assertThat(live.pool.stats().total()).isZero();
        ThreadsLeft.assertNone("weir-" + live.settings.poolName() + "-", LivePool.LIMIT);
    }

    @Test
    void anIdlePoolIsClosedAtOnce() throws SQLException {
        try (LivePool live = LivePool.started(b -> b.minimumPoolSize(5).closeTimeout(FOR_EVER))) {
            Await.await("five are idle", LivePool.LIMIT, () -> live.pool.stats().idle() >= 5);
            assertThat(timed(live.pool::close)).isLessThan(SLACK);
            assertNothingLeft(live);
            assertThat(live.pool.stats().retired())
                    .containsEntry(RetireReason.CLOSED, live.pool.stats().opened());
            assertThat(live.log.warnings()).isEmpty();
        }
    }

    /** Time stands still here: no turn comes but those that somebody asks for. */
    @Test
    void theEndIsOverAsSoonAsTheLastConnectionHasGone() {
        try (SteppedPool stepped = SteppedPool.of(builder -> builder.minimumPoolSize(2))) {
            stepped.run(Duration.ofSeconds(1));
            assertThat(stepped.pool.ending.beginEnd()).isEqualTo(PoolState.Phase.STARTED);
            do {
                while (stepped.pool.state.inbox.isTold()) {
                    stepped.pool.keeper.turnAndPlan();
                }
            } while (stepped.helpers.runAll() > 0);
            assertThat(stepped.pool.ending.isOver()).isTrue();
        }
    }

    @Test
    void whatIsInUseIsAbortedAfterCloseTimeout() throws SQLException {
        try (LivePool live = LivePool.started(b -> b.closeTimeout(CLOSE_TIMEOUT))) {
            Connection held = live.pool.acquire();
            StubSession session = live.session(held);
            assertThat(timed(live.pool::close)).isBetween(CLOSE_TIMEOUT, CLOSE_TIMEOUT.plus(SLACK));
            assertThat(held.isClosed()).isTrue();
            assertThat(session.isClosed()).isTrue();
            assertNothingLeft(live);
            assertThat(live.log.warnings()).anyMatch(message -> message.contains("still in use and is aborted"));
            held.close();
            assertThatThrownBy(held::createStatement).isInstanceOf(SQLException.class);
        }
    }

    /** As many as there may be helpers, and more: what hangs in cancel() keeps no thread from the abort that ends it. */
    @Test
    void cancelsThatHangDoNotKeepConnectionsFromBeingAborted() throws SQLException {
        int size = Job.AT_MOST + 8;
        try (LivePool live = LivePool.started(b -> b.maximumPoolSize(size)
                .acquireIncrement(size)
                .connectionTimeout(LivePool.LIMIT)
                .closeTimeout(Duration.ZERO))) {
            for (int i = 0; i < size; i++) {
                live.pool.acquire().createStatement().execute("SELECT 1");
            }
            Fault hang = live.db.hang("Statement.cancel");
            live.pool.close();
            assertThat(hang.hits()).isPositive();
            assertNothingLeft(live);
        }
    }

    @Test
    void aConnectionUnderTestIsClosedAndNotTakenForInvalid() throws Exception {
        try (LivePool live = LivePool.started(
                b -> b.maximumPoolSize(1).closeTimeout(FOR_EVER).validationTimeout(FOR_EVER))) {
            live.warm(1);
            Fault hang = live.db.hang("Connection.isValid");
            live.pool.clock.suspect(live.pool.clock.now());
            CompletableFuture<Connection> waiter = live.acquireOn("waiter");
            hang.awaitWaiting(1, LivePool.LIMIT);
            live.pool.close();
            assertThat(live.pool.stats().retired())
                    .containsEntry(RetireReason.CLOSED, 1L)
                    .containsEntry(RetireReason.INVALID, 0L);
            assertThat(live.db.calls("Connection.abort")).isZero();
            assertThat(live.db.calls("Connection.close")).isEqualTo(1);
            assertThat(waiter).failsWithin(LivePool.LIMIT);
            assertNothingLeft(live);
        }
    }

    /** As drivers do that take one lock for all they do. */
    @Test
    void aConnectionWhoseCloseWaitsForItsTestIsAborted() throws Exception {
        try (LivePool live = LivePool.started(
                b -> b.maximumPoolSize(1).closeTimeout(FOR_EVER).validationTimeout(FOR_EVER))) {
            live.warm(1);
            Fault hang = live.db.hang("Connection.isValid");
            live.db.hang("Connection.close");
            live.pool.clock.suspect(live.pool.clock.now());
            CompletableFuture<Connection> waiter = live.acquireOn("waiter");
            hang.awaitWaiting(1, LivePool.LIMIT);
            assertThat(timed(live.pool::close)).isLessThan(SLACK);
            assertThat(live.db.calls("Connection.abort")).isPositive();
            assertThat(live.db.openNow()).isZero();
            assertThat(waiter).failsWithin(LivePool.LIMIT);
        }
    }

    @Test
    void aDriverWhoseCloseHangsDoesNotHoldUpTheEndForEver() throws SQLException {
        try (LivePool live = LivePool.started(b -> b.minimumPoolSize(2).closeTimeout(CLOSE_TIMEOUT))) {
            Await.await("two are idle", LivePool.LIMIT, () -> live.pool.stats().idle() >= 2);
            Fault hang = live.db.hang("Connection.close");
            Fault deaf = live.db.hang("Connection.abort"); // an abort would end the hang at the bound of a close
            assertThat(timed(live.pool::close)).isLessThan(CLOSE_TIMEOUT.plus(SLACK));
            assertThat(live.log.warnings()).anyMatch(message -> message.contains("still blocks a worker thread"));
            hang.release();
            deaf.release();
        }
    }

    @Test
    void closingTwiceOrFromTwoThreadsIsClosingOnce() throws Exception {
        try (LivePool live = LivePool.started(b -> b.minimumPoolSize(3).closeTimeout(FOR_EVER))) {
            Await.await(
                    "three are idle", LivePool.LIMIT, () -> live.pool.stats().idle() >= 3);
            CompletableFuture<Duration> one = LivePool.on("one", () -> timed(live.pool::close));
            CompletableFuture<Duration> two = LivePool.on("two", () -> timed(live.pool::close));
            assertThat(one.get(20, TimeUnit.SECONDS)).isLessThan(SLACK);
            assertThat(two.get(20, TimeUnit.SECONDS)).isLessThan(SLACK);
            live.pool.close();
            assertNothingLeft(live);
            assertThat(live.pool.stats().retired())
                    .containsEntry(RetireReason.CLOSED, live.pool.stats().opened());
        }
    }

    @Test
    void anInterruptEndsThePatienceOfClose() throws Exception {
        try (LivePool live = LivePool.started(b -> b.closeTimeout(FOR_EVER))) {
            Connection held = live.pool.acquire();
            CompletableFuture<Thread> closer = new CompletableFuture<>();
            CompletableFuture<Boolean> stillInterrupted = LivePool.on("closer", () -> {
                closer.complete(Thread.currentThread());
                live.pool.close();
                return Thread.currentThread().isInterrupted();
            });
            Await.await("the pool is closing", LivePool.LIMIT, live.pool.state::isClosed);
            Await.blocked(closer.get(), LivePool.LIMIT);
            closer.get().interrupt();
            assertThat(stillInterrupted.get(20, TimeUnit.SECONDS)).isTrue();
            assertThat(held.isClosed()).isTrue();
            Await.await("all is closed", LivePool.LIMIT, () -> live.db.openNow() == 0);
        }
    }

    @Test
    void whatRunsIsCancelledBeforeItIsAbortedAlsoInAHurry() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.closeTimeout(FOR_EVER))) {
            Connection held = stepped.acquireHelped();
            held.createStatement().execute("SELECT 1");
            StubSession session = stepped.session(held);
            stepped.helpers.runAll();
            stepped.pool.ending.beginEnd();
            stepped.pool.ending.hurry(); // as an interrupt of the thread that closes
            stepped.pool.keeper.turn(stepped.pool.clock.now());
            assertThat(stepped.helpers.pending()).as("the cancel alone").isOne();
            assertThat(held.isClosed()).isFalse();
            stepped.run(Duration.ofSeconds(5));
            assertThat(stepped.db.calls("Statement.cancel")).isOne();
            assertThat(session.isClosed()).isTrue();
            assertThat(stepped.pool.ending.isOver()).isTrue();
        }
    }

    @Test
    void aSuspendedPoolCanBeClosedAndNotResumed() throws Exception {
        try (LivePool live = LivePool.started(b -> b.connectionTimeout(FOR_EVER).closeTimeout(FOR_EVER))) {
            live.pool.suspend();
            CompletableFuture<Connection> waiter = live.acquireOn("waiter");
            live.awaitWaiting(1);
            live.pool.close();
            live.pool.resume();
            assertThatThrownBy(() -> waiter.get(20, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            SQLNonTransientConnectionException.class,
                            e -> assertThat(e.getSQLState()).isEqualTo("08003"));
            assertThatThrownBy(live.pool::acquire).isInstanceOf(SQLNonTransientConnectionException.class);
            assertNothingLeft(live);
        }
    }

    @Test
    void aPoolThatIsClosedAmidALoadLeavesNothing() throws Exception {
        for (int round = 0; round < 10; round++) {
            LivePool live = LivePool.started(b -> b.maximumPoolSize(3).closeTimeout(FOR_EVER));
            List<CompletableFuture<Integer>> users = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                users.add(LivePool.on("user " + i, () -> {
                    for (int served = 0; ; served++) {
                        try (Connection c = live.pool.acquire()) {
                            c.getCatalog();
                        } catch (SQLNonTransientConnectionException closed) {
                            return served;
                        }
                    }
                }));
            }
            Await.await(
                    "they are served", LivePool.LIMIT, () -> live.pool.stats().acquired() > 200);
            live.pool.close();
            for (CompletableFuture<Integer> user : users) {
                user.get(20, TimeUnit.SECONDS);
            }
            assertNothingLeft(live);
            live.close();
        }
    }
}
