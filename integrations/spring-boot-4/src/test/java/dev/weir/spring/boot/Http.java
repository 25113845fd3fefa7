package dev.weir.spring.boot;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import org.springframework.context.ApplicationContext;

/** Asks a running application. */
final class Http {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final String base;

    Http(ApplicationContext context) {
        base = "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port");
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return CLIENT.send(request(path).build(), BodyHandlers.ofString());
    }

    CompletableFuture<HttpResponse<String>> begin(String path) {
        return CLIENT.sendAsync(request(path).build(), BodyHandlers.ofString());
    }

    HttpResponse<String> post(String path) throws IOException, InterruptedException {
        return post(path, "");
    }

    HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        HttpRequest request = request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return CLIENT.send(request, BodyHandlers.ofString());
    }

    /** Neither a body nor the type of one, as {@code curl -X POST} does. */
    HttpResponse<String> postNothing(String path) throws IOException, InterruptedException {
        return CLIENT.send(
                request(path).POST(HttpRequest.BodyPublishers.noBody()).build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(base + path));
    }
}
