package dev.weir.lab.waits;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class WaitsTest {
    private static final List<String> POOLS = List.of("weir", "hikari", "beecp");

    @Test
    void everyWaitIsCountedOnce() throws Exception {
        List<WaitsPlan.Case> cases = List.of(
                new WaitsPlan.Case(4, 20, false, WaitsPlan.Hold.PARKED),
                new WaitsPlan.Case(2, 8, false, WaitsPlan.Hold.BUSY),
                new WaitsPlan.Case(4, 100, true, WaitsPlan.Hold.PARKED));
        WaitsPlan plan = new WaitsPlan(cases, POOLS, 1, 20, 50);

        WaitsResults results =
                new Waits(plan, new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8)).run();

        for (WaitsPlan.Case what : cases) {
            for (String pool : POOLS) {
                List<WaitsResults.Sample> samples = results.of(what, pool);
                assertThat(samples).hasSize(what.virtual() && !Threads.haveVirtual() ? 0 : 1);
                assertThat(samples).allSatisfy(sample -> {
                    assertThat(sample.failures()).isZero();
                    assertThat(sample.total() + sample.inFlight().getTotalCount())
                            .isPositive();
                    assertThat(sample.completed().getTotalCount()).isEqualTo(sample.total());
                    assertThat(sample.inFlight().getTotalCount()).isLessThanOrEqualTo(what.threads());
                    assertThat(sample.total()).isBetween(sample.least(), sample.most() * what.threads());
                    assertThat(sample.least() == 0).isEqualTo(sample.unserved() > 0);
                });
            }
        }
        assertThat(results.table()).contains("| 4 conn., 20 threads, parked ");
    }

    @Test
    void aWaitThatNeverEndsIsInThePercentiles() {
        Histogram completed = new Histogram(3);
        completed.recordValue(1_000);
        Histogram inFlight = new Histogram(3);
        inFlight.recordValue(3_000_000_000L);

        WaitsResults.Sample sample =
                WaitsResults.Sample.of(3_000_000_000L, completed, new Histogram(3), inFlight, new long[] {1, 0}, 0);

        assertThat(sample.unserved()).isEqualTo(1);
        assertThat(sample.all().getMaxValue()).isGreaterThanOrEqualTo(3_000_000_000L);
    }

    @Test
    void busyWorkHasAboutTheAskedLength() {
        Work work = Work.busy(100_000);
        assertThat(work.steps()).isPositive();
        long fastest = Long.MAX_VALUE;
        long seed = 1;
        for (int i = 0; i < 50; i++) {
            long start = System.nanoTime();
            seed = work.perform(seed);
            fastest = Math.min(fastest, System.nanoTime() - start);
        }
        assertThat(fastest).isBetween(20_000L, 1_000_000L);
    }
}
