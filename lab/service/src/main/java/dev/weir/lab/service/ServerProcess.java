package dev.weir.lab.service;

import dev.weir.lab.contender.Contenders;
import dev.weir.lab.runs.Child;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The questions service in a JVM of its own, which ends with {@link #close}, or with this one. It runs on the class path
 * that the build wrote, not on that of this JVM. Thread-safe.
 */
public final class ServerProcess implements AutoCloseable {
    private static final String MAIN = "dev.weir.lab.service.app.QuestionsApplication";
    private static final Pattern LISTENING = Pattern.compile("listening pool=(\\S+) port=(\\d+) adminPort=(\\d+)");
    private static final Duration START_LIMIT = Duration.ofSeconds(90);

    private final Child child;
    private final String pool;
    private final URI uri;
    private final URI adminUri;

    private ServerProcess(Child child, Matcher listening) {
        this.child = child;
        this.pool = listening.group(1);
        this.uri = local(listening.group(2));
        this.adminUri = local(listening.group(3));
    }

    private static URI local(String port) {
        return URI.create("http://127.0.0.1:" + port + "/");
    }

    /**
     * Starts a server, and returns when it listens.
     *
     * @throws IllegalArgumentException if the laboratory has no pool of this name
     * @throws IOException if it does not start; the message has the end of its log, where that is a file
     * @throws InterruptedException if the thread is interrupted; the server is ended
     */
    public static ServerProcess start(ServerSpec spec) throws IOException, InterruptedException {
        Child.Builder server = Child.jvm(
                        options(spec),
                        Child.builtClassPath("service", ServerProcess.class),
                        MAIN,
                        "server",
                        spec.configuration)
                .log(spec.log);
        environment(spec, server);
        CompletableFuture<Matcher> listening = server.line(LISTENING);
        Child child = server.start();
        boolean isUp = false;
        try {
            ServerProcess started = new ServerProcess(child, child.await(listening, START_LIMIT));
            isUp = true;
            return started;
        } catch (IOException e) {
            throw new IOException("the server " + spec + " did not start: " + e.getMessage(), e);
        } finally {
            if (!isUp) {
                child.close();
            }
        }
    }

    private static List<String> options(ServerSpec spec) {
        List<String> options =
                new ArrayList<>(Contenders.parse(spec.pool).contender().jvmOptions());
        options.addAll(spec.jvmOptions);
        options.add("-Dweir.service.stopAtEof=true");
        return options;
    }

    /** Each value is the text of a YAML scalar; one in double quotes can hold whatever a password has. */
    private static void environment(ServerSpec spec, Child.Builder server) {
        server.environment("pool", scalar(spec.pool))
                .environment("url", scalar(spec.url))
                .environment("user", spec.user == null ? null : scalar(spec.user))
                .environment("password", spec.password == null ? null : scalar(spec.password))
                .environment("poolSize", Integer.toString(spec.poolSize))
                .environment("maxThreads", Integer.toString(spec.maxThreads))
                .environment("port", Integer.toString(spec.port))
                .environment("adminPort", Integer.toString(spec.adminPort));
    }

    /** In double quotes; escaped beyond ASCII, since in the C locale the environment has nothing else. */
    private static String scalar(String value) {
        StringBuilder scalar = new StringBuilder("\"");
        value.codePoints()
                .mapToObj(c -> c >= ' ' && c <= '~' && c != '"' && c != '\\'
                        ? Character.toString(c)
                        : String.format("\\U%08x", c))
                .forEach(scalar::append);
        return scalar.append('"').toString();
    }

    /**
     * Asks for the questions of one user, once.
     *
     * @throws IOException if the answer is no 200; the message has it
     * @throws InterruptedException if the thread is interrupted meanwhile
     */
    public void requireAnswer() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri.resolve("?user=" + QuestionsLoader.KNOWN_USER))
                .timeout(START_LIMIT)
                .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException("the server answers with " + response.statusCode() + ": " + response.body());
        }
    }

    /** Returns the pool that the server says it runs on. */
    public String pool() {
        return pool;
    }

    /** Returns what completes when the server has ended. */
    public CompletableFuture<?> onExit() {
        return child.onExit();
    }

    /** Returns where it answers: {@code http://127.0.0.1:PORT/}. */
    public URI uri() {
        return uri;
    }

    /** Returns where its health and its metrics are: {@code healthcheck} and {@code metrics} below it. */
    public URI adminUri() {
        return adminUri;
    }

    /** Returns the process, for its id and the processor time it used. */
    public ProcessHandle handle() {
        return child.handle();
    }

    /** Returns the last lines of its log, each after an end of line, for a message; empty where that is no file. */
    public String endOfLog() throws IOException {
        return child.endOfLog();
    }

    /** Ends the server as {@link Child#close} does; returns when it is gone. */
    @Override
    public void close() {
        child.close();
    }
}
