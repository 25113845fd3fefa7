package dev.weir.micronaut;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What an application with management and Micrometer shows, asked over HTTP. */
@EnabledIfSystemProperty(named = "weir.test.classpath", matches = "usual")
class ManagementTest {

    private static EmbeddedServer start(Map<String, Object> more) {
        Map<String, Object> properties = new HashMap<>(Map.of(
                "micronaut.server.port",
                -1,
                "micronaut.server.host",
                "127.0.0.1",
                "datasources.default.url",
                "jdbc:h2:mem:management;DB_CLOSE_DELAY=-1",
                "datasources.default.maximum-pool-size",
                4,
                "endpoints.health.details-visible",
                "ANONYMOUS",
                "endpoints.metrics.sensitive",
                false));
        properties.putAll(more);
        return ApplicationContext.run(EmbeddedServer.class, properties);
    }

    private static HttpResponse<String> get(EmbeddedServer server, String path)
            throws IOException, InterruptedException {
        URI uri = server.getURI().resolve(path);
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static WeirDataSource pool(EmbeddedServer server) throws SQLException {
        return server.getApplicationContext().getBean(DataSource.class).unwrap(WeirDataSource.class);
    }

    @Test
    void healthSaysHowThePoolIsAndIsDownWhileItIsSuspended() throws Exception {
        try (EmbeddedServer server = start(Map.of("endpoints.health.jdbc.enabled", false))) {
            try (Connection connection = pool(server).getConnection()) {
                assertThat(connection.isValid(1)).isTrue();
                HttpResponse<String> up = get(server, "/health");
                assertThat(up.statusCode()).as(up.body()).isEqualTo(200);
                assertThat(up.body())
                        .contains("\"weir\"", "\"default\"", "\"state\":\"running\"", "\"maximum\":4", "\"inUse\":1")
                        .doesNotContain("\"jdbc\"");
            }
            pool(server).suspend();
            HttpResponse<String> down = get(server, "/health");
            assertThat(down.statusCode()).as(down.body()).isEqualTo(503);
            assertThat(down.body()).contains("\"state\":\"suspended\"");
        }
    }

    @Test
    void anApplicationWithoutAPoolOfOursHasNoHealthOfPools() throws Exception {
        try (EmbeddedServer server = start(Map.of("datasources.default.enabled", false))) {
            HttpResponse<String> up = get(server, "/health");
            assertThat(up.statusCode()).as(up.body()).isEqualTo(200);
            assertThat(up.body()).doesNotContain("\"weir\"");
        }
    }

    @Test
    void micronautsOwnHealthOfDataSourcesAsksThePool() throws Exception {
        try (EmbeddedServer server = start(Map.of("endpoints.health.weir.enabled", false))) {
            assertThat(get(server, "/health").body())
                    .contains("\"jdbc\"", "\"database\":\"H2\"")
                    .doesNotContain("\"weir\"");
        }
    }

    @Test
    void metersAreMicronautsAndWeirs() throws Exception {
        try (EmbeddedServer server = start(Map.of())) {
            try (Connection connection = pool(server).getConnection()) {
                assertThat(connection.isValid(1)).isTrue();
                assertThat(get(server, "/metrics").body())
                        .contains("\"jdbc.connections.active\"", "\"jdbc.connections.max\"", "\"weir.connections");
                assertThat(get(server, "/metrics/jdbc.connections.max").body()).contains("4");
                assertThat(get(server, "/metrics/jdbc.connections.active").body())
                        .contains("1");
            }
        }
    }

    @Test
    void metersCanBeTurnedOff() throws Exception {
        try (EmbeddedServer server = start(Map.of("micronaut.metrics.binders.jdbc.enabled", false))) {
            assertThat(get(server, "/metrics").body()).doesNotContain("jdbc.connections", "weir.");
        }
    }
}
