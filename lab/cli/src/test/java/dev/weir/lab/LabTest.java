package dev.weir.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.report.Readme;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Child;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.runs.RunInfo;
import dev.weir.lab.workload.Runner;
import dev.weir.testkit.Await;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LabTest {
    @TempDir
    private Path root;

    private final StringWriter out = new StringWriter();

    @Test
    void aWorkloadRunsAndItsFolderSaysHowToRepeatIt() throws Exception {
        int exit = lab(
                "mixed",
                "--pools",
                "weir,c3p0[helperThreads=2]",
                "--pool",
                "mine=com.zaxxer.hikari.HikariDataSource?jdbcUrl={url}&maximumPoolSize={maximum}",
                "--threads=4",
                "--connections=2",
                "--cycles=3",
                "--statements=1",
                "--rows=1",
                "--runs=1",
                "--rounds=1",
                "--profile=defaults");

        assertThat(exit).as(out.toString()).isZero();
        RunFolder folder = RunFolder.find(root).get(0);
        assertThat(folder.info().ended()).isNotNull();
        assertThat(folder.info().profile()).isEqualTo("defaults");
        assertThat(folder.info().settings()).containsEntry("threads", "4").containsEntry("warmups", "1");
        assertThat(folder.info().versions()).containsKeys("weir", "c3p0[helperThreads=2]", "mine");
        assertThat(folder.info().command())
                .startsWith("./weir lab mixed --pools 'weir,c3p0[helperThreads=2]' --pool 'mine=com.zaxxer")
                .contains(" --threads=4 ");
        assertThat(folder.done()).hasSize(3);
        assertThat(out.toString())
                .contains("| 4 threads, 2 connections | ")
                .contains("3 cells, about ")
                .contains("Verdict: Best by median (less is better): ")
                .contains("See it: ./weir lab report " + folder.path())
                .contains("Files: " + folder.path())
                .contains("mine: set up by its properties alone");
    }

    @Test
    void aFinishedRunCannotBeResumedAndAnUnfinishedOneIsFound() throws Exception {
        assertThat(lab(
                        "mixed",
                        "--threads=2",
                        "--connections=1",
                        "--cycles=1",
                        "--statements=1",
                        "--rounds=1",
                        "--pools=weir"))
                .isZero();

        assertThat(lab("mixed", "--resume")).isEqualTo(2);
        assertThat(out.toString()).contains("--resume: no unfinished run of mixed in " + root);
        RunFolder finished = RunFolder.find(root).get(0);
        assertThat(lab("mixed", "--resume", finished.path().toString())).isEqualTo(2);
        assertThat(out.toString())
                .contains("--resume: " + finished.path() + " is finished since "
                        + finished.info().ended());
        assertThat(RunFolder.read(finished.path()).info()).isEqualTo(finished.info());
        assertThat(lab("fair", "--resume", finished.path().toString())).isEqualTo(2);
        assertThat(out.toString()).contains("is a run of mixed (expected: fair)");
        assertThat(lab("mixed", "--resume", root.toString())).isEqualTo(2);
    }

    /** A case of mixed and one of contract, and nothing else. */
    private static final String ONLY = "--only=threads, 200 connections|second close";

    @Test
    void allRunsEveryWorkloadAndEachSaysHowToRepeatItAlone() throws Exception {
        assertThat(lab("all", "--quick", "--pools=weir,raw", "--order=7", ONLY))
                .as(out.toString())
                .isZero();

        List<RunFolder> runs = RunFolder.find(root);
        assertThat(runs.stream().map(run -> run.info().workload())).containsExactlyInAnyOrder("mixed", "contract");
        for (RunFolder run : runs) {
            assertThat(run.info().ended()).isNotNull();
            assertThat(run.info().cells()).hasSize(1);
            assertThat(run.info().command())
                    .isEqualTo("./weir lab " + run.info().workload() + " --quick --pools weir,raw --order 7"
                            + " --only 'threads, 200 connections|second close' --in-process");
        }
        RunFolder mixed = runs.stream()
                .filter(run -> run.info().workload().equals("mixed"))
                .findFirst()
                .orElseThrow();
        assertThat(mixed.info().settings()).containsEntry("runs", "2");
        assertThat(lab("all", "--only=no such case")).isEqualTo(2);
        assertThat(out.toString()).contains("--only: no such case (expected: a case of one of cycle, mixed, spike, ");
    }

    @Test
    void whatStopsAllIsGoneOnWithAndSoAreTheWorkloadsAfterIt() throws Exception {
        Stop stop = new Stop();
        stop.request(2);
        assertThat(lab(() -> stop, "all", "--quick", "--pools=weir", "--order=7", ONLY))
                .isEqualTo(130);
        assertThat(out.toString())
                .contains(
                        "To go on: ./weir lab all --quick --pools weir --order 7 --only 'threads, 200 connections|second close' --in-process"
                                + " --results " + root + " --resume");
        RunFolder stopped = RunFolder.find(root).get(0);
        assertThat(RunFolder.find(root)).hasSize(1);
        // The grid keeps its runs in the same place, and has its own way to go on.
        RunInfo info = stopped.info();
        RunFolder.create(
                root,
                new RunInfo(
                        "grid",
                        "./weir lab grid",
                        RunFolder.now(),
                        null,
                        info.profile(),
                        info.seed(),
                        info.machine(),
                        info.versions(),
                        info.terms(),
                        info.settings(),
                        info.pools(),
                        info.classPath(),
                        info.cells()),
                List.of());

        assertThat(lab("all", "--quick", "--pools=weir", ONLY, "--resume"))
                .as(out.toString())
                .isZero();

        assertThat(RunFolder.read(stopped.path()).info().ended()).isNotNull();
        assertThat(RunFolder.find(root).stream()
                        .filter(run -> run.info().ended() != null)
                        .map(run -> run.info().workload()))
                .containsExactlyInAnyOrder("mixed", "contract");
        assertThat(lab("all", "--resume")).isEqualTo(2);
        assertThat(out.toString()).contains("--resume: no unfinished run in " + root);
    }

    @Test
    void allSaysWhatItWouldRunWithoutRunning() throws Exception {
        assertThat(lab("all", "--dry-run", "--rounds=1", "--order=7")).isZero();

        assertThat(RunFolder.find(root)).isEmpty();
        List<String> lines = out.toString().lines().toList();
        assertThat(lines.subList(0, lines.size() - 1))
                .allSatisfy(line -> assertThat(line).contains(" --rounds 1 --order 7"))
                .anyMatch(line -> line.contains("./weir lab cycle "))
                .anyMatch(line -> line.contains("./weir lab contract "))
                .noneMatch(line -> line.contains("./weir lab grid "));
        assertThat(lines.get(lines.size() - 1)).matches(" *\\d+ cells, about .* in all\\.");
    }

    @Test
    void whatIsPublishedNamesItsPoolsAndRounds() throws Exception {
        Stop stop = new Stop();
        stop.request(2);
        assertThat(lab(() -> stop, "published", "--order=7", "--only=threads, 200 connections"))
                .isEqualTo(130);
        RunFolder stopped = RunFolder.find(root).get(0);
        assertThat(stopped.info().command())
                .startsWith("./weir lab mixed --pools weir,hikari,beecp --rounds 5 --order 7 --only");
        assertThat(stopped.info().cells()).hasSize(15);

        assertThat(lab(() -> stop, "published", "--only=threads, 200 connections", "--resume"))
                .as("with another order: " + out)
                .isEqualTo(130);
        assertThat(RunFolder.find(root)).hasSize(1);
        assertThat(out.toString()).contains("To go on: ./weir lab published --resume");
    }

    /** This JVM, which is none of the run's own, computes all the while: the second time is the last. */
    @Test
    void whatOthersDisturbIsRunOnceMore() throws Exception {
        assumeTrue(Files.isReadable(Path.of("/proc/stat")), "nobody knows what others do");
        AtomicBoolean over = new AtomicBoolean();
        Thread other = new Thread(() -> {
            while (!over.get()) {
                Thread.onSpinWait();
            }
        });
        Path output = root.resolve("output.txt");
        other.start();
        try (Child lab = Child.jvm(
                        List.of(),
                        Child.ownClassPath(),
                        Main.class.getName(),
                        "lab",
                        "published",
                        "--only=^connection, 1 thread$",
                        "--pools=weir",
                        "--rounds=1",
                        "--results=" + root)
                .environment("WEIR_RUN", "of this test")
                .log(output)
                .start()) {
            lab.onExit().get(3, TimeUnit.MINUTES);
            assertThat(lab.exitCode()).as("%s", Files.readString(output)).isZero();
        } finally {
            over.set(true);
            other.join();
        }

        assertThat(Files.readString(output))
                .containsOnlyOnce("Others disturbed it: it is run once more.")
                .contains("The machine was not quiet: ");
        assertThat(RunFolder.find(root)).hasSize(2).allSatisfy(run -> {
            assertThat(run.info().isDisturbed()).isTrue();
            assertThat(run.done()).hasSize(1);
        });
        assertThat(RunFolder.find(root).stream().map(run -> run.info().seed()).distinct())
                .hasSize(1);
    }

    /** One sitting with the writing of the report has to be enough. */
    @Test
    void whatIsPublishedTakesTwoHoursAndAHalfAtMostAndSaysSoWithoutRunning() throws Exception {
        assertThat(lab("published", "--dry-run", "--order=7")).isZero();

        assertThat(RunFolder.find(root)).isEmpty();
        List<String> lines = out.toString().lines().toList();
        assertThat(lines.subList(0, lines.size() - 1))
                .hasSizeGreaterThan(5)
                .allSatisfy(line -> assertThat(line)
                        .matches(" *\\d+ cells, about \\S+ .*\\./weir lab [a-z]+ .* --rounds 5 --order 7 .*"));
        assertThat(lines).anyMatch(line -> line.contains("lab grid") && line.contains("--rounds 5"));
        assertThat(lines).anyMatch(line -> line.contains("lab fair --between none,yield "));
        String total = lines.get(lines.size() - 1);
        Matcher hours = Pattern.compile("about (?:(\\d+) h )?(\\d+) min in all").matcher(total);
        assertThat(hours.find()).as(total).isTrue();
        int minutes =
                (hours.group(1) == null ? 0 : 60 * Integer.parseInt(hours.group(1))) + Integer.parseInt(hours.group(2));
        assertThat(minutes).isBetween(60, 150);
    }

    @Test
    void whatIsPublishedHasEachRowOfTheFirstPage() {
        Map<String, List<String>> cases = new PublishedCommand(Stop::new)
                .requests().stream()
                        .flatMap(request -> Runner.cells(request).stream()
                                .map(cell -> Map.entry(request.workload().name(), cell.caseName())))
                        .collect(Collectors.groupingBy(
                                Map.Entry::getKey, Collectors.mapping(Map.Entry::getValue, Collectors.toList())));

        List<String> missing = Readme.missing(cases);
        if (Runtime.version().feature() < 21) {
            // Without virtual threads their rows are missing, and the page cannot be written.
            assertThat(missing).isNotEmpty().allSatisfy(row -> assertThat(row).contains("virtual"));
        } else {
            assertThat(missing).isEmpty();
        }
        assertThat(Readme.missing(Map.of())).contains("grid: ", "spike: ^spike");
    }

    @Test
    void aSignalKeepsWhatIsDoneAndTheRestIsDoneLater() throws Exception {
        Path output = root.resolve("output.txt");
        Child.Builder jvm = Child.jvm(
                        List.of(),
                        Child.ownClassPath(),
                        Main.class.getName(),
                        "lab",
                        "mixed",
                        "--pools=weir,hikari",
                        "--threads=4",
                        "--connections=2",
                        "--cycles=100",
                        "--statements=1",
                        "--rows=1",
                        "--rounds=3",
                        "--results=" + root)
                .log(output);
        try (Child lab = jvm.start()) {
            Await.await("the first cell is done", Duration.ofSeconds(90), () -> {
                assertThat(lab.handle().isAlive())
                        .as("%s", Files.readString(output))
                        .isTrue();
                return Files.readString(output).contains("1 of 6");
            });
            Path underWay = RunFolder.find(root).get(0).path();
            assertThat(lab("mixed", "--resume", underWay.toString())).isEqualTo(2);
            assertThat(out.toString()).contains("--resume: " + underWay + " is under way");
            assertThat(lab("mixed", "--resume")).isEqualTo(2);
            assertThat(lab("all", "--resume")).isEqualTo(2);

            lab.handle()
                    .destroy(); // SIGTERM; SIGINT is handled alike, but a build in the background may be made deaf to
            // it

            lab.onExit().get(60, TimeUnit.SECONDS);
            assertThat(lab.exitCode()).as("%s", Files.readString(output)).isEqualTo(128 + 15);
        }
        RunFolder run = RunFolder.find(root).get(0);
        assertThat(Files.readString(output)).contains("To go on: ./weir lab mixed --resume " + run.path());
        assertThat(run.failures()).isEmpty();
        Set<Cell> before = run.done();
        assertThat(before).isNotEmpty().hasSizeLessThan(6);
        List<Measurement> kept = run.measurements();

        assertThat(lab("mixed", "--resume", run.path().toString()))
                .as(out.toString())
                .isZero();

        assertThat(run.done()).hasSize(6);
        assertThat(run.measurements().subList(0, kept.size())).isEqualTo(kept);
    }

    @Test
    void everyCommandOfTheLaboratoryHasExamplesAndAVersion() {
        for (String command : List.of("mixed", "spike", "all", "published", "report")) {
            assertThat(Main.run(Stop::new, new PrintWriter(out), "lab", command, "--help"))
                    .isZero();
            assertThat(out.toString()).contains("Examples:", "./weir lab " + command);
        }
        assertThat(Main.run(Stop::new, new PrintWriter(out), "serve", "--help")).isZero();
        assertThat(out.toString()).contains("./weir serve --rows 100000");
        assertThat(out.toString().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(120));
    }

    @Test
    void everyBadOptionIsRefusedByName() throws Exception {
        for (String[] bad : new String[][] {
            {"--threads=0", "--threads: 0 (expected: 1..10000)"},
            {"--threads=many", "--threads: many (expected: 1..10000)"},
            {"--pools=weir,hikaru", "pool: hikaru (expected: weir, hikari, "},
            {"--pools=weir,weir", "pool: weir (expected: each only once)"},
            {"--pool=x=no.Such", "pool x: class no.Such (expected: a class on --classpath)"},
            {"--profile=fast", "--profile: fast (expected: equal or defaults)"},
            {"--rounds=0", "--rounds: 0 (expected: 1..100)"},
            {"--only=(", "--only: ( (expected: a regular expression"},
            {"--only=nothing", "--only: nothing (expected: what the name of a case contains"},
            {"--classpath=/no/such.jar", "--classpath: /no/such.jar (expected: a jar or folder that exists)"},
            {"--nonsense=1", "weir: --nonsense: no such option (all options: ./weir lab mixed --help)"},
            {"--ruonds=1", "--ruonds: no such option, did you mean --rounds?"}
        }) {
            assertThat(lab("mixed", bad[0])).as(bad[0]).isEqualTo(2);
            assertThat(out.toString()).contains(bad[1]);
        }
        assertThat(lab("mixd")).isEqualTo(2);
        assertThat(out.toString())
                .contains("mixd: no such command, did you mean mixed?")
                .doesNotContain("Usage");
        assertThat(lab()).isEqualTo(2);
        assertThat(RunFolder.find(root)).isEmpty();
    }

    private int lab(String... arguments) {
        return lab(Stop::new, arguments);
    }

    private int lab(Supplier<Stop> stop, String... arguments) {
        List<String> all = new ArrayList<>(List.of("lab"));
        all.addAll(List.of(arguments));
        if (arguments.length > 0) {
            all.addAll(List.of("--in-process", "--results", root.toString()));
        }
        return Main.run(stop, new PrintWriter(out), all.toArray(String[]::new));
    }
}
