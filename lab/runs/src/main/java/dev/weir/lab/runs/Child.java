package dev.weir.lab.runs;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
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
 * A program that this JVM starts beside itself, mostly another JVM. Its standard input is open for as long as it is wanted,
 * so that one whose main calls {@link ChildMain#endWithParent} never outlives this JVM, however this one ends. Thread-safe.
 */
public final class Child implements AutoCloseable {
    private static final Duration END_LIMIT = Duration.ofSeconds(20);
    private static final int LOG_LINES = 20;

    /** As the JVM prints it, or a logger. */
    private static final Pattern FRAME = Pattern.compile("^(! )?\\s*(at |\\.\\.\\. \\d+ )");

    private final Process process;
    private final @Nullable Path log;
    private final long logBegin;

    private Child(Process process, @Nullable Path log, long logBegin) {
        this.process = process;
        this.log = log;
        this.logBegin = logBegin;
    }

    /**
     * Returns a JVM to be started, on the Java of this one.
     *
     * @param options such as {@code -Xmx512m}
     * @param classPath as {@link #ownClassPath} or {@link #builtClassPath} has it
     * @param main the class with its main method, which need not be on the class path of this JVM
     */
    public static Builder jvm(List<String> options, String classPath, String main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, main));
        command.addAll(Arrays.asList(arguments));
        return new Builder(command);
    }

    /** Returns the class path of this JVM, with full paths, as it may be read in another folder. */
    public static String ownClassPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !entry.isEmpty())
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * Returns the class path that the build wrote for a module of the laboratory, for what must not meet that of this JVM.
     *
     * @param module the name of its folder
     * @param within a class of the module
     * @throws IOException if the module is not built
     */
    public static String builtClassPath(String module, Class<?> within) throws IOException {
        Path target = target(module, within);
        Path file = target.resolve("class-path.txt");
        if (!Files.exists(file)) {
            throw new IOException("no " + file + ": build the laboratory with mvn package");
        }
        return target.resolve("classes")
                + File.pathSeparator
                + Files.readString(file).strip();
    }

    private static Path target(String module, Class<?> within) throws IOException {
        String home = System.getProperty("weir.home");
        if (home != null) {
            return Path.of(home, "lab", module, "target");
        }
        try {
            return Path.of(within.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .resolveSibling(".")
                    .normalize();
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }

    /** Returns the process, for its id, its processor time, and to end it as others would. */
    public ProcessHandle handle() {
        return process.toHandle();
    }

    /** Returns what completes when it has ended. */
    public CompletableFuture<?> onExit() {
        return process.onExit();
    }

    /**
     * Returns with what it ended.
     *
     * @throws IllegalThreadStateException if it has not ended
     */
    public int exitCode() {
        return process.exitValue();
    }

    /**
     * Waits for a line of its output.
     *
     * @param line from {@link Builder#line}
     * @return the line, as the pattern found it
     * @throws IOException if it ended before, or the time is over; with the end of its log
     * @throws InterruptedException if the thread is interrupted meanwhile
     */
    public Matcher await(CompletableFuture<Matcher> line, Duration limit) throws IOException, InterruptedException {
        try {
            return line.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw failure("not within " + limit.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            throw silent(e);
        }
    }

    /** Who says and hears nothing any more has ended, or soon will. */
    private IOException silent(Exception cause) throws IOException, InterruptedException {
        return process.waitFor(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                ? failure("it ended with exit code " + exitCode(), cause)
                : failure("its output ended", cause);
    }

    /** Returns a failure with this message, and the end of its log. */
    public IOException failure(String message, @Nullable Throwable cause) throws IOException {
        return new IOException(message + endOfLog(), cause);
    }

    /**
     * Returns the last lines of what it logged, each after an end of line, for a message: without stack frames, and without
     * what stood in the file before; empty where the log is no file.
     */
    public String endOfLog() throws IOException {
        if (log == null || !Files.exists(log)) {
            return "";
        }
        byte[] bytes = Files.readAllBytes(log);
        int from = (int) Math.min(logBegin, bytes.length);
        List<String> lines = new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.isBlank() && !FRAME.matcher(line).find())
                .toList();
        return lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()).stream()
                .map(line -> "\n" + line)
                .collect(Collectors.joining());
    }

    /**
     * Ends its standard input, by which it ends in its own order, or, where that takes longer than 20 s, ends it at once;
     * returns when it is gone, and whatever it started.
     */
    @Override
    public void close() {
        List<ProcessHandle> offspring = process.descendants().toList();
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It has ended.
        }
        try {
            if (!process.waitFor(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        } finally {
            offspring.forEach(ProcessHandle::destroyForcibly);
        }
    }

    /** What is to be started. For one thread. */
    public static final class Builder {
        private final ProcessBuilder builder;
        private final Map<Pattern, CompletableFuture<Matcher>> expected = new LinkedHashMap<>();
        private @Nullable Path log;

        Builder(List<String> command) {
            builder = new ProcessBuilder(command);
        }

        /** Sets a variable of its environment, or with null takes it out. */
        public Builder environment(String name, @Nullable String value) {
            if (value == null) {
                builder.environment().remove(name);
            } else {
                builder.environment().put(name, value);
            }
            return this;
        }

        /**
         * Sets the file that its standard error is appended to, or with null, as without, that of this JVM. So is its
         * standard output, unless a {@link #line} of it is waited for.
         */
        public Builder log(@Nullable Path file) {
            log = file;
            return this;
        }

        /** Returns what completes with the first line of its standard output in which this is found, or fails when that ends. */
        public CompletableFuture<Matcher> line(Pattern pattern) {
            return expected.computeIfAbsent(pattern, key -> new CompletableFuture<>());
        }

        /** Starts it. */
        public Child start() throws IOException {
            ProcessBuilder.Redirect said =
                    log == null ? ProcessBuilder.Redirect.INHERIT : ProcessBuilder.Redirect.appendTo(log.toFile());
            long begin = log == null || !Files.exists(log) ? 0 : Files.size(log);
            builder.redirectError(said);
            if (expected.isEmpty()) {
                builder.redirectOutput(said);
            }
            Process process = builder.start();
            if (!expected.isEmpty()) {
                Thread reader = new Thread(() -> read(process), "output-" + process.pid());
                reader.setDaemon(true);
                reader.start();
            }
            return new Child(process, log, begin);
        }

        /** To the end, so that it never waits for somebody to read what it prints. */
        private void read(Process process) {
            IOException end = new IOException("its output ended");
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    String read = line;
                    expected.forEach((pattern, found) -> {
                        Matcher matcher = pattern.matcher(read);
                        if (matcher.find()) {
                            found.complete(matcher);
                        }
                    });
                }
            } catch (IOException e) {
                end = e;
            }
            for (CompletableFuture<Matcher> found : expected.values()) {
                found.completeExceptionally(end);
            }
        }
    }
}
