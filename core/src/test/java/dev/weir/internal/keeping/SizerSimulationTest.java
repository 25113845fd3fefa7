package dev.weir.internal.keeping;

import static dev.weir.internal.keeping.SizerSimulation.DESIGN;
import static dev.weir.internal.keeping.SizerSimulation.EAGER;
import static dev.weir.internal.keeping.SizerSimulation.HIKARI;
import static dev.weir.internal.keeping.SizerSimulation.MS;
import static dev.weir.internal.keeping.SizerSimulation.SIZER;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rule in virtual time, beside one connect for each waiter and HikariCP's single creator. Seeded; nothing is timed. */
class SizerSimulationTest {
    private static final int ALL = 60;

    private record Load(String name, int live, int limit, long connectMillis, UnaryOperator<SizerSimulation> arrivals) {
        SizerSimulation under(SizerSimulation.Strategy strategy, int acquireIncrement) {
            SizerSimulation pool = SizerSimulation.of(strategy, live, limit, acquireIncrement, connectMillis);
            return arrivals.apply(pool).run();
        }

        /** The tables of the decision record, with {@code -Dweir.simulation.print=true}. */
        void print() {
            if (!Boolean.getBoolean("weir.simulation.print")) {
                return;
            }
            System.out.println(name);
            for (int increment : new int[] {5, 10, 20, ALL}) {
                System.out.printf("  Sizer  %2d at once: %s%n", increment, under(SIZER, increment));
            }
            System.out.printf("  design %2d at once: %s%n", ALL, under(DESIGN, ALL));
            System.out.printf("  eager            : %s%n", under(EAGER, ALL));
            System.out.printf("  HikariCP         : %s%n", under(HIKARI, ALL));
        }
    }

    private static LongSupplier exponential(long seed, double meanMillis) {
        SplittableRandom random = new SplittableRandom(seed);
        return () -> (long) (-Math.log(1 - random.nextDouble()) * meanMillis * MS);
    }

    private static Load shortBurst(long connectMillis) {
        return new Load("50 x 2 ms on 5 idle, C = " + connectMillis, 5, 50, connectMillis, p -> p.burst(37, 50, 2));
    }

    private static UnaryOperator<SizerSimulation> fiftyExponential(double meanMillis) {
        return pool -> {
            LongSupplier hold = exponential(4, meanMillis);
            for (int i = 0; i < 50; i++) {
                pool.burst(37, 1, hold.getAsLong() / MS);
            }
            return pool;
        };
    }

    @Test
    void case1AShortBurstOpensNothing() {
        Load load = shortBurst(150);
        load.print();
        assertThat(load.under(SIZER, 5).opened()).isZero();
        assertThat(load.under(SIZER, ALL).opened()).isZero();
        assertThat(load.under(EAGER, ALL).opened()).isEqualTo(45);
        assertThat(load.under(SIZER, ALL).meanWaitMillis())
                .as("opening could not have helped")
                .isEqualTo(load.under(EAGER, ALL).meanWaitMillis());
    }

    @ParameterizedTest
    @ValueSource(longs = {2, 5, 20, 50, 500})
    void aShortBurstOpensAtMostOneHoweverFastAConnect(long connectMillis) {
        assertThat(shortBurst(connectMillis).under(SIZER, ALL).opened()).isLessThanOrEqualTo(1);
    }

    @Test
    void case2ALongBurstOpensMost() {
        Load load = new Load("50 x 200 ms on 5, C = 150, nothing known", 5, 50, 150, p -> p.burst(37, 50, 200));
        load.print();
        assertThat(load.under(SIZER, ALL).opened()).isBetween(28, 40);
        assertThat(load.under(SIZER, ALL).meanWaitMillis()).isLessThan(250);
        assertThat(load.under(SIZER, 5).meanWaitMillis())
                .isLessThan(0.65 * load.under(HIKARI, ALL).meanWaitMillis());
    }

