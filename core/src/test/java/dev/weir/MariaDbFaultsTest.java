package dev.weir;

import static dev.weir.MariaDbShared.server;
import static dev.weir.PostgresShared.SOON;
import static dev.weir.PostgresShared.awaitIdle;
import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.filled;
import static dev.weir.PostgresShared.millisSince;
import static dev.weir.PostgresShared.number;
import static dev.weir.PostgresShared.together;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.MariaDbShared.Driver;
import dev.weir.internal.sessions.Failures;
import dev.weir.spi.FailureClass;
import dev.weir.testkit.Await;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** P6 and P7 with MariaDB's and MySQL's drivers on a real MariaDB that refuses, kills, and goes away. */
final class MariaDbFaultsTest {
    private static final String ID = "SELECT connection_id()";

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();
    private final List<Connection> others = new ArrayList<>();

    @BeforeEach
    void createTable() throws SQLException {
        MariaDbShared.execute("CREATE OR REPLACE TABLE written (n int) ENGINE=InnoDB");
    }

    @AfterEach
    void nothingIsLeft() throws SQLException {
        server().start();
        leave();
        MariaDbShared.execute("SET GLOBAL read_only = 0");
        MariaDbShared.assertNothingLeft(threads);
    }

    private void leave() throws SQLException {
        for (Connection connection : others) {
            connection.close();
        }
        others.clear();
    }

