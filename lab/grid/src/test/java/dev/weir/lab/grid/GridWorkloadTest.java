package dev.weir.lab.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.weir.lab.runs.GridCase;
import dev.weir.lab.service.QuestionsDatabase;
import dev.weir.lab.workload.Settings;
import dev.weir.testkit.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GridWorkloadTest {
    private final GridWorkload grid = new GridWorkload();

    @TempDir
    private Path folder;

    @Test
    void aCaseIsFoundAgainInItsName() {
        for (GridCase one : List.of(new GridCase(8, 16, 100, 0), new GridCase(1, 2, 300, 5_000))) {
            assertThat(GridCase.of(one.toString())).contains(one);
        }
        assertThat(GridCase.of("spike")).isEmpty();
    }

    @Test
    void casesAreShuffledByTheirSeedAlone() {
        assertThat(cases("7")).hasSize(8).doesNotHaveDuplicates().isEqualTo(cases("7"));
        assertThat(cases("7")).isNotEqualTo(cases("8"));
    }

    private List<String> cases(String seed) {
        return grid.cases(settings(
                false, Map.of("sizes", "1,2", "threads", "4,8", "clients", "10", "rate", "0,50", "seed", seed)));
    }

    private Settings settings(boolean quick, Map<String, String> given) {
        return Settings.of(grid.settings(), quick, given);
    }

    @Test
    void theGridIsThatOfThePublishedExperimentUnlessAFirstLookIsAskedFor() {
        Settings full = settings(false, Map.of());
        assertThat(grid.pools()).containsExactly("weir", "hikari", "tomcat");
        assertThat(full.numbers("sizes")).containsExactly(1, 2, 4, 8, 16, 32);
        assertThat(full.numbers("threads")).containsExactly(1, 2, 4, 8, 16, 32, 64);
        assertThat(full.numbers("clients")).containsExactly(100);
        assertThat(full.number("seconds")).isEqualTo(60);
        assertThat(full.number("turns")).isEqualTo(10);
        assertThat(full.number("rows")).isEqualTo(1_000_000);

        Settings quick = settings(true, Map.of());
        assertThat(grid.cases(quick)).hasSize(3 * 3);
        assertThat(quick.number("seconds")).isEqualTo(5);
    }

    @Test
    void processorTimeIsReadFromTheKernelsLine() {
        assertThat(SshServers.cpuOf("42 (java) main) S 1 42 42 0 -1 4194560 1 0 0 0 250 50 0 0 20 0 9 0 1 1 1"))
                .isEqualTo(Duration.ofSeconds(3));
    }

    /** A program that takes ssh's arguments. */
    @Test
    void aMachineThatDoesNotAnswerHoldsNothingUp() throws Exception {
        Path ssh = Files.writeString(folder.resolve("ssh"), """
                #!/bin/sh
                case "$4" in 'cat /proc/'*) exec sleep 60;; esac
                echo pid=1
                echo 'listening pool=weir port=1 adminPort=1'
                exec cat > /dev/null
                """);
        Files.setPosixFilePermissions(ssh, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (QuestionsDatabase questions = QuestionsDatabase.generated(1);
                Database database = Database.own(questions.url(), "", "");
                Server server = new SshServers(
                                new ServerSettings.Ssh("db1", "127.0.0.1", "/over/there", ssh.toString()),
                                database,
                                List.of(),
                                folder.resolve("server.log"),
                                Duration.ofMillis(100))
                        .start("weir", new GridCase(1, 1, 1, 0))) {
            assertThatIOException().isThrownBy(server::cpu).withMessageContaining("cannot be read on 127.0.0.1");
            Await.await(
                    "the question has ended",
                    Duration.ofSeconds(10),
                    () -> ProcessHandle.current()
                            .children()
                            .noneMatch(
                                    child -> child.info().command().orElse("").endsWith("sleep")));
        }
    }
}
