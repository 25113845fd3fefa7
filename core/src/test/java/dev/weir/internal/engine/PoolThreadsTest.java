package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Configured;
import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.internal.working.Job;
import dev.weir.testkit.Await;
import dev.weir.testkit.Fault;
import dev.weir.testkit.StubDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** P11: the pool's own threads are few, go on whatever happens, and are replaced if they end. */
@Timeout(60)
final class PoolThreadsTest {

    private static WeirDataSource pool(String name, StubDatabase db, UnaryOperator<PoolConfig.Builder> configure) {
        return new WeirDataSource(configure
                .apply(PoolConfig.builder()
                        .poolName(name)
                        .dataSource(db.dataSource())
                        .minimumPoolSize(0)
                        .registerMbeans(false)
                        .connectionTimeout(Duration.ofSeconds(20)))
                .build());
    }

    private static List<Connection> acquire(WeirDataSource pool, int connections) throws SQLException {
        List<Connection> all = new ArrayList<>();
        while (all.size() < connections) {
            all.add(pool.getConnection());
        }
        return all;
    }

    private static void release(List<Connection> all) throws SQLException {
        for (Connection connection : all) {
            connection.close();
        }
    }

    @Test
    void p11WorkThatHangsTakesNoThreadFromOtherWork() throws Exception {
        int hanging = 2 * Job.AT_ONCE;
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = pool(
                        "hangs",
                        db,
                        builder -> builder.maximumPoolSize(hanging + 1)
                                .validateAfterIdle(Duration.ZERO)
                                .validationTimeout(Duration.ofSeconds(30)))) {
            release(acquire(pool, hanging + 1));
            try (Fault hang = db.hangNext("Connection.isValid", hanging)) {
                CompletableFuture<Boolean> served = LivePool.on("served", () -> {
                    try (Connection connection = pool.getConnection()) {
                        return connection.isValid(1);
                    }
                });
                assertThat(served.get(10, TimeUnit.SECONDS)).isTrue();
                assertThat(hang.hits()).isPositive();
            }
        }
    }

    /** A park in between, as of a lock of a log handler or of a ticker, uses up the permit that a nudge left. */
    @Test
    void p11AKeeperWhosePermitIsEatenMissesNoNudge() throws Exception {
        AtomicBoolean eats = new AtomicBoolean();
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger eaten = new AtomicInteger();
        ConnectionPool[] nudged = new ConnectionPool[1];
        try (StubDatabase db = new StubDatabase()) {
            PoolConfig config = PoolConfig.builder()
                    .dataSource(db.dataSource())
                    .minimumPoolSize(0)
                    .keepaliveTime(Duration.ZERO)
                    .idleTimeout(Duration.ZERO)
                    .maxLifetime(Duration.ZERO)
                    .initializationFailTimeout(Duration.ofMillis(-1))
                    .build();
            ConnectionPool pool = LivePool.pool(
                    Configured.settings(config, "eaten"), () -> db.dataSource().getConnection(), () -> {
                        boolean keeper = Thread.currentThread().getName().startsWith("weir-eaten-keeper");
                        if (keeper && eats.compareAndSet(true, false)) { // a nudge asks for the time itself
                            nudged[0].state.nudge();
                            LockSupport.parkNanos(1);
                            eaten.incrementAndGet();
                            eats.set(!over.get());
                        }
                        return System.nanoTime();
                    });
            nudged[0] = pool;
            pool.start();
            try {
                Await.await("it began", LivePool.LIMIT, pool.clock::isTicking);
                Await.await("it sleeps for long", LivePool.LIMIT, () -> !pool.clock.isTicking());
                eats.set(true);
                pool.state.nudge();
                Await.await(() -> "a pass for each nudge, " + eaten, LivePool.LIMIT, () -> eaten.get() >= 20);
            } finally {
                over.set(true);
                pool.close();
            }
        }
    }

    @Test
    void p11AKeeperThatIsInterruptedParksAgain() throws Exception {
        AtomicInteger readings = new AtomicInteger();
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = pool(
                        "interrupted",
                        db,
                        builder -> builder.ticker(() -> {
                            readings.incrementAndGet();
                            return System.nanoTime();
                        }))) {
            release(acquire(pool, 1));
            Thread keeper = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith("weir-interrupted-keeper"))
                    .findFirst()
                    .orElseThrow();
            keeper.interrupt();
            Await.await("it parks", LivePool.LIMIT, () -> !keeper.isInterrupted());
            int before = readings.get();
            boolean ignored = Await.becomesTrue(Duration.ofMillis(300), () -> readings.get() - before > 1_000);
            assertThat(readings.get() - before).isLessThan(1_000);
        }
    }
}