    private static FailureClass classOf(SQLException failure) {
        return Failures.classify(failure, null);
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void sessionsKilledWhileInUseCostTheirHoldersAnErrorAndNobodyElse(Driver driver) throws Exception {
        try (WeirDataSource pool = filled(4, driver.pool().validateAfterIdle(Duration.ofMinutes(10)))) {
            Set<Long> dead = ConcurrentHashMap.newKeySet();
            together(4, pool, connection -> dead.add(number(connection, ID)));
            Connection held = pool.getConnection();
            assertThat(MariaDbShared.kill("true")).isEqualTo(4);
            MariaDbShared.awaitSessions(0);
            SQLException seen = catchThrowableOfType(SQLException.class, () -> number(held, ID));
            assertThat(classOf(seen)).as(seen.toString()).isEqualTo(FailureClass.DISCONNECT);
            held.close();
            Set<Long> lent = ConcurrentHashMap.newKeySet();
            assertThat(together(4, pool, connection -> lent.add(number(connection, ID))))
                    .isEmpty();
            assertThat(lent).hasSize(4).doesNotContainAnyElementsOf(dead);
            assertThat(pool.stats().retired().get(RetireReason.FAULT)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void aSessionKilledWhileItWorksIsReplaced(Driver driver) throws Exception {
        try (WeirDataSource pool = filled(1, driver.pool())) {
            Connection held = pool.getConnection();
            Thread killer = new Thread(() -> Await.await(
                    "the statement runs", SOON, () -> MariaDbShared.kill("info = 'SELECT sleep(60)'") == 1));
            killer.start();
            SQLException seen = catchThrowableOfType(SQLException.class, () -> execute(held, "SELECT sleep(60)"));
            killer.join();
            assertThat(classOf(seen)).as(seen.toString()).isEqualTo(FailureClass.DISCONNECT);
            held.close();
            try (Connection next = pool.getConnection()) {
                assertThat(number(next, "SELECT 1")).isEqualTo(1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void aWrongPasswordIsAFailureOfAuthentication(Driver driver) {
        try (WeirDataSource pool =
                new WeirDataSource(driver.pool().password("wrong").build())) {
            long begun = System.nanoTime();
            SQLException seen = catchThrowableOfType(SQLException.class, pool::start);
            assertThat(classOf((SQLException) Objects.requireNonNull(seen.getCause())))
                    .isEqualTo(FailureClass.AUTHENTICATION);
            assertThat(millisSince(begun))
                    .as("not tried until the time is over")
                    .isLessThan(10_000);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void thePoolWorksWithThePlacesThereAre(Driver driver) throws Exception {
        while (others.size() < MariaDbShared.PLACES - 3) {
            others.add(DriverManager.getConnection(driver.url(), "others", "others"));
        }
        try (WeirDataSource pool = new WeirDataSource(driver.pool()
                .minimumPoolSize(6)
                .maximumPoolSize(6)
                .connectionTimeout(Duration.ofMillis(600))
                .initializationFailTimeout(SOON)
                .build())) {
            pool.start();
            // One place is left for the root user's own connections.
            Await.await(
                    () -> "the last places: " + pool.stats(),
                    SOON,
                    () -> pool.stats().idle() == 3);
            List<Connection> held = List.of(pool.getConnection(), pool.getConnection(), pool.getConnection());
            SQLException seen = catchThrowableOfType(SQLException.class, pool::getConnection);
            assertThat(classOf((SQLException) Objects.requireNonNull(seen.getCause())))
                    .as(seen.toString())
                    .isEqualTo(FailureClass.TOO_MANY_CONNECTIONS);
            for (Connection connection : held) {
                connection.close();
            }
            leave();
            awaitIdle(pool, 6);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void theLimitOfOneAccountIsTooManyConnectionsToo(Driver driver) throws Exception {
        MariaDbShared.execute("ALTER USER others@127.0.0.1 WITH MAX_USER_CONNECTIONS 1");
        others.add(DriverManager.getConnection(driver.url(), "others", "others"));
        SQLException seen = catchThrowableOfType(
                SQLException.class,
                () -> DriverManager.getConnection(driver.url(), "others", "others")
                        .close());
        MariaDbShared.execute("ALTER USER others@127.0.0.1 WITH MAX_USER_CONNECTIONS 0");
        assertThat(classOf(seen)).as(seen.toString()).isEqualTo(FailureClass.TOO_MANY_CONNECTIONS);
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void aServerThatBecameReadOnlyRetiresTheConnectionAndNoOtherOptionDoes(Driver driver) throws Exception {
        try (WeirDataSource pool = filled(1, driver.pool());
                Connection connection = pool.getConnection()) {
            SQLException other = catchThrowableOfType(
                    SQLException.class,
                    () -> MariaDbShared.execute(
                            "SET GLOBAL max_user_connections = 5")); // 0 at the start: not to be changed
            assertThat(other.getErrorCode()).isEqualTo(1290);
            assertThat(classOf(other)).isEqualTo(FailureClass.OTHER);
            execute(connection, "INSERT INTO written VALUES (1)");
            MariaDbShared.execute("SET GLOBAL read_only = 1");
            SQLException seen = catchThrowableOfType(
                    SQLException.class, () -> execute(connection, "INSERT INTO written VALUES (2)"));
            assertThat(classOf(seen)).as(seen.toString()).isEqualTo(FailureClass.READ_ONLY);
            connection.close();
            Await.await("it is retired", SOON, () -> pool.stats().retired().get(RetireReason.FAULT) == 1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void afterOneRefusedWriteTheSiblingsAreAskedForTheirRole(Driver driver) throws Exception {
        try (WeirDataSource pool = filled(4, driver.pool().validateAfterIdle(Duration.ofMinutes(10)))) {
            MariaDbShared.execute("SET GLOBAL read_only = 1");
            assertThatThrownBy(() -> write(pool)).isInstanceOf(SQLException.class);
            Await.await(
                    () -> "the other three have gone too: " + pool.stats(),
                    SOON,
                    () -> pool.stats().retired().get(RetireReason.FAULT) == 1
                            && pool.stats().retired().get(RetireReason.INVALID) == 3);
            MariaDbShared.execute("SET GLOBAL read_only = 0");
            write(pool);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void aReplicaByDesignKeepsItsConnection(Driver driver) throws Exception {
        MariaDbShared.execute("SET GLOBAL read_only = 1");
        try (WeirDataSource pool = filled(1, driver.pool())) {
            for (int i = 0; i < 20; i++) {
                assertThatThrownBy(() -> write(pool)).isInstanceOf(SQLException.class);
            }
            assertThat(pool.stats().opened()).isEqualTo(1);
        }
    }

    private static void write(WeirDataSource pool) throws SQLException {
        try (Connection c = pool.getConnection()) {
            execute(c, "INSERT INTO written VALUES (1)");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    void aStopAndStartUnderLoadCostsTransientErrorsOnly(Driver driver) throws Exception {
        int users = 6;
        try (WeirDataSource pool = filled(users, driver.pool().connectionTimeout(Duration.ofMillis(400)));
                PostgresLoad load = new PostgresLoad(pool, users, "DO sleep(0.005)")) {
            load.awaitMore(200);
            long fault = System.nanoTime();
            server().stop();
            Await.await("timed out users", SOON, () -> load.failedAcquiring() >= 2L * users);
            long down = millisSince(fault);
            server().start();
            long back = System.nanoTime();
            load.awaitMore(300);
            System.out.printf(
                    "%s, stop under load of %d threads: down %d ms, %d errors in use, %d timed out, first success %d ms"
                            + " after the start returned, full rate after %d ms%n",
                    driver,
                    users,
                    down,
                    load.failedUsing(),
                    load.failedAcquiring(),
                    load.millisToFirstSuccess(back),
                    load.millisToFullRate(back, fault));
            for (PostgresLoad.Failed failed : load.failed()) {
                assertThat(classOf(failed.cause())).as(failed.toString()).isEqualTo(FailureClass.DISCONNECT);
            }
            assertThat(load.failedUsing()).as("no more than were in use").isLessThanOrEqualTo(users);
        }
    }
}
