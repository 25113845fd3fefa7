package dev.weir.lab.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void aJvmTellsALineAndEndsWithItsInput() throws Exception {
        Child.Builder jvm =
                Child.jvm(List.of("-Dsize=7"), Child.ownClassPath(), Stays.class.getName(), "of", "words and blanks");
        CompletableFuture<Matcher> size = jvm.line(Pattern.compile("size (\\d+)"));
        CompletableFuture<Matcher> words = jvm.line(Pattern.compile("^words (.*)"));
        Child child = jvm.start();
        try (child) {
            assertThat(child.await(size, LONG).group(1)).isEqualTo("7");
            assertThat(child.await(words, LONG).group(1)).isEqualTo("[of, words and blanks]");
            assertThat(child.handle().isAlive()).isTrue();
        }
        assertThat(child.exitCode()).isEqualTo(ChildMain.ORPHANED);
    }

    /** Says how it was started, and stays. */
    static final class Stays {
        private Stays() {}

        public static void main(String[] arguments) throws InterruptedException {
            ChildMain.endWithParent();
            System.out.println("the size " + System.getProperty("size"));
            System.out.println("words " + List.of(arguments));
            Thread.currentThread().join();
        }
    }

    private static final String SAID = """
            ! java.lang.IllegalStateException: not so
            ! at io.dropwizard.core.cli.Cli.run(Cli.java:78)
            ! ... 8 common frames omitted
            java.lang.IllegalStateException: not so
            \tat io.dropwizard.core.cli.Cli.run(Cli.java:78)
            \t... 3 more
            attempt failed
            """;

    @Test
    void theEndOfALogIsWhatTheLastOneSaidWithoutFrames() throws Exception {
        Path log = Files.writeString(folder.resolve("child.log"), "of an earlier one\n");
        try (Child child = shell("cat >&2 <<'END'\n" + SAID + "END\n").log(log).start()) {
            child.onExit().join();
            child.close();

            assertThat(child.endOfLog())
                    .isEqualTo("\n! java.lang.IllegalStateException: not so\njava.lang.IllegalStateException: not so"
                            + "\nattempt failed");
        }
        try (Child child = shell("exit 0").start()) {
            assertThat(child.endOfLog()).isEmpty();
        }
    }

    @Test
    void oneThatEndsBeforeItsLineIsExplainedByItsLog() throws Exception {
        Child.Builder shell = shell("echo otherwise; echo why >&2; exit 7").log(folder.resolve("child.log"));
        CompletableFuture<Matcher> line = shell.line(Pattern.compile("ready"));
        try (Child child = shell.start()) {
            assertThatIOException()
                    .isThrownBy(() -> child.await(line, LONG))
                    .withMessage("it ended with exit code 7\nwhy");
        }
    }

    @Test
    void oneThatSaysNothingIsNotWaitedForForEver() throws Exception {
        Child.Builder shell = shell("cat");
        CompletableFuture<Matcher> line = shell.line(Pattern.compile("ready"));
        try (Child child = shell.start()) {
            assertThatIOException()
                    .isThrownBy(() -> child.await(line, Duration.ofMillis(10)))
                    .withMessage("not within 0 s");
        }
    }

    @Test
    void theLogHasTheWholeOutputWhereNoLineIsWaitedFor() throws Exception {
        Path log = folder.resolve("child.log");
        try (Child child = shell("echo \"$given, ${HOME-none}\"; echo more >&2")
                .environment("given", "this")
                .environment("HOME", null)
                .log(log)
                .start()) {
            child.onExit().get(LONG.toSeconds(), TimeUnit.SECONDS);

            assertThat(child.exitCode()).isZero();
        }
        assertThat(log).hasContent("this, none\nmore");
    }

    private static Child.Builder shell(String script) {
        return new Child.Builder(List.of("sh", "-c", script));
    }
}
