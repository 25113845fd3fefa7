package dev.weir.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.servers.MariaDbServer;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** On MariaDB. The server shows to {@code seen} whose a session is, and to nobody else. */
@EnabledIf("isInstalled")
@Tag("thorough")
class WeirFleetOnMariaDbTest extends FleetCases {
    private static MariaDbServer server;

    static boolean isInstalled() {
        return MariaDbServer.isInstalled();
    }

    @BeforeAll
    static void launch() {
        server = MariaDbServer.builder()
                .maxConnections(40)
                .option("max-user-connections", "1000") // with 0 it could not be set at run time
                .user("weir", "secret")
                .user("other", "secret")
                .user("seen", "secret")
                .option("performance-schema", "ON")
                .start();
        run("GRANT SELECT ON performance_schema.session_connect_attrs TO seen@127.0.0.1");
    }

    @AfterAll
    static void end() {
        server.close();
    }

    @Override
    String url() {
        return "jdbc:mariadb://127.0.0.1:" + server.port() + "/weir";
    }

    /** Not under what {@link #defaults} makes the sessions of others begin with. */
    private static Connection connect(String user, String password) throws SQLException {
        String own = "?sessionVariables=tx_read_only=0,autocommit=1,sql_mode=''";
        return DriverManager.getConnection("jdbc:mariadb://127.0.0.1:" + server.port() + "/weir" + own, user, password);
    }

    @Override
    void execute(String sql) {
        run(sql);
    }

