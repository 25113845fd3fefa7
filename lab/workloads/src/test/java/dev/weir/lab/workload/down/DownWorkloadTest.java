package dev.weir.lab.workload.down;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.workload.Runs;
import dev.weir.testkit.servers.ThreadsLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("thorough") // five outages
final class DownWorkloadTest {
    private static final Duration SOON = Duration.ofSeconds(15);
    private static final int USERS = 4;
    private static final int WARM_CONNECTS = 7;

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @TempDir
    private Path results;

    @Test
    void countsWhatUsersSeeOfADatabaseThatGoesAwayAndComesBack() throws Exception {
        RunFolder folder = Runs.run(results, "down", List.of("weir"), settings());
        Map<String, Map<String, Double>> cases = Runs.byCase(folder);
        assertThat(cases).hasSize(5);
        cases.forEach((name, seen) -> {
            assertThat(seen.get("user errors"))
                    .as(name)
                    .isEqualTo(seen.get("errors getting") + seen.get("errors in use"));
            assertThat(seen.get("connects before")).as(name).isEqualTo(WARM_CONNECTS);
            assertThat(seen.get("first success")).as(name).isPositive();
            assertThat(seen.get("full rate")).as(name).isPositive();
            assertThat(seen.get("first half mean")).as(name).isPositive();
            assertThat(seen.get("second half mean")).as(name).isEqualTo(seen.get("usual rate"));
            assertThat(seen.get("users stuck")).as(name).isZero();
            assertThat(seen.get("connects in all")).as(name).isGreaterThanOrEqualTo(seen.get("connects while away"));
        });
        assertThat(cases.get("killed while idle")).containsEntry("user errors", 0.0);
        assertThat(cases.get("killed backends").get("errors in use")).isBetween(0.0, (double) USERS);
        // It is longer away than a user waits: all are told at least once that there is no connection.
        assertThat(cases.get("stopped server for 800 ms").get("errors getting")).isGreaterThanOrEqualTo(USERS);
        assertThat(cases.get("reset for 800 ms").get("connects while away")).isPositive();
        assertThat(cases.get("black hole for 800 ms").get("longest get")).isGreaterThanOrEqualTo(400);
        for (Cell cell : folder.info().cells()) {
            assertThatRawAddsUp(RunFolder.raw(folder.path(), cell, ".tsv"), cases.get(cell.caseName()));
        }
        threads.none("down-user-", SOON);
        threads.none("weir-", SOON);
    }

    private static Map<String, String> settings() {
        return Map.of(
                "faults",
                "idle,killed,stopped,reset,hole",
                "users",
                Integer.toString(USERS),
                "connections",
                "3",
                "timeout",
                "400",
                "away",
                "800",
                "warm-connects",
                Integer.toString(WARM_CONNECTS),
                "before",
                "400",
                "watch",
                "10000");
    }

    /** What the raw samples have over time is what was measured. */
    private static void assertThatRawAddsUp(Path file, Map<String, Double> seen) throws IOException {
        List<double[]> rows = Files.readAllLines(file).stream()
                .skip(1)
                .map(line -> Pattern.compile("\t")
                        .splitAsStream(line)
                        .mapToDouble(Double::parseDouble)
                        .toArray())
                .toList();
        assertThat(sum(rows, 2)).isEqualTo(seen.get("served"));
        assertThat(sum(rows, 3)).isEqualTo(seen.get("errors getting"));
        assertThat(sum(rows, 4)).isEqualTo(seen.get("errors in use"));
        assertThat(rows.stream().mapToDouble(row -> row[5]).max().orElse(0)).isEqualTo(seen.get("longest get"));
    }

    private static double sum(List<double[]> rows, int column) {
        return rows.stream().mapToDouble(row -> row[column]).sum();
    }
}
