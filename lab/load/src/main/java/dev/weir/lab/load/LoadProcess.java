package dev.weir.lab.load;

import dev.weir.lab.runs.Json;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The generator in a JVM of its own, on the class path that the build wrote. */
public final class LoadProcess {
    private static final int LOG_LINES = 20;
    private static final long START_MILLIS = 60_000;

    private LoadProcess() {}

    /**
     * Makes the load, and returns when it is over: what came of it for each service.
     *
     * @param log where the generator's log goes
     * @param atStart is called when the load begins to count
     * @param stopped completes when the load is not wanted any more
     * @throws IOException if the generator fails, or is stopped; the message has the end of its log
     * @throws InterruptedException if the thread is interrupted; the generator is ended
     */
    public static List<LoadResult> run(LoadSpec spec, Path log, Runnable atStart, CompletableFuture<?> stopped)
            throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("weir-load-");
        Path question = folder.resolve("spec.json");
        Path answer = folder.resolve("result.json");
        long logBegin = Files.exists(log) ? Files.size(log) : 0;
        try {
            Json.write(question, spec);
            Process process = new ProcessBuilder(List.of(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xms256m",
                            "-Xmx512m",
                            "-cp",
                            classPath(),
                            LoadMain.class.getName(),
                            question.toString(),
                            answer.toString()))
                    .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            Thread reader = new Thread(() -> read(process, atStart), "load-output-" + process.pid());
            reader.setDaemon(true);
            reader.start();
            await(process, spec, log, logBegin, stopped);
            reader.join();
            return List.of(Json.read(answer, LoadResult[].class));
        } finally {
            Files.deleteIfExists(question);
            Files.deleteIfExists(answer);
            Files.deleteIfExists(folder);
        }
    }

    private static void await(Process process, LoadSpec spec, Path log, long logBegin, CompletableFuture<?> stopped)
            throws IOException, InterruptedException {
        long limit = START_MILLIS + spec.limitMillis();
        try {
            CompletableFuture.anyOf(process.onExit(), stopped).get(limit, TimeUnit.MILLISECONDS);
            if (process.isAlive()) {
                throw new IOException("the load generator was stopped");
            }
            if (process.exitValue() != 0) {
                throw new IOException(
                        "the load generator ended with exit code " + process.exitValue() + tail(log, logBegin));
            }
        } catch (TimeoutException e) {
            throw new IOException(
                    "the load generator was not done within " + limit / 1000 + " s" + tail(log, logBegin), e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // neither of the two fails
        } finally {
            process.destroyForcibly();
        }
    }

    private static void read(Process process, Runnable atStart) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.equals(LoadMain.COUNTING)) {
                    atStart.run();
                }
            }
        } catch (IOException e) {
            // The process was ended; who waits for it says why.
        }
    }

    /** The last lines of the log, without those of generators before this one. */
    private static String tail(Path log, long begin) throws IOException {
        byte[] bytes = Files.readAllBytes(log);
        int from = (int) Math.min(begin, bytes.length);
        List<String> lines = new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8)
                .lines()
                .toList();
        return "\n" + String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
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
            return Path.of(home, "lab", "load", "target");
        }
        try {
            return Path.of(LoadProcess.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .resolveSibling(".")
                    .normalize();
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }
}
