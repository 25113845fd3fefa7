package dev.weir.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.servlet.FilterHolder;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConsoleServletTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final String TOKEN = "b64_of-18.random~bytes+is/fine==";

    private final StubDatabase db = new StubDatabase();
    private final WeirDataSource pool = new WeirDataSource(
            PoolConfig.builder().dataSource(db.dataSource()).poolName("inside").build());
    private final Server server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));

    @BeforeEach
    void begin() throws Exception {
        pool.start();
        Await.await(
                "JMX has it",
                LIMIT,
                () -> Console.ofThisJvm(false).get("look", Map.of()).body().length > 200);
        ServletContextHandler app = new ServletContextHandler(server, "/shop");
        app.addServlet(new ServletHolder(ConsoleServlet.withToken(TOKEN, true)), "/weir/*");
        app.addServlet(new ServletHolder(ConsoleServlet.withToken(TOKEN, false)), "/only-read/*");
        app.addServlet(new ServletHolder(ConsoleServlet.guarded(true)), "/admin/pools/*");
        Filter alice = (request, response, chain) -> chain.doFilter(
                new HttpServletRequestWrapper((HttpServletRequest) request) {
                    @Override
                    public String getRemoteUser() {
                        return "alice";
                    }
                },
                response);
        app.addFilter(new FilterHolder(alice), "/admin/*", EnumSet.of(DispatcherType.REQUEST));
        server.start();
    }

    @AfterEach
    void end() throws Exception {
        server.stop();
        pool.close();
        db.close();
    }

    private HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(server.getURI().resolve("/shop/" + path)).timeout(LIMIT);
    }

    private HttpRequest.Builder known(String path) {
        return to(path).header("Authorization", "bearer " + TOKEN);
    }

    private static HttpRequest.Builder suspend(HttpRequest.Builder to) {
        return to.header("Content-Type", "application/json; charset=utf-8")
                .POST(BodyPublishers.ofString("{\"pool\":\"inside\",\"operation\":\"suspend\"}"));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        HttpResponse<String> response = CLIENT.send(request.build(), BodyHandlers.ofString());
        assertThat(response.headers().firstValue("Content-Security-Policy")).isPresent();
        assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-store");
        assertThat(response.headers().map()).doesNotContainKey("set-cookie");
        return response;
    }

    private static int status(HttpRequest.Builder request) throws Exception {
        return send(request).statusCode();
    }

    @Test
    void pageIsFoundWithoutItsSlashToo() throws Exception {
        HttpResponse<String> redirect = send(to("weir"));
        assertThat(redirect.statusCode()).isEqualTo(302);
        String location = redirect.headers().firstValue("Location").orElseThrow();
        assertThat(location).as("a proxy may have another prefix").isEqualTo("./weir/");
        assertThat(URI.create("https://front.example/behind/proxy/weir").resolve(location))
                .hasToString("https://front.example/behind/proxy/weir/");
        assertThat(send(to("weir/")).body()).contains("\"page.js\"").doesNotContain("inside");
        assertThat(send(to("admin/pools")).headers().firstValue("Location")).hasValue("./pools/");
        assertThat(status(to("weir/uplot.js"))).isEqualTo(200);
        assertThat(status(to("weir/a/look"))).isEqualTo(404);
    }

    @Test
    void dataNeedTheTokenUnlessTheApplicationGuardsThePath() throws Exception {
        assertThat(status(to("weir/look"))).isEqualTo(401);
        assertThat(status(to("weir/look").header("Authorization", "Bearer " + TOKEN + "=")))
                .isEqualTo(401);
        assertThat(status(suspend(to("weir/act")))).isEqualTo(401);
        assertThat(send(known("weir/look")).body()).contains("\"inside\"", "\"writable\":true");
        assertThat(send(known("only-read/look")).body()).contains("\"inside\"", "\"writable\":false");
        assertThat(send(to("admin/pools/look")).body()).contains("\"inside\"");
        assertThat(send(to("admin/pools/dump?pool=inside")).body()).contains("maximum 60");
        assertThat(status(suspend(known("only-read/act")))).isEqualTo(403);
        assertThat(pool.isSuspended()).isFalse();
    }

    /** Its browser sends what the application's guard wants. */
    @Test
    void pageOfAnotherSiteCannotActWhereTheApplicationGuardsThePath() throws Exception {
        assertThat(status(suspend(to("admin/pools/act")).header("Origin", "http://evil.example")))
                .isEqualTo(403);
        assertThat(status(suspend(to("admin/pools/act")).header("Sec-Fetch-Site", "cross-site")))
                .isEqualTo(403);
        assertThat(status(to("admin/pools/act")
                        .header("Content-Type", "text/plain")
                        .POST(BodyPublishers.ofString("{\"pool\":\"inside\",\"operation\":\"suspend\"}"))))
                .isEqualTo(415);
        for (String method : List.of("OPTIONS", "TRACE", "PUT", "DELETE")) {
            assertThat(status(to("admin/pools/act").method(method, BodyPublishers.noBody())))
                    .as(method)
                    .isEqualTo(405);
        }
        assertThat(pool.isSuspended()).isFalse();
    }

    @Test
    void pageBehindAProxyThatCallsTheServerOtherwiseActsIfTheProxySaysSo() throws Exception {
        HttpResponse<String> refused =
                send(suspend(to("admin/pools/act")).header("Origin", "http://front.example:8080"));
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.body())
                .contains("http://front.example:8080", server.getURI().getAuthority(), "X-Forwarded-Host");
        assertThat(status(suspend(to("admin/pools/act"))
                        .header("Origin", "http://front.example:8080")
                        .header("X-Forwarded-Host", "front.example")))
                .isEqualTo(403);
        assertThat(pool.isSuspended()).isFalse();
        assertThat(status(suspend(to("admin/pools/act"))
                        .header("Origin", "http://front.example:8080")
                        .header("X-Forwarded-Host", "Front.example:8080")))
                .isEqualTo(200);
        assertThat(pool.isSuspended()).isTrue();
    }

    @Test
    void whatIsDoneIsLoggedWithTheRemoteUserOrTheToken() throws Exception {
        List<String> said = new ArrayList<>();
        Handler lines = new Handler() {
            @Override
            public void publish(LogRecord line) {
                said.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("dev.weir.console");
        logger.addHandler(lines);
        logger.setUseParentHandlers(false);
        try {
            assertThat(status(suspend(to("admin/pools/act")))).isEqualTo(200);
            assertThat(pool.isSuspended()).isTrue();
            assertThat(status(suspend(known("weir/act")))).isEqualTo(200);
        } finally {
            logger.removeHandler(lines);
            logger.setUseParentHandlers(true);
        }
        assertThat(said)
                .containsExactly("inside: suspend, by alice at 127.0.0.1", "inside: suspend, by token at 127.0.0.1");
    }

    @Test
    void headHasTheLengthAlone() throws Exception {
        HttpResponse<String> page = send(to("weir/uplot.js").method("HEAD", BodyPublishers.noBody()));
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body()).isEmpty();
        assertThat(page.headers().firstValueAsLong("Content-Length").orElse(0)).isGreaterThan(10_000);
    }

    @Test
    void tokenThatCouldBeGuessedIsRefusedWithoutSayingIt() {
        assertThatThrownBy(() -> ConsoleServlet.withToken("hush-hush", false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("token: 9 characters (expected: at least 22, each of A-Z a-z 0-9 - . _ ~ + /)");
        assertThatThrownBy(() -> ConsoleServlet.withToken("a token of several words, long", false))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
