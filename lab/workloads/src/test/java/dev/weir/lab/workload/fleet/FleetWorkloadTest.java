package dev.weir.lab.workload.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.workload.Runs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("thorough") // bursts that move take seconds
final class FleetWorkloadTest {
    private static final int PLACES = 12;

    @TempDir
    private Path results;

    /** Each of two bursts could use 16 connections, so that a slow machine, too, meets the end of the server's twelve. */
    @Test
    void aBudgetMovesWithTheBurstAndNothingIsRefused() throws Exception {
        Map<String, String> settings = Map.of(
                "loads", "moving,deploy",
                "members", "4",
                "places", Integer.toString(PLACES),
                "connections", "8",
                "threads", "10",
                "even", "1",
                "hold", "5",
                "move", "700",
                "moves", "2");
        RunFolder folder = Runs.run(results, "fleet", List.of("weir", "hikari"), settings);

        assertThat(folder.info().cells()).hasSize(4);
        for (Cell cell : folder.info().cells()) {
            Map<String, Double> measured = Runs.of(folder, cell);
            boolean shares = cell.pool().equals("weir");
            assertThat(measured.get("requests")).as(cell.toString()).isPositive();
            assertThat(measured.get("max")).as(cell.toString()).isGreaterThanOrEqualTo(measured.get("p50"));
            List<String> raw = Files.readAllLines(RunFolder.raw(folder.path(), cell, ".tsv"));
            assertThat(raw.get(0))
                    .startsWith("since_begin_ms\tsessions\tmember_1")
                    .endsWith("member_4");
            assertThat(raw.stream()
                            .skip(1)
                            .mapToInt(line -> Integer.parseInt(line.split("\t", -1)[1]))
                            .max())
                    .hasValue(measured.get("most sessions").intValue());
            if (shares) {
                assertThat(measured).as(cell.toString()).containsEntry("errors", 0.0);
                assertThat(measured).as(cell.toString()).containsEntry("refused connects", 0.0);
                assertThat(measured.get("most sessions")).isBetween(4.0, (double) PLACES);
            } else if (cell.caseName().startsWith("bursts")) {
                assertThat(measured.get("refused connects"))
                        .as("who comes late is refused")
                        .isPositive();
            }
        }
    }
}
