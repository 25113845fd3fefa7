package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.Configured;
import dev.weir.PoolConfig;
import dev.weir.RecordingDriver;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.working.Workers;
import dev.weir.testkit.Await;
import dev.weir.testkit.Fault;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rule of initializationFailTimeout for the first connection. */
@Timeout(60)
class PoolStartTest {
    private static final Duration FOR_EVER = Duration.ofMinutes(5);
    private static final Duration SLACK = Duration.ofSeconds(5);

    private static LivePool pool(StubDatabase db, Duration initializationFailTimeout) {
        return LivePool.of(
                db,
                b -> b.initializationFailTimeout(initializationFailTimeout)
                        .minimumPoolSize(2)
                        .acquireRetryDelay(Duration.ofMillis(50)));
    }

    /** Others may be under way beside the connect that succeeds first. */
    private static void awaitFailed(LivePool live, int connects) {
        Await.await(
                "all that failed are counted",
                LivePool.LIMIT,
                () -> live.pool.stats().openFailed() == connects);
    }

    private static Throwable failedStart(LivePool live, Duration least, Duration most) {
        long start = System.nanoTime();
        Throwable e = catchThrowable(live.pool::start);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(least, most);
        assertThat(e).isInstanceOf(SQLTransientConnectionException.class);
        assertThat(((SQLException) e).getSQLState()).isEqualTo("08001");
        assertThat(live.pool.state.isClosed()).isTrue();
        return e;
    }

    @Test
    void positiveWaitsForTheFirstConnection() throws SQLException {
        StubDatabase db = new StubDatabase();
        db.delay(StubDatabase.CONNECT, Duration.ofMillis(50));
        try (LivePool live = pool(db, FOR_EVER)) {
            live.pool.start();
            assertThat(live.pool.stats().total()).isPositive();
        }
    }

    @Test
    void positiveTriesAgainUntilItSucceeds() throws SQLException {
        StubDatabase db = new StubDatabase();
        db.failNext(StubDatabase.CONNECT, 4, () -> new SQLException("starting up", "57P03"));
        try (LivePool live = pool(db, FOR_EVER)) {
            live.pool.start();
            awaitFailed(live, 4);
            assertThat(live.pool.stats().total()).isPositive();
        }
    }

    @Test
    void positiveTriesAgainThoughNoConnectionIsToBeKept() throws SQLException {
        StubDatabase db = new StubDatabase();
        db.failNext(StubDatabase.CONNECT, 4, () -> new SQLException("starting up", "57P03"));
        try (LivePool live =
                LivePool.of(db, b -> b.initializationFailTimeout(FOR_EVER).minimumPoolSize(0))) {
            live.pool.start();
            awaitFailed(live, 4);
            assertThat(live.pool.stats().total()).isEqualTo(1);
        }
    }

