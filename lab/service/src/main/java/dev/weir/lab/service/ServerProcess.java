package dev.weir.lab.service;

import dev.weir.lab.contender.Contenders;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The questions service in a JVM of its own, which ends with {@link #close}, or with this one. It runs on the class path
 * that the build wrote, not on that of this JVM. Thread-safe.
 */
public final class ServerProcess implements AutoCloseable {
    private static final String MAIN = "dev.weir.lab.service.app.QuestionsApplication";
    private static final Pattern LISTENING = Pattern.compile("listening pool=(\\S+) port=(\\d+) adminPort=(\\d+)");
    private static final Duration START_LIMIT = Duration.ofSeconds(90);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(20);
    private static final int LOG_LINES = 20;

    /** As the JVM prints it, or the logger of the service. */
    private static final Pattern FRAME = Pattern.compile("^(! )?\\s*(at |\\.\\.\\. \\d+ )");

    private final Process process;
    private final String pool;
    private final URI uri;
    private final URI adminUri;

    private ServerProcess(Process process, String pool, int port, int adminPort) {
        this.process = process;
        this.pool = pool;
        this.uri = local(port);
        this.adminUri = local(adminPort);
    }

    private static URI local(int port) {
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
        ProcessBuilder builder = new ProcessBuilder(command(spec));
        environment(spec, builder.environment());
        builder.redirectError(
                spec.log() == null
                        ? ProcessBuilder.Redirect.INHERIT
                        : ProcessBuilder.Redirect.appendTo(spec.log().toFile()));
        long logBegin = lengthOf(spec.log());
        Process process = builder.start();
        boolean isUp = false;
        try {
            CompletableFuture<Matcher> listening = new CompletableFuture<>();
            Thread reader = new Thread(() -> read(process, listening), "server-output-" + process.pid());
            reader.setDaemon(true);
            reader.start();
            Matcher ports = listening.get(START_LIMIT.toSeconds(), TimeUnit.SECONDS);
            isUp = true;
            return new ServerProcess(
                    process, ports.group(1), Integer.parseInt(ports.group(2)), Integer.parseInt(ports.group(3)));
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(
                    "the server " + spec + " did not start" + why(process, e) + endOf(spec.log(), logBegin), e);
        } finally {
            if (!isUp) {
                end(process);
            }
        }
    }

    private static List<String> command(ServerSpec spec) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(Contenders.named(spec.pool()).jvmOptions());
        command.addAll(spec.jvmOptions());
        command.add("-Dweir.service.stopAtEof=true");
        command.add("-cp");
        command.add(classPath());
        command.addAll(List.of(MAIN, "server", spec.configuration()));
        return command;
    }

    /** Each value is the text of a YAML scalar; one in double quotes can hold whatever a password has. */
    private static void environment(ServerSpec spec, Map<String, String> environment) {
        environment.put("pool", scalar(spec.pool()));
        environment.put("url", scalar(spec.url()));
        set(environment, "user", spec.user());
        set(environment, "password", spec.password());
        environment.put("poolSize", Integer.toString(spec.poolSize()));
        environment.put("maxThreads", Integer.toString(spec.maxThreads()));
        environment.put("port", Integer.toString(spec.port()));
        environment.put("adminPort", Integer.toString(spec.adminPort()));
    }

    private static void set(Map<String, String> environment, String name, @Nullable String value) {
        if (value == null) {
            environment.remove(name);
        } else {
            environment.put(name, scalar(value));
        }
    }

    /**
     * Returns a text as a YAML scalar in double quotes, for a variable that the service's configuration names; escaped beyond
     * ASCII, since in the C locale the environment has nothing else.
     */
    public static String scalar(String value) {
        StringBuilder scalar = new StringBuilder("\"");
        value.codePoints()
                .mapToObj(c -> c >= ' ' && c <= '~' && c != '"' && c != '\\'
                        ? Character.toString(c)
                        : String.format("\\U%08x", c))
                .forEach(scalar::append);
        return scalar.append('"').toString();
    }

    private static String classPath() throws IOException {
        Path target = target();
        Path file = target.resolve("class-path.txt");
        if (!Files.exists(file)) {
            throw new IOException("no " + file + ": build the laboratory with mvn package");
        }
        return target.resolve("classes")
                + File.pathSeparator
                + Files.readString(file).strip();
    }

    private static Path target() throws IOException {
        String home = System.getProperty("weir.home");
        if (home != null) {
            return Path.of(home, "lab", "service", "target");
        }
        try {
            Path own = Path.of(ServerProcess.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return own.resolveSibling(".").normalize();
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }

    /** To the end, so that the server never waits for somebody to read what it prints. */
    private static void read(Process process, CompletableFuture<Matcher> listening) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Matcher matcher = LISTENING.matcher(line);
                if (matcher.find()) {
                    listening.complete(matcher);
                }
            }
            listening.completeExceptionally(new IOException("its output ended"));
        } catch (IOException e) {
            listening.completeExceptionally(e);
        }
    }

    private static String why(Process process, Exception failure) throws InterruptedException {
        if (failure instanceof TimeoutException) {
            return " within " + START_LIMIT.toSeconds() + " s";
        }
        return process.waitFor(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)
                ? ": it ended with exit code " + process.exitValue()
                : ": " + failure.getCause();
    }

    /** Returns how long a log is so far; 0 if there is none. */
    public static long lengthOf(@Nullable Path log) throws IOException {
        return log == null || !Files.exists(log) ? 0 : Files.size(log);
    }

    /**
     * Returns the last lines of a log, each after an end of line, for a message: without stack frames.
     *
     * @param begin how long the log was before
     */
    public static String endOf(@Nullable Path log, long begin) throws IOException {
        if (log == null || !Files.exists(log)) {
            return "";
        }
        byte[] bytes = Files.readAllBytes(log);
        int from = (int) Math.min(begin, bytes.length);
        List<String> lines = new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.isBlank() && !FRAME.matcher(line).find())
                .toList();
        return lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()).stream()
                .map(line -> "\n" + line)
                .collect(Collectors.joining());
    }

    /**
     * Asks for the questions of one user, once.
     *
     * @throws IOException if the answer is no 200; the message has it
     * @throws InterruptedException if the thread is interrupted meanwhile
     */
    public void requireAnswer() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri.resolve("?user=" + QuestionsGenerator.KNOWN_USER))
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
        return process.onExit();
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
        return process.toHandle();
    }

    /** Ends the server in its own order, or, where that takes longer than 20 s, at once; returns when it is gone. */
    @Override
    public void close() {
        end(process);
    }

    private static void end(Process process) {
        process.destroy();
        try {
            if (!process.waitFor(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
