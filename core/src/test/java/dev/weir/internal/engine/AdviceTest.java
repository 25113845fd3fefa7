package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PoolConfig;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.shared.Advice;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.slots.SeenLoan;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.slots.Waiter;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.StubDatabase.Likeness;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import shop.Checkout;

/** Loads of minutes and hours, and what a pool says of them: what would serve it better, or nothing. */
class AdviceTest {
    private static final Duration TICK = Duration.ofMillis(500);
    private static final int MINUTE = 60;
    private static final int ENOUGH = 10_000;

    /** A pool, its loans, and threads that wait. */
    private static final class Load implements AutoCloseable {
        final SteppedPool stepped;
        final List<ConnectionHandle> held = new ArrayList<>();
        private final List<Waiter> waiters = new ArrayList<>();
        private final Thread waiting = new Thread(() -> {});

        Load(UnaryOperator<PoolConfig.Builder> configure) {
            this(Likeness.GENERIC, configure);
        }

        Load(Likeness likeness, UnaryOperator<PoolConfig.Builder> configure) {
            stepped = SteppedPool.of(likeness, b -> configure.apply(b.validateAfterIdle(Duration.ofHours(9))));
        }

        List<String> advice() {
            return stepped.pool.stats().advice();
        }

        String only() {
            assertThat(advice()).hasSize(1);
            return advice().get(0);
        }

        void tick(int ticks) {
            for (int i = 0; i < ticks; i++) {
                stepped.ticker.advance(TICK);
                stepped.pass();
            }
        }

        /** So many more loans, which do this. */
        void acquire(int count, int doing) throws SQLException {
            for (int i = 0; i < count; i++) {
                ConnectionHandle one = stepped.acquireHelped();
                one.slot.doing = SeenLoan.noted(one.loanWord, doing);
                held.add(one);
            }
        }

        void release() throws SQLException {
            for (ConnectionHandle one : held) {
                one.close();
            }
            held.clear();
        }

        /** Each second so many loans of half a second, all at once. */
        void run(int seconds, int loans, int doing) throws SQLException {
            for (int i = 0; i < seconds; i++) {
                acquire(loans, doing);
                tick(1);
                release();
                tick(1);
            }
        }

        /** An hour, with as many short loans as a new size asks for, one after the other. */
        void hour() throws SQLException {
            for (int i = 0; i < ENOUGH; i++) {
                acquire(1, SeenLoan.IN_DRIVER);
                release();
            }
            stepped.run(Duration.ofHours(1));
        }

        Waiter joins(Thread thread) {
            long now = stepped.pool.clock.now();
            Waiter waiter = new Waiter(thread, now, now + Duration.ofDays(1).toNanos());
            assertThat(stepped.pool.queue.join(waiter, 0)).isTrue();
            waiters.add(waiter);
            return waiter;
        }

        void joins(int count) {
            for (int i = 0; i < count; i++) {
                joins(waiting);
            }
        }

        void leave() {
            waiters.forEach(waiter ->
                    assertThat(stepped.pool.queue.leave(waiter, false)).isTrue());
            waiters.clear();
        }

        /** All connections are in use at each look, and two threads wait, while loans of two seconds end and begin. */
        void saturated(int seconds, int doing) throws SQLException {
            acquire(stepped.settings.maximumPoolSize() - held.size(), doing);
            for (int i = 0; i < seconds; i++) {
                joins(2);
                tick(2);
                leave();
                if (i % 2 == 1) {
                    int count = held.size();
                    release();
                    acquire(count, doing);
                }
            }
        }

        PoolState state() {
            return stepped.pool.state;
        }

        @Override
        public void close() throws SQLException {
            leave();
            release();
            stepped.close();
        }
    }

    // ------------------------------------------------------------------- silence

