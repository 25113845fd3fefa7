package dev.weir.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConsoleServerTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final String SUSPEND = "{\"pool\":\"served\",\"operation\":\"suspend\"}";

    private final StubDatabase db = new StubDatabase();
    private final WeirDataSource pool = new WeirDataSource(
            PoolConfig.builder().dataSource(db.dataSource()).poolName("served").build());
    private final List<ConsoleServer> servers = new ArrayList<>();
    private URI base;
    private String token;

    @BeforeEach
    void begin() throws Exception {
        pool.start();
        serve(true);
        Await.await(
                "JMX has it",
                LIMIT,
                () -> Console.ofThisJvm(false).get("look", Map.of()).body().length > 200);
    }

    private void serve(boolean writable) throws IOException {
        ConsoleServer server = ConsoleServer.start(Console.ofThisJvm(writable), 0);
        servers.add(server);
        String address = server.address().toString();
        base = URI.create(address.replaceFirst("#.*", ""));
        token = address.replaceFirst(".*#token=", "");
    }

    @AfterEach
    void end() {
        servers.forEach(ConsoleServer::close);
        pool.close();
        db.close();
    }

    private HttpRequest.Builder to(String name) {
        return HttpRequest.newBuilder(base.resolve(name)).timeout(LIMIT);
    }

    private HttpRequest.Builder known(String name) {
        return to(name).header("Authorization", "Bearer " + token);
    }

    private HttpRequest.Builder suspend() {
        return known("act").header("Content-Type", "application/json").POST(BodyPublishers.ofString(SUSPEND));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        HttpResponse<String> response = CLIENT.send(request.build(), BodyHandlers.ofString());
        assertThat(response.headers().firstValue("Content-Security-Policy"))
                .hasValueSatisfying(policy -> assertThat(policy).startsWith("default-src 'none'; script-src 'self';"));
        assertThat(response.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
        assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-store");
        assertThat(response.headers().map())
                .doesNotContainKeys("set-cookie", "access-control-allow-origin", "access-control-allow-headers");
        return response;
    }

    private static int status(HttpRequest.Builder request) throws Exception {
        return send(request).statusCode();
    }

    /** Of the first line of the answer to what no client of the JDK sends. */
    private String raw(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), base.getPort())) {
            socket.setSoTimeout((int) LIMIT.toMillis());
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            byte[] answer = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
            return new String(answer, StandardCharsets.US_ASCII).replaceFirst("HTTP/1.1 ", "");
        }
    }

    @Test
    void pageAndItsFilesArePublicAndHoldNoData() throws Exception {
        assertThat(send(to("")).body()).contains("page.js").doesNotContain("served", token);
        for (String name : List.of("page.js", "page.css", "uplot.js", "uplot.css")) {
            assertThat(status(to(name))).as(name).isEqualTo(200);
        }
    }

    @Test
    void dataNeedTheToken() throws Exception {
        String first = token;
        assertThat(send(known("look")).body()).contains("\"served\"", "\"writable\":true");
        assertThat(send(known("dump?pool=served")).body()).contains("maximum 60");
        for (String name : List.of("look", "dump?pool=served", "look?token=" + token)) {
            HttpResponse<String> refused = send(to(name));
            assertThat(refused.statusCode()).as(name).isEqualTo(401);
            assertThat(refused.headers().firstValue("WWW-Authenticate")).hasValue("Bearer");
            assertThat(refused.body()).doesNotContain("served", token);
        }
        for (String given : List.of(
                "Bearer " + token + "x",
                "Bearer ",
                "Bearer",
                token,
                "Basic " + token,
                "Bearer " + token.substring(1))) {
            assertThat(status(to("look").header("Authorization", given)))
                    .as(given)
                    .isEqualTo(401);
        }
        assertThat(status(to("act").header("Content-Type", "application/json").POST(BodyPublishers.ofString(SUSPEND))))
                .isEqualTo(401);
        assertThat(pool.isSuspended()).isFalse();
        serve(true);
        assertThat(token).isNotEqualTo(first).hasSizeGreaterThan(30);
    }

    @Test
    void nameThatAHostilePageLetPointHereIsRefused() throws Exception {
        int port = base.getPort();
        for (String host : List.of("127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port, "LOCALHOST:" + port)) {
            assertThat(raw("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n"))
                    .as(host)
                    .isEqualTo("200");
        }
        for (String host :
                List.of("evil.example:" + port, "127.0.0.1", "localhost.evil.example:" + port, "127.0.0.1:1", "")) {
            assertThat(raw("GET /look HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: Bearer " + token + "\r\n\r\n"))
                    .as(host)
                    .isEqualTo("403");
        }
        assertThat(raw("GET / HTTP/1.0\r\n\r\n")).isEqualTo("403");
    }

    /** Though it had the token. */
    @Test
    void pageOfAnotherSiteCannotAct() throws Exception {
        String own = "http://127.0.0.1:" + base.getPort();
        for (String origin :
                List.of("http://evil.example", "null", "http://127.0.0.1:1", own + ".evil.example", "http://", "%")) {
            assertThat(status(suspend().header("Origin", origin))).as(origin).isEqualTo(403);
        }
        for (String site : List.of("cross-site", "same-site", "none")) {
            assertThat(status(suspend().header("Origin", own).header("Sec-Fetch-Site", site)))
                    .as(site)
                    .isEqualTo(403);
        }
        for (String type : List.of("text/plain", "application/x-www-form-urlencoded", "text/plain; application/json")) {
            assertThat(status(known("act").header("Content-Type", type).POST(BodyPublishers.ofString(SUSPEND))))
                    .as(type)
                    .isEqualTo(415);
        }
        assertThat(status(known("act").POST(BodyPublishers.ofString(SUSPEND)))).isEqualTo(415);
        HttpResponse<String> preflight = send(to("act")
                .header("Origin", "http://evil.example")
                .header("Access-Control-Request-Method", "POST")
                .method("OPTIONS", BodyPublishers.noBody()));
        assertThat(preflight.statusCode()).isEqualTo(405);
        assertThat(status(known("act?pool=served&operation=suspend"))).isEqualTo(404);
        assertThat(pool.isSuspended()).isFalse();
        assertThat(status(suspend().header("Origin", own))).isEqualTo(200);
        assertThat(pool.isSuspended()).isTrue();
        pool.resume();
        assertThat(status(suspend().header("Origin", "https://front.example").header("Sec-Fetch-Site", "same-origin")))
                .as("a proxy has another name")
                .isEqualTo(200);
    }

    @Test
    void readOnlyIsReadOnlyWithTheTokenToo() throws Exception {
        serve(false);
        assertThat(send(known("look")).body()).contains("\"writable\":false");
        assertThat(status(suspend())).isEqualTo(403);
        assertThat(pool.isSuspended()).isFalse();
    }

    @Test
    void whatIsNotUnderstoodIsRefused() throws Exception {
        for (String name : List.of("page.html", "x", "look/", "..%2f..%2fetc/passwd", "%2e%2e/Console.class", "act")) {
            assertThat(raw("GET /" + name + " HTTP/1.1\r\nHost: " + base.getAuthority() + "\r\n\r\n"))
                    .as(name)
                    .isEqualTo("404");
        }
        assertThat(raw("GET /../../../etc/passwd HTTP/1.1\r\nHost: " + base.getAuthority() + "\r\n\r\n"))
                .isEqualTo("404");
        for (String method : List.of("PUT", "DELETE", "TRACE", "PATCH")) {
            HttpResponse<String> refused = send(known("act").method(method, BodyPublishers.noBody()));
            assertThat(refused.statusCode()).as(method).isEqualTo(405);
            assertThat(refused.headers().firstValue("Allow")).hasValue("GET, HEAD, POST");
        }
        for (String body : List.of("", "{", "[1]", "7", "null", "{\"pool\":{}}", "[".repeat(5_000))) {
            assertThat(status(known("act")
                            .header("Content-Type", "application/json")
                            .POST(BodyPublishers.ofString(body))))
                    .as(body)
                    .isIn(400, 404);
        }
        assertThat(status(known("act")
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(" ".repeat(20_000) + SUSPEND))))
                .isEqualTo(413);
        assertThat(raw("GET /dump?pool=%zz HTTP/1.1\r\nHost: " + base.getAuthority() + "\r\n\r\n"))
                .isEqualTo("400");
        assertThat(pool.isSuspended()).isFalse();
    }

    @Test
    void headTellsTheLengthAndSendsNothing() throws Exception {
        HttpResponse<String> page = send(to("uplot.js").method("HEAD", BodyPublishers.noBody()));
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body()).isEmpty();
        assertThat(page.headers().firstValueAsLong("Content-Length").orElse(0)).isGreaterThan(10_000);
        assertThat(status(to("look").method("HEAD", BodyPublishers.noBody()))).isEqualTo(401);
    }

    @Test
    void howeverManyBrowsersAskThereIsOneLookASecond() throws Exception {
        Set<Long> looks = ConcurrentHashMap.newKeySet();
        long begin = System.nanoTime();
        CompletableFuture.allOf(Stream.generate(() -> CompletableFuture.runAsync(() -> {
                            try {
                                for (int i = 0; i < 20; i++) {
                                    JsonNode look = new ObjectMapper()
                                            .readTree(send(known("look")).body());
                                    looks.add(look.at("/pools/0/at").asLong());
                                }
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        }))
                        .limit(4)
                        .toArray(CompletableFuture[]::new))
                .join();
        long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds();
        assertThat(looks).hasSizeBetween(1, (int) seconds + 1);
    }

    @Test
    void clientsThatNeverEndTheirRequestStopNobody() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), base.getPort());
                slow.add(socket);
                socket.getOutputStream().write("GET /look HTTP/1.1\r\nHo".getBytes(StandardCharsets.US_ASCII));
            }
            assertThat(status(known("look"))).isEqualTo(200);
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    @Test
    void nothingIsLeftOnceItIsClosed() throws Exception {
        assertThat(status(known("look"))).isEqualTo(200);
        servers.forEach(ConsoleServer::close);
        Await.await(
                "its threads end",
                LIMIT,
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("weir-console")));
    }
}
