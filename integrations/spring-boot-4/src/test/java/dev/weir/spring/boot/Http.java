package dev.weir.spring.boot;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;

/** Asks a running application. */
final class Http {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final String base;

    Http(ApplicationContext context) {
        this(context, "local.server.port");
    }

    private Http(ApplicationContext context, String port) {
        base = "http://127.0.0.1:" + context.getEnvironment().getProperty(port);
    }

    /** Asks at the management's own port. */
    static Http ofManagement(ApplicationContext context) {
        return new Http(context, "local.management.port");
    }

    /** Asks for this type alone. */
    HttpResponse<String> get(String path, String type) throws IOException, InterruptedException {
        return CLIENT.send(request(path).header("Accept", type).build(), BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return CLIENT.send(request(path).build(), BodyHandlers.ofString());
    }

    /** A browser's question whether a page of this origin may post JSON there. */
    HttpResponse<String> preflight(String path, String origin) throws IOException, InterruptedException {
        HttpRequest request = request(path)
                .method("OPTIONS", HttpRequest.BodyPublishers.noBody())
                .header("Origin", origin)
                .header("Access-Control-Request-Method", "POST")
                .header("Access-Control-Request-Headers", "content-type")
                .build();
        return CLIENT.send(request, BodyHandlers.ofString());
    }

    CompletableFuture<HttpResponse<String>> begin(String path) {
        return CLIENT.sendAsync(request(path).build(), BodyHandlers.ofString());
    }

    HttpResponse<String> post(String path) throws IOException, InterruptedException {
        return post(path, "");
    }

    HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        return post(path, "application/json", body);
    }

    /** {@code type}: null for a request that names none. */
    HttpResponse<String> post(String path, @Nullable String type, String body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = request(path).POST(HttpRequest.BodyPublishers.ofString(body));
        if (type != null) {
            request.header("Content-Type", type);
        }
        return CLIENT.send(request.build(), BodyHandlers.ofString());
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
