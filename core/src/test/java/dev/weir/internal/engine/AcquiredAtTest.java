package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.HeldConnection;
import dev.weir.PlaceStats;
import dev.weir.internal.settings.Setting;
import dev.weir.testkit.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import shop.Checkout;

/** Where a connection was acquired is known without leakDetectionThreshold. */
@Timeout(60)
class AcquiredAtTest {
    private static final String PLACE = "Checkout.Database.open from Checkout.pay";

    /** A tick, so that the next loan is sampled however long the stacks before took. */
    private static void tick(SteppedPool stepped) {
        stepped.ticker.advance(Duration.ofMillis(100));
        stepped.pass();
    }

    private static SteppedPool warm() throws SQLException {
        SteppedPool stepped = SteppedPool.of(b -> b.maximumPoolSize(2).validateAfterIdle(Duration.ofHours(1)));
        stepped.acquireHelped().close();
        tick(stepped);
        return stepped;
    }

    /** On a thread of its own, below which no frame is a test framework's. */
    private static Connection pay(SteppedPool stepped) throws Exception {
        return LivePool.on("page", () -> Checkout.pay(stepped.pool::acquire)).get();
    }

    private static PlaceStats place(SteppedPool stepped) {
        return stepped.pool.stats().places().stream()
                .filter(one -> one.place().equals(PLACE))
                .findFirst()
                .orElseThrow(() -> new AssertionError(stepped.pool.stats().places()));
    }

    @Test
    void messagesDumpAndHoldersNameThePlace() throws Exception {
        try (SteppedPool stepped = warm()) {
            try (Connection held = pay(stepped);
                    Connection other = stepped.acquireHelped()) {
                held.prepareStatement("select 1").execute();
                tick(stepped);
                stepped.run(Duration.ofSeconds(3));
                assertThatThrownBy(stepped::acquire)
                        .hasMessageContaining("by thread 'page', acquired at " + PLACE + ", last SQL: select ?");
                HeldConnection first = stepped.pool.held().get(0);
                assertThat(first.acquiredAt()).hasSize(2);
                assertThat(first.acquiredAt().get(0).toString()).contains("shop.Checkout$Database.open(Checkout.java:");
                assertThat(stepped.pool.dump())
                        .containsPattern(
                                "last SQL: select \\?, acquired at\\R    at .*shop.Checkout\\$Database.open\\(");
                assertThat(other.isClosed()).isFalse();
            }
            assertThat(place(stepped).loans()).isEqualTo(1);
            assertThat(place(stepped).held()).isPositive(); // in real time
            assertThat(place(stepped).longest()).isEqualTo(place(stepped).held());
            assertThat(place(stepped).waited()).isZero();
        }
    }

    @Test
    void eachLoanIsOfItsOwnPlace() throws Exception {
        try (SteppedPool stepped = warm()) {
            for (int i = 0; i < 3; i++) {
                pay(stepped).close();
                tick(stepped);
            }
            assertThat(place(stepped).loans()).isEqualTo(3);
            try (Connection mine = LivePool.on("page", () -> Checkout.Database.open(stepped.pool::acquire))
                    .get()) {
                assertThat(mine.isClosed()).isFalse();
                assertThat(stepped.pool.held())
                        .singleElement()
                        .satisfies(one -> assertThat(one.acquiredAt()).hasSize(1));
            }
            assertThat(stepped.pool.stats().places())
                    .extracting(PlaceStats::place)
                    .contains("Checkout.Database.open");
        }
    }

    /** The word says of which loan a sample is: one that is not sampled is not taken for the one before. */
    @Test
    void aLoanThatIsNotSampledHasNoPlace() throws Exception {
        try (SteppedPool stepped = warm()) {
            pay(stepped).close();
            stepped.pool.state.places.open = false;
            try (Connection mine = pay(stepped)) {
                assertThat(mine.isClosed()).isFalse();
                assertThat(stepped.pool.held())
                        .singleElement()
                        .satisfies(one -> assertThat(one.acquiredAt()).isEmpty());
            }
            assertThat(place(stepped).loans()).isEqualTo(1);
        }
    }

    @Test
    void withTheThresholdTheWholeStackIsThere() throws Exception {
        try (SteppedPool stepped = warm()) {
            stepped.change(Setting.LEAK_DETECTION_THRESHOLD, Duration.ofMinutes(1));
            tick(stepped);
            try (Connection held = pay(stepped);
                    Connection other = stepped.acquireHelped()) {
                assertThat(held.isClosed() || other.isClosed()).isFalse();
                assertThat(stepped.pool.held())
                        .anySatisfy(one -> assertThat(one.acquiredAt().size()).isGreaterThan(3));
                tick(stepped);
                assertThatThrownBy(stepped::acquire).hasMessageContaining(", acquired at " + PLACE);
            }
        }
    }

    @Test
    void aLoanThatWaitedSaysForHowLong() throws Exception {
        try (LivePool live = LivePool.started(b -> b.maximumPoolSize(1).connectionTimeout(LivePool.LIMIT))) {
            Connection held = live.pool.acquire();
            CompletableFuture<Connection> waits = LivePool.on("waits", () -> Checkout.pay(live.pool::acquire));
            live.awaitWaiting(1);
            live.pool.state.places.handOut(Duration.ofMillis(100).toNanos());
            held.close();
            Connection got = waits.get();
            List<PlaceStats> places = live.pool.stats().places();
            assertThat(places).anySatisfy(one -> {
                assertThat(one.place()).isEqualTo(PLACE);
                assertThat(one.loans()).isEqualTo(1);
                assertThat(one.waited()).isPositive();
            });
            assertThat(live.pool.held().get(0).acquiredAt()).hasSize(2);
            got.close();
            Await.await("it is back", LivePool.LIMIT, () -> live.pool.stats().inUse() == 0);
        }
    }

    @Test
    void aConnectionThatIsRetiredInItsLoanCounts() throws Exception {
        try (SteppedPool stepped = warm()) {
            Connection held = pay(stepped);
            held.abort(Runnable::run);
            assertThat(place(stepped).held()).isPositive();
        }
    }
}
