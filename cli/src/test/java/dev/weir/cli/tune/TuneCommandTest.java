package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.Main;
import dev.weir.cli.shared.Target;
import dev.weir.testkit.Await;
import dev.weir.testkit.servers.PostgresServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class TuneCommandTest {
    private static final String PASSWORD = "hush-hush-4711";

    private static PostgresServer server;

    @TempDir
    private Path folder;

    private String out = "";

    @BeforeAll
    static void start() {
        server = PostgresServer.builder().role("shop", PASSWORD).start();
        server.execute("CREATE TABLE item AS SELECT n AS id, n % 100 AS owner FROM generate_series(1, 5000) n");
        server.execute("CREATE TABLE log (line text)");
        server.execute("GRANT ALL ON item, log TO shop");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void aRealDatabaseIsMeasuredAndThePageWritten() throws Exception {
        Path params = Files.writeString(folder.resolve("params.csv"), "\uFEFF1\n2\n\"3\"\n");

        int exit = tune("--sql", "select id from item where owner = ?", "--params", params.toString(), "--max", "6");

        assertThat(exit).as(out).isZero();
        Matcher answer = Pattern.compile("(?m)^(maximumPoolSize: (?:at least )?(\\d+)|Not enough to go by)$")
                .matcher(out);
        assertThat(answer.find()).as(out).isTrue();
        assertThat(out).contains("o measured", "read-only").doesNotContain(PASSWORD, "e+0");
        if (answer.group(2) != null) { // else something else used the machine
            assertThat(Integer.parseInt(answer.group(2))).isBetween(1, 6);
            assertThat(out).contains("maximumPoolSize=" + answer.group(2), "Spring Boot", "Dropwizard");
        }
        String page = Files.readString(page());
        assertThat(page)
                .contains("<h1>" + answer.group(1))
                .contains("<figure aria-label=\"Throughput over connections\"><svg ")
                .contains("var(--measured)")
                .contains("where owner &#x3D; ?")
                .doesNotContain("src=", "href=", PASSWORD);
        assertThat(Await.becomesTrue(Duration.ofSeconds(5), () -> server.backends() == 0))
                .isTrue();
    }

    @Test
    void whatWritesNeedsToBeAllowed() {
        assertThat(tune("--sql", "with x as (insert into log values ('a') returning 1) select * from x"))
                .isEqualTo(1);
        assertThat(out).contains("read-only transaction").contains("what writes needs --write");
        assertThat(server.number("select count(*) from log")).isZero();

        assertThat(tune("--sql", "insert into log values ('a')")).isEqualTo(2);
        assertThat(out).contains("--write");

        assertThat(tune("--sql", "insert into log values ('a')", "--write"))
                .as(out)
                .isZero();
        assertThat(server.number("select count(*) from log")).isPositive();
        server.execute("truncate log");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--max  | 0   | --max: 0 (expected: 1..1000)",
                "--max  | ten | ten",
                "--time | 5   | --time: 5 (expected: 1s..24h)",
                "--time | 2x  | 2x (expected: a time, such as 500ms, 90s, 5m or 2h)",
                "--time | 0s  | --time: 0s (expected: 1s..24h)",
            })
    void badOptionsAreRefusedByName(String option, String value, String message) {
        assertThat(tune("--sql", "select 1", option, value)).isEqualTo(2);
        assertThat(out).contains(message);
    }

    @Test
    void parametersMustFitTheStatement() throws Exception {
        Path two = Files.writeString(folder.resolve("two.csv"), "1,2\n");
        Path words = Files.writeString(folder.resolve("words.csv"), "seven\n");
        Path none = Files.writeString(folder.resolve("none.csv"), "");

        assertThat(tune("--sql", "select id from item where owner = ?")).isEqualTo(1);
        assertThat(out).contains("--sql has 1 parameters: --params FILE must give their values");
        assertThat(tune("--sql", "select id from item where owner = ?", "--params", two.toString()))
                .isEqualTo(1);
        assertThat(out).contains("--params: row 1 has 2 values (expected: 1, the parameters of --sql)");
        assertThat(tune("--sql", "select id from item where owner = ?", "--params", words.toString()))
                .isEqualTo(1);
        assertThat(out).contains("seven");
        assertThat(tune("--sql", "select id from item where owner = ?", "--params", none.toString()))
                .isEqualTo(1);
        assertThat(out).contains("is empty");
        assertThat(tune(
                        "--sql",
                        "select 1",
                        "--params",
                        folder.resolve("absent.csv").toString()))
                .isEqualTo(1);
        assertThat(out).contains("cannot be read: there is no such file");
        assertThat(tune("--sql", "select 1", "--params", folder.toString())).isEqualTo(1);
        assertThat(out).contains("--params: " + folder + " cannot be read");
    }

    @Test
    void aBadValueIsNamedByItsRowBeforeAnythingIsMeasured() throws Exception {
        Path third = Files.writeString(folder.resolve("third.csv"), "1\n2\nseven\n4\n");

        assertThat(tune("--sql", "select id from item where owner = ?", "--params", third.toString()))
                .isEqualTo(1);

        assertThat(out)
                .contains("row 3 of --params; because: ")
                .contains("\"seven\"")
                .doesNotContain("connections");
    }

    @Test
    void aValueThatTheDatabaseAloneRefusesIsNamedByItsRow() throws Exception {
        Path second = Files.writeString(folder.resolve("second.csv"), "1\n0\n");

        assertThat(tune("--sql", "select 1 / ?::int", "--params", second.toString(), "--time", "60s"))
                .isEqualTo(1);

        assertThat(out).contains("division by zero").contains("(row 2 of --params)");
    }

    @Test
    void whereThePageCannotGoIsSaidBeforeAnythingIsMeasured() {
        for (String place :
                List.of(folder.resolve("absent").resolve("page.html").toString(), folder.toString())) {
            assertThat(tune("--sql", "select 1", "--html", place)).isEqualTo(1);
            assertThat(out)
                    .isEqualToIgnoringNewLines(
                            "--html: " + place + " cannot be written (expected: a file in a folder that exists)");
        }
    }

    @Test
    void aStatementThatTheDatabaseRefusesIsShownInItsWords() {
        assertThat(tune("--sql", "select nothing from nowhere")).isEqualTo(1);
        assertThat(out).contains("relation \"nowhere\" does not exist").doesNotContain(PASSWORD);
    }

    @Test
    void aStatementTooSlowForTheTimeIsRefused() {
        assertThat(tune("--sql", "select pg_sleep(0.5)")).isEqualTo(1);
        assertThat(out).contains("--time: 2.0 s leaves").contains("the statement alone took 0.5");
    }

    /** One execution at a time, so that the last of a crowd would end long after the step: cancelled, but no failure. */
    @Test
    void whatTheEndOfAStepCutsOffDoesNotCountAsFailed() throws Exception {
        Target target = new Target(server.jdbcUrl("postgres"), "shop", PASSWORD);
        List<Connection> connections = new ArrayList<>();
        try {
            for (int i = 0; i < 32; i++) {
                connections.add(target.connect());
            }
            Query query =
                    Query.check(connections.get(0), "select pg_advisory_xact_lock(1), pg_sleep(0.1)", List.of(), false);
            for (Connection connection : connections) {
                query.prepare(connection);
            }
            Load.Lender lender = new Load.Lender() {
                @Override
                public Connection take(int thread) {
                    return connections.get(thread);
                }

                @Override
                public void giveBack(Connection connection) {}
            };
            Point point = new Load(query, target, lender, new AtomicInteger()).run(32, 32, Duration.ofMillis(400));

            assertThat(point.errors()).isZero();
            assertThat(point.gaveUp()).isZero();
            assertThat(point.failure()).isNull();
            assertThat(point.executions()).isBetween(1L, 4L);
            assertThat(point.isUnsound()).isFalse();
        } finally {
            for (Connection connection : connections) {
                connection.close();
            }
        }
    }

    @Test
    void aDriverWithoutReadOnlyTransactionsIsNamed() {
        assertThat(run(List.of(
                        "--url=jdbc:h2:mem:tune",
                        "--sql=/* the */ -- first\n select 1",
                        "--max=1",
                        "--time=1s",
                        "--html=" + page())))
                .as(out)
                .isZero();
        assertThat(out).contains("1 s, rolled back (this driver has no read-only transactions).");
    }

    @Test
    void noPasswordIsEverPrinted() {
        int exit = run(List.of(
                "--url=" + server.jdbcUrl("postgres") + "?user=shop&password=wrong-" + PASSWORD, "--sql=select 1"));
        assertThat(exit).isEqualTo(1);
        assertThat(out).contains("password authentication failed").doesNotContain(PASSWORD);

        exit = run(List.of("--url=jdbc:nosuch://shop:" + PASSWORD + "@127.0.0.1/x", "--sql=select 1"));
        assertThat(exit).isEqualTo(1);
        assertThat(out)
                .contains("No JDBC driver")
                .contains("WEIR_CLASSPATH")
                .contains("jdbc:nosuch://127.0.0.1/x")
                .doesNotContain(PASSWORD);
    }

    @Test
    void passwordMayComeFromTheEnvironment() throws Exception {
        ProcessBuilder tune = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "tune",
                "--url=" + server.jdbcUrl("postgres"),
                "--user=shop",
                "--sql=select 1",
                "--max=1",
                "--time=1s",
                "--html=" + page());
        tune.environment().put("WEIR_PASSWORD", PASSWORD);
        Process process = tune.redirectErrorStream(true).start();
        out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isZero();
        assertThat(out).contains("Not enough to go by").doesNotContain(PASSWORD);
    }

    private int tune(String... more) {
        List<String> arguments = new ArrayList<>(
                List.of("--url=" + server.jdbcUrl("postgres"), "--user=shop", "--password=" + PASSWORD));
        if (!List.of(more).contains("--html")) {
            arguments.add("--html=" + page());
        }
        if (!List.of(more).contains("--max")) {
            arguments.add("--max=3");
        }
        if (!List.of(more).contains("--time")) {
            arguments.add("--time=2s");
        }
        arguments.addAll(List.of(more));
        return run(arguments);
    }

    private int run(List<String> arguments) {
        StringWriter text = new StringWriter();
        PrintWriter writer = new PrintWriter(text);
        int exit = new CommandLine(new TuneCommand())
                .setOut(writer)
                .setErr(writer)
                .execute(arguments.toArray(String[]::new));
        writer.flush();
        out = text.toString();
        return exit;
    }

    private Path page() {
        return folder.resolve("page.html");
    }
}
