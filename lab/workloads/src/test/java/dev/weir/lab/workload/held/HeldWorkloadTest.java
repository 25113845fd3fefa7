package dev.weir.lab.workload.held;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.workload.Crowd;
import dev.weir.lab.workload.Runs;
import dev.weir.lab.workload.Workloads;
import dev.weir.testkit.servers.PgBouncer;
import dev.weir.testkit.servers.ThreadsLeft;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HeldWorkloadTest {
    private static final int CONNECTIONS = 2;
    private static final Duration SOON = Duration.ofSeconds(10);

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @TempDir
    private Path results;

    @Test
    void everyRequestIsCountedOnceOnNoMoreSessionsThanAllowed() throws Exception {
        List<String> pools = Workloads.named("held").pools();
        RunFolder folder = Runs.run(
                results,
                "held",
                pools,
                Map.of(
                        "platform", "5",
                        "virtual", "5",
                        "connections", Integer.toString(CONNECTIONS),
                        "pauses", "first",
                        "pause", "9",
                        "warmup", "50",
                        "measure", "350"));

        assertThat(folder.info().cells())
                .hasSize((pools.size() - (PgBouncer.isInstalled() ? 0 : 1)) * (Crowd.HAS_VIRTUAL ? 2 : 1));
        for (Cell cell : folder.info().cells()) {
            Map<String, Double> seen = Runs.of(folder, cell);
            assertThat(seen)
                    .as(cell.toString())
                    .containsEntry("failed", 0.0)
                    .containsEntry("stuck", 0.0)
                    .containsEntry("sessions", (double) CONNECTIONS)
                    // BEGIN travels with the statement of its transaction.
                    .containsEntry("round trips", 4.0);
            assertThat(seen.get("requests")).as(cell.toString()).isPositive();
            assertThat(seen.get("p50")).as(cell.toString()).isBetween(11.0, seen.get("p99"));
            assertThat(seen.get("sessions at work")).isBetween(0.0, (double) CONNECTIONS);
            assertThatRawAddsUp(folder, cell, seen);
        }
        threads.none("held-", SOON);
        threads.none("weir-", SOON);
    }

    private static void assertThatRawAddsUp(RunFolder folder, Cell cell, Map<String, Double> seen) throws Exception {
        List<String[]> rows = Files.readAllLines(RunFolder.raw(folder.path(), cell, ".tsv")).stream()
                .skip(1)
                .map(line -> line.split("\t", -1))
                .toList();
        assertThat(rows)
                .hasSizeGreaterThan(0)
                .allSatisfy(row -> assertThat(Long.parseLong(row[2]))
                        .isBetween(Math.max(11_000, Long.parseLong(row[1])), (long) (seen.get("max") * 1_010)));
    }
}
