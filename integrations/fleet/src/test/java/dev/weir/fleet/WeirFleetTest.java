package dev.weir.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.servers.PgBouncer;
import dev.weir.testkit.servers.PostgresPair;
import dev.weir.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** On PostgreSQL. */
class WeirFleetTest extends FleetCases {
    private static PostgresServer server;

    @BeforeAll
    static void launch() {
        server = PostgresServer.builder()
                .maxConnections(40)
                .role("weir", "secret")
                .role("plain", "secret")
                .start();
        server.execute("REVOKE CREATE ON SCHEMA public FROM plain, public");
    }

    @AfterAll
    static void end() {
        server.close();
    }

    @Override
    String url() {
        return server.jdbcUrl("postgres");
    }

    @Override
    void execute(String sql) {
        server.execute(sql);
    }

    @Override
    long number(String sql) {
        return server.number(sql);
    }

    @Override
    int backends() {
        return server.backends();
    }

    @Override
    List<String[]> defaults() {
        execute("CREATE SCHEMA IF NOT EXISTS empty");
        List<String> settings = List.of(
                "default_transaction_read_only = on",
                "default_transaction_isolation = 'serializable'",
                "default_transaction_deferrable = on",
                "statement_timeout = 1500",
                "lock_timeout = 1",
                "idle_in_transaction_session_timeout = 1500",
                "idle_session_timeout = 60000",
                "search_path = '$user', empty, public",
                "datestyle = 'SQL, DMY'",
                "intervalstyle = 'sql_standard'",
                "timezone = 'Asia/Kathmandu'",
                "row_security = off",
                "synchronous_commit = remote_apply",
                "standard_conforming_strings = off",
                "extra_float_digits = -15",
                "bytea_output = 'escape'",
                "xmloption = 'document'",
                "transform_null_equals = on",
                "plan_cache_mode = 'force_generic_plan'");
        return settings.stream()
                .map(setting -> new String[] {
                    "ALTER ROLE weir SET " + setting,
                    "ALTER ROLE weir RESET " + setting.substring(0, setting.indexOf(" "))
                })
                .toList();
    }

    @Override
    String slow() {
        return "SELECT pg_sleep(0.01)";
    }

    @Override
    FleetOptions rights(FleetOptions options) {
        execute("GRANT SELECT, INSERT, UPDATE ON weir_fleet TO plain");
        execute("GRANT SELECT, INSERT, UPDATE, DELETE ON weir_fleet_member TO plain");
        return options;
    }

