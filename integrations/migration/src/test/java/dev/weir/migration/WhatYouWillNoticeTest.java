package dev.weir.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import javax.management.ObjectName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;

/** Each row of the page <em>What you will notice</em>, seen in both pools. */
class WhatYouWillNoticeTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String BEGIN = "<!-- notice:begin, written by WhatYouWillNoticeTest -->\n";
    private static final String END = "<!-- notice:end -->";
    private static final Path PAGE = Path.of(System.getProperty("basedir", ""))
            .toAbsolutePath()
            .resolve("../../docs/start/what-you-will-notice.md")
            .normalize();

    private record Row(String what, String hikari, String weir, Executable check) {}

    private static final List<Row> ROWS = List.of(
            new Row(
                    "the constructor",
                    "`new HikariDataSource(config)` opens a connection, and throws without a database",
                    "`new WeirDataSource(config)` opens nothing; `start()` does, and throws without a database",
                    WhatYouWillNoticeTest::whatTheConstructorDoes),
            new Row(
                    "without `start()`",
                    "`new HikariDataSource()` with setters starts at the first `getConnection()`",
                    "the first `getConnection()` starts the pool, and throws within `connectionTimeout`",
                    WhatYouWillNoticeTest::theFirstConnectionStartsIt),
            new Row(
                    "no size set",
                    "10 connections, always",
                    "10 connections at rest, 60 at most",
                    () -> sizes(null, 10, 10, 10, 60)),
            new Row(
                    "`maximumPoolSize=20` alone",
                    "20 connections, always",
                    "10 at rest, 20 at most; for a fixed size set `minimumPoolSize=20` too",
                    () -> sizes(20, 20, 20, 10, 20)),
            new Row(
                    "`connectionTimeout` not set",
                    "30 s",
                    "5 s",
                    () -> times(HikariConfig::getConnectionTimeout, 30_000, PoolConfig::connectionTimeout, 5)),
            new Row(
                    "`validationTimeout` not set",
                    "5 s",
                    "1 s",
                    () -> times(HikariConfig::getValidationTimeout, 5_000, PoolConfig::validationTimeout, 1)),
            new Row(
                    "`initializationFailTimeout` not set",
                    "one try",
                    "tries for `connectionTimeout`",
                    () -> times(
                            HikariConfig::getInitializationFailTimeout, 1, PoolConfig::initializationFailTimeout, 5)),
            new Row(
                    "`autoCommit` not set",
                    "on",
                    "as the driver has it: on, if its URL says nothing else",
                    WhatYouWillNoticeTest::autoCommitOfTheDriver),
            new Row(
                    "work not committed at `close()`",
                    "rolled back, if a statement was seen to begin it",
                    "rolled back",
                    WhatYouWillNoticeTest::workNotCommitted),
            new Row(
                    "`setClientInfo` of one user",
                    "the next user has it",
                    "undone at `close()`",
                    WhatYouWillNoticeTest::whatAUserChanged),
            new Row(
                    "no connection in time",
                    "`SQLTransientConnectionException`, no SQLState",
                    "the same class, SQLState 08001, with counts and who holds connections, and since when",
                    WhatYouWillNoticeTest::noConnectionInTime),
            new Row(
                    "a misspelt setting",
                    "`RuntimeException`: Property maximunPoolSize does not exist",
                    "`IllegalArgumentException`: all faults at once, each with the name that was probably meant",
                    WhatYouWillNoticeTest::aMisspeltSetting),
            new Row(
                    "a text of an open connection",
                    "`HikariProxyConnection@123 wrapping` and the driver's text",
                    "the driver's text and `[connection #1 of pool weir-1]`",
                    WhatYouWillNoticeTest::theTextOfAConnection),
            new Row(
                    "`close()` of the pool, a connection in use",
                    "aborts it at once",
                    "waits for it, for `closeTimeout` (10 s), then aborts it",
                    WhatYouWillNoticeTest::closeOfThePool),
            new Row("a pool without a name", "`HikariPool-1`", "`weir-1`", WhatYouWillNoticeTest::names),
            new Row(
                    "threads",
                    "`HikariPool-1:housekeeper`, ...",
                    "`weir-<pool>-keeper`, ...; all daemons",
                    WhatYouWillNoticeTest::threads),
            new Row(
                    "the log",
                    "SLF4J, loggers `com.zaxxer.hikari.*`",
                    "`System.Logger`, one logger `dev.weir`: java.util.logging, or what bridges it",
                    WhatYouWillNoticeTest::logs),
            new Row(
                    "JMX",
                    "only with `registerMbeans`: `com.zaxxer.hikari:type=Pool (name)`",
                    "unless `registerMbeans=false`: `dev.weir:type=Pool,name=...`",
                    WhatYouWillNoticeTest::beans));

    @TestFactory
    Stream<DynamicTest> eachRowIsSo() {
        return ROWS.stream().map(row -> DynamicTest.dynamicTest(row.what(), row.check()));
    }

    @Test
    void pageHasTheRows() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN);
        int end = page.indexOf(END);
        assertThat(begin).as(BEGIN).isNotNegative().isLessThan(end);
        StringBuilder table = new StringBuilder("| | HikariCP 7.1.0 | Weir |\n|---|---|---|\n");
        ROWS.forEach(row -> table.append("| ")
                .append(row.what())
                .append(" | ")
                .append(row.hikari())
                .append(" | ")
                .append(row.weir())
                .append(" |\n"));
        String expected = page.substring(0, begin + BEGIN.length()) + table + page.substring(end);
        if (Boolean.getBoolean("weir.docs.update")) {
            Files.writeString(PAGE, expected);
        }
        assertThat(PAGE)
                .as("run with -Dweir.docs.update=true to rewrite it")
                .content()
                .isEqualTo(expected);
    }

    private static HikariConfig hikari(StubDatabase database) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        return config;
    }

    private static PoolConfig.Builder weir(StubDatabase database) {
        return PoolConfig.builder().dataSource(database.dataSource());
    }

    private static void whatTheConstructorDoes() throws SQLException {
        try (StubDatabase database = new StubDatabase()) {
            database.stop();
            assertThatThrownBy(() -> new HikariDataSource(hikari(database)).close())
                    .isInstanceOf(PoolInitializationException.class);
            try (WeirDataSource pool = new WeirDataSource(
                    weir(database).connectionTimeout(Duration.ofMillis(300)).build())) {
                assertThat(database.opened()).isZero();
                assertThatThrownBy(pool::start).isInstanceOf(SQLException.class);
                database.start();
                pool.setInitializationFailTimeout(Duration.ofSeconds(20));
                pool.start();
                assertThat(database.opened()).isPositive();
            }
        }
    }

    private static void theFirstConnectionStartsIt() throws SQLException {
        try (StubDatabase database = new StubDatabase();
                HikariDataSource hikari = new HikariDataSource();
                WeirDataSource weir = new WeirDataSource(weir(database).build())) {
            hikari.setDataSource(database.dataSource());
            assertThat(hikari.isRunning() || weir.isRunning()).isFalse();
            hikari.getConnection().close();
            weir.getConnection().close();
            assertThat(hikari.isRunning() && weir.isRunning()).isTrue();
        }
    }

    private static void sizes(Integer maximum, int hikariRests, int hikariMost, int weirRests, int weirMost)
            throws SQLException {
        try (StubDatabase one = new StubDatabase();
                StubDatabase other = new StubDatabase()) {
            HikariConfig there = hikari(one);
            PoolConfig.Builder here = weir(other);
            if (maximum != null) {
                there.setMaximumPoolSize(maximum);
                here.maximumPoolSize(maximum);
            }
            try (HikariDataSource hikari = new HikariDataSource(there);
                    WeirDataSource weir = new WeirDataSource(here.build())) {
                weir.start();
                Await.await(
                        () -> one.openNow() + " and " + other.openNow(),
                        SOON,
                        () -> one.openNow() == hikariRests && other.openNow() == weirRests);
                assertThat(hikari.getMaximumPoolSize()).isEqualTo(hikariMost);
                assertThat(weir.getMaximumPoolSize()).isEqualTo(weirMost);
            }
        }
    }

    private interface Of<P, T> {
        T in(P config);
    }

    private static void times(Of<HikariConfig, Long> hikari, long millis, Of<PoolConfig, Duration> weir, int seconds) {
        assertThat(hikari.in(new HikariConfig())).isEqualTo(millis);
        assertThat(weir.in(HikariProperty.anyPool().build())).isEqualTo(Duration.ofSeconds(seconds));
    }

    private static void autoCommitOfTheDriver() throws SQLException {
        String url = "jdbc:h2:mem:notice;AUTOCOMMIT=OFF";
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        try (HikariDataSource hikari = new HikariDataSource(config);
                WeirDataSource weir =
                        new WeirDataSource(PoolConfig.builder().url(url).build());
                Connection there = hikari.getConnection();
                Connection here = weir.getConnection()) {
            assertThat(there.getAutoCommit()).isTrue();
            assertThat(here.getAutoCommit()).isFalse();
        }
    }

    private interface Use {
        void on(Connection connection) throws SQLException;
    }

    /** One user, and the next, of one connection. */
    private static void inTurn(Use first, Use inHikari, Use inWeir) throws SQLException {
        try (StubDatabase database = new StubDatabase()) {
            HikariConfig there = hikari(database);
            there.setMaximumPoolSize(1);
            try (HikariDataSource hikari = new HikariDataSource(there);
                    WeirDataSource weir = new WeirDataSource(
                            weir(database).maximumPoolSize(1).poolName("notice").build())) {
                try (Connection connection = hikari.getConnection()) {
                    first.on(connection);
                }
                try (Connection connection = hikari.getConnection()) {
                    inHikari.on(connection);
                }
                try (Connection connection = weir.getConnection()) {
                    first.on(connection);
                }
                try (Connection connection = weir.getConnection()) {
                    inWeir.on(connection);
                }
            }
        }
    }

    private static void workNotCommitted() throws SQLException {
        for (boolean large : new boolean[] {false, true}) {
            try (StubDatabase one = new StubDatabase();
                    StubDatabase other = new StubDatabase()) {
                HikariConfig there = hikari(one);
                there.setMaximumPoolSize(1);
                there.setAutoCommit(false);
                try (HikariDataSource hikari = new HikariDataSource(there);
                        WeirDataSource weir = new WeirDataSource(
                                weir(other).maximumPoolSize(1).autoCommit(false).build())) {
                    for (javax.sql.DataSource pool : List.of(hikari, weir)) {
                        try (Connection connection = pool.getConnection();
                                Statement statement = connection.createStatement()) {
                            long ignored = large
                                    ? statement.executeLargeUpdate("INSERT left")
                                    : statement.executeUpdate("INSERT left");
                        }
                        try (Connection connection = pool.getConnection()) {
                            connection.commit();
                        }
                    }
                    assertThat(one.committed()).as("HikariCP, large: %s", large).hasSize(large ? 1 : 0);
                    assertThat(other.committed()).as("Weir, large: %s", large).isEmpty();
                }
            }
        }
    }

    private static void whatAUserChanged() throws SQLException {
        inTurn(
                connection -> connection.setClientInfo("ApplicationName", "mine"),
                next -> assertThat(next.getClientInfo("ApplicationName")).isEqualTo("mine"),
                next -> assertThat(next.getClientInfo("ApplicationName")).isNotEqualTo("mine"));
    }

    private static void noConnectionInTime() throws SQLException {
        try (StubDatabase database = new StubDatabase()) {
            HikariConfig there = hikari(database);
            there.setMaximumPoolSize(1);
            there.setConnectionTimeout(250);
            try (HikariDataSource hikari = new HikariDataSource(there);
                    WeirDataSource weir =
                            new WeirDataSource(weir(database).maximumPoolSize(1).build());
                    Connection one = hikari.getConnection();
                    Connection other = weir.getConnection()) {
                assertThat(one).isNotSameAs(other);
                weir.setConnectionTimeout(Duration.ofMillis(250)); // not before: the first connect may take longer
                assertThatThrownBy(hikari::getConnection)
                        .isInstanceOfSatisfying(
                                SQLTransientConnectionException.class,
                                e -> assertThat(e.getSQLState()).isNull());
                assertThatThrownBy(weir::getConnection)
                        .isInstanceOfSatisfying(
                                SQLTransientConnectionException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("08001"))
                        .hasMessageContaining("in use 1")
                        .hasMessageContaining(Thread.currentThread().getName());
            }
        }
    }

    private static void aMisspeltSetting() {
        Properties properties = new Properties();
        properties.setProperty("maximunPoolSize", "5");
        assertThatThrownBy(() -> new HikariConfig(properties))
                .isExactlyInstanceOf(RuntimeException.class)
                .hasMessageContaining("Property maximunPoolSize does not exist");
        properties.setProperty("url", "jdbc:h2:mem:x");
        properties.setProperty("conectionTimeout", "5");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PoolConfig.from(properties))
                .withMessageContaining("did you mean maximumPoolSize?")
                .withMessageContaining("did you mean connectionTimeout?");
    }

    private static void theTextOfAConnection() throws SQLException {
        inTurn(
                connection -> {},
                there -> assertThat(there.toString()).matches("HikariProxyConnection@\\d+ wrapping .*"),
                here -> assertThat(here.toString()).endsWith(" [connection #1 of pool notice]"));
    }

    private static void closeOfThePool() throws SQLException {
        try (StubDatabase one = new StubDatabase();
                StubDatabase other = new StubDatabase()) {
            HikariConfig there = hikari(one);
            there.setMaximumPoolSize(1);
            HikariDataSource hikari = new HikariDataSource(there);
            Connection aborted = hikari.getConnection();
            long begun = System.nanoTime();
            hikari.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(9));
            assertThat(one.openNow()).as("aborted: %s", aborted).isZero();

            WeirDataSource weir = new WeirDataSource(weir(other)
                    .maximumPoolSize(1)
                    .closeTimeout(Duration.ofMillis(300))
                    .build());
            Connection held = weir.getConnection();
            begun = System.nanoTime();
            weir.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(290));
            assertThat(held.isClosed()).isTrue();
            assertThat(PoolConfig.builder().url("jdbc:x:y").build().closeTimeout())
                    .hasSeconds(10);
        }
    }

    private static void names() throws SQLException {
        try (StubDatabase database = new StubDatabase();
                HikariDataSource hikari = new HikariDataSource(hikari(database));
                WeirDataSource weir = new WeirDataSource(weir(database).build())) {
            weir.start();
            assertThat(hikari.getPoolName()).matches("HikariPool-\\d+");
            assertThat(weir.getPoolName()).matches("weir-\\d+");
        }
    }

    private static List<Thread> threadsOf(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .toList();
    }

    private static void threads() throws SQLException {
        try (StubDatabase database = new StubDatabase();
                HikariDataSource hikari = new HikariDataSource(hikari(database));
                WeirDataSource weir =
                        new WeirDataSource(weir(database).poolName("threads").build())) {
            weir.start();
            assertThat(threadsOf(hikari.getPoolName() + ":housekeeper")).hasSize(1);
            assertThat(threadsOf("weir-threads-keeper")).hasSize(1);
            assertThat(threadsOf("weir-threads-")).allMatch(Thread::isDaemon);
        }
    }

    private static final class Captured extends Handler {
        final List<String> lines = new CopyOnWriteArrayList<>();

        @Override
        public void publish(LogRecord record) {
            lines.add(record.getLoggerName() + " " + record.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    /** The test has SLF4J write to java.util.logging, to which a System.Logger writes too. */
    private static void logs() throws SQLException {
        Logger root = Logger.getLogger("");
        Captured captured = new Captured();
        root.addHandler(captured);
        try (StubDatabase database = new StubDatabase();
                HikariDataSource hikari = new HikariDataSource(hikari(database));
                WeirDataSource weir =
                        new WeirDataSource(weir(database).poolName("logs").build())) {
            weir.start();
            String start = "com.zaxxer.hikari.HikariDataSource " + hikari.getPoolName() + " - Start completed.";
            Await.await(
                    () -> captured.lines.toString(),
                    SOON,
                    () -> captured.lines.contains(start)
                            && captured.lines.stream()
                                    .anyMatch(line ->
                                            line.startsWith("dev.weir pool 'logs'") && line.contains("started, Weir")));
        } finally {
            root.removeHandler(captured);
        }
    }

    private static boolean isRegistered(String name) throws Exception {
        return ManagementFactory.getPlatformMBeanServer().isRegistered(new ObjectName(name));
    }

    private static void beans() throws Exception {
        try (StubDatabase database = new StubDatabase()) {
            HikariConfig there = hikari(database);
            there.setPoolName("beans");
            try (HikariDataSource hikari = new HikariDataSource(there);
                    WeirDataSource weir =
                            new WeirDataSource(weir(database).poolName("beans").build())) {
                weir.start();
                assertThat(isRegistered("com.zaxxer.hikari:type=Pool (beans)")).isFalse();
                assertThat(isRegistered("dev.weir:type=Pool,name=beans")).isTrue();
                assertThat(hikari.isRegisterMbeans()).isFalse();
            }
            there.setRegisterMbeans(true);
            try (HikariDataSource hikari = new HikariDataSource(there)) {
                assertThat(isRegistered("com.zaxxer.hikari:type=Pool (beans)")).isTrue();
                assertThat(hikari.isRunning()).isTrue();
            }
        }
    }
}