    @Test
    void aPoolThatFitsItsLoadSaysNothing() throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(20).measureLoans(true))) {
            assertThat(load.advice()).isEmpty();
            load.hour();
            for (int minute = 0; minute < 8; minute++) {
                load.run(MINUTE, 8, SeenLoan.IN_DRIVER);
                assertThat(load.advice()).isEmpty();
            }
            assertThat(load.stepped.pool.dump()).doesNotContain("maximumPoolSize=");
        }
    }

    @Test
    void aPoolThatIsHardlyUsedSaysNothing() throws SQLException {
        try (Load load = new Load(b -> b.measureLoans(true))) {
            load.run(6, 1, SeenLoan.NOTHING_YET);
            load.stepped.run(Duration.ofHours(2));
            load.run(8 * MINUTE, 1, SeenLoan.NOTHING_YET);
            assertThat(load.advice()).isEmpty();
        }
    }

    @Test
    void nothingIsSaidInTheFirstMinutesNorOfAnInstant() throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(4).measureLoans(true))) {
            load.saturated(4 * MINUTE, SeenLoan.IN_DRIVER);
            assertThat(load.advice()).as("too early").isEmpty();
        }
        try (Load load = new Load(b -> b.maximumPoolSize(4).measureLoans(true))) {
            load.run(5 * MINUTE, 2, SeenLoan.IN_DRIVER);
            load.saturated(2, SeenLoan.IN_DRIVER);
            load.release();
            load.run(MINUTE, 2, SeenLoan.IN_DRIVER);
            assertThat(load.advice()).as("two seconds of five minutes").isEmpty();
        }
    }

    /** The Keeper stands still as well: its last look tells nothing of ten seconds. */
    @Test
    void aPauseOfTheJvmIsNoWait() throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(4).measureLoans(true))) {
            load.run(3 * MINUTE, 2, SeenLoan.IN_DRIVER);
            load.saturated(1, SeenLoan.IN_DRIVER);
            load.joins(1);
            load.tick(1);
            load.stepped.ticker.advance(Duration.ofSeconds(10));
            load.stepped.pass();
            load.leave();
            load.release();
            load.run(3 * MINUTE, 2, SeenLoan.IN_DRIVER);
            assertThat(load.advice()).isEmpty();
        }
    }

    @Test
    void threadsThatWaitForAnOperatorAreNotCounted() throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(4).measureLoans(true))) {
            load.run(3 * MINUTE, 2, SeenLoan.IN_DRIVER);
            load.acquire(4, SeenLoan.IN_DRIVER);
            load.stepped.pool.suspend();
            load.joins(2);
            load.tick(MINUTE);
            load.leave();
            load.release();
            load.stepped.pool.resume();
            load.run(3 * MINUTE, 2, SeenLoan.IN_DRIVER);
            assertThat(load.advice()).isEmpty();
        }
    }

    /** One that listens for notifications, or holds the lock of a leader. */
    @Test
    void aConnectionThatIsHeldForEverIsAsItShouldBe() throws SQLException {
        for (int maximum : new int[] {1, 10}) {
            try (Load load =
                    new Load(b -> b.maximumPoolSize(maximum).minimumPoolSize(1).measureLoans(true))) {
                load.acquire(1, SeenLoan.BETWEEN);
                load.tick(8 * 2 * MINUTE);
                assertThat(load.advice()).isEmpty();
            }
        }
    }

    /** As in a fleet, for a moment. */
    @Test
    void useIsComparedWithTheMaximumThatWasAllowedMeanwhile() throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(20).measureLoans(true))) {
            load.run(6 * MINUTE, 3, SeenLoan.BETWEEN);
            load.stepped.change(Setting.MAXIMUM_POOL_SIZE, 2);
            load.tick(1);
            assertThat(load.advice()).isEmpty();
        }
    }

    @Test
    void failuresToConnectAreNotAdvisedOf() throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(4).measureLoans(true))) {
            load.saturated(6 * MINUTE, SeenLoan.IN_DRIVER);
            assertThat(load.advice()).isNotEmpty();
            load.stepped.pool.evictAll();
            load.release();
            load.tick(1);
            load.stepped.db.fail(StubDatabase.CONNECT, () -> new SQLException("no route", "08001"));
            assertThatThrownBy(() -> load.acquire(1, SeenLoan.IN_DRIVER)).isInstanceOf(SQLException.class);
            load.stepped.db.heal();
            load.run(MINUTE, 4, SeenLoan.IN_DRIVER);
            assertThat(load.advice()).isEmpty();
        }
    }

    @Test
    void aPoolThatDoesNotLendOrRestsSaysNothing() throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(4).measureLoans(true))) {
            load.saturated(6 * MINUTE, SeenLoan.IN_DRIVER);
            load.stepped.pool.suspend();
            assertThat(load.advice()).isEmpty();
            load.stepped.pool.resume();
            assertThat(load.advice()).isNotEmpty();
            load.release();
            load.stepped.run(Duration.ofMinutes(12));
            assertThat(load.advice()).isEmpty();
        }
    }

    @Test
    void whatWasSaidStaysForFiveMinutesLestItComesAndGoes() throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(4).measureLoans(true))) {
            load.saturated(6 * MINUTE, SeenLoan.IN_DRIVER);
            load.release();
            for (int minute = 0; minute < 8; minute++) {
                load.run(MINUTE, 2, SeenLoan.IN_DRIVER);
                assertThat(load.advice()).as("%d", minute).hasSize(1);
            }
            load.run(4 * MINUTE, 2, SeenLoan.IN_DRIVER);
            assertThat(load.advice()).isEmpty();
        }
    }

    // ------------------------------------------------------------------ too many

    @Test
    void fewerAreNamedAfterAnHourAndManyLoans() throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(60).minimumPoolSize(0))) {
            load.run(8 * MINUTE, 12, SeenLoan.IN_DRIVER);
            load.stepped.run(Duration.ofMinutes(40));
            load.run(6 * MINUTE, 12, SeenLoan.IN_DRIVER);
            assertThat(load.advice()).as("loans enough, but no hour").isEmpty();
            load.run(7 * MINUTE, 12, SeenLoan.IN_DRIVER);
            assertThat(load.only())
                    .matches(
                            "a loan takes 500 ms \\(p99 \\S+ ms\\) at 12/s: 6.0 connections; 60 allowed, 12 were ever busy in 6\\d"
                                    + " minutes: maximumPoolSize=24 is enough, if that was the busiest time");
            assertThat(load.stepped.pool.dump()).contains(load.only());
            load.acquire(40, SeenLoan.IN_DRIVER);
            load.tick(1);
            load.release();
            load.run(MINUTE, 12, SeenLoan.IN_DRIVER);
            assertThat(load.advice()).as("40 were busy once").isEmpty();
        }
    }

    /** At night; the sizes are those of the day. */
    @Test
    void loadOfTheLastMinutesIsNotToldWhereThereIsNone() throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(60).minimumPoolSize(0))) {
            load.hour();
            load.run(6 * MINUTE, 3, SeenLoan.IN_DRIVER);
            assertThat(load.only())
                    .startsWith("a loan takes 500 ms")
                    .contains(" at 3.0/s: 1.5 connections; 60 allowed");
            load.acquire(1, SeenLoan.IN_DRIVER);
            load.tick(14 * MINUTE);
            assertThat(load.only()).startsWith("60 allowed, 3 were ever busy");
        }
    }

    @Test
    void fewLoansTellNothing() throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(60))) {
            load.stepped.run(Duration.ofHours(2));
            load.run(7 * MINUTE, 3, SeenLoan.IN_DRIVER);
            assertThat(load.advice()).isEmpty();
        }
    }

    @Test
    void aMinimumAboveItIsNamedTooAndMinimumIdleIsAdded() throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(60).minimumPoolSize(50).minimumIdle(4))) {
            load.stepped.run(Duration.ofSeconds(10));
            for (int i = 0; i < ENOUGH / 10; i++) {
                load.run(1, 10, SeenLoan.IN_DRIVER);
            }
            load.stepped.run(Duration.ofHours(1));
            load.run(7 * MINUTE, 10, SeenLoan.IN_DRIVER);
            assertThat(load.only())
                    .contains("maximumPoolSize=24 is enough")
                    .endsWith("; lower minimumPoolSize, now 50, too");
        }
    }

    /** No look sees them, and yet they were in use at once. */
    @Test
    void burstsBetweenTwoLooksCount() throws SQLException {
        for (int burst : new int[] {20, 40}) {
            try (Load load = new Load(b -> b.maximumPoolSize(60).minimumPoolSize(60))) {
                load.stepped.run(Duration.ofHours(1));
                for (int i = 0; i < 9 * MINUTE; i++) {
                    load.acquire(burst, SeenLoan.IN_DRIVER);
                    load.release();
                    load.run(1, 2, SeenLoan.IN_DRIVER);
                }
                if (burst == 20) {
                    assertThat(load.only())
                            .contains("2 were ever busy", "lower minimumPoolSize")
                            .containsPattern("PoolSize=2\\d is");
                } else {
                    assertThat(load.advice()).isEmpty();
                }
            }
        }
    }

    @Test
    void aNewMaximumBeginsItAnew() throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(60))) {
            load.hour();
            load.run(6 * MINUTE, 3, SeenLoan.IN_DRIVER);
            assertThat(load.only()).contains("maximumPoolSize=6");
            load.stepped.change(Setting.MAXIMUM_POOL_SIZE, 40);
            load.run(7 * MINUTE, 3, SeenLoan.IN_DRIVER);
            assertThat(load.advice()).isEmpty();
            load.hour();
            load.run(6 * MINUTE, 3, SeenLoan.IN_DRIVER);
            assertThat(load.only()).contains("40 allowed");
        }
    }

    @Test
    void whatIsSaidOfAMaximumGoesWithIt() throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(8).measureLoans(true))) {
            load.saturated(6 * MINUTE, SeenLoan.IN_DRIVER);
            assertThat(load.only()).contains("all 8 ").contains("maximumPoolSize=10");
            load.stepped.change(Setting.MAXIMUM_POOL_SIZE, 10);
            load.tick(1);
            assertThat(load.advice()).isEmpty();
            load.saturated(4 * MINUTE, SeenLoan.IN_DRIVER);
            assertThat(load.advice()).isEmpty();
            load.saturated(2 * MINUTE, SeenLoan.IN_DRIVER);
            assertThat(load.only()).contains("all 10 ").contains("maximumPoolSize=12");
        }
    }

    /** As a member of a fleet does. */
    @Test
    void aMaximumThatChangesAllTheTimeHidesNothingElse() throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(8).measureLoans(true))) {
            for (int i = 0; i < 12; i++) {
                load.release();
                load.stepped.change(Setting.MAXIMUM_POOL_SIZE, i % 2 == 0 ? 7 : 8);
                load.saturated(MINUTE / 2, SeenLoan.IN_TRANSACTION);
            }
            assertThat(load.only())
                    .contains("100 % idle in transactions")
                    .endsWith("nothing slow belongs before the commit");
        }
    }

    // -------------------------------------------------------------------- nested

    @Test
    void threadsThatWaitAndHoldAConnectionAreNamedAndNoSizeIs() throws Exception {
        try (Load load = new Load(b -> b.maximumPoolSize(3).measureLoans(true))) {
            load.saturated(6 * MINUTE, SeenLoan.IN_DRIVER);
            Thread nesting = new Thread(() -> {
                try {
                    Checkout.pay(() -> {
                        load.acquire(1, SeenLoan.IN_DRIVER);
                        return null;
                    });
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            load.held.remove(0).close();
            load.tick(1); // after which the first acquire is sampled
            nesting.start();
            nesting.join();
            load.joins(nesting);
            load.joins(1);
            load.tick(2 * MINUTE);
            assertThat(load.only())
                    .startsWith(
                            "1 of 2 waiting threads hold a connection already (nested getConnection()), acquired at ")
                    .contains("Checkout.pay", "use one connection a thread")
                    .doesNotContain("maximumPoolSize");
            load.leave();
            load.release();
            load.run(12 * MINUTE, 1, SeenLoan.IN_DRIVER);
            assertThat(load.advice()).as("it is long ago").isEmpty();
        }
    }

    @Test
    void aPoolWhoseThreadsNestIsNotMadeSmaller() throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(60))) {
            load.hour();
            load.acquire(1, SeenLoan.IN_DRIVER);
            load.held.get(0).slot.holder = load.waiting;
            load.joins(1);
            for (int tick = 0; tick < 4; tick++) { // while helpers stand still no connection is opened
                load.stepped.ticker.advance(TICK);
                load.stepped.pool.keeper.turn(load.stepped.pool.clock.now());
            }
            load.leave();
            load.release();
            load.run(6 * MINUTE, 3, SeenLoan.IN_DRIVER);
            assertThat(load.advice()).noneMatch(one -> one.contains("maximumPoolSize"));
        }
    }

    /** The slot of a waiter that has not run yet still has the thread as its holder that returned it, and waits again. */
    @Test
    void aThreadThatWaitsAgainForWhatItReturnedHoldsNothing() throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(1))) {
            load.acquire(1, SeenLoan.IN_DRIVER);
            load.tick(20);
            load.release();
            Slot slot = load.stepped.pool.acquiring.scanAwake(load.stepped.pool.clock.now());
            assertThat(slot).isNotNull();
            assertThat(slot.holder).isEqualTo(Thread.currentThread());
            load.joins(Thread.currentThread());
            load.stepped.ticker.advance(Duration.ofMillis(100));
            load.stepped.pass();
            load.leave();
            load.held.add(load.stepped.pool.acquiring.lend(slot));
            load.tick(2 * MINUTE);
            assertThat(load.advice()).isEmpty();
        }
    }

    // -------------------------------------------------------------- the database

    @ParameterizedTest
    @ValueSource(ints = {0, 11, 5})
    void moreAreNamedWhereThreadsWaitAndTheDatabaseIsAtWork(int serverMaximum) throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(10).measureLoans(true))) {
            load.state().serverMaximum = serverMaximum;
            load.saturated(6 * MINUTE, SeenLoan.IN_DRIVER);
            assertThat(load.only())
                    .contains("all 10 connections were in use and threads waited for ")
                    .contains("statements run for 100 % of the loans' time, so make them faster")
                    .endsWith(
                            serverMaximum == 5
                                    ? "; the server allows no more than " + serverMaximum + " connections"
                                    : "set maximumPoolSize=" + (serverMaximum == 11 ? 11 : 12));
        }
    }

    @Test
    void noMoreAreNamedThanTheSettingTakes() {
        assertThat(Advice.next(9_000, 0)).isEqualTo(10_000);
        assertThat(Advice.next(9_000, 20_000)).isEqualTo(10_000);
        assertThat(Advice.next(10_000, 0)).isEqualTo(10_000);
    }

    @Test
    void whereTheTimeGoesElsewhereTheMaximumStays() throws SQLException {
        for (int doing : new int[] {SeenLoan.NOTHING_YET, SeenLoan.IN_TRANSACTION, SeenLoan.BETWEEN}) {
            try (Load load = new Load(b -> b.maximumPoolSize(4).measureLoans(true))) {
                load.saturated(6 * MINUTE, doing);
                assertThat(load.only())
                        .doesNotContain("maximumPoolSize=")
                        .containsPattern("all 4 .* waited for .* for 100 % of the time on loan the database had nothing"
                                + " to do");
            }
        }
    }

    @Test
    void whatIsNotMeasuredIsToBeMeasuredFirst() throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(4))) {
            load.saturated(6 * MINUTE, SeenLoan.IN_DRIVER);
            assertThat(load.only())
                    .endsWith("measureLoans=true tells whether the database is at work for them")
                    .doesNotContain("maximumPoolSize");
        }
    }

    @Test
    void aDatabaseThatIsSlowerForMoreConnectionsGetsNoMore() throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(8).measureLoans(true))) {
            load.saturated(4 * MINUTE, SeenLoan.IN_DRIVER);
            load.release();
            load.run(2 * MINUTE, 4, SeenLoan.IN_DRIVER);
            assertThat(load.only())
                    .containsPattern("a loan took (19|20)\\d\\d ms then, and 5\\d\\d ms while half of them or fewer")
                    .contains("more connections would not help", "./weir tune")
                    .doesNotContain("maximumPoolSize");
        }
    }

    @Test
    void slowConnectsAreNamedWhileThreadsWaitForThem() throws SQLException {
        for (int[] one : new int[][] {{10, 500}, {400, 500}, {4, 100}}) {
            int every = one[0];
            try (Load load = new Load(b -> b.maximumPoolSize(60).measureLoans(true))) {
                load.hour(); // a smaller maximum is not named beside them
                for (int i = 0; i < 7 * MINUTE; i += every) {
                    load.run(every, 1, SeenLoan.IN_DRIVER);
                    load.acquire(load.stepped.total() - load.held.size(), SeenLoan.IN_DRIVER);
                    load.joins(1);
                    load.stepped.pool.keeper.turn(load.stepped.pool.clock.now());
                    for (int tick = 0; tick < 2; tick++) { // while helpers stand still, so does a connect
                        load.stepped.ticker.advance(Duration.ofMillis(one[1]));
                        load.stepped.pool.keeper.turn(load.stepped.pool.clock.now());
                    }
                    load.leave();
                    load.stepped.helpers.runAll();
                    load.tick(1);
                    load.release();
                    load.stepped.pool.evictAll();
                    load.tick(1);
                }
                if (every == 10) {
                    assertThat(load.only())
                            .matches("a connect takes \\d+ ms, and threads waited for one for \\d+ % of the time: look"
                                    + " at name resolution, .*set minimumPoolSize .*");
                } else {
                    assertThat(load.advice())
                            .as("once, or fast ones")
                            .noneMatch(text -> text.startsWith("a connect takes"));
                }
            }
        }
    }

    // ---------------------------------------------------------- something else

    @ParameterizedTest
    @EnumSource(Likeness.class)
    void loansThatWaitForSomethingElseAreNamedWithTheirCure(Likeness likeness) throws SQLException {
        boolean tells = likeness == Likeness.POSTGRESQL;
        for (String mode : tells ? new String[] {"session", "transaction"} : new String[] {"session"}) {
            boolean session = mode.equals("session");
            assertCure(
                    likeness,
                    mode,
                    SeenLoan.NOTHING_YET,
                    "100 % before the first statement; take the connection later"
                            + (session ? ", or set poolMode=lazy" : ""));
            assertCure(
                    likeness,
                    mode,
                    SeenLoan.BETWEEN,
                    "100 % between transactions; close it after each transaction"
                            + (session && tells ? ", or set poolMode=transaction" : ""));
            assertCure(
                    likeness,
                    mode,
                    SeenLoan.IN_TRANSACTION,
                    "100 % idle in transactions; nothing slow belongs before the commit");
        }
    }

    private static void assertCure(Likeness likeness, String mode, int doing, String said) throws SQLException {
        try (Load load =
                new Load(likeness, b -> b.maximumPoolSize(8).measureLoans(true).poolMode(mode))) {
            load.run(6 * MINUTE, 8, doing);
            assertThat(load.only().replaceAll(" \\(.*\\)", "")) // the place is one of the test's runner
                    .isEqualTo("for 100 % of the time on loan the database had nothing to do: " + said);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void aThirdOfTheTimeInTheDriverIsEnough(int inDriver) throws SQLException {
        try (Load load = new Load(b -> b.maximumPoolSize(8).measureLoans(true))) {
            for (int i = 0; i < 6 * MINUTE; i++) {
                load.acquire(inDriver, SeenLoan.IN_DRIVER);
                load.acquire(4, SeenLoan.BETWEEN);
                load.tick(2);
                load.release();
            }
            assertThat(load.advice()).hasSize(inDriver == 1 ? 1 : 0);
        }
    }
}
