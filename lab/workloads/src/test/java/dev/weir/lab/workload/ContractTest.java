package dev.weir.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Failure;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.runs.RunInfo;
import dev.weir.testkit.ContractSuite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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

    @Test
    void whatFailsBesideOthersIsRunAgainAloneAndThatCounts() throws Exception {
        String shy = "shy=dev.weir.lab.workload.ShyDataSource?url={url}";
        RunRequest all = Runs.request(results, "contract", List.of(shy), 1, Map.of("promises", "P1", "limit", "4"));
        RunFolder folder = Runner.plan(new RunRequest(
                all.workload(),
                all.settings(),
                all.pools(),
                all.classPath(),
                all.profile(),
                1,
                7,
                Pattern.compile("second close|late close|aborted"),
                all.command(),
                all.results()));
        ShyDataSource.SHY.set(folder.info().cells().size());

        assertThat(Runs.go(folder, new Stop(), true)).isTrue();

        assertThat(of(folder, "kept"))
                .contains("P1 second close changes nothing")
                .hasSize(3);
        assertThat(of(folder, RunInfo.FAILED_BESIDE_OTHERS)).hasSize(3);
        assertThat(folder.failures()).isEmpty();
    }

    private static List<String> of(RunFolder folder, String metric) throws IOException {
        return folder.measurements().stream()
                .filter(one -> one.metric().equals(metric))
                .map(one -> one.cell().caseName())
                .toList();
    }

    @Test
    void whatLooksAtTheWholeJvmRunsAlone() throws Exception {
        RunRequest request = Runs.request(results, "contract", List.of("weir"), 1, Map.of("promises", "P1,P6,P9,API"));
        CellBench bench = new CellBench(request.workload(), request.settings(), new Stop(), true);
        Set<String> alone = ContractSuite.all().stream()
                .filter(ContractSuite.Check::isAlone)
                .map(ContractSuite.Check::toString)
                .collect(Collectors.toSet());
        List<Cell> left = new ArrayList<>(Runner.cells(request));
        Set<String> ranAlone = new HashSet<>();
        while (!left.isEmpty()) {
            List<Cell> together = List.copyOf(bench.together(left));
            if (together.size() == 1) {
                ranAlone.add(together.get(0).caseName());
            }
            left.removeAll(together);
        }
        assertThat(alone).isNotEmpty().isEqualTo(ranAlone);
    }
}
