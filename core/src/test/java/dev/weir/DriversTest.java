package dev.weir;

import static dev.weir.PostgresShared.concurrently;
import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.number;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The pool on drivers it has no special knowledge of: H2 and HSQLDB, each a database of its own in memory. */
final class DriversTest {
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    enum Database {
        H2("jdbc:h2:mem:weir%d;DB_CLOSE_DELAY=-1"),
        HSQLDB("jdbc:hsqldb:mem:weir%d");

        private final String url;

        Database(String url) {
            this.url = url;
        }
    }

    /** A database with a table, and a second connection to it that bypasses the pool. */
    private static final class Fixture implements AutoCloseable {
        final String url;
        final Connection observer;

        Fixture(Database database) throws SQLException {
            url = String.format(database.url, DATABASES.incrementAndGet());
            observer = DriverManager.getConnection(url, "SA", "");
            execute(observer, "CREATE TABLE STRANGER (N INT)");
            execute(observer, "CREATE SCHEMA ELSEWHERE");
        }

        PoolConfig.Builder pool() {
            return PoolConfig.builder()
                    .url(url)
                    .username("SA")
                    .password("")
                    .minimumPoolSize(1)
                    .maximumPoolSize(1)
                    .registerMbeans(false);
        }

        long rows() throws SQLException {
            return number(observer, "SELECT COUNT(*) FROM STRANGER");
        }

        @Override
        public void close() throws SQLException {
            execute(observer, "SHUTDOWN");
        }
    }

    @AfterEach
    void noThreadIsLeft() {
        threads.none("weir-", Duration.ofSeconds(20));
    }

    @ParameterizedTest
    @EnumSource
    void connectionsGoRound(Database database) throws Exception {
        try (Fixture fixture = new Fixture(database);
                WeirDataSource pool = new WeirDataSource(
                        fixture.pool().minimumPoolSize(4).maximumPoolSize(4).build())) {
            assertThat(concurrently(8, () -> {
                        for (int i = 0; i < 200; i++) {
                            try (Connection connection = pool.getConnection();
                                    PreparedStatement statement =
                                            connection.prepareStatement("INSERT INTO STRANGER VALUES (?)")) {
                                statement.setInt(1, i);
                                statement.executeUpdate();
                            }
                        }
                        return null;
                    }))
                    .isEmpty();
            assertThat(fixture.rows()).isEqualTo(1_600);
            System.out.printf(
                    "%s: 1600 uses by 8 threads of 4 connections, %s%n",
                    database, pool.stats().retired());
            assertThat(pool.stats().opened()).isLessThanOrEqualTo(4);
        }
    }

    /** As {@code addDataSourceProperty("prepStmtCacheSize", 250)} has it: drivers look for text. */
    @Test
    void aNumberOrSwitchForTheDriverIsGivenToItAsText() throws Exception {
        try (Fixture fixture = new Fixture(Database.H2);
                WeirDataSource pool = new WeirDataSource(fixture.pool()
                        .dataSourceProperty("LOCK_TIMEOUT", 1234)
                        .dataSourceProperty("IGNORECASE", true)
                        .build());
                Connection connection = pool.getConnection()) {
            assertThat(number(connection, "SELECT LOCK_TIMEOUT()")).isEqualTo(1234);
        }
    }

    /** The driver's own object, of a class that tests are not compiled against. */
    private static Connection unwrapped(Connection handle) throws SQLException {
        for (String name : new String[] {"org.h2.jdbc.JdbcConnection", "org.hsqldb.jdbc.JDBCConnection"}) {
            try {
                Class<?> type = Class.forName(name);
                if (handle.isWrapperFor(type)) {
                    return (Connection) handle.unwrap(type);
                }
            } catch (ClassNotFoundException e) {
                throw new AssertionError(e);
            }
        }
        throw new AssertionError("a wrapper of neither driver: " + handle);
    }

    @ParameterizedTest
    @EnumSource
    void theConfiguredStateIsAsItWasBefore(Database database) throws Exception {
        try (Fixture fixture = new Fixture(database);
                WeirDataSource pool = new WeirDataSource(fixture.pool()
                        .autoCommit(false)
                        .schema("ELSEWHERE")
                        .transactionIsolation(Connection.TRANSACTION_REPEATABLE_READ)
                        .build())) {
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.getSchema()).isEqualTo("ELSEWHERE");
                assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
            }
            assertRestored(pool);
        }
    }

    private static void assertRestored(WeirDataSource pool) throws SQLException {
        Map<String, Object> before;
        try (Connection connection = pool.getConnection()) {
            before = stateOf(connection);
        }
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(!connection.getAutoCommit());
            connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            connection.setSchema("INFORMATION_SCHEMA");
            connection.setReadOnly(true);
            connection.setHoldability(ResultSet.CLOSE_CURSORS_AT_COMMIT);
            number(connection, "SELECT COUNT(*) FROM PUBLIC.STRANGER");
        }
        try (Connection connection = pool.getConnection()) {
            assertThat(stateOf(connection)).isEqualTo(before);
        }
        assertThat(pool.stats().opened()).isEqualTo(1);
    }

    private static Map<String, Object> stateOf(Connection connection) throws SQLException {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("autoCommit", connection.getAutoCommit());
        all.put("isolation", connection.getTransactionIsolation());
        all.put("schema", connection.getSchema());
        all.put("readOnly", connection.isReadOnly());
        all.put("holdability", connection.getHoldability());
        all.put("warnings", String.valueOf(connection.getWarnings()));
        return all;
    }

    @ParameterizedTest
    @EnumSource
    void closingThePoolClosesItsConnectionsAndNoHandleWorksAfterwards(Database database) throws Exception {
        try (Fixture fixture = new Fixture(database)) {
            WeirDataSource pool = new WeirDataSource(
                    fixture.pool().closeTimeout(Duration.ofMillis(100)).build());
            Connection held = pool.getConnection();
            Connection physical = unwrapped(held);
            pool.close();
            assertThat(physical.isClosed()).isTrue();
            assertThat(held.isClosed()).isTrue();
            assertThatThrownBy(held::createStatement).isInstanceOf(SQLException.class);
            assertThat(pool.stats().total()).isZero();
        }
    }
}
