package dev.weir.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.contender.Contender;
import dev.weir.lab.contender.Contenders;
import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.contender.Profile;
import dev.weir.lab.stub.StubCalls;
import dev.weir.lab.stub.StubDataSource;
import dev.weir.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jmh.infra.Blackhole;

/** What one operation of a benchmark really does: no pool answers from memory what it says that it asks the driver. */
class CycleTest {
    private static final int ROWS = 10;
    private static final int CYCLES = 100;

    private final StubDataSource driver = StubDataSource.counting(ROWS);
    private final Blackhole blackhole = new Blackhole(
            "Today's password is swordfish. I understand instantiating Blackholes directly is dangerous.");

    static Stream<String> pools() {
        return Contenders.all().stream()
                .filter(contender -> contender.jvmOptions().isEmpty()) // this JVM has none of them
                .map(Contender::name)
                .filter(name -> !name.equals("raw")); // it makes connections of its own
    }

    @ParameterizedTest
    @MethodSource("pools")
    void eachFullCycleReachesTheDriverWhole(String pool) throws Exception {
        FullCycle cycle = new FullCycle() {
            @Override
            PoolSpec.Builder spec() {
                return PoolSpec.of(driver);
            }
        };
        cycle.pool = pool;
        cycle.profile = Profile.DEFAULTS;
        cycle.open();
        try {
            cycle.cycle(blackhole);
            StubCalls before = driver.calls();
            for (int i = 0; i < CYCLES; i++) {
                assertThat(cycle.cycle(blackhole))
                        .as("the sum of what was read")
                        .isPositive();
            }
            StubCalls did = driver.calls().minus(before);

            assertThat(did.setInt()).isEqualTo(CYCLES);
            assertThat(did.next()).isEqualTo(CYCLES * (ROWS + 1));
            assertThat(did.getInt()).isEqualTo(CYCLES * ROWS);
            // A pool that tests with a query of its own does more.
            assertThat(List.of(
                            did.prepareStatement(), did.executeQuery(), did.statementCloses(), did.resultSetCloses()))
                    .allSatisfy(calls -> assertThat(calls).isGreaterThanOrEqualTo(CYCLES));
            assertThat(did.statementCloses()).isEqualTo(did.prepareStatement());
        } finally {
            cycle.close();
        }
    }

    @Test
    void aLentConnectionIsTheDrivers() throws Exception {
        ConnectionCycle cycle = new ConnectionCycle() {
            @Override
            PoolSpec.Builder spec() {
                return PoolSpec.of(driver);
            }
        };
        cycle.open();
        try {
            assertThat(driver.open()).as("a connection for each thread").isEqualTo(cycle.size());
            assertThat(cycle.cycle().isClosed()).as("given back").isTrue();
            assertThat(driver.opened()).as("and none opened for it").isEqualTo(cycle.size());
        } finally {
            cycle.close();
        }
        assertThat(driver.open()).isZero();
    }

    @ParameterizedTest
    @MethodSource("pools")
    void aConnectionCycleLendsADriversConnectionAndDoesNothingElseWithIt(String pool) throws Exception {
        ConnectionCycle cycle = new ConnectionCycle() {
            @Override
            PoolSpec.Builder spec() {
                return PoolSpec.of(driver);
            }
        };
        open(cycle, pool, Profile.EQUAL);
        try {
            cycle.cycle();
            int opened = driver.opened();
            StubCalls before = driver.calls();
            for (int i = 0; i < CYCLES; i++) {
                assertThat(cycle.cycle().isClosed()).as("given back").isTrue();
            }
            StubCalls did = driver.calls().minus(before);

            assertThat(driver.opened() - opened)
                    .as("none is opened for it, but where there is no pool")
                    .isEqualTo(pool.equals("none") ? CYCLES : 0);
            assertThat(List.of(did.setInt(), did.addBatch(), did.executeBatch(), did.getInt()))
                    .as("the work of a statement, which is not measured here: %s", did)
                    .containsOnly(0L);
            assertThat(did.executeQuery())
                    .as("queries, by which some pools test")
                    .isLessThanOrEqualTo(CYCLES);
        } finally {
            cycle.close();
        }
    }

    @ParameterizedTest
    @MethodSource("pools")
    void aStatementCycleReachesTheDriverWholeOnAConnectionThatIsKept(String pool) throws Exception {
        StatementCycle cycle = new StatementCycle() {
            @Override
            PoolSpec.Builder spec() {
                return PoolSpec.of(driver);
            }
        };
        open(cycle, pool, Profile.EQUAL);
        StatementCycle.Held held = new StatementCycle.Held();
        try {
            held.acquire(cycle);
            cycle.cycle(held, blackhole);
            int opened = driver.opened();
            StubCalls before = driver.calls();
            for (int i = 0; i < CYCLES; i++) {
                assertThat(cycle.cycle(held, blackhole)).isPositive();
            }
            StubCalls did = driver.calls().minus(before);

            assertThat(did)
                    .isEqualTo(new StubCalls(
                            CYCLES, CYCLES, 0, 0, CYCLES, CYCLES, CYCLES * (ROWS + 1), CYCLES * ROWS, CYCLES));
            assertThat(driver.opened()).isEqualTo(opened);
        } finally {
            held.release();
            cycle.close();
        }
    }