    /**
     * The thread that starts the pool waits, so the pauses do not double: the pool starts soon after the database does.
     */
    @Test
    void positiveTriesAgainAsOftenAsForAnyoneWhoWaits() throws SQLException {
        StubDatabase db = new StubDatabase();
        db.failNext(StubDatabase.CONNECT, 12, () -> new SQLException("starting up", "57P03"));
        try (LivePool live = LivePool.of(
                db,
                b -> b.initializationFailTimeout(FOR_EVER)
                        .minimumPoolSize(5)
                        .acquireRetries(0)
                        .acquireRetryDelay(Duration.ofMillis(500)))) {
            long begun = System.nanoTime();
            live.pool.start();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LivePool.LIMIT);
            awaitFailed(live, 12);
        }
    }

    @Test
    void positiveFailsAfterThatTimeWithTheCauseAndLeavesNothing() {
        StubDatabase db = new StubDatabase();
        SQLException refused = new SQLException("refused", "08001");
        db.fail(StubDatabase.CONNECT, () -> refused);
        try (LivePool live = pool(db, Duration.ofMillis(200))) {
            Throwable e = failedStart(live, Duration.ofMillis(200), SLACK);
            assertThat(e).hasCause(refused).hasMessageContaining("initializationFailTimeout: 200 ms");
        }
    }

    @Test
    void positiveFailsInTimeThoughTheConnectHangs() {
        StubDatabase db = new StubDatabase();
        Fault hang = db.hang(StubDatabase.CONNECT);
        try (LivePool live = pool(db, Duration.ofMillis(200))) {
            failedStart(live, Duration.ofMillis(200), SLACK);
            hang.release();
        }
    }

    @Test
    void aWrongPasswordFailsTheStartAtOnce() {
        StubDatabase db = new StubDatabase();
        db.requirePassword("u", "right");
        Fault hang = db.hangNext(StubDatabase.CONNECT, 1); // another connect under way does not change the cause
        try (LivePool live = LivePool.of(
                db,
                b -> b.initializationFailTimeout(FOR_EVER).minimumPoolSize(2).closeTimeout(Duration.ofMillis(100)))) {
            Throwable e = failedStart(live, Duration.ZERO, SLACK);
            hang.release();
            assertThat(((SQLException) e.getCause()).getSQLState()).isEqualTo("28P01");
        }
    }

    /** Trying again helps against a database that is away, not against one that does not exist or refuses the SQL. */
    @ParameterizedTest
    @CsvSource({"3D000, 0", "42000, 1049", "42S02, 42102", "42501, 0", "90149, 90149", "XJ004, 40000", "S0001, 4060"})
    void whatOnlyAChangeCanMendFailsTheStartAtOnce(String state, int code) {
        StubDatabase db = new StubDatabase();
        SQLException refused = new SQLException("no such database", state, code);
        db.fail(StubDatabase.CONNECT, () -> refused);
        try (LivePool live = pool(db, FOR_EVER)) {
            assertThat(failedStart(live, Duration.ZERO, SLACK)).hasCause(refused);
        }
    }

    /** MySQL has a number for it within the same class of states. */
    @Test
    void aFullServerIsTriedAgain() throws SQLException {
        StubDatabase db = new StubDatabase();
        db.failNext(StubDatabase.CONNECT, 2, () -> new SQLException("has exceeded the maximum", "42000", 1203));
        try (LivePool live = pool(db, FOR_EVER)) {
            live.pool.start();
            awaitFailed(live, 2);
        }
    }

    @Test
    void aDriverWithoutIsValidFailsTheStartAtOnceAndSaysWhatToSet() {
        RecordingDriver driver = new RecordingDriver();
        driver.without = "isValid";
        try (LivePool live =
                LivePool.of(new StubDatabase(), b -> b.initializationFailTimeout(FOR_EVER), driver::connection)) {
            Throwable e = failedStart(live, Duration.ZERO, SLACK);
            assertThat(e).hasMessageContaining("threw right after the connection was opened; set connectionTestQuery");
        }
    }

    @Test
    void zeroTriesOnceAndGoesOn() throws SQLException {
        StubDatabase db = new StubDatabase();
        try (LivePool live = pool(db, Duration.ZERO);
                Fault down = db.fail(StubDatabase.CONNECT, "08001")) {
            live.pool.start();
            assertThat(down.hits()).isPositive();
            down.release();
            live.pool.acquire().close();
        }
    }

    @Test
    void negativeDoesNotWaitAtAll() throws SQLException {
        StubDatabase db = new StubDatabase();
        try (LivePool live = pool(db, Duration.ofMillis(-1));
                Fault hang = db.hang(StubDatabase.CONNECT)) {
            live.pool.start();
            hang.release();
            live.pool.acquire().close();
        }
    }

    @Test
    void theStartOpensTheMinimumAndNoMore() throws SQLException {
        for (int round = 0; round < 30; round++) {
            StubDatabase db = new StubDatabase();
            try (LivePool live = LivePool.of(db, b -> b.minimumPoolSize(4))) {
                live.pool.start();
                Await.await(
                        "the minimum is there",
                        LivePool.LIMIT,
                        () -> live.pool.stats().idle() >= 4 && live.pool.stats().opening() == 0);
                assertThat(db.opened()).as("opened in round %d", round).isEqualTo(4);
            }
        }
    }

    /** As if an Error had struck the thread that decided, right after its decision. */
    @Test
    void allAreRefusedByTheKeeperIfTheThreadThatFailedTheStartCouldNot() throws Exception {
        StubDatabase db = new StubDatabase();
        Fault hang = db.hang(StubDatabase.CONNECT);
        try (LivePool live = LivePool.of(
                db,
                b -> b.initializationFailTimeout(FOR_EVER)
                        .connectionTimeout(FOR_EVER)
                        .minimumPoolSize(1))) {
            CompletableFuture<Throwable> waiter = LivePool.on("waiter", () -> catchThrowable(live.pool::acquire));
            live.awaitWaiting(1);
            CompletableFuture<Throwable> starter = LivePool.on("starter", () -> catchThrowable(live.pool::start));
            hang.awaitWaiting(1, LivePool.LIMIT);
            live.pool.state.failedStart = new PoolState.FailedStart(0, "");
            live.pool.state.phase.set(PoolState.Phase.FAILED);
            assertThat(waiter.get(20, TimeUnit.SECONDS)).hasMessageContaining("could not open the first connection");
            assertThat(starter.get(20, TimeUnit.SECONDS)).hasMessageContaining("could not open the first connection");
            hang.release();
        }
    }

    @Test
    void aStartCountsWhatIsLeftOfThoseThatFailedAndForgetsTheRest() throws Exception {
        try (StubDatabase db = new StubDatabase()) {
            Settings settings = Configured.settings(
                    PoolConfig.builder()
                            .dataSource(db.dataSource())
                            .minimumPoolSize(0)
                            .initializationFailTimeout(Duration.ofMillis(100))
                            .build(),
                    "again");
            Fault hang = db.hangNext(StubDatabase.CONNECT, 1);
            ConnectionPool hangs = started(settings, db, null);
            assertThat(hangs.physical()).isOne();
            db.fail(StubDatabase.CONNECT, "08001");
            ConnectionPool last = hangs;
            for (int i = 0; i < 4; i++) {
                last = started(settings, db, last);
                assertThat(last.physical()).isOne();
                assertThat(last.state.failedStarts).hasSizeLessThanOrEqualTo(2).contains(hangs.state);
            }
            hang.release();
            Await.await("what hung is gone", LivePool.LIMIT, () -> hangs.physical() == 0);
            last = started(settings, db, last);
            assertThat(last.state.failedStarts).hasSize(1);
            assertThat(last.stats().begun()).isGreaterThanOrEqualTo(6);
        }
        ThreadsLeft.assertNone("weir-again-", LivePool.LIMIT);
    }

    /** A pool whose start failed, and whose end is over. */
    private static ConnectionPool started(Settings settings, StubDatabase db, @Nullable ConnectionPool failed)
            throws InterruptedException {
        ConnectionPool pool = LivePool.pool(
                settings,
                () -> db.dataSource().getConnection(),
                System::nanoTime,
                new Workers(settings.poolName(), null),
                failed);
        assertThatThrownBy(pool::start).hasMessageContaining("could not open the first connection");
        assertThat(pool.state.ended.await(20, TimeUnit.SECONDS)).isTrue();
        return pool;
    }

    @Test
    void aStartEndsWhenThePoolIsClosedMeanwhile() throws Exception {
        for (Duration timeout : new Duration[] {FOR_EVER, Duration.ZERO}) {
            StubDatabase db = new StubDatabase();
            Fault hang = db.hang(StubDatabase.CONNECT);
            try (LivePool live = LivePool.of(
                    db,
                    b -> b.initializationFailTimeout(timeout)
                            .connectionTimeout(FOR_EVER)
                            .closeTimeout(Duration.ofMillis(100)))) {
                CompletableFuture<Throwable> start = LivePool.on("starter", () -> catchThrowable(live.pool::start));
                hang.awaitWaiting(1, LivePool.LIMIT);
                live.pool.close();
                Throwable ignored = start.get(20, TimeUnit.SECONDS);
                assertThatThrownBy(live.pool::acquire).isInstanceOf(SQLNonTransientConnectionException.class);
                hang.release();
            }
        }
    }
}
