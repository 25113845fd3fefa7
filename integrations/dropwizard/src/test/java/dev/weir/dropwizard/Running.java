package dev.weir.dropwizard;

import io.dropwizard.core.setup.Environment;
import io.dropwizard.lifecycle.ServerLifecycleListener;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.server.Server;

/** An application's server that runs, and requests to it. */
record Running(Server server, URI application, URI admin) {

    /** Completes when the server of this environment runs. */
    static CompletableFuture<Running> soon(Environment environment) {
        CompletableFuture<Running> running = new CompletableFuture<>();
        environment.lifecycle().addServerLifecycleListener(new ServerLifecycleListener() {
            @Override
            public void serverStarted(Server server) {
                running.complete(new Running(server, local(getLocalPort(server)), local(getAdminPort(server))));
            }
        });
        return running;
    }

    private static URI local(int port) {
        return URI.create("http://127.0.0.1:" + port + "/");
    }

    /** The body of the application's answer. */
    String send(String method, String path) throws Exception {
        return send(method, application.resolve(path));
    }

    /** The body of an answer of the admin's port. */
    String admin(String path) throws Exception {
        return send("GET", admin.resolve(path));
    }

    private static String send(String method, URI uri) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(uri)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(20))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