    @Test
    void aContendedCycleHasFewerConnectionsThanThreads() throws Exception {
        ContendedCycle cycle = new ContendedCycle() {
            @Override
            PoolSpec.Builder spec() {
                return PoolSpec.of(driver);
            }
        };
        open(cycle, "weir", Profile.EQUAL);
        try {
            ExecutorService threads = Executors.newFixedThreadPool(8);
            try {
                List<Future<Boolean>> all = threads.invokeAll(Collections.nCopies(8, () -> {
                    for (int i = 0; i < CYCLES; i++) {
                        cycle.cycle();
                    }
                    return true;
                }));
                for (Future<Boolean> one : all) {
                    assertThat(one.get()).isTrue();
                }
            } finally {
                threads.shutdownNow();
            }
            assertThat(driver.opened()).isEqualTo(cycle.size()).isEqualTo(4);
        } finally {
            cycle.close();
        }
    }

    /** Without a pool each operation is a connection that is opened, so that they can be counted from the other side. */
    @Test
    void aCycleOfManyCountsWhatAllItsThreadsDo() throws Exception {
        ManyCycle cycle = new ManyCycle() {
            @Override
            PoolSpec.Builder spec() {
                return PoolSpec.of(driver);
            }
        };
        cycle.crowd = 4;
        cycle.connections = 4;
        cycle.millis = 50;
        open(cycle, "none", Profile.EQUAL);
        try {
            for (int i = 0; i < 2; i++) {
                int before = driver.opened();
                ManyCycle.Done done = new ManyCycle.Done();
                cycle.cycle(done);
                int opened = driver.opened() - before;
                assertThat(done.nanos).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(50));
                assertThat(done.operations).isPositive().isLessThanOrEqualTo(opened);
                assertThat(opened - done.operations)
                        .as("what was done when the time was over")
                        .isLessThan(opened / 2);
            }
        } finally {
            cycle.close();
        }
    }

    @Test
    void aCycleOfManyHoldsTheOthersAndGivesAllBack() throws Exception {
        ManyCycle cycle = new ManyCycle() {
            @Override
            PoolSpec.Builder spec() {
                return PoolSpec.of(driver);
            }
        };
        cycle.crowd = 8;
        cycle.connections = 80;
        cycle.free = 2;
        cycle.millis = 50;
        open(cycle, "weir", Profile.EQUAL);
        try {
            ManyCycle.Done done = new ManyCycle.Done();
            cycle.cycle(done);
            assertThat(done.operations).isPositive();
            assertThat(driver.opened()).isEqualTo(80);
        } finally {
            cycle.close();
        }
        assertThat(driver.open()).isZero();
    }

    private static void open(PoolState cycle, String pool, Profile profile) throws Exception {
        cycle.pool = pool;
        cycle.profile = profile;
        cycle.open();
    }

    /**
     * No pool is measured with fewer checks than it says: where its terms, which stand under each table, name a time after which a
     * connection is tested, the driver is asked after that time, and where it is to be asked each time, it is.
     */
    @Test
    void eachPoolTestsWhenItsTermsSayThatItDoes() throws Exception {
        List<Tested> all = new ArrayList<>();
        try {
            for (String pool : pools().toList()) {
                all.add(new Tested(pool));
            }
            long idle = System.nanoTime();
            Await.await(
                    "every connection is idle for longer than any pool trusts one",
                    Duration.ofSeconds(30),
                    () -> System.nanoTime() - idle > TimeUnit.MILLISECONDS.toNanos(1_200));
            for (Tested pool : all) {
                pool.check();
            }
        } finally {
            for (Tested pool : all) {
                pool.cycle.close();
            }
        }
    }

    /** A pool of the connection cycle, as it is measured. */
    private static final class Tested {
        private final StubDataSource driver = StubDataSource.counting(ROWS);
        private final String terms;
        private final ConnectionCycle cycle = new ConnectionCycle() {
            @Override
            PoolSpec.Builder spec() {
                return PoolSpec.of(driver);
            }
        };

        Tested(String pool) throws Exception {
            terms = Contenders.named(pool).terms(Profile.EQUAL).tested();
            open(cycle, pool, Profile.EQUAL);
            cycle.cycle();
        }

        private long asked() {
            return driver.tests() + driver.calls().executeQuery();
        }

        void check() throws Exception {
            String name = cycle.pool + ", tested " + terms;
            long before = asked();
            cycle.cycle();
            if (terms.equals("after 500 ms idle") || terms.equals("after 1 s idle")) {
                assertThat(asked()).as(name).isGreaterThan(before);
            } else if (terms.equals("each time")) {
                for (int i = 1; i < CYCLES; i++) {
                    cycle.cycle();
                }
                assertThat(asked() - before).as(name).isGreaterThanOrEqualTo(CYCLES);
            } else {
                assertThat(terms)
                        .as(cycle.pool + ", which promises no test of a loan")
                        .matches("never.*|when it is opened");
            }
        }
    }
}