    private static String text(Connection connection, String sql) throws Exception {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : "";
        }
    }

    static boolean isBouncerInstalled() {
        return PgBouncer.isInstalled();
    }

    @Test
    void anAutomaticBudgetIsWhatTheServerHasLessWhatOthersUse() throws Exception {
        FleetOptions auto = FleetOptions.of("test", "app").withLeaveForOthers(5).withCreateTables(true);
        try (Connection other = server.connect();
                WeirDataSource pool = pool(10);
                WeirFleet fleet = WeirFleet.join(pool, auto)) {
            assertThat(other.isValid(1)).isTrue();
            assertThat(fleet.stats().budget()).isEqualTo(40 - 3 - 5 - 1);
        }
        execute("ALTER ROLE weir CONNECTION LIMIT 9");
        execute("DROP TABLE weir_fleet, weir_fleet_member");
        try (WeirDataSource pool = pool(10);
                WeirFleet fleet = WeirFleet.join(pool, auto)) {
            assertThat(fleet.stats().budget()).isEqualTo(4);
        } finally {
            execute("ALTER ROLE weir CONNECTION LIMIT -1");
        }
        execute("ALTER DATABASE postgres CONNECTION LIMIT 12");
        execute("DROP TABLE weir_fleet, weir_fleet_member");
        try (WeirDataSource pool = pool(5);
                WeirFleet fleet = WeirFleet.join(pool, auto)) {
            assertThat(fleet.stats().budget()).isEqualTo(7);
        } finally {
            execute("ALTER DATABASE postgres CONNECTION LIMIT -1");
        }
    }

    @Test
    void theLeastLimitOfTheMembersUsersIsThatOfAll() throws Exception {
        FleetOptions auto = FleetOptions.of("test", "app").withCreateTables(true);
        execute("ALTER ROLE plain CONNECTION LIMIT 9");
        try (WeirDataSource first = pool(3);
                WeirFleet one = WeirFleet.join(first, auto)) {
            assertThat(one.stats().budget()).isEqualTo(40 - 3);
            try (WeirDataSource plain =
                            new WeirDataSource(config(3).username("plain").build());
                    WeirFleet two = WeirFleet.join(plain, rights(auto))) {
                execute("UPDATE weir_fleet SET measured = 1"); // long ago
                Await.await(() -> two.stats().toString(), SOON, () -> number("SELECT places FROM weir_fleet") == 9);
            }
        } finally {
            execute("ALTER ROLE plain CONNECTION LIMIT -1");
        }
    }

    /** Else a session that nobody reads waits on, beside the one of the next renewal. */
    @Test
    void aRenewalWaitsForALockNoLongerThanItsClient() throws Exception {
        try (SteadyMember member = new SteadyMember();
                Connection other = server.connect();
                Statement lock = other.createStatement()) {
            member.renewSteadily();
            other.setAutoCommit(false);
            lock.execute("SELECT * FROM weir_fleet FOR UPDATE");
            assertThatThrownBy(() -> member.renew(member.has)).rootCause().hasMessageContaining("lock timeout");
            other.rollback();
            member.renewSteadily();
        }
    }

    @Test
    void aUsersApplicationNameIsKeptBeforeTheTag() throws Exception {
        String url = url();
        List<WeirDataSource> pools = List.of(
                new WeirDataSource(config(3)
                        .dataSourceProperty("ApplicationName", "orders")
                        .build()),
                new WeirDataSource(config(3)
                        .url(url + "?ApplicationName=or%20ders&tcpKeepAlive=true")
                        .build()));
        for (WeirDataSource pool : pools) {
            try (pool;
                    WeirFleet fleet = WeirFleet.join(pool, options());
                    Connection connection = pool.getConnection()) {
                assertThat(connection.getClientInfo("ApplicationName"))
                        .matches("or ?ders weir:[0-9a-f]+:" + fleet.instance());
                assertThat(number("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE '%:"
                                + fleet.instance() + "'"))
                        .isEqualTo(2);
                assertThat(number("SELECT count(*) FROM weir_fleet_member WHERE tag IS NOT NULL"))
                        .isOne();
            }
        }
    }

    @Test
    void aRenewalHasItsOwnLimitsWhateverTheRolesAre() throws Exception {
        String[] settings = {
            "lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout", "transaction_timeout"
        };
        try (Connection connection = server.connect()) {
            boolean all = connection.getMetaData().getDatabaseMajorVersion() >= 17;
            connection.setAutoCommit(false);
            FleetSql.POSTGRESQL.begin(connection);
            for (String setting : settings) {
                if (all || !setting.equals("transaction_timeout")) {
                    assertThat(text(connection, "SHOW " + setting)).as(setting).isIn("2s", "5s");
                }
            }
            assertThat(text(connection, "SHOW transaction_isolation")).isEqualTo("read committed");
            assertThat(text(connection, "SHOW transaction_read_only")).isEqualTo("off");
            connection.rollback();
        }
    }

    /** Else it would make a fleet of its own, and the budget would be there twice. */
    @Test
    void aMemberThatLooksInAnotherSchemaIsRefusedAndMakesNoSecondTables() throws Exception {
        execute("CREATE SCHEMA elsewhere AUTHORIZATION weir");
        execute("ALTER ROLE weir SET search_path TO elsewhere");
        try (WeirDataSource first = new WeirDataSource(
                        config(3).connectionInitSql("SET search_path TO public").build());
                WeirFleet one = WeirFleet.join(first, options());
                WeirDataSource second = pool(3)) {
            assertThat(one.stats().granted()).isPositive();
            assertThatThrownBy(() -> WeirFleet.join(second, options()))
                    .isInstanceOf(FleetRefusedException.class)
                    .hasMessageContaining("weir_fleet is in schema public, which this user does not look in")
                    .hasMessageContaining("elsewhere");
            assertThat(number("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'weir_fleet%'"))
                    .isEqualTo(2);
        } finally {
            execute("ALTER ROLE weir RESET search_path");
            execute("DROP SCHEMA elsewhere CASCADE");
        }
    }

    /** Members that begin together find no tables, and one of them makes them before another looks where they are. */
    @Test
    void tablesThatAnotherMemberMadeMeanwhileAreNoReasonToRefuse() throws Exception {
        try (WeirDataSource pool = pool(3);
                WeirFleet fleet = WeirFleet.join(pool, options());
                Connection connection = pool.getConnection()) {
            assertThat(fleet.stats().granted()).isPositive();
            FleetSql.of(connection).requireNoTables(connection, "proof");
        }
    }

    @Test
    void theUsersNameIsStillShown() throws Exception {
        try (WeirDataSource pool = pool(3);
                WeirFleet fleet = WeirFleet.join(pool, options())) {
            assertThat(fleet.stats().granted()).isPositive();
            assertThat(pool.getUsername()).isEqualTo("weir");
            giveBack(take(pool, 1));
            assertThat(pool.getUsername()).isEqualTo("weir");
            assertThat(pool.config().values()).containsEntry("username", "weir");
        }
    }

    @Test
    void sessionsThatAUserRenamedCountAsThoseOfAMemberThatDied() throws Exception {
        FleetOptions brief = options().withLease(Duration.ofSeconds(5), Duration.ofMinutes(10));
        try (WeirDataSource pool =
                        new WeirDataSource(config(3).acquireIncrement(1).build());
                WeirFleet fleet = WeirFleet.join(pool, brief);
                Connection first = pool.getConnection();
                Connection second = pool.getConnection();
                Statement one = first.createStatement();
                Statement two = second.createStatement()) {
            one.execute("SET application_name = 'mine'");
            two.execute("SET application_name = 'mine'");
            Await.await("it has three", SOON, () -> number("SELECT sum(has) FROM weir_fleet_member") >= 3);
            execute(
                    "UPDATE weir_fleet_member SET expires = (SELECT clock FROM weir_fleet) - 1, has = 4, floor = 0, sequence = sequence + 1000000");
            try (WeirDataSource other = pool(10);
                    WeirFleet late = WeirFleet.join(other, brief)) {
                giveBack(take(other, 3));
                // own, two renamed, and a connect and another that may be under way
                assertThat(number("SELECT has FROM weir_fleet_member WHERE instance = '" + fleet.instance() + "'"))
                        .isEqualTo(4);
                assertThat(late.stats().members()).isOne();
            }
        }
    }

    /** As after a restore from a backup: rows of members that are gone, and the places as they were shared then. */
    @Test
    @Tag("thorough")
    void oldRowsPassNoBudgetAndHoldPlacesNoLongerThanTheirLease() throws Exception {
        FleetOptions brief = options().withLease(Duration.ofSeconds(5), Duration.ofMinutes(10));
        try (WeirDataSource first = pool(10);
                WeirDataSource second = pool(10);
                WeirFleet one = WeirFleet.join(first, brief);
                WeirFleet two = WeirFleet.join(second, brief)) {
            giveBack(take(first, 7));
            execute("CREATE TABLE backup AS SELECT * FROM weir_fleet");
            execute("CREATE TABLE backup_member AS SELECT * FROM weir_fleet_member");
            execute("INSERT INTO backup_member SELECT fleet, 'abcdefabcdef', application, weight, guaranteed, maximum,"
                    + " at_once, 1, 3, 3, 3, 0, expires, NULL FROM backup_member WHERE instance = '" + one.instance()
                    + "'");
            giveBack(take(second, 7));
            execute(
                    "BEGIN; LOCK TABLE weir_fleet, weir_fleet_member; DELETE FROM weir_fleet; DELETE FROM weir_fleet_member;"
                            + " INSERT INTO weir_fleet SELECT * FROM backup;"
                            + " INSERT INTO weir_fleet_member SELECT * FROM backup_member; COMMIT");
            for (int round = 0; round < 3; round++) {
                giveBack(take(first, 5));
                assertThat(backends()).isLessThanOrEqualTo(12);
                giveBack(take(second, 5));
                assertThat(backends()).isLessThanOrEqualTo(12);
            }
            assertThat(one.stats().leaseHolds() && two.stats().leaseHolds()).isTrue();
        } finally {
            execute("DROP TABLE IF EXISTS backup, backup_member");
        }
    }

    private static void awaitBothWork(WeirDataSource first, WeirDataSource second) {
        Await.await(
                () -> "both work: " + first.stats() + second.stats(),
                SOON,
                () -> first.stats().inUse() > 3 && second.stats().inUse() > 3);
    }

    @Test
    void afterARestartMembersAskBeforeTheyOpen() throws Exception {
        try (WeirDataSource first = pool(10);
                WeirDataSource second = pool(10);
                WeirFleet one = WeirFleet.join(first, options());
                WeirFleet two = WeirFleet.join(second, options());
                Waiters some = new Waiters(first, 12, slow());
                Waiters others = new Waiters(second, 12, slow())) {
            awaitBothWork(first, second);
            long renewals = one.stats().renewals();
            server.restart();
            awaitBothWork(first, second);
            Await.await("it has asked", SOON, () -> one.stats().renewals() > renewals);
            assertThat(backends()).isLessThanOrEqualTo(12);
            assertThat(two.stats().leaseHolds()).isTrue();
        }
    }

    /** The standby may lack the last renewals; here it has them, and the sessions at the old primary are gone. */
    @Test
    @Tag("thorough")
    void afterAFailoverMembersAskTheNewPrimary() throws Exception {
        try (PostgresPair pair =
                PostgresPair.start(PostgresServer.builder().maxConnections(40).role("weir", "secret"))) {
            String url = "jdbc:postgresql://127.0.0.1:" + pair.primary().port() + ",127.0.0.1:"
                    + pair.standby().port() + "/postgres?targetServerType=primary&hostRecheckSeconds=0";
            try (WeirDataSource first = new WeirDataSource(config(10).url(url).build());
                    WeirDataSource second =
                            new WeirDataSource(config(10).url(url).build());
                    WeirFleet one = WeirFleet.join(first, options());
                    WeirFleet two = WeirFleet.join(second, options());
                    Waiters some = new Waiters(first, 12, slow());
                    Waiters others = new Waiters(second, 12, slow())) {
                awaitBothWork(first, second);
                pair.awaitCaughtUp();
                long before = one.stats().renewals();
                pair.primary().stop();
                pair.promote();
                awaitBothWork(first, second);
                Await.await("it has asked", SOON, () -> one.stats().renewals() > before);
                assertThat(pair.standby().backends()).isLessThanOrEqualTo(12);
                assertThat(pair.standby().number("SELECT sum(has) FROM weir_fleet_member"))
                        .isLessThanOrEqualTo(11);
            }
        }
    }

    @Test
    void aStartThatFailsAndIsRepeatedKeepsItsSizes() throws Exception {
        try (WeirDataSource pool = new WeirDataSource(
                        config(6).connectionTimeout(Duration.ofSeconds(1)).build());
                WeirFleet fleet = WeirFleet.join(pool, options())) {
            server.stop();
            try {
                assertThat(Await.becomesTrue(Duration.ofSeconds(3), () -> starts(pool)))
                        .isFalse();
            } finally {
                server.start();
            }
            Await.await(() -> "it works: " + fleet.stats(), SOON, () -> starts(pool));
            giveBack(take(pool, 6));
            assertThat(pool.getMaximumPoolSize()).isGreaterThanOrEqualTo(6);
        }
    }

    private static boolean starts(WeirDataSource pool) {
        try (Connection connection = pool.getConnection()) {
            return connection.isValid(1);
        } catch (java.sql.SQLException e) {
            return false;
        }
    }

    @Test
    @EnabledIf("isBouncerInstalled")
    void itWorksBehindATransactionPoolerAndLeavesNothingInItsSessions() throws Exception {
        execute("ALTER ROLE weir SET default_transaction_isolation TO serializable");
        try (PgBouncer bouncer = new PgBouncer(server.port(), "weir", "secret")) {
            String url = server.jdbcUrl("postgres", bouncer.port()) + "?prepareThreshold=0";
            try (WeirDataSource first = new WeirDataSource(config(8).url(url).build());
                    WeirDataSource second =
                            new WeirDataSource(config(8).url(url).build());
                    WeirFleet one = WeirFleet.join(first, options());
                    WeirFleet two = WeirFleet.join(second, options())) {
                for (int round = 0; round < 2; round++) {
                    giveBack(take(first, 7));
                    giveBack(take(second, 7));
                }
                assertThat(first.stats().total() + second.stats().total()).isLessThanOrEqualTo(9);
                assertThat(one.stats().failures() + two.stats().failures()).isZero();
                assertThat(number("SELECT count(*) FROM weir_fleet_member WHERE tag IS NULL"))
                        .as("the server does not show whose a session is")
                        .isEqualTo(2);
                for (Connection connection : take(first, 4)) {
                    assertThat(text(connection, "SHOW default_transaction_isolation"))
                            .isEqualTo("serializable");
                    assertThat(text(connection, "SHOW lock_timeout")).isEqualTo("0");
                    connection.close();
                }
            }
        } finally {
            execute("ALTER ROLE weir RESET default_transaction_isolation");
        }
    }
}
