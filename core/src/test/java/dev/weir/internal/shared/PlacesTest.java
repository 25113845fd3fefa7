package dev.weir.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PlaceStats;
import dev.weir.internal.engine.SteppedPool;
import dev.weir.internal.slots.Place;
import dev.weir.internal.slots.Slot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import shop.Checkout;

/** How many loans are sampled, and how a place is named; what becomes of the samples is tested with a pool. */
class PlacesTest {
    private static final long TICK = Duration.ofMillis(100).toNanos();

    private final AtomicLong nanos = new AtomicLong();
    private long stackTakes;
    private final Places places = new Places(() -> nanos.getAndAdd(stackTakes));

    static StackTraceElement[] stack(String... methods) {
        return Stream.of(methods)
                .map(method -> new StackTraceElement(
                        method.substring(0, method.lastIndexOf('.')),
                        method.substring(method.lastIndexOf('.') + 1),
                        null,
                        1))
                .toArray(StackTraceElement[]::new);
    }

    private static String name(String... methods) {
        return UserFrames.nameOf(UserFrames.usersOf(List.of(stack(methods))).stream()
                .limit(UserFrames.OF_A_PLACE)
                .toList());
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

    private int[] usesAfterALoan(boolean openForAll) throws Exception {
        try (SteppedPool stepped = SteppedPool.of(b -> b);
                Connection held = stepped.acquireHelped()) {
            assertThat(held.isClosed()).isFalse();
            Slot slot = stepped.pool.slots.all()[0];
            places.handOut(TICK);
            places.open = openForAll;
            Checkout.pay(() -> {
                places.sample(slot, slot.wordOfLoan(), 7);
                return null;
            });
            nanos.addAndGet(Duration.ofMillis(10).toNanos());
            places.returned(slot);
            return LongStream.of(places.uses()).mapToInt(Math::toIntExact).toArray();
        }
    }

    /** Else times of use would be those of the moments when all connections are taken. */
    @Test
    void useIsCountedOfLoansThatWouldHaveBeenSampledHadTheyNotWaited() throws Exception {
        assertThat(usesAfterALoan(false)).containsOnly(0);
        int[] uses = usesAfterALoan(true);
        assertThat(uses[TimeHistogram.bucket(Duration.ofMillis(10).toNanos())]).isEqualTo(1);
        assertThat(IntStream.of(uses).sum()).isEqualTo(1);
        assertThat(places.stats())
                .singleElement()
                .satisfies(all -> assertThat(all.loans()).isEqualTo(2));
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

    /** Looks places up at the end of the stack, and once more in each of its last frames; ends with what an Error broke. */
    static final class EndOfTheStack {
        private static final Places PLACES = new Places(System::nanoTime);

        private EndOfTheStack() {}

        @SuppressWarnings("InfiniteRecursion") // the subject of the test
        private static void recurse(String name) {
            try {
                recurse(name);
            } catch (StackOverflowError e) {
                Place ignored = PLACES.placeOf(name);
                throw e;
            }
        }

        private static void padded(int padding, String name) {
            if (padding > 0) {
                padded(padding - 1, name);
            } else {
                recurse(name);
            }
        }

        private static void recurseOften() {
            for (int i = 0; i < 60; i++) {
                try {
                    padded(i, "Page" + i);
                } catch (StackOverflowError | IllegalStateException e) {
                    // the map shows it
                }
            }
        }

        public static void main(String[] args) throws InterruptedException {
            Thread thread = new Thread(null, EndOfTheStack::recurseOften, "overflows", 180 * 1024);
            thread.start();
            thread.join();
            for (int i = 0; i < 60; i++) {
                PLACES.placeOf("Page" + i).acquired(0);
            }
        }
    }

    /** In a JVM of its own, as it takes code that is partly compiled. */
    @Test
    void anErrorWithinThePlacesBreaksNoneOfThem(@TempDir Path folder) throws Exception {
        Path output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        EndOfTheStack.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor()).as(() -> readString(output)).isZero();
    }

    private static String readString(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** What it cost is not known, and what failed once may fail each time. */
    @Test
    void aSampleThatFailsIsTheLastOfItsTick() throws Exception {
        AtomicBoolean fails = new AtomicBoolean(true);
        Places failing = new Places(() -> {
            if (fails.get()) {
                throw new StackOverflowError("as asked");
            }
            return 0;
        });
        try (SteppedPool stepped = SteppedPool.of(b -> b);
                Connection held = stepped.acquireHelped()) {
            assertThat(held.isClosed()).isFalse();
            Slot slot = stepped.pool.slots.all()[0];
            assertThatThrownBy(() -> failing.noteWaited(slot, 1)).isInstanceOf(StackOverflowError.class);
            assertThat(failing.open || failing.openForWaits).isFalse();
            fails.set(false);
            failing.handOut(TICK);
            failing.noteWaited(slot, 1);
            assertThat(failing.open && failing.openForWaits).isTrue();
        }
    }

    @Test
    void aThreadThatWaitsForTheServerIsAtTheCodeThatAsked() {
        assertThat(name(
                        "java.net.SocketInputStream.read",
                        "org.postgresql.core.VisibleBufferedInputStream.readMore",
                        "dev.weir.internal.handles.StatementHandle.executeQuery",
                        "shop.Orders.query"))
                .isEqualTo("Orders.query");
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

    @Test
    void aFrameworksSamplesAreApplications() {
        assertThat(name(
                        "org.springframework.jdbc.datasource.DataSourceUtils.fetchConnection",
                        "org.springframework.samples.petclinic.owner.OwnerController.showOwner",
                        "org.springframework.web.servlet.DispatcherServlet.doDispatch"))
                .isEqualTo("OwnerController.showOwner");
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
    void codeBetweenTheUsersAndThePoolIsNobodysPlace() {
        assertThat(name(
                        "dev.weir.WeirDataSource.getConnection",
                        "io.agroal.pool.DataSource.getConnection",
                        "io.micrometer.core.instrument.Timer.record",
                        "net.ttddyy.dsproxy.support.ProxyDataSource.getConnection",
                        "com.github.gavlyukovskiy.boot.jdbc.decorator.DecoratedDataSource.getConnection",
                        "net.bull.javamelody.JdbcWrapper.getConnection",
                        "com.baomidou.dynamic.datasource.ds.AbstractRoutingDataSource.getConnection",
                        "org.jetbrains.exposed.v1.jdbc.Transaction.open",
                        "shop.Orders$ByteBuddy$x1.pay",
                        "shop.Orders$$Lambda/0x0042.run",
                        "shop.Orders$Pages.lambda$show$3",
                        "shop.Orders$Pages.show",
                        "playground.Main$.main"))
                .isEqualTo("Orders.Pages.show from Main.main");
        assertThat(name("org.springframework.samples.Vets.list", "org.apache.fineract.Loans.pay"))
                .isEqualTo("Vets.list from Loans.pay");
    }

    @Test
    void anEndlessStackIsNotWalkedToItsEnd() throws Exception {
        List<StackTraceElement> first = Checkout.payDeep(2_000, () -> UserFrames.here(3));
        assertThat(UserFrames.nameOf(first))
                .isEqualTo("Checkout.Database.open from Checkout.pay from Checkout.payDeep");
    }
}
