package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PoolConfig;
import dev.weir.PoolStats;
import dev.weir.WeirDataSource;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.StubSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * P1, P4, P6, P12: the whole pool, with its Keeper, its helpers and the stub driver, under controlled schedules. After
 * any order each place can be lent, nothing is counted that is not there, and what is gone was closed once.
 */
@EnabledIfSystemProperty(named = Interleavings.ITERATIONS, matches = "\\d+", disabledReason = "needs the profile fray")
class PoolInterleavingsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    @Test
    void twoConnectionsAreSharedByThreeThreads() {
        Interleavings.explore("pool-share", () -> {
            try (Play play = new Play(2)) {
                Interleavings.together(play::use, play::lookAtOnly, play::use);
                play.requireNothingLost(2);
                assertThat(play.db.opened()).isEqualTo(2);
            }
        });
    }

    @Test
    void poolEndsWhileConnectionsComeHome() {
        Interleavings.explore("pool-close", () -> {
            try (Play play = new Play(2)) {
                play.mayBeClosed = true;
                Interleavings.together(play::use, play::lookAtOnly, play::use, play.pool::close);
            }
        });
    }

    @Test
    void connectionsAreEvictedWhileTheyAreLent() {
        Interleavings.explore("pool-evict", () -> {
            try (Play play = new Play(2)) {
                Interleavings.together(play::use, play::lookAtOnly, play.pool::evictAll);
                play.requireNothingLost(2);
                assertThat(play.db.sessions().subList(0, 2)).allMatch(StubSession::isClosed);
            }
        });
    }

    @Test
    void maximumFallsAndRisesWhileConnectionsAreLent() {
        Interleavings.explore("pool-resize", () -> {
            try (Play play = new Play(2)) {
                Interleavings.together(play::use, play::lookAtOnly, () -> {
                    play.pool.setMaximumPoolSize(1);
                    play.pool.setMaximumPoolSize(3);
                });
                play.requireNothingLost(3);
            }
        });
    }

    @Test
    void timeIsUpWhileTheConnectionComesHome() {
        Interleavings.explore("pool-timeout", () -> {
            try (Play play = new Play(1)) {
                play.mayTimeOut = true;
                Connection held = play.pool.getConnection();
                Interleavings.together(play::use, play::lookAtOnly, () -> {
                    TimeUnit.NANOSECONDS.sleep(TIMEOUT.toNanos()); // of Fray's time
                    held.close();
                });
                play.requireNothingLost(1);
            }
        });
    }

    /** One pool, full, and what its users do. */
    private static final class Play implements AutoCloseable {
        final StubDatabase db = new StubDatabase();
        final WeirDataSource pool;
        boolean mayBeClosed;
        boolean mayTimeOut;
        private final Set<Long> lent = ConcurrentHashMap.newKeySet();
        private final AtomicInteger timedOut = new AtomicInteger();

        Play(int size) throws SQLException, InterruptedException {
            pool = new WeirDataSource(PoolConfig.builder()
                    .dataSource(db.dataSource())
                    .poolName("fray")
                    .minimumPoolSize(1)
                    .maximumPoolSize(size)
                    .acquireIncrement(size)
                    .connectionTimeout(TIMEOUT)
                    .registerMbeans(false)
                    .build());
            pool.start();
            requireNothingLost(size);
        }

        void use() throws SQLException {
            hold(true);
        }

        void lookAtOnly() throws SQLException {
            hold(false);
        }

        private void hold(boolean used) throws SQLException {
            long begun = System.nanoTime();
            try (Connection connection = pool.getConnection()) {
                if (used) {
                    long id = db.sessionOf(connection).id();
                    assertThat(lent.add(id))
                            .as("connection %d is lent once", id)
                            .isTrue();
                    lent.remove(id);
                }
            } catch (SQLException e) {
                if (mayTimeOut && System.nanoTime() - begun >= TIMEOUT.toNanos()) {
                    timedOut.incrementAndGet();
                } else if (!mayBeClosed || !pool.isClosed()) {
                    throw e;
                }
            }
        }

        void requireNothingLost(int maximum) throws SQLException, InterruptedException {
            List<Connection> all = new ArrayList<>();
            for (int i = 0; i < maximum; i++) {
                all.add(pool.getConnection());
            }
            for (Connection connection : all) {
                connection.close();
            }
            PoolStats stats = await(maximum);
            assertThat(stats.waiting()).isZero();
            assertThat(stats.timedOut()).isEqualTo(timedOut.get());
            assertThat(retired(stats)).as("retired").isEqualTo(db.closed());
            assertThat(db.openNow()).as("open").isEqualTo(maximum);
            assertThat(db.maxOpenAtOnce()).as("open at once").isLessThanOrEqualTo(Math.max(maximum, 2));
        }

        /** Waits, in Fray's time, until so many connections are idle and nothing else is under way. */
        private PoolStats await(int idle) throws InterruptedException {
            PoolStats stats = pool.stats();
            for (int i = 0; i < 1_000 && !isQuiet(stats, idle); i++) {
                Thread.sleep(1);
                stats = pool.stats();
            }
            assertThat(isQuiet(stats, idle)).as("%d are idle: %s", idle, stats).isTrue();
            return stats;
        }

        private static boolean isQuiet(PoolStats stats, int idle) {
            return stats.idle() == idle && stats.total() == idle && stats.opening() == 0 && stats.closing() == 0;
        }

        private static long retired(PoolStats stats) {
            return stats.retired().values().stream().mapToLong(n -> n).sum();
        }

        @Override
        public void close() {
            pool.close();
            assertThat(db.openNow()).as("open after the end").isZero();
            assertThat(retired(pool.stats())).as("retired").isEqualTo(db.opened());
            db.close();
        }
    }
}