    private static void run(String sql) {
        try (Connection connection = connect("root", "");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    @Override
    long number(String sql) {
        try (Connection connection = connect("root", "");
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    @Override
    int backends() {
        return (int) number("SELECT count(*) FROM information_schema.processlist WHERE user IN ('weir', 'plain')");
    }

    @Override
    List<String[]> defaults() {
        return List.of(
                global("tx_read_only", "1", "0"),
                global("tx_isolation", "'SERIALIZABLE'", "'REPEATABLE-READ'"),
                global("autocommit", "0", "1"),
                global("sql_mode", "'ORACLE,ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES'", "DEFAULT"),
                global("sql_mode", "''", "DEFAULT"),
                global("sql_select_limit", "1", "DEFAULT"),
                global("max_statement_time", "1.5", "0"),
                global("innodb_lock_wait_timeout", "1", "50"),
                global("lock_wait_timeout", "1", "86400"),
                global("idle_transaction_timeout", "1", "0"),
                global("completion_type", "1", "0"),
                global("time_zone", "'+05:45'", "'SYSTEM'"),
                global("init_connect", "'SET sql_safe_updates = 1'", "''"));
    }

    private static String[] global(String name, String value, String before) {
        return new String[] {"SET GLOBAL " + name + " = " + value, "SET GLOBAL " + name + " = " + before};
    }

    @Override
    String slow() {
        return "SELECT SLEEP(0.01)";
    }

    @Override
    FleetOptions rights(FleetOptions options) {
        execute("CREATE OR REPLACE USER plain IDENTIFIED BY 'secret'");
        execute("GRANT SELECT, INSERT, UPDATE ON weir.weir_fleet TO plain");
        execute("GRANT SELECT, INSERT, UPDATE, DELETE ON weir.weir_fleet_member TO plain");
        return options;
    }

    @Test
    void anAutomaticBudgetIsWhatTheServerHasLessWhatOtherAccountsUse() throws Exception {
        FleetOptions auto = FleetOptions.of("test", "app").withLeaveForOthers(5).withCreateTables(true);
        try (Connection other = connect("other", "secret");
                WeirDataSource pool = pool(10);
                WeirFleet fleet = WeirFleet.join(pool, auto)) {
            assertThat(other.isValid(1)).isTrue();
            assertThat(fleet.stats().budget()).isEqualTo(40 - 5 - 1);
        }
        execute("ALTER USER weir@'127.0.0.1' WITH MAX_USER_CONNECTIONS 9");
        fresh();
        try (WeirDataSource pool = pool(10);
                WeirFleet fleet = WeirFleet.join(pool, auto)) {
            assertThat(fleet.stats().budget()).isEqualTo(9 - 5);
        } finally {
            execute("ALTER USER weir@'127.0.0.1' WITH MAX_USER_CONNECTIONS 0");
        }
        execute("SET GLOBAL max_user_connections = 12");
        fresh();
        try (WeirDataSource pool = pool(10);
                WeirFleet fleet = WeirFleet.join(pool, auto)) {
            assertThat(fleet.stats().budget()).isEqualTo(12 - 5);
        } finally {
            execute("SET GLOBAL max_user_connections = 1000");
        }
    }

    @Test
    void ofAMemberThatDiedTheServerShowsWhatIsLeft() throws Exception {
        // its own, two that users hold, a connect and another that may be under way
        assertThat(heldOfADeadMember(config(2).username("seen"))).isEqualTo(5);
    }

    @Test
    void withoutTheRightAMemberThatDiedKeepsAllThatItHad() throws Exception {
        assertThat(heldOfADeadMember(config(2))).isEqualTo(8);
    }

    @Test
    void connectorJShowsItToo() throws Exception {
        String url = url().replace("mariadb", "mysql");
        assertThat(heldOfADeadMember(config(2).username("seen").url(url))).isEqualTo(5);
    }

    private long heldOfADeadMember(PoolConfig.Builder of) throws Exception {
        PoolConfig config = of.acquireIncrement(1).build();
        FleetOptions brief = options().withLease(Duration.ofSeconds(5), Duration.ofMinutes(10));
        try (WeirDataSource pool = new WeirDataSource(config);
                WeirFleet dead = WeirFleet.join(pool, brief);
                Connection first = pool.getConnection();
                Connection second = pool.getConnection()) {
            assertThat(first.isValid(1) && second.isValid(1)).isTrue();
            Await.await("it has three", SOON, () -> number("SELECT sum(has) FROM weir_fleet_member") >= 3);
            expire(dead, 8);
            try (WeirDataSource other = new WeirDataSource(config);
                    WeirFleet late = WeirFleet.join(other, brief)) {
                giveBack(take(other, 2));
                assertThat(late.stats().members()).isOne();
                return number("SELECT has FROM weir_fleet_member WHERE instance = '" + dead.instance() + "'");
            }
        }
    }

    /** Its lease has ended, it had so many, and its own renewals come too late. */
    private void expire(WeirFleet member, int has) {
        long clock = number("SELECT clock FROM weir_fleet");
        execute("UPDATE weir_fleet_member SET expires = " + (clock - 1) + ", has = " + has + ", floor = 0,"
                + " sequence = sequence + 1000000 WHERE instance = '" + member.instance() + "'");
    }

    /** Where one member may not see whose a session is, and others may. */
    @Test
    void aMemberWithoutTheRightGrowsBesideThoseThatHaveIt() throws Exception {
        try (WeirDataSource pool = new WeirDataSource(config(3).username("seen").build());
                WeirFleet dead = WeirFleet.join(pool, options());
                Connection held = pool.getConnection();
                WeirDataSource second =
                        new WeirDataSource(config(3).username("seen").build());
                WeirFleet living = WeirFleet.join(second, options())) {
            assertThat(held.isValid(1)).isTrue();
            expire(dead, 3);
            try (WeirDataSource other = pool(10);
                    WeirFleet late = WeirFleet.join(other, options())) {
                giveBack(take(other, 4));
                giveBack(take(second, 1));
                assertThat(late.stats().members()).isEqualTo(2);
                assertThat(living.stats().leaseHolds()).isTrue();
                assertThat(number("SELECT has FROM weir_fleet_member WHERE instance = '" + dead.instance() + "'"))
                        .isEqualTo(3);
            }
        }
    }

    @Test
    void aRightThatIsTakenAwayCostsNoPlace() throws Exception {
        try (WeirDataSource pool = new WeirDataSource(config(6).username("seen").build());
                WeirFleet fleet = WeirFleet.join(pool, options())) {
            giveBack(take(pool, 2));
            assertThat(number("SELECT count(*) FROM weir_fleet_member WHERE tag IS NOT NULL"))
                    .isOne();
            run("REVOKE SELECT ON performance_schema.session_connect_attrs FROM seen@127.0.0.1");
            try {
                giveBack(take(pool, 6));
                Await.await(
                        "it is known",
                        SOON,
                        () -> number("SELECT count(*) FROM weir_fleet_member WHERE tag IS NULL") == 1);
                assertThat(fleet.stats().leaseHolds()).isTrue();
            } finally {
                run("GRANT SELECT ON performance_schema.session_connect_attrs TO seen@127.0.0.1");
            }
        }
    }

    @Test
    void onlyARefusalIsAMissingRight() throws Exception {
        try (Connection seen = connect("seen", "secret");
                Connection other = connect("other", "secret")) {
            assertThat(FleetSql.MARIADB.shows(other, "weir:")).isFalse(); // it may not read it
            assertThat(FleetSql.MARIADB.shows(failingAt(seen, "session_connect_attrs", "42000"), "weir:"))
                    .isFalse();
            Connection broken = failingAt(seen, "session_connect_attrs", "08S01");
            assertThatThrownBy(() -> FleetSql.MARIADB.shows(broken, "weir:")).hasMessage("said on purpose");
        }
    }

    /** A connection whose server fails the statements that contain this word. */
    private static Connection failingAt(Connection connection, String word, String sqlState) {
        return (Connection) Proxy.newProxyInstance(
                WeirFleetOnMariaDbTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (arguments != null && arguments[0] instanceof String sql && sql.contains(word)) {
                        throw new SQLException("said on purpose", sqlState);
                    }
                    return method.invoke(connection, arguments);
                });
    }

    @Test
    void aPoolThatWasRefusedHasTheUsersAttributesAgain() throws Exception {
        List<PoolConfig.Builder> configs = List.of(
                config(3).dataSourceProperty("connectionAttributes", "team:refused"),
                config(3).url(url() + "?connectionAttributes=team:refused"),
                config(3).url(url().replace("mariadb", "mysql") + "?connectionAttributes=team:refused"));
        try (WeirDataSource first = pool(3);
                WeirFleet fleet = WeirFleet.join(first, options())) {
            assertThat(fleet.stats().budget()).isEqualTo(12);
        }
        for (PoolConfig.Builder config : configs) {
            try (WeirDataSource pool = new WeirDataSource(config.build())) {
                assertThatThrownBy(() -> WeirFleet.join(pool, options().withBudget(13)))
                        .isInstanceOf(FleetRefusedException.class);
                try (Connection connection = pool.getConnection()) {
                    String own = " WHERE processlist_id = " + id(connection) + " AND attr_name = ";
                    String shown = "SELECT count(*) FROM performance_schema.session_connect_attrs" + own;
                    assertThat(number(shown + "'team' AND attr_value = 'refused'"))
                            .isOne();
                    assertThat(number(shown + "'weir_fleet'")).isZero();
                }
            }
        }
    }

    private static long id(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT connection_id()")) {
            row.next();
            return row.getLong(1);
        }
    }

    @Test
    void aUsersAttributesAreKept() throws Exception {
        aUsersAttributeIsKept(config(3).dataSourceProperty("connectionAttributes", "team:first"), "first");
        aUsersAttributeIsKept(config(3).url(url() + "?connectionAttributes=team:second&tcpKeepAlive=true"), "second");
        String url = url().replace("mariadb", "mysql") + "?connectionAttributes=team:third";
        aUsersAttributeIsKept(config(3).url(url), "third");
        aUsersAttributeIsKept(config(3).url(url).dataSourceProperty("connectionAttributes", "team:fourth"), "fourth");
    }

    private void aUsersAttributeIsKept(PoolConfig.Builder config, String team) throws Exception {
        try (WeirDataSource pool = new WeirDataSource(config.username("seen").build());
                WeirFleet fleet = WeirFleet.join(pool, options());
                Connection connection = pool.getConnection()) {
            assertThat(connection.isValid(1)).isTrue();
            String shown = "SELECT count(*) FROM performance_schema.session_connect_attrs WHERE attr_name = ";
            assertThat(number(shown + "'team' AND attr_value = '" + team + "'")).isEqualTo(2);
            assertThat(number(shown + "'weir_fleet' AND attr_value LIKE 'weir:%:" + fleet.instance() + "'"))
                    .isEqualTo(2);
            assertThat(number("SELECT count(*) FROM weir_fleet_member WHERE tag IS NOT NULL"))
                    .isOne();
        }
    }
}
