package dev.weir.testkit.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.weir.testkit.StubDatabase;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;

/** The messages to a test with a budget, by tests that are run within these. */
class ConnectionBudgetTest {
    private static final Duration A_WHILE = Duration.ofMillis(500);

    /** Not to be found by itself: its name does not end in Test, and what it does is to fail. */
    @ConnectionBudget
    static class Specimens {
        static final StubDatabase DATABASE = new StubDatabase();

        private final DataSource dataSource = WatchedDataSource.of(DATABASE.dataSource());

        @Test
        void oneAfterTheOther() throws Exception {
            for (int i = 0; i < 3; i++) {
                try (Connection connection = dataSource.getConnection();
                        Statement statement = connection.createStatement()) {
                    statement.execute("SELECT 1");
                    assertThat(statement.getConnection()).isSameAs(connection);
                }
            }
        }

        @Test
        @SuppressWarnings("MustBeClosedChecker")
        void leaks() throws Exception {
            assertThat(dataSource.getConnection().isClosed()).isFalse();
        }

        @Test
        void nests() throws Exception {
            try (Connection outer = dataSource.getConnection();
                    Connection inner = dataSource.getConnection()) {
                assertThat(inner).isNotSameAs(outer);
            }
        }

        @Test
        @ConnectionBudget(2)
        void nestsAsItMay() throws Exception {
            nests();
        }

        @Test
        void holdsOneAThread() throws Exception {
            CountDownLatch both = new CountDownLatch(2);
            Thread other = new Thread(() -> hold(both));
            other.start();
            hold(both);
            other.join();
        }

        private void hold(CountDownLatch both) {
            try (Connection connection = dataSource.getConnection()) {
                assertThat(connection.isClosed()).isFalse();
                both.countDown();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }

        @Test
        void sleeps() throws Exception {
            try (Connection connection = dataSource.getConnection()) {
                Thread.sleep(A_WHILE.toMillis());
                assertThat(connection.isClosed()).isFalse();
            }
        }

        @Test
        @ConnectionBudget(mayWait = true)
        void sleepsAsItMay() throws Exception {
            sleeps();
        }

        @Test
        void waits() throws Exception {
            try (Connection connection = dataSource.getConnection()) {
                assertThat(new CountDownLatch(1).await(A_WHILE.toMillis(), TimeUnit.MILLISECONDS))
                        .isEqualTo(connection.isClosed());
            }
        }

        @Test
        void callsOut() throws Exception {
            try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                    Connection connection = dataSource.getConnection();
                    Socket socket = new Socket(silent.getInetAddress(), silent.getLocalPort())) {
                socket.setSoTimeout((int) A_WHILE.toMillis());
                assertThat(socket.getInputStream().read()).isEqualTo(connection.isClosed() ? 1 : 0);
            } catch (SocketTimeoutException expected) {
                assertThat(expected.getMessage()).isNotEmpty();
            }
        }

        @Test
        void waitsForItsDatabase() throws Exception {
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("SELECT 1");
            }
        }

        @Test
        void failsByItself() {
            throw new IllegalStateException("its own");
        }
    }

    @AfterEach
    void heal() {
        Specimens.DATABASE.heal();
    }

    private static Events run(String method) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectMethod(Specimens.class, method))
                .execute()
                .testEvents();
    }

    private static String failureOf(String method) {
        List<Event> failed = run(method).failed().list();
        assertThat(failed).hasSize(1);
        return failed.get(0)
                .getPayload(org.junit.platform.engine.TestExecutionResult.class)
                .orElseThrow()
                .getThrowable()
                .orElseThrow()
                .getMessage();
    }

    @ParameterizedTest
    @ValueSource(strings = {"oneAfterTheOther", "nestsAsItMay", "holdsOneAThread", "sleepsAsItMay"})
    void whoKeepsTheBudgetPasses(String method) {
        run(method).assertStatistics(counts -> counts.succeeded(1).failed(0));
    }

    @Test
    void aLeakFailsWhereItWasAcquiredAndIsClosed() {
        assertThat(failureOf("leaks"))
                .startsWith("a connection was not closed: acquired by ")
                .contains("Specimens.leaks(ConnectionBudgetTest.java:")
                .doesNotContain("WatchedDataSource", "org.junit");
        assertThat(Specimens.DATABASE.openNow()).isZero();
    }

    @Test
    void aNestedAcquireFailsWithBothPlaces() {
        assertThat(failureOf("nests"))
                .contains(" acquires a connection while it holds 1 (budget: 1)")
                .contains("it holds one acquired by ")
                .containsPattern("(?s)Specimens\\.nests.*Specimens\\.nests");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sleeps", "waits", "callsOut"})
    void whoHoldsOneMeanwhileFails(String method) {
        String what = method.equals("callsOut") ? "calls out" : method;
        assertThat(failureOf(method))
                .contains(" " + what + " while it holds a connection")
                .contains("Specimens." + method);
    }

    @Test
    void theDatabaseMayTakeItsTime() {
        Specimens.DATABASE.delay("Statement.execute", A_WHILE);
        run("waitsForItsDatabase")
                .assertStatistics(counts -> counts.succeeded(1).failed(0));
    }

    @Test
    void whatATestFailsOfIsNotHidden() {
        assertThat(failureOf("failsByItself")).isEqualTo("its own");
    }
}
