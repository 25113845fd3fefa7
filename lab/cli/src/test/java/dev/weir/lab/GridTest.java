package dev.weir.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.contender.Contenders;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Failure;
import dev.weir.lab.runs.GridCase;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.service.QuestionsDatabase;
import dev.weir.testkit.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GridTest {
    private static final String PASSWORD = "hush \"hush' 4711";

    private static QuestionsDatabase questions;

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();

    @BeforeAll
    static void start() throws Exception {
        questions = QuestionsDatabase.generated(2_000);
        questions.server().createRole("lab", PASSWORD);
        questions.server().execute("GRANT SELECT ON questions TO lab");
    }

    @AfterAll
    static void stop() {
        questions.close();
    }

    @Test
    void aGridIsStoppedAndResumedAndEndsWhole() throws Exception {
        Stop stop = new Stop();
        Thread first = new Thread(() -> grid(
                stop, "--sizes=1,3", "--threads=2,4", "--pools=weir", "--clients=6", "--warm-up=1", "--seconds=1"));
        first.start();
        Await.await("a cell is done", Duration.ofMinutes(3), () -> done() >= 1);
        stop.request(2);
        first.join();

        RunFolder begun = run();
        int doneBefore = begun.done().size();
        assertThat(begun.info().ended()).isNull();
        assertThat(doneBefore).isBetween(1, 3);
        assertThat(out.toString()).contains("To go on: ./weir lab grid --resume " + begun.path());
        List<Measurement> before = begun.measurements();

        assertThat(grid(new Stop(), "--resume")).as("%s", out).isZero();

        RunFolder whole = run();
        assertThat(whole.path()).isEqualTo(begun.path());
        assertThat(whole.info().ended()).isNotNull();
        assertThat(whole.done())
                .containsExactlyInAnyOrderElementsOf(whole.info().cells());
        assertThat(whole.measurements()).startsWith(before.toArray(Measurement[]::new));
        Map<Cell, Map<String, Double>> rows = measured();
        assertThat(rows).hasSize(4);
        rows.forEach((cell, row) -> {
            assertServed(cell, row);
            assertThat(row.get("p50")).isBetween(1.0, row.get("p99"));
        });
        assertThat(out.toString()).contains("mean us").contains("p99 us").doesNotContain(PASSWORD);
        assertThat(Files.readString(whole.path().resolve("run.json")))
                .contains("--password")
                .doesNotContain("hush");
        assertThat(Await.becomesTrue(
                        Duration.ofSeconds(10), () -> questions.server().backends() == 0))
                .isTrue();
    }

    @Test
    void poolsTakeTurnsAndOneThatDoesNotStartFailsAlone() throws Exception {
        Path ssh = script("ssh", "case \"$4\" in *\"pool='\\\"tomcat\\\"'\"*) exit 255;; esac\nexec sh -c \"$4\"\n");

        int exit = grid(
                new Stop(),
                "--sizes=2,3",
                "--threads=2",
                "--pools=weir,tomcat,hikari",
                "--clients=3",
                "--warm-up=1",
                "--seconds=1",
                "--turns=2",
                "--ssh=127.0.0.1",
                "--ssh-home=" + home(),
                "--ssh-program=" + ssh);

        assertThat(exit).isEqualTo(1);
        assertThat(run().failures())
                .hasSize(2)
                .allSatisfy(failure -> assertThat(failure.cell().pool()).isEqualTo("tomcat"));
        Map<Cell, Map<String, Double>> rows = measured();
        assertThat(rows.keySet())
                .extracting(cell -> cell.pool() + of(cell).size())
                .containsExactlyInAnyOrder("weir2", "hikari2", "weir3", "hikari3");
        // Who takes turns is measured together, one right after the other.
        List<Cell> cells = List.copyOf(rows.keySet());
        assertThat(cells.get(0).caseName()).isEqualTo(cells.get(1).caseName());
        rows.forEach(GridTest::assertServed);
    }

    /** The first turn is that of the server whose processor time is asked for first, and it is killed then. */
    @Test
    void aServerThatEndsWhileItIsMeasuredFailsItsCellAlone() throws Exception {
        Path ssh = script(
                "ssh",
                "case \"$4\" in 'cat /proc/'*) if mkdir '" + folder.resolve("once") + "' 2>/dev/null; then\n"
                        + "echo 'out of memory' >&2; kill -9 $(echo \"$4\" | tr -dc 0-9); fi;; esac\n"
                        + "exec sh -c \"$4\"\n");

        int exit = grid(
                new Stop(),
                "--sizes=2",
                "--threads=2",
                "--pools=hikari,weir",
                "--clients=3",
                "--warm-up=1",
                "--seconds=1",
                "--turns=2",
                "--ssh=127.0.0.1",
                "--ssh-home=" + home(),
                "--ssh-program=" + ssh);

        assertThat(exit).isEqualTo(1);
        List<Failure> failures = run().failures();
        assertThat(failures).hasSize(1);
        assertThat(failures.get(0).message()).contains("the server ended while it was measured | ", "out of memory");
        Map<Cell, Map<String, Double>> rows = measured();
        assertThat(rows).hasSize(1).allSatisfy((cell, row) -> {
            assertThat(cell.pool()).isNotEqualTo(failures.get(0).cell().pool());
            assertThat(row).containsEntry("errors", 0.0);
        });
    }

    @Test
    void whatIsMeasuredStandsWhereTheSessionsCannotBeCounted() throws Exception {
        questions.server().createRole("narrow", PASSWORD);
        questions.server().execute("GRANT SELECT ON questions TO narrow");
        questions.server().execute("ALTER ROLE narrow CONNECTION LIMIT 2");

        int exit = run(
                new Stop(),
                List.of(
                        "--url=" + url(),
                        "--user=narrow",
                        "--password=" + PASSWORD,
                        "--results=" + folder,
                        "--sizes=2",
                        "--threads=2",
                        "--pools=weir",
                        "--clients=3",
                        "--warm-up=1",
                        "--seconds=1"));

        assertThat(exit).as("%s", out).isZero();
        assertThat(measured().values()).singleElement().satisfies(row -> {
            assertThat(row.get("requests")).isPositive();
            assertThat(row).doesNotContainKey("connections");
        });
    }

    /** As kill does; Ctrl-C in a terminal goes to the generator too. */
    @Test
    void whoAsksToStopNeedNotWaitForTheEndOfACell() throws Exception {
        Stop stop = new Stop();
        Thread run = new Thread(
                () -> grid(stop, "--sizes=1", "--threads=1", "--pools=weir", "--clients=2", "--seconds=300"));
        run.start();
        Await.await("the load has begun", Duration.ofMinutes(1), () -> jvms() == 2);
        stop.request(15);
        run.join(Duration.ofSeconds(60).toMillis());

        assertThat(run.isAlive()).isFalse();
        assertThat(run().done()).isEmpty();
        assertThat(jvms()).isZero();
        assertThat(out.toString()).contains("Stopped on request").doesNotContain("Failed");
    }

    /** The server, and the generator once the server listens. */
    private static long jvms() {
        return programs("java");
    }

    private static long programs(String name) {
        return ProcessHandle.current()
                .children()
                .filter(child -> child.info().command().orElse("").endsWith(name))
                .count();
    }

    /** A program that takes ssh's arguments, and runs the command here; the real ssh has not been tried in a test. */
    @Test
    void serversAreStartedAndStoppedOverSsh() throws Exception {
        Path asked = folder.resolve("asked");
        Path ssh = script("ssh", "echo \"$1 $2 $3\" >> '" + asked + "'\nexec sh -c \"$4\"\n");

        int exit = grid(
                new Stop(),
                "--sizes=2",
                "--threads=2",
                "--pools=hikari",
                "--clients=3",
                "--rate=40",
                "--warm-up=1",
                "--seconds=2",
                "--ssh=someone@127.0.0.1",
                "--ssh-home=" + home(),
                "--ssh-program=" + ssh);

        assertThat(exit).as("%s", out).isZero();
        assertThat(Files.readAllLines(asked)).isNotEmpty().allMatch("-o BatchMode=yes someone@127.0.0.1"::equals);
        assertThat(measured()).hasSize(1).allSatisfy((cell, row) -> {
            assertThat(of(cell)).isEqualTo(new GridCase(2, 2, 3, 40));
            assertServed(cell, row);
            assertThat(row).containsEntry("offered rate", 40.0);
            assertThat(row.get("requests")).isBetween(60.0, 84.0);
        });
        assertThat(Await.becomesTrue(
                        Duration.ofSeconds(10), () -> questions.server().backends() == 0))
                .isTrue();
    }

    @Test
    void aMachineThatCannotStartTheServerFailsTheCellWithTheReason() throws Exception {
        Path ssh = script("ssh", "echo 'no route to that machine' >&2\nexit 255\n");

        int exit = grid(
                new Stop(),
                "--sizes=1",
                "--threads=1",
                "--pools=weir",
                "--warm-up=1",
                "--seconds=1",
                "--ssh=127.0.0.1",
                "--ssh-program=" + ssh);

        assertThat(exit).isEqualTo(1);
        assertThat(out.toString()).contains("Failed: ").contains("no route to that machine");
        assertThat(run().failures()).hasSize(1);
    }

    /** Standard output may be a terminal where standard error is a file. */
    @Test
    void progressIsALineAStepWhereErrorsGoToNoTerminal() throws Exception {
        Path ssh = script("ssh", "exit 255\n");
        PrintStream err = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        System.setProperty("weir.terminal", "true");
        try {
            grid(new Stop(), "--sizes=1", "--threads=1", "--pools=weir", "--ssh=127.0.0.1", "--ssh-program=" + ssh);
        } finally {
            System.clearProperty("weir.terminal");
            System.setErr(err);
        }
        assertThat(said.toString(StandardCharsets.UTF_8)).contains("1 of 1: round 1, 1 connections");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--pools=weir,c4p0    | c4p0",
                "--pools=own=com.zaxxer.hikari.HikariDataSource | pools: own=com.zaxxer.hikari.HikariDataSource (expected: a name, or name[parameter=value;...])",
                "--pools=weir[helpers=10] | pool weir: parameter helpers (expected: ",
                "--pools=weir,weir    | weir (expected: each only once)",
                "--turns=11 --seconds=1 | --turns: 11 (expected: 1..10, of 100 ms or more)",
                "--sizes=99,100       | one less than the database allows; with --turns 1 the pools come one after the other)",
                "--sizes=99,100       | --sizes: 3 pools of 100 connections at a time (expected: 196 connections at most",
                "--pools=weir --sizes=197 | --sizes: 197 connections at a time (expected: 196 connections at most, one less than the database allows)",
                "--sizes=0            | --sizes: 0 (expected: some of 1..10000, separated by commas)",
                "--sizes=1,1          | --sizes: 1,1 (expected: some of 1..10000, separated by commas, each once)",
                "--profile=defaults   | --profile: defaults (expected: equal)",
                "--seconds=0          | --seconds: 0 (expected: 1..86400)",
                "--data=grid.csv      | --url: its questions are used as they are",
                "--resume=nowhere     | --resume: nowhere (expected: the folder of a run",
                "--ssh=me@my_box      | --ssh-address: my_box (expected: a host as a URL has it",
                "--resume             | --resume: no unfinished run of grid",
            })
    void badOptionsAreRefusedByName(String option, String message) {
        // Asked to stop beforehand, so that an option which is not refused does not begin a run of hours.
        Stop atOnce = new Stop();
        atOnce.request(2);
        assertThat(grid(atOnce, option.split(" "))).isEqualTo(2);
        assertThat(out.toString()).contains(message);
    }

    @Test
    void filesThatAreNotThereAreNamedBeforeAnythingIsStarted() throws Exception {
        Path absent = folder.resolve("absent.csv");
        assertThat(run(new Stop(), List.of("--data=" + absent))).isEqualTo(2);
        assertThat(out.toString())
                .contains("--data: " + absent + " (expected: a file that can be read)")
                .doesNotContain("Loading");
    }

    /** Some pools run only with options of the JVM, wherever that is. */
    @Test
    void aPoolHasItsJvmOptionsOverSshToo() throws Exception {
        Path asked = folder.resolve("asked");
        Path ssh = script("ssh", "echo \"$4\" >> '" + asked + "'\nexit 255\n");

        grid(new Stop(), "--sizes=1", "--threads=1", "--pools=proxool", "--ssh=127.0.0.1", "--ssh-program=" + ssh);

        assertThat(Files.readString(asked))
                .contains("'" + Contenders.named("proxool").jvmOptions().get(0) + "' '-Xmx128m'");
    }

    @Test
    void noSecretIsInACommandLineNorInWhatARunKeeps() throws Exception {
        questions.server().createRole("dash", "-s3cret");
        questions.server().execute("GRANT SELECT ON questions TO dash");
        Path asked = folder.resolve("asked");
        Path ssh = script("ssh", "echo \"$*\" >> '" + asked + "'\nexit 255\n");
        List<String> once = List.of(
                "--results=" + folder,
                "--sizes=1",
                "--threads=1",
                "--pools=weir",
                "--ssh=127.0.0.1",
                "--ssh-program=" + ssh);
        List<String> inUrl = new ArrayList<>(List.of("--url=" + url() + "?user=dash&password=-s3cret"));
        inUrl.addAll(once);
        List<String> asAWord = new ArrayList<>(List.of("--url=" + url(), "--user=dash", "--password", "-s3cret"));
        asAWord.addAll(once);

        assertThat(run(new Stop(), inUrl)).as("%s", out).isEqualTo(1);
        assertThat(run(new Stop(), asAWord)).as("%s", out).isEqualTo(1);

        assertThat(Files.readString(asked)).contains("QuestionsApplication").doesNotContain("s3cret");
        assertThat(RunFolder.find(folder))
                .hasSize(2)
                .allSatisfy(run -> assertThat(Files.readString(run.path().resolve("run.json")))
                        .contains("--sizes=1")
                        .doesNotContain("s3cret"));
        assertThat(out.toString()).doesNotContain("s3cret");
    }

    @Test
    void aRunGoesOnWhereAndAsItWasBegun() throws Exception {
        Path asked = folder.resolve("asked");
        Path ssh = script("ssh", "echo \"$3 $4\" >> '" + asked + "'\nexit 255\n");
        Stop atOnce = new Stop();
        atOnce.request(2);
        grid(
                atOnce,
                "--sizes=1",
                "--threads=1",
                "--pools=weir",
                "--warm-up=1",
                "--seconds=1",
                "--ssh=lab@db1",
                "--ssh-address=127.0.0.1",
                "--ssh-home=/over/there",
                "--ssh-program=" + ssh);
        assertThat(out.toString())
                .contains("--resume " + run().path() + " (and again --url, --password)")
                .doesNotContain(PASSWORD);
        assertThat(asked).doesNotExist();

        assertThat(run(new Stop(), resume("--ssh=db2"))).isEqualTo(2);
        assertThat(out.toString()).contains("--ssh: db2 (expected: lab@db1, as the run was begun)");
        assertThat(run(new Stop(), resume())).as("%s", out).isEqualTo(1);

        assertThat(Files.readString(asked))
                .startsWith("lab@db1 cd '/over/there' ")
                .contains(" bindHost='127.0.0.1' ")
                .contains(" '-Xmx128m' ");
        assertThat(run().failures()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--jvm-options=-Xmx64m | --jvm-options: -Xmx64m (expected: -Xmx128m, as the run was begun)",
                "--ssh=db2             | --ssh: db2 (expected: none, as the run was begun)",
                "--ssh-home=/elsewhere | --ssh-home: /elsewhere (expected: none, as the run was begun)",
            })
    void aRunThatWasBegunHereGoesOnNowhereElse(String option, String message) {
        Stop atOnce = new Stop();
        atOnce.request(2);
        grid(atOnce, "--sizes=1", "--threads=1", "--pools=weir", "--warm-up=1", "--seconds=1");

        assertThat(run(new Stop(), resume(option))).isEqualTo(2);
        assertThat(out.toString()).contains(message);
    }

    @Test
    void sshNeedsADatabaseThatTheOtherMachineReaches() {
        assertThat(run(new Stop(), List.of("--ssh=db1"))).isEqualTo(2);
        assertThat(out.toString()).contains("--ssh: needs --url");
    }

    @Test
    void aDatabaseThatCannotBeUsedIsNamedWithoutThePassword() {
        assertThat(run(new Stop(), List.of("--url=" + url() + "?password=hush-hush", "--user=nobody")))
                .isEqualTo(1);
        assertThat(out.toString()).contains("the database cannot be used").doesNotContain("hush");
    }

    private static String url() {
        return questions.server().jdbcUrl("postgres");
    }

    private int grid(Stop stop, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--url=" + url(),
                "--user=lab",
                "--password=" + PASSWORD,
                "--results=" + folder,
                "--jvm-options=-Xmx128m"));
        arguments.addAll(List.of(more));
        return run(stop, arguments);
    }

    /** Goes on with what a run does not keep, and no more. */
    private List<String> resume(String... more) {
        List<String> arguments = new ArrayList<>(
                List.of("--url=" + url(), "--user=lab", "--password=" + PASSWORD, "--results=" + folder, "--resume"));
        arguments.addAll(List.of(more));
        return arguments;
    }

    private int run(Stop stop, List<String> arguments) {
        List<String> all = new ArrayList<>(List.of("lab", "grid"));
        all.addAll(arguments);
        return Main.run(() -> stop, new PrintWriter(out, true), all.toArray(String[]::new));
    }

    /** What was measured, by cell in the order of the measurements, and by metric. */
    private Map<Cell, Map<String, Double>> measured() throws IOException {
        Map<Cell, Map<String, Double>> rows = new LinkedHashMap<>();
        for (Measurement one : run().measurements()) {
            rows.computeIfAbsent(one.cell(), cell -> new HashMap<>()).put(one.metric(), one.value());
        }
        return rows;
    }

    private static GridCase of(Cell cell) {
        return GridCase.of(cell.caseName()).orElseThrow();
    }

    private static void assertServed(Cell cell, Map<String, Double> row) {
        assertThat(row.get("requests")).as("%s", cell).isPositive();
        assertThat(row).containsEntry("errors", 0.0).containsEntry("connections", (double) of(cell).size());
        assertThat(row.get("server cpu")).isPositive();
    }

    private RunFolder run() throws IOException {
        return RunFolder.find(folder).get(0);
    }

    private int done() {
        try {
            List<RunFolder> runs = RunFolder.find(folder);
            return runs.isEmpty() ? 0 : runs.get(0).done().size();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path script(String name, String text) throws IOException {
        Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** The project's folder, from that of this module. */
    private static Path home() {
        return Path.of("").toAbsolutePath().resolve("../..").normalize();
    }
}
