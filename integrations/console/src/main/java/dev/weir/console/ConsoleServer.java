package dev.weir.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.console.Console.Answer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Serves the live page on the loopback address to whoever has its token. It needs the module {@code jdk.httpserver}. Thread-safe.
 */
public final class ConsoleServer implements AutoCloseable {
    /** A client that is slow keeps one of them; they end when there is nothing to do. */
    private static final int THREADS = 32;

    private static final int TOKEN_BYTES = 24;

    private final HttpServer server;
    private final ThreadPoolExecutor threads;
    private final String token;
    private final Set<String> hosts;
    private final Door door;

    private ConsoleServer(Console console, HttpServer server) {
        this.server = server;
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        token = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        door = new Door(console, token);
        int port = server.getAddress().getPort();
        hosts = Set.of("127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port);
        threads = new ThreadPoolExecutor(
                THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), ConsoleServer::daemon);
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Serves a console until it is closed.
     *
     * @param port 0 for one that is free
     * @throws IOException if the port is not free
     */
    public static ConsoleServer start(Console console, int port) throws IOException {
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        ConsoleServer started = new ConsoleServer(console, HttpServer.create(new InetSocketAddress(loopback, port), 0));
        started.server.setExecutor(started.threads);
        started.server.createContext("/", started::handle);
        started.server.start();
        return started;
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "weir-console");
        thread.setDaemon(true);
        return thread;
    }

    /** Returns the address of the page, with the token at its end: a secret. */
    public URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/#token=" + token);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String host = exchange.getRequestHeaders().getFirst("Host");
            // A name that a hostile page has let point here is not one of these.
            Answer answer = host == null || !hosts.contains(host.toLowerCase(Locale.ROOT))
                    ? Console.error(403, "Host: " + host + " (expected: one of " + hosts + ")")
                    : door.answer(new Asked(exchange));
            Door.headers(answer).forEach(exchange.getResponseHeaders()::set);
            exchange.getResponseHeaders().set("Content-Type", answer.contentType());
            if (exchange.getRequestMethod().equals("HEAD")) {
                exchange.getResponseHeaders().set("Content-Length", Integer.toString(answer.body().length));
                exchange.sendResponseHeaders(answer.status(), -1);
            } else {
                exchange.sendResponseHeaders(answer.status(), answer.body().length);
                try (OutputStream out = exchange.getResponseBody()) {
                    out.write(answer.body());
                }
            }
        }
    }

    private record Asked(HttpExchange exchange) implements Door.Request {
        @Override
        public String method() {
            return exchange.getRequestMethod();
        }

        @Override
        public String name() {
            return exchange.getRequestURI().getRawPath().replaceFirst("^/", "");
        }

        @Override
        public @Nullable String query() {
            return exchange.getRequestURI().getRawQuery();
        }

        @Override
        public @Nullable String header(String name) {
            return exchange.getRequestHeaders().getFirst(name);
        }

        @Override
        public InputStream body() {
            return exchange.getRequestBody();
        }

        @Override
        public String who() {
            return "token at " + exchange.getRemoteAddress().getAddress().getHostAddress();
        }
    }
}
