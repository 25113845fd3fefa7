package dev.weir.lab.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import dev.weir.testkit.Await;
import dev.weir.testkit.TcpProxy;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The service as it is started by the laboratory: a JVM of its own, on an embedded PostgreSQL. */
@Tag("thorough")
class ServiceTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> SMALL = List.of("-Xmx200m", "-XX:TieredStopAtLevel=1", "-Xshare:auto");

    private static QuestionsDatabase database;

    @BeforeAll
    static void start() throws Exception {
        database = QuestionsDatabase.generated(2_000);
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    private static ServerProcess server(String pool, Path folder) throws Exception {
        return ServerProcess.start(
                ServerSpec.of(pool, database.url(), 2, 2).withJvmOptions(SMALL).withLog(folder.resolve("server.log")));
    }

    private static HttpResponse<String> get(URI base, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(base.resolve(path))
                .timeout(Duration.ofSeconds(20))
                .build();
        return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static int status(URI base, String path) {
        try {
            return get(base, path).statusCode();
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"weir", "hikari"})
    void answersRefusesAndOutlivesItsDatabase(String pool, @TempDir Path folder) throws Exception {
        try (ServerProcess server = server(pool, folder)) {
            answers(server.uri());
            refuses(server.uri());
            assertThat(status(server.adminUri(), "healthcheck")).isEqualTo(200);
            assertThat(database.server().backends()).isEqualTo(2);
            try {
                database.server().stop();
                saysThatItIsAway(server.uri());
                assertThat(status(server.adminUri(), "healthcheck")).isEqualTo(500);
            } finally {
                database.server().start();
            }
            Await.await("answers again", Duration.ofSeconds(20), () -> status(server.uri(), "?user=87") == 200);
            answers(server.uri());
        }
        Await.await(
                "its connections are closed",
                Duration.ofSeconds(5),
                () -> database.server().backends() == 0);
        assertThat(Files.readString(folder.resolve("server.log"))).doesNotContain("\tat ");
    }

    private static void answers(URI uri) throws Exception {
        HttpResponse<String> response = get(uri, "?user=87");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/json");
        JsonNode questions = JSON.readTree(response.body());
        assertThat(questions).hasSize(QuestionsLoader.KNOWN_QUESTIONS);
        for (JsonNode question : questions) {
            assertThat(question.fieldNames())
                    .toIterable()
                    .containsExactly(
                            "id", "creationDate", "closedDate", "deletionDate", "score", "ownerUserId", "answerCount");
            assertThat(question.get("ownerUserId").intValue()).isEqualTo(87);
            assertThat(question.get("creationDate").textValue()).matches("20\\d\\d-\\d\\d-\\d\\d");
            JsonNode closed = question.get("closedDate");
            assertThat(closed.isNull() || closed.textValue().matches("20\\d\\d-\\d\\d-\\d\\d"))
                    .isTrue();
        }
        assertThat(get(uri, "?user=-5").body()).isEqualTo("[]");
    }

    private static void refuses(URI uri) throws Exception {
        for (String query : List.of("", "?user=", "?user=abc", "?user=9999999999", "?usr=87")) {
            HttpResponse<String> response = get(uri, query);
            assertThat(response.statusCode()).as(query).isEqualTo(400);
            assertThat(response.headers().firstValue("Content-Type")).hasValue("application/json");
            assertThat(JSON.readTree(response.body()).get("message").textValue())
                    .as(query)
                    .contains("user")
                    .contains("expected: a whole number");
        }
    }

    private static void saysThatItIsAway(URI uri) throws Exception {
        HttpResponse<String> response = get(uri, "?user=87");
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(JSON.readTree(response.body()).get("message").textValue()).contains("database is away");
        assertThat(response.body()).doesNotContain("Exception");
    }

    /** The network swallows everything: nobody is refused, nobody is answered. */
    @ParameterizedTest
    @ValueSource(strings = {"weir", "hikari"})
    void aDatabaseThatHangsHoldsNoThread(String pool, @TempDir Path folder) throws Exception {
        try (TcpProxy network = new TcpProxy("127.0.0.1", database.server().port())) {
            String url = database.server().jdbcUrl("postgres", network.port()) + "?user=postgres";
            ServerSpec spec = ServerSpec.of(pool, url, 2, 2);
            spec.withConfiguration(impatient(spec.configuration, folder))
                    .withJvmOptions(SMALL)
                    .withLog(folder.resolve("server.log"));
            try (ServerProcess server = ServerProcess.start(spec)) {
                answers(server.uri());
                network.blackHole();
                for (int i = 0; i < 3; i++) {
                    saysThatItIsAway(server.uri());
                }
                network.pass();
                Await.await("answers again", Duration.ofSeconds(20), () -> status(server.uri(), "?user=87") == 200);
            }
        }
        Await.await(
                "its connections are closed",
                Duration.ofSeconds(5),
                () -> database.server().backends() == 0);
    }

    /** The same configuration, with a second where it waits for ten. */
    private static String impatient(String configuration, Path folder) throws IOException {
        try (InputStream yaml = Objects.requireNonNull(ServiceTest.class.getResourceAsStream("app/" + configuration))) {
            String text = new String(yaml.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(text).contains("socketTimeout: ${socketTimeout:-10}");
            return Files.writeString(folder.resolve(configuration), text.replace("{socketTimeout:-10}", "{none:-1}"))
                    .toString();
        }
    }

    /** All that ask wait: those that are answered for the table, the others for a thread. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void soManyThreadsAnswerAsAreAskedFor(int maxThreads, @TempDir Path folder) throws Exception {
        int clients = maxThreads + 4;
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        ServerSpec spec = ServerSpec.of("weir", database.url(), clients, maxThreads)
                .withJvmOptions(SMALL)
                .withLog(folder.resolve("server.log"));
        try (ServerProcess server = ServerProcess.start(spec);
                Connection locked = database.server().connect();
                Statement statement = locked.createStatement()) {
            locked.setAutoCommit(false);
            statement.execute("LOCK TABLE questions IN ACCESS EXCLUSIVE MODE");
            List<CompletableFuture<Integer>> answers = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                answers.add(CompletableFuture.supplyAsync(() -> status(server.uri(), "?user=87"), threads));
            }
            Await.await(
                    "all wait",
                    Duration.ofSeconds(20),
                    () -> queuedJobs(server.adminUri()) >= clients - maxThreads && waitingForTheTable() >= maxThreads);
            assertThat(waitingForTheTable()).isEqualTo(maxThreads);
            locked.rollback();
            for (CompletableFuture<Integer> answer : answers) {
                assertThat(answer.get(20, TimeUnit.SECONDS)).isEqualTo(200);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static long waitingForTheTable() {
        return database.server().number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
    }

    /** What waits for one of the server's threads: requests, and at times a job of Jetty's own. */
    private static long queuedJobs(URI admin) {
        try {
            String name = "org.eclipse.jetty.util.thread.QueuedThreadPool.dw.jobs";
            JsonNode gauges = JSON.readTree(get(admin, "metrics").body()).path("gauges");
            return gauges.path(name).path("value").longValue();
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Test
    void aServerThatCannotStartSaysWhy(@TempDir Path folder) throws Exception {
        ServerSpec spec = ServerSpec.of("weir", "jdbc:postgresql://127.0.0.1:1/none", 0, 2)
                .withJvmOptions(SMALL)
                .withLog(folder.resolve("server.log"));
        assertThatThrownBy(() -> ServerProcess.start(spec))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("weir.maximumPoolSize 0 (expected: 1..10000)")
                .hasMessageNotContaining("\tat ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'pool: [' | Malformed YAML at line",
                "'maxThreads: many' | maxThreads",
                "'maxThreads: ${noSuchVariable}' | noSuchVariable",
                "'{weir: {url: ''jdbc:x:y''}, server: {type: simple}}' | server.type: only default is expected"
            })
    void aWrongConfigurationIsToldWithoutAStack(String yaml, String told, @TempDir Path folder) throws Exception {
        Path log = folder.resolve("server.log");
        Path wrong = Files.writeString(folder.resolve("wrong.yml"), yaml);
        ServerSpec spec = ServerSpec.of("weir", "jdbc:postgresql://127.0.0.1:1/none", 1, 1)
                .withConfiguration(wrong.toString())
                .withJvmOptions(SMALL)
                .withLog(log);

        assertThatThrownBy(() -> ServerProcess.start(spec)).hasMessageContaining(told);
        assertThat(Files.readString(log)).contains(told).doesNotContain("\tat ");
    }

    /** max_connections 200, and 1 GB or a quarter of the memory for its buffers. */
    @Test
    void theEmbeddedDatabaseIsTunedAsASmallWebDatabase() {
        long memory = ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize() >> 20;
        assertThat(setting("max_connections")).isEqualTo(200);
        assertThat(setting("shared_buffers") * 8 / 1024).isEqualTo(Math.min(1024, memory / 4));
        assertThat(setting("effective_cache_size") * 8 / 1024).isEqualTo(memory / 2);
        assertThat(setting("work_mem")).isEqualTo(4096);
    }

    private static long setting(String name) {
        return database.server().number("SELECT setting::bigint FROM pg_settings WHERE name = '" + name + "'");
    }
}
