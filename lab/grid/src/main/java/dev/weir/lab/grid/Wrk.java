package dev.weir.lab.grid;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The load generator wrk, a program of its own, as a check of the other one. */
final class Wrk {
    private static final Pattern RATE = Pattern.compile("(?m)^Requests/sec:\\s*([0-9.]+)");
    private static final Pattern MEAN = Pattern.compile("(?m)^\\s*Latency\\s+([0-9.]+)(us|ms|s|m|h)\\b");
    private static final Pattern P99 = Pattern.compile("(?m)^\\s*99%\\s+([0-9.]+)(us|ms|s|m|h)\\b");

    private final String program;

    Wrk(String program) {
        this.program = program;
    }

    /**
     * What it found.
     *
     * @param rate answers a second, whatever their status
     * @param meanMicros mean time, microseconds
     * @param p99Micros 99th percentile, microseconds
     */
    record Result(double rate, double meanMicros, double p99Micros) {}

    /** Returns whether there is such a program. */
    boolean isInstalled() throws InterruptedException {
        try {
            Process process = new ProcessBuilder(program, "-v")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            process.waitFor();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Runs it in a closed loop.
     *
     * @param stopped ends it when it completes
     * @throws IOException if it fails, or is stopped, with what it said
     */
    Result run(URI uri, int clients, int seconds, CompletableFuture<?> stopped)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(List.of(
                        program, "-t", "1", "-c", "" + clients, "-d", seconds + "s", "--latency", uri.toString()))
                .redirectErrorStream(true)
                .start();
        // Not process.destroy(), which closes what is read below.
        CompletableFuture<?> ended = stopped.thenRun(() -> process.toHandle().destroy());
        try {
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IOException("wrk failed: " + said);
            }
            return parse(said);
        } finally {
            ended.cancel(false);
            process.destroyForcibly();
        }
    }

    static Result parse(String said) throws IOException {
        Matcher rate = find(RATE, said);
        return new Result(Double.parseDouble(rate.group(1)), micros(find(MEAN, said)), micros(find(P99, said)));
    }

    private static Matcher find(Pattern pattern, String said) throws IOException {
        Matcher matcher = pattern.matcher(said);
        if (!matcher.find()) {
            throw new IOException("wrk said something else than expected: " + said);
        }
        return matcher;
    }

    private static double micros(Matcher matcher) {
        double value = Double.parseDouble(matcher.group(1));
        return switch (matcher.group(2)) {
            case "us" -> value;
            case "ms" -> value * 1e3;
            case "s" -> value * 1e6;
            case "m" -> value * 60e6;
            default -> value * 3600e6;
        };
    }
}
