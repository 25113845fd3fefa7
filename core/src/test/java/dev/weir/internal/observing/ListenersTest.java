package dev.weir.internal.observing;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

import dev.weir.LogCapture;
import dev.weir.PoolConfig;
import dev.weir.RetireReason;
import dev.weir.WeirDataSource;
import dev.weir.internal.engine.LivePool;
import dev.weir.internal.engine.SteppedPool;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.working.Workers;
import dev.weir.spi.PoolListener;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** P10: a listener is told what happens; one that throws harms nobody. */
class ListenersTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Duration TICK = Duration.ofMillis(100);

    private static void lend(SteppedPool stepped, Duration held) throws SQLException {
        try (Connection connection = stepped.acquireHelped()) {
            assertThat(connection.isClosed()).isFalse();
            stepped.ticker.advance(held);
        }
    }

    @Test
    void eachEventIsToldWithItsTime() throws SQLException {
        Notes notes = new Notes();
        try (SteppedPool stepped =
                SteppedPool.of(config -> config.maximumPoolSize(1).addListener(notes))) {
            Connection only = stepped.acquireHelped();
            assertThat(notes.take()).containsExactly("opened", "acquired");
            stepped.ticker.advance(Duration.ofMillis(7));
            only.close();
            assertThat(notes.times.get(0)).isEqualTo(7 * MILLI);
            assertThat(notes.take()).containsExactly("used");
            stepped.pool.evictIdle();
            stepped.pass();
            assertThat(notes.take()).containsExactly("retired EVICTED");
        }
    }

    @Test
    void aLostLoanIsToldAsRetiredAndNotByTheKeeper() throws SQLException {
        Notes notes = new Notes();
        try (SteppedPool stepped = SteppedPool.of(config -> config.maximumPoolSize(1)
                .leakDetectionThreshold(Duration.ofHours(1))
                .addListener(notes))) {
            ConnectionHandle lost = stepped.acquireHelped();
            List<String> ignored = notes.take();
            assertThat(requireNonNull(lost.slot.trace).enqueue()).isTrue(); // as the garbage collector does
            stepped.pool.keeper.turn(stepped.pool.clock.now());
            assertThat(stepped.retired(RetireReason.RECLAIMED)).isEqualTo(1);
            assertThat(notes.events).isEmpty();
            int told = stepped.helpers.runAll();
            assertThat(told).isPositive();
            assertThat(notes.events).containsExactly("retired RECLAIMED");
        }
    }

    @Test
    void anAcquireThatTimesOutIsTold() throws SQLException {
        Notes notes = new Notes();
        try (SteppedPool stepped = SteppedPool.of(config -> config.maximumPoolSize(1)
                        .connectionTimeout(Duration.ofMillis(300))
                        .addListener(notes));
                Connection only = stepped.acquireHelped()) {
            notes.take();
            assertThatThrownBy(stepped::acquire).hasMessageContaining("no connection within");
            assertThat(notes.events).containsExactly("timed out");
            assertThat(notes.times.get(0)).isBetween(300 * MILLI, 310 * MILLI);
            assertThat(notes.threads).containsExactly(Thread.currentThread().getName());
            assertThat(only.isClosed()).isFalse();
        }
    }

    @Test
    void aConnectThatFailsIsToldWithItsKindOnTheThreadThatConnects() {
        Notes notes = new Notes();
        try (LivePool live = LivePool.of(
                new StubDatabase(),
                config -> config.maximumPoolSize(1)
                        .initializationFailTimeout(Duration.ofSeconds(5))
                        .addListener(notes))) {
            live.db.fail(StubDatabase.CONNECT, "28P01");
            assertThatThrownBy(live.pool::start).isInstanceOf(SQLException.class);
            Await.await(() -> notes.events.toString(), LivePool.LIMIT, () -> !notes.events.isEmpty());
            assertThat(notes.events.get(0)).isEqualTo("failed AUTHENTICATION");
            assertThat(notes.threads.get(0)).startsWith("weir-" + live.settings.poolName() + "-worker-");
        }
    }

    /** Its thread was to make the next connect. */
    @Test
    void aListenerThatHangsDoesNotKeepThePoolFromBeingFilled() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        PoolListener hanging = new PoolListener() {
            @Override
            public void opened(long tookNanos) {
                try {
                    over.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        try (LivePool live = LivePool.of(
                new StubDatabase(), config -> config.minimumPoolSize(4).addListener(hanging))) {
            live.pool.start();
            Await.await("four are idle", LivePool.LIMIT, () -> live.pool.stats().idle() == 4);
            over.countDown();
        } finally {
            over.countDown();
        }
    }

    @Test
    void aListenerThatHangsKeepsNoNewsFromAnother() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        PoolListener hanging = new PoolListener() {
            @Override
            public void retired(RetireReason reason, long ageNanos) {
                try {
                    over.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        Notes notes = new Notes();
        try (LivePool live = LivePool.started(
                config -> config.maximumPoolSize(2).addListener(hanging).addListener(notes))) {
            live.warm(2);
            live.pool.evictAll();
            Await.await(
                    () -> notes.events.toString(),
                    LivePool.LIMIT,
                    () -> notes.events.stream()
                                    .filter("retired EVICTED"::equals)
                                    .count()
                            == 2);
            over.countDown();
        } finally {
            over.countDown();
        }
    }

    @Test
    void eachAcquireAndEachLoanIsTold() throws SQLException {
        Notes notes = new Notes();
        try (SteppedPool stepped = SteppedPool.of(
                config -> config.maximumPoolSize(1).connectionTimeout(TICK).addListener(notes))) {
            stepped.acquireHelped().close();
            notes.take();
            for (int i = 0; i < 100; i++) {
                lend(stepped, Duration.ofNanos(300));
                assertThat(notes.times).containsExactly(0L, 300L);
                assertThat(notes.take()).containsExactly("acquired", "used");
            }
            try (Connection held = stepped.acquire()) {
                assertThatThrownBy(stepped::acquire).hasMessageContaining("no connection within");
                assertThat(held.isClosed()).isFalse();
            }
            assertThat(notes.take()).containsExactly("acquired", "timed out", "used");
        }
    }

    @Test
    void whoeverLooksWhileAnAcquireIsToldSeesItsThreadAsTheHolder() throws Exception {
        AtomicReference<LivePool> pool = new AtomicReference<>();
        List<String> holders = new CopyOnWriteArrayList<>();
        PoolListener looks = new PoolListener() {
            @Override
            public void acquired(long waitedNanos) {
                if (pool.get() != null) {
                    pool.get().pool.held().forEach(held -> holders.add(held.thread()));
                }
            }
        };
        try (LivePool live =
                LivePool.started(config -> config.maximumPoolSize(1).addListener(looks))) {
            live.pool.acquire().close();
            pool.set(live);
            live.acquireOn("another").get(20, TimeUnit.SECONDS).close();
            assertThat(holders).containsExactly("another");
        }
    }

    @Test
    void anAcquireThatWaitsIsToldOnceWithItsWait() throws Exception {
        Notes notes = new Notes();
        try (LivePool live =
                LivePool.started(config -> config.maximumPoolSize(1).addListener(notes))) {
            Connection held = live.pool.acquire();
            CompletableFuture<Connection> waiter = live.acquireOn("waiter");
            live.awaitWaiting(1);
            notes.take();
            held.close();
            waiter.get(20, TimeUnit.SECONDS).close();
            assertThat(notes.events.stream().filter("acquired"::equals)).hasSize(1);
            assertThat(notes.times.get(notes.events.indexOf("acquired"))).isPositive();
        }
    }

    @Test
    void aLeakIsToldOnceWithTheTimeItWasHeld() throws SQLException {
        Notes notes = new Notes();
        try (LogCapture log = new LogCapture();
                SteppedPool stepped = SteppedPool.of(config -> config.maximumPoolSize(1)
                        .leakDetectionThreshold(Duration.ofSeconds(2))
                        .addListener(notes));
                Connection held = stepped.acquireHelped()) {
            notes.take();
            stepped.run(Duration.ofSeconds(5));
            assertThat(log.warnings()).anyMatch(message -> message.contains("leak?"));
            assertThat(notes.times).hasSize(1);
            assertThat(notes.times.get(0)).isBetween(2_000 * MILLI, 3_100 * MILLI);
            assertThat(notes.take()).containsExactly("leaked");
            assertThat(held.isClosed()).isFalse();
        }
    }

    @Test
    void noLoanIsTimedWhileNobodyListens() throws SQLException {
        Notes notes = new Notes();
        try (SteppedPool stepped =
                SteppedPool.of(config -> config.maximumPoolSize(1).validateAfterIdle(Duration.ofHours(1)))) {
            stepped.acquireHelped().close();
            for (int i = 0; i < 5; i++) {
                stepped.run(TICK);
                ConnectionHandle handle = stepped.acquire(); // without a wait
                assertThat(handle.slot.acquiredNanos).isNotPositive();
                handle.close();
            }
            stepped.pool.listeners.add(notes);
            stepped.run(TICK);
            lend(stepped, Duration.ofMillis(1));
            assertThat(notes.take()).containsExactly("acquired", "used");
            stepped.pool.listeners.remove(notes);
            stepped.run(TICK);
            lend(stepped, Duration.ofMillis(1));
            assertThat(notes.events).isEmpty();
        }
    }

    @Test
    void theConnectionIsFreeForOthersBeforeItsUseIsTold() throws SQLException {
        CompletableFuture<Boolean> lentAgain = new CompletableFuture<>();
        AtomicReference<LivePool> pool = new AtomicReference<>();
        PoolListener lender = new PoolListener() {
            @Override
            public void used(long usedNanos) {
                if (pool.get() != null && !lentAgain.isDone()) {
                    CompletableFuture<Connection> other =
                            pool.get().acquireOn("other").orTimeout(10, TimeUnit.SECONDS);
                    lentAgain.complete(assertDoesNotThrow(() -> {
                        other.join().close();
                        return true;
                    }));
                }
            }
        };
        try (LivePool live =
                LivePool.started(config -> config.maximumPoolSize(1).addListener(lender))) {
            CompletableFuture<Connection> waiter;
            try (Connection only = live.pool.acquire()) {
                assertThat(only.isClosed()).isFalse();
                waiter = live.acquireOn("waiter"); // a loan that waited is timed whatever the clock says
                live.awaitWaiting(1);
            }
            pool.set(live); // from here: the loan before may be told too, while the waiter has the connection
            waiter.join().close();
            Await.await(() -> live.pool.stats().toString(), LivePool.LIMIT, lentAgain::isDone);
            assertThat(lentAgain).isCompletedWithValue(true);
        }
    }

    @Test
    void aListenerThatThrowsIsLoggedOnceAndTheOthersAreToldAllTheSame() throws SQLException {
        Notes notes = new Notes();
        PoolListener bad = new PoolListener() {
            @Override
            public void acquired(long waitedNanos) {
                throw new IllegalStateException("bad");
            }

            @Override
            public void opened(long tookNanos) {
                throw new NoClassDefFoundError("bad");
            }

            @Override
            public void used(long usedNanos) {
                throw new IllegalStateException("bad");
            }

            @Override
            public void retired(RetireReason reason, long ageNanos) {
                throw new IllegalStateException("bad");
            }
        };
        try (SteppedPool stepped = SteppedPool.of(
                config -> config.maximumPoolSize(1).addListener(bad).addListener(notes))) {
            Connection only = stepped.acquireHelped();
            only.close();
            stepped.pool.evictIdle();
            stepped.pass();
            assertThat(notes.take()).containsExactly("opened", "acquired", "used", "retired EVICTED");
            assertThat(stepped.total()).isZero();
            assertThat(stepped.db.openNow()).isZero();
            assertThat(stepped.log.warnings())
                    .singleElement()
                    .asString()
                    .contains("a listener", bad.getClass().getName());
        }
    }

    @Test
    void listenersComeAndGoBeforeTheStartAndWhileThePoolRuns() throws SQLException {
        Notes configured = new Notes();
        Notes added = new Notes();
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(db.dataSource())
                        .maximumPoolSize(1)
                        .addListener(configured)
                        .build())) {
            pool.addListener(added);
            pool.addListener(added);
            assertThat(pool.getListeners()).containsExactly(configured, added);
            pool.start();
            Await.await(() -> added.events.toString(), LivePool.LIMIT, () -> added.events.size() == 1);
            assertThat(added.take()).containsExactly("opened");
            assertThat(configured.take()).containsExactly("opened");
            pool.removeListener(added);
            pool.evictIdle();
            Await.await("told", LivePool.LIMIT, () -> configured.events.contains("retired EVICTED"));
            pool.setListeners(List.of());
            configured.take();
            pool.evictAll();
            pool.getConnection().close();
            assertThat(added.events).isEmpty();
            assertThat(configured.events).isEmpty();
        }
    }

    @Test
    void theCloseIsToldOnceAndLast() throws SQLException {
        Notes notes = new Notes();
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(db.dataSource())
                        .maximumPoolSize(1)
                        .addListener(notes)
                        .build())) {
            pool.getConnection().close();
            // By the thread that opened it, which may be later than its user.
            Await.await(() -> notes.events.toString(), LivePool.LIMIT, () -> notes.events.contains("opened"));
            pool.close();
            pool.close();
            assertThat(notes.take()).endsWith("retired CLOSED", "closed").containsOnlyOnce("closed");
        }
        WeirDataSource neverStarted = new WeirDataSource();
        neverStarted.addListener(notes);
        neverStarted.close();
        assertThat(notes.take()).containsExactly("closed");
    }

    @Test
    void closedIsToldLastAlsoWhereAListenerClosesThePoolAmidTheNews() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        Listeners listeners = new Listeners(List.of(new PoolListener() {
            @Override
            public void retired(RetireReason reason, long ageNanos) {
                told.add("retired");
            }

            @Override
            public void closed() {
                told.add("closed");
            }
        }));
        Workers workers = new Workers("news", null);
        CountDownLatch all = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        listeners.later(workers, "news", listener -> {
            try {
                all.await();
            } catch (InterruptedException e) {
                told.add("interrupted");
            }
            listeners.closed("news");
            done.countDown();
        });
        listeners.later(workers, "news", listener -> listener.retired(RetireReason.CLOSED, 1));
        listeners.later(workers, "news", listener -> listener.retired(RetireReason.CLOSED, 1));
        all.countDown();
        workers.shutDown();
        assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(told).containsExactly("retired", "retired", "closed");
    }
}
