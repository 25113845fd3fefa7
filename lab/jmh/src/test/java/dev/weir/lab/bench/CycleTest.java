package dev.weir.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.contender.Contender;
import dev.weir.lab.contender.Contenders;
import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.contender.Profile;
import dev.weir.lab.stub.StubCalls;
import dev.weir.lab.stub.StubDataSource;
import java.util.List;
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
}
