package dev.weir.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.results.RunFolder;
import dev.weir.testkit.ContractSuite;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ContractTest {
    @TempDir
    private Path results;

    @Test
    void everyCheckIsKeptOrBrokenOnceAndWeirKeepsAll() throws Exception {
        RunFolder folder =
                TinyRun.of("contract", List.of("weir"), "", Map.of("promises", "P1,P2,P3,P4,P5,P6,P7,P8"), results);
        System.out.println(folder.failures());
        assertThat(folder.failures()).isEmpty();
        Set<String> checks = new HashSet<>();
        ContractSuite.all().forEach(check -> checks.add(check.toString()));
        assertThat(TinyRun.byCase(folder).keySet()).isEqualTo(checks);
        assertThat(folder.measurements())
                .allSatisfy(one -> assertThat(one.value()).isEqualTo(1));
    }

    @Test
    void aPromiseThatIsNotKeptIsAFailureWithWhatWasSeen() throws Exception {
        RunFolder folder = TinyRun.of(
                "contract",
                List.of("hikari"),
                "executeLargeUpdate|no open statements",
                Map.of("promises", "P2"),
                results);
        assertThat(TinyRun.byCase(folder)).hasSize(1).allSatisfy((name, seen) -> {
            assertThat(name).contains("no open statements");
            assertThat(seen).containsEntry("kept", 1.0);
        });
        assertThat(folder.failures()).hasSize(1).allSatisfy(failure -> {
            assertThat(failure.cell().caseName()).contains("executeLargeUpdate");
            assertThat(failure.message()).isNotBlank();
        });
    }
}
