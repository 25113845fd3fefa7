package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** P6 on a server whose first connects are slow (a cold JVM, a throttled container) and whose later ones are not. */
@Tag("thorough")
final class PostgresSlowStartTest {
    private static final int FIRST = 5;
    private static final int PLACES = 20;
    private static final int THREADS = 40;
    private static final int ACQUIRES = 100;

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @AfterEach
    void nothingIsLeft() {
        PostgresShared.assertNothingLeft(threads);
    }

    @ParameterizedTest
    @ValueSource(longs = {1_000, 3_000})
    void itGrowsAtOnceAndNobodyWaitsMuchLongerThanWhereAllAreOpen(long slowMillis) throws Exception {
        double all;
        try (WeirDataSource filled = PostgresShared.filled(PLACES, PostgresShared.pool())) {
            all = meanWaitMillis(filled);
        }
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .dataSource(new SlowAtFirst(Duration.ofMillis(slowMillis)))
                .registerMbeans(false)
                .connectionTimeout(Duration.ofSeconds(30))
                .minimumPoolSize(FIRST)
                .maximumPoolSize(PLACES)
                .build())) {
            pool.start();
            PostgresShared.awaitIdle(pool, FIRST);
            double own = meanWaitMillis(pool);
            System.out.printf(
                    "first connects %d ms: mean wait %.1f ms, where all are open %.1f ms%n", slowMillis, own, all);
            assertThat(pool.stats().total()).isEqualTo(PLACES);
            assertThat(own).isLessThanOrEqualTo(2 * all + 20); // the cost of connects where other builds run
        }
    }

    /** The first connects take this long, later ones what they take. */
    private static final class SlowAtFirst extends PGSimpleDataSource {
        private static final long serialVersionUID = 1;

        private final AtomicInteger left = new AtomicInteger(FIRST);
        private final long nanos;

        SlowAtFirst(Duration slow) {
            nanos = slow.toNanos();
            setURL(PostgresShared.server().jdbcUrl("postgres"));
            setUser(PostgresShared.USER);
            setPassword(PostgresShared.PASSWORD);
        }

        @Override
        public Connection getConnection() throws SQLException {
            long end = System.nanoTime() + (left.getAndDecrement() > 0 ? nanos : 0);
            for (long rest = end - System.nanoTime(); rest > 0; rest = end - System.nanoTime()) {
                LockSupport.parkNanos(rest); // the server's own time
            }
            return super.getConnection();
        }
    }

    /** Of all acquires of so many threads that hold a connection for 10 ms each time. */
    private static double meanWaitMillis(WeirDataSource pool) throws Exception {
        AtomicLong waitedNanos = new AtomicLong();
        assertThat(PostgresShared.concurrently(THREADS, () -> {
                    for (int i = 0; i < ACQUIRES; i++) {
                        long begun = System.nanoTime();
                        try (Connection connection = pool.getConnection()) {
                            waitedNanos.addAndGet(System.nanoTime() - begun);
                            PostgresShared.execute(connection, "SELECT pg_sleep(0.01)");
                        }
                    }
                    return null;
                }))
                .isEmpty();
        return waitedNanos.get() / (1e6 * THREADS * ACQUIRES);
    }
}
