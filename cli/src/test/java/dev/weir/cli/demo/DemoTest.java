package dev.weir.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.cli.Main;
import dev.weir.cli.shared.Stop;
import dev.weir.testkit.Await;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoTest {

    @Test
    void aShortDemoSucceedsAndItsTableAddsUp() {
        StringWriter text = new StringWriter();

        int exit = run(text, "demo", "--time", "1s", "--threads", "6", "--pool-size", "3", "--compare", "hikari");

        String out = text.toString();
        assertThat(exit).as(out).isZero();
        assertThat(out).contains("Money in all accounts: 1,000,000 before, 1,000,000 after.");
        for (int column = 0; column < 2; column++) {
            assertThat(cell(out, "acquired", column)).isPositive();
            // The pool also counts the few that came to a thread which had been served meanwhile, and went straight
            // back.
            assertThat(cell(out, "acquired, by the users' own count", column))
                    .isBetween(cell(out, "acquired", column) * 99 / 100, cell(out, "acquired", column));
            assertThat(cell(out, "timed out", column)).isZero();
            assertThat(retired(out, column)).isEqualTo(cell(out, "opened", column));
            assertThat(cell(out, "left open", column)).isZero();
        }
        assertThat(cell(out, "acquired, by the users' own count", 1)).isEqualTo(50);
        assertThat(out)
                .containsPattern(
                        "The same spike on HikariCP, 5 idle connections and at most 50:\\R  Done: the first after ")
                .containsPattern(
                        "What this showed: The pool served [\\d,]+ requests a second on 3 connections without a timeout, "
                                + "and rolled back all [\\d,]+ transactions .* within [\\d.]+ ms, and opened \\d+ more for them; HikariCP served");
    }

    @Test
    void aSignalStopsItAndLeavesNeitherAServerNorItsFolder(@TempDir Path folder) throws Exception {
        Path output = folder.resolve("output.txt");
        Process demo = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "demo",
                        "--seconds",
                        "600")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            Await.await("the load runs", Duration.ofSeconds(90), () -> {
                assertThat(demo.isAlive()).as("%s", Files.readString(output)).isTrue();
                return Files.readString(output).contains("Load: ");
            });
            int port = portOf(demo);
            new Socket(InetAddress.getLoopbackAddress(), port).close();

            demo.destroy(); // SIGTERM; SIGINT is handled alike, but a build in the background may be made deaf to it

            assertThat(demo.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(demo.exitValue()).as("%s", Files.readString(output)).isEqualTo(128 + 15);
            assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                    .isInstanceOf(ConnectException.class);
            assertThat(foldersOf(demo)).isEmpty();
        } finally {
            demo.destroyForcibly();
        }
    }

    private static List<Path> foldersOf(Process demo) throws IOException {
        try (Stream<Path> all = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return all.filter(path -> path.getFileName().toString().startsWith("weir-pg-" + demo.pid() + "-"))
                    .toList();
        }
    }

    /** The server is no child of the demo's, for who started it has ended: it tells its port in its folder. */
    private static int portOf(Process demo) throws IOException {
        try (Stream<Path> files = Files.walk(foldersOf(demo).get(0))) {
            Path said = files.filter(path -> path.endsWith("postmaster.pid"))
                    .findAny()
                    .orElseThrow();
            return Integer.parseInt(Files.readAllLines(said).get(3));
        }
    }

    @Test
    void anUnreachableDatabaseIsNamedInPlainWordsWithoutThePassword() {
        StringWriter text = new StringWriter();

        int exit = run(
                text,
                "demo",
                "--url",
                "jdbc:postgresql://127.0.0.1:1/nothing?password=hush-hush",
                "--user",
                "someone",
                "--password=top-secret");

        assertThat(exit).isEqualTo(1);
        assertThat(text.toString())
                .contains("Cannot connect to jdbc:postgresql://127.0.0.1:1/nothing as someone")
                .contains("refused")
                .doesNotContain("top-secret")
                .doesNotContain("hush-hush");
    }

    @Test
    void aUrlWithoutADriverSaysWhereToPutIt() {
        StringWriter text = new StringWriter();

        int exit = run(text, "demo", "--url", "jdbc:nosuch://127.0.0.1/x");

        assertThat(exit).isEqualTo(1);
        assertThat(text.toString()).contains("No JDBC driver").contains("WEIR_CLASSPATH");
    }

    @Test
    void aValueOutOfRangeIsRefusedByName() {
        StringWriter text = new StringWriter();

        int exit = run(text, "demo", "--threads", "0");

        assertThat(exit).isEqualTo(2);
        assertThat(text.toString()).contains("--threads: 0 (expected: 1..1000)");
    }

    private static int run(StringWriter text, String... arguments) {
        PrintWriter out = new PrintWriter(text);
        return Main.commandLine(Stop::new).setOut(out).setErr(out).execute(arguments);
    }

    private static long retired(String out, int column) {
        Matcher rows =
                Pattern.compile("^\\| (retired, \\w+) ", Pattern.MULTILINE).matcher(out);
        long sum = 0;
        while (rows.find()) {
            sum += cell(out, rows.group(1), column);
        }
        return sum;
    }

    private static long cell(String out, String row, int column) {
        Matcher line = Pattern.compile("^\\| " + Pattern.quote(row) + " *\\|(.*)\\|$", Pattern.MULTILINE)
                .matcher(out);
        assertThat(line.find()).as("row '%s' in %s", row, out).isTrue();
        String[] cells = line.group(1).split("\\|", -1);
        return Long.parseLong(cells[column].strip().replace(",", ""));
    }
}
