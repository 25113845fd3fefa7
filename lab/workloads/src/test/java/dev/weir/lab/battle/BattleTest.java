package dev.weir.lab.battle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.report.Report;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.workload.Runs;
import dev.weir.testkit.servers.ThreadsLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BattleTest {
    private static final int CONNECTIONS = 6;
    private static final String TRANSACTION = "weir[poolMode=transaction]";

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @TempDir
    private Path results;

    @Test
    void everyAnswerIsCountedOnceAndEveryOrderIsStored() throws Exception {
        RunFolder folder = run();
        assertThat(folder.failures()).isEmpty();
        Cell cell = folder.info().cells().get(0);
        Map<String, Double> seen =
                folder.measurements().stream().collect(Collectors.toMap(Measurement::metric, Measurement::value));
        // That the orders, lines and sums of the users are those of the database is checked by the workload itself.
        assertThat(seen).containsEntry("failed", 0.0);
        assertThat(seen.get("orders")).isPositive();
        assertThat(seen.get("connections at end")).isBetween(1.0, (double) CONNECTIONS);
        assertThat(seen.get("renewed"))
                .as("connections that expired while measured")
                .isPositive();
        assertThat(seen.get("opened")).isGreaterThanOrEqualTo(seen.get("renewed"));
        assertThat(seen.get("in use")).isBetween(0.0, (double) CONNECTIONS);

        List<double[]> responses = rows(folder, cell, "responses");
        assertThat((double) responses.size()).isLessThan(seen.get("answered"));
        assertThat(responses).isSortedAccordingTo((a, b) -> Double.compare(a[0], b[0]));
        assertThat(responses.stream().mapToDouble(row -> row[1]).max().orElseThrow())
                .isCloseTo(seen.get("max"), Offset.offset(0.001));
        List<double[]> curve = rows(folder, cell, "percentiles");
        assertThat(curve)
                .isSortedAccordingTo((a, b) -> Double.compare(a[1], b[1]))
                .isSortedAccordingTo((a, b) -> Double.compare(a[2], b[2]));
        double[] last = curve.get(curve.size() - 1);
        assertThat(last[0]).isEqualTo(99.99);
        assertThat(last[1]).isCloseTo(seen.get("p99.99"), Offset.offset(0.001));
        threads.none("battle-", Duration.ofSeconds(10));
        threads.none("weir-", Duration.ofSeconds(10));
    }

    /** One connection whose session is open for 40 ms after each transaction serves 25 requests a second, and no more. */
    @Test
    void whereTheViewKeepsTheSessionOpenTheModeTransactionServesMore() throws Exception {
        RunFolder folder = Runs.run(
                results,
                "battle",
                List.of("weir", TRANSACTION),
                Map.of(
                        "open-in-view", "true",
                        "users", "4",
                        "think", "0",
                        "downstream", "40",
                        "connections", "1",
                        "warmup", "300",
                        "measured", "700"));

        Map<String, Map<String, Double>> seen = new HashMap<>();
        for (Cell cell : folder.info().cells()) {
            seen.put(cell.pool(), Runs.of(folder, cell));
        }
        assertThat(seen)
                .hasSize(2)
                .allSatisfy((pool, own) ->
                        assertThat(own).containsEntry("failed", 0.0).containsKeys("p50", "p99", "connections bound"));
        assertThat(seen.get(TRANSACTION).get("requests"))
                .isGreaterThan(seen.get("weir").get("requests"));
        Report.write(folder);
        assertThat(folder.path().resolve("report.md"))
                .content()
                .containsPattern("pool +\\| +requests, per second \\| +connections bound \\|")
                .contains("| weir ", "| " + TRANSACTION + " ", "-requests.png");
        threads.none("battle-", Duration.ofSeconds(10));
        threads.none("weir-", Duration.ofSeconds(10));
    }

    private RunFolder run() throws IOException, InterruptedException {
        return Runs.run(
                results,
                "battle",
                List.of("weir"),
                Map.of(
                        "users", "4",
                        "think", "10",
                        "downstream", "2",
                        "connect", "5",
                        "connections", Integer.toString(CONNECTIONS),
                        "lifetime", "1000",
                        "warmup", "500",
                        "measured", "1500"));
    }

    private static List<double[]> rows(RunFolder folder, Cell cell, String what) throws IOException {
        return Files.readAllLines(RunFolder.raw(folder.path(), cell, "-" + what + ".tsv")).stream()
                .skip(1)
                .map(line -> Pattern.compile("\t")
                        .splitAsStream(line)
                        .mapToDouble(Double::parseDouble)
                        .toArray())
                .toList();
    }
}
