package dev.weir;

import static dev.weir.PostgresShared.SOON;
import static dev.weir.PostgresShared.execute;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.Await;
import dev.weir.testkit.TcpProxy;
import dev.weir.testkit.servers.PostgresPair;
import dev.weir.testkit.servers.PostgresServer;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A standby takes over from its primary, as users see it; each test on a pair of its own. */
final class PostgresFailoverTest {
    private static final int SIZE = 10;
    private static final int WRITERS = 16;

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();
    private PostgresPair pair;
    private TcpProxy name;
    private WeirDataSource pool;

    @BeforeEach
    void start() throws SQLException {
        pair = PostgresPair.start(PostgresServer.builder().role(PostgresShared.USER, PostgresShared.PASSWORD));
        pair.primary().execute("CREATE TABLE writes (id BIGINT GENERATED ALWAYS AS IDENTITY)");
        pair.primary().execute("GRANT ALL ON writes TO " + PostgresShared.USER);
        pair.awaitCaughtUp();
        name = new TcpProxy("127.0.0.1", pair.primary().port());
        // Nobody is to time out on a slow machine, nor any connection to be tested for its age.
        pool = PostgresShared.filled(
                SIZE,
                PostgresShared.pool(name.port())
                        .connectionTimeout(Duration.ofMinutes(2))
                        .validateAfterIdle(Duration.ofHours(1)));
    }

    @AfterEach
    void nothingIsLeft() {
        pool.close();
        name.close();
        pair.close();
        threads.none("weir-", SOON);
        threads.none("writer-", SOON);
    }

    private void write() throws SQLException {
        try (Connection c = pool.getConnection()) {
            execute(c, "INSERT INTO writes DEFAULT VALUES");
        }
    }

    private void promote() {
        pair.promote();
        name.retarget("127.0.0.1", pair.standby().port());
    }

    private void awaitAllMoved() {
        String server = "127.0.0.1:" + pair.standby().port();
        Await.await(
                () -> "all have moved to " + server + ": " + pool.dump(),
                SOON,
                () -> pool.stats().servers().keySet().equals(Set.of(server)));
    }

    /** Users who write until they are told to stop, and what they met. */
    private final class Writers implements AutoCloseable {
        private final List<Thread> all = new ArrayList<>();
        private final AtomicInteger good = new AtomicInteger();
        private final Queue<SQLException> failures = new ConcurrentLinkedQueue<>();
        private volatile boolean over;

        Writers() {
            for (int i = 0; i < WRITERS; i++) {
                Thread thread = new Thread(this::writeOn, "writer-" + i);
                all.add(thread);
                thread.start();
            }
        }

        private void writeOn() {
            while (!over) {
                try {
                    write();
                    good.incrementAndGet();
                } catch (SQLException e) {
                    failures.add(e);
                }
            }
        }

        void awaitGood(int more) {
            int before = good.get();
            Await.await(
                    () -> more + " good writes, " + failures.size() + " failed: " + pool.dump(),
                    SOON,
                    () -> good.get() >= before + more);
        }

        List<String> failed() {
            return failures.stream().map(SQLException::getSQLState).toList();
        }

        @Override
        public void close() throws InterruptedException {
            over = true;
            for (Thread thread : all) {
                thread.join(SOON.toMillis());
            }
        }
    }

    /** No user sees it where the pool hears of the change first: the server tells its sessions. */
    @Test
    void ofAllSessionsOfADemotedPrimaryOneUserAtMostSeesTheError() throws SQLException {
        promote();
        pair.demote();
        List<String> failed = new ArrayList<>();
        for (int i = 0; i < 10 * SIZE; i++) {
            try {
                write();
            } catch (SQLException e) {
                failed.add(e.getSQLState());
            }
        }
        assertThat(failed).hasSizeLessThanOrEqualTo(1).allMatch("25006"::equals);
        assertThat(pair.standby().number("SELECT count(*) FROM writes")).isEqualTo(10 * SIZE - failed.size());
        awaitAllMoved();
        Await.await("none is left there", SOON, () -> pair.primary().backends() == 0);
    }

    /** A write that is under way in the moment of the demotion fails; no pool can help that. */
    @Test
    @Tag("thorough")
    void ofAPrimaryThatIsDemotedUnderLoadEachConnectionFailsOnceAtMost() throws Exception {
        try (Writers writers = new Writers()) {
            writers.awaitGood(100);
            promote();
            pair.demote();
            awaitAllMoved();
            writers.awaitGood(100);
            assertThat(writers.failed()).hasSizeLessThanOrEqualTo(SIZE).allMatch("25006"::equals);
        }
    }

    @Test
    @Tag("thorough")
    void aPrimaryThatIsKilledCostsEachConnectionOneWriteAtMost() throws Exception {
        try (Writers writers = new Writers()) {
            writers.awaitGood(100);
            pair.primary().stop(PostgresServer.StopMode.IMMEDIATE);
            Await.await("a connect failed", SOON, () -> pool.stats().openFailed() > 0);
            promote();
            writers.awaitGood(100);
            awaitAllMoved();
            assertThat(writers.failed()).hasSizeBetween(1, SIZE);
        }
        assertThat(pair.standby().number("SELECT count(*) FROM writes")).isPositive();
    }
}
