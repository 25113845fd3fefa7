package dev.weir.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Members in one JVM, on a real database; the cases that hold for each. */
abstract class FleetCases {
    static final Duration SOON = Duration.ofSeconds(10);

    abstract String url();

    /** A statement of one who may do anything. */
    abstract void execute(String sql);

    abstract long number(String sql);

    /** Sessions of members at the server. */
    abstract int backends();

    /** What sessions may begin with, as a role or the server has it: {set it, undo that}; of weir. */
    abstract List<String[]> defaults();

    /** Takes 10 ms. */
    abstract String slow();

    @BeforeEach
    void fresh() {
        execute("DROP TABLE IF EXISTS weir_fleet, weir_fleet_member");
    }

    PoolConfig.Builder config(int maximum) {
        return PoolConfig.builder()
                .url(url())
                .username("weir")
                .password("secret")
                .maximumPoolSize(maximum)
                .minimumPoolSize(0)
                .connectionTimeout(SOON);
    }

    WeirDataSource pool(int maximum) {
        return new WeirDataSource(config(maximum).build());
    }

    static FleetOptions options() {
        return FleetOptions.of("test", "app").withBudget(12).withCreateTables(true);
    }

    static List<Connection> take(WeirDataSource pool, int count) throws Exception {
        List<Connection> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            taken.add(pool.getConnection());
        }
        return taken;
    }

    static void giveBack(List<Connection> connections) throws Exception {
        for (Connection connection : connections) {
            connection.close();
        }
    }

    @Test
    void placesMoveToWhereTheyAreWantedAndNeverPassTheBudget() throws Exception {
        try (WeirDataSource first = pool(10);
                WeirDataSource second = pool(10);
                WeirFleet one = WeirFleet.join(first, options());
                WeirFleet two = WeirFleet.join(second, options())) {
            for (int round = 0; round < 2; round++) {
                List<Connection> ofFirst = take(first, 8);
                assertThat(backends()).isLessThanOrEqualTo(12);
                giveBack(ofFirst);
                List<Connection> ofSecond = take(second, 8);
                assertThat(backends()).isLessThanOrEqualTo(12);
                giveBack(ofSecond);
            }
            assertThat(first.stats().openFailed() + second.stats().openFailed())
                    .as("%s %s", one.stats(), first.openFailures())
                    .isZero();
            assertThat(one.stats().members()).isEqualTo(2);
            assertThat(two.stats().budget()).isEqualTo(12);
        }
        assertThat(number("SELECT count(*) FROM weir_fleet_member")).isZero();
    }

    @Test
    void whenAllWantMoreThanThereIsEachHasItsPart() throws Exception {
        FleetOptions heavy =
                FleetOptions.of("test", "heavy").withBudget(12).withShare(3, 0).withCreateTables(true);
        try (WeirDataSource first = pool(10);
                WeirDataSource second = pool(10);
                WeirFleet one = WeirFleet.join(first, options());
                WeirFleet two = WeirFleet.join(second, heavy);
                Waiters crowd = new Waiters(first, 20, slow());
                Waiters other = new Waiters(second, 20, slow())) {
            Await.await(
                    () -> "one has a quarter, the other the rest: " + one.stats() + two.stats(),
                    SOON,
                    () -> one.stats().granted() == 3 && two.stats().granted() == 8);
            Await.await(
                    () -> first.stats() + " " + second.stats(),
                    SOON,
                    () -> first.stats().total() == 2 && second.stats().total() == 7);
            assertThat(crowd.failures() + other.failures()).isZero();
        }
    }

    /** A renewal in full writes the member's share; a steady one leaves the mark that is made there. */
    @Test
    void aRenewalThatChangesNothingIsSteadyUnlessSomethingHasChanged() throws Exception {
        try (SteadyMember member = new SteadyMember()) {
            member.renewSteadily();
            assertThat(number("SELECT sequence FROM weir_fleet_member")).isEqualTo(member.sequence);
            assertThat(number("SELECT expires - clock FROM weir_fleet, weir_fleet_member"))
                    .isBetween(34_000L, 36_000L);

            String[] changes = {
                "weir_fleet SET tight = 1",
                "weir_fleet SET budget = 13",
                "weir_fleet SET server_clock = server_clock - 10000",
                "weir_fleet SET server_clock = server_clock + 10000",
                "weir_fleet_member SET expires = 0",
                "weir_fleet_member SET has = has - 1",
                "weir_fleet_member SET sequence = sequence - 1",
            };
            for (String change : changes) {
                member.renew(member.has);
                execute("UPDATE " + change);
                assertThat(member.renew(member.has)).as(change).isFalse();
                execute("UPDATE weir_fleet SET budget = 12");
            }
            member.renew(member.has);
            assertThat(member.renew(member.has + 1)).as("it wants more").isFalse();
            assertThat(member.renew(1)).as("it wants far less").isFalse();
        }
    }

    @Test
    void whateverSessionsBeginWithAMemberJoinsAndRenewsAndItsPoolWorks() throws Exception {
        List<String[]> each = defaults();
        List<List<String[]>> rounds = new ArrayList<>();
        each.forEach(one -> rounds.add(List.<String[]>of(one)));
        rounds.add(each);
        for (List<String[]> round : rounds) {
            fresh();
            round.forEach(one -> execute(one[0]));
            try (WeirDataSource pool = pool(3);
                    WeirFleet fleet = WeirFleet.join(pool, options());
                    SteadyMember member = new SteadyMember()) {
                giveBack(take(pool, 2));
                for (int i = 0; i < 4; i++) {
                    member.renew(member.has);
                }
                assertThat(member.budget.ended()).as(round.get(0)[0]).isZero();
                assertThat(pool.stats().openFailed() + fleet.stats().failures())
                        .as("%s: %s", round.get(0)[0], pool.openFailures())
                        .isZero();
                assertThat(number("SELECT count(*) FROM weir_fleet_member WHERE sequence = " + member.sequence))
                        .as(round.get(0)[0])
                        .isOne();
            } catch (SQLException | RuntimeException e) {
                throw new AssertionError(round.size() == 1 ? round.get(0)[0] : "all together", e);
            } finally {
                round.forEach(one -> execute(one[1]));
            }
        }
    }

    /** Its sessions are not among those that the tags of this version show, and its tables may have more columns. */
    @Test
    void theRowOfAMemberOfAnotherVersionIsHeldUntilItIsForgotten() throws Exception {
        FleetOptions brief = options().withLease(Duration.ofSeconds(5), Duration.ofMinutes(10));
        try (WeirDataSource pool = pool(5);
                WeirFleet fleet = WeirFleet.join(pool, brief)) {
            execute(
                    "INSERT INTO weir_fleet_member SELECT fleet, 'abcdefabcdef', application, 1, 0, 5, 1, 1, 4, 4, 4, 0,"
                            + " 1, 'weir:1a2b:abcdefabcdef' FROM weir_fleet_member");
            execute("ALTER TABLE weir_fleet ADD COLUMN later int DEFAULT 1 NOT NULL");
            execute("ALTER TABLE weir_fleet_member ADD COLUMN later int DEFAULT 1 NOT NULL");
            giveBack(take(pool, 3));
            assertThat(fleet.stats().failures()).isZero();
            assertThat(number("SELECT has FROM weir_fleet_member WHERE instance = 'abcdefabcdef'"))
                    .isEqualTo(4);
        }
    }

    /** As one whose process is stopped there: the server ends its transaction, and so gives the fleet's row to the next. */
    @Test
    void aMemberThatStopsWithTheFleetsRowLockedHoldsUpTheOthersForSeconds() throws Exception {
        try (WeirDataSource pool = pool(5);
                WeirFleet fleet = WeirFleet.join(pool, options());
                WeirDataSource other =
                        new WeirDataSource(config(1).autoCommit(false).build());
                Connection stopped = other.getConnection();
                SteadyMember waiting = new SteadyMember()) {
            FleetSql.of(stopped).begin(stopped);
            try (PreparedStatement lock = stopped.prepareStatement(FleetSql.lockFleet())) {
                lock.setString(1, options().fleet());
                assertThat(lock.executeQuery().next()).isTrue();
            }
            Await.await("the next one renews", SOON, () -> {
                try {
                    return !waiting.renew(waiting.has) && waiting.has > 0;
                } catch (IllegalStateException locked) {
                    return false;
                }
            });
            giveBack(take(pool, 3));
            assertThatThrownBy(() -> {
                        try (PreparedStatement late =
                                stopped.prepareStatement("UPDATE weir_fleet SET budget = 1000 WHERE fleet = 'test'")) {
                            late.executeUpdate();
                            stopped.commit();
                        }
                    })
                    .isInstanceOf(SQLException.class);
            assertThat(number("SELECT budget FROM weir_fleet")).isEqualTo(12);
        }
    }

    final class SteadyMember implements AutoCloseable {
        private final DatabaseBudget budget = new DatabaseBudget(
                new WeirDataSource(config(1)
                        .autoCommit(false)
                        .readOnly(false)
                        .transactionIsolation("READ_COMMITTED")
                        .build()),
                options());
        int has = 1;
        long sequence;

        void renewSteadily() {
            Await.await("a steady renewal", SOON, () -> {
                renew(has);
                return renew(has); // in the second after the other one
            });
        }

        @Override
        public void close() {
            budget.close();
        }

        /** Whether it was steady. */
        boolean renew(int wants) {
            boolean isThere = sequence > 0;
            if (isThere) {
                execute("UPDATE weir_fleet_member SET granted = 77");
            }
            try {
                Claim claim = new Claim("app", "m", 1, 0, 5, 6, ++sequence, 1, 0, has, 0, wants, false, null);
                has = Math.max(1, budget.renew(claim, () -> 0).ceiling());
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            return isThere && number("SELECT granted FROM weir_fleet_member") == 77;
        }
    }

    @Test
    void aMemberThatDoesNotFitIsRefusedByName() throws Exception {
        try (WeirDataSource first = pool(5);
                WeirDataSource second = pool(5);
                WeirFleet one = WeirFleet.join(first, options())) {
            assertThat(one.stats().granted()).as("%s", one.stats()).isPositive();
            assertThatThrownBy(() -> WeirFleet.join(second, options().withBudget(13)))
                    .isInstanceOf(FleetRefusedException.class)
                    .hasMessageContaining("budget 13 (expected: 12");
            assertThat(second.getUsername()).isEqualTo("weir");
            assertThat(second.getPassword()).isEqualTo("secret");
            assertThat(second.getMaximumPoolSize()).isEqualTo(5);
            assertThat(second.getDataSourceProperties().toString()).doesNotContain("weir:");
            giveBack(take(second, 1)); // as if it had not tried
        }
        try (WeirDataSource pool = pool(5);
                WeirDataSource greedy = pool(5);
                WeirFleet one = WeirFleet.join(pool, options().withShare(1, 8).withInstances(2))) {
            FleetOptions other = FleetOptions.of("test", "other")
                    .withBudget(12)
                    .withShare(1, 8)
                    .withInstances(2);
            assertThatThrownBy(() -> WeirFleet.join(greedy, other))
                    .isInstanceOf(FleetRefusedException.class)
                    .hasMessageContaining("16 connections are guaranteed")
                    .hasMessageContaining("at most 11, the budget, 12, less 1 for members that join");
            assertThat(one.stats().failures()).isZero();
        }
        try (WeirDataSource large = pool(20)) {
            assertThatThrownBy(() -> WeirFleet.join(large, options())).hasMessageContaining("maximumPoolSize: 20");
        }
        try (WeirDataSource small = pool(5)) {
            assertThatThrownBy(() -> WeirFleet.join(small, options().withShare(1, 8)))
                    .hasMessageContaining("maximumPoolSize: 5 (expected: 7 and more")
                    .hasMessageContaining("8 connections that are guaranteed to application app");
            assertThat(small.getUsername()).isEqualTo("weir");
            try (WeirFleet fits = WeirFleet.join(small, options().withShare(1, 6))) {
                assertThat(fits.stats().granted()).isPositive();
                assertThatThrownBy(() -> WeirFleet.join(small, options().withShare(1, 6)))
                        .hasMessageContaining("is a member already");
            }
        }
        try (WeirDataSource nobody = new WeirDataSource(
                PoolConfig.builder().url(url()).maximumPoolSize(3).build())) {
            assertThatThrownBy(() -> WeirFleet.join(nobody, options())).hasMessageContaining("username: not set");
        }
    }

    @Test
    void whenTheTableIsLostAMemberStaysAtItsLastGrantAndComesBack() throws Exception {
        FleetOptions brief = options().withLease(Duration.ofSeconds(5), Duration.ofSeconds(5));
        try (WeirDataSource pool = pool(10);
                WeirFleet fleet = WeirFleet.join(pool, brief)) {
            giveBack(take(pool, 4));
            execute("ALTER TABLE weir_fleet RENAME TO lost");
            Await.await("a renewal fails", SOON, () -> fleet.stats().failures() > 0);
            int before = fleet.stats().granted();
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.isValid(1)).isTrue();
            }
            assertThat(fleet.stats().granted()).isLessThanOrEqualTo(before).isPositive();
            Await.await("the lease ends", SOON, () -> !fleet.stats().leaseHolds());
            assertThat(fleet.stats().granted()).isZero(); // nothing is guaranteed to it
            Await.await("it has seen that", SOON, () -> pool.getMaximumPoolSize() < 10);
            int open = pool.stats().total();
            assertThat(open).as("those that are open stay").isBetween(4, before);
            giveBack(take(pool, open));
            assertThat(pool.stats().total()).isEqualTo(open);
            execute("ALTER TABLE lost RENAME TO weir_fleet");
            Await.await("it is back", SOON, () -> fleet.stats().leaseHolds());
            giveBack(take(pool, 4));
        }
    }

    /** No renewal can tell then that the server has ended what was closed. */
    @Test
    void whileTheTableIsLostWhatIsGuaranteedIsOpenedAgain() throws Exception {
        FleetOptions brief = options()
                .withLease(Duration.ofSeconds(5), Duration.ofSeconds(30))
                .withShare(1, 5);
        try (WeirDataSource pool = pool(10);
                WeirFleet fleet = WeirFleet.join(pool, brief)) {
            giveBack(take(pool, 4));
            execute("ALTER TABLE weir_fleet RENAME TO lost");
            Await.await("the lease ends", SOON, () -> !fleet.stats().leaseHolds());
            assertThat(fleet.stats().granted()).isEqualTo(5);
            for (int i = 0; i < 3; i++) {
                pool.evictAll();
                Await.await("all are closed", SOON, () -> pool.physicalConnections() == 0);
                giveBack(take(pool, 4));
            }
            execute("ALTER TABLE lost RENAME TO weir_fleet");
        }
    }

    @Test
    void aMemberWithoutRightsToCreateJoinsWhereTheTablesAre() throws Exception {
        try (WeirDataSource first = pool(3);
                WeirFleet one = WeirFleet.join(first, options())) {
            assertThat(one.stats().members()).isOne();
            try (WeirDataSource plain =
                            new WeirDataSource(config(3).username("plain").build());
                    WeirFleet other = WeirFleet.join(plain, rights(options()))) {
                assertThat(other.stats().members()).isEqualTo(2);
                giveBack(take(plain, 2));
            }
        }
    }

    /** Lets the user {@code plain} use the tables. */
    abstract FleetOptions rights(FleetOptions options);

    @Test
    void aMemberThatDrainsGivesUpWhatItUsesNoMore() throws Exception {
        try (WeirDataSource first = new WeirDataSource(
                        config(10).closeTimeout(Duration.ofMinutes(1)).build());
                WeirDataSource second = pool(10);
                WeirFleet one = WeirFleet.join(first, options());
                WeirFleet two = WeirFleet.join(second, options())) {
            List<Connection> taken = take(first, 8);
            Thread closer = new Thread(one::close);
            closer.start();
            try {
                Await.await("it drains", SOON, first::isClosed);
                giveBack(taken.subList(1, 8));
                giveBack(take(second, 7)); // 12, less the door, the renewing ones, and the one in use
                assertThat(first.stats().inUse()).isOne();
                assertThat(backends()).isLessThanOrEqualTo(12);
                assertThat(two.stats().failures()).isZero();
            } finally {
                taken.get(0).close();
                closer.join();
            }
        }
        assertThat(number("SELECT count(*) FROM weir_fleet_member")).isZero();
    }

    @Test
    void theBudgetIsChangedUnderARunningFleet() throws Exception {
        try (WeirDataSource first = pool(3);
                WeirDataSource second = pool(3);
                WeirDataSource third = pool(3);
                WeirFleet one = WeirFleet.join(first, options())) {
            giveBack(take(first, 1));
            execute("UPDATE weir_fleet SET budget = 20");
            Await.await(() -> one.stats().toString(), SOON, () -> one.stats().budget() == 20);
            assertThat(one.stats().failures()).isZero();
            assertThatThrownBy(() -> WeirFleet.join(second, options()))
                    .isInstanceOf(FleetRefusedException.class)
                    .hasMessageContaining("budget 12 (expected: 20");
            try (WeirFleet two = WeirFleet.join(third, options().withBudget(20))) {
                giveBack(take(third, 1));
                assertThat(two.stats().failures()).isZero();
            }
        }
    }

    @Test
    void anOperatorsMaximumIsHeeded() throws Exception {
        try (WeirDataSource pool = pool(10);
                WeirFleet fleet = WeirFleet.join(pool, options())) {
            giveBack(take(pool, 3));
            pool.setMaximumPoolSize(2);
            try (Waiters many = new Waiters(pool, 20, slow())) { // so many that one waits on any machine
                Await.await(
                        () -> "it wants no more: " + fleet.stats() + " " + pool.stats(),
                        SOON,
                        () -> fleet.stats().wanted() > 6 && fleet.stats().share() == 3);
                assertThat(pool.getMaximumPoolSize()).isEqualTo(2);
                pool.setMaximumPoolSize(6);
                Await.await(
                        () -> "six: " + pool.getMaximumPoolSize() + " " + fleet.stats() + " " + pool.stats(),
                        SOON,
                        () -> pool.stats().total() == 6);
                assertThat(many.failures()).isZero();
            }
        }
    }

    @Test
    void evictionAndSuspensionChangeNothingOfWhatItMayHave() throws Exception {
        try (WeirDataSource pool = pool(10);
                WeirFleet fleet = WeirFleet.join(pool, options())) {
            try (Waiters many = new Waiters(pool, 20, slow())) {
                Await.await("all", SOON, () -> pool.stats().total() == 10);
                for (int i = 0; i < 5; i++) {
                    pool.evictAll();
                    assertThat(backends()).isLessThanOrEqualTo(12);
                    pool.suspend();
                    pool.resume();
                }
                Await.await(
                        "all again",
                        SOON,
                        () -> pool.stats().idle() + pool.stats().inUse() == 10);
                assertThat(many.failures()).isZero();
            }
            assertThat(pool.stats().openFailed()).isZero();
            assertThat(fleet.stats().failures()).isZero();
        }
    }

    @Test
    void aPoolThatIsClosedAloneLeaves() throws Exception {
        WeirDataSource pool = pool(3);
        WeirFleet.join(pool, options());
        giveBack(take(pool, 2));
        assertThat(number("SELECT count(*) FROM weir_fleet_member")).isOne();
        pool.close();
        Await.await(
                "it has left", SOON, () -> number("SELECT count(*) FROM weir_fleet_member") == 0 && backends() == 0);
        ThreadsLeft.assertNone("weir-fleet-", SOON);
    }
}
