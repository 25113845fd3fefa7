package dev.weir.console.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.Fault;
import dev.weir.testkit.StubDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WatchTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final Watch watch = new Watch("here");

    private PoolView look(String pool) throws Exception {
        try (PoolReader reader = PoolReader.ofThisJvm()) {
            List<PoolView> pools = new ArrayList<>();
            Await.await(
                    "JMX has it",
                    LIMIT,
                    () -> pools.addAll(watch.look(reader, pool).pools()));
            return pools.get(0);
        }
    }

    @Test
    void aThreadThatHasWaitedForTheWaitWarningThresholdIsATroubleAndNoneWhereThatIsOff() throws Exception {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(db.dataSource())
                        .poolName("waited for")
                        .maximumPoolSize(1)
                        .connectionTimeout(Duration.ofMinutes(5))
                        .build());
                Connection held = pool.getConnection()) {
            Thread waiter = new Thread(() -> {
                try {
                    pool.getConnection().close();
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            waiter.start();
            Await.await("a waiter of 5 ms", LIMIT, () -> {
                PoolView view = look("waited for");
                return !view.waiters().isEmpty() && view.waiters().get(0).waited() >= 5;
            });
            assertThat(look("waited for").troubles()).isEmpty();
            pool.setWaitWarningThreshold(Duration.ofMillis(5));
            assertThat(look("waited for").troubles())
                    .singleElement()
                    .asString()
                    .startsWith("1 thread waits, the longest for ")
                    .endsWith("s (waitWarningThreshold: 5 ms)");
            pool.setWaitWarningThreshold(Duration.ZERO);
            assertThat(look("waited for").troubles()).isEmpty();
            held.close();
            waiter.join();
        }
    }

    /** With lazy a statement acquires. */
    @Test
    void aHolderThatWaitsForAnotherConnectionIsToldSoInEachPoolMode() throws Exception {
        for (String mode : List.of("session", "lazy")) {
            try (StubDatabase db = new StubDatabase();
                    WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                            .dataSource(db.dataSource())
                            .poolName("nested " + mode)
                            .poolMode(mode)
                            .maximumPoolSize(1)
                            .connectionTimeout(Duration.ofMinutes(5))
                            .build())) {
                Thread nesting = new Thread(() -> {
                    try (Connection first = pool.getConnection()) {
                        first.setAutoCommit(false);
                        first.createStatement().execute("SELECT 1");
                        try (Connection second = pool.getConnection()) {
                            second.createStatement().execute("SELECT 2");
                        }
                    } catch (SQLException e) {
                        // the pool is closed
                    }
                });
                nesting.start();
                Await.await(
                        "it waits",
                        LIMIT,
                        () -> look("nested " + mode).holders().stream()
                                .anyMatch(one -> one.doing().equals("waits")));
                assertThat(look("nested " + mode).troubles())
                        .singleElement()
                        .asString()
                        .startsWith("1 of 1 waiting threads hold a connection already");
                pool.close();
                nesting.join();
            }
        }
    }

    @Test
    void aConnectUnderWayIsToldWithItsAge() throws Exception {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(db.dataSource())
                        .poolName("opens")
                        .maximumPoolSize(2)
                        .connectionTimeout(Duration.ofMinutes(5))
                        .build())) {
            pool.start();
            try (Fault hang = db.hang(StubDatabase.CONNECT)) {
                pool.evictAll();
                CompletableFuture<Void> got = CompletableFuture.runAsync(() -> {
                    try {
                        pool.getConnection().close();
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
                hang.awaitWaiting(1, LIMIT);
                Await.await(
                        "a connect under way",
                        LIMIT,
                        () -> look("opens").counts().oldestConnect() > 0);
                hang.close();
                got.join();
            }
            Await.await("none is", LIMIT, () -> look("opens").counts().oldestConnect() == 0);
        }
    }

    @Test
    void rateIsCountedAgainstTheLookBeforeUntilThatIsForgotten() throws Exception {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(db.dataSource())
                        .poolName("counted")
                        .build())) {
            pool.start();
            assertThat(look("counted").rates()).isNull();
            Await.await(
                    "the clock's next millisecond", LIMIT, () -> look("counted").rates() != null);
            assertThat(look("counted").uses()).isNull();
            AtomicReference<PoolView.@Nullable Uses> uses = new AtomicReference<>();
            Await.await("the return of a sampled loan", LIMIT, () -> {
                pool.getConnection().close();
                uses.set(look("counted").uses());
                return uses.get() != null;
            });
            assertThat(Objects.requireNonNull(uses.get()).p99()).isPositive().isLessThan(30_000);
            watch.forget();
            assertThat(look("counted").rates()).isNull();
        }
    }

    @Test
    void whatIsTypedIsReadAsTheSettingIs() {
        assertThat(PoolReader.value("maximumPoolSize", 10, "80")).isEqualTo(80);
        assertThat(PoolReader.value("connectionTimeout", 5_000L, "30s")).isEqualTo(30_000L);
        assertThat(PoolReader.value("connectionTimeout", 5_000L, "250")).isEqualTo(250L);
        assertThat(PoolReader.value("measureLoans", false, "true")).isEqualTo(true);
        assertThatThrownBy(() -> PoolReader.value("maximumPoolSize", 10, "80s"))
                .hasMessage("maximumPoolSize: '80s' (expected: a number)");
        assertThatThrownBy(() -> PoolReader.value("connectionTimeout", 5_000L, "soon"))
                .hasMessage("connectionTimeout: 'soon' (expected: a time, such as 500ms, 90s or 5m)");
        assertThatThrownBy(() -> PoolReader.value("measureLoans", false, "yes"))
                .hasMessage("measureLoans: 'yes' (expected: true or false)");
    }
}