    @Test
    void case2ALongBurstWhenHoldsAreKnownWaitsLittleLongerThanWithOneConnectEach() {
        Load load = new Load(
                "50 x exp(200 ms) on 5, C = 150, holds known",
                5,
                50,
                150,
                p -> fiftyExponential(200).apply(p.knownHold(36, 200)));
        load.print();
        SizerSimulation all = load.under(SIZER, ALL);
        assertThat(all.opened()).isBetween(30, 38);
        assertThat(all.meanWaitMillis())
                .isLessThan(1.25 * load.under(EAGER, ALL).meanWaitMillis());
        assertThat(all.meanWaitMillis())
                .isLessThan(0.3 * load.under(HIKARI, ALL).meanWaitMillis());
        assertThat(load.under(SIZER, 5).meanWaitMillis())
                .isLessThan(0.6 * load.under(HIKARI, ALL).meanWaitMillis());
    }

    @Test
    void case3AFloodIsMetInAFractionOfASecond() {
        Load load = new Load(
                "1,400/s at 20 ms for 5 s on 10, C = 150",
                10,
                60,
                150,
                p -> p.poisson(1, 0, 5_000, 1_400, 1_400, () -> 20 * MS));
        load.print();
        assertThat(load.under(SIZER, 5).meanWaitMillis()).isLessThan(75);
        assertThat(load.under(SIZER, 10).meanWaitMillis()).isLessThan(35);
        assertThat(load.under(SIZER, 20).meanWaitMillis()).isLessThan(25);
        assertThat(load.under(HIKARI, ALL).meanWaitMillis()).isGreaterThan(700);
    }

