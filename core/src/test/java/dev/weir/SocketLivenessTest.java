package dev.weir;

import static dev.weir.PostgresShared.SOON;
import static dev.weir.PostgresShared.awaitAge;
import static dev.weir.PostgresShared.awaitBackends;
import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.filled;
import static dev.weir.PostgresShared.number;
import static dev.weir.PostgresShared.pid;
import static dev.weir.PostgresShared.server;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.servers.PgBouncer;
import dev.weir.testkit.servers.PostgresServer;
import dev.weir.testkit.servers.PostgresServer.StopMode;
import dev.weir.testkit.servers.ThreadsLeft;
import java.io.IOException;
import java.io.Writer;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/**
 * P7 where the pool watches the sockets: connections that the server ended are not lent, however recently they were used.
 * The round trip that would find them too is put off for an hour, so that it finds nothing here.
 */
class SocketLivenessTest {
    private static final int SIZE = 8;
    private static final Duration NO_ROUND_TRIP = Duration.ofHours(1);

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @AfterEach
    void nothingIsLeft() {
        server().start();
        PostgresShared.assertNothingLeft(threads);
    }

    private static PoolConfig.Builder socket(PoolConfig.Builder pool) {
        return pool.liveness("socket").validateAfterIdle(NO_ROUND_TRIP).connectionTimeout(SOON);
    }

