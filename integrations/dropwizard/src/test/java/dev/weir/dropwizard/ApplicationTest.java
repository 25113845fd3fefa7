package dev.weir.dropwizard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.weir.WeirDataSource;
import dev.weir.console.ConsoleServlet;
import dev.weir.testkit.servers.ThreadsLeft;
import io.dropwizard.core.Application;
import io.dropwizard.core.Configuration;
import io.dropwizard.core.setup.Environment;
import io.dropwizard.db.ManagedDataSource;
import io.dropwizard.jdbi3.JdbiFactory;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole application: two pools from its YAML, one through Jdbi's factory, one by hand. */
class ApplicationTest {
    private static final String YAML = """
            shop:
              url: jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1
              username: sa
              password: ''
              maximumPoolSize: 3
              minimumPoolSize: 1
            till:
              url: jdbc:h2:mem:till
              user: sa
              password: ''
              maxSize: 2
              minSize: 1
            server:
              applicationConnectors: [{type: http, bindHost: 127.0.0.1, port: 0}]
              adminConnectors: [{type: http, bindHost: 127.0.0.1, port: 0}]
              requestLog: {appenders: []}
            logging: {level: WARN}
            """;

    static final class Settings extends Configuration {
        @JsonProperty
        @Valid
        @NotNull
        WeirDataSourceFactory shop;

        @JsonProperty
        @Valid
        @NotNull
        WeirDataSourceFactory till;
    }

    @Path("/")
    public static final class Answer {
        private final Jdbi jdbi;

        Answer(Jdbi jdbi) {
            this.jdbi = jdbi;
        }

        @GET
        public int number() {
            return jdbi.withHandle(handle ->
                    handle.createQuery("select 6 * 7").mapTo(Integer.class).one());
        }
    }

    static final class Shop extends Application<Settings> {
        CompletableFuture<Running> running;
        ManagedDataSource shop;
        ManagedDataSource till;

        @Override
        public void run(Settings settings, Environment environment) {
            shop = settings.shop.build(environment.metrics(), "shop");
            Jdbi jdbi = new JdbiFactory().build(environment, settings.shop, shop, "shop");
            till = settings.till.build(environment, "till");
            environment.jersey().register(new Answer(jdbi));
            environment
                    .admin()
                    .addServlet("weir", ConsoleServlet.guarded(false))
                    .addMapping("/weir/*");
            running = Running.soon(environment);
        }
    }

    @Test
    void startsAnswersIsHealthyMeasuresAndStops(@TempDir java.nio.file.Path folder) throws Exception {
        java.nio.file.Path file = Files.writeString(folder.resolve("shop.yml"), YAML);
        Shop application = new Shop();
        application.run("server", file.toString());
        Running running = application.running.get(20, TimeUnit.SECONDS);
        try {
            assertThat(running.send("GET", "")).isEqualTo("42");
            assertThat(running.admin("healthcheck"))
                    .contains("\"shop\":{\"healthy\":true")
                    .contains("\"till\":{\"healthy\":true")
                    .contains("\"maximumPoolSize\":2");
            assertThat(running.admin("metrics"))
                    .contains("\"shop.pool.MaxConnections\":{\"value\":3}")
                    .contains("\"till.pool.ActiveConnections\":{\"value\":0}")
                    .contains("\"shop.pool.Wait\":{\"count\":")
                    .contains("\"shop.pool.Usage\"")
                    .contains("\"shop.pool.ConnectionCreation\"")
                    .contains("\"shop.pool.ConnectionTimeoutRate\"");
            assertPageShowsThePoolsAndOnlyReads(running, application.till.unwrap(WeirDataSource.class));
        } finally {
            running.server().stop();
        }
        for (ManagedDataSource dataSource : new ManagedDataSource[] {application.shop, application.till}) {
            assertThat(dataSource.unwrap(WeirDataSource.class).isClosed()).isTrue();
        }
        ThreadsLeft.assertNone("weir-", Duration.ofSeconds(10));
    }

    /** By what a browser asks for: {@code /weir} on the admin's port leads to the page. */
    private static void assertPageShowsThePoolsAndOnlyReads(Running running, WeirDataSource till) throws Exception {
        HttpClient browser = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .build();
        HttpResponse<String> page = browser.send(get(running, "weir"), BodyHandlers.ofString());
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.uri()).isEqualTo(running.admin().resolve("weir/"));
        assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
                .contains("default-src 'none'", "frame-ancestors 'none'");
        for (String asset : new String[] {"page.js", "page.css", "uplot.js", "uplot.css"}) {
            assertThat(page.body()).contains("\"" + asset + "\"");
            assertThat(browser.send(get(running, "weir/" + asset), BodyHandlers.discarding())
                            .statusCode())
                    .as(asset)
                    .isEqualTo(200);
        }
        assertThat(running.admin("weir/look")).contains("\"writable\":false", "\"shop\"", "\"till\"");
        HttpRequest suspend = HttpRequest.newBuilder(running.admin().resolve("weir/act"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"pool\":\"till\",\"operation\":\"suspend\"}"))
                .build();
        assertThat(browser.send(suspend, BodyHandlers.ofString()).statusCode()).isEqualTo(403);
        assertThat(till.isSuspended()).isFalse();
    }

    private static HttpRequest get(Running running, String path) {
        return HttpRequest.newBuilder(running.admin().resolve(path)).build();
    }
}
