package dev.weir.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchTest {
    private static final List<String> POOLS = List.of("weir", "hikari", "beecp", "raw");

    @Test
    void everyPoolRunsEveryBenchmark(@TempDir Path folder) throws Exception {
        List<BenchPlan.Case> cases = List.of(
                new BenchPlan.Case(ConnectionCycle.class, 2),
                new BenchPlan.Case(ContendedCycle.class, 8),
                new BenchPlan.Case(StatementCycle.class, 1),
                new BenchPlan.Case(FullCycle.class, 1));
        BenchPlan plan = new BenchPlan(cases, POOLS, 1, 0, 0, 1, 10);
        Bench bench =
                new Bench(plan, folder, new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));

        BenchResults results = bench.run();
        bench.write(results, "test");

        for (BenchPlan.Case what : cases) {
            for (String pool : POOLS) {
                assertThat(results.of(what, pool)).hasSize(what.canRun(pool) ? 1 : 0);
                assertThat(results.of(what, pool)).allMatch(sample -> sample.nanos() > 0);
            }
        }
        assertThat(Files.readString(folder.resolve("bench.md"))).contains("| FullCycle, 1 thread ");
        assertThat(Files.readString(folder.resolve("bench.json"))).contains("\"pool\": \"beecp\"");
    }

    @Test
    void medianIsTheMiddleOrTheMeanOfTheTwoInTheMiddle() {
        assertThat(BenchResults.median(new double[] {9, 1, 5})).isEqualTo(5);
        assertThat(BenchResults.median(new double[] {4, 1, 2, 9})).isEqualTo(3);
        assertThat(BenchResults.median(new double[0])).isNaN();
    }
}
