package dev.weir.lab.load;

import dev.weir.lab.runs.Child;
import dev.weir.lab.runs.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The generator in a JVM of its own, on the class path that the build wrote. */
public final class LoadProcess {
    private static final Pattern COUNTING = Pattern.compile("^" + LoadMain.COUNTING + "$");
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
        try {
            Json.write(question, spec);
            Child.Builder generator = Child.jvm(
                            List.of("-Xms256m", "-Xmx512m"),
                            Child.builtClassPath("load", LoadProcess.class),
                            LoadMain.class.getName(),
                            question.toString(),
                            answer.toString())
                    .log(log);
            CompletableFuture<Matcher> counting = generator.line(COUNTING);
            CompletableFuture<?> told = counting.thenRun(atStart);
            try (Child child = generator.start()) {
                await(child, spec, stopped);
                told.get();
            }
            return List.of(Json.read(answer, LoadResult[].class));
        } catch (ExecutionException e) {
            throw new IOException("the load generator did not say when it began", e);
        } finally {
            Files.deleteIfExists(question);
            Files.deleteIfExists(answer);
            Files.deleteIfExists(folder);
        }
    }

    private static void await(Child child, LoadSpec spec, CompletableFuture<?> stopped)
            throws IOException, InterruptedException, ExecutionException {
        long limit = START_MILLIS + spec.limitMillis();
        try {
            CompletableFuture.anyOf(child.onExit(), stopped).get(limit, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw child.failure("the load generator was not done within " + limit / 1000 + " s", e);
        }
        if (child.handle().isAlive()) {
            throw new IOException("the load generator was stopped");
        }
        if (child.exitCode() != 0) {
            throw child.failure("the load generator ended with exit code " + child.exitCode(), null);
        }
    }
}