    /** As many uses one after the other; what users saw fail. */
    private static List<SQLException> uses(int count, WeirDataSource pool) {
        List<SQLException> errors = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            try (Connection connection = pool.getConnection()) {
                number(connection, "SELECT 1");
            } catch (SQLException e) {
                errors.add(e);
            }
        }
        return errors;
    }

    private static void assertGood(List<? extends Exception> errors) {
        assertThat(errors).as("errors of 100 uses").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10, 400})
    void sessionsThatWereTerminatedAreNotLent(int millis) throws SQLException {
        try (WeirDataSource pool = filled(SIZE, socket(PostgresShared.pool()))) {
            assertThat(uses(SIZE, pool)).isEmpty();
            assertThat(server().endBackends()).isEqualTo(SIZE);
            awaitAge(System.nanoTime(), Duration.ofMillis(millis));
            assertGood(uses(100, pool));
        }
    }

    @Test
    void norToManyThreadsAtOnce() throws Exception {
        try (WeirDataSource pool = filled(SIZE, socket(PostgresShared.pool()))) {
            assertThat(server().endBackends()).isEqualTo(SIZE);
            List<SQLException> errors = new ArrayList<>();
            assertGood(PostgresShared.concurrently(SIZE, () -> {
                List<SQLException> own = uses(25, pool);
                synchronized (errors) {
                    errors.addAll(own);
                }
                return null;
            }));
            assertGood(errors);
        }
    }

    /** The thread that gives it back looks, and not the one that is handed it. */
    @Test
    void norOneThatIsHandedToWhoWaits() throws Exception {
        try (WeirDataSource pool = filled(1, socket(PostgresShared.pool()))) {
            Connection held = pool.getConnection();
            number(held, "SELECT 1");
            FutureTask<List<SQLException>> waits = new FutureTask<>(() -> uses(1, pool));
            new Thread(waits, "waits").start();
            Await.await("one waits", SOON, () -> pool.stats().waiting() == 1);
            assertThat(server().endBackends()).isEqualTo(1);
            awaitAge(System.nanoTime(), Duration.ofMillis(20)); // so long that it is due
            held.close();
            assertGood(waits.get());
        }
    }

    @Test
    void norThoseThatTheImmediateStopOfTheServerEnded() throws SQLException {
        try (WeirDataSource pool = filled(SIZE, socket(PostgresShared.pool()))) {
            server().stop(StopMode.IMMEDIATE);
            server().start();
            assertGood(uses(100, pool));
        }
    }

    @Test
    void norThoseThatTheServerEndedForBeingIdle() throws SQLException {
        try (WeirDataSource pool = filled(
                SIZE,
                socket(PostgresShared.pool())
                        .minimumPoolSize(SIZE)
                        .connectionInitSql("SET idle_session_timeout = 700"))) {
            pool.setMinimumPoolSize(0); // no new ones, which the server would end in the midst of the uses
            awaitBackends(0);
            assertGood(uses(100, pool));
        }
    }

    /** The look is at what comes in encrypted. */
    @Test
    void norWithTls(@TempDir Path folder) throws Exception {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/openssl")),
                "openssl, which makes the certificate, is not installed");
        Path key = folder.resolve("key");
        Path certificate = folder.resolve("certificate");
        Process openssl = new ProcessBuilder(
                        ("/usr/bin/openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -keyout " + key
                                        + " -out " + certificate)
                                .split(" "))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        assertThat(openssl.waitFor()).isZero();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (PostgresServer secure = PostgresServer.builder()
                        .setting("ssl", "on")
                        .setting("ssl_key_file", key.toString())
                        .setting("ssl_cert_file", certificate.toString())
                        .start();
                WeirDataSource pool = filled(
                        SIZE,
                        socket(PoolConfig.builder()
                                .url(secure.jdbcUrl() + (secure.jdbcUrl().contains("?") ? "&" : "?")
                                        + "sslmode=require")))) {
            try (Connection connection = pool.getConnection()) {
                assertThat(number(connection, "SELECT count(*) FROM pg_stat_ssl WHERE ssl AND pid = pg_backend_pid()"))
                        .isEqualTo(1);
            }
            assertThat(uses(SIZE, pool)).isEmpty();
            assertThat(secure.endBackends()).isEqualTo(SIZE);
            assertGood(uses(100, pool));
        }
    }

    /** The driver connects on a thread of its own there. */
    @Test
    void norWhereTheDriverConnectsOnAnotherThread() throws SQLException {
        PoolConfig.Builder config = socket(PostgresShared.pool());
        config.url(server().jdbcUrl() + (server().jdbcUrl().contains("?") ? "&" : "?") + "loginTimeout=20");
        try (WeirDataSource pool = filled(SIZE, config)) {
            assertThat(server().endBackends()).isEqualTo(SIZE);
            assertGood(uses(100, pool));
        }
    }

    @Test
    void norWhereTheDriverIsNamedByItsDataSource() throws SQLException {
        PoolConfig.Builder config = PoolConfig.builder()
                .dataSourceClassName("org.postgresql.ds.PGSimpleDataSource")
                .dataSourceProperty("url", server().jdbcUrl())
                .username(PostgresShared.USER)
                .password(PostgresShared.PASSWORD);
        try (WeirDataSource pool = filled(SIZE, socket(config))) {
            assertThat(server().endBackends()).isEqualTo(SIZE);
            assertGood(uses(100, pool));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = MariaDbShared.Driver.class,
            names = {"MARIADB", "MYSQL"})
    void norThoseThatMariaDbEnded(MariaDbShared.Driver driver) throws Exception {
        endedByMariaDb(driver.pool());
    }

    @Test
    void norThoseOfTheDataSourceOfMySql() throws Exception {
        PoolConfig byUrl = MariaDbShared.Driver.MYSQL.pool().build();
        endedByMariaDb(PoolConfig.builder()
                .dataSourceClassName("com.mysql.cj.jdbc.MysqlDataSource")
                .dataSourceProperty("url", byUrl.url())
                .username(MariaDbShared.USER)
                .password(MariaDbShared.PASSWORD));
    }

    private static void endedByMariaDb(PoolConfig.Builder config) throws Exception {
        ThreadsLeft others = ThreadsLeft.sinceNow();
        MariaDbShared.server();
        try (WeirDataSource pool = filled(SIZE, config.liveness("socket").connectionTimeout(SOON))) {
            assertThat(uses(SIZE, pool)).isEmpty();
            pool.setMinimumPoolSize(0); // no new ones, which would be there when the old ones are awaited
            MariaDbShared.execute("KILL USER " + MariaDbShared.USER);
            Await.await(
                    "none is left",
                    SOON,
                    () -> MariaDbShared.number("SELECT count(*) FROM information_schema.processlist WHERE user = '"
                                    + MariaDbShared.USER + "'")
                            == 0);
            awaitAge(System.nanoTime(), Duration.ofMillis(500)); // it ends them without a word
            assertGood(uses(100, pool));
        }
        MariaDbShared.assertNothingLeft(others);
    }

    @Test
    void pgBouncerMayPauseReconnectAndRestart() throws Exception {
        assumeTrue(PgBouncer.isInstalled(), "PgBouncer is not installed here");
        try (PgBouncer bouncer = new PgBouncer(server().port(), PostgresShared.USER, PostgresShared.PASSWORD);
                WeirDataSource pool =
                        filled(SIZE, PostgresShared.pool(bouncer.port()).connectionTimeout(SOON))) {
            assertThat(uses(SIZE, pool)).isEmpty();
            bouncer.admin("RECONNECT");
            assertThat(uses(100, pool)).as(bouncer::log).isEmpty();
            bouncer.admin("PAUSE");
            CompletableFuture<List<SQLException>> paused = CompletableFuture.supplyAsync(() -> uses(100, pool));
            Await.await("one is held up", SOON, () -> pool.stats().inUse() == 1);
            bouncer.admin("RESUME");
            assertThat(paused.get()).as(bouncer::log).isEmpty();
            PostgresShared.awaitIdle(pool, SIZE);
            bouncer.stop();
            bouncer.start();
            awaitAge(System.nanoTime(), Duration.ofMillis(500)); // it ends them without a word
            assertThat(uses(100, pool)).as(bouncer::log).isEmpty();
        }
    }

    @Test
    void aNotificationThatCameMeanwhileSurvives() throws SQLException {
        try (WeirDataSource pool = filled(1, socket(PostgresShared.pool()))) {
            int listener;
            try (Connection connection = pool.getConnection()) {
                execute(connection, "LISTEN weir");
                listener = pid(connection);
            }
            try (Connection other = server().connect()) {
                execute(other, "NOTIFY weir, 'still there'");
            }
            try (Connection connection = pool.getConnection()) {
                assertThat(pid(connection)).isEqualTo(listener);
                assertThat(connection.unwrap(PGConnection.class).getNotifications())
                        .extracting(heard -> heard.getParameter())
                        .containsExactly("still there");
            }
        }
    }

    @Test
    void anInterruptedUserHarmsNoSocket() throws Exception {
        try (WeirDataSource pool = filled(1, socket(PostgresShared.pool()))) {
            int before;
            try (Connection connection = pool.getConnection()) {
                before = pid(connection);
            }
            int used = CompletableFuture.supplyAsync(() -> pidInterrupted(pool)).get();
            try (Connection connection = pool.getConnection()) {
                assertThat(List.of(used, pid(connection))).containsOnly(before);
            }
        }
    }

    /**
     * The process of a connection that an interrupted thread gets and uses. One that is just being tested has to be waited for,
     * which ends at once in such a thread: then it asks again.
     */
    private static int pidInterrupted(WeirDataSource pool) {
        for (int refused = 0; ; refused++) {
            Await.await("it is idle", SOON, () -> pool.stats().idle() == 1);
            Thread.currentThread().interrupt();
            try (Connection connection = pool.getConnection()) {
                return pid(connection);
            } catch (SQLException e) {
                assertThat(e.getMessage()).contains("interrupted after waiting");
                assertThat(refused).isLessThan(20);
            } finally {
                assertThat(Thread.interrupted()).isTrue();
            }
        }
    }

    @Test
    void aStatementCanBeCancelled() throws Exception {
        try (WeirDataSource pool = filled(1, socket(PostgresShared.pool()));
                Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            CompletableFuture<Void> ended =
                    CompletableFuture.runAsync(() -> assertThatThrownBy(() -> statement.execute("SELECT pg_sleep(60)"))
                            .hasMessageContaining("cancel"));
            Await.await(
                    "it runs",
                    SOON,
                    () -> server().number("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == 1);
            statement.cancel();
            ended.get();
        }
    }

    // ------------------------------------------------------------- the setting

    @Test
    void thePoolSaysWhatItChose() throws SQLException {
        try (WeirDataSource watched = filled(1, PostgresShared.pool());
                WeirDataSource told = filled(1, PostgresShared.pool().validateAfterIdle(Duration.ofSeconds(2)));
                WeirDataSource tested = filled(1, PostgresShared.pool().liveness("test"))) {
            assertThat(watched.getLiveness()).isEqualTo("socket");
            assertThat(watched.getValidateAfterIdle()).isEqualTo(Duration.ofMillis(500));
            assertThat(told.getValidateAfterIdle()).isEqualTo(Duration.ofSeconds(2));
            assertThat(tested.getLiveness()).isEqualTo("test");
            assertThat(tested.getValidateAfterIdle()).isEqualTo(Duration.ofMillis(500));
        }
    }

    @Test
    void whereTheDriverCannotTakeItsSocketsFromThePoolSocketIsRefused() {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(db.dataSource())
                        .liveness("socket")
                        .build())) {
            assertThatThrownBy(pool::start)
                    .hasMessageContaining("liveness: socket (expected: test: the sockets of this driver cannot be");
        }
    }

    @Test
    void aSocketFactoryOfTheUserStays() throws SQLException {
        String url = server().jdbcUrl() + (server().jdbcUrl().contains("?") ? "&" : "?")
                + "socketFactory=javax.net.DefaultSocketFactory";
        try (WeirDataSource pool = new WeirDataSource(
                PostgresShared.pool().url(url).liveness("socket").build())) {
            assertThatThrownBy(pool::start).hasMessageContaining("says where sockets come from (socketfactory)");
        }
    }

    /** Where a driver may go on by another socket than the one that the pool knows. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:mysql:loadbalance://127.0.0.1:1,127.0.0.1:2/a",
                "jdbc:mysql:replication://127.0.0.1:1,127.0.0.1:2/a",
                "jdbc:mysql+srv://nowhere.invalid/a",
                "jdbc:mysql://127.0.0.1:1,127.0.0.1:2/a",
                "jdbc:mysql://127.0.0.1:1/a?autoReconnect=true",
                "jdbc:mariadb:sequential://127.0.0.1:1,127.0.0.1:2/a",
            })
    void norWhereTheDriverMayChangeIt(String url) {
        try (WeirDataSource pool = new WeirDataSource(
                PoolConfig.builder().url(url).liveness("socket").build())) {
            assertThatThrownBy(pool::start).hasMessageContaining("this driver may change the socket");
        }
    }

    @Test
    void norWhereTheDataSourceConnectsOnAnotherThread() {
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .dataSourceClassName("org.postgresql.ds.PGSimpleDataSource")
                .dataSourceProperty("loginTimeout", 5)
                .liveness("socket")
                .build())) {
            assertThatThrownBy(pool::start).hasMessageContaining("connects on a thread of its own");
        }
    }

    /** Weir's factory is then of the other one's kind, and the driver would not take it. */
    @Test
    void norWhereTheDriverIsThereTwice() throws Exception {
        URL jar = com.mysql.cj.jdbc.Driver.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation();
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader own = new URLClassLoader(new URL[] {jar}, before) {
                    @Override
                    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                        Class<?> loaded = findLoadedClass(name);
                        return loaded != null
                                ? loaded
                                : name.startsWith("com.mysql.") ? findClass(name) : super.loadClass(name, resolve);
                    }
                };
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .url("jdbc:mysql://127.0.0.1:1/a")
                        .driverClassName("com.mysql.cj.jdbc.Driver")
                        .liveness("socket")
                        .build())) {
            thread.setContextClassLoader(own);
            assertThatThrownBy(pool::start).hasMessageContaining("the class loader of the driver does not see Weir");
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    // ---------------------------------------------------------------- a pause

    /**
     * A long pause of the JVM: meanwhile the sessions died, and no thread of the pool could know. The test alone shows
     * it after a pause longer than {@code validateAfterIdle}.
     */
    @ParameterizedTest
    @CsvSource({"socket, 0", "test, 600"})
    void afterAPauseOfTheJvmNoDeadConnectionIsLent(String liveness, long pauseMillis, @TempDir Path folder)
            throws Exception {
        Path output = folder.resolve("output");
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Paused.class.getName(),
                        server().jdbcUrl(),
                        PostgresShared.USER,
                        PostgresShared.PASSWORD,
                        liveness)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try (Writer words = child.outputWriter(StandardCharsets.UTF_8)) {
            Await.await(() -> "ready: " + read(output), SOON, () -> read(output).contains("ready"));
            signal("STOP", child);
            long stopped = System.nanoTime();
            assertThat(server().endBackends()).isEqualTo(SIZE);
            awaitAge(stopped, Duration.ofMillis(pauseMillis));
            words.write("go\n");
            words.flush();
            signal("CONT", child);
            Await.await(() -> "done: " + read(output), SOON, () -> read(output).contains("done"));
            assertThat(read(output)).contains("errors: 0");
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    private static void signal(String name, Process process) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    private static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** The application that is paused. */
    static final class Paused {
        public static void main(String[] args) throws Exception {
            PoolConfig.Builder config =
                    PoolConfig.builder().url(args[0]).username(args[1]).password(args[2]);
            boolean socket = args[3].equals("socket");
            try (WeirDataSource pool = filled(
                    SIZE, socket ? socket(config) : config.liveness("test").connectionTimeout(SOON))) {
                uses(SIZE, pool);
                System.out.println("ready");
                while (System.in.available() == 0) { // to be as fast as the Keeper after the pause
                    Thread.onSpinWait();
                }
                List<SQLException> errors = uses(100, pool);
                System.out.println("errors: " + errors.size() + " " + errors);
                System.out.println("done");
            }
        }
    }
}
