package dev.weir.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PlaceStats;
import dev.weir.internal.engine.SteppedPool;
import dev.weir.internal.slots.Slot;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import shop.Checkout;

/** How many loans are sampled, and how a place is named; what becomes of the samples is tested with a pool. */
class PlacesTest {
    private static final long TICK = Duration.ofMillis(100).toNanos();

    private final AtomicLong nanos = new AtomicLong();
    private long stackTakes;
    private final Places places = new Places(() -> nanos.getAndAdd(stackTakes));

    private static StackTraceElement[] stack(String... methods) {
        return Stream.of(methods)
                .map(method -> new StackTraceElement(
                        method.substring(0, method.lastIndexOf('.')),
                        method.substring(method.lastIndexOf('.') + 1),
                        null,
                        1))
                .toArray(StackTraceElement[]::new);
    }

    private static String name(String... methods) {
        return UserFrames.nameOf(UserFrames.usersOf(stack(methods)));
    }

    /** Samples in the shop's name as long as a loan is to be sampled, at most so often. */
    private int samples(int most, boolean waited) throws Exception {
        try (SteppedPool stepped = SteppedPool.of(b -> b);
                Connection held = stepped.acquireHelped()) {
            assertThat(held.isClosed()).isFalse();
            Slot slot = stepped.pool.slots.all()[0];
            int count = 0;
            while (count < most && (waited ? places.openForWaits : places.open)) {
                count++;
                Checkout.pay(() -> {
                    places.sample(slot, 1, waited ? 7 : 0);
                    return null;
                });
            }
            return count;
        }
    }

    @Test
    void aTickHandsOutTimeAndNotANumber() throws Exception {
        stackTakes = 2_000;
        places.handOut(TICK);
        assertThat(samples(10_000, false)).isEqualTo(200); // 2 us each are 0.4 ms
        assertThat(samples(10_000, false)).as("nothing is left").isZero();
        stackTakes = 20_000;
        places.handOut(TICK);
        assertThat(samples(10_000, false)).isEqualTo(20);
        places.handOut(TICK);
        places.handOut(TICK);
        assertThat(samples(10_000, false)).as("what was not used is not kept").isEqualTo(20);
        stackTakes = TICK;
        places.handOut(TICK);
        assertThat(samples(10_000, false)).as("one at least").isEqualTo(1);
    }

    @Test
    void loansThatWaitedAreSampledOnTheirOwnAccount() throws Exception {
        stackTakes = 2_000;
        places.handOut(TICK);
        assertThat(samples(10_000, false)).isEqualTo(200);
        assertThat(samples(10_000, true)).isEqualTo(200);
        assertThat(places.stats()).singleElement().satisfies(all -> {
            assertThat(all.loans()).isEqualTo(400);
            assertThat(all.waited()).isEqualTo(Duration.ofNanos(1400));
        });
    }

    @Test
    void aHundredPlacesAreKeptApart() throws Exception {
        List<Runnable> noted = IntStream.range(0, 150)
                .<Runnable>mapToObj(
                        i -> () -> places.placeOf("Page" + i + ".render").acquired(0))
                .toList();
        noted.forEach(Runnable::run);
        noted.forEach(Runnable::run);
        assertThat(places.stats()).hasSize(101);
        assertThat(places.stats())
                .filteredOn(one -> one.place().equals("others"))
                .extracting(PlaceStats::loans)
                .containsExactly(100L);
    }

    @Test
    void thePlaceIsTheMethodOfTheUserAndThoseThatCalledIt() {
        assertThat(name(
                        "dev.weir.WeirDataSource.getConnection",
                        "org.springframework.jdbc.datasource.DataSourceUtils.fetchConnection",
                        "shop.Database.open",
                        "java.util.Optional.map",
                        "shop.OrderView.render",
                        "shop.Pages.show",
                        "shop.Main.main"))
                .isEqualTo("Database.open from OrderView.render from Pages.show");
        assertThat(name("dev.weir.WeirDataSource.getConnection", "java.lang.Thread.run"))
                .isEmpty();
    }

    /** With @Transactional the interceptor acquires, and no frame of the method itself is there yet. */
    @Test
    void aProxyOfTheUsersClassStandsForIt() {
        assertThat(name(
                        "org.springframework.transaction.interceptor.TransactionInterceptor.invoke",
                        "shop.OrderService$$SpringCGLIB$$0.pay",
                        "shop.OrderController.show",
                        "jdk.proxy2.$Proxy31.find",
                        "org.apache.catalina.core.StandardWrapperValve.invoke",
                        "java.lang.Thread.run"))
                .isEqualTo("OrderService.pay from OrderController.show");
        assertThat(name(
                        "shop.OrderService.pay",
                        "shop.OrderService$$SpringCGLIB$$FastClass$$1.invoke",
                        "shop.OrderService$$SpringCGLIB$$0.pay",
                        "shop.OrderController.show"))
                .isEqualTo("OrderService.pay from OrderController.show");
    }

    @Test
    void anEndlessStackIsNotWalkedToItsEnd() throws Exception {
        List<StackTraceElement> first = Checkout.payDeep(2_000, () -> UserFrames.here(3));
        assertThat(UserFrames.nameOf(first))
                .isEqualTo("Checkout$Database.open from Checkout.pay from Checkout.payDeep");
    }
}
