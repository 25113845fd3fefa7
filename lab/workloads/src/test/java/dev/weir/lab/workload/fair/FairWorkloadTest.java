package dev.weir.lab.workload.fair;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FairWorkloadTest {

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
        assertThat(seed).isNotZero();
        assertThat(fastest).isBetween(20_000L, 1_000_000L);
    }
}
