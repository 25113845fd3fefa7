package dev.weir.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.shared.Stop;
import dev.weir.testkit.Await;
import dev.weir.testkit.servers.PostgresServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("thorough") // starts servers
class LabCommandServeTest {
    private static final Pattern ADDRESS =
            Pattern.compile("(\\w+) answers at (http://127\\.0\\.0\\.1:\\d+/\\?user=87)  health: (\\S+)");
    private static final int SIGINT = 2;

    /** With what means something in YAML, and in the service's substitution of variables. */
    private static final String PASSWORD = "geheim:#\"'\\ü${HOME}a${b}c";

    private final StringWriter text = new StringWriter();
    private final Stop stop = new Stop();

    private int run(String... arguments) {
        return Main.run(() -> stop, new PrintWriter(text), arguments);
    }

    private Matcher awaitAddress() {
        Await.await(
                text::toString,
                Duration.ofSeconds(90),
                () -> ADDRESS.matcher(text.toString()).find());
        Matcher address = ADDRESS.matcher(text.toString());
        assertThat(address.find()).isTrue();
        return address;
    }

    private static HttpResponse<String> get(String address) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address))
                .timeout(Duration.ofSeconds(20))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static boolean isReached(String database) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database)) {
            return connection.isValid(10);
        }
    }

    @Test
    void servesFromADatabaseOfItsOwnUntilItIsStopped() throws Exception {
        CompletableFuture<Integer> exit = CompletableFuture.supplyAsync(
                () -> run("serve", "--rows", "500", "--port", "0", "--admin-port", "0", "--pool-size", "2"));
        long server;
        try {
            Matcher address = awaitAddress();
            Matcher database =
                    Pattern.compile("database, as long as it runs: (\\S+)").matcher(text.toString());
            assertThat(database.find()).isTrue();
            assertThat(isReached(database.group(1))).isTrue();
            assertThat(address.group(1)).isEqualTo("weir");
            assertThat(get(address.group(2)).body()).contains("\"ownerUserId\":87");
            assertThat(get(address.group(3)).body()).contains("\"healthy\":true");
            server = server().pid();
        } finally {
            stop.request(SIGINT);
        }
        assertThat(exit.get(60, TimeUnit.SECONDS)).isEqualTo(130);
        assertThat(text.toString()).contains("500 questions loaded.").contains("everything was closed and removed");
        assertThat(ProcessHandle.of(server)).isEmpty();
    }

    private static ProcessHandle server() {
        return ProcessHandle.current()
                .children()
                .filter(child -> child.info().command().orElse("").endsWith("java"))
                .findAny()
                .orElseThrow();
    }

    @Test
    void aServerThatEndsByItselfIsTold() throws Exception {
        CompletableFuture<Integer> exit = CompletableFuture.supplyAsync(
                () -> run("serve", "--rows", "20", "--port", "0", "--admin-port", "0", "--pool-size", "1"));
        try {
            awaitAddress();
            server().destroy();
            assertThat(exit.get(60, TimeUnit.SECONDS)).isEqualTo(1);
        } finally {
            stop.request(SIGINT);
        }
        assertThat(text.toString()).contains("The server ended by itself").doesNotContain("Stopped on request");
    }

    /** Far more rows than could be loaded by then. */
    @Test
    void whoAsksToStopNeedNotWaitForTheQuestions() throws Exception {
        try (PostgresServer database = PostgresServer.launch()) {
            CompletableFuture<Integer> exit = CompletableFuture.supplyAsync(() ->
                    run("serve", "--url", database.jdbcUrl(), "--rows", "100000000", "--port", "0", "--admin-port=0"));
            try {
                Await.await(
                        "questions are loaded",
                        Duration.ofSeconds(60),
                        () -> database.number(
                                        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'INSERT INTO questions%'"
                                                + " AND state = 'active'")
                                > 0);
            } finally {
                stop.request(SIGINT);
            }
            assertThat(exit.get(20, TimeUnit.SECONDS)).isEqualTo(130);
            assertThat(text.toString()).contains("Stopped on request");
            Await.await("the session has ended", Duration.ofSeconds(20), () -> database.backends() == 0);
            assertThat(database.number("SELECT count(*) FROM pg_class WHERE relname = 'questions'"))
                    .isZero();
        }
    }

    @Test
    void anotherPoolServesFromAnothersDatabase(@TempDir Path folder) throws Exception {
        Path data = Files.writeString(folder.resolve("questions.csv"), """
                Id,CreationDate,ClosedDate,DeletionDate,Score,OwnerUserId,AnswerCount
                4,2008-07-31T21:42:52Z,NA,NA,472,8,13
                6,2008-07-31T22:08:08Z,NA,NA,210,9,NA
                """);
        try (PostgresServer database =
                PostgresServer.builder().role("shop", PASSWORD).start()) {
            String[] own = {
                "serve",
                "--pool",
                "vibur",
                "--url",
                database.jdbcUrl("postgres"),
                "--user",
                "shop",
                "--password=" + PASSWORD,
                "--port",
                "0",
                "--admin-port",
                "0",
                "--data",
                data.toString()
            };
            CompletableFuture<Integer> exit = CompletableFuture.supplyAsync(() -> run(own));
            try {
                Matcher address = awaitAddress();
                assertThat(address.group(1)).isEqualTo("vibur");
                assertThat(get(address.group(2).replace("user=87", "user=8")).body())
                        .isEqualTo("[{\"id\":4,\"creationDate\":\"2008-07-31\",\"closedDate\":null,"
                                + "\"deletionDate\":null,\"score\":472,\"ownerUserId\":8,\"answerCount\":13}]");
            } finally {
                stop.request(SIGINT);
            }
            assertThat(exit.get(60, TimeUnit.SECONDS)).isEqualTo(130);
            assertThat(database.number("SELECT count(*) FROM questions")).isEqualTo(2);
            assertThat(text.toString()).doesNotContain("geheim");
        }
    }

    @Test
    void aDatabaseWithoutQuestionsIsToldHowToGetThem() {
        try (PostgresServer database = PostgresServer.launch()) {
            assertThat(run("serve", "--url", database.jdbcUrl(), "--port", "0", "--admin-port", "0"))
                    .isEqualTo(1);
        }
        assertThat(text.toString()).contains("no table questions").contains("--data or --rows");
    }

    @Test
    void aPortThatIsTakenIsNamedBeforeAnythingIsStarted() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            assertThat(run("serve", "--port", Integer.toString(taken.getLocalPort())))
                    .isEqualTo(1);
            assertThat(text.toString()).contains("--port: " + taken.getLocalPort() + " is taken");
        }
    }

    /** Its ports stand in it. */
    @Test
    void wrongUseIsRefusedByName() {
        assertThat(run("serve", "--pool", "nosuch")).isEqualTo(2);
        assertThat(text.toString()).contains("--pool: nosuch (expected: weir, hikari");
        assertThat(run("serve", "--max-threads", "0")).isEqualTo(2);
        assertThat(text.toString()).contains("--max-threads: 0 (expected: 1..10000)");
        assertThat(run("serve", "--data", "/no/such/file")).isEqualTo(2);
        assertThat(text.toString()).contains("--data: /no/such/file (expected: a file that can be read)");
        assertThat(run("serve", "--data", "/")).isEqualTo(2);
        assertThat(text.toString()).contains("--data: / (expected: a file that can be read)");
        assertThat(run("serve", "--user", "shop")).isEqualTo(2);
        assertThat(text.toString()).contains("--user and --password need --url");
    }
}
