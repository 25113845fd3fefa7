package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weir.LogCapture;
import dev.weir.PoolConfig;
import dev.weir.RetireReason;
import dev.weir.WeirDataSource;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.slots.Waiter;
import dev.weir.spi.FailureClass;
import dev.weir.testkit.Await;
import dev.weir.testkit.Fault;
import dev.weir.testkit.StubDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** P6: the number of connects, their time, and the fate of those that fail, hang or come too late. */
@Timeout(60)
class OpeningTest {
    private static final int SURGE = 8; // acquireSurge's default

    private static final Duration GRAIN = Duration.ofMillis(5);

    /** So long the first connect of all goes alone. */
    private static final Duration HEAD_START = Duration.ofMillis(50);

    private static void keeperPass(SteppedPool stepped) {
        stepped.pool.keeper.turn(stepped.pool.clock.now());
    }

    private static Waiter join(SteppedPool stepped) {
        Waiter waiter = new Waiter(Thread.currentThread(), stepped.pool.clock.now(), Long.MAX_VALUE);
        assertThat(stepped.pool.queue.join(waiter, 0)).isTrue();
        return waiter;
    }

    // --------------------------------------------------------- how many

    @Test
    void p6NoMoreConnectsThanAcquireIncrementAreUnderWay() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(10).maximumPoolSize(20).acquireIncrement(3))) {
            keeperPass(stepped);
            assertThat(stepped.pool.stats().opening()).isEqualTo(1); // the first goes alone
            stepped.ticker.advance(HEAD_START);
            for (int i = 0; i < 5; i++) {
                keeperPass(stepped);
                assertThat(stepped.pool.stats().opening()).isEqualTo(3);
                assertThat(stepped.helpers.pending()).isEqualTo(3);
            }
            stepped.helpers.run(1);
            keeperPass(stepped); // the next takes its turn
            assertThat(stepped.total()).isEqualTo(1);
            assertThat(stepped.pool.stats().opening()).isEqualTo(3);
            assertThat(stepped.helpers.pending()).isEqualTo(3);
            stepped.run(Duration.ofMillis(1));
            assertThat(stepped.total()).isEqualTo(10);
            assertThat(stepped.db.opened()).isEqualTo(10);
        }
    }

    @Test
    void liveOpeningAndClosingTogetherNeverExceedTheMaximum() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(4).maximumPoolSize(4).acquireIncrement(50))) {
            stepped.run(Duration.ofMillis(1));
            assertThat(stepped.total()).isEqualTo(4);
            stepped.pool.evictIdle(); // the closes are under way
            keeperPass(stepped);
            assertThat(stepped.total()).isZero();
            assertThat(stepped.pool.stats().opening()).isZero();
            stepped.helpers.run(0);
            keeperPass(stepped);
            assertThat(stepped.pool.stats().opening()).isEqualTo(1);
            stepped.run(Duration.ofMillis(1));
            assertThat(stepped.total()).isEqualTo(4);
            assertThat(stepped.db.maxOpenAtOnce()).isEqualTo(4);
        }
    }

    /** Each burst has a pool of its own: bursts that follow one another without a pause are a load that stands. */
    @Test
    void p6ABurstOfShortRequestsOpensNothing() throws Exception {
        int counted = 0;
        long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (counted < 5 && System.nanoTime() - end < 0) {
            StubDatabase db = new StubDatabase();
            db.delay(StubDatabase.CONNECT, Duration.ofMillis(150));
            try (LivePool live = LivePool.of(db, b -> b.minimumPoolSize(5).acquireIncrement(5))) {
                live.pool.start();
                Await.await(
                        "five are idle", LivePool.LIMIT, () -> live.pool.stats().idle() >= 5);
                Duration took = burst(live, 50, Duration.ofMillis(2));
                // 20 ms of work. On a machine that takes half as long again the holds are such that it is right to
                // open.
                if (took.toMillis() < 30) {
                    counted++;
                    assertThat(live.pool.stats().opening())
                            .as("after a burst of %s", took)
                            .isZero();
                    assertThat(db.opened()).as("after a burst of %s", took).isEqualTo(5);
                }
            }
        }
        assumeThat(counted).as("bursts that this machine served in time").isPositive();
    }

    @Test
    void p6ABurstOfLongRequestsOpensMore() throws Exception {
        StubDatabase db = new StubDatabase();
        db.delay(StubDatabase.CONNECT, Duration.ofMillis(20));
        try (LivePool live = LivePool.of(db, b -> b.minimumPoolSize(2).acquireIncrement(5))) {
            live.pool.start();
            Await.await("two are idle", LivePool.LIMIT, () -> live.pool.stats().idle() >= 2);
            burst(live, 20, Duration.ofMillis(200));
            assertThat(db.opened()).isBetween(8, 22);
        }
    }

    private static List<ConnectionHandle> lent(SteppedPool stepped) throws SQLException {
        List<ConnectionHandle> lent = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            lent.add(stepped.acquireHelped());
        }
        return lent;
    }

    /** A waiter more, and now and then a loan that ends; connects do not get to run. */
    private static void oneMoreWaits(SteppedPool stepped, List<ConnectionHandle> lent, int millis) {
        join(stepped);
        if (millis % 18 == 0 && !lent.isEmpty()) {
            lent.remove(0).close();
        }
        stepped.ticker.advance(Duration.ofMillis(1));
        keeperPass(stepped);
    }

    /** A waiter more each millisecond, and now and then a loan that ends; returns the most connects under way at a time. */
    private static int whileAQueueGrows(boolean lostOne) throws SQLException {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(5).maximumPoolSize(100).acquireIncrement(5))) {
            stepped.run(Duration.ofSeconds(1));
            List<ConnectionHandle> lent = lent(stepped);
            stepped.pool.clock.suspect(lostOne ? stepped.pool.clock.now() : 0);
            int most = 0;
            for (int millis = 1; millis < 95; millis++) {
                oneMoreWaits(stepped, lent, millis);
                most = Math.max(most, stepped.pool.stats().opening());
            }
            return most;
        }
    }

    @Test
    void p6WhileAQueueGrowsMoreConnectsThanAcquireIncrementAreUnderWay() throws SQLException {
        assertThat(whileAQueueGrows(false)).isBetween(6, 5 * SURGE);
    }

    @Test
    void aLoweredAcquireSurgeTakesEffectWhileAQueueGrows() throws SQLException {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(5).maximumPoolSize(100).acquireIncrement(5))) {
            stepped.run(Duration.ofSeconds(1));
            List<ConnectionHandle> lent = lent(stepped);
            int lowered = 0;
            for (int millis = 1; millis < 200; millis++) {
                oneMoreWaits(stepped, lent, millis);
                int opening = stepped.pool.stats().opening();
                if (lowered == 0 && opening > 5) {
                    stepped.settings.change(Setting.ACQUIRE_SURGE, 1);
                    lowered = opening;
                }
                assertThat(opening).isLessThanOrEqualTo(lowered == 0 ? 5 * SURGE : lowered);
            }
            assertThat(lowered).as("it grew before").isPositive();
        }
    }

    @Test
    void p6NotSoAfterAConnectionDied() throws SQLException {
        assertThat(whileAQueueGrows(true)).isBetween(1, 5);
    }

    @Test
    void aMaximumThatIsLoweredWhileAConnectEndsHolds() {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(2).maximumPoolSize(2))) {
            stepped.beginToFill();
            stepped.helpers.runAll(); // two are live now, and the Keeper has not seen them
            assertThat(stepped.pool.slots.live()).isEqualTo(2);
            stepped.settings.change(Setting.MINIMUM_POOL_SIZE, 1);
            stepped.settings.change(Setting.MAXIMUM_POOL_SIZE, 1); // its thread had looked at the slots before
            stepped.run(Duration.ofMillis(10));
            assertThat(stepped.pool.slots.live()).isEqualTo(1);
        }
    }

    @Test
    void noConnectPassesAMaximumThatWasLowered() {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(1).maximumPoolSize(1))) {
            stepped.run(Duration.ofSeconds(1));
            Slot[] all = stepped.pool.slots.all();
            assertThat(stepped.pool.slots.connected(all[0], 1)).isFalse();
            assertThat(stepped.pool.slots.live()).isEqualTo(1);
        }
    }

    @Test
    void aConnectionThatNobodyWantsAnyMoreKeepsItsPlaceUntilItIsClosed() throws Exception {
        try (LivePool live = LivePool.started(b -> b.minimumPoolSize(1).maximumPoolSize(2))) {
            Fault connect = live.db.hangNext(StubDatabase.CONNECT, 1);
            Connection first = live.pool.acquire();
            CompletableFuture<Connection> second = live.acquireOn("second");
            connect.awaitWaiting(1, LivePool.LIMIT);
            live.settings.change(Setting.MAXIMUM_POOL_SIZE, 1);
            live.pool.settingsChanged();

            Fault close = live.db.hangNext("Connection.close", 1);
            connect.release();
            close.awaitWaiting(1, LivePool.LIMIT);
            assertThat(live.pool.physical())
                    .isGreaterThanOrEqualTo(2); // counted twice until the Keeper ends the connect
            Await.await(
                    "its connect has ended",
                    LivePool.LIMIT,
                    () -> live.pool.stats().opening() == 0);
            assertThat(live.pool.physical()).isEqualTo(2);
            close.release();
            Await.await("the second is closed", LivePool.LIMIT, () -> live.pool.physical() == 1);

            first.close();
            second.get(20, TimeUnit.SECONDS).close();
        }
    }

    /** So many requests at once, each holding a connection this long; returns how long it took all of them. */
    private static Duration burst(LivePool live, int requests, Duration hold) throws Exception {
        CountDownLatch ready = new CountDownLatch(requests);
        CountDownLatch go = new CountDownLatch(1);
        List<CompletableFuture<Integer>> users = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            users.add(LivePool.on("burst " + i, () -> {
                ready.countDown();
                go.await();
                try (Connection c = live.pool.acquire()) {
                    long end = System.nanoTime() + hold.toNanos();
                    for (long left = hold.toNanos(); left > 0; left = end - System.nanoTime()) {
                        LockSupport.parkNanos(left); // the work that is done with it
                    }
                    return c.getHoldability();
                }
            }));
        }
        ready.await();
        long start = System.nanoTime();
        go.countDown();
        for (CompletableFuture<Integer> user : users) {
            user.get(30, TimeUnit.SECONDS);
        }
        return Duration.ofNanos(System.nanoTime() - start);
    }

    // ------------------------------------------------------------ hangs

    @Test
    void aHungConnectIsAbandonedAtConnectTimeoutReplacedAndItsLateSuccessClosed() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(1).maximumPoolSize(1).connectTimeout(Duration.ofSeconds(30)))) {
            keeperPass(stepped);
            assertThat(stepped.helpers.pending()).isEqualTo(1); // the one that hangs
            stepped.ticker.advance(Duration.ofMillis(29_999));
            keeperPass(stepped);
            assertThat(stepped.pool.stats().openFailed()).isZero();
            stepped.ticker.advance(Duration.ofMillis(1));
            keeperPass(stepped);
            assertThat(stepped.pool.stats().openFailed()).isEqualTo(1);
            assertThat(stepped.pool.stats().lastOpenFailure()).contains("did not end within 30000 ms");
            assertThat(stepped.pool.stats().opening()).isZero();
            stepped.ticker.advance(Duration.ofMillis(750));
            keeperPass(stepped);
            assertThat(stepped.helpers.pending()).isEqualTo(2);
            stepped.helpers.run(1); // its replacement
            assertThat(stepped.total()).isEqualTo(1);
            stepped.helpers.runAll();
            assertThat(stepped.total()).isEqualTo(1);
            assertThat(stepped.db.openNow()).isEqualTo(1);
            assertThat(stepped.pool.stats().opened()).isEqualTo(1);
        }
    }

    @Test
    void connectsThatNeverEndDoNotKeepThePoolFromTryingAgain() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(2).maximumPoolSize(2).connectTimeout(Duration.ofSeconds(30)))) {
            for (int second = 0; second < 900; second++) { // each connect that is started hangs
                keeperPass(stepped);
                stepped.ticker.advance(Duration.ofSeconds(1));
            }
            boolean recovered = false;
            for (int second = 0; second < 120 && !recovered; second++) {
                keeperPass(stepped);
                if (stepped.pool.stats().opening() > 0) {
                    stepped.helpers.run(stepped.helpers.pending() - 1);
                    recovered = stepped.total() > 0;
                }
                stepped.ticker.advance(Duration.ofSeconds(1));
            }
            assertThat(recovered)
                    .as("a connect of its own once the database answers again")
                    .isTrue();
        }
    }

    // --------------------------------------------------------- failures

    static Stream<Supplier<Throwable>> failures() {
        return Stream.of(
                () -> new SQLException("refused", "08001"),
                () -> new SQLException("too many", "53300"),
                () -> new IllegalStateException("a driver's bug"),
                () -> new NoClassDefFoundError("a driver half loaded"),
                StackOverflowError::new);
    }

    @Test
    void afterALossOneMoreAtATimeForEachConnectThatSucceeded() {
        try (SteppedPool stepped = SteppedPool.of(b -> b.maximumPoolSize(30))) {
            assertThat(opens(stepped)).isEqualTo(5);
            stepped.ticker.advance(Duration.ofMillis(1));
            stepped.pool.clock.suspect(stepped.pool.clock.now());
            assertThat(List.of(opens(stepped), opens(stepped), opens(stepped), opens(stepped)))
                    .containsExactly(1, 2, 4, 5);
            stepped.ticker.advance(Duration.ofMillis(1));
            stepped.pool.clock.suspect(stepped.pool.clock.now());
            assertThat(opens(stepped)).isEqualTo(1);
        }
    }

    @Test
    void soAfterAFailure() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.maximumPoolSize(20).acquireRetryDelay(Duration.ofMillis(100)))) {
            stepped.db.fail(StubDatabase.CONNECT, "08001");
            assertThat(opens(stepped)).isEqualTo(5);
            stepped.db.heal();
            stepped.ticker.advance(Duration.ofSeconds(1)); // the pause is over
            assertThat(List.of(opens(stepped), opens(stepped), opens(stepped), opens(stepped)))
                    .containsExactly(1, 2, 4, 5);
        }
    }

    @Test
    void butNotForLongAndNotWhileTheOldestIsSlow() {
        try (SteppedPool stepped = SteppedPool.of(b -> b.maximumPoolSize(20))) {
            stepped.ticker.advance(Duration.ofMillis(1));
            stepped.pool.clock.suspect(stepped.pool.clock.now());
            assertThat(reserves(stepped)).isEqualTo(1);
            stepped.ticker.advance(HEAD_START.minusNanos(1));
            assertThat(reserves(stepped)).isZero();
            stepped.ticker.advance(Duration.ofNanos(1));
            assertThat(reserves(stepped)).isEqualTo(4);
            stepped.helpers.runAll();
            keeperPass(stepped);
            stepped.pool.clock.suspect(stepped.pool.clock.now());
            stepped.ticker.advance(Duration.ofSeconds(5));
            assertThat(opens(stepped)).isEqualTo(5);
        }
    }

    /** As many as it may for threads that wait; they are opened at once. */
    private static int opens(SteppedPool stepped) {
        int reserved = reserves(stepped);
        stepped.helpers.runAll();
        keeperPass(stepped);
        return reserved;
    }

    private static int reserves(SteppedPool stepped) {
        int most = 5 - stepped.pool.stats().opening();
        return stepped.pool.opening.open(most, null, stepped.pool.clock.now());
    }

    @Test
    void theHeadStartOfTheFirstConnectDelaysNoProbe() {
        try (SteppedPool stepped = SteppedPool.of(
                b -> b.minimumPoolSize(1).acquireRetries(1_000).acquireRetryDelay(Duration.ofMillis(10)))) {
            stepped.db.fail(StubDatabase.CONNECT, "08001");
            stepped.run(HEAD_START.minusMillis(5));
            assertThat(stepped.pool.stats().openFailed()).isGreaterThanOrEqualTo(3);
        }
    }

    @ParameterizedTest
    @MethodSource("failures")
    void noFailureToPrepareCostsAPlaceOrLeavesASession(Supplier<Throwable> failure) {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.maximumPoolSize(1).minimumPoolSize(1).connectionInitSql("SET x"))) {
            stepped.db.failNext("Statement.execute", 3, failure);
            stepped.run(Duration.ofSeconds(10));
            assertThat(stepped.pool.stats().openFailed()).isEqualTo(3);
            assertThat(stepped.total()).isEqualTo(1);
            assertThat(stepped.db.openNow()).isEqualTo(1);
        }
    }

    @Test
    void aClassifierThatThrowsCostsNoPlace() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.maximumPoolSize(1).minimumPoolSize(1).failureClassifier(e -> throwing()))) {
            stepped.db.failNext(StubDatabase.CONNECT, 1, () -> new SQLException("refused", "08001"));
            try {
                stepped.run(Duration.ofMillis(10));
            } catch (IllegalStateException e) {
                assertThat(e).hasMessage("a user's bug");
            }
            stepped.run(Duration.ofSeconds(2));
            assertThat(stepped.pool.stats().opening()).isZero();
            assertThat(stepped.total()).isEqualTo(1);
        }
    }

    private static FailureClass throwing() {
        throw new IllegalStateException("a user's bug");
    }

    // --------------------------------------------------------- back-off

    /** Times between connects, each at least this and at most that, in milliseconds. */
    private static List<Long> gaps(SteppedPool stepped, int count) {
        List<Long> gaps = new ArrayList<>();
        long last = -1;
        long calls = stepped.db.calls(StubDatabase.CONNECT);
        for (int i = 0; gaps.size() < count; i++) {
            assertThat(i).as("no more connects after gaps of %s ms", gaps).isLessThan(60_000);
            stepped.run(GRAIN);
            long now = stepped.db.calls(StubDatabase.CONNECT);
            assertThat(now - calls).as("connects at one time").isLessThanOrEqualTo(1);
            if (now > calls) {
                calls = now;
                long at = TimeUnit.NANOSECONDS.toMillis(stepped.pool.clock.now());
                if (last >= 0) {
                    gaps.add(at - last);
                }
                last = at;
            }
        }
        return gaps;
    }

    private static void assertGaps(List<Long> gaps, long... bounds) {
        for (int i = 0; i < bounds.length; i++) {
            assertThat(gaps.get(i))
                    .as("gap %d of %s", i, gaps)
                    .isBetween(bounds[i] / 2 - GRAIN.toMillis(), bounds[i] + 2 * GRAIN.toMillis());
        }
    }

    @Test
    void p6TheMinimumIsFilledWithBackOff() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(1).acquireRetries(3).acquireRetryDelay(Duration.ofMillis(750)))) {
            stepped.db.fail(StubDatabase.CONNECT, "08001");
            assertGaps(gaps(stepped, 10), 750, 750, 750, 1_500, 3_000, 6_000, 12_000, 24_000, 30_000, 30_000);
        }
    }

    @Test
    void p6AnAuthenticationFailureBacksOffFromTheFirst() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(1).acquireRetryDelay(Duration.ofMillis(750)))) {
            stepped.db.fail(StubDatabase.CONNECT, "28P01");
            assertGaps(gaps(stepped, 7), 750, 1_500, 3_000, 6_000, 12_000, 24_000, 30_000);
        }
    }

    @Test
    void p7WhileSomebodyWaitsTheDatabaseIsProbedOftenOneConnectAtATime() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.acquireIncrement(5).acquireRetryDelay(Duration.ofMillis(800)))) {
            stepped.db.fail(StubDatabase.CONNECT, "08001");
            for (int i = 0; i < 20; i++) {
                join(stepped);
            }
            // The first round is not known to fail: it is as wide as the increment.
            stepped.run(Duration.ofMillis(1));
            assertThat(stepped.db.calls(StubDatabase.CONNECT)).isLessThanOrEqualTo(5);
            List<Long> gaps = gaps(stepped, 20);
            assertThat(gaps)
                    .allSatisfy(gap -> assertThat(gap).isBetween(40L - GRAIN.toMillis(), 80 + 2 * GRAIN.toMillis()));
        }
    }

    /** A pool of at most six at a server with two places, both of which are lent. */
    private static SteppedPool full(List<Connection> held) throws SQLException {
        SteppedPool stepped = SteppedPool.of(b -> b.maximumPoolSize(6).acquireRetryDelay(Duration.ofMillis(800)));
        stepped.db.maxConnections(2);
        held.add(stepped.acquireHelped());
        held.add(stepped.acquireHelped());
        return stepped;
    }

    @Test
    void p6AFullDatabaseIsKnockedAtLessAndLessWhileLiveConnectionsServe() throws SQLException {
        try (SteppedPool stepped = full(new ArrayList<>())) {
            join(stepped);
            assertGaps(gaps(stepped, 9), 80, 160, 320, 640, 800, 800, 800, 800, 800);
        }
    }

    @Test
    void p6AServerThatRefusesWhileLoansGoOnIsKnockedAtLessAndLess() throws SQLException {
        List<Connection> held = new ArrayList<>();
        try (SteppedPool stepped = full(held)) {
            stepped.db.maxConnections(Integer.MAX_VALUE);
            stepped.db.fail(StubDatabase.CONNECT, "08001");
            stepped.change(Setting.MINIMUM_POOL_SIZE, 6);
            Waiter waiter = join(stepped);
            long calls = stepped.db.calls(StubDatabase.CONNECT);
            for (int i = 0; i < 600; i++) {
                held.remove(0).close();
                stepped.run(Duration.ofMillis(5));
                if (waiter.queued) {
                    held.add(stepped.acquireHelped());
                } else { // it was its turn
                    held.add(ConnectionHandle.lent(waiter.granted()));
                    waiter = join(stepped);
                }
                stepped.run(Duration.ofMillis(5));
            }
            assertThat(stepped.db.calls(StubDatabase.CONNECT) - calls).isBetween(6L, 20L);
        }
    }

    @Test
    void p7WhenTheLiveConnectionsAreGoneAFullDatabaseIsProbedOftenAgain() throws SQLException {
        List<Connection> held = new ArrayList<>();
        try (SteppedPool stepped = full(held)) {
            join(stepped);
            gaps(stepped, 8);
            stepped.db.maxConnections(0);
            stepped.pool.evictAll();
            for (Connection connection : held) {
                connection.close();
            }
            stepped.run(Duration.ofMillis(200));
            assertGaps(gaps(stepped, 5), 80, 80, 80, 80, 80);
        }
    }

    @Test
    void p6WhatMayHelpEndsALongPause() throws SQLException {
        List<Connection> held = new ArrayList<>();
        try (SteppedPool stepped = full(held)) {
            join(stepped);
            gaps(stepped, 8);
            long calls = stepped.db.calls(StubDatabase.CONNECT);
            stepped.change(Setting.MAXIMUM_POOL_SIZE, 7);
            stepped.run(Duration.ofMillis(1));
            assertThat(stepped.db.calls(StubDatabase.CONNECT) - calls)
                    .as("an operator's act")
                    .isEqualTo(1);
            gaps(stepped, 8);
            ConnectionHandle one = (ConnectionHandle) held.remove(0);
            stepped.pool.state.condemn(one.slot, RetireReason.AGE);
            one.close();
            stepped.run(Duration.ofMillis(1));
            assertThat(stepped.db.openNow()).as("a place that a close left").isEqualTo(2);
        }
    }

    static Stream<String> whatMakesAConnectionUseless() {
        return Stream.of("25006", "08006");
    }

    @ParameterizedTest
    @MethodSource("whatMakesAConnectionUseless")
    void p6ConnectionsThatAreOfNoUseAreOpenedLessAndLessUntilOneIs(String sqlState) throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.connectionTimeout(Duration.ofSeconds(20)))) {
            long begun = stepped.pool.clock.now();
            while (stepped.pool.clock.now() - begun < TimeUnit.SECONDS.toNanos(20)) {
                useless(stepped, sqlState);
                stepped.run(Duration.ofMillis(1));
            }
            long opened = stepped.pool.stats().opened();
            assertThat(opened).isBetween(20L, 20 * 1_000 / 375 + 8L);
            try (Connection connection = stepped.acquireHelped();
                    Statement statement = connection.createStatement()) {
                statement.execute("SELECT 1");
            }
            stepped.pool.evictIdle();
            stepped.change(Setting.MINIMUM_POOL_SIZE, 5);
            stepped.run(Duration.ofMillis(1));
            assertThat(stepped.total()).as("the gate is open").isEqualTo(5);
        }
    }

    private static void useless(SteppedPool stepped, String sqlState) throws SQLException {
        Waiter waiter = join(stepped); // and is served when the gate opens
        for (int i = 0; waiter.queued; i++) {
            assertThat(i).as("passes until somebody is served").isLessThan(2_000);
            stepped.run(Duration.ofMillis(1));
        }
        Slot slot = waiter.granted();
        assertThat(slot).isNotNull();
        try (Connection connection = ConnectionHandle.lent(slot);
                Statement statement = connection.createStatement()) {
            statement.execute("FAIL " + sqlState);
        } catch (SQLException expected) {
            assertThat(expected.getSQLState()).isEqualTo(sqlState);
        }
    }

    @Test
    void manyConnectionsThatDieTogetherAreOneFailure() {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(20).keepaliveTime(Duration.ofMinutes(2)))) {
            stepped.run(Duration.ofSeconds(1));
            stepped.db.killAll();
            stepped.run(Duration.ofMinutes(2).minus(Duration.ofMillis(900)));
            assertThat(stepped.retired(RetireReason.INVALID)).isEqualTo(20);
            assertThat(stepped.idle()).isEqualTo(20);
        }
    }

    @Test
    void p7WhoComesCutsALongPauseShort() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(1).acquireRetryDelay(Duration.ofMillis(800)))) {
            try (Fault down = stepped.db.fail(StubDatabase.CONNECT, "08001")) {
                gaps(stepped, 9);
                assertThat(down.hits()).isEqualTo(10);
            }
            Waiter waiter = join(stepped);
            stepped.run(Duration.ofMillis(150));
            assertThat(stepped.total()).isEqualTo(1);
            assertThat(waiter.queued).isFalse();
        }
    }

    @Test
    void p7OneSuccessOpensTheGateForAll() {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(10).acquireIncrement(4))) {
            try (Fault down = stepped.db.fail(StubDatabase.CONNECT, "08001")) {
                stepped.run(Duration.ofSeconds(5));
                assertThat(down.hits()).isPositive();
            }
            for (int i = 0; stepped.total() == 0; i++) {
                assertThat(i).isLessThan(10_000);
                stepped.run(GRAIN);
            }
            assertThat(stepped.total()).isEqualTo(10);
        }
    }

    /** Many pools come back together: what nobody waits for must not be in the way of what somebody waits for. */
    @Test
    void p6AfterAnOutageTheMinimumIsFilledOneConnectAtATime() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(10).maximumPoolSize(20).acquireIncrement(4))) {
            stepped.run(Duration.ofSeconds(1));
            assertThat(stepped.total()).isEqualTo(10);
            try (Fault down = stepped.db.fail(StubDatabase.CONNECT, "08001")) {
                stepped.pool.evictAll();
                stepped.run(Duration.ofSeconds(5));
                assertThat(down.hits()).isPositive();
                assertThat(stepped.total()).isZero();
            }
            for (int i = 0; stepped.total() < 10; i++) {
                assertThat(i).isLessThan(60_000);
                keeperPass(stepped);
                assertThat(stepped.pool.stats().opening()).isLessThanOrEqualTo(1);
                if (stepped.helpers.pending() > 0) {
                    stepped.helpers.run(0);
                } else {
                    stepped.ticker.advance(GRAIN);
                }
            }
        }
    }

    @Test
    void p6APoolThatLostAllConnectionsOpensWhatIsWaitedForFirst() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(10).maximumPoolSize(20).acquireIncrement(4))) {
            loseAll(stepped);
            for (int i = 0; i < 3; i++) {
                join(stepped);
            }
            stepped.pool.resume();
            keeperPass(stepped);
            assertThat(stepped.pool.stats().opening()).isEqualTo(3);
            stepped.run(Duration.ofSeconds(5));
            assertThat(stepped.total()).isEqualTo(10);
        }
    }

    /** Connects that begin together share the processors of both sides, and end together. */
    @Test
    void p7TheFirstConnectAfterALossGoesAloneForAMoment() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(10).maximumPoolSize(20).acquireIncrement(4))) {
            loseAll(stepped);
            stepped.pool.clock.suspect(stepped.pool.clock.now());
            for (int i = 0; i < 3; i++) {
                join(stepped);
            }
            stepped.pool.resume();
            keeperPass(stepped);
            assertThat(stepped.pool.stats().opening()).isEqualTo(1);
            stepped.ticker.advance(Duration.ofMillis(49));
            keeperPass(stepped);
            assertThat(stepped.pool.stats().opening()).isEqualTo(1);
            stepped.ticker.advance(Duration.ofMillis(1));
            keeperPass(stepped);
            assertThat(stepped.pool.stats().opening()).isEqualTo(3);
            stepped.run(Duration.ofSeconds(5));
            assertThat(stepped.total()).isEqualTo(10);
        }
    }

    @Test
    void p6OfSomeConnectionsThatAreLostTheMinimumIsFilledOneConnectAtATime() throws SQLException {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(10).maximumPoolSize(20).acquireIncrement(4))) {
            stepped.run(Duration.ofSeconds(1));
            for (int i = 0; i < 5; i++) {
                stepped.acquireHelped();
            }
            stepped.pool.evictIdle();
            for (int i = 0; stepped.total() < 10; i++) {
                assertThat(i).isLessThan(1_000);
                keeperPass(stepped);
                assertThat(stepped.pool.stats().opening()).isLessThanOrEqualTo(1);
                stepped.helpers.run(0);
            }
            assertThat(stepped.db.opened()).isEqualTo(15);
        }
    }

    @Test
    void p6AMinimumThatIsRaisedIsFilledAsFastAsAtTheStart() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(2).maximumPoolSize(20).acquireIncrement(4))) {
            stepped.run(Duration.ofSeconds(1));
            stepped.settings.change(Setting.MINIMUM_POOL_SIZE, 10);
            stepped.pool.settingsChanged();
            keeperPass(stepped);
            assertThat(stepped.pool.stats().opening()).isEqualTo(4);
        }
    }

    /** As a server behind a balancer may be, of which one part does not answer. */
    @Test
    void p6AConnectThatHangsHoldsUpTheMinimumForASecond() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(10).maximumPoolSize(20).acquireIncrement(4))) {
            loseAll(stepped);
            stepped.pool.resume();
            keeperPass(stepped);
            assertThat(stepped.pool.stats().opening()).isEqualTo(1); // and does not get to run
            stepped.ticker.advance(Duration.ofMillis(900));
            keeperPass(stepped);
            assertThat(stepped.pool.stats().opening()).isEqualTo(1);
            stepped.ticker.advance(Duration.ofMillis(100));
            keeperPass(stepped);
            assertThat(stepped.pool.stats().opening()).isEqualTo(2);
        }
    }

    /** The pool is suspended then. */
    private static void loseAll(SteppedPool stepped) {
        stepped.run(Duration.ofSeconds(1));
        assertThat(stepped.total()).isEqualTo(10);
        stepped.pool.suspend();
        stepped.pool.evictAll();
        stepped.pass();
        assertThat(stepped.total()).isZero();
    }

    @Test
    void theKeeperDoesNotSpinWhileAProbeIsUnderWay() {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(2))) {
            stepped.db.failNext(StubDatabase.CONNECT, 2, () -> new SQLException("refused", "08001"));
            keeperPass(stepped);
            stepped.helpers.runAll();
            stepped.ticker.advance(Duration.ofSeconds(1));
            keeperPass(stepped);
            assertThat(stepped.pool.stats().opening()).isEqualTo(1); // and hangs
            for (int i = 0; i < 10; i++) {
                long now = stepped.pool.clock.now();
                long next = stepped.pool.keeper.turn(now);
                assertThat(next - now).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(1));
                stepped.ticker.advance(Duration.ofNanos(next - now));
            }
        }
    }

    /** Of the driver, or of a new session. */
    @ParameterizedTest
    @ValueSource(strings = {StubDatabase.CONNECT, "Connection.getAutoCommit"})
    void p6AnErrorThatComesWithEveryConnectBacksOffAndIsShown(String where) {
        try (LogCapture log = new LogCapture();
                StubDatabase db = new StubDatabase()) {
            db.fail(where, () -> new NoClassDefFoundError("gone"));
            try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                    .dataSource(db.dataSource())
                    .poolName("erring")
                    .acquireRetryDelay(Duration.ofSeconds(10))
                    .connectionTimeout(Duration.ofMillis(1500))
                    .initializationFailTimeout(Duration.ofMillis(-1))
                    .registerMbeans(false)
                    .build())) {
                assertThatThrownBy(pool::getConnection).hasStackTraceContaining("NoClassDefFoundError: gone");
                assertThat(pool.stats().openFailed()).isBetween(1L, 8L); // half a second apart at least
                assertThat(db.opened()).isLessThan(9);
                Await.await(
                        log::text,
                        LivePool.LIMIT,
                        () -> log.text().contains("could not open a connection (1 in a row"));
                assertThat(log.text()).contains("NoClassDefFoundError: gone");
                Await.await("all are closed", LivePool.LIMIT, () -> db.openNow() == 0);
            }
        }
    }
}
