package dev.weir.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.RunFolder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunnerTest {
    private static final String BROKEN = "broken=" + BrokenDataSource.class.getName();
    private static final Map<String, String> TINY =
            Map.of("threads", "3", "connections", "2", "cycles", "4", "statements", "1", "rows", "1");

    @TempDir
    private Path root;

    @Test
    void poolsTakeTurnsInAnOrderThatIsDrawnForEachRoundAndCanBeRepeated() {
        List<String> pools = List.of("weir", "hikari", "beecp");
        List<String> order = order(pools);

        Map<String, Integer> begins = new HashMap<>();
        for (int round = 0; round < 20; round++) {
            assertThat(order.subList(3 * round, 3 * round + 3)).containsExactlyInAnyOrderElementsOf(pools);
            begins.merge(order.get(3 * round), 1, Integer::sum);
        }
        assertThat(begins.values()).as("how often each begins").allMatch(times -> times >= 3);
        assertThat(order(pools)).isEqualTo(order);
    }

    private static List<String> order(List<String> pools) {
        return Runs.plan("mixed", pools, 20, TINY).cells().stream()
                .map(Cell::pool)
                .toList();
    }

    @Test
    void aContenderThatFailsIsReportedAndTheOthersGoOn() throws Exception {
        RunFolder folder = Runs.plan("mixed", List.of(BROKEN, "weir"), 1, TINY).begin(root);

        assertThat(Runs.go(folder, new Stop(), true)).isTrue();

        assertThat(folder.failures()).singleElement().satisfies(failure -> {
            assertThat(failure.cell().pool()).isEqualTo("broken");
            assertThat(failure.message()).contains("broken, as it is meant to be");
        });
        assertThat(folder.measurements())
                .isNotEmpty()
                .allMatch(one -> one.cell().pool().equals("weir"));
        assertThat(folder.path().resolve("report.md")).content().contains("broken, as it is meant to be");
        assertThat(RunFolder.read(folder.path()).info().ended()).isNotNull();
    }

    @Test
    void stoppingKeepsWhatIsDone() throws Exception {
        RunFolder folder =
                Runs.plan("mixed", List.of("weir", "hikari"), 2, TINY).begin(root);
        Stop stop = new Stop();

        assertThat(new Runner(stop, true, said -> stop.request(2)).run(folder)).isFalse();

        RunFolder unfinished = RunFolder.read(folder.path());
        assertThat(unfinished.info().ended()).isNull();
        assertThat(unfinished.measurements())
                .isNotEmpty()
                .allMatch(one -> one.cell().equals(folder.info().cells().get(0)));
    }

    @Test
    @Tag("thorough")
    void aCellInAJvmOfItsOwnTellsTheSame() throws Exception {
        RunFolder folder = Runs.plan("mixed", List.of("weir", BROKEN), 1, TINY).begin(root);

        assertThat(Runs.go(folder, new Stop(), false)).isTrue();

        assertThat(Runs.byCase(folder).get("3 threads, 2 connections")).containsEntry("getConnection", 12.0);
        assertThat(folder.failures())
                .singleElement()
                .satisfies(failure -> assertThat(failure.message()).contains("broken, as it is meant to be"));
    }

    @Test
    void settingsThatAreWrongAreRefusedByName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Runs.plan("mixed", List.of("weir"), 1, Map.of("threads", "0")))
                .withMessage("--threads: 0 (expected: 1..10000)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Runs.plan("fair", List.of("weir"), 1, Map.of("kinds", "platform,green")))
                .withMessage(
                        "--kinds: platform,green (expected: some of platform, virtual, each once, separated by commas)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Runs.plan("mixed", List.of("weir"), 1, Map.of("thread", "5")))
                .withMessageStartingWith("setting: thread (expected: threads, ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Workloads.named("mixd"))
                .withMessageStartingWith("workload: mixd (expected: ");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        Runs.plan("mixed", List.of("weir", "weir"), 1, TINY).begin(root))
                .withMessageContaining("each only once");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Runs.plan("mixed", List.of("raw"), 1, TINY).begin(root))
                .withMessageContaining("--pools raw (expected: ");
        assertThat(root).isEmptyDirectory();
    }
}
