package dev.weir.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In JVMs of their own: the programs are made once in each. */
final class PostgresFilesTest {

    /** Prints what a server of its own answers. */
    static final class Question {

        private Question() {}

        public static void main(String[] arguments) {
            try (PostgresServer server = PostgresServer.launch()) {
                System.out.print(server.number("SELECT 42"));
            }
        }
    }

    @TempDir
    Path folder;

    private Path temporary;
    private Path shared;

    @BeforeEach
    void folders() throws IOException {
        temporary = Files.createDirectory(folder.resolve("temporary"));
        shared = folder.resolve("made/by/the/build");
    }

    @Test
    void aJvmOnItsOwnLeavesNothingBehind() throws Exception {
        assertThat(answer(start())).isEqualTo("42");
        assertThat(files(temporary)).isEmpty();
    }

    @Test
    void twoJvmsAtOnceShareWhatOneOfThemMade() throws Exception {
        String property = "-D" + PostgresFiles.SHARED + "=" + shared;
        Process one = start(property);
        Process two = start(property);
        assertThat(List.of(answer(one), answer(two))).containsExactly("42", "42");
        assertThat(files(shared)).hasSize(1);
        Path made = files(shared).get(0);
        Object identity = Files.getAttribute(made, "fileKey");

        assertThat(answer(start(property))).isEqualTo("42");
        assertThat(files(shared)).containsExactly(made);
        assertThat(Files.getAttribute(made, "fileKey")).isEqualTo(identity);
        assertThat(files(temporary)).isEmpty();
    }

    private Process start(String... options) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of(options));
        command.addAll(List.of(
                "-Djava.io.tmpdir=" + temporary,
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-cp",
                System.getProperty("java.class.path"),
                Question.class.getName()));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private static String answer(Process process) throws Exception {
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
        return printed;
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }
}
