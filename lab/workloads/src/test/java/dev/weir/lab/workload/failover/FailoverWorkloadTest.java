package dev.weir.lab.workload.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.runs.Cell;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("thorough") // several servers and JVMs
final class FailoverWorkloadTest {
    private static final Duration SOON = Duration.ofSeconds(15);
    private static final int CONNECTIONS = 3;
    private static final int WARM_CONNECTS = 7;

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @TempDir
    private Path results;

    private static Map<String, String> settings(String kinds, int watch) {
        Map<String, String> settings = new HashMap<>(Map.of("kinds", kinds, "watch", Integer.toString(watch)));
        settings.putAll(Map.of("users", "4", "connections", Integer.toString(CONNECTIONS), "timeout", "20000"));
        settings.put("warm-connects", Integer.toString(WARM_CONNECTS));
        settings.putAll(Map.of("down", "300", "before", "500", "think", "5"));
        return settings;
    }

    @Test
    void countsWhatUsersSeeWhenAStandbyTakesOver() throws Exception {
        RunFolder folder = Runs.run(results, "failover", List.of("weir"), settings("stop,demote", 3000));
        Map<String, Map<String, Double>> cases = Runs.byCase(folder);
        assertThat(cases).containsOnlyKeys("stopped primary, none for 300 ms", "demoted primary");
        cases.forEach((name, seen) -> {
            assertThat(seen.get("failed writes"))
                    .as(name)
                    .isEqualTo(seen.get("failed getting") + seen.get("failed in use"))
                    .isBetween(0.0, (double) CONNECTIONS);
            assertThat(seen.get("connects before")).as(name).isEqualTo(WARM_CONNECTS);
            assertThat(seen.get("good writes")).as(name).isPositive();
            assertThat(seen.get("raw gap")).as(name).isGreaterThanOrEqualTo(seen.get("longest gap"));
            assertThat(seen.get("longest gap")).as(name).isLessThan(3000);
            assertThat(seen.get("users stuck")).as(name).isZero();
        });
        Map<String, Double> stopped = cases.get("stopped primary, none for 300 ms");
        assertThat(stopped.get("raw gap")).isGreaterThanOrEqualTo(250);
        assertThat(stopped.get("new server ready")).isGreaterThanOrEqualTo(300);
        assertThat(cases.get("demoted primary")).containsEntry("left at the old server", 0.0);
        assertThat(cases.get("demoted primary").get("all moved")).isNotNegative();
        for (Cell cell : folder.info().cells()) {
            assertThatRawAddsUp(RunFolder.raw(folder.path(), cell, ".tsv"), cases.get(cell.caseName()));
        }
        threads.none("failover-", SOON);
        threads.none("weir-", SOON);
    }

    /** What was counted from the failure on is among the samples, which begin a second before. */
    private static void assertThatRawAddsUp(Path file, Map<String, Double> seen) throws IOException {
        List<double[]> rows = Files.readAllLines(file).stream()
                .skip(1)
                .map(line -> Pattern.compile("\t")
                        .splitAsStream(line)
                        .mapToDouble(Double::parseDouble)
                        .toArray())
                .toList();
        assertThat(sum(rows, 1)).isGreaterThanOrEqualTo(seen.get("good writes"));
        assertThat(sum(rows, 2) + sum(rows, 3)).isEqualTo(seen.get("failed writes"));
        assertThat(rows.get(0)[0]).isNegative();
    }

    private static double sum(List<double[]> rows, int column) {
        return rows.stream().mapToDouble(row -> row[column]).sum();
    }

    /** The hosts file is given to a JVM when it starts. */
    @Test
    void aSwitchedNameIsMeasuredInAJvmOfItsOwn() throws Exception {
        assumeTrue(System.getProperty("os.name").startsWith("Linux"), "other systems have no second loopback address");
        RunFolder folder = Runs.plan("failover", List.of("weir", "hikari"), 1, settings("switch", 3_000))
                .begin(results);
        assertThat(Runs.go(folder, new Stop(), false)).isTrue();
        assertThat(folder.failures()).isEmpty();
        for (Cell cell : folder.info().cells()) {
            Map<String, Double> seen = Runs.of(folder, cell);
            // Neither follows the name by default.
            assertThat(seen).containsEntry("left at the old server", (double) CONNECTIONS);
            assertThat(seen.get("all moved")).isNaN();
            assertThat(seen.get("writes to the old server")).isPositive();
        }
    }

    @Test
    void aNameThatCannotBeSwitchedIsSaidSo() throws Exception {
        RunFolder folder = Runs.plan("failover", List.of("weir"), 1, settings("switch", 100))
                .begin(results);
        Runs.go(folder, new Stop(), true);
        assertThat(folder.failures())
                .singleElement()
                .satisfies(failure -> assertThat(failure.message()).contains("not --in-process"));
    }
}
