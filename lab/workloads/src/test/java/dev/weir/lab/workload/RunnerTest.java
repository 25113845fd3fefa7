package dev.weir.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Json;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.runs.RunInfo;
import dev.weir.testkit.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunnerTest {
    private static final Map<String, String> TINY = Map.ofEntries(
            Map.entry("threads", "3"),
            Map.entry("connections", "2"),
            Map.entry("cycles", "4"),
            Map.entry("statements", "1"),
            Map.entry("rows", "1"),
            Map.entry("warmups", "0"),
            Map.entry("runs", "1"));
    private static final String BROKEN = "broken=" + BrokenDataSource.class.getName();

    @TempDir
    private Path root;

    @Test
    void timesOfASettingMayHaveAUnit() {
        Settings settings = Settings.of(
                Workloads.named("spike").settings(), false, Map.of("connect", "2s", "ramp", "1m", "sample", "1ms"));
        assertThat(settings.text("connect")).isEqualTo("2000");
        assertThat(settings.text("ramp")).isEqualTo("60000");
        assertThat(settings.text("sample")).isEqualTo("1000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Settings.of(Workloads.named("spike").settings(), false, Map.of("threads", "2s")))
                .withMessage("--threads: 2s (expected: 1..10000)");
    }

    /** Half of what the guide says to twice as much: an estimate. Fair takes 10 minutes without virtual threads, 20 with them. */
    @Test
    void aboutAsLongAsTheGuideSays() {
        Map<String, Integer> minutes =
                Map.of("cycle", 80, "mixed", 15, "spike", 35, "fair", 15, "down", 45, "failover", 55, "contract", 20);
        minutes.forEach((name, guide) -> {
            Workload workload = Workloads.named(name);
            RunRequest request = new RunRequest(
                    workload,
                    Settings.of(workload.settings(), false, Map.of()),
                    workload.pools(),
                    List.of(),
                    workload.profiles().get(0),
                    workload.rounds(false),
                    7,
                    Pattern.compile(""),
                    "",
                    root);
            assertThat(Runner.about(request, Runner.cells(request)).toMinutes())
                    .as(name)
                    .isBetween(guide / 2L, guide * 2L);
        });
    }

    @Test
    void tableFitsTheTerminal() throws IOException {
        RunFolder folder = Runner.plan(Runs.request(root, "mixed", List.of("weir", "hikari"), 1, TINY));
        for (Cell cell : folder.info().cells()) {
            List<Measurement> measured = IntStream.range(0, 12)
                    .mapToObj(i -> new Measurement(cell, "a metric of a long name " + i, i, "ms"))
                    .toList();
            folder.append(cell, measured);
        }
        String table = RunTable.of(
                folder,
                IntStream.range(0, 12)
                        .mapToObj(i -> "a metric of a long name " + i)
                        .toList());
        assertThat(table.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(120));
        assertThat(table).contains("a metric of a long name 0 ms", "a metric of a long name 11 ms");
        assertThat(table.lines().filter(line -> line.startsWith("| weir"))).hasSizeGreaterThan(2);
    }

    @Test
    void poolsTakeTurnsInAnOrderThatIsDrawnForEachRoundAndCanBeRepeated() throws Exception {
        List<String> pools = List.of("weir", "hikari", "beecp");
        RunFolder folder = Runner.plan(Runs.request(root, "mixed", pools, 20, TINY));
        List<String> order = order(folder);

        Map<String, Integer> begins = new HashMap<>();
        for (int round = 0; round < 20; round++) {
            assertThat(order.subList(3 * round, 3 * round + 3)).containsExactlyInAnyOrderElementsOf(pools);
            begins.merge(order.get(3 * round), 1, Integer::sum);
        }
        assertThat(begins.values()).as("how often each begins").allMatch(times -> times >= 3);
        assertThat(order(Runner.plan(Runs.request(root, "mixed", pools, 20, TINY))))
                .isEqualTo(order);
        assertThat(folder.info().seed()).isEqualTo(7);
    }

    private static List<String> order(RunFolder folder) {
        return folder.info().cells().stream().map(Cell::pool).toList();
    }

    @Test
    void aContenderThatFailsIsReportedAndTheOthersGoOn() throws Exception {
        RunFolder folder = Runner.plan(Runs.request(root, "mixed", List.of(BROKEN, "weir"), 1, TINY));
        ByteArrayOutputStream progress = new ByteArrayOutputStream();

        boolean whole = Runs.go(folder, new Stop(), true, new PrintStream(progress, true, StandardCharsets.UTF_8));

        assertThat(whole).isTrue();
        assertThat(folder.failures()).singleElement().satisfies(failure -> {
            assertThat(failure.cell().pool()).isEqualTo("broken");
            assertThat(failure.message()).contains("broken, as it is meant to be");
        });
        assertThat(folder.measurements())
                .isNotEmpty()
                .allMatch(one -> one.cell().pool().equals("weir"));
        assertThat(progress.toString(StandardCharsets.UTF_8))
                .contains("1 of 2", "2 of 2")
                .contains("failed");
        assertThat(RunTable.of(folder, List.of("median"))).containsPattern("\\| broken \\| +failed \\|");
        assertThat(RunFolder.read(folder.path()).info().ended()).isNotNull();
    }

    @Test
    void stoppingKeepsWhatIsDoneAndResumingDoesTheRestOnce() throws Exception {
        RunFolder folder = Runner.plan(Runs.request(root, "mixed", List.of("weir", "hikari"), 2, TINY));
        Stop stop = new Stop();

        assertThat(Runs.go(folder, stop, true, stopAfterFirstLine(stop))).isFalse();

        RunFolder unfinished = RunFolder.newestUnfinished(root, "mixed").orElseThrow();
        assertThat(unfinished.path()).isEqualTo(folder.path());
        assertThat(unfinished.done()).containsExactly(folder.info().cells().get(0));
        List<?> before = unfinished.measurements();

        assertThat(Runs.go(unfinished, new Stop(), true)).isTrue();

        assertThat(unfinished.done())
                .containsExactlyInAnyOrderElementsOf(folder.info().cells());
        assertThat(unfinished.measurements().subList(0, before.size())).isEqualTo(before);
        assertThat(unfinished.measurements().stream().filter(one -> one.metric().equals("median")))
                .hasSize(4);
        assertThat(RunFolder.read(folder.path()).info().ended()).isNotNull();
    }

    private static PrintStream stopAfterFirstLine(Stop stop) {
        return new PrintStream(
                new OutputStream() {
                    @Override
                    public void write(int b) {
                        stop.request(2);
                    }
                },
                true,
                StandardCharsets.UTF_8);
    }

    /** Ctrl-C on a terminal is for all of them, and the cell may end before the runner has heard of it. */
    @Test
    void aCellThatTheSignalReachesFirstIsNotAFailure() throws Exception {
        Map<String, String> endless =
                Map.of("threads", "4", "connections", "1", "cycles", "1000000", "statements", "1", "rows", "1");
        RunFolder folder = Runner.plan(Runs.request(root, "mixed", List.of("weir"), 1, endless));
        Stop stop = new Stop();
        FutureTask<Boolean> run = new FutureTask<>(() -> Runs.go(folder, stop, false));
        Thread runner = new Thread(run, "runner");
        runner.start();
        ProcessHandle cell = cellOf(folder);

        cell.destroy();
        cell.onExit().get(30, TimeUnit.SECONDS);
        boolean taken = Await.becomesTrue(
                Duration.ofMillis(500), () -> !folder.failures().isEmpty());
        stop.request(2);

        assertThat(run.get(30, TimeUnit.SECONDS)).isFalse();
        assertThat(taken).isFalse();
        assertThat(folder.done()).isEmpty();
        assertThat(RunFolder.newestUnfinished(root, "mixed")).isPresent();
    }

    private static ProcessHandle cellOf(RunFolder folder) {
        AtomicReference<ProcessHandle> cell = new AtomicReference<>();
        Await.await("the cell of " + folder.path() + " runs", Duration.ofSeconds(30), () -> {
            ProcessHandle.current()
                    .children()
                    // A child looks like this JVM, then is the JDK's helper, then the cell; each info() looks anew.
                    // So the order counts: first that it is this JVM no more, and only then that it is java.
                    .filter(child -> child.info()
                            .commandLine()
                            .filter(line -> !line.equals(
                                    ProcessHandle.current().info().commandLine().orElse("")))
                            .isPresent())
                    .filter(child -> child.info().command().orElse("").endsWith("java"))
                    .findAny()
                    .ifPresent(cell::set);
            return cell.get() != null;
        });
        return cell.get();
    }

    @Test
    void aCellInAJvmOfItsOwnTellsTheSame() throws Exception {
        RunFolder folder = Runner.plan(Runs.request(root, "mixed", List.of("weir", BROKEN), 1, TINY));

        assertThat(Runs.go(folder, new Stop(), false)).isTrue();

        assertThat(Runs.of(folder, folder.info().cells().get(0))).containsEntry("getConnection", 12.0);
        assertThat(folder.failures())
                .singleElement()
                .satisfies(failure -> assertThat(failure.message()).contains("broken, as it is meant to be"));
    }

    @ParameterizedTest
    @CsvSource({"jdk, 1.4.2", "processor, another", "cores, 4096"})
    void aRunThatWasBegunOnAnotherJdkOrMachineIsNotGoneOnWith(String fact, String value) throws Exception {
        RunFolder folder = Runner.plan(Runs.request(root, "mixed", List.of("weir"), 1, TINY));
        RunInfo info = folder.info();
        Map<String, Object> machine = new HashMap<>(info.machine());
        machine.put(fact, value);
        Json.write(
                folder.path().resolve("run.json"),
                new RunInfo(
                        info.workload(),
                        info.command(),
                        info.started(),
                        null,
                        info.profile(),
                        info.seed(),
                        machine,
                        info.versions(),
                        info.terms(),
                        info.settings(),
                        info.pools(),
                        info.classPath(),
                        info.cells()));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Runs.go(RunFolder.open(folder.path()), new Stop(), true))
                .withMessageContaining("--resume")
                .withMessageContaining(value);
    }

    @Test
    void settingsThatAreWrongAreRefusedByName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Runs.request(root, "mixed", List.of("weir"), 1, Map.of("threads", "0")))
                .withMessage("--threads: 0 (expected: 1..10000)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Runs.request(root, "fair", List.of("weir"), 1, Map.of("kinds", "platform,green")))
                .withMessage("--kinds: platform,green (expected: some of platform, virtual, separated by commas)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Runs.request(root, "mixed", List.of("weir"), 1, Map.of("thread", "5")))
                .withMessageStartingWith("setting: thread (expected: threads, ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Workloads.named("mixd"))
                .withMessageStartingWith("workload: mixd (expected: ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Runner.plan(Runs.request(root, "mixed", List.of("weir", "weir"), 1, TINY)))
                .withMessageContaining("each only once");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Runner.plan(Runs.request(root, "mixed", List.of("raw"), 1, TINY)))
                .withMessageStartingWith("pools: raw (expected: one at least that can run mixed; as weir, hikari, ");
        assertThat(root).isEmptyDirectory();
    }
}
