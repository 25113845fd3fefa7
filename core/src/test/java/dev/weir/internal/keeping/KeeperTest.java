package dev.weir.internal.keeping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Configured;
import dev.weir.PoolConfig;
import dev.weir.RetireReason;
import dev.weir.internal.engine.ConnectionPool;
import dev.weir.internal.engine.LivePool;
import dev.weir.internal.engine.SteppedPool;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.observing.Listeners;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.slots.Inbox;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.working.Workers;
import dev.weir.testkit.Await;
import dev.weir.testkit.ManualTicker;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.StubSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The events that happen by themselves as time goes by. */
@Timeout(60)
class KeeperTest {
    private static final String IS_VALID = "Connection.isValid";

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Holds so many at one time, and gives them back. */
    private static void spike(SteppedPool stepped, int connections, Duration hold) throws SQLException {
        stepped.change(Setting.MINIMUM_POOL_SIZE, connections);
        stepped.run(Duration.ofMillis(1));
        stepped.change(Setting.MINIMUM_POOL_SIZE, 1);
        List<Connection> held = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            held.add(stepped.acquireHelped());
        }
        stepped.run(hold);
        for (Connection handle : held) {
            handle.close();
        }
    }

    // ------------------------------------------------------- maxLifetime

    @Test
    void maxLifetimeNeverEndsAConnectionInUse() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.maximumPoolSize(1).maxLifetime(Duration.ofMinutes(30)))) {
            Connection held = stepped.acquireHelped();
            StubSession session = stepped.session(held);
            stepped.run(Duration.ofMinutes(90));
            assertThat(session.isOpen()).isTrue();
            execute(held, "SELECT");
            held.close();
            stepped.run(seconds(1));
            assertThat(session.isClosed()).isTrue();
            assertThat(stepped.retired(RetireReason.AGE)).isEqualTo(1);
        }
    }

    @Test
    void maxLifetimeIsKeptWithJitterSoThatNotAllGoAtOnce() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(20).maximumPoolSize(60).maxLifetime(Duration.ofMinutes(30)))) {
            stepped.run(seconds(1));
            List<StubSession> first = stepped.db.openSessions();
            stepped.run(Duration.ofMinutes(27));
            assertThat(stepped.db.openSessions()).containsExactlyElementsOf(first);
            int steps = 0;
            int before = 20;
            for (int i = 0; i < 185; i++) {
                stepped.run(seconds(1));
                int left = (int) first.stream().filter(StubSession::isOpen).count();
                steps += left < before ? 1 : 0;
                before = left;
            }
            assertThat(first).allMatch(StubSession::isClosed);
            assertThat(steps).as("moments at which some went").isGreaterThan(5);
            assertThat(stepped.total()).isEqualTo(20);
            assertThat(stepped.retired(RetireReason.AGE)).isEqualTo(20);
        }
    }

    @Test
    void theReplacementIsOpenedBeforeTheOldConnectionIsRetired() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(3).maximumPoolSize(10).maxLifetime(Duration.ofMinutes(30)))) {
            stepped.run(seconds(1));
            List<StubSession> first = stepped.db.openSessions();
            for (int pass = 0; pass < 31 * 60; pass++) {
                stepped.pool.keeper.turn(stepped.pool.clock.now());
                while (stepped.helpers.pending() > 0) {
                    stepped.helpers.run(0);
                    assertThat(stepped.total()).isGreaterThanOrEqualTo(3);
                }
                stepped.ticker.advance(seconds(1));
            }
            assertThat(first).allMatch(StubSession::isClosed);
            assertThat(stepped.total()).isEqualTo(3);
            assertThat(stepped.db.opened()).isEqualTo(6);
        }
    }

    @Test
    void aFullPoolReplacesWithoutGoingAboveItsMaximum() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(3).maximumPoolSize(3).maxLifetime(Duration.ofMinutes(30)))) {
            stepped.run(seconds(1));
            List<StubSession> first = stepped.db.openSessions();
            stepped.run(Duration.ofMinutes(30));
            assertThat(first).allMatch(StubSession::isClosed);
            assertThat(stepped.total()).isEqualTo(3);
            assertThat(stepped.db.maxOpenAtOnce()).isEqualTo(3);
        }
    }

    // -------------------------------------------------------- idleTimeout

    @Test
    void idleTimeoutEndsASurplusNeverEarlierAndAtMostThirtySecondsLater() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(1).idleTimeout(Duration.ofMinutes(5)))) {
            spike(stepped, 8, seconds(2));
            stepped.run(Duration.ofMinutes(5).minus(seconds(1)));
            assertThat(stepped.total()).isEqualTo(8);
            stepped.run(seconds(31));
            assertThat(stepped.total()).isEqualTo(1);
            assertThat(stepped.retired(RetireReason.SURPLUS)).isEqualTo(7);
        }
    }

    @Test
    void aSurplusGoesThoughAConnectHangs() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(
                b -> b.minimumPoolSize(1).idleTimeout(Duration.ofMinutes(5)).connectTimeout(Duration.ofHours(1)))) {
            spike(stepped, 8, seconds(2));
            stepped.change(Setting.MINIMUM_POOL_SIZE, 9);
            stepped.change(Setting.MINIMUM_POOL_SIZE, 1);
            assertThat(stepped.helpers.pending()).as("connects under way").isEqualTo(1);
            for (int i = 0; i < 6 * 60; i++) {
                stepped.pool.keeper.turn(stepped.pool.clock.now());
                stepped.ticker.advance(seconds(1));
            }
            assertThat(stepped.retired(RetireReason.SURPLUS)).isEqualTo(7);
        }
    }

    @Test
    void aPoolThatGrewShrinksAlthoughAllItsConnectionsAreUsedInTurn() throws Exception {
        try (SteppedPool stepped = SteppedPool.of(b ->
                b.minimumPoolSize(1).idleTimeout(Duration.ofMinutes(2)).validateAfterIdle(Duration.ofMinutes(10)))) {
            spike(stepped, 6, seconds(2));
            stepped.run(seconds(1));
            List<Long> used = new ArrayList<>();
            for (int i = 0; i < 75; i++) { // each on a thread of its own, so that each starts its scan elsewhere
                used.add(LivePool.on("user " + i, () -> {
                            try (ConnectionHandle c = stepped.pool.acquire()) {
                                c.getCatalog();
                                return c.slot.id;
                            }
                        })
                        .get(10, TimeUnit.SECONDS));
                stepped.run(seconds(2));
            }
            assertThat(used.subList(0, 50).stream().distinct().count()).isGreaterThan(3);
            assertThat(stepped.total()).isEqualTo(1);
        }
    }

    @Test
    void whatIsUsedAtOnceNowAndThenIsKept() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(1).idleTimeout(Duration.ofMinutes(5)))) {
            for (int i = 0; i < 6; i++) {
                spike(stepped, 8, seconds(1));
                stepped.run(Duration.ofMinutes(4));
                assertThat(stepped.total()).isEqualTo(8);
            }
            assertThat(stepped.db.opened()).isEqualTo(8);
        }
    }

    @Test
    void idleTimeoutZeroKeepsTheSurplus() throws SQLException {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.idleTimeout(Duration.ZERO).maxLifetime(Duration.ZERO))) {
            spike(stepped, 8, seconds(1));
            stepped.run(Duration.ofHours(5));
            assertThat(stepped.total()).isEqualTo(8);
        }
    }

    /** So many connections, opened one after the other at random times within a lifetime; the minimum is what it was before. */
    private static void spreadAges(SteppedPool stepped, int connections, Duration lifetime, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int minimum = stepped.settings.minimumPoolSize();
        for (int i = minimum + 1; i <= connections; i++) {
            stepped.change(Setting.MINIMUM_POOL_SIZE, i);
            stepped.run(Duration.ofNanos(random.nextLong(2 * lifetime.toNanos() / connections)));
        }
        assertThat(stepped.total()).isEqualTo(connections);
        stepped.change(Setting.MINIMUM_POOL_SIZE, minimum);
    }

    static Stream<Arguments> agesAndTimes() {
        return Stream.of(1L, 2L, 3L)
                .flatMap(seed -> Stream.of(
                        Arguments.of(seed, 10, 1, seconds(3), seconds(10)),
                        Arguments.of(seed, 60, 10, Duration.ofMinutes(10), Duration.ofMinutes(30)),
                        Arguments.of(seed, 12, 2, Duration.ofMinutes(10), Duration.ofMinutes(4))));
    }

    @ParameterizedTest
    @MethodSource("agesAndTimes")
    void surplusGoesHoweverAgesAreSpread(long seed, int size, int minimum, Duration idleTimeout, Duration maxLifetime) {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(minimum)
                .maximumPoolSize(60)
                .idleTimeout(idleTimeout)
                .maxLifetime(maxLifetime))) {
            stepped.run(seconds(1));
            spreadAges(stepped, size, maxLifetime, seed);
            stepped.run(idleTimeout.plus(seconds(30)));
            assertThat(stepped.total()).isEqualTo(minimum);
            int opened = stepped.db.opened();
            stepped.run(maxLifetime.multipliedBy(3));
            assertThat(stepped.total()).isEqualTo(minimum);
            assertThat(stepped.db.opened() - opened)
                    .as("replaced in three lifetimes, each a little shorter than maxLifetime")
                    .isBetween(3 * minimum, 4 * minimum);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void whatIsNeededNowAndThenIsReplacedWithoutADip(long seed) throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(1)
                .maximumPoolSize(20)
                .idleTimeout(seconds(3))
                .maxLifetime(seconds(10))
                .validateAfterIdle(Duration.ofHours(1)))) {
            stepped.run(seconds(1));
            spreadAges(stepped, 10, seconds(10), seed);
            for (int second = 0; second < 60; second++) {
                List<Connection> held = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    held.add(stepped.acquireHelped());
                }
                stepped.run(Duration.ofMillis(300));
                for (Connection handle : held) {
                    handle.close();
                }
                for (int step = 0; step < 14; step++) {
                    assertThat(stepped.total()).isBetween(10, 20);
                    stepped.run(Duration.ofMillis(50));
                }
            }
            assertThat(stepped.retired(RetireReason.AGE)).isBetween(55L, 85L);
            assertThat(stepped.retired(RetireReason.SURPLUS)).isZero();
            assertThat(stepped.pool.stats().opened())
                    .as("each for one that went, and one a place")
                    .isLessThan(100);
        }
    }

    @Test
    void aReplacementThatFailsIsTriedAgain() {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(1)
                .maximumPoolSize(20)
                .idleTimeout(Duration.ofHours(1))
                .maxLifetime(Duration.ofMinutes(30)))) {
            stepped.run(seconds(1));
            spreadAges(stepped, 5, Duration.ofMinutes(1), 1);
            stepped.db.failNext(StubDatabase.CONNECT, 3, () -> new SQLException("refused", "08001"));
            for (int second = 0; second < 45 * 60; second++) {
                stepped.run(seconds(1));
                assertThat(stepped.total()).isGreaterThanOrEqualTo(5);
            }
            assertThat(stepped.retired(RetireReason.AGE)).isEqualTo(5);
        }
    }

    // ------------------------------------------------------------- minimum

    @Test
    void theMinimumIsFilledUpAgainAtOnce() {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(4))) {
            stepped.run(Duration.ofMillis(1));
            assertThat(stepped.total()).isEqualTo(4);
            stepped.run(Duration.ofMinutes(5));
            stepped.pool.evictAll();
            stepped.run(Duration.ofMillis(1));
            assertThat(stepped.idle()).isEqualTo(4);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 0}) // ticks come each 100 and 10 ms
    void minimumIdleFollowsWhatIsInUseButNotAShortSpike(int validateAfterIdle) throws SQLException {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumIdle(2).validateAfterIdle(Duration.ofMillis(validateAfterIdle)))) {
            stepped.run(seconds(3));
            assertThat(stepped.total()).isEqualTo(2);
            Connection one = stepped.acquireHelped();
            Connection two = stepped.acquireHelped();
            stepped.run(Duration.ofMillis(500));
            one.close();
            two.close();
            stepped.run(seconds(5));
            assertThat(stepped.db.opened()).as("after a short spike").isEqualTo(2);
            one = stepped.acquireHelped();
            two = stepped.acquireHelped();
            stepped.run(seconds(5));
            assertThat(stepped.idle()).isEqualTo(2);
            assertThat(stepped.total()).isEqualTo(4);
            one.close();
            two.close();
        }
    }

    /** The pool comes to rest a second after the last acquire: a Keeper that had few ticks until then would not look for ten. */
    @Test
    void minimumIdleIsThereASecondAfterTheAcquiresThoughTheKeeperIsLate() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumIdle(2))) {
            stepped.run(seconds(3));
            Connection one = stepped.acquireHelped();
            Connection two = stepped.acquireHelped();
            for (int i = 0; i < 4; i++) {
                stepped.ticker.advance(Duration.ofMillis(350));
                stepped.pass();
            }
            assertThat(stepped.idle()).isEqualTo(2);
            one.close();
            two.close();
        }
    }

    @Test
    void minimumIdleOfMoreThanTheMaximumFillsThePool() {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumIdle(9).maximumPoolSize(4))) {
            stepped.run(seconds(3));
            assertThat(stepped.total()).isEqualTo(4);
            stepped.run(Duration.ofHours(1));
            assertThat(stepped.total()).isEqualTo(4);
        }
    }

    // ----------------------------------------------------------- keepalive

    @Test
    void keepaliveTestsIdleConnectionsOnceInItsTime() {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(3).keepaliveTime(Duration.ofMinutes(2)))) {
            stepped.run(seconds(1));
            long tests = stepped.db.calls(IS_VALID);
            stepped.run(Duration.ofMinutes(20));
            assertThat(stepped.db.calls(IS_VALID) - tests).isBetween(27L, 30L);
        }
    }

    @Test
    void keepaliveReplacesWhatHasDied() {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(3).keepaliveTime(Duration.ofMinutes(2)))) {
            stepped.run(seconds(1));
            List<StubSession> dead = stepped.db.openSessions().subList(0, 2);
            dead.forEach(StubSession::kill);
            stepped.run(Duration.ofMinutes(2).plus(seconds(1)));
            assertThat(stepped.retired(RetireReason.INVALID)).isEqualTo(2);
            assertThat(stepped.db.openSessions()).hasSize(3);
            assertThat(stepped.idle()).isEqualTo(3);
        }
    }

    @Test
    void keepaliveZeroTestsNothing() {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(3).keepaliveTime(Duration.ZERO))) {
            stepped.run(seconds(1));
            long tests = stepped.db.calls(IS_VALID);
            stepped.run(Duration.ofMinutes(20));
            assertThat(stepped.db.calls(IS_VALID)).isEqualTo(tests);
        }
    }

    @Test
    void aTestThatHangsIsGivenUpAfterValidationTimeout() {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(1)
                .maximumPoolSize(1)
                .keepaliveTime(Duration.ofMinutes(2))
                .validationTimeout(seconds(1)))) {
            stepped.run(seconds(1));
            long start = stepped.pool.clock.now();
            long next = stepped.pool.keeper.turn(start);
            while (stepped.helpers.pending() == 0) {
                next = passAt(stepped, next);
            }
            long tested = stepped.pool.clock.now();
            assertThat(Duration.ofNanos(tested - start)).isBetween(seconds(100), seconds(130));
            while (stepped.retired(RetireReason.INVALID) == 0) { // the test does not end
                next = passAt(stepped, next);
                assertThat(Duration.ofNanos(stepped.pool.clock.now() - tested)).isLessThan(seconds(3));
            }
        }
    }

    @Test
    void aTestThatHangsCausesNoTurnsForThoseThatAreDueAfterIt() {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(3)
                .acquireIncrement(1)
                .maxLifetime(Duration.ZERO)
                .keepaliveTime(Duration.ofMinutes(2))
                .validationTimeout(seconds(1)))) {
            stepped.run(seconds(10));
            long next = stepped.pool.clock.now();
            while (stepped.helpers.pending() == 0) {
                next = passAt(stepped, next);
            }
            assertThat(Duration.ofNanos(next - stepped.pool.clock.now())).isGreaterThanOrEqualTo(seconds(1));
        }
    }

    /** A pass at the time the Keeper asked for; returns when it wants the next. */
    private static long passAt(SteppedPool stepped, long next) {
        stepped.ticker.advance(Duration.ofNanos(Math.max(1_000, next - stepped.pool.clock.now())));
        return stepped.pool.keeper.turn(stepped.pool.clock.now());
    }

    // --------------------------------------------------------------- leaks

    /** A thread that acquires, runs a query, and then keeps the connection until it is told to give it back. */
    private static final class Holder {
        private final CountDownLatch has = new CountDownLatch(1);
        private final CountDownLatch enough = new CountDownLatch(1);
        private final CompletableFuture<Thread> thread = new CompletableFuture<>();
        private final CompletableFuture<Boolean> done;

        Holder(String name, SteppedPool stepped) throws Exception {
            done = LivePool.on(name, () -> acquiresAndForgets(stepped));
            assertThat(has.await(10, TimeUnit.SECONDS)).isTrue();
            Await.blocked(thread.get(10, TimeUnit.SECONDS), LivePool.LIMIT);
        }

        private boolean acquiresAndForgets(SteppedPool stepped) throws Exception {
            try (Connection c = stepped.pool.acquire()) {
                execute(c, "SELECT 7");
                thread.complete(Thread.currentThread());
                has.countDown();
                return doesSomethingElse();
            }
        }

        private boolean doesSomethingElse() throws InterruptedException {
            return enough.await(1, TimeUnit.MINUTES);
        }

        void giveBack() throws Exception {
            enough.countDown();
            assertThat(done.get(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static SteppedPool leaky() {
        SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(2)
                .leakDetectionThreshold(seconds(2))
                .validateAfterIdle(Duration.ofHours(1))
                .maxLifetime(Duration.ZERO));
        stepped.run(Duration.ofMillis(500));
        return stepped;
    }

    @Test
    void aLeakIsLoggedOnceWithItsThreadStackAndSqlAndItsComingHomeToo() throws Exception {
        try (SteppedPool stepped = leaky()) {
            Holder holder = new Holder("the leaker", stepped);
            stepped.run(Duration.ofMillis(1_900));
            assertThat(stepped.log.warnings()).isEmpty();
            stepped.run(Duration.ofMillis(300));
            assertThat(stepped.log.warnings())
                    .singleElement()
                    .satisfies(message -> assertThat(message)
                            .contains("pool 'stepped': leak?")
                            .contains("thread 'the leaker'")
                            .contains("SELECT ?")
                            .contains("doesSomethingElse")
                            .containsPattern("held for 2\\d\\d\\d ms"));
            stepped.run(Duration.ofMinutes(10));
            assertThat(stepped.log.warnings()).hasSize(1);
            holder.giveBack();
            stepped.pass();
            stepped.run(seconds(2));
            assertThat(stepped.log.infos()).anyMatch(message -> message.contains("was returned after"));
        }
    }

    @Test
    void aLeakThatTheEndOfThePoolAbortsIsNotSaidToBeReturned() throws SQLException {
        SteppedPool stepped = leaky();
        Connection held; // until the end, or the garbage collector may give it back
        try {
            held = stepped.acquireHelped();
            stepped.run(seconds(3));
            assertThat(stepped.log.warnings()).anyMatch(message -> message.contains("leak?"));
        } finally {
            stepped.close();
        }
        assertThat(held.isClosed()).isTrue();
        assertThat(stepped.log.warnings()).anyMatch(message -> message.contains("is still in use and is aborted"));
        assertThat(stepped.log.infos()).noneMatch(message -> message.contains("was returned after"));
    }

    @Test
    void theFirstLeakSaysWhereItWasAcquiredEvenAfterItsThreadHasEnded() throws Exception {
        try (SteppedPool stepped = leaky()) {
            Holder first = new Holder("first leaker", stepped);
            stepped.run(seconds(3));
            assertThat(stepped.log.warnings())
                    .singleElement()
                    .satisfies(message -> assertThat(message.substring(message.indexOf("acquired at")))
                            .contains("acquiresAndForgets")
                            .contains("its thread is now at"));
            first.giveBack();
            stepped.run(seconds(1));
            Connection[] forgotten = new Connection[1];
            Thread ended = new Thread(() -> forgotten[0] = acquiresUnchecked(stepped), "ended");
            ended.start();
            ended.join();
            stepped.run(seconds(3));
            assertThat(stepped.log.warnings().get(1))
                    .contains("thread 'ended'", "acquired at", "acquiresUnchecked", "its thread has ended");
            forgotten[0].close();
        }
    }

    private static Connection acquiresUnchecked(SteppedPool stepped) {
        try {
            return stepped.pool.acquire();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatComesHomeInTimeIsNoLeak() throws SQLException {
        try (SteppedPool stepped = leaky()) {
            for (int i = 0; i < 20; i++) {
                Connection c = stepped.acquireHelped();
                stepped.run(Duration.ofMillis(1_500));
                c.close();
            }
            assertThat(stepped.log.warnings()).isEmpty();
        }
    }

    // --------------------------------------------------------------- clock

    @Test
    void theClockRestsWhenThePoolIsQuietAndWakesWithTheNextAcquire() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(2).maxLifetime(Duration.ofHours(3)))) {
            stepped.acquireHelped().close();
            stepped.run(seconds(3));
            assertThat(stepped.pool.clock.isTicking()).isFalse();
            long passes = stepped.passes();
            stepped.run(Duration.ofHours(2));
            assertThat(stepped.passes() - passes).as("wake-ups in two hours").isLessThan(20);
            stepped.acquireHelped().close();
            assertThat(stepped.pool.clock.isTicking()).isTrue();
        }
    }

    @Test
    void nothingIsLentUntestedFromAPoolWhoseClockRested() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(2))) {
            stepped.acquireHelped().close();
            stepped.run(seconds(30));
            long tests = stepped.db.calls(IS_VALID);
            stepped.acquireHelped().close();
            assertThat(stepped.db.calls(IS_VALID)).isGreaterThan(tests);
        }
    }

    static Stream<Duration> validateAfterIdle() {
        return Stream.of(Duration.ZERO, Duration.ofMillis(500));
    }

    @ParameterizedTest
    @MethodSource("validateAfterIdle")
    void suspicionIsTestedOnceAndNotForEver(Duration validateAfterIdle) throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b ->
                b.minimumPoolSize(4).maximumPoolSize(4).acquireIncrement(2).validateAfterIdle(validateAfterIdle))) {
            stepped.run(seconds(1));
            Connection unlucky = stepped.acquireHelped();
            assertThatThrownBy(() -> execute(unlucky, "FAIL 08006")).isInstanceOf(SQLException.class);
            unlucky.close();
            long tests = stepped.db.calls(IS_VALID);
            for (int i = 0; i < 2_000; i++) {
                stepped.pass();
                stepped.ticker.advance(Duration.ofMillis(2));
            }
            // Each of the three siblings once, and the new one when it is opened.
            assertThat(stepped.db.calls(IS_VALID) - tests).isBetween(3L, 8L);
        }
    }

    @Test
    void aKeepaliveThatFailsInAQuietPoolDoesNotStartAnEndlessSweep() {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(4).acquireIncrement(1).keepaliveTime(Duration.ofMinutes(2)))) {
            stepped.run(seconds(60));
            stepped.db.openSessions().get(0).kill();
            stepped.run(seconds(61));
            long tests = stepped.db.calls(IS_VALID);
            for (int i = 0; i < 2_000; i++) {
                stepped.pass();
                stepped.ticker.advance(Duration.ofMillis(2));
            }
            assertThat(stepped.db.calls(IS_VALID) - tests).isLessThanOrEqualTo(8);
        }
    }

    @Test
    void aConnectionFoundBrokenJustAfterItsReturnIsRetired() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.maximumPoolSize(1))) {
            ConnectionHandle handle = stepped.acquireHelped();
            Slot slot = handle.slot;
            handle.close();
            // A second thread was inside the driver while the first closed the handle, and learns it only now.
            stepped.pool.returning.callFailed(slot, new SQLException("gone", "08006"));
            stepped.run(Duration.ofMillis(10));
            assertThat(SteppedPool.session(slot).isClosed()).isTrue();
            assertThat(stepped.total()).isZero();
            stepped.acquireHelped().close();
        }
    }

    /** Counts how often the Keeper's thread is woken, and takes no turn. */
    private static final class Wakes extends Workers {
        private final AtomicInteger wakes = new AtomicInteger();
        private final Inbox inbox = new Inbox();
        private volatile boolean ended;

        Wakes() {
            super("crowded", null);
        }

        @Override
        public Thread newKeeper(Runnable keeper) {
            Thread thread = super.newKeeper(this::count);
            inbox.belongsTo(thread);
            return thread;
        }

        private void count() {
            while (!ended) {
                LockSupport.park();
                wakes.incrementAndGet();
            }
        }

        boolean becomeMoreThan(int before) {
            return Await.becomesTrue(Duration.ofMillis(100), () -> wakes.get() > before);
        }
    }

    @Test
    void aCrowdOfWaitersWakesTheKeeperOnce() throws Exception {
        StubDatabase db = new StubDatabase();
        ManualTicker ticker = new ManualTicker();
        Wakes helpers = new Wakes();
        PoolConfig config = PoolConfig.builder()
                .dataSource(db.dataSource())
                .minimumPoolSize(0)
                .maximumPoolSize(4)
                .connectionTimeout(LivePool.LIMIT)
                .initializationFailTimeout(Duration.ofMillis(-1))
                .build();
        ConnectionPool pool = new ConnectionPool(
                Configured.settings(config, "crowded"),
                () -> db.dataSource().getConnection(),
                ticker::getAsLong,
                new Listeners(List.of()),
                helpers,
                null,
                null,
                helpers.inbox,
                new SplittableRandom(1));
        db.hang(StubDatabase.CONNECT);
        pool.start();
        pool.keeper.turnAndPlan(); // nothing to do: it sleeps for long
        List<CompletableFuture<Connection>> crowd = new ArrayList<>();
        crowd.add(LivePool.on("the first", pool::acquire));
        Await.await(
                "the first wakes it",
                LivePool.LIMIT,
                () -> pool.state.queue.sizeVolatile() == 1 && helpers.wakes.get() > 0);
        pool.keeper.turnAndPlan(); // now it means to look again in a millisecond
        int before = helpers.wakes.get();
        while (helpers.becomeMoreThan(before)) {
            before = helpers.wakes.get();
        }
        for (int i = 0; i < 30; i++) {
            crowd.add(LivePool.on("one of the crowd", pool::acquire));
        }
        Await.await("all wait", LivePool.LIMIT, () -> pool.state.queue.sizeVolatile() == crowd.size());
        assertThat(helpers.becomeMoreThan(before))
                .as("woken again by the crowd")
                .isFalse();
        helpers.ended = true;
        CompletableFuture<Boolean> closing = LivePool.on("closes", () -> {
            pool.close();
            return true;
        });
        for (CompletableFuture<Connection> one : crowd) {
            assertThat(one).failsWithin(LivePool.LIMIT);
        }
        db.heal(); // not before: a connect that succeeds would serve one of the crowd
        assertThat(closing).succeedsWithin(LivePool.LIMIT);
        db.close();
    }

    @Test
    void theRealKeeperFillsTestsAndEndsByItself() throws Exception {
        try (LivePool live = LivePool.started(
                b -> b.minimumPoolSize(3).keepaliveTime(Duration.ofMillis(100)).maxLifetime(Duration.ofMillis(400)))) {
            Await.await(
                    "the first are filled",
                    LivePool.LIMIT,
                    () -> live.pool.stats().idle() >= 3);
            Await.await(
                    "all were renewed, twice",
                    LivePool.LIMIT,
                    () -> live.pool.stats().retired().get(RetireReason.AGE) >= 6);
            Await.await(
                    "the last are filled",
                    LivePool.LIMIT,
                    () -> live.pool.stats().idle() >= 3);
            assertThat(live.pool.stats().retired().get(RetireReason.INVALID)).isZero();
        }
    }
}
