package dev.weir.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.cli.Main;
import dev.weir.cli.shared.Agent;
import dev.weir.cli.shared.OtherJvm;
import dev.weir.cli.shared.Stop;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ConsoleCommandTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final Stop stop = new Stop();

    private int console(String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "console";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return Main.commandLine(() -> stop)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(all);
    }

    private CompletableFuture<Integer> begin(String... arguments) {
        CompletableFuture<Integer> serving = CompletableFuture.supplyAsync(() -> console(arguments));
        Await.await(
                () -> out + " " + err,
                LIMIT,
                () -> serving.isDone() || out.toString().endsWith("\n"));
        assertThat(out.toString())
                .as(err.toString())
                .matches("http://127\\.0\\.0\\.1:\\d+/#token=[A-Za-z0-9_-]{32}\\R");
        return serving;
    }

    private HttpRequest.Builder to(String name) {
        String[] address = out.toString().strip().split("#token=", 2);
        return HttpRequest.newBuilder(URI.create(address[0] + name)).header("Authorization", "Bearer " + address[1]);
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    }

    private String look() throws Exception {
        return send(to("look")).body();
    }

    @Test
    void aJvmsPoolsAreServedUntilItEnds() throws Exception {
        CompletableFuture<Integer> serving;
        long pid;
        try (OtherJvm jvm = new OtherJvm(true)) {
            pid = jvm.pid();
            serving = begin(Long.toString(pid));
            assertThat(look()).contains("\"writable\":false", "\"orders\"", "pid " + pid, "SELECT ? + ?");
        }
        assertThat(serving.get(30, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("weir console: " + pid + ": the JVM has ended" + System.lineSeparator());
    }

    @Test
    void controlCEndsItAndChangesAreAllowedWhereThatIsSaid() throws Exception {
        try (OtherJvm jvm = new OtherJvm(true)) {
            CompletableFuture<Integer> serving = begin(Long.toString(jvm.pid()), "--allow-changes");
            assertThat(look()).contains("\"writable\":true");
            stop.request(2);
            assertThat(serving.get(30, TimeUnit.SECONDS)).isEqualTo(130);
        }
    }

    @Test
    void aJmxUserThatMayOnlyReadSeesCountsAndCannotAct() throws Exception {
        try (Agent agent = new Agent();
                StubDatabase db = new StubDatabase();
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(db.dataSource())
                        .poolName("far")
                        .build())) {
            pool.start();
            CompletableFuture<Integer> serving =
                    begin(agent.url(), "--user=reader", "--password=" + Agent.PASSWORD, "--allow-changes");
            Await.await("JMX has it", LIMIT, () -> look().contains("\"far\""));
            assertThat(look()).contains("\"told\":false").doesNotContain(Agent.PASSWORD);
            HttpResponse<String> refused = send(to("act")
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString("{\"pool\":\"far\",\"operation\":\"suspend\"}")));
            assertThat(refused.statusCode()).isEqualTo(409);
            assertThat(refused.body()).contains("Access denied");
            assertThat(pool.isSuspended()).isFalse();
            stop.request(2);
            assertThat(serving.get(30, TimeUnit.SECONDS)).isEqualTo(130);
        }
    }

    @Test
    void portThatIsTakenAndWrongUseAreToldFromOneAnother() throws Exception {
        assertThat(console("--port", "70000")).isEqualTo(2);
        assertThat(err.toString()).contains("--port: 70000 (expected: 0..65535)");
        assertThat(console("999999999999")).isEqualTo(2);
        assertThat(err.toString()).contains("weir console: 999999999999: no such process");
        try (OtherJvm jvm = new OtherJvm(true);
                ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());
            assertThat(console(Long.toString(jvm.pid()), "--port", port)).isEqualTo(1);
            assertThat(err.toString()).contains("weir console: port " + port + ": ");
        }
    }

    @Test
    void whereTheRuntimeHasNoServerItSaysSo() throws Exception {
        try (OtherJvm jvm = new OtherJvm(true)) {
            Process weir = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "--limit-modules",
                            "java.sql,java.management,java.management.rmi,java.desktop,java.naming,jdk.unsupported,jdk.attach",
                            "-cp",
                            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                            Main.class.getName(),
                            "console",
                            Long.toString(jvm.pid()))
                    .redirectErrorStream(true)
                    .start();
            String said = new String(weir.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(said)
                    .startsWith("weir console: this runtime lacks the module jdk.httpserver")
                    .hasLineCount(1);
            assertThat(weir.waitFor()).isEqualTo(1);
        }
    }
}
