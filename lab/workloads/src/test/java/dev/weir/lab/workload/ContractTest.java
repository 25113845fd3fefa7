package dev.weir.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.runs.Failure;
import dev.weir.lab.runs.RunFolder;
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
    void eachCheckIsACaseThatIsKeptOrFailsWithWhatWasSeen() throws Exception {
        RunFolder folder =
                Runner.plan(Runs.request(results, "contract", List.of("hikari"), 1, Map.of("promises", "P3")));
        assertThat(Runs.go(folder, new Stop(), true)).isTrue();
        Set<String> seen = new HashSet<>();
        Runs.byCase(folder).forEach((check, measured) -> {
            assertThat(measured).hasSize(1).containsEntry("kept", 1.0);
            seen.add(check);
        });
        List<Failure> broken = folder.failures();
        assertThat(broken)
                .anySatisfy(failure -> assertThat(failure.cell().caseName()).contains("DatabaseMetaData"))
                .allSatisfy(failure -> assertThat(failure.message())
                        .startsWith("BrokenPromise: ")
                        .hasSizeLessThan(400));
        broken.forEach(
                failure -> assertThat(seen.add(failure.cell().caseName())).isTrue());
        assertThat(seen)
                .containsExactlyInAnyOrderElementsOf(ContractSuite.all().stream()
                        .filter(check -> check.promise().equals("P3"))
                        .map(ContractSuite.Check::toString)
                        .toList());
    }

    @Test
    void weirAsAContenderKeepsWhatItPromises() throws Exception {
        RunFolder folder = Runs.run(results, "contract", List.of("weir"), Map.of("promises", "P2,P3"));
        assertThat(folder.measurements())
                .isNotEmpty()
                .allSatisfy(one -> assertThat(one.value()).as("%s", one.cell()).isEqualTo(1));
    }
}
