package dev.weir.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.runs.Child;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import dev.weir.testkit.Await;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LabCommandTest {
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
        assertThat(folder.failures()).isEmpty();
        assertThat(out.toString())
                .contains("4 threads, 2 connections")
                .contains("3 cells, about ")
                .contains("Verdict: Best by median (less is better): ")
                .contains("Page: " + folder.path().resolve("report.html"))
                .contains("mine: set up by its properties alone");

        assertThat(Main.run(Stop::new, new PrintWriter(out), "lab", "report", root.toString()))
                .isZero();
    }

    @Test
    void resultsTakeAnHourAtMost() throws Exception {
        assertThat(lab("published", "--dry-run", "--order=7")).isZero();

        List<String> lines = out.toString().lines().toList();
        assertThat(lines.subList(0, lines.size() - 1))
                .hasSizeGreaterThan(5)
                .allSatisfy(line -> assertThat(line)
                        .matches(" *\\d+ cells, about \\S+ .*\\./weir lab [a-z]+ .*--rounds 5 --order 7 .*"));
        Matcher minutes = Pattern.compile("about (\\d+) min in all").matcher(lines.get(lines.size() - 1));
        assertThat(minutes.find()).as("%s", lines).isTrue();
        assertThat(Integer.parseInt(minutes.group(1))).isBetween(40, 60);
        assertThat(RunFolder.find(root)).isEmpty();
        assertThat(lab("published", "--only=no such case")).isEqualTo(2);
        assertThat(out.toString()).contains("--only: no such case (expected: a case of one of [grid, battle, ");
    }

    @Test
    @Tag("thorough") // starts JVMs
    void aSignalKeepsWhatIsDone() throws Exception {
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
            Await.await(
                    "the first cell is done",
                    Duration.ofSeconds(90),
                    () -> Files.readString(output).contains("1 of 6"));
            lab.handle().destroy();
            lab.onExit().get(60, TimeUnit.SECONDS);
            assertThat(lab.exitCode()).as("%s", Files.readString(output)).isEqualTo(128 + 15);
        }
        RunFolder run = RunFolder.find(root).get(0);
        assertThat(Files.readString(output)).contains("Stopped on request.");
        assertThat(run.failures()).isEmpty();
        assertThat(run.measurements().stream().map(Measurement::cell).distinct())
                .hasSizeBetween(1, 5);
    }

    @Test
    void everyCommandOfTheLaboratoryHasExamples() {
        for (String command : List.of("mixed", "spike", "published", "report")) {
            assertThat(Main.run(Stop::new, new PrintWriter(out), "lab", command, "--help"))
                    .isZero();
            assertThat(out.toString()).contains("Examples:", "./weir lab " + command);
        }
        assertThat(Main.run(Stop::new, new PrintWriter(out), "serve", "--help")).isZero();
        assertThat(out.toString()).contains("./weir serve --rows 100000");
        assertThat(out.toString().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(120));
    }

    @Test
    void wrongUseIsRefusedInOneLine() throws Exception {
        assertThat(lab("mixed", "--pools=nosuch")).isEqualTo(2);
        assertThat(lab("mixed", "--rounds=0")).isEqualTo(2);
        assertThat(lab("spike", "--connect=soon")).isEqualTo(2);
        assertThat(lab("nosuch")).isEqualTo(2);
        assertThat(out.toString())
                .contains("pool: nosuch (expected: weir, hikari, ")
                .contains("--rounds: 0 (expected: 1..100)")
                .contains("--connect: soon (expected: 0..60000)")
                .doesNotContain("\tat ");
        assertThat(RunFolder.find(root)).isEmpty();
    }

    private int lab(String... arguments) {
        List<String> all = new ArrayList<>(List.of("lab"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--in-process", "--results", root.toString()));
        return Main.run(Stop::new, new PrintWriter(out), all.toArray(String[]::new));
    }
}