    @Test
    void case4AnEmptyPoolFillsInParallel() {
        Load load = new Load("20 long holds on an empty pool, C = 500", 0, 60, 500, p -> p.burst(0, 20, 60_000));
        load.print();
        assertThat(load.under(SIZER, 5).lastServedMillis()).isLessThan(3_100);
        assertThat(load.under(SIZER, 20).lastServedMillis()).isLessThan(510);
        assertThat(load.under(SIZER, 5).opened()).isEqualTo(20);
        assertThat(load.under(HIKARI, ALL).lastServedMillis()).isBetween(10_000.0, 11_000.0);
        assertThat(load.under(SIZER, 5).peakPending()).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(longs = {5, 150})
    void repeatedShortBurstsDoNotGrowThePool(long connectMillis) {
        Load load = new Load("20 bursts of 50 x 2 ms on 5, C = " + connectMillis, 5, 50, connectMillis, p -> {
            for (int i = 0; i < 20; i++) {
                p.burst(37 + i * 1_003L, 50, 2);
            }
            return p;
        });
        load.print();
        assertThat(load.under(SIZER, 5).opened()).isLessThanOrEqualTo(1);
        assertThat(load.under(SIZER, ALL).opened()).isLessThanOrEqualTo(1);
        assertThat(load.under(HIKARI, ALL).opened()).isEqualTo(20);
    }

    @Test
    void shortBurstsAfterLongHoldsOpenNothing() {
        Load load = new Load(
                "50 x 2 ms on 5, holds known as 200 ms, C = 150",
                5,
                50,
                150,
                p -> p.knownHold(36, 200).burst(37, 50, 2));
        load.print();
        assertThat(load.under(SIZER, ALL).opened()).isZero();
        assertThat(load.under(DESIGN, ALL).opened()).isGreaterThan(20);
    }

    @ParameterizedTest
    @CsvSource({"20, 1", "50, 1", "100, 1", "20, 2", "50, 2", "100, 2", "20, 5", "50, 5", "20, 10"})
    void burstsOverBeforeAConnectionWouldComeOpenNothingWhateverHoldsWereBefore(int count, long holdMillis) {
        Load load = new Load("", 5, 60, 150, p -> p.knownHold(36, 200).burst(37, count, holdMillis));
        assertThat(load.under(SIZER, 5).opened()).isZero();
    }

    @Test
    void longHoldsOfTwoSecondsAgoAreForgotten() {
        Load load = new Load(
                "50 x 20 ms on 5, holds were 2 s two seconds ago, C = 250",
                5,
                50,
                250,
                p -> p.knownHold(36, 2_000).burst(2_037, 50, 20));
        load.print();
        assertThat(load.under(SIZER, ALL).opened()).isLessThanOrEqualTo(1);
    }

    @Test
    void aLongJobDoesNotMakeAShortBurstOpen() {
        Load load = new Load(
                "50 x 2 ms on 5, a sixth held for 30 s, C = 150",
                6,
                50,
                150,
                p -> p.burst(0, 1, 60_000).burst(30_000, 50, 2));
        load.print();
        assertThat(load.under(SIZER, ALL).opened()).isZero();
        assertThat(load.under(DESIGN, ALL).opened()).isGreaterThan(20);
    }

    @Test
    void aRampIsFollowed() {
        Load load = new Load(
                "10/s to 2,000/s in 20 s at exp(20 ms) on 5, C = 150",
                5,
                60,
                150,
                p -> p.poisson(1, 0, 20_000, 10, 2_000, exponential(3, 20)));
        load.print();
        assertThat(load.under(SIZER, 5).meanWaitMillis()).isLessThan(5);
        assertThat(load.under(SIZER, 5).waitMillis(0.99)).isLessThan(60);
        assertThat(load.under(SIZER, 5).opened()).as("40 in use at the end").isBetween(33, 48);
    }

    @Test
    void aLoadThatBeginsInAMomentAndLastsIsMet() {
        Load load = new Load(
                "1,500/s at 20 ms for 10 s on 5, C = 150",
                5,
                50,
                150,
                p -> p.poisson(1, 0, 10_000, 1_500, 1_500, () -> 20 * MS));
        load.print();
        assertThat(load.under(SIZER, 5).meanWaitMillis())
                .isLessThan(2 * load.under(EAGER, ALL).meanWaitMillis());
    }

    @Test
    void aWaiterBehindSlowHoldsIsHelpedOnceAndNotMore() {
        Load load = new Load(
                "1 waiter behind 5 x 10 s, C = 150",
                5,
                50,
                150,
                p -> p.burst(0, 5, 10_000).burst(3_000, 1, 10));
        load.print();
        assertThat(load.under(SIZER, ALL).opened()).isEqualTo(1);
        assertThat(load.under(SIZER, ALL).waitMillis(1)).as("1.5 C and a look").isLessThan(240);
    }

    @Test
    void neverMoreConnectsThanWaiters() {
        Load load = new Load(
                "20 waiters behind 5 x 10 s, C = 150",
                5,
                50,
                150,
                p -> p.burst(0, 5, 10_000).burst(3_000, 20, 10));
        load.print();
        assertThat(load.under(SIZER, ALL).opened()).isLessThanOrEqualTo(20);
        assertThat(load.under(DESIGN, ALL).opened()).isGreaterThan(20);
    }

    // ------------------------------------------- slow connects first, fast ones later

    /** A tenth of what a connection costs at least. The mean wait may be so much longer, whatever it is elsewhere. */
    private static final double FLOOR_MILLIS = 5;

    /**
     * A pool that opens at most 5 at once, to 20, after 5 connects that were slow; {@code live} of them are there when
     * the load begins. The load is threads that acquire and give back over and over, or arrivals at random times that
     * keep so many busy. It lasts for 30 s from its first moment on, and for less where holds are short.
     */
    private record SlowStart(int live, long firstMillis, long laterMillis, long holdMillis, boolean loop, int load) {
        SizerSimulation under(SizerSimulation.Strategy strategy) {
            int[] slow = {5 - live};
            SizerSimulation pool =
                    new SizerSimulation(strategy, live, 20, 5, () -> (slow[0]-- > 0 ? firstMillis : laterMillis) * MS);
            for (int i = 0; i < live; i++) {
                pool.learnedConnect(firstMillis * MS);
            }
            long windowMillis = holdMillis == 1 ? 2_000 : holdMillis == 10 ? 10_000 : 30_000;
            long endMillis = 10 + windowMillis + (live == 0 ? firstMillis : 0);
            LongSupplier hold = exponential(7, (double) holdMillis);
            double perSecond = 1_000.0 * load / holdMillis;
            return loop
                    ? pool.loop(10, endMillis, load, hold).run()
                    : pool.poisson(3, 10, endMillis, perSecond, perSecond, hold).run();
        }
    }

    static Stream<SlowStart> slowStarts() {
        long[] firsts = {100, 1_000, 3_000, 30_000};
        long[] laters = {1, 10, 100, 1_000};
        long[] holds = {1, 10, 100, 1_000};
        return LongStream.of(firsts)
                .boxed()
                .flatMap(first -> LongStream.of(laters)
                        .boxed()
                        .flatMap(later -> LongStream.of(holds)
                                .boxed()
                                .flatMap(hold -> IntStream.of(6, 10, 20, 40)
                                        .mapToObj(threads -> new SlowStart(5, first, later, hold, true, threads))
                                        .flatMap(loop -> Stream.of(
                                                loop,
                                                new SlowStart(0, first, later, hold, true, loop.load()),
                                                new SlowStart(5, first, later, hold, false, loop.load() * 2 / 5))))));
    }

    @Test
    void neverMoreThanTwiceTheWaitOfAPoolThatOpensForEverybodyHoweverSlowTheFirstConnectsWere() {
        List<String> longer = slowStarts()
                .parallel()
                .map(load -> {
                    double own = load.under(SIZER).meanWaitMillis();
                    double eager = load.under(EAGER).meanWaitMillis();
                    return own <= 2 * eager + FLOOR_MILLIS ? "" : load + ": " + own + " ms, not " + eager;
                })
                .filter(line -> !line.isEmpty())
                .toList();
        assertThat(longer).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1_000, 3_000, 30_000})
    void fortyThreadsOnTwentyPlacesHaveThemAllWithinASecond(long firstMillis) {
        SlowStart load = new SlowStart(5, firstMillis, 20, 10, true, 40);
        SizerSimulation pool = load.under(SIZER);
        assertThat(pool.opened()).isEqualTo(15);
        assertThat(pool.lastOpenedMillis()).isLessThan(1_000);
    }

