package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.HeldConnection;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.shared.Holders;
import dev.weir.internal.shared.LoanWatch;
import dev.weir.internal.shared.Refusals;
import dev.weir.internal.slots.Waiter;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import shop.Checkout;

/** Before a thread times out the log says who holds the connections. */
class WaitWarningTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final String WAITED = "a thread has waited for a connection for ";

    /** A pool that has lent all its connections. */
    private static final class Exhausted implements AutoCloseable {
        final SteppedPool stepped;
        final List<Connection> held = new ArrayList<>();
        private final List<Waiter> waiters = new ArrayList<>();

        Exhausted(int size, UnaryOperator<dev.weir.PoolConfig.Builder> configure) throws SQLException {
            stepped = SteppedPool.of(b -> configure.apply(b.maximumPoolSize(size)));
            for (int i = 0; i < size; i++) {
                Connection one = stepped.acquireHelped();
                one.prepareStatement("select " + i).execute();
                held.add(one);
            }
        }

        void wait(Thread thread) {
            wait(thread, stepped.pool.clock.now());
        }

        void wait(Thread thread, long since) {
            Waiter waiter = new Waiter(thread, since, since + Duration.ofDays(1).toNanos());
            assertThat(stepped.pool.queue.join(waiter, 0)).isTrue();
            waiters.add(waiter);
        }

        void waits() {
            wait(new Thread(() -> {}, "waits"));
        }

        void leave() {
            waiters.forEach(waiter ->
                    assertThat(stepped.pool.queue.leave(waiter, false)).isTrue());
            waiters.clear();
        }

        long warnings() {
            return stepped.log.warnings().stream()
                    .filter(one -> one.contains(WAITED))
                    .count();
        }

        String only() {
            assertThat(warnings()).as(stepped.log::text).isEqualTo(1);
            return stepped.log.warnings().stream()
                    .filter(one -> one.contains(WAITED))
                    .findFirst()
                    .orElseThrow();
        }

        @Override
        public void close() throws SQLException {
            leave();
            for (Connection one : held) {
                one.close();
            }
            stepped.close();
        }
    }

    @Test
    void aFifthOfTheTimeoutIsWarnedOfWithCountsAndTheLongestHolders() throws Exception {
        String said = Checkout.pay(() -> {
            try (Exhausted pool = new Exhausted(4, b -> b.measureLoans(true))) {
                return Checkout.payDeep(1, () -> warnedAfterAFifth(pool));
            }
        });
        assertThat(said)
                .startsWith("pool 'stepped': " + WAITED + "1000 ms (waitWarningThreshold: 1000 ms,"
                        + " connectionTimeout: 5000 ms): 1 of 2 waiting threads hold a connection already (nested"
                        + " getConnection())")
                .containsPattern("; for \\d+ % of the time on loan the database had nothing to do: .*;"
                        + " maximum 4, total 4, in use 4, idle 0, waiting 2, opening 0, closing 0; longest: ")
                .contains("; longest: connection 1 held for ", "; connection 2 held for ", "; connection 3 held for ")
                .contains(" by thread '" + Thread.currentThread().getName() + "'", "last SQL: select ?")
                .doesNotContain("connection 4");
    }

    private static String warnedAfterAFifth(Exhausted pool) {
        pool.stepped.run(Duration.ofSeconds(2));
        pool.wait(Thread.currentThread()); // which holds all
        pool.waits();
        pool.stepped.run(Duration.ofMillis(999));
        assertThat(pool.warnings()).isZero();
        pool.stepped.run(Duration.ofMillis(2));
        return pool.only();
    }

    @Test
    void connectionsWhoseCodeHasReturnedLookLeaked() throws Exception {
        try (Exhausted pool = new Exhausted(2, b -> b.leakDetectionThreshold(Duration.ofHours(1)))) {
            for (int i = 0; i < 2; i++) {
                pool.held.remove(0).close();
            }
            pool.held.add(Checkout.pay(pool.stepped::acquireHelped));
            pool.stepped.run(Duration.ofSeconds(9));
            pool.held.add(Checkout.pay(pool.stepped::acquireHelped));
            pool.wait(Thread.currentThread()); // which holds both, and nests nothing
            pool.stepped.run(Duration.ofMillis(1_001));
            assertThat(pool.only())
                    .contains(": 1 connection looks leaked, acquired at Checkout.Database.open from Checkout.pay")
                    .contains(", which has returned; ", "; maximum 2, ")
                    .doesNotContain("nested");
            assertThat(pool.stepped.pool.held())
                    .extracting(HeldConnection::doing)
                    .containsExactly(HeldConnection.Doing.LEAKED, HeldConnection.Doing.UNKNOWN);
        }
    }

    @Test
    void aLongLoanUsedOnTheLineThatAcquiredItDoesNotLookLeaked() throws Exception {
        try (Exhausted pool = new Exhausted(2, b -> b.leakDetectionThreshold(Duration.ofHours(1)))) {
            pool.held.remove(0).close();
            SynchronousQueue<Connection> taker = new SynchronousQueue<>();
            FutureTask<Void> work = new FutureTask<>(() -> {
                Checkout.hand(taker, pool.stepped::acquireHelped);
                return null;
            });
            Thread worker = new Thread(work, "worker");
            worker.start();
            Await.await("it uses it", LIMIT, () -> worker.getState() == Thread.State.WAITING);
            pool.stepped.run(Duration.ofSeconds(11));
            pool.waits();
            pool.stepped.run(Duration.ofMillis(1_001));
            assertThat(pool.only()).contains("by thread 'worker'").doesNotContain("leaked");
            pool.held.add(taker.take());
            work.get();
        }
    }

    @Test
    void whileConnectsAreSlowNobodyElseIsBlamed() throws SQLException {
        try (Exhausted exhausted = new Exhausted(1, b -> b)) {
            ConnectionPool pool = exhausted.stepped.pool;
            exhausted.stepped.change(Setting.MAXIMUM_POOL_SIZE, 2);
            Refusals refusals = new Refusals(
                    pool.state, new Holders(pool.state), new LoanWatch(pool.state, pool.listeners, pool.returning));
            pool.state.connects.oldestConnectNanos = pool.clock.now();
            assertThat(refusals.waitsLong(1, false)).contains("): maximum 2, total 1, ", "longest: ");
            exhausted.stepped.ticker.advance(Duration.ofMillis(500));
            assertThat(refusals.waitsLong(1, false))
                    .contains("): connects are slow; maximum 2, total 1, ", "; oldest connect under way for 500 ms")
                    .doesNotContain("longest");
        }
    }

    @Test
    void oneWarningAMinuteIsEnough() throws SQLException {
        try (Exhausted pool = new Exhausted(1, b -> b)) {
            pool.waits();
            pool.stepped.run(Duration.ofSeconds(60));
            pool.leave();
            pool.waits();
            assertThat(pool.warnings()).isEqualTo(1);
            pool.stepped.run(Duration.ofSeconds(2));
            assertThat(pool.warnings()).isEqualTo(2);
        }
    }

    @Test
    void aThreadThatWasServedInTimeIsNoWarning() throws SQLException {
        try (Exhausted pool = new Exhausted(1, b -> b)) {
            for (int i = 0; i < 5; i++) {
                pool.waits();
                pool.stepped.run(Duration.ofMillis(900));
                pool.leave();
            }
            pool.stepped.run(Duration.ofSeconds(5));
            assertThat(pool.warnings()).isZero();
        }
    }

    @Test
    void theThresholdIsASettingThatChangesWhileThePoolRuns() throws SQLException {
        try (Exhausted pool = new Exhausted(1, b -> b.waitWarningThreshold(Duration.ZERO))) {
            pool.waits();
            pool.stepped.run(Duration.ofSeconds(20));
            assertThat(pool.warnings()).as("0 is off").isZero();
            pool.stepped.change(Setting.WAIT_WARNING_THRESHOLD, Duration.ofSeconds(21));
            pool.stepped.run(Duration.ofMillis(900));
            assertThat(pool.warnings()).isZero();
            pool.stepped.run(Duration.ofMillis(200));
            assertThat(pool.only()).contains("waitWarningThreshold: 21000 ms");
        }
        try (Exhausted pool = new Exhausted(1, b -> b.connectionTimeout(Duration.ofSeconds(30)))) {
            pool.waits();
            pool.stepped.run(Duration.ofSeconds(5));
            assertThat(pool.warnings()).as("a fifth of the timeout").isZero();
            pool.stepped.change(Setting.CONNECTION_TIMEOUT, Duration.ofSeconds(20));
            assertThat(pool.only()).contains("waitWarningThreshold: 4000 ms, connectionTimeout: 20000 ms");
        }
    }

    @Test
    void whatIsReportedAlreadyIsNotWarnedOf() throws SQLException {
        try (Exhausted pool = new Exhausted(1, b -> b)) {
            pool.waits();
            pool.stepped.pool.suspend();
            pool.stepped.run(Duration.ofSeconds(5));
            assertThat(pool.warnings()).as("suspended").isZero();
            pool.stepped.pool.resume();
            pool.stepped.run(Duration.ofMillis(900));
            assertThat(pool.warnings())
                    .as("what was waited before was reported")
                    .isZero();
            pool.stepped.run(Duration.ofMillis(200));
            assertThat(pool.only()).contains(WAITED + "6");
        }
        try (Exhausted pool = new Exhausted(1, b -> b)) {
            pool.stepped.db.fail(StubDatabase.CONNECT, () -> new SQLException("no route", "08001"));
            pool.stepped.pool.evictAll();
            pool.held.remove(0).close();
            pool.waits();
            pool.stepped.run(Duration.ofSeconds(5));
            assertThat(pool.stepped.log.text()).contains("could not open a connection");
            assertThat(pool.warnings()).as("a failover").isZero();
        }
    }

    @Test
    void holdersAreNamedWhileTheServerIsFull() throws SQLException {
        try (Exhausted pool = new Exhausted(2, b -> b)) {
            pool.stepped.db.fail(StubDatabase.CONNECT, () -> new SQLException("too many clients", "53300"));
            pool.stepped.change(Setting.MAXIMUM_POOL_SIZE, 3);
            pool.waits();
            pool.stepped.run(Duration.ofMillis(1_100));
            assertThat(pool.only())
                    .contains("maximum 3, total 2, in use 2, ", "; longest: connection 1 held for ")
                    .containsPattern("; last failure to open \\d+ ms ago: .*too many clients");
        }
    }

    @Test
    void holdersAreNamedWhereConnectsFailWhileLoansGoOn() throws SQLException {
        try (Exhausted pool = new Exhausted(4, b -> b)) {
            pool.stepped.db.fail(StubDatabase.CONNECT, () -> new SQLException("no route", "08001"));
            pool.stepped.change(Setting.MAXIMUM_POOL_SIZE, 5);
            long since = pool.stepped.pool.clock.now();
            for (int i = 0; i < 4; i++) {
                pool.wait(new Thread(() -> {}, "waits"), since);
                pool.stepped.run(Duration.ofMillis(400));
                pool.leave();
                pool.held.remove(0).close();
                pool.held.add(pool.stepped.acquireHelped());
            }
            assertThat(pool.only()).contains("; longest: ", "no route");
            pool.waits();
            pool.stepped.run(Duration.ofSeconds(70));
            assertThat(pool.warnings()).as("no loan goes on: an outage").isEqualTo(1);
        }
    }

    @Test
    void aFailureOfBeforeExplainsNothingOnceThePoolHasAllItsConnections() throws SQLException {
        try (Exhausted pool = new Exhausted(2, b -> b)) {
            pool.stepped.db.fail(StubDatabase.CONNECT, () -> new SQLException("no route", "08001"));
            pool.stepped.change(Setting.MAXIMUM_POOL_SIZE, 3);
            pool.waits();
            pool.stepped.run(Duration.ofMillis(900));
            pool.stepped.change(Setting.MAXIMUM_POOL_SIZE, 2);
            pool.stepped.run(Duration.ofMillis(1_100));
            assertThat(pool.only()).contains("; longest: ").doesNotContain("no route");
        }
    }

    @Test
    void aSlowConnectIsReportedOnceAMinute() {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(3))) {
            stepped.db.fail(StubDatabase.CONNECT, () -> {
                stepped.ticker.advance(Duration.ofMillis(1001));
                return null;
            });
            stepped.run(Duration.ofSeconds(5));
            assertThat(stepped.total()).isEqualTo(3);
            assertThat(stepped.log.infos())
                    .filteredOn(one -> one.contains("to open"))
                    .singleElement()
                    .asString()
                    .matches("pool 'stepped': connection 1 took 1001 ms to open");
        }
    }
}
