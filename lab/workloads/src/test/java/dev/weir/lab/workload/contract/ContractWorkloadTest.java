package dev.weir.lab.workload.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.workload.Runs;
import dev.weir.testkit.ContractSuite;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ContractWorkloadTest {
    @TempDir
    private Path results;

    @Test
    void eachCheckOfAPromiseIsKeptOrBrokenWithWhatWasSeen() throws Exception {
        RunFolder folder = Runs.run(results, "contract", List.of("hikari"), Map.of("promises", "P1"));

        Map<String, Double> measured = Runs.byCase(folder).get("P1");
        List<String> checks = ContractSuite.all().stream()
                .filter(check -> check.promise().equals("P1"))
                .map(ContractSuite.Check::toString)
                .toList();
        assertThat(measured.keySet()).containsAll(checks);
        assertThat(measured.get("kept") + measured.get("broken") + measured.get("not tried"))
                .isEqualTo(checks.size());
        long broken = checks.stream().filter(check -> measured.get(check) == 0).count();
        assertThat((double) broken).isPositive().isEqualTo(measured.get("broken"));
        List<String> seen = Files.readAllLines(
                RunFolder.raw(folder.path(), folder.info().cells().get(0), "-broken.tsv"));
        assertThat(seen).hasSize((int) broken + 1).anyMatch(line -> line.startsWith("P1 "));
        assertThat(folder.path().resolve("report.md")).content().contains("\u2717");
    }
}
