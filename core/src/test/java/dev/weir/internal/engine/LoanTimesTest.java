package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.LoanTimes;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.slots.SeenLoan;
import dev.weir.internal.slots.Slot;
import dev.weir.spi.PoolListener;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase.Likeness;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import shop.OrderView;

/** Where the time of a loan goes. PostgresLoanTimesTest has it on a server. */
class LoanTimesTest {
    private static final Duration TICK = Duration.ofMillis(100);

    private static SteppedPool stepped() {
        return SteppedPool.of(b -> b.measureLoans(true));
    }

    /** The next execution, commit or rollback of the stub takes this long. */
    private static void takes(SteppedPool stepped, String method, int ticks) {
        stepped.db.failNext(method, 1, () -> {
            tick(stepped, ticks);
            return null;
        });
    }

    private static void execute(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("select 1");
        }
    }

    private static LoanTimes times(SteppedPool stepped) {
        return stepped.pool.stats().loanTimes();
    }

    /** So many ticks of a busy pool go by: one that is quiet is looked at every ten seconds. */
    private static void tick(SteppedPool stepped, int ticks) {
        for (int i = 0; i < ticks; i++) {
            stepped.ticker.advance(TICK);
            stepped.pass();
        }
    }

    /** A loan that a look has met, so that it counts from here on. */
    private static Connection seen(SteppedPool stepped) throws SQLException {
        Connection connection = stepped.acquireHelped();
        tick(stepped, 1);
        return connection;
    }

    private static Duration ticks(int ticks) {
        return TICK.multipliedBy(ticks);
    }

    @Test
    void eachShareIsCounted() throws SQLException {
        try (SteppedPool stepped = stepped()) {
            Connection connection = seen(stepped);
            LoanTimes before = times(stepped);
            tick(stepped, 10);
            connection.setAutoCommit(false);
            tick(stepped, 10);
            takes(stepped, "Statement.execute", 30);
            execute(connection);
            tick(stepped, 40);
            takes(stepped, "Connection.commit", 5);
            connection.commit();
            tick(stepped, 50);
            execute(connection);
            tick(stepped, 6);
            takes(stepped, "Connection.rollback", 2);
            connection.close();
            tick(stepped, 7);
            LoanTimes times = times(stepped);
            assertThat(times.beforeFirstStatement().minus(before.beforeFirstStatement()))
                    .isEqualTo(ticks(20));
            assertThat(times.inDriver()).isEqualTo(ticks(30 + 5 + 2));
            assertThat(times.idleInTransaction()).isEqualTo(ticks(40 + 6));
            assertThat(times.betweenTransactions()).isEqualTo(ticks(50));
            assertThat(times.loans()).isEqualTo(1);
        }
    }

    @Test
    void sumsOfCenturiesDoNotBecomeNegative() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.measureLoans(true).maximumPoolSize(4))) {
            for (int i = 0; i < 4; i++) {
                seen(stepped);
            }
            for (int century = 0; century < 2; century++) {
                stepped.ticker.advance(Duration.ofDays(36_500));
                stepped.pass();
                assertThat(times(stepped).beforeFirstStatement()).isPositive();
            }
        }
    }

    @Test
    void withAutoCommitNoTransactionStaysOpenAndSetAutoCommitEndsOne() throws SQLException {
        try (SteppedPool stepped = stepped()) {
            Connection connection = seen(stepped);
            execute(connection);
            tick(stepped, 10);
            assertThat(times(stepped).betweenTransactions()).isEqualTo(ticks(10));
            connection.setAutoCommit(false);
            execute(connection);
            tick(stepped, 3);
            connection.setAutoCommit(true);
            tick(stepped, 4);
            connection.close();
            assertThat(times(stepped).idleInTransaction()).isEqualTo(ticks(3));
            assertThat(times(stepped).betweenTransactions()).isEqualTo(ticks(14));
        }
    }

    @Test
    void aCallThatFailsIsOverToo() throws SQLException {
        try (SteppedPool stepped = stepped();
                Connection connection = seen(stepped)) {
            connection.setAutoCommit(false);
            stepped.db.failNext("Statement.execute", 1, () -> new SQLException("no", "42000"));
            assertThatThrownBy(() -> execute(connection)).hasMessage("no");
            tick(stepped, 3);
            stepped.db.failNext("Connection.commit", 1, () -> new SQLException("no", "40001"));
            assertThatThrownBy(connection::commit).hasMessage("no");
            tick(stepped, 4);
            assertThat(times(stepped).idleInTransaction()).isEqualTo(ticks(7));
            assertThat(times(stepped).inDriver()).isZero();
        }
    }

    /** Two pools, of which one measures: their drivers get the same calls, also one that tells of transactions. */
    @Test
    void theDriverIsNotAskedForIt() throws SQLException {
        for (Likeness likeness : Likeness.values()) {
            List<List<String>> journals = new ArrayList<>();
            for (boolean measured : new boolean[] {false, true}) {
                try (SteppedPool stepped = SteppedPool.of(likeness, b -> b.measureLoans(measured))) {
                    Connection connection = seen(stepped);
                    execute(connection);
                    connection.setAutoCommit(false);
                    try (Statement statement = connection.createStatement();
                            ResultSet rows = statement.executeQuery("select 1")) {
                        while (rows.next()) {
                            tick(stepped, 1);
                        }
                    }
                    connection.rollback(connection.setSavepoint());
                    connection.commit();
                    connection.rollback();
                    tick(stepped, 1);
                    journals.add(stepped.session(connection).journal());
                    connection.close();
                }
            }
            assertThat(journals.get(1)).isEqualTo(journals.get(0)).contains("Connection.commit[]");
        }
    }

    /** Neither the driver nor the user says so here: the setting does. */
    @Test
    void aPoolThatLendsWithAutoCommitOffHasTransactions() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.measureLoans(true).autoCommit(false))) {
            Connection connection = seen(stepped);
            execute(connection);
            tick(stepped, 3);
            connection.setAutoCommit(true);
            execute(connection);
            tick(stepped, 4);
            connection.setAutoCommit(false);
            execute(connection);
            tick(stepped, 5);
            connection.close();
            assertThat(times(stepped).idleInTransaction()).isEqualTo(ticks(3 + 5));
            assertThat(times(stepped).betweenTransactions()).isEqualTo(ticks(4));
            Connection next = seen(stepped); // what one user sets does not hold for the next
            execute(next);
            tick(stepped, 6);
            assertThat(times(stepped).idleInTransaction()).isEqualTo(ticks(3 + 5 + 6));
            next.close();
        }
    }

    /** Rows that come from the server are its work; what the holder does with each of them is not. */
    @Test
    void rowsThatAreFetchedCountToTheDriverAndTheTimeBetweenThemDoesNot() throws SQLException {
        try (SteppedPool stepped = stepped();
                Connection connection = seen(stepped)) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("select 1")) {
                takes(stepped, "ResultSet.next", 5);
                assertThat(rows.next()).isTrue();
                tick(stepped, 7);
                stepped.db.failNext("ResultSet.next", 1, () -> {
                    tick(stepped, 2);
                    return new SQLException("gone", "40001");
                });
                assertThatThrownBy(rows::next).hasMessage("gone");
                tick(stepped, 1);
            }
            assertThat(times(stepped).inDriver()).isEqualTo(ticks(5 + 2));
            assertThat(times(stepped).idleInTransaction()).isEqualTo(ticks(7 + 1));
        }
    }

    @Test
    void noSumShrinksWhenTheClockGoesBack() throws SQLException {
        try (SteppedPool stepped = stepped()) {
            Connection connection = seen(stepped);
            tick(stepped, 10);
            Duration before = times(stepped).beforeFirstStatement();
            stepped.goBack(Duration.ofMillis(700));
            for (int i = 0; i < 20; i++) {
                tick(stepped, 1);
                assertThat(times(stepped).beforeFirstStatement()).isGreaterThanOrEqualTo(before);
            }
            assertThat(times(stepped).beforeFirstStatement()).isGreaterThan(before);
            connection.close();
        }
    }

    /** Between the look at the word and the look at the news. */
    @Test
    void aLoanThatEndsWhileItIsLookedAtIsNotTakenForTheNext() throws SQLException {
        try (SteppedPool stepped = stepped()) {
            Connection first = seen(stepped);
            Slot slot = ((ConnectionHandle) first).slot;
            long word = slot.wordVolatile();
            SeenLoan loan = slot.see(word, stepped.now());
            assertThat(loan).isNotNull();
            assertThat(loan.doing()).isEqualTo(SeenLoan.NOTHING_YET);
            first.close();
            assertThat(loan.doing()).isEqualTo(SeenLoan.OVER);
            Connection second = stepped.acquireHelped();
            assertThat(((ConnectionHandle) second).slot).isSameAs(slot);
            assertThat(loan.doing()).isEqualTo(SeenLoan.OVER);
            SeenLoan next = slot.see(slot.wordVolatile(), stepped.now());
            assertThat(next).isNotNull();
            slot.doing = SeenLoan.noted(word, SeenLoan.IN_TRANSACTION); // late, of the loan before
            assertThat(next.doing()).isEqualTo(SeenLoan.NOTHING_YET);
            slot.doing = SeenLoan.noted(slot.wordVolatile() + (1L << Slot.STAMP_SHIFT), SeenLoan.BETWEEN); // early
            assertThat(next.doing()).isEqualTo(SeenLoan.OVER);
            second.close();
        }
    }

    /** Loans of a tenth of a tick: a look finds one now and then, which stands for the others. */
    @Test
    void shortLoansCountInProportion() throws SQLException {
        try (SteppedPool stepped = stepped()) {
            seen(stepped).close();
            LoanTimes before = times(stepped);
            for (int i = 0; i < 1_000; i++) { // held for 30 of 71 ms: never in step with the ticks for long
                try (Connection connection = stepped.acquireHelped()) {
                    stepped.run(Duration.ofMillis(30));
                    assertThat(connection.isClosed()).isFalse();
                }
                stepped.run(Duration.ofMillis(41));
            }
            LoanTimes times = times(stepped);
            assertThat(times.loans() - before.loans()).isEqualTo(1_000);
            assertThat(times.beforeFirstStatement().minus(before.beforeFirstStatement()))
                    .isBetween(Duration.ofSeconds(27), Duration.ofSeconds(33));
        }
    }

    /** Nothing is acquired meanwhile, so that looks come every ten seconds. */
    @Test
    void aLoanThatIsHeldWhileThePoolIsQuietCountsAsAWhole() throws SQLException {
        try (SteppedPool stepped = stepped()) {
            Connection connection = seen(stepped);
            LoanTimes before = times(stepped);
            stepped.run(Duration.ofMinutes(3));
            assertThat(times(stepped).beforeFirstStatement().minus(before.beforeFirstStatement()))
                    .isBetween(Duration.ofSeconds(169), Duration.ofSeconds(181));
            connection.close();
        }
    }

    @Test
    void theFirstLoanAfterARestIsNotTakenForTheWholeOfIt() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.measureLoans(true).validateAfterIdle(Duration.ofHours(2)))) {
            seen(stepped).close();
            stepped.run(Duration.ofMinutes(5));
            LoanTimes before = times(stepped);
            Connection connection = stepped.acquire(); // before the Keeper, which it wakes
            tick(stepped, 1);
            assertThat(times(stepped).beforeFirstStatement().minus(before.beforeFirstStatement()))
                    .isEqualTo(TICK);
            connection.close();
        }
    }

    @Test
    void offNothingIsCounted() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(UnaryOperator.identity())) {
            Connection connection = seen(stepped);
            execute(connection);
            tick(stepped, 20);
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("select 1")) {
                assertThat(rows.next()).isTrue();
            }
            connection.commit();
            connection.rollback();
            tick(stepped, 20);
            assertThat(((ConnectionHandle) connection).slot.doing).isZero();
            connection.close();
            assertThat(times(stepped))
                    .isEqualTo(new LoanTimes(
                            0, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO, List.of(), 0, 0));
            assertThat(stepped.pool.dump()).doesNotContain("the database had nothing to do");
        }
    }

    /** Of a loan that was out when measuring began nobody knows what it did before. */
    @Test
    void aListenerThatComesAndGoesBeginsAndEndsIt() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.maximumPoolSize(2))) {
            Connection before = seen(stepped);
            execute(before);
            PoolListener listener = new PoolListener() {};
            stepped.pool.listeners.add(listener);
            tick(stepped, 10);
            assertThat(times(stepped).beforeFirstStatement()).isZero();
            Connection during = seen(stepped);
            execute(during);
            tick(stepped, 10);
            assertThat(times(stepped).betweenTransactions()).isEqualTo(ticks(10));
            assertThatThrownBy(stepped::acquire).hasMessageContaining("the database had nothing to do");
            stepped.pool.listeners.remove(listener);
            tick(stepped, 10);
            assertThatThrownBy(stepped::acquire).hasMessageNotContaining("the database had nothing to do");
            assertThat(times(stepped).betweenTransactions()).isEqualTo(ticks(10));
            during.close();
            before.close();
        }
    }

    @Test
    void leakDetectionAndTheSettingTurnItOnAtRunTime() throws SQLException {
        for (Setting setting : List.of(Setting.MEASURE_LOANS, Setting.LEAK_DETECTION_THRESHOLD)) {
            try (SteppedPool stepped = SteppedPool.of(UnaryOperator.identity())) {
                stepped.change(setting, setting == Setting.MEASURE_LOANS ? true : Duration.ofHours(1));
                tick(stepped, 1);
                Connection connection = seen(stepped);
                tick(stepped, 5);
                connection.close();
                assertThat(times(stepped).beforeFirstStatement())
                        .as(setting.settingName())
                        .isGreaterThanOrEqualTo(ticks(5));
            }
        }
    }

    @Test
    void aTimeoutSaysWhereTheDatabaseWasAtWork() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.measureLoans(true).maximumPoolSize(1))) {
            Connection connection = seen(stepped);
            takes(stepped, "Statement.execute", 300);
            execute(connection);
            tick(stepped, 30);
            assertThatThrownBy(stepped::acquire)
                    .hasMessageMatching(
                            "(?s).*; for 7\\d % of the time on loan the database was at work; maximum 1, .*");
            connection.close();
        }
    }

    @Test
    void aTimeoutSaysWhatTheDatabaseHadToDoLately() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.measureLoans(true).maximumPoolSize(1))) {
            Connection connection = seen(stepped);
            tick(stepped, 300);
            execute(connection);
            tick(stepped, 200); // more than the windows that are told of
            takes(stepped, "Statement.execute", 50);
            execute(connection);
            connection.setAutoCommit(false);
            execute(connection);
            tick(stepped, 40);
            assertThatThrownBy(stepped::acquire)
                    .hasMessageContaining(" % of the time on loan the database had nothing to do: ")
                    .hasMessageContaining(" % idle in transactions")
                    .hasMessageContaining(" % between transactions")
                    .hasMessageNotContaining("before the first");
            assertThat(stepped.pool.dump()).contains(" % before the first statement");
            connection.close();
        }
    }

    @Test
    void tenMinutesAfterTheStartTheLogSaysOnceWhatALoanIsUsedFor() throws SQLException {
        try (SteppedPool stepped = stepped()) {
            for (int i = 0; i < 590; i++) {
                loanOfASecond(stepped, 2);
            }
            assertThat(stepped.log.infos()).noneMatch(line -> line.contains(" a loan"));
            for (int i = 0; i < 700; i++) {
                loanOfASecond(stepped, 2);
            }
            assertThat(stepped.log.infos())
                    .filteredOn(line -> line.contains(" a loan"))
                    .singleElement()
                    .asString()
                    .matches("pool 'stepped': handles were out for 1\\d\\d\\d ms a loan, in use for"
                            + " 2\\d\\d; for 80 % of the time on loan the database had nothing to do: 80 % before"
                            + " the first statement");
        }
    }

    private static void loanOfASecond(SteppedPool stepped, int ticksInDriver) throws SQLException {
        try (Connection connection = stepped.acquireHelped()) {
            tick(stepped, 10 - ticksInDriver);
            takes(stepped, "Statement.execute", ticksInDriver);
            execute(connection);
        }
    }

    @Test
    void aPoolThatIsHardlyUsedSaysSoOnceThereIsEnoughToTell() throws SQLException {
        try (SteppedPool stepped = stepped()) {
            stepped.run(Duration.ofMinutes(11));
            Connection connection = seen(stepped);
            tick(stepped, 60);
            assertThat(stepped.log.infos()).noneMatch(line -> line.contains(" a loan"));
            tick(stepped, 60);
            assertThat(stepped.log.infos())
                    .filteredOn(line -> line.contains(" a loan"))
                    .hasSize(1);
            connection.close();
        }
    }

    /** Three are out for ten ticks each: one of these in the driver, one idle in a transaction. */
    private static void threeLoans(SteppedPool stepped) throws SQLException {
        List<Connection> loans = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            loans.add(stepped.acquireHelped());
            stepped.pass();
        }
        tick(stepped, 10);
        for (Connection loan : loans) {
            loan.setAutoCommit(false);
            loan.createStatement().execute("select 1");
        }
        tick(stepped, 1);
        for (Connection loan : loans) {
            loan.commit();
        }
        tick(stepped, 9);
        for (Connection loan : loans) {
            loan.close();
        }
    }

    @Test
    void whatTheTransactionsNeedIsToldWhereTheDriverKnowsThem() throws SQLException {
        for (Likeness likeness : Likeness.values()) {
            try (SteppedPool stepped =
                    SteppedPool.of(likeness, b -> b.measureLoans(true).maximumPoolSize(3))) {
                threeLoans(stepped);
                assertThat(times(stepped).neededForTransactions()).isZero(); // too few samples
                for (int i = 0; i < 320; i++) {
                    threeLoans(stepped);
                }
                boolean tells = likeness == Likeness.POSTGRESQL;
                assertThat(times(stepped).mostInUse()).isEqualTo(3);
                assertThat(times(stepped).neededForTransactions()).isEqualTo(tells ? 1 : 0);
                String advice = ": with poolMode=transaction 1 connection would do what 3 do now";
                String said =
                        "handles were out for 2000 ms a loan, in use for 100" + (tells ? advice : "") + "; for 100 %";
                assertThat(stepped.pool.dump()).contains(said);
                assertThat(stepped.log.infos())
                        .filteredOn(line -> line.contains(said))
                        .hasSize(1);
            }
        }
    }

    @Test
    void noModeIsNamedWhereLoansAreMostlyTransactions() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(Likeness.POSTGRESQL, b -> b.measureLoans(true))) {
            Connection connection = seen(stepped);
            connection.setAutoCommit(false);
            execute(connection);
            tick(stepped, 7_000);
            assertThat(times(stepped).neededForTransactions()).isEqualTo(1);
            assertThat(stepped.log.infos())
                    .filteredOn(line -> line.contains(" a loan"))
                    .singleElement()
                    .asString()
                    .contains("100 % idle in transactions")
                    .doesNotContain("poolMode");
            connection.close();
        }
    }

    @Test
    void aDatabaseThatIsBusyIsNoNews() throws SQLException {
        try (SteppedPool stepped = stepped()) {
            for (int i = 0; i < 700; i++) {
                loanOfASecond(stepped, 10);
            }
            assertThat(stepped.log.infos()).noneMatch(line -> line.contains(" a loan"));
        }
    }

    /** A holder whose stack is what the test says; it idles in a transaction. */
    private static Connection idling(SteppedPool stepped, Supplier<StackTraceElement[]> stack) throws Exception {
        List<Connection> acquired = new ArrayList<>();
        Thread holder =
                new Thread(() -> {
                    try {
                        Connection connection = stepped.acquireHelped();
                        connection.setAutoCommit(false);
                        execute(connection);
                        acquired.add(connection);
                    } catch (SQLException e) {
                        throw new AssertionError(e);
                    }
                }) {
                    @Override
                    public StackTraceElement[] getStackTrace() {
                        return stack.get();
                    }
                };
        holder.start();
        holder.join();
        return acquired.get(0);
    }

    private static StackTraceElement[] frames(int count) {
        StackTraceElement[] frames = new StackTraceElement[count];
        Arrays.fill(frames, new StackTraceElement("shop.OrderView", "render", null, 1));
        return frames;
    }

    @Test
    void stacksTakeAThousandthOfTheTimeAtMost() throws Exception {
        try (SteppedPool stepped = stepped()) {
            AtomicInteger stacks = new AtomicInteger();
            Connection connection = idling(stepped, () -> {
                stacks.incrementAndGet();
                stepped.ticker.advance(Duration.ofMillis(5));
                return frames(10_000);
            });
            tick(stepped, 110);
            assertThat(stacks).hasValueBetween(2, 3);
            assertThat(times(stepped).idlePlaces()).containsExactly("OrderView.render");
            connection.close();
        }
        try (SteppedPool stepped = stepped()) {
            AtomicInteger stacks = new AtomicInteger();
            Connection connection = idling(stepped, () -> frames(stacks.incrementAndGet()));
            tick(stepped, 110);
            assertThat(stacks).as("one a second").hasValueBetween(10, 12);
            connection.close();
        }
    }

    @Test
    void anErrorOfALookStopsNothingElse() throws Exception {
        try (SteppedPool stepped = SteppedPool.of(b -> b.measureLoans(true).minimumIdle(1))) {
            Connection connection = idling(stepped, () -> {
                throw new InternalError("no stack");
            });
            tick(stepped, 30);
            assertThat(stepped.log.text()).contains("a step of the keeper failed (LOANS)");
            assertThat(times(stepped).idleInTransaction()).isGreaterThan(ticks(20));
            assertThat(stepped.total()).isEqualTo(2);
            connection.close();
        }
    }

    @Test
    void aHolderThatIdlesInATransactionIsNamedByItsMethod() throws Exception {
        try (LivePool live = LivePool.started(
                b -> b.maximumPoolSize(1).measureLoans(true).connectionTimeout(Duration.ofMillis(50)))) {
            CountDownLatch mayEnd = new CountDownLatch(1);
            CompletableFuture<Void> page = LivePool.on("page", () -> {
                try (Connection connection = live.pool.acquire()) {
                    OrderView.render(connection, mayEnd);
                }
                return null;
            });
            Await.await("it is lent", LivePool.LIMIT, () -> live.pool.stats().inUse() == 1);
            String idle = "idle in transactions (OrderView.render)";
            Await.await(live.pool::dump, LivePool.LIMIT, () -> {
                assertThatThrownBy(live.pool::acquire).isInstanceOf(SQLException.class); // and the clock goes on
                return live.pool.dump().contains(idle);
            });
            assertThatThrownBy(live.pool::acquire).hasMessageContaining(idle);
            assertThat(live.pool.stats().loanTimes().idlePlaces()).containsExactly("OrderView.render");
            mayEnd.countDown();
            page.get();
        }
    }
}
