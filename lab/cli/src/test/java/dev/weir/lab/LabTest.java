package dev.weir.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.runs.RunFolder;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LabTest {
    @TempDir
    private Path root;

    private final StringWriter out = new StringWriter();

    @Test
    void aWorkloadRunsAndItsFolderSaysHowToRepeatIt() throws Exception {
        int exit = lab(
                "hammer",
                "--pools",
                "weir,c3p0[helperThreads=2]",
                "--pool",
                "mine=com.zaxxer.hikari.HikariDataSource?jdbcUrl={url}&maximumPoolSize={maximum}",
                "--threads=4",
                "--connections=2",
                "--cycles=3",
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
                .startsWith("./weir lab hammer --pools 'weir,c3p0[helperThreads=2]' --pool 'mine=com.zaxxer")
                .contains(" --threads=4 ");
        assertThat(folder.done()).hasSize(3);
        assertThat(out.toString())
                .contains("| 4 threads, 2 connections, 3 cycles each | ")
                .contains("Files: " + folder.path())
                .contains("mine: set up by its properties alone");
    }

    @Test
    void aFinishedRunCannotBeResumedAndAnUnfinishedOneIsFound() throws Exception {
        assertThat(lab("hammer", "--threads=2", "--connections=1", "--cycles=1", "--rounds=1", "--pools=weir"))
                .isZero();

        assertThat(lab("hammer", "--resume")).isEqualTo(2);
        assertThat(out.toString()).contains("--resume: no unfinished run of hammer in " + root);
        assertThat(lab("fair", "--resume", RunFolder.find(root).get(0).path().toString()))
                .isEqualTo(2);
        assertThat(out.toString()).contains("is a run of hammer (expected: fair)");
        assertThat(lab("hammer", "--resume", root.toString())).isEqualTo(2);
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
            {"--nonsense=1", "Unknown option: '--nonsense=1'"}
        }) {
            assertThat(lab("hammer", bad[0])).as(bad[0]).isEqualTo(2);
            assertThat(out.toString()).contains(bad[1]);
        }
        assertThat(lab("hamer")).isEqualTo(2);
        assertThat(lab()).isEqualTo(2);
        assertThat(RunFolder.find(root)).isEmpty();
    }

    private int lab(String... arguments) {
        List<String> all = new ArrayList<>(List.of("lab"));
        all.addAll(List.of(arguments));
        if (arguments.length > 0) {
            all.addAll(List.of("--in-process", "--results", root.toString()));
        }
        return Main.run(new PrintWriter(out), all.toArray(String[]::new));
    }
}