    @ParameterizedTest
    @ValueSource(longs = {1_000, 3_000, 30_000})
    void aShortBurstOpensNothingHoweverSlowTheFirstConnectsWere(long firstMillis) {
        SizerSimulation pool = SizerSimulation.of(SIZER, 5, 50, 5, firstMillis);
        assertThat(pool.burst(37, 50, 2).run().opened()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1_000, 100, 40})
    void shortBurstsOneAfterTheOtherOpenNothing(long everyMillis) {
        SizerSimulation pool = SizerSimulation.of(SIZER, 5, 50, 5, 150);
        for (int i = 0; i < 50; i++) {
            pool.burst(37 + i * everyMillis, 50, 2);
        }
        assertThat(pool.run().opened()).isZero();
    }

    @Test
    void aConnectThatHangsDoesNotKeepTheOthersFromBeingOpened() {
        int[] hung = {1};
        SizerSimulation pool = new SizerSimulation(SIZER, 5, 20, 5, () -> hung[0]-- > 0 ? 300_000 * MS : 20 * MS)
                .learnedConnect(20 * MS);
        assertThat(pool.loop(0, 5_000, 40, () -> 10 * MS).run().waitMillis(0.9)).isLessThan(20);
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        Load load = new Load("", 5, 60, 150, p -> p.poisson(9, 0, 2_000, 900, 900, exponential(8, 20)));
        assertThat(load.under(SIZER, 5)).hasToString(load.under(SIZER, 5).toString());
    }
}
